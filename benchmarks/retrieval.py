"""Is the right passage found, in its own language and across languages?

    python benchmarks/retrieval.py DATA [--json] [--beside] [--embedder local|none] [--cache FOLDER] [--docs [NAME …]] [--fit]

DATA holds `xquad/xquad.<language>.jsonl` and `jsquad/jsquad.ja.jsonl`. One paragraph is one document without a title,
cut by the default chunker and added as `pincite add` does; the pool of a language is all its paragraphs in DATA. A hit
is the document of the first chunk (r@1), or of one of the first five (r@5). Vectors are kept in FOLDER between runs.

`--json` prints `{"recall": {"en": {"r1", "r5", "n"}, …}, "cross": {"de>en": {…}, …}, "mixed": {…}}`. With `--beside`, and
in the table, other ways stand beside it: words alone, vectors alone, fusion by ranks, and the dumbest rule, the paragraph
that shares most different words with the question; and what happens when only an English paragraph answers.

`--fit` fits the weight of the words and the evidence on articles with an even number, reports on the odd ones, and
prints the tables of `src/pincite/evidence.toml`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np

from pincite.embedders import EMBEDDERS, EmbedderOptions
from pincite.ingest import Cut, ingest
from pincite.ports import Embedder
from pincite.ranking import fuse_scores
from pincite.search import _by_words as candidates_by_words
from pincite.search import _with_vectors as candidates
from pincite.search import search
from pincite.stores.sqlite import SqliteStore
from pincite.text.words import detect_language, terms
from pincite.types import AccessLevel, Document, Hit, Question

LANGUAGES = ("en", "de", "es", "zh", "ar", "hi", "th", "ru")
"""Those with measurements to compare with. The others in DATA are measured too and listed behind."""

CROSS = ("de", "es", "zh", "ar", "hi", "ru", "th", "el", "ro", "tr", "vi")
"""Languages of questions put to English paragraphs."""

Search = Callable[[Question, SqliteStore], tuple[Hit, ...]]


@dataclass(frozen=True)
class Asked:
    """A question and the document that answers it. ``group`` is the number of its article."""

    text: str
    answer: str
    group: int


@dataclass(frozen=True)
class Pool:
    """The paragraphs of one language, and their questions."""

    language: str
    documents: tuple[Document, ...]
    questions: tuple[Asked, ...]


def read_pool(file: Path) -> Pool:
    records = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    groups = {name: place for place, name in enumerate(dict.fromkeys(record["doc_id"] for record in records))}
    language = file.name.split(".")[1]
    return Pool(
        language,
        tuple(Document(record["id"], record["context"], access_level="public") for record in records),
        tuple(
            Asked(question["question"], record["id"], groups[record["doc_id"]])
            for record in records
            for question in record["qas"]
        ),
    )


class Cached:
    """An embedder whose vectors are kept in a folder, one file for each text."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        self.fingerprint, self.dimension = embedder.fingerprint, embedder.dimension
        self._folder = folder / hashlib.sha256(self.fingerprint.encode()).hexdigest()[:12]
        self._folder.mkdir(parents=True, exist_ok=True)

    def path(self, kind: str, text: str) -> Path:
        return (
            self._folder
            / f"{kind}-{hashlib.sha256(text.strip().encode('utf-8', 'replace')).hexdigest()[:32]}.npy"
        )

    def documents(self, texts: Sequence[str]) -> np.ndarray:
        paths = [self.path("d", text) for text in texts]
        missing = [place for place, path in enumerate(paths) if not path.exists()]
        made = self._embedder.documents([texts[place] for place in missing]) if missing else ()
        for place, vector in zip(missing, made, strict=True):
            np.save(paths[place], vector)
        return np.array([np.load(path) for path in paths], dtype=np.float32).reshape(
            len(texts), self.dimension
        )

    def query(self, text: str) -> np.ndarray:
        path = self.path("q", text)
        if not path.exists():
            np.save(path, self._embedder.query(text))
        return np.load(path)


def build(folder: Path, name: str, documents: Sequence[Document], embedder: Embedder | None) -> SqliteStore:
    store = SqliteStore(folder / f"{name}.db")
    report = ingest(
        documents,
        store,
        cut=Cut(),
        embedder=embedder,
        default_access=AccessLevel.PUBLIC,
        clock=lambda: datetime(2026, 1, 1, tzinfo=UTC),
    )
    assert not report.failed, report.failed
    return store


# --- measures -----------------------------------------------------------------------------------


def recall(questions: Sequence[Asked], find: Callable[[Asked], Sequence[str]]) -> dict[str, float]:
    """``find`` gives document ids, best first."""
    firsts = fives = 0
    for asked in questions:
        found = find(asked)
        firsts += asked.answer in found[:1]
        fives += asked.answer in found[:5]
    count = max(1, len(questions))
    return {"r1": round(100 * firsts / count, 1), "r5": round(100 * fives / count, 1), "n": len(questions)}


def by_search(store: SqliteStore, run: Search) -> Callable[[Asked], list[str]]:
    return lambda asked: [hit.chunk.doc_id for hit in run(Question(asked.text, top_k=5), store)]


def by_shared_words(pool: Pool) -> Callable[[Asked], list[str]]:
    """The dumbest rule."""
    held = [(document.doc_id, set(terms(document.text))) for document in pool.documents]

    def find(asked: Asked) -> list[str]:
        words = set(terms(asked.text))
        return [name for name, _ in sorted(held, key=lambda item: -len(words & item[1]))[:5]]

    return find


def hybrid(embedder: Embedder | None) -> Search:
    """What the product does; by words alone without an embedder."""
    return lambda question, store: search(question, store, embedder=embedder)


def by_words(question: Question, store: SqliteStore) -> tuple[Hit, ...]:
    return search(question, store, mode="words")


def parts_alone(store: SqliteStore, embedder: Embedder) -> Callable[[Asked, str], list[str]]:
    """The same candidates in the order of one part: ``vectors`` alone or ``rrf``."""
    names: dict[int, str] = {}

    def find(asked: Asked, part: str) -> list[str]:
        question = Question(asked.text)
        by_words = candidates_by_words(question, detect_language(asked.text), store)
        found = candidates(question, store, embedder.query(asked.text), by_words, "rrf")
        order = found.keys[np.argsort(-(found.cosine if part == "vectors" else found.fused), kind="stable")][
            :5
        ]
        missing = [key for key in order.tolist() if key not in names]
        for key, (chunk, _) in zip(missing, store.load(missing, question.reader), strict=True):
            names[key] = chunk.doc_id
        return [names[key] for key in order.tolist()]

    return find


def measure(
    pools: dict[str, Pool], stores: dict[str, SqliteStore], embedder: Embedder | None, *, beside: bool
) -> dict[str, object]:
    crossed = [name for name in CROSS if name in pools and "en" in pools]
    found: dict[str, object] = {}

    def add(suffix: str, find_in: Callable[[str], Callable[[Asked], Sequence[str]]]) -> None:
        found[f"recall{suffix}"] = {
            name: recall(pool.questions, find_in(name)) for name, pool in pools.items()
        }
        if suffix != "_shared_words":
            cross = {f"{name}>en": recall(pools[name].questions, find_in("en")) for name in crossed}
            found[f"cross{suffix}"] = cross

    add("", lambda name: by_search(stores[name], hybrid(embedder)))
    if not beside:
        return found
    if embedder is not None:
        add("_words", lambda name: by_search(stores[name], by_words))
        for part in ("vectors", "rrf"):
            finds = {name: parts_alone(store, embedder) for name, store in stores.items()}
            add(f"_{part}", lambda name, part=part, finds=finds: partial(finds[name], part=part))
    add("_shared_words", lambda name: by_shared_words(pools[name]))
    return found


def measure_mixed(
    pools: dict[str, Pool], extra: Sequence[Document], folder: Path, embedder: Embedder | None
) -> dict[str, object]:
    """All languages in one index. ``own``: the paragraph in the question's language; ``any``: in whichever."""
    documents = [
        replace(document, doc_id=f"{language}:{document.doc_id}")
        for language, pool in pools.items()
        for document in pool.documents
    ]
    store = build(folder, "mixed", [*documents, *extra], embedder)
    run = hybrid(embedder)
    found: dict[str, object] = {"documents": len(documents) + len(extra)}
    for language, pool in pools.items():
        first_five = {asked: by_search(store, run)(asked) for asked in pool.questions}
        own = recall(pool.questions, partial(_without_other_languages, first_five, language))
        anyone = recall(pool.questions, partial(_without_language, first_five))
        first = [names[0].partition(":")[0] if names else "" for names in first_five.values()]
        share = 100 * sum(name == language for name in first) / max(1, len(first))
        found[language] = {"own": own, "any": anyone, "first_in_own_language": round(share, 1)}
    store.close()
    return found


def measure_only_in_english(
    pools: dict[str, Pool], folder: Path, embedder: Embedder | None
) -> dict[str, object]:
    """An index of even articles in the question's language and odd ones in English; questions on the odd ones."""
    found: dict[str, object] = {}
    odd = {question.answer for question in pools["en"].questions if question.group % 2}
    for name in CROSS:
        if name not in pools:
            continue
        english = [one for one in pools["en"].documents if one.doc_id in odd]
        own = [
            replace(one, doc_id=f"own:{one.doc_id}") for one in pools[name].documents if one.doc_id not in odd
        ]
        store = build(folder, f"only-{name}", [*english, *own], embedder)
        asked = [question for question in pools[name].questions if question.group % 2]
        found[f"{name}>en"] = recall(asked, by_search(store, hybrid(embedder)))
        store.close()
    return found


def _without_other_languages(hits: dict[Asked, list[str]], language: str, asked: Asked) -> list[str]:
    """Ids without their language; those of other languages stay as they are, and are wrong."""
    return [name.removeprefix(f"{language}:") for name in hits[asked]]


def _without_language(hits: dict[Asked, list[str]], asked: Asked) -> list[str]:
    return [name.partition(":")[2] for name in hits[asked]]


def docs_pages(data: Path, collections: Sequence[str] = ()) -> Iterator[Document]:
    """The pages of DATA/docs, of some collections or of all."""
    for file in sorted((data / "docs").glob("*.jsonl")):
        if collections and file.name.partition(".")[0] not in collections:
            continue
        for line in file.read_text("utf-8").splitlines():
            record = json.loads(line)
            name = f"docs:{file.stem}:{record['id']}"
            yield Document(
                name, record["markdown"], title=record["title"], format="markdown", access_level="public"
            )


# --- fitting ------------------------------------------------------------------------------------


def fit(pools: dict[str, Pool], stores: dict[str, SqliteStore], embedder: Embedder | None) -> None:
    """Fit on even articles, report on odd ones."""
    asked = [(pools[name], name, name) for name in pools] + [
        (pools[name], name, "en") for name in CROSS if name in pools
    ]
    if embedder is not None:
        fit_weight(asked, stores, embedder)
    words = list(samples([row for row in asked if row[1] == row[2]], stores, by_words))
    fit_evidence("words: hits in the question's language", words, lambda one: (1.0, math.sqrt(one.coverage)))
    if embedder is None:
        return
    background = backgrounds(pools, embedder)
    print(
        "\nbackground = {" + ", ".join(f'"{pair}" = {value:.3f}' for pair, value in background.items()) + "}"
    )
    both = list(samples(asked, stores, hybrid(embedder)))

    def above(one: Sample) -> float:
        same = one.question_language in (None, one.language)
        pair = f"{one.language if same else one.question_language}>{one.language}"
        return one.cosine - background.get(pair, background["same" if same else "other"])

    same = [one for one in both if one.question_language in (None, one.language)]
    other = [one for one in both if one.question_language not in (None, one.language)]
    fit_evidence("same language", same, lambda one: (1.0, math.sqrt(one.coverage), above(one)))
    fit_evidence("another language", other, lambda one: (1.0, math.sqrt(one.coverage), above(one)))
    print("\nby the bare cosine alone (AUC, odd articles):")
    for name, rows in (("same", same), ("other", other), ("all", both)):
        odd = [one for one in rows if one.group % 2]
        answers = np.array([one.answers for one in odd], dtype=float)
        bare, over = np.array([one.cosine for one in odd]), np.array([above(one) for one in odd])
        print(f"  {name:6} {auc(bare, answers):.3f}, less the background {auc(over, answers):.3f}")


def backgrounds(pools: dict[str, Pool], embedder: Embedder) -> dict[str, float]:
    """Mean cosine of a question and a passage that have nothing to do with each other, by their languages."""
    questions, passages = {}, {}
    for name, pool in pools.items():
        groups = {question.answer: question.group for question in pool.questions}
        even = [document.text for document in pool.documents if groups.get(document.doc_id, 1) % 2 == 0]
        questions[name] = np.mean(
            [embedder.query(q.text) for q in pool.questions if q.group % 2 == 0], axis=0
        )
        passages[name] = np.mean(embedder.documents(even), axis=0)
    table = {f"{a}>{b}": float(questions[a] @ passages[b]) for a in pools for b in pools}
    for name, same in (("same", True), ("other", False)):
        table[name] = float(np.mean([v for k, v in table.items() if (k[:2] == k[3:]) == same]))
    return table


def fit_weight(
    asked: Sequence[tuple[Pool, str, str]], stores: dict[str, SqliteStore], embedder: Embedder
) -> None:
    """r@1 by weight of the words, from the candidates of both searches; JSQuAD is left out of the means."""
    weights = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0)
    right: dict[tuple[float, int, bool], list[bool]] = {}
    for pool, name, target in asked:
        if name == "ja":
            continue
        store = stores[target]
        for question in pool.questions:
            put = Question(question.text)
            found = candidates(
                put, store, embedder, candidates_by_words(put, detect_language(put.text), store), "score"
            )
            for weight in weights:
                fused = fuse_scores(found.cosine, found.coverage, weight)
                ((chunk, _),) = store.load([int(found.keys[int(np.argmax(fused))])], put.reader)
                key = weight, question.group % 2, name != target
                right.setdefault(key, []).append(chunk.doc_id == question.answer)
    print(
        "weight of the words: r@1 in the question's language, of questions put to English; even | odd articles"
    )
    for weight in weights:
        shares = [100 * np.mean(right[weight, odd, cross]) for odd in (0, 1) for cross in (False, True)]
        print(
            f"{weight:4}  {shares[0]:5.1f} {shares[1]:5.1f} | {shares[2]:5.1f} {shares[3]:5.1f}", flush=True
        )


@dataclass(frozen=True)
class Sample:
    """A hit. ``group`` is the article of its question, ``first`` whether it is the first hit."""

    group: int
    coverage: float
    cosine: float
    question_language: str | None
    language: str | None
    answers: bool
    first: bool


def samples(
    asked: Sequence[tuple[Pool, str, str]], stores: dict[str, SqliteStore], run: Search
) -> Iterator[Sample]:
    """The first three hits of each question, and the best one once the question's article is taken away."""
    for pool, _, target in asked:
        groups = {question.answer: question.group for question in pool.questions}
        for question in pool.questions:
            hits = run(Question(question.text, top_k=20), stores[target])
            spoken = detect_language(question.text)
            for place, hit in enumerate(hits[:3]):
                yield _sample(question.group, spoken, hit, hit.chunk.doc_id == question.answer, place == 0)
            other = next((hit for hit in hits if groups.get(hit.chunk.doc_id) != question.group), None)
            if other is not None:
                yield _sample(question.group, spoken, other, False, True)


def _sample(group: int, spoken: str | None, hit: Hit, answers: bool, first: bool) -> Sample:
    cosine = hit.parts.get("cosine", math.nan)
    return Sample(group, hit.parts["coverage"], cosine, spoken, hit.document.language, answers, first)


def fit_evidence(
    name: str, found: Sequence[Sample], features_of: Callable[[Sample], tuple[float, ...]]
) -> None:
    """Logistic regression by Newton's method; how well it separates and how well it is calibrated, on odd articles."""
    found = [one for one in found if not any(math.isnan(value) for value in features_of(one))]
    features = np.array([features_of(one) for one in found])
    labels = np.array([one.answers for one in found], dtype=float)
    odd = np.array([one.group % 2 == 1 for one in found])
    even = ~odd
    weights = np.zeros(features.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-features[even] @ weights))
        slope = features[even].T @ (labels[even] - chance) - 1e-6 * weights
        bend = (features[even] * (chance * (1 - chance))[:, None]).T @ features[even] + 1e-6 * np.eye(
            len(weights)
        )
        weights = weights + np.linalg.solve(bend, slope)
    scores = 1 / (1 + np.exp(-features @ weights))
    print(f"\n[{name}] on odd articles: {int(odd.sum())} passages, {labels[odd].mean():.2f} of them answer")
    print("weights:", ", ".join(f"{weight:.3f}" for weight in weights))
    coverages = np.array([one.coverage for one in found])
    print(
        f"separates (AUC): {auc(scores[odd], labels[odd]):.3f}; coverage alone {auc(coverages[odd], labels[odd]):.3f}"
    )
    firsts = odd & np.array([one.first for one in found])
    for label, what in ((1, "answering first hits"), (0, "first hits that do not answer")):
        chosen = scores[firsts & (labels == label)]
        print(
            f"{what}: below 0.30 {100 * (chosen < 0.3).mean():.1f} %, median {np.median(chosen):.2f}, n {len(chosen)}"
        )
    print("calibration: evidence said, share that answers, passages")
    for low in np.arange(0, 1, 0.1):
        inside = odd & (scores >= low) & (scores < low + 0.1)
        if inside.any():
            print(f"  {scores[inside].mean():.2f}  {labels[inside].mean():.2f}  {int(inside.sum())}")


def auc(scores: np.ndarray, labels: np.ndarray) -> float:
    """Chance that a passage that answers scores higher than one that does not; ties count half."""
    ranks = np.empty(len(scores))
    order = np.argsort(scores, kind="stable")
    _, inverse, counts = np.unique(scores[order], return_inverse=True, return_counts=True)
    mean_rank = np.cumsum(counts) - (counts - 1) / 2
    ranks[order] = mean_rank[inverse]
    good = labels == 1
    return float((ranks[good].sum() - good.sum() * (good.sum() + 1) / 2) / max(1, good.sum() * (~good).sum()))


# --- command ------------------------------------------------------------------------------------


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--embedder", default="local", help="a kind of EMBEDDERS, with :MODEL, or none")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "pincite-vectors")
    parser.add_argument("--languages", nargs="+", help="only these")
    parser.add_argument("--limit", type=int, help="about this many questions of each language, evenly spread")
    parser.add_argument("--beside", action="store_true", help="other ways beside it, also with --json")
    parser.add_argument(
        "--docs",
        nargs="*",
        metavar="COLLECTION",
        help="put the pages of DATA/docs, or these collections, into the mixed index too",
    )
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()
    kind, _, model = options.embedder.partition(":")
    embedder = None if kind == "none" else Cached(EMBEDDERS[kind](EmbedderOptions(model)), options.cache)
    files = [*options.data.glob("xquad/xquad.*.jsonl"), *options.data.glob("jsquad/jsquad.*.jsonl")]
    pools = {pool.language: pool for pool in map(read_pool, files)}
    order = [name for name in (*LANGUAGES, *sorted(pools)) if name in pools]
    pools = {name: pools[name] for name in dict.fromkeys(order) if name in (options.languages or order)}
    if options.limit:
        pools = {
            name: replace(pool, questions=pool.questions[:: max(1, len(pool.questions) // options.limit)])
            for name, pool in pools.items()
        }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stores = {
            language: build(folder, language, pool.documents, embedder) for language, pool in pools.items()
        }
        if options.fit:
            fit(pools, stores, embedder)
            return
        beside = options.beside or not options.json
        found = measure(pools, stores, embedder, beside=beside)
        extra = list(docs_pages(options.data, options.docs)) if options.docs is not None else []
        found["mixed"] = measure_mixed(pools, extra, folder, embedder)
        if beside and "en" in pools:
            found["only_in_english"] = measure_only_in_english(pools, folder, embedder)
        for store in stores.values():
            store.close()
    if options.json:
        json.dump(found, sys.stdout, indent=1)
        print()
        return
    for part, rows in found.items():
        print(part)
        for key, row in rows.items() if isinstance(rows, dict) else ():
            print(f"  {key:6} {row}")
        if part.startswith("recall"):
            chosen = [rows[key]["r1"] for key in LANGUAGES if key in rows]  # type: ignore[index]
            print(f"  mean r@1 over {' '.join(LANGUAGES)}: {sum(chosen) / max(1, len(chosen)):.1f}")


if __name__ == "__main__":
    main()
