"""Fit what src/pincite/answering.toml holds, on the groups of DATA whose hash is even. Called by benchmarks/answers.py --fit.

Sentences: conditional logit, the chance that a sentence with the answer is chosen among all of its question. Whether the
passages answer: logistic regression on CLAPnq, NoMIRACL and XQuAD. Whether the answer is right: the same on the sentences
that the fitted weights choose. No words of the data are kept, only weights.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

import numpy as np
from answers_data import Given, Item, clapnq, crossed, items, nomiracl, path_of, pipeline, pool

from pincite import evidence
from pincite.answerable import Borne, Traits, right_values, traits
from pincite.answerable import _signals as signals_of
from pincite.llms.extractive import COMPARED
from pincite.ports import Embedder
from pincite.text.bearing import Asked, Part, Signals, parts_of, passages, signals
from pincite.text.words import detect_language
from pincite.types import Hit

TARGET = Path(__file__).parent.parent / "src" / "pincite" / "answering.toml"
SIGNALS = [item.name for item in fields(Signals)]
TRAITS = [item.name for item in fields(Traits)]
BY_HAND = {"near": 1.0, "around": 0.4, "code": 0.5}
"""Times the weight of ``own``: paragraphs of Wikipedia have no tables, headings or code to fit these on."""
BY_WORDS = ["own", "whole", "several", "together", "kind_missing", "coverage", "fresh", "words", "known"]
ABROAD = ["cosine", "lead"]
RIGHT = ["own", "whole", "pieces", "kind_held", "kind_missing", "evidence", "score", "lead"]
OPTIMISM = 0.3
"""Taken off the intercept of ``right``: on the questions that the sentence weights are fitted on they choose right more often
than elsewhere. Whole answers on the even half: confidence 0.836, right 0.800."""
XQUAD = {"words": 1.0, "meaning": 3.0}
"""Of XQuAD's questions when abstention is fitted; those of CLAPnq and NoMIRACL that can be answered count 1, and those that
cannot 1. Chosen so that on the even half fewer than 5 % of XQuAD's are declined."""


def _read(question: str, parts: Sequence[Part], language: str | None) -> Borne:
    """What ``answerable.borne`` reads, of parts that are at hand."""
    asked = Asked.of(question, question, parts, language)
    return Borne(asked, tuple(parts), tuple(signals_of(asked, parts)))


def fit(data: Path, embedder: Embedder | None, languages: Sequence[str], limit: int) -> None:
    """Fit everything and write the file. Without an embedder the tables that need one are left out."""
    if embedder is None:
        raise SystemExit("--fit needs --embedder local: it fits the words alone as well")
    questions = [one for language in languages for one in _asked(data, language, embedder, limit)]
    tables: dict[str, dict[str, float]] = {}
    tables["sentence"] = _sentence_weights([(one.matrix(), one.gold) for one in questions], SIGNALS[:-1])
    weights = np.array([tables["sentence"].get(name, 0.0) for name in SIGNALS])
    compared = [one.compared(weights, embedder) for one in questions if one.gold.any()]
    tables["compared"] = _sentence_weights([pair for pair in compared if pair[1].any()], SIGNALS)
    tables["usual"] = _usual(questions, embedder)
    _use(tables)
    for mode, used in (("meaning", embedder), ("words", None)):
        names = [*BY_WORDS, *ABROAD] if used is not None else BY_WORDS
        tables[f"answerable.{mode}"] = _answerable(data, used, languages, names, limit)
        again = (
            questions
            if used is not None
            else [one for language in languages for one in _asked(data, language, None, limit)]
        )
        tables[f"right.{mode}"] = _right(again, used, tables)
    tables["answerable.other"] = _abroad(data, embedder, limit)
    _write(tables)


# --- what is fitted on --------------------------------------------------------------------------


class Question:
    """A question with the signals of all parts of its hits, and which of these hold a gold answer."""

    def __init__(self, item: Item, hits: Sequence[Hit]) -> None:
        self.item, self.hits = item, hits
        self.language = detect_language(item.question)
        self.parts: tuple[Part, ...] = parts_of(hits, self.language)
        self.asked = Asked.of(item.question, item.question, self.parts, self.language)
        around = passages(self.parts)
        best = max((hit.fused for hit in hits), default=1.0)
        self.signals = [signals(self.asked, one, around[one.place], best_fused=best) for one in self.parts]
        self.gold = np.array(
            [any(answer in one.piece.quote for answer in item.answers) for one in self.parts]
        )

    def matrix(self) -> Any:
        return np.array([astuple(one) for one in self.signals])

    def compared(self, weights: Any, embedder: Embedder) -> tuple[Any, Any]:
        """The best by words with their cosines."""
        matrix = self.matrix()
        order = np.argsort(-(matrix @ weights), kind="stable")[:COMPARED]
        vectors = embedder.documents([self.parts[at].piece.reading for at in order])
        cosines = (vectors @ embedder.query(self.item.question)).tolist()
        matrix = matrix[order]
        matrix[:, -1] = evidence.comparable_cosines(cosines, embedder.fingerprint)
        return matrix, self.gold[order]


def _asked(data: Path, language: str, embedder: Embedder | None, limit: int) -> list[Question]:
    path = path_of(data, language)
    even = [item for item in items(path) if item.is_even]
    even = even[:: max(1, len(even) // limit)][:limit] if limit else even
    print(f"reading {path.name}, {len(even)} questions", file=sys.stderr)
    rag = pipeline(embedder)
    rag.add(*pool(path))
    found = [Question(item, rag.retrieve(item.question)) for item in even]
    return [one for one in found if one.parts]


def _usual(questions: Sequence[Question], embedder: Embedder) -> dict[str, float]:
    """The cosine of the nearest passage beyond chance, the mean for each language and over all."""
    found: dict[str, list[float]] = {}
    for one in questions:
        cosines = [hit.parts["cosine"] for hit in one.hits if "cosine" in hit.parts]
        if one.language and cosines:
            chance = evidence.background_of(embedder.fingerprint, one.language, one.hits[0].document.language)
            found.setdefault(one.language, []).append(max(cosines) - chance)
    # A language that is named by mistake now and then has no mean of its own.
    usual = {language: round(float(np.mean(some)), 4) for language, some in found.items() if len(some) >= 20}
    return {**usual, "other": round(float(np.mean(list(usual.values()))), 4)}


# --- sentences ----------------------------------------------------------------------------------


def _sentence_weights(groups: Sequence[tuple[Any, Any]], names: Sequence[str]) -> dict[str, float]:
    fitted = [name for name in names if name not in BY_HAND]
    columns = [SIGNALS.index(name) for name in fitted]
    usable = [(matrix[:, columns], gold) for matrix, gold in groups if gold.any() and not gold.all()]
    found = dict(zip(fitted, conditional_logit(usable).tolist(), strict=True))
    for name, share in BY_HAND.items():
        found[name] = share * max(0.0, found["own"])
    return {name: round(found[name], 3) for name in names}


def conditional_logit(groups: Sequence[tuple[Any, Any]], *, penalty: float = 1.0, steps: int = 400) -> Any:
    """Weights that make one of the right rows of each group likely: gradient ascent with moments (Adam), from zero."""
    rows = np.concatenate([matrix for matrix, _ in groups])
    right = np.concatenate([gold for _, gold in groups]).astype(float)
    group = np.repeat(np.arange(len(groups)), [len(matrix) for matrix, _ in groups])
    scale = rows.std(0) + 1e-6
    rows = (rows - rows.mean(0)) / scale
    weights = first = second = np.zeros(rows.shape[1])
    for step in range(1, steps + 1):
        scores = rows @ weights
        highest = np.full(len(groups), -np.inf)
        np.maximum.at(highest, group, scores)
        raised = np.exp(scores - highest[group])
        every = np.bincount(group, raised, len(groups))
        good = np.bincount(group, raised * right, len(groups))
        share = raised * right / good[group] - raised / every[group]
        slope = ((share[:, None] * rows).sum(0) - penalty * weights) / len(groups)
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope * slope
        rate = 0.05 * (1 - step / (steps + 1))
        weights = weights + rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return weights / scale


# --- chances ------------------------------------------------------------------------------------


def logistic(rows: Any, right: Any, weight: Any, *, penalty: float = 3.0) -> Any:
    """Weights and, last, the intercept, by Newton's method."""
    middle, scale = rows.mean(0), rows.std(0) + 1e-9
    design = np.column_stack([(rows - middle) / scale, np.ones(len(rows))])
    ridge = np.append(np.full(rows.shape[1], penalty), 1e-9)
    found = np.zeros(design.shape[1])
    for _ in range(40):
        chance = 1 / (1 + np.exp(-np.clip(design @ found, -30, 30)))
        slope = design.T @ (weight * (right - chance)) - ridge * found
        curve = (design * (weight * chance * (1 - chance))[:, None]).T @ design + np.diag(ridge)
        found = found + np.linalg.solve(curve, slope)
    weights = found[:-1] / scale
    return np.append(weights, found[-1] - weights @ middle)


def _table(names: Sequence[str], weights: Any) -> dict[str, float]:
    return {"intercept": round(float(weights[-1]), 3)} | {
        name: round(float(one), 3) for name, one in zip(names, weights[:-1], strict=True)
    }


def _answerable(
    data: Path, embedder: Embedder | None, languages: Sequence[str], names: Sequence[str], limit: int
) -> dict[str, float]:
    found: list[tuple[Traits, bool, float]] = []
    for given in (clapnq(data), nomiracl(data)):
        found += _weighed(1.0, [pair for one in given if one.is_even for pair in _given(one, embedder)])
    answerable = []
    for language in languages:
        fingerprint = embedder.fingerprint if embedder is not None else ""
        for one in _asked(data, language, embedder, min(limit, 100) if limit else 100):
            answerable.append(
                (
                    traits(
                        _read(one.item.question, one.parts, one.language), one.hits, one.language, fingerprint
                    ),
                    True,
                )
            )
    found += _weighed(XQUAD["words" if embedder is None else "meaning"], answerable)
    columns = [TRAITS.index(name) for name in names]
    rows = np.array([astuple(one) for one, _, _ in found])[:, columns]
    right = np.array([is_answered for _, is_answered, _ in found], dtype=float)
    return _table(names, logistic(rows, right, np.array([weight for _, _, weight in found])))


def _weighed(total: float, found: Sequence[tuple[Traits, bool]]) -> list[tuple[Traits, bool, float]]:
    """Each side of a set gets the same weight in all, 300 questions' worth."""
    counts = {side: sum(right is side for _, right in found) for side in (True, False)}
    return [(one, right, total * 150 / counts[right]) for one, right in found]


def _given(given: Given, embedder: Embedder | None) -> list[tuple[Traits, bool]]:
    rag = pipeline(embedder)
    rag.add(*given.documents)
    hits = rag.retrieve(given.question)
    language = detect_language(given.question)
    parts = parts_of(hits, language)
    if not parts:
        return []
    fingerprint = embedder.fingerprint if embedder is not None else ""
    return [(traits(_read(given.question, parts, language), hits, language, fingerprint), given.answerable)]


def _abroad(data: Path, embedder: Embedder, limit: int) -> dict[str, float]:
    """Questions in other languages put to English paragraphs, with the right article there and away."""
    english = path_of(data, "en")
    held = items(english)
    articles = {item.doc_id: item.group for item in held}
    found: list[tuple[Traits, bool]] = []
    for language in ("de", "es", "zh", "ar"):
        even = [item for item in crossed(items(path_of(data, language)), held) if item.is_even][
            : limit or 150
        ]
        rag = pipeline(embedder)
        rag.add(*pool(english))
        for item in even:
            hits = rag.retrieve(item.question, top_k=20)
            asked_in = detect_language(item.question)
            others = [hit for hit in hits if articles[hit.document.doc_id] != item.group][:10]
            for some, right in ((hits[:10], True), (others, False)):
                parts = parts_of(some, asked_in)
                if parts:
                    found.append(
                        (
                            traits(
                                _read(item.question, parts, asked_in), some, asked_in, embedder.fingerprint
                            ),
                            right,
                        )
                    )
    columns = [TRAITS.index(name) for name in ABROAD]
    rows = np.array([astuple(one) for one, _ in found])[:, columns]
    return _table(
        ABROAD, logistic(rows, np.array([right for _, right in found], dtype=float), np.ones(len(rows)))
    )


def _right(
    questions: Sequence[Question], embedder: Embedder | None, tables: dict[str, Any]
) -> dict[str, float]:
    values, right = [], []
    by_words = np.array([tables["sentence"].get(name, 0.0) for name in SIGNALS])
    by_meaning = np.array([tables["compared"].get(name, 0.0) for name in SIGNALS])
    for one in questions:
        scores = one.matrix() @ by_words
        place = int(np.argmax(scores))
        if embedder is not None:
            order = np.argsort(-scores, kind="stable")[:COMPARED]
            place = int(order[int(np.argmax(one.compared(by_words, embedder)[0] @ by_meaning))])
        others = [score for score in scores.tolist() if score < scores[place]]
        found = right_values(one.signals[place], float(scores[place]), max(others, default=0.0))
        values.append([found[name] for name in RIGHT])
        right.append(bool(one.gold[place]))
    weights = logistic(np.array(values), np.array(right, dtype=float), np.ones(len(right)))
    weights[-1] -= OPTIMISM
    return _table(RIGHT, weights)


# --- the file -----------------------------------------------------------------------------------

HEAD = """\
# How well a sentence of a passage answers a question, and how likely the passages found answer it at all.
#
# sentence           weights of the signals of ``text.bearing``, to choose the sentences that are compared by meaning; without
#                    an embedder the choice itself
# compared           the choice among those; ``cosine`` is beyond the mean of those compared
# usual              how far beyond chance the nearest passage is when the question can be answered, by language
# answerable.words   chance that the passages answer, before anything is drafted, from the traits of ``answerable``; by
#                    words alone, with an embedder (meaning), and for passages in another language (other)
# right.words        chance that a sentence that is cited holds the answer
#
# Source: python benchmarks/answers.py DATA --fit
# XQuAD, JSQuAD, CLAPnq and NoMIRACL, groups whose hash is even; results on the odd ones: benchmarks/results/answers.md.
# near, around and code are set by hand: the paragraphs that the rest is fitted on have no tables, headings or code.
"""


def _write(tables: dict[str, dict[str, float]]) -> None:
    lines = [HEAD]
    for name, table in tables.items():
        lines += [f"[{name}]", *(f"{key} = {value}" for key, value in table.items()), ""]
    TARGET.write_text("\n".join(lines), "utf-8")
    print(f"wrote {TARGET}", file=sys.stderr)


def _use(tables: dict[str, dict[str, float]]) -> None:
    """What is fitted next depends on the sentences that these weights choose."""
    _write(tables)
    evidence._answering.cache_clear()
