"""From text to claims: sentences with the markers that belong to them, and back to one answer text."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from pincite.findings import Claim, Pointer, Sentence
from pincite.prompts import phrase_in_every_language
from pincite.text.blocks import Block, BlockKind, blocks
from pincite.text.grammar import Ids
from pincite.text.markers import Marker, ParsedAnswer, parse_markers
from pincite.text.references import copied, without_copied
from pincite.types import Hit, Quote, Span

Aliases = Mapping[str, tuple[str, ...]]
"""What an answer may write for a source (``2``, ``c-2``, a chunk id, a file name) -> prompt ids it stands for."""

_BRACKET = re.compile(r"[\[［【]")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text without its markers, and its claims. Spans and pointers are in ``plain``."""

    plain: str
    claims: tuple[Claim, ...]
    format_drift: tuple[str, ...] = ()


def aliases(hits: Sequence[Hit], *, first_id: int = 1) -> dict[str, tuple[str, ...]]:
    """All ways to write the sources of a context: ``c-2`` and ``2`` by place, chunk id, document id, file name.
    Places count from ``first_id``.

    A document id stands for each of its chunks. Where one word could mean two sources, place wins over
    chunk id over document id over file name.
    """
    places = range(first_id, first_id + len(hits))
    by_place = {f"c-{place}": (f"c-{place}",) for place in places}
    numbers = {str(place): (f"c-{place}",) for place in places}
    chunks: dict[str, tuple[str, ...]] = {}
    documents: dict[str, tuple[str, ...]] = {}
    names: dict[str, tuple[str, ...]] = {}
    for place, hit in zip(places, hits, strict=True):
        # Other people's passages may all carry the id of their document.
        chunks[hit.chunk.chunk_id] = (*chunks.get(hit.chunk.chunk_id, ()), f"c-{place}")
        documents[hit.document.doc_id] = (*documents.get(hit.document.doc_id, ()), f"c-{place}")
        name = hit.document.url.rsplit("/", 1)[-1]
        if "." in name:
            names[name] = (*names.get(name, ()), f"c-{place}")
    return {**names, **documents, **chunks, **numbers, **by_place}


def parse_claims(
    text: str, known: Aliases, quotes: Sequence[Quote] = (), quotes_at: Mapping[str, str] | None = None
) -> Parsed:
    """Cut ``text`` into claims and bind its markers to them.

    ``quotes`` are what the writer says the text cites. A quote belongs to the markers with its id. A quote whose id is
    printed nowhere counts as a marker at the end of each factual sentence that has no marker. ``quotes_at`` gives a
    spelling its own quote, where one source is cited with several.

    A source has brackets of its own ("in 1921 [26]"). One that stands so in a quote, and names no id that is quoted,
    is no marker: a reference mark is left out, anything else stays.
    """
    quoted = _by_prompt_id(quotes, known)
    parsed = _parsed(text, known, quotes, quoted)
    own_quotes = quotes_at or {}
    kinds = _Kinds(parsed.plain)
    # Asked once: an answer may be a flood of short sentences with markers.
    markers: dict[int | None, list[Marker]] = {}
    for marker in parsed.markers:
        markers.setdefault(marker.sentence, []).append(marker)
    claims = []
    for index, span in enumerate(parsed.sentences):
        sentence = span.of(parsed.plain)
        pointers = tuple(
            replace(pointer, quote=own_quotes.get(marker.id) or quoted.get(pointer.id))
            for marker in markers.get(index, ())
            for pointer in _pointers(marker, known)
        )
        claims.append(Claim(index, span, sentence, is_factual(sentence, kinds.at(span)), pointers))
    drift = tuple(dict.fromkeys(one.form for one in parsed.drift))
    return Parsed(parsed.plain, _with_unprinted(claims, quoted, known), drift)


def _parsed(text: str, known: Aliases, quotes: Sequence[Quote], quoted: Collection[str]) -> ParsedAnswer:
    spellings = {spelling: spelling for spelling in known}
    words = [one.quote for one in quotes if one.quote and _BRACKET.search(one.quote)]
    if not words:
        return parse_markers(text, spellings)
    ids = Ids(spellings)

    def is_not_quoted(spelling: str) -> bool:
        return all(one not in quoted for one in known.get(spelling, (spelling,)))

    # Where nothing else is printed, what is quoted for the one sentence backs all of it.
    bare = parse_markers(without_copied(text, words, ids, lambda _: True), spellings)
    if not bare.markers and len(bare.sentences) == 1:
        return bare
    text = without_copied(text, words, ids, is_not_quoted)
    return parse_markers(text, spellings, prose=copied(text, words, ids, is_not_quoted))


@dataclass(frozen=True, slots=True)
class Contract:
    """Where an answer's markers and its list of citations do not fit together. Ids in order, each once."""

    marker_without_citation: tuple[str, ...]
    citation_without_marker: tuple[str, ...]
    unknown_ids: tuple[str, ...]


def check_contract(text: str, context_ids: Sequence[str], cited_ids: Sequence[str]) -> Contract:
    """Every marker needs a citation entry and a source; every entry needs a marker.

    >>> check_contract("The pool opens at 7 [c-1]. Sauna is extra [c-9].", ["c-1", "c-2"], ["c-2"])
    Contract(marker_without_citation=('c-1',), citation_without_marker=('c-2',), unknown_ids=('c-9',))
    """
    parsed = parse_markers(text, context_ids)
    printed = tuple(dict.fromkeys(marker.id for marker in parsed.markers if marker.known))
    listed = tuple(dict.fromkeys(cited_ids))
    unlisted_ids = tuple(one for one in listed if one not in context_ids)
    return Contract(
        marker_without_citation=tuple(one for one in printed if one not in listed),
        citation_without_marker=tuple(
            one for one in listed if one not in printed and one not in unlisted_ids
        ),
        unknown_ids=tuple(dict.fromkeys((*parsed.unknown_ids, *unlisted_ids))),
    )


def _pointers(marker: Marker, known: Aliases) -> tuple[Pointer, ...]:
    if not marker.known:
        return (Pointer(marker.id, marker.at, known=False, clause=marker.clause),)
    return tuple(
        Pointer(prompt_id, marker.at, known=prompt_id in known, clause=marker.clause)
        for prompt_id in known[marker.id]
    )


def _by_prompt_id(quotes: Sequence[Quote], known: Aliases) -> dict[str, str | None]:
    """Prompt id (or the id as written, when nobody knows it) -> the first quote given for it."""
    folded = {spelling.casefold(): ids for spelling, ids in known.items()}
    found: dict[str, str | None] = {}
    for quote in quotes:
        for prompt_id in folded.get(quote.id.strip("[] ").casefold(), (quote.id,)):
            if found.get(prompt_id) is None:
                found[prompt_id] = quote.quote
    return found


def _with_unprinted(
    claims: Sequence[Claim], quoted: Mapping[str, str | None], known: Aliases
) -> tuple[Claim, ...]:
    printed = {pointer.id for claim in claims for pointer in claim.pointers}
    unprinted = [prompt_id for prompt_id in quoted if prompt_id not in printed]
    if not unprinted:
        return tuple(claims)
    return tuple(
        replace(
            claim, pointers=tuple(_end_pointer(prompt_id, claim, quoted, known) for prompt_id in unprinted)
        )
        if claim.factual and not claim.pointers
        else claim
        for claim in claims
    )


def _end_pointer(prompt_id: str, claim: Claim, quoted: Mapping[str, str | None], known: Aliases) -> Pointer:
    return Pointer(prompt_id, claim.span.end, quoted[prompt_id], known=prompt_id in known, clause=claim.span)


class _Kinds:
    """Which kind of block a place in a text belongs to."""

    def __init__(self, text: str) -> None:
        self._blocks: tuple[Block, ...] = blocks(text)
        self._starts = [block.span.start for block in self._blocks]

    def at(self, span: Span) -> BlockKind:
        """The kind of the block that ``span`` begins in. The row above a table's rule is a heading."""
        place = bisect_right(self._starts, span.start) - 1
        if place < 0:
            return BlockKind.PARAGRAPH
        kind = self._blocks[place].kind
        following = self._blocks[place + 1].kind if place + 1 < len(self._blocks) else None
        return BlockKind.HEADING if following is BlockKind.TABLE_RULE else kind


def assemble(pieces: Sequence[tuple[str, Sequence[Sentence]]]) -> tuple[str, tuple[Sentence, ...]]:
    """Join statements, each with the sentences of it that are kept, to one answer.

    Args:
        pieces: The marker-free text of a statement and those of its sentences that are shown; their offsets
            are in that text.

    Returns:
        The answer's text, and the sentences numbered from 0 with offsets in it. Between two sentences of one
        statement that were neighbours stands what stood there; what was taken out leaves no gap.
    """
    text = ""
    sentences: list[Sentence] = []
    for plain, kept in pieces:
        previous: Sentence | None = None
        for sentence in kept:
            start = _with_prefix(plain, sentence.span.start)
            if previous is None:
                gap = _gap(text, plain[start : sentence.span.end]) if text else ""
            else:
                between = plain[previous.span.end : sentence.span.start]
                neighbours = previous.index + 1 == sentence.index
                gap = between if neighbours else ("\n" if "\n" in between else " ")
                start = sentence.span.start if neighbours else start
            text += gap + plain[start : sentence.span.start]
            sentences.append(_moved(sentence, len(text) - sentence.span.start, len(sentences)))
            text += sentence.span.of(plain)
            previous = sentence
    return text, tuple(sentences)


_BLOCK_START = re.compile(r"(?:[-*+•]|\d{1,3}[.)]|#{1,6}|>)\s|\||```|~~~")


def _with_prefix(plain: str, start: int) -> int:
    """Where the line's own sign (bullet, number, hashes) begins, if nothing else stands before ``start``."""
    line = plain.rfind("\n", 0, start) + 1
    head = plain[line:start]
    return line if head.strip() and not any(char.isalpha() for char in head) else start


def _gap(before: str, after: str) -> str:
    """What joins two statements: blocks stand on lines of their own, scripts without blanks need none."""
    last_line = before[before.rfind("\n") + 1 :]
    block_before, block_after = _BLOCK_START.match(last_line), _BLOCK_START.match(after)
    if block_before and block_after:
        return "\n"
    if block_before or block_after:
        return "\n\n"
    if last_line.rstrip().endswith(_LEAD_IN_ENDS):
        return "\n\n"
    return "" if before[-1] in "。！？．」』）" else " "


def _moved(sentence: Sentence, by: int, index: int) -> Sentence:
    claim, verdict = sentence.claim, sentence.verdict
    return Sentence(
        replace(
            claim,
            index=index,
            span=claim.span.shift(by),
            pointers=tuple(_moved_pointer(pointer, by) for pointer in claim.pointers),
        ),
        replace(
            verdict,
            unsupported_words=tuple(span.shift(by) for span in verdict.unsupported_words),
        ),
    )


def _moved_pointer(pointer: Pointer, by: int) -> Pointer:
    clause = None if pointer.clause is None else pointer.clause.shift(by)
    return replace(pointer, at=pointer.at + by, clause=clause)


# --- what needs a citation ----------------------------------------------------------------------

# "[^1]: Returns policy, page 3" at the foot of an answer says what a marker stands for.
_REFERENCE = re.compile(r"\[\^?[\w-]{1,40}\]:\s")
_QUESTION_ENDS = ("?", "？", "؟")
_LEAD_IN_ENDS = (":", "：", "︰")
_MAX_COURTESY_CHARS = 300
"""A longer sentence says something, however it begins."""
_MAX_NAME_CHARS = 12
"""Of whom or what a greeting names before its comma: "Dear customer,", "Thanks for asking,"."""
_MIN_CLAUSE_WORDS = 3
_MIN_CLAUSE_CHARS = 8
"""In scripts without blanks."""
_COMMA = re.compile(r"[,;:!—–，；：！،؛]\s*|\s-\s")
_JOINING = re.compile(r"(?:(?:and|or|just|please|und|oder|bitte|y|et)\s+)+", re.IGNORECASE)


@cache
def _courtesies() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    data = json.loads((files("pincite.text") / "lexicons" / "courtesies.json").read_text(encoding="utf-8"))

    def joined(name: str) -> str:
        return "|".join(f"(?:{one})" for ones in data[name].values() for one in ones)

    turn = rf"[;；]|[,，،—–]\s*(?:{joined('turn')})"
    opening, refusal, turning = (
        re.compile(one, re.IGNORECASE) for one in (joined("opening"), joined("refusal"), turn)
    )
    return opening, refusal, turning


def is_factual(sentence: str, kind: BlockKind = BlockKind.PARAGRAPH) -> bool:
    """Whether a sentence says something that needs a citation.

    Headings, lead-ins that end in a colon, questions, courtesies, refusals and signs alone do not.

    >>> is_factual("Socks are final sale."), is_factual("Let me know if you need more."), is_factual("Fees:")
    (True, False, False)
    """
    stripped = sentence.strip().strip("*_ ").rstrip()
    if kind in (BlockKind.HEADING, BlockKind.TABLE_RULE, BlockKind.RULE) or not any(
        map(str.isalnum, stripped)
    ):
        return False
    if is_frame(stripped):
        return False
    if stripped.endswith(_QUESTION_ENDS) or (kind is not BlockKind.CODE and stripped.endswith(_LEAD_IN_ENDS)):
        return False
    if is_refusal(stripped):
        return False
    return not _is_courtesy(stripped)


def is_frame(sentence: str) -> bool:
    """Whether a sentence is one that an answer gets from elsewhere: a fixed sentence, or what a footnote stands for.

    >>> is_frame("[^1]: Returns policy, page 3"), is_frame("The sources do not answer this question.")
    (True, True)
    """
    stripped = sentence.strip().strip("*_ ").rstrip()
    return bool(_REFERENCE.match(stripped)) or any(
        stripped in phrase_in_every_language(name) for name in ("no_information", "partial")
    )


def _is_courtesy(sentence: str) -> bool:
    """Whether nothing is said beside the courtesy: no figure, and no clause behind its comma.

    >>> _is_courtesy("Of course, happy to help."), _is_courtesy("Of course, worn shoes can be returned.")
    (True, False)
    """
    opening = _courtesies()[0].match(sentence)
    if opening is None or len(sentence) > _MAX_COURTESY_CHARS or any(map(str.isdigit, sentence)):
        return False
    comma = _COMMA.search(sentence, opening.end() - 1, opening.end() + _MAX_NAME_CHARS)
    return comma is None or not _is_clause(sentence[comma.end() :])


def _is_clause(rest: str) -> bool:
    joining = _JOINING.match(rest)
    rest = rest[joining.end() :] if joining else rest
    words = rest.split()
    is_long = len(words) >= _MIN_CLAUSE_WORDS or (not rest.isascii() and len(rest) >= _MIN_CLAUSE_CHARS)
    return is_long and is_factual(rest)


def is_refusal(sentence: str) -> bool:
    """Whether a sentence says that the sources do not answer: the fixed sentences, and what models write instead.

    >>> is_refusal("The provided context does not cover warranty terms.")
    True
    """
    if sentence.strip() in phrase_in_every_language("no_information"):
        return True
    _, refusal, turn = _courtesies()
    found = refusal.match(sentence.strip()) if len(sentence) <= _MAX_COURTESY_CHARS else None
    if found is None:
        return False
    # "I could not find it, but entry costs 9 EUR."
    other = turn.search(sentence)
    return other is None or not _is_clause(sentence[other.end() :])
