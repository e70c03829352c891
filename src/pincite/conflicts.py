"""Sources that do not say the same: which passages, what each says, and which of them is the newer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from pincite.answer import GOOD, Conflict
from pincite.context import Context, Source
from pincite.ports import ClaimTask, Judge, Judgement, Passage
from pincite.text.words import content_words, terms
from pincite.types import Difference, Sentence, Support

_VALUES = frozenset({"number", "unit", "date", "currency"})
_SUBJECTS = frozenset({"name"})
"""A passage that names something else speaks of something else: the Pro plan does not contradict the Basic one."""

MAX_COMPARED = 20
"""Passages that one sentence is compared with, so that many sentences and sources do not cost their product."""


def find_conflicts(sentences: Sequence[Sentence], context: Context, judge: Judge) -> tuple[Conflict, ...]:
    """Pairs of passages of which one backs a sentence and the other differs from it in one fact.

    Of what a sentence cites, the checks have said it. Every other passage of the context, of another document, is judged
    against the sentence when it has all its words; it counts when it contradicts a single value and speaks of nothing
    else. That finds passages cited by other sentences and those that were retrieved and left aside, such as a stale
    article. Pass a quick judge.

    Returns:
        In each, the newer document first; in order of the sentences, each pair of values once for two documents.
    """
    found: list[_Pair] = []
    open_pairs: list[_Pair] = []
    held = {source.id: _words_of(source) for source in context.sources.values()}
    for sentence in sentences:
        backing = _backing(sentence, context)
        if backing is None or not sentence.factual:
            continue
        found += _checked(sentence, context, backing)
        wanted = {
            language: _words(sentence.text, language)
            for language in dict.fromkeys(_language(source) for source in context.sources.values())
        }
        others = (
            other
            for other in _others(sentence, context, backing)
            if wanted[_language(other)] <= held[other.id]
        )
        open_pairs += [_Pair(sentence, backing, other) for other in islice(others, MAX_COMPARED)]
    tasks = [pair.task for pair in open_pairs]
    for pair, judgement in zip(open_pairs, judge(tasks) if tasks else (), strict=True):
        said = _single_value(judgement)
        if said is not None and _is_same_subject(pair, judgement):
            found.append(replace(pair, said=said))
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
    def task(self) -> ClaimTask:
        passage = Passage(self.other.id, self.other.view.text, language=_language(self.other))
        return ClaimTask(self.sentence.text, (passage,))

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
    known = {check.citation_id for check in sentence.verdict.checks} | set(sentence.verdict.backed_by)
    for source in context.sources.values():
        if (
            source.id not in known
            and source.hit.document.doc_id != backing.hit.document.doc_id
            and source.searchable
        ):
            yield source


def _single_value(judgement: Judgement) -> Difference | None:
    """The one value in which a passage contradicts a sentence; ``None`` when there is another difference that counts."""
    if judgement.support is not Support.CONTRADICTED:
        return None
    changed = [one for one in judgement.differences if one.answer and one.source]
    values = [one for one in changed if one.kind in _VALUES]
    if any(one.kind in _SUBJECTS for one in judgement.differences) or len(values or changed) != 1:
        return None
    return (values or changed)[0]


def _is_same_subject(pair: _Pair, judgement: Judgement) -> bool:
    """Whether nothing stands in the place of something else: standard shipping is not express shipping.

    Words of the value aside, what contradicts the sentence says no more than the sentence and what backs it; that all the
    sentence's words stand in it was seen before. Of headings that share a word none has one more than the other and one
    less ("Basic plan", "Pro plan").
    """
    other, backing = pair.other, pair.backing
    spans = [span for part in judgement.passages for span in part.spans]
    theirs = _words(" ".join(span.of(other.view.text) for span in spans), _language(other))
    if not theirs <= _words(pair.sentence.text, _language(other)) | _words_of(backing):
        return False
    own, their = (
        _words(" ".join(source.chunk.section[-1:]), _language(source)) for source in (backing, other)
    )
    return not (own & their and own - their and their - own)


def _language(source: Source) -> str | None:
    return source.hit.document.language


def _words_of(source: Source) -> frozenset[str]:
    return _held(source.view.text, _language(source))


@lru_cache(maxsize=1024)
def _held(text: str, language: str | None) -> frozenset[str]:
    """All words of a passage; those that say little do no harm where others are looked up in them."""
    return frozenset(terms(text, language))


def _words(text: str, language: str | None) -> frozenset[str]:
    """Content words without figures."""
    found = (word.term for word in content_words(text, language))
    return frozenset(term for term in found if not any(map(str.isdigit, term)))


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
