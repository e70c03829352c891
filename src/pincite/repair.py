"""What happens to a sentence that did not pass: point it right, ask once more, or take it out.

After every change the sentence is checked again by the caller; nothing here decides that a sentence holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pincite.answer import GOOD
from pincite.context import Context
from pincite.findings import CitationCheck, CitationStatus, Claim, Pointer, QuoteMatchKind, Sentence, Support
from pincite.prompts import FEEDBACK
from pincite.quotes import match_quote
from pincite.text.words import content_words, detect_language
from pincite.types import Span, Statement

SHOWN = frozenset({Support.SUPPORTED, Support.PARTIAL, Support.UNCHECKED})
"""Sentences with this support may be shown; partial and unchecked ones are marked."""

_FAILED = frozenset(
    {
        CitationStatus.INVALID,
        CitationStatus.CONTRADICTED,
        CitationStatus.MISATTRIBUTED,
        CitationStatus.UNVERIFIED,
    }
)


def holds(sentence: Sentence, *, require_citation: bool = True, show_partial: bool = True) -> bool:
    """Whether the sentence may be shown as it stands.

    A heading, lead-in or courtesy may, unless a passage contradicts it or none has its amount. A factual sentence
    needs a citation; no citation of it may have failed, and no passage may contradict it.
    Partial support is shown when ``show_partial`` (its unsupported words are marked then), most words are borne and
    no figure or negation of it is missing in the sources.
    """
    if not sentence.factual and not sentence.verdict.checks:
        return sentence.support not in (Support.CONTRADICTED, Support.UNSUPPORTED)
    if sentence.support is Support.PARTIAL:
        backed = any(_backs_part(check) for check in sentence.verdict.checks)
        return show_partial and backed and _is_mostly_borne(sentence) and not _says_another_fact(sentence)
    if sentence.support not in SHOWN:
        return False
    if not sentence.verdict.checks:
        return not require_citation
    return not any(check.status in _FAILED for check in sentence.verdict.checks)


_FACTS = frozenset({"number", "unit", "currency", "date", "negation", "opposite", "comparator"})
"""Kinds of difference that no marking of words makes harmless: a reader acts on the figure."""


def _says_another_fact(sentence: Sentence) -> bool:
    return any(one.kind in _FACTS and one.answer for one in sentence.verdict.differences)


def evades_checks(sentence: Sentence, context: Context, language: str | None) -> bool:
    """Whether nothing was checked only because the model wrote in another language than question and source have.

    A translation for the reader may stand unchecked; a sentence that nobody asked to be translated may not.
    """
    if sentence.support is not Support.UNCHECKED or language is None or not sentence.citations:
        return False
    sources = {context.sources[one].hit.document.language for one in sentence.citations}
    return sources == {language} and detect_language(sentence.text) not in (language, None)


# What a reader may follow or open; the last is the name of a host or file.
_ADDRESS = re.compile(
    r"(?i:https?://|www\.)[^\s()<>]{1,200}|[^\s@()<>]{1,80}@[\w.-]{1,80}|(?<![\w.-])[\w-]{1,60}\.[a-z]{2,10}\b"
)
_DIGITS = re.compile(r"\d{3,}")


def seen_text(question: str, context: Context) -> str:
    """All that a reader may know an address from, folded: the question, and the passages with what is said of them."""
    parts = [question]
    for source in context.sources.values():
        document = source.hit.document
        parts += [source.view.text, document.title, document.url, document.published_date or ""]
    return "\n".join(parts).casefold()


def brings_an_address(sentence: Sentence, seen: str) -> bool:
    """Whether the sentence has a link, an e-mail address or the name of a host or file that is nowhere in ``seen``; in
    a heading, lead-in or question, whose words nobody checks, also a number to call."""
    addresses = _ADDRESS.findall(sentence.text)
    if not sentence.factual:
        addresses += _DIGITS.findall(sentence.text)
    return any(one.casefold().rstrip(".,;:!?") not in seen for one in addresses)


def _is_mostly_borne(sentence: Sentence) -> bool:
    """Whether more than half of the words that say something stand in the sources too: "The gym has a lake" has its
    subject alone from them."""
    unborne = [span.shift(-sentence.span.start) for span in sentence.verdict.unsupported_words]
    words = content_words(sentence.text, detect_language(sentence.text))
    missing = sum(any(word.span.overlaps(span) for span in unborne) for word in words) if unborne else 0
    return 2 * missing < len(words) or not words


def _backs_part(check: CitationCheck) -> bool:
    """An unverified citation of a partly supported sentence that does hold part of it."""
    return check.status in GOOD or (
        check.status is CitationStatus.UNVERIFIED and check.support is Support.PARTIAL
    )


def repoint(sentence: Sentence, context: Context) -> Claim | None:
    """Point a citation at the passage that says it or that holds its quote, and give an uncited sentence the one that
    backs it.

    Returns:
        The claim with other pointers, to be judged again, or ``None`` when there is nothing to change.
    """
    claim = sentence.claim
    by_chunk = {source.chunk.chunk_id: source.id for source in context.sources.values()}
    moved = {
        check.citation_id: by_chunk[check.suggested_chunk_id]
        for check in sentence.verdict.checks
        if check.status is CitationStatus.MISATTRIBUTED and check.suggested_chunk_id in by_chunk
    }
    for check, pointer in zip(sentence.verdict.checks, claim.pointers, strict=False):
        if (
            check.citation_id not in moved
            and check.status in _QUOTE_MISSED
            and pointer.id == check.citation_id
        ):
            holder = _holder_of_quote(pointer, context)
            if holder is not None:
                moved[check.citation_id] = holder
    if moved:
        pointers = (
            replace(pointer, id=moved[pointer.id], known=True) if pointer.id in moved else pointer
            for pointer in claim.pointers
        )
        return replace(claim, pointers=_distinct(pointers))
    if sentence.factual and not claim.cited_ids and sentence.verdict.backed_by:
        added = Pointer(sentence.verdict.backed_by[0], claim.span.end)
        return replace(claim, pointers=(*(pointer for pointer in claim.pointers if pointer.known), added))
    return None


_QUOTE_MISSED = frozenset({CitationStatus.UNVERIFIED, CitationStatus.INVALID})
_WORD_FOR_WORD = frozenset({QuoteMatchKind.EXACT, QuoteMatchKind.NORMALIZED})
_MIN_QUOTE_CHARS = 12
"""A shorter quote, such as "30 days", stands in many passages and names none."""


def _holder_of_quote(pointer: Pointer, context: Context) -> str | None:
    """The only passage beside the cited one that has the quote word for word."""
    quote = (pointer.quote or "").strip()
    if len(quote) < _MIN_QUOTE_CHARS:
        return None
    holders = [
        source.id
        for source in context.nearest(quote)
        if source.id != pointer.id
        and match_quote(quote, source.view.text, language=source.hit.document.language).kind in _WORD_FOR_WORD
    ]
    return holders[0] if len(holders) == 1 else None


def without_failed_markers(sentence: Sentence) -> Claim | None:
    """The claim without the pointers whose check failed; ``None`` when no pointer would be left or none failed.

    What is left must support the *whole* sentence: the caller has it judged again.
    """
    bad = {check.citation_id for check in sentence.verdict.checks if check.status in _FAILED}
    kept = tuple(pointer for pointer in sentence.claim.pointers if pointer.id not in bad)
    if not kept or len(kept) == len(sentence.claim.pointers):
        return None
    return replace(sentence.claim, pointers=kept)


def without_failed_quotes(sentence: Sentence) -> Claim | None:
    """The claim with its pointers as they are but without the quotes that are nowhere in what they cite; ``None`` when
    all were found. The passage itself must then support the sentence: the caller has it judged again."""
    missed = {
        check.citation_id
        for check in sentence.verdict.checks
        if check.status is CitationStatus.UNVERIFIED and check.quote_match is QuoteMatchKind.NONE
    }
    if not any(pointer.quote and pointer.id in missed for pointer in sentence.claim.pointers):
        return None
    pointers = tuple(
        replace(pointer, quote=None) if pointer.id in missed else pointer
        for pointer in sentence.claim.pointers
    )
    return replace(sentence.claim, pointers=pointers)


def reworded(claim: Claim, text: str) -> Claim:
    """The claim with the end of its text, ``text``, as a text of its own: what stood before it is gone."""
    cut = len(claim.text) - len(text)
    by = claim.span.start + cut

    def moved(span: Span) -> Span:
        return Span(max(0, span.start - by), max(0, span.end - by))

    pointers = (
        replace(
            pointer,
            at=max(0, pointer.at - by),
            clause=None if pointer.clause is None else moved(pointer.clause),
        )
        for pointer in claim.pointers
    )
    return replace(claim, text=text, span=Span(0, len(text)), pointers=tuple(pointers))


def feedback(sentences: Sequence[Sentence]) -> str:
    """What the one retry says: a line for each citation that failed, and why (source 004)."""
    lines = []
    for sentence in sentences:
        bad = [check for check in sentence.verdict.checks if check.status in _FAILED]
        for check in bad:
            lines.append(
                f"{FEEDBACK.format(claim=repr(sentence.text), id=check.citation_id)} {check.reason}".strip()
            )
        if not bad:
            asked = (
                " Write it in the language of the question." if sentence.support is Support.UNCHECKED else ""
            )
            lines.append(f"Claim {sentence.text!r}: {sentence.reason}{asked}")
    return "\n".join(lines)


def paired(
    failed: Mapping[int, Statement], given: Sequence[Statement], language: str | None
) -> dict[int, Statement]:
    """Which replacement is for which statement that failed, by place.

    As many as failed are in their order, as they were asked for. Of more or fewer, those that share the most words
    belong together, the first of equals; what shares none takes the places that are left, in order.
    """
    places = tuple(failed)
    if len(given) == len(places):
        return dict(zip(places, given, strict=True))
    wanted = {place: _terms(statement.text, language) for place, statement in failed.items()}
    offered = [_terms(statement.text, language) for statement in given]
    shared = sorted(
        (-len(wanted[place] & terms), at, place)
        for at, terms in enumerate(offered)
        for place in places
        if wanted[place] & terms
    )
    found: dict[int, int] = {}
    for _, at, place in shared:
        if place not in found and at not in found.values():
            found[place] = at
    left = (at for at, terms in enumerate(offered) if terms and at not in found.values())
    found |= dict(zip((place for place in places if place not in found), left, strict=False))
    return {place: given[found[place]] for place in places if place in found}


def says_again(
    sentence: Sentence, others: Sequence[Sentence], language: str | None, *, share: float = 0.8
) -> bool:
    """Whether one of ``others`` has this share of the words of ``sentence`` that say something."""
    words = _terms(sentence.text, language)
    return any(len(words & _terms(other.text, language)) >= share * len(words) for other in others)


def _terms(text: str, language: str | None) -> frozenset[str]:
    return frozenset(token.term for token in content_words(text, language))


def removal_reason(sentence: Sentence) -> str:
    """Why a sentence was withheld, for the reader."""
    for check in sentence.verdict.checks:
        if check.status in _FAILED:
            return check.reason
    return sentence.reason


def _distinct(pointers: Iterable[Pointer]) -> tuple[Pointer, ...]:
    seen: dict[tuple[str, int], Pointer] = {}
    for pointer in pointers:
        seen.setdefault((pointer.id, pointer.at), pointer)
    return tuple(seen.values())
