"""What a complete list does not name is not in it: proof of absence, and of "only A and B"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pincite.checks.evidence import ClaimWords, Matcher
from pincite.checks.reading import Reading, Word, words
from pincite.text.blocks import Block, BlockKind, blocks
from pincite.text.fact import TURNING
from pincite.text.lexicon import load_lexicon, tabled
from pincite.text.passages import cells
from pincite.text.sentences import split_sentences
from pincite.types import Span

MAX_ITEMS = 200
MAX_LISTS = 40
MAX_UNNAMED = 4
"""Words of the claim that the list does not name: more are no name."""

MAX_ITEM_CHARS = 60
"""A longer "item" of a sentence is a clause."""

_SPLIT = re.compile(
    r"\s*[,;、，；]\s*(?:(?:and|or|und|oder|y|e|o|et|ou|和|与|及|以及|および|または|و|और|या)\s+)?|\s+(?:and|or|und|oder|y|e|o|et|ou|और|या)\s+|(?:と|および|及び|和|与|以及)|\s+و"
)
_AFTER_LEAD = re.compile(
    r"[:：]\s*|\b(?:are|is|to|of|only|sind|ist|nur|son|es|solo|sont|est|uniquement)\b\s*|(?:是|为|仅|只|有|は|هي|केवल)\s*"
)
_SAYS_ONLY = re.compile(
    r"\b(?:only|solely|exclusively|nur|ausschließlich|s[oó]lo|solamente|únicamente|seule?s?|seulement|uniquement)\b|のみ|だけ|仅|只|فقط|केवल|सिर्फ",
    re.IGNORECASE,
)
_CAPITALS = re.compile(r"[A-Z0-9]|[\u30a1-\u30ff]{2}")
_PASSIVE_END = re.compile(
    r"\s+(?:are|is|werden|wird|sind|son|están|se|sont)\s.*$|(?:のみ|だけ)?(?:に?対応|が?利用|を?受け付け|が?使用|をサポート|です).*$|(?:可以|均可|受支持).*$",
    re.IGNORECASE,
)
_GENERIC = frozenset(
    "list lists listed among mention mentions mentioned name names named part one include includes included liste aufgeführt erwähnt "
    "genannt gehört gehören zählt zählen lista figura figuran menciona aparece liste mentionné mentionnée figure figurent fait partie parmi".split()
)


@dataclass(frozen=True, slots=True)
class Listing:
    """A list with what introduces it. ``spans`` are in the passage's text; ``terms`` are those of the items, one set each."""

    lead: str
    spans: tuple[Span, ...]
    items: tuple[str, ...]
    terms: tuple[frozenset[str], ...]
    lead_terms: frozenset[str]
    is_complete: bool


@dataclass(frozen=True, slots=True)
class Listed:
    """What a list says of a claim: whether it bears it, and the places of the list."""

    is_borne: bool
    reason: str
    spans: tuple[Span, ...]


def listed(claim: ClaimWords, readings: Sequence[Reading], matcher: Matcher) -> Listed | None:
    """Whether a list of the passages proves or refutes that the claim's thing is not in it, or is all of it.

    ``None`` when the claim says neither, when no list is about it, or when the list does not claim to be complete.
    """
    is_denied = any(
        fact.kind == "negation" and (fact.origin is None or fact.origin.value in TURNING)
        for fact in claim.facts
    )
    is_only = any(fact.key == "only" for fact in claim.facts)
    if is_denied == is_only or any(fact.is_counted and not fact.is_weak for fact in claim.facts):
        return None
    for reading in readings:
        for one in listings(reading.text, reading.language):
            if one.is_complete and _is_about(claim, one, matcher):
                found = _denied(claim, one, readings, matcher) if is_denied else _only(claim, one, matcher)
                if found is not None:
                    return found
    return None


def _is_about(claim: ClaimWords, one: Listing, matcher: Matcher) -> bool:
    return any(
        matcher.holds(word.term, one.lead_terms) for word in claim.content if word.surface not in _GENERIC
    )


def _denied(claim: ClaimWords, one: Listing, readings: Sequence[Reading], matcher: Matcher) -> Listed | None:
    language = tabled(claim.terms_in)
    everywhere = frozenset[str]().union(*(reading.terms for reading in readings))
    rest = [
        word
        for word in claim.content
        if word.surface not in _GENERIC and not matcher.holds(word.term, one.lead_terms)
    ]
    names = _names(rest)
    within = [
        terms for terms in one.terms if names and all(matcher.holds(word.term, terms) for word in names)
    ]
    if within:
        return Listed(False, "the list names it", one.spans)
    if not names or len(names) > MAX_UNNAMED or any(matcher.holds(word.term, everywhere) for word in names):
        return None
    if _unfitting(rest, names):
        return None
    speaks_of_list = any(pattern.search(claim.text) for pattern in _patterns("listing", language))
    if speaks_of_list or any(_is_name(claim, word) for word in names) or _are_names(one, names, language):
        return Listed(True, "the list is complete and does not name it", one.spans)
    return None


def _names(rest: Sequence[Word]) -> list[Word]:
    """What the claim denies: in scripts without blanks the words in other letters, or in Katakana."""
    if any(word.is_pair for word in rest):
        return [word for word in rest if not word.is_pair or re.fullmatch("[\u30a1-\u30ff]+", word.surface)]
    return list(rest)


def _unfitting(rest: Sequence[Word], names: Sequence[Word]) -> bool:
    """Whether too much of a claim in a script without blanks is neither in the lead-in nor the name."""
    return sum(word.is_pair for word in rest) > 8 + sum(word.is_pair for word in names)


def _is_name(claim: ClaimWords, word: Word) -> bool:
    at = word.span.start - claim.span.start
    surface = word.span.shift(-claim.span.start).of(claim.text)
    return bool(_CAPITALS.search(surface if at else surface[1:] or surface))


def _are_names(one: Listing, names: Sequence[Word], language: str) -> bool:
    """Whether the sentence lists names, so that one word in their place is a name too, though it begins the claim."""
    is_inline = len(one.spans) == 1
    return (
        is_inline and len(names) == 1 and language != "de" and all(item[:1].isupper() for item in one.items)
    )


def _only(claim: ClaimWords, one: Listing, matcher: Matcher) -> Listed | None:
    known = frozenset[str]().union(*one.terms)
    wanted = [word for word in claim.content if word.surface not in _GENERIC]
    said = [
        word
        for word in wanted
        if matcher.holds(word.term, known) and not matcher.holds(word.term, one.lead_terms)
    ]
    if not said:
        return None
    terms = [frozenset(term for word in said for term in (word.term, *word.groups))]
    named = [not item.isdisjoint(terms[0]) or _is_in(item, said, matcher) for item in one.terms]
    if not all(named):
        # The list has more than the claim says it has.
        return Listed(False, "the list names more", one.spans)
    if len(one.spans) == 1 and _SAYS_ONLY.search(one.lead):
        return None  # The sentence says "only" itself, and of what: that is for the other checks.
    odd = [
        word for word in wanted
        if not word.is_pair and not matcher.holds(word.term, known) and not matcher.holds(word.term, one.lead_terms)
    ]  # fmt: skip
    subject = {word.term for word in wanted[:2]}
    if any(word.term not in subject for word in odd):
        return None
    return Listed(True, "the list names these and no others", one.spans)


def _is_in(item: frozenset[str], said: Sequence[Word], matcher: Matcher) -> bool:
    return any(matcher.holds(word.term, item) for word in said)


# --- finding lists ---------------------------------------------------------------------------------


@lru_cache(maxsize=16)
def _patterns(part: str, language: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(body, re.IGNORECASE) for body in load_lexicon("listings")[part].get(language, ()))


@lru_cache(maxsize=1024)
def listings(text: str, language: str | None) -> tuple[Listing, ...]:
    """The lists of ``text``: items after a lead-in or heading, first columns of tables, and sentences that list.

    >>> [(one.items, one.is_complete) for one in listings("Supported formats:\\n\\n- PDF\\n- PNG", "en")]
    [(('PDF', 'PNG'), True)]
    >>> [(one.items, one.is_complete) for one in listings("Formats such as:\\n\\n- PDF\\n- PNG", "en")]
    [(('PDF', 'PNG'), False)]
    """
    found: list[Listing] = []
    for one in _found(text, language):
        found.append(one)
        if len(found) == MAX_LISTS:
            break
    return tuple(found)


def _found(text: str, language: str | None) -> Iterator[Listing]:
    all_blocks = blocks(text)
    at = 0
    lead: Span | None = None
    while at < len(all_blocks):
        block = all_blocks[at]
        end = at
        while end < len(all_blocks) and _goes_on(block, all_blocks[end]):
            end += 1
        if end > at:
            group = [one for one in all_blocks[at:end] if one.kind is not BlockKind.TABLE_RULE]
            after = all_blocks[end].body.of(text) if end < len(all_blocks) else ""
            if block.kind is BlockKind.TABLE_ROW:
                yield from _table(text, group, lead, after, language)
            elif lead is not None:
                items = [one.body.of(text) for one in group[:MAX_ITEMS]]
                spans = (lead, Span(group[0].span.start, group[-1].span.end))
                yield _listing(lead.of(text), spans, items, after, language, len(group) <= MAX_ITEMS)
            lead, at = None, end
            continue
        if block.kind in (BlockKind.PARAGRAPH, BlockKind.QUOTE):
            body = block.body.of(text)
            spans_of = split_sentences(body, language=language)
            for sentence in spans_of:
                yield from _sentence(body, sentence, block.body.start, language)
            last = spans_of[-1].shift(block.body.start) if spans_of else None
            lead = last if last and last.of(text).rstrip().endswith((":", "：")) else None
        elif block.kind is BlockKind.HEADING:
            lead = block.body
        at += 1


def _goes_on(first: Block, block: Block) -> bool:
    if first.kind is BlockKind.LIST_ITEM:
        return block.kind is BlockKind.LIST_ITEM
    return first.kind is BlockKind.TABLE_ROW and block.kind in (BlockKind.TABLE_ROW, BlockKind.TABLE_RULE)


def _table(
    text: str, rows: Sequence[Block], lead: Span | None, after: str, language: str | None
) -> Iterator[Listing]:
    names = [cells(row.span.of(text)) for row in rows[: MAX_ITEMS + 1]]
    if len(names) < 2 or not names[0]:
        return
    items = [row[0] for row in names[1:] if row]
    spans = (*((lead,) if lead else ()), Span(rows[0].span.start, rows[-1].span.end))
    opens = lead.of(text) if lead else ""
    title = names[0][0]
    made = _listing(
        f"{opens}\n{title}" if opens else title, spans, items, after, language, len(rows) <= MAX_ITEMS
    )
    yield made


def _sentence(body: str, span: Span, shift: int, language: str | None) -> Iterator[Listing]:
    """A sentence that lists: "The supported formats are PDF, PNG and JPG.", "Only PDF and PNG are supported."."""
    text = span.of(body).rstrip(" .。।")
    at = _items_from(text)
    if at is None:
        return
    tail = _PASSIVE_END.sub("", text[at:])
    items = [item for item in _SPLIT.split(tail) if item]
    lead = f"{text[:at]} {text[at + len(tail) :]}"
    if len(items) > MAX_ITEMS or not items or any(len(item) > MAX_ITEM_CHARS for item in items):
        return
    if len(items) < 2 and not _SAYS_ONLY.search(text):
        return
    yield _listing(lead, (span.shift(shift),), items, "", language, True)


def _items_from(text: str) -> int | None:
    """Where the items of a sentence begin: after its colon, else after the last such word before its first comma."""
    colon = re.search(r"[:：]\s*", text)
    if colon:
        return colon.end()
    comma = re.search(r"[,、，]", text)
    starts = [match.end() for match in _AFTER_LEAD.finditer(text) if not comma or match.end() < comma.start()]
    return starts[-1] if starts and comma else (starts[0] if starts else None)


def _listing(
    lead: str, spans: tuple[Span, ...], items: Sequence[str], after: str, language: str | None, is_whole: bool
) -> Listing:
    code = tabled(language)
    everything = "\n".join((lead, *items))
    opens = [line.strip().rstrip("*") for line in lead.splitlines()]
    is_closed = any(pattern.search(line.strip()) for pattern in _patterns("closed", code) for line in opens)
    first = after[: after.find(".") + 1] or after[:200]
    is_open = any(
        any(pattern.search(line) for line in (*opens, everything, first))
        for pattern in _patterns("open", code)
    )
    return Listing(
        lead,
        spans,
        tuple(items),
        tuple(frozenset(w.term for w in words(item, language) if w.is_content) for item in items),
        frozenset(t for w in words(lead, language) if w.is_content for t in (w.term, *w.groups)),
        is_closed and not is_open and is_whole and bool(items),
    )
