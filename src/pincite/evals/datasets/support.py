"""Labelled claims: is the claim backed by its evidence? Seven public sets, and four of sentences known to be right.

Fields that give the label away (ids with a suffix, the unedited claim, the user's message) are never read. The kind
of an edit is kept apart as ``tags``, for tables only. ``pairs`` and ``kept`` read the folder that
``data/README.md`` describes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pincite.claims import parse_claims
from pincite.text.sentences import split_sentences


@dataclass(frozen=True, slots=True)
class Example:
    """A claim and its evidence texts. ``group`` is its source: all claims of one source share it.

    ``supported`` and ``tags`` are for scoring; nothing of them may reach a checker.
    """

    group: str
    language: str
    claim: str
    evidence: tuple[str, ...]
    supported: bool
    tags: tuple[str, ...] = ()

    @property
    def is_even(self) -> bool:
        """Whether the source belongs to the half that may be fitted on (SHA-256 of its name is even)."""
        return hashlib.sha256(self.group.encode("utf-8")).digest()[-1] % 2 == 0


def pairs(data: Path) -> dict[str, tuple[Example, ...]]:
    """The seven labelled sets by name, each in file order."""
    return {name: tuple(load(data)) for name, load in _PAIRS.items()}


def kept(data: Path) -> dict[str, tuple[Example, ...]]:
    """Sentences that people wrote or rated as faithful to their evidence, by set, each in file order."""
    return {name: tuple(load(data)) for name, load in _KEPT.items()}


def verbatim(data: Path) -> dict[str, tuple[Example, ...]]:
    """Sentences of a passage against that passage, by set and language, of texts in 21 languages."""
    found: dict[str, tuple[Example, ...]] = {}
    for path in sorted((data / "xquad").glob("*.jsonl")) + sorted((data / "jsquad").glob("*.jsonl")):
        found[path.name.removesuffix(".jsonl")] = tuple(_own(path, "context", 8))
    found["clapnq.en"] = tuple(_own(data / "clapnq" / "clapnq.en.jsonl", "passage", 4))
    for path in sorted((data / "docs").glob("*.jsonl")):
        found[f"docs.{path.name.removesuffix('.jsonl')}"] = tuple(_own(path, "markdown", 12))
    return found


def markdown_table(rows: list[list[str]]) -> str:
    """Rows of cells, the first being the header, as a Markdown table.

    >>> print(markdown_table([["plan", "price"], ["Plus", "5 EUR"]]))
    | plan | price |
    |---|---|
    | Plus | 5 EUR |
    """
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def _records(path: Path) -> Iterator[Any]:  # JSON of somebody else's shape
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _summedits(data: Path) -> Iterator[Example]:
    texts = {doc["doc_id"]: doc["text"] for doc in _records(data / "summedits" / "summedits.docs.jsonl")}
    for row in _records(data / "summedits" / "summedits.claims.jsonl"):
        text = texts[row["doc_id"]]
        tags = tuple(row["edit_types"]) or (("unedited_or_harmless",) if row["label"] == "supported" else ())
        yield Example(row["doc_id"], row["lang"], row["claim"], (text,), row["label"] == "supported", tags)


def _fm2(data: Path) -> Iterator[Example]:
    for row in _records(data / "fm2" / "fm2.en.jsonl"):
        evidence = tuple(piece["text"] for piece in row["gold_evidence"])
        yield Example(row["page"], row["lang"], row["claim"], evidence, row["label"] == "supported")


def _fever_symmetric(data: Path) -> Iterator[Example]:
    for row in _records(data / "fever_symmetric" / "fever_symmetric.en.jsonl"):
        yield Example(
            row["group"], row["lang"], row["claim"], (row["evidence"],), row["label"] == "supported"
        )


def _begin(data: Path) -> Iterator[Example]:
    for row in _records(data / "begin" / "begin_wow.en.jsonl"):
        if row["label"] != "generic":
            evidence = row["evidence"]
            yield Example(evidence, row["lang"], row["response"], (evidence,), row["label"] == "supported")


def _nli(name: str) -> Callable[[Path], Iterator[Example]]:
    def load(data: Path) -> Iterator[Example]:
        (path,) = (data / name).glob("*.jsonl")
        for row in _records(path):
            evidence = row["evidence"]
            yield Example(
                evidence, row["lang"], row["claim"], (evidence,), row["label"] == "supported", (row["label"],)
            )

    return load


def _tabfact(data: Path) -> Iterator[Example]:
    for row in _records(data / "tabfact" / "tabfact.en.jsonl"):
        table = markdown_table(row["table"])
        text = table if row["caption"] == "none" else f"{row['caption']}\n\n{table}"
        for statement in row["statements"]:
            supported = statement["label"] == "supported"
            yield Example(row["id"], row["lang"], statement["text"], (text,), supported)


def _sentences(text: str) -> Iterator[str]:
    """The sentences that would be checked: no greetings, questions, lead-ins or refusals."""
    for claim in parse_claims(text, {}).claims:
        if claim.factual and any(char.isalnum() for char in claim.text):
            yield claim.text


def _kept_clapnq(data: Path) -> Iterator[Example]:
    for row in _records(data / "clapnq" / "clapnq.en.jsonl"):
        evidence = (f"{row['title']}\n\n{row['passage']}",)
        for answer in row["answers"] if row["answerable"] else ():
            for sentence in _sentences(answer["answer"]):
                yield Example(row["title"], row["lang"], sentence, evidence, True)


def _kept_quotesum(data: Path) -> Iterator[Example]:
    for row in _records(data / "quotesum" / "quotesum.en.jsonl"):
        evidence = tuple(f"{source['title']}\n\n{source['text']}" for source in row["sources"])
        for sentence in _sentences(row["answer"]):
            yield Example(row["qid"], row["lang"], sentence, evidence, True)


def _kept_mtrag(data: Path) -> Iterator[Example]:
    for row in _records(data / "mtrag" / "mtrag_human_eval.en.jsonl"):
        evidence = tuple(context["text"] for context in row["contexts"])
        group = row["id"].rsplit("-", 1)[0]
        for response in row["responses"]:
            ratings = response["human"]["faithfulness"]
            if evidence and ratings and all(rating == 4 for rating in ratings):
                for sentence in _sentences(response["response"]):
                    yield Example(group, row["lang"], sentence, evidence, True)


def _kept_begin(data: Path) -> Iterator[Example]:
    return (example for example in _begin(data) if example.supported)


def _own(path: Path, key: str, most: int) -> Iterator[Example]:
    """Up to ``most`` sentences of every text, evenly spread."""
    for number, row in enumerate(_records(path)):
        text = row[key][:6000]
        spans = [s for s in split_sentences(text) if any(char.isalnum() for char in s.of(text))]
        step = max(1, -(-len(spans) // most))
        for span in spans[number % step :: step]:
            yield Example(f"{path.name}/{number}", row["lang"], span.of(text), (text,), True)


_PAIRS: dict[str, Callable[[Path], Iterator[Example]]] = {
    "summedits": _summedits,
    "fm2": _fm2,
    "fever_symmetric": _fever_symmetric,
    "begin": _begin,
    "tabfact": _tabfact,
    "klue_nli": _nli("klue_nli"),
    "jnli": _nli("jnli"),
}

_KEPT: dict[str, Callable[[Path], Iterator[Example]]] = {
    "clapnq": _kept_clapnq,
    "quotesum": _kept_quotesum,
    "mtrag": _kept_mtrag,
    "begin": _kept_begin,
}
