"""Extractive answers with retrieval: are they right, short and quoted, and is what cannot be answered declined?

    python benchmarks/answers.py DATA [--json] [--fit] [--embedder local|local-fast|none] [--languages en de …] [--limit N]

qa       Pool: all paragraphs of one language in DATA (``xquad``, ``jsquad``), each a document, cut by the default chunker. A
         question is right when what its answer cites is at most one sentence (Thai: one phrase of at most 160 characters)
         and contains a gold answer. Declining counts as wrong. ``de>en``: question in German, paragraphs in English. Beside it
         the dumbest rules: the first sentence of the best passage, the sentence with the most words of the question.
abstain  CLAPnq: a question and one passage; NoMIRACL: a question and ten. Declined or not, with the settings as they
         are shipped. ``interval``: 95 % of 1,000 samples drawn with replacement. Beside it the dumbest rules: always answer,
         and the best single signal with the threshold that is best on the even half.
ece      Confidence of the answers of qa against whether they are right, ten bins; ``floor`` is what confidences that are
         perfectly calibrated give with as many answers (drawn 200 times).

Every figure is over all of DATA; under ``odd`` the same over the groups (articles, questions) whose hash is odd: nothing
was fitted on them. ``--fit`` fits all weights on the even ones and writes them to ``src/pincite/answering.toml``. Vectors
are kept in the folder of ``--cache`` between runs.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from answers_data import Given, Item, clapnq, crossed, items, nomiracl, open_embedder, path_of, pipeline, pool

from pincite.answer import Answer
from pincite.ports import Embedder
from pincite.text.sentences import split_sentences
from pincite.text.words import terms
from pincite.types import Document, Hit, Span

LANGUAGES = ("en", "de", "es", "zh", "ar", "hi", "ja", "th")
STOPPED = ("en", "de", "es", "zh", "ar", "hi")
"""XQuAD's languages that write sentence stops, of which the mean is taken."""
CROSS = ("de", "es", "zh", "ar")
MAX_PHRASE_CHARS = 160
MAX_SHARE = 0.35
BINS = 10
SAMPLES = 1_000
FLOORS = 200


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one question. ``cited`` is how many spans were cited."""

    is_even: bool
    right: bool
    declined: bool
    cited: int
    share: float
    verified: int
    citations: int
    confidence: float
    first: bool
    overlap: bool
    found: bool


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--languages", nargs="*", default=list(LANGUAGES))
    parser.add_argument("--embedder", choices=("none", "local", "local-fast"), default="local")
    parser.add_argument("--parts", nargs="*", default=["qa", "cross", "abstain"])
    parser.add_argument("--limit", type=int, default=0, help="questions per set, 0 for all")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "pincite-vectors")
    parser.add_argument("--fails", type=int, default=0, help="print so many wrong answers of each set")
    options = parser.parse_args()
    embedder = open_embedder(options.embedder, options.cache)
    if options.fit:
        from answers_fit import fit

        fit(options.data, embedder, options.languages, options.limit)
        return
    found = measure(options, embedder)
    print(json.dumps(found, ensure_ascii=False) if options.json else _table(found))


def measure(options: argparse.Namespace, embedder: Embedder | None) -> dict[str, Any]:
    qa: dict[str, Any] = {}
    outcomes: dict[str, list[Outcome]] = {}
    if "qa" in options.parts:
        for language in options.languages:
            path = path_of(options.data, language)
            name = path.name.removesuffix(".jsonl")
            outcomes[name] = answers(
                pool(path), _some(items(path), options.limit), embedder, language, options.fails
            )
            qa[name] = _halves(outcomes[name], _qa)
            print(name, qa[name], file=sys.stderr)
    if "cross" in options.parts and embedder is not None:
        english = path_of(options.data, "en")
        for language in [one for one in CROSS if one in options.languages]:
            asked = _some(crossed(items(path_of(options.data, language)), items(english)), options.limit)
            name = f"xquad.{language}>en"
            qa[name] = _halves(answers(pool(english), asked, embedder, "en", options.fails), _qa)
            print(name, qa[name], file=sys.stderr)
    found: dict[str, Any] = {"embedder": options.embedder, "qa": qa}
    stopped = [f"xquad.{language}" for language in STOPPED if f"xquad.{language}" in qa]
    if stopped:
        found["qa_mean"] = round(float(np.mean([qa[name]["cited_contains_answer"] for name in stopped])), 1)
        found["qa_mean_odd"] = round(
            float(np.mean([qa[name]["odd"]["cited_contains_answer"] for name in stopped])), 1
        )
    found["abstain"] = _abstain(options, embedder) if "abstain" in options.parts else {}
    answerable = [one for name, some in outcomes.items() if name.startswith("xquad.") for one in some]
    if answerable:
        found["abstain"]["xquad.answerable"] = _halves(
            answerable, lambda some: {"declined": _percent([one.declined for one in some]), "n": len(some)}
        )
    given = [one for some in outcomes.values() for one in some if not one.declined]
    if given:
        found["ece"] = _halves(given, _ece)
    return found


def _some(asked: list[Any], limit: int) -> list[Any]:
    return asked[:: max(1, len(asked) // limit)][:limit] if limit else asked


def _halves(outcomes: Sequence[Any], figures: Callable[[Sequence[Any]], dict[str, Any]]) -> dict[str, Any]:
    return {**figures(outcomes), "odd": figures([one for one in outcomes if not one.is_even])}


def _percent(values: Sequence[bool | float]) -> float:
    return round(100 * float(np.mean(values)), 1) if len(values) else 0.0


# --- answers ------------------------------------------------------------------------------------


def answers(
    documents: Sequence[Document], asked: Sequence[Item], embedder: Embedder | None, language: str, fails: int
) -> list[Outcome]:
    rag = pipeline(embedder)
    rag.add(*documents)
    longest = MAX_PHRASE_CHARS if language == "th" else None
    outcomes = []
    for item in asked:
        answer = rag.ask(item.question)
        cited = _cited(answer)
        text = " ".join(span.of(document) for document, span in cited)
        fits = len(cited) == 1 and (longest is None or len(text) <= longest)
        right = not answer.abstained and fits and _holds(text, item)
        outcomes.append(
            Outcome(
                is_even=item.is_even,
                right=right,
                declined=answer.abstained,
                cited=len(cited),
                share=len(text) / len(item.paragraph),
                verified=sum(citation.status == "verified" for citation in answer.citations),
                citations=len(answer.citations),
                confidence=answer.confidence,
                first=bool(answer.hits) and _holds(_sentences(answer.hits[0])[0], item),
                overlap=bool(answer.hits) and _holds(_most_words(answer.hits, item.question), item),
                found=any(hit.document.doc_id == item.doc_id for hit in answer.hits[:1]),
            )
        )
        if fails > 0 and not right:
            fails -= 1
            print(
                f"\nQ {item.question}\n  gold {item.answers}\n  got  {text or answer.reason}", file=sys.stderr
            )
    return outcomes


def _qa(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    given = [one for one in outcomes if not one.declined]
    return {
        "cited_contains_answer": _percent([one.right for one in outcomes]),
        "and_at_most_35_percent": _percent([one.right and one.share <= MAX_SHARE for one in outcomes]),
        "mean_sentences": round(float(np.mean([one.cited for one in given])), 3) if given else 0.0,
        "mean_share": round(float(np.mean([one.share for one in given])), 3) if given else 0.0,
        "declined": _percent([one.declined for one in outcomes]),
        "quotes_verified": round(
            100 * sum(one.verified for one in given) / max(1, sum(one.citations for one in given)), 1
        ),
        "dumb_first_sentence": _percent([one.first for one in outcomes]),
        "dumb_most_words": _percent([one.overlap for one in outcomes]),
        "right_paragraph_first": _percent([one.found for one in outcomes]),
        "n": len(outcomes),
    }


def _cited(answer: Answer) -> list[tuple[str, Span]]:
    """Each cited span with the text of its document up to the end of the chunk."""
    chunks = {hit.chunk.chunk_id: hit.chunk for hit in answer.hits}
    return [
        (" " * chunks[citation.chunk_id].span.start + chunks[citation.chunk_id].text, span)
        for citation in answer.citations
        for span in citation.spans
    ]


def _holds(text: str, item: Item) -> bool:
    return any(gold in text for gold in item.answers)


def _sentences(hit: Hit) -> list[str]:
    found = split_sentences(hit.chunk.text, language=hit.document.language)
    return [span.of(hit.chunk.text) for span in found] or [""]


def _most_words(hits: Sequence[Hit], question: str) -> str:
    language = hits[0].document.language
    wanted = set(terms(question, language))
    every = [sentence for hit in hits for sentence in _sentences(hit)]
    return max(every, key=lambda sentence: len(wanted & set(terms(sentence, language))))


# --- abstention ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Declined:
    """Whether a question was declined, whether that was right, and the single signals that could have decided."""

    language: str
    is_even: bool
    answerable: bool
    declined: bool
    signals: dict[str, float]


def _abstain(options: argparse.Namespace, embedder: Embedder | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, given in (("clapnq.en", clapnq(options.data)), ("nomiracl.all", nomiracl(options.data))):
        outcomes = declined(_some(given, options.limit), embedder)
        found[name] = {**_halves(outcomes, _figures), "dumb": _dumb(outcomes)}
        if name == "nomiracl.all":
            for language in sorted({one.language for one in outcomes}):
                found[f"nomiracl.{language}"] = _figures(
                    [one for one in outcomes if one.language == language]
                )
        print(name, found[name], file=sys.stderr)
    return found


def declined(given: Sequence[Given], embedder: Embedder | None) -> list[Declined]:
    outcomes = []
    for one in given:
        rag = pipeline(embedder)
        rag.add(*one.documents)
        answer = rag.ask(one.question)
        best = {"evidence": max((hit.score for hit in answer.hits), default=0.0)}
        for part in ("coverage", "cosine"):
            best[part] = max((hit.parts.get(part, 0.0) for hit in answer.hits), default=0.0)
        outcomes.append(Declined(one.language, one.is_even, one.answerable, answer.abstained, best))
    return outcomes


def _figures(outcomes: Sequence[Declined]) -> dict[str, Any]:
    answerable = np.array([one.answerable for one in outcomes])
    refused = np.array([one.declined for one in outcomes])
    generator = np.random.default_rng(0)
    drawn = [generator.integers(0, len(outcomes), len(outcomes)) for _ in range(SAMPLES)]
    spread = [_balanced(answerable[places], ~refused[places]) for places in drawn]
    return {
        "answered_unanswerable": _percent(list(~refused[~answerable])),
        "declined_answerable": _percent(list(refused[answerable])),
        "balanced_accuracy": round(100 * _balanced(answerable, ~refused), 1),
        "interval": [round(100 * float(np.nanpercentile(spread, at)), 1) for at in (2.5, 97.5)],
        "n": len(outcomes),
    }


def _balanced(answerable: Any, answered: Any) -> float:
    halves = [answered[answerable], ~answered[~answerable]]
    return (
        float(np.mean([half.mean() for half in halves]))
        if all(len(half) for half in halves)
        else float("nan")
    )


def _dumb(outcomes: Sequence[Declined]) -> dict[str, Any]:
    """Always answering, and each signal alone: its threshold from the even half, its figure from the odd one."""
    found: dict[str, Any] = {"always_answer": 50.0}
    even = [one for one in outcomes if one.is_even]
    odd = [one for one in outcomes if not one.is_even]
    if not even or not odd:
        return found
    for name in outcomes[0].signals:
        values = np.array([one.signals[name] for one in even])
        answerable = np.array([one.answerable for one in even])
        best = max(sorted(set(values.tolist())), key=lambda at: _balanced(answerable, values >= at))
        alone = _balanced(
            np.array([one.answerable for one in odd]), np.array([one.signals[name] for one in odd]) >= best
        )
        found[f"{name}_alone_odd"] = round(100 * alone, 1)
    return found


# --- calibration --------------------------------------------------------------------------------


def _ece(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    confidence = np.array([one.confidence for one in outcomes])
    right = np.array([one.right for one in outcomes], dtype=float)
    generator = np.random.default_rng(0)
    floors = [
        expected_error(confidence, (generator.random(len(confidence)) < confidence).astype(float))
        for _ in range(FLOORS)
    ]
    rate = float(right.mean())
    return {
        "ece": round(expected_error(confidence, right), 3),
        "floor": round(float(np.mean(floors)), 3),
        "mean_confidence": round(float(confidence.mean()), 3),
        "right": round(rate, 3),
        "dumb_always_80": round(expected_error(np.full(len(right), 0.8), right), 3),
        "n": len(outcomes),
    }


def expected_error(confidence: Any, right: Any) -> float:
    """Mean gap of confidence and accuracy over ten bins of equal width, weighed by how many answers are in each."""
    places = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = [
        abs(confidence[places == one].mean() - right[places == one].mean()) * (places == one).sum()
        for one in range(BINS)
        if (places == one).any()
    ]
    return float(sum(gaps) / max(1, len(confidence)))


def _table(found: dict[str, Any]) -> str:
    lines = []
    for part in ("qa", "abstain"):
        sets = {name: row for name, row in found.get(part, {}).items() if row}
        columns = list(
            dict.fromkeys(column for row in sets.values() for column in row if column not in ("odd", "dumb"))
        )
        if sets:
            lines += ["| set | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
            lines += [
                f"| {name} | " + " | ".join(str(row.get(column, "")) for column in columns) + " |"
                for name, row in sets.items()
            ]
    return "\n".join(
        [*lines, json.dumps({key: found[key] for key in ("qa_mean", "qa_mean_odd", "ece") if key in found})]
    )


if __name__ == "__main__":
    main()
