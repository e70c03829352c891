"""Does the rules judge tell right paraphrases from changed facts and from what a source does not say?

    python benchmarks/claims.py                  tables on the screen (Markdown)
    python benchmarks/claims.py --json           the same as JSON
    python benchmarks/claims.py --fails [HALF]   the wrong ones: even (default), odd or all

Records: ``tests/claims/<language>.jsonl`` (README there). The judge gets claim and evidence texts only. Tune on the even
half (last bit of the SHA-256 of ``id``), report the odd one. Right is: a paraphrase is ``supported``; a changed or
unsupported claim is anything but ``supported``. Beside it the dumbest rule: word overlap > 0.3.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pincite.checks.rules import rules
from pincite.findings import Support
from pincite.ports import ClaimTask, Judgement, Passage
from pincite.text.words import content_words

CLAIMS = Path(__file__).parent.parent / "tests" / "claims"
LANGUAGES = ("en", "de", "es", "fr", "ja", "zh", "ar", "hi")
HALVES = ("even", "odd")
KINDS = ("paraphrase", "changed", "unsupported")
STATUSES = ("supported", "partial", "contradicted", "unsupported", "unchecked")
OVERLAP = 0.3


@dataclass(frozen=True, slots=True)
class Record:
    """A line of the tables. ``sort`` is the sort of changed fact, empty for the other kinds."""

    id: str
    language: str
    kind: str
    sort: str
    evidence: str
    claim: str
    is_supported: bool
    note: str

    @property
    def half(self) -> str:
        return HALVES[hashlib.sha256(self.id.encode()).digest()[-1] % 2]


@dataclass(frozen=True, slots=True)
class Judged:
    """A record with what the judge and the dumbest rule say of it."""

    record: Record
    judgement: Judgement
    overlaps: bool

    @property
    def is_right(self) -> bool:
        return (self.judgement.support == Support.SUPPORTED) == self.record.is_supported


def read(language: str) -> tuple[Record, ...]:
    lines = (CLAIMS / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(_record(json.loads(line), language) for line in lines)


def _record(raw: dict[str, str], language: str) -> Record:
    kind, _, rest = raw["note"].partition(": ")
    sort = rest.partition(": ")[0] if kind == "changed" else ""
    assert kind in KINDS, raw["id"]
    return Record(
        raw["id"],
        language,
        kind,
        sort,
        raw["evidence"],
        raw["claim"],
        raw["expected"] == "supported",
        raw["note"],
    )


def judge(record: Record) -> Judged:
    """One task at a time, so that no claim can lean on another."""
    (judgement,) = rules([ClaimTask(record.claim, (Passage("c-1", record.evidence),))])
    return Judged(record, judgement, overlap(record) > OVERLAP)


def overlap(record: Record) -> float:
    """Share of the claim's words that the evidence has."""
    claim = {token.term for token in content_words(record.claim, record.language)}
    source = {token.term for token in content_words(record.evidence, record.language)}
    return len(claim & source) / len(claim) if claim else 0.0


# --- report -------------------------------------------------------------------------------------


def matrix(judged: Sequence[Judged]) -> dict[str, dict[str, int]]:
    """For each kind how often each status was given, how often the dumbest rule says yes, and ``n``."""
    out: dict[str, dict[str, int]] = {}
    for kind in KINDS:
        group = [one for one in judged if one.record.kind == kind]
        counts = Counter(one.judgement.support.value for one in group)
        out[kind] = {status: counts[status] for status in STATUSES}
        out[kind] |= {"overlap": sum(one.overlaps for one in group), "n": len(group)}
    return out


def rates(judged: Sequence[Judged]) -> dict[str, float]:
    """Percentages. ``balanced`` is the mean of right among the right claims and right among the wrong ones."""
    right = [one for one in judged if one.record.is_supported]
    wrong = [one for one in judged if not one.record.is_supported]
    found = _share(right, lambda one: one.is_right)
    passed = _share(wrong, lambda one: not one.is_right)
    naive = _share(right, lambda one: one.overlaps) + 100 - _share(wrong, lambda one: one.overlaps)
    not_red = [one for one in judged if one.record.kind != "changed"]
    return {
        "right_supported": found,
        "wrong_supported": passed,
        "wrong_red": _share(not_red, lambda one: one.judgement.support == Support.CONTRADICTED),
        "balanced": round((found + 100 - passed) / 2, 1),
        "balanced_overlap": round(naive / 2, 1),
    }


def _share(judged: Sequence[Judged], test: Callable[[Judged], bool]) -> float:
    return round(100 * sum(map(test, judged)) / len(judged), 1)


def sorts(judged: Sequence[Judged]) -> dict[str, dict[str, int]]:
    """For each sort of changed fact how often each status was given."""
    names = sorted({one.record.sort for one in judged if one.record.sort})
    out: dict[str, dict[str, int]] = {}
    for name in names:
        group = [one for one in judged if one.record.sort == name]
        counts = Counter(one.judgement.support.value for one in group)
        out[name] = {status: counts[status] for status in STATUSES} | {"n": len(group)}
    return out


def report(judged: Sequence[Judged]) -> dict[str, object]:
    out: dict[str, object] = {}
    for half in HALVES:
        mine = [one for one in judged if one.record.half == half]
        by_language = {name: [one for one in mine if one.record.language == name] for name in LANGUAGES}
        by_language["all"] = mine
        out[half] = {
            "matrix": {name: matrix(group) for name, group in by_language.items()},
            "rates": {name: rates(group) for name, group in by_language.items()},
            "changed": sorts(mine),
        }
    return out


def print_report(judged: Sequence[Judged]) -> None:
    for half in HALVES:
        mine = [one for one in judged if one.record.half == half]
        groups = {name: [one for one in mine if one.record.language == name] for name in LANGUAGES}
        groups["all"] = mine
        print(f"### {half} half\n")
        _print_row("language", "claims", "n", *STATUSES, "overlap > 0.3 says yes")
        _print_row(*["---"] * 9)
        for name, group in groups.items():
            for kind, counts in matrix(group).items():
                _print_row(name, kind, counts["n"], *(counts[s] for s in STATUSES), counts["overlap"])
        print()
        _print_row("language, %", "right ones supported", "wrong ones supported", "wrong red", "balanced", "balanced, overlap")  # fmt: skip
        _print_row(*["---"] * 6)
        for name, group in groups.items():
            _print_row(name, *rates(group).values())
        print()
        _print_row("changed fact", "n", *STATUSES)
        _print_row(*["---"] * 7)
        for name, counts in sorts(mine).items():
            _print_row(name, counts["n"], *(counts[s] for s in STATUSES))
        print()


def _print_row(*cells: object) -> None:
    print("|", " | ".join(map(str, cells)), "|")


def print_fails(judged: Sequence[Judged], half: str) -> None:
    for one in judged:
        if one.is_right or half not in ("all", one.record.half):
            continue
        record, found = one.record, one.judgement
        print(f"{record.id}: {found.support.value} {found.score:.2f} ({found.reason})")
        print(f"  note      {record.note}")
        print(f"  claim     {record.claim}")
        print("  evidence  " + record.evidence.replace("\n", "\n            "))
        for difference in found.differences:
            print(f"  differs   {difference}")
        print()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--fails", nargs="?", const="even", choices=(*HALVES, "all"))
    args = parser.parse_args()
    judged = [judge(record) for language in LANGUAGES for record in read(language)]
    if args.fails:
        print_fails(judged, args.fails)
    elif args.json:
        print(json.dumps(report(judged), indent=2))
    else:
        print_report(judged)


if __name__ == "__main__":
    main()
