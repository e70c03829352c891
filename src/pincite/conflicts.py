"""Sources that do not say the same: which passages, what each says, and which of them is the newer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from pincite.answer import GOOD, Conflict
from pincite.context import Context, Source
from pincite.findings import Difference, Sentence, Support

Differ = Callable[[str, str, str | None], Difference | None]
"""Of a sentence, a passage and its language: the one value in which they differ while both speak of the same matter."""

MAX_COMPARED = 20
"""Passages that one sentence is compared with, so that many sentences and sources do not cost their product."""


def find_conflicts(sentences: Sequence[Sentence], context: Context, differ: Differ) -> tuple[Conflict, ...]:
    """Pairs of passages of which one backs a sentence and the other differs from it in one fact.

    Of what a sentence cites, the checks have said it. Every other passage of the context, of another document, is compared
    with the sentence: the nearest 20 when there are more. That finds passages cited by other sentences and those that were
    retrieved and left aside, such as a stale article.

    Returns:
        In each, the newer document first; in order of the sentences, each pair of values once for two documents.
    """
    found: list[_Pair] = []
    for sentence in sentences:
        backing = _backing(sentence, context)
        if backing is None or not sentence.factual:
            continue
        found += _checked(sentence, context, backing)
        for other in islice(_others(sentence, context, backing), MAX_COMPARED):
            said = differ(sentence.text, other.view.text, other.hit.document.language)
            if said is not None and not _has_other_heading(backing, other):
                found.append(_Pair(sentence, backing, other, said))
    conflicts: dict[object, Conflict] = {}
    for pair in sorted(found, key=lambda one: one.sentence.index):
        conflicts.setdefault(pair.key, _conflict(pair.backing, pair.other, pair.said))
    return tuple(conflicts.values())


@dataclass(frozen=True, slots=True)
class _Pair:
    """A passage that backs a sentence and another one; ``said`` is the value in which they differ, if it is known."""

    sentence: Sentence
    backing: Source
    other: Source
    said: Difference | None = None

    @property
    def key(self) -> object:
        """Equal for the same values of the same documents, whichever of them the sentence rests on."""
        if self.said is None:
            return self.sentence.index, self.backing.id, self.other.id
        ours, theirs = self.backing.hit.document.doc_id, self.other.hit.document.doc_id
        return frozenset(((ours, self.said.answer), (theirs, self.said.source)))


def _backing(sentence: Sentence, context: Context) -> Source | None:
    """The first passage that backs the sentence: one it cites, else one that says it all the same."""
    checks = sentence.verdict.checks
    cited = [check.citation_id for check in checks if check.status in GOOD]
    loose = [check.citation_id for check in checks if check.support is Support.SUPPORTED]
    ids = (*cited, *loose, *sentence.verdict.backed_by)
    return next((context.sources[one] for one in ids if one in context.sources), None)


def _checked(sentence: Sentence, context: Context, backing: Source) -> Iterator[_Pair]:
    for check in sentence.verdict.checks:
        other = context.sources.get(check.citation_id)
        if check.support is Support.CONTRADICTED and other is not None and other is not backing:
            yield _Pair(sentence, backing, other, next(iter(check.differences), None))


def _others(sentence: Sentence, context: Context, backing: Source) -> Iterator[Source]:
    told = (Support.SUPPORTED, Support.CONTRADICTED)
    known = {check.citation_id for check in sentence.verdict.checks if check.support in told}
    known |= set(sentence.verdict.backed_by)
    for source in context.nearest(sentence.text):
        if source.id not in known and source.hit.document.doc_id != backing.hit.document.doc_id:
            yield source


def _has_other_heading(backing: Source, other: Source) -> bool:
    """Of headings that share a word, each has one that the other lacks: "Basic plan", "Pro plan"."""
    own, their = (
        frozenset(" ".join(source.chunk.section[-1:]).casefold().split()) for source in (backing, other)
    )
    return bool(own & their and own - their and their - own)


# --- dates --------------------------------------------------------------------------------------


def _conflict(backing: Source, other: Source, said: Difference | None) -> Conflict:
    sides = [(backing, said.answer if said else ""), (other, said.source if said else "")]
    # Stable: of the same date, or without dates, what the answer rests on stands first.
    sides.sort(key=lambda side: side[0].hit.document.published_date or "", reverse=True)
    (newer, first), (older, second) = sides
    dates = (newer.hit.document.published_date, older.hit.document.published_date)
    superseded = next((one.id for one, _ in reversed(sides) if one.hit.document.status != "current"), None)
    is_dated = bool(dates[0] and dates[1] and dates[0] != dates[1])
    names = (_named(newer), _named(older, "older" if is_dated else ""))
    if said:
        reason = f"{names[0]} says {first}; {names[1]} says {second}."
    else:
        reason = f"{names[0]} and {names[1]} do not say the same."
    return Conflict((newer.id, older.id), (first, second), dates, reason, superseded)


def _named(source: Source, age: str = "") -> str:
    document = source.hit.document
    status = document.status if document.status != "current" else age
    described = ", ".join(part for part in (document.published_date or "undated", status) if part)
    return f"{document.url or document.title or document.doc_id} ({described})"
