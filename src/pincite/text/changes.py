"""What changed between a quote and the passage it resembles, word by word, and whether a fact is among it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pincite.text import meaning
from pincite.text.align import diff, similarity
from pincite.text.literals import Literal, find_literals, same_literal
from pincite.text.normalize import UNSPACED, blanked_ascii, fold, plain, without_unseen
from pincite.types import Difference, Span

SOURCE_MARKER = re.compile(
    r"\[\^?\d{1,4}(?:[,;\u2013-] ?\d{1,4}){0,8}\]|(?<=[^\W\d])[\u00b9\u00b2\u00b3\u2070-\u2079]{1,3}"
)
"""A reference mark inside the source, which a quote may leave out."""

_TOKEN = re.compile(f"[{UNSPACED}][^\\s{UNSPACED}\\w]*|[^\\s{UNSPACED}]+")
_DIGIT = re.compile(r"\d")
_ASCII_TOKEN = re.compile(r"\S+")
_SENTENCE_END = frozenset(".!?:;\u2026\u3002\uff01\uff1f\u0964\u061f\n|\u2022")
_OPENING = frozenset("\"'\u201c\u201e\u00ab\u2018\u201a([{*_#>`~- \t\u00a0\u00bf\u00a1\u201d\u2019")
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]+")
_ARTICLES = frozenset(
    "a an the der die das den dem des ein eine einen el la los las un una le les l de des du of and und y et".split()
)
_QUANTITY = "#"


class Word(NamedTuple):
    """A folded word and its place in the text it is from."""

    folded: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Words:
    """The folded words of a text; ``letters`` are the ranges they came from, ``at`` the way to the text.

    ``at`` is ``None`` where letters and text have the same places.
    """

    folded: list[str]
    letters: list[tuple[int, int]]
    at: list[int] | None

    def all(self) -> list[Word]:
        """Every word with its place in the text."""
        at = self.at
        if at is None:
            return [
                Word(word, start, end) for word, (start, end) in zip(self.folded, self.letters, strict=True)
            ]
        return [
            Word(word, at[start], at[end - 1] + 1)
            for word, (start, end) in zip(self.folded, self.letters, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class Changes:
    """``differences`` in order of the quote; ``fact`` when one of them changes what is said.

    ``converted``: a quantity is said in another unit or form, and is the same. ``moved``: a word stands in
    another place.
    """

    differences: tuple[Difference, ...] = ()
    fact: bool = False
    converted: bool = False
    moved: bool = False


def split_words(text: str) -> Words:
    """The words of ``text``, folded; in scripts without blanks every character is one.

    >>> split_words("Can't infor-\\nmation 東京").folded
    ['cant', 'information', '東', '京']
    """
    plain_letters = blanked_ascii(text)
    if plain_letters is not None:
        return Words(
            plain_letters.split(), [match.span() for match in _ASCII_TOKEN.finditer(plain_letters)], None
        )
    folded = fold(text, words=True)
    letters = folded.letters
    ranges = [match.span() for match in _TOKEN.finditer(letters)]
    return Words([letters[start:end] for start, end in ranges], ranges, folded.at.tolist())


def compare(
    quote: str, source: str, text: str, at: int, language: str | None, words: Words | None = None
) -> Changes:
    """Compare a quote with the passage ``source``, which stands at ``at`` in ``text``.

    ``words`` are those of the quote, if at hand. Spans of the differences: ``answer_span`` in the quote,
    ``source_span`` in ``text``.
    """
    shown = _without_reference_marks(quote, source)
    ours, theirs = words or split_words(quote), split_words(shown)
    found: list[Difference] = []
    fact, converted, covered = _quantities(quote, shown, at, language, found)
    if not covered and ours.folded == theirs.folded:
        return Changes()
    quote_words, source_words = ours.all(), theirs.all()
    if covered:
        quote_words, source_words = _covered(quote_words, covered[0]), _covered(source_words, covered[1])
    blocks = diff([word.folded for word in quote_words], [word.folded for word in source_words])
    dropped: list[str] = []
    added: list[str] = []
    for q1, q2, s1, s2 in blocks:
        mine, others = quote_words[q1:q2], source_words[s1:s2]
        if _only_layout(quote, shown, mine, others):
            continue
        kind = _kind(quote, text, at, mine, others, source_words[s2 : s2 + 3])
        fact = fact or kind != "word"
        added += [word.folded for word in mine]
        dropped += [word.folded for word in others]
        found.append(_difference(kind, quote, source, at, mine, others))
    if unspaced_negations(quote) != unspaced_negations(shown):
        if not any(difference.kind == "negation" for difference in found):
            found.append(
                Difference("negation", quote, source, Span(0, len(quote)), Span(at, at + len(source)))
            )
        fact = True
    moved = bool((set(added) & set(dropped)) - _ARTICLES) if added and dropped else False
    if len(found) > 1:
        found.sort(key=lambda one: one.answer_span.start if one.answer_span else len(quote))
    return Changes(tuple(found), fact, converted, moved)


def _without_reference_marks(quote: str, source: str) -> str:
    """The source with its reference marks blanked, unless the quote has such marks itself."""
    if (
        ("[" not in source and source.isascii())
        or not SOURCE_MARKER.search(source)
        or SOURCE_MARKER.search(quote)
    ):
        return source
    return SOURCE_MARKER.sub(lambda match: " " * len(match.group()), source)


def _difference(
    kind: str, quote: str, source: str, at: int, ours: Sequence[Word], theirs: Sequence[Word]
) -> Difference:
    answer_span = Span(ours[0].start, ours[-1].end) if ours else None
    source_span = Span(theirs[0].start, theirs[-1].end) if theirs else None
    return Difference(
        kind,
        answer_span.of(quote) if answer_span else "",
        source_span.of(source) if source_span else "",
        answer_span,
        source_span.shift(at) if source_span else None,
    )


# --- numbers ----------------------------------------------------------------------------------------


def numbers_agree(quote: str, source: str, language: str | None) -> bool | None:
    """Whether two texts of the same letters name the same numbers: ``None`` if so in another written form."""
    ours, theirs = _literals(quote, language), _literals(source, language)
    if [literal.raw for literal in ours] == [literal.raw for literal in theirs]:
        return True
    if len(ours) != len(theirs) or not all(map(same_literal, ours, theirs)):
        return False
    return True if all(_same_form(one, two) for one, two in zip(ours, theirs, strict=True)) else None


def _literals(text: str, language: str | None) -> tuple[Literal, ...]:
    """The literals of a text, whatever unseen characters run through them; places are in the text as given."""
    if _DIGIT.search(text) is None:
        return ()
    rewritten = without_unseen(text)
    if rewritten is None:
        return find_literals(plain(text), language)
    found = []
    for literal in find_literals(plain(rewritten.text), language):
        span = rewritten.original(Span(literal.start, literal.end))
        found.append(replace(literal, start=span.start, end=span.end))
    return tuple(found)


def _same_form(one: Literal, two: Literal) -> bool:
    return one.raw.casefold() == two.raw.casefold()


def _quantities(
    quote: str, source: str, at: int, language: str | None, found: list[Difference]
) -> tuple[bool, bool, tuple[Sequence[Literal], Sequence[Literal]] | None]:
    """Compare the literals of both sides in order: is one changed, is one said in another form, and both lists
    where either holds. Adds what changed to ``found``."""
    ours, theirs = _literals(quote, language), _literals(source, language)
    if not ours and not theirs:
        return False, False, None
    fact = converted = False
    for one, two in _pair(ours, theirs):
        if one and two and same_literal(one, two):
            converted = converted or not _same_form(one, two)
            continue
        fact = True
        found.append(
            Difference(
                _literal_kind(one, two),
                quote[one.start : one.end] if one else "",
                source[two.start : two.end] if two else "",
                Span(one.start, one.end) if one else None,
                Span(at + two.start, at + two.end) if two else None,
            )
        )
    return fact, converted, (ours, theirs) if converted or fact else None


def _pair(ours: Sequence[Literal], theirs: Sequence[Literal]) -> list[tuple[Literal | None, Literal | None]]:
    """Literals side by side: equal ones in order first, then the rest between them."""
    if len(ours) == len(theirs):
        return list(zip(ours, theirs, strict=True))
    pairs: list[tuple[Literal | None, Literal | None]] = []
    place = 0
    for one in ours:
        match = next((i for i in range(place, len(theirs)) if same_literal(one, theirs[i])), None)
        if match is None:
            if place < len(theirs) and len(ours) >= len(theirs):
                pairs.append((one, theirs[place]))
                place += 1
            else:
                pairs.append((one, None))
            continue
        pairs += [(None, theirs[i]) for i in range(place, match)]
        pairs.append((one, theirs[match]))
        place = match + 1
    return pairs + [(None, theirs[i]) for i in range(place, len(theirs))]


def _literal_kind(one: Literal | None, two: Literal | None) -> str:
    if one and two and one.readings & two.readings:
        return "unit"
    if (
        one
        and two
        and one.dimensions != two.dimensions
        and one.raw.strip("$€£¥₹₩") == two.raw.strip("$€£¥₹₩")
    ):
        return "currency"
    return "number"


def _covered(words: list[Word], literals: Sequence[Literal]) -> list[Word]:
    out: list[Word] = []
    place = 0
    for word in words:
        while place < len(literals) and literals[place].end <= word.start:
            place += 1
        if place < len(literals) and literals[place].start < word.end:
            literal = literals[place]
            if not out or out[-1].folded != _QUANTITY or out[-1].start != literal.start:
                out.append(Word(_QUANTITY, literal.start, literal.end))
        else:
            out.append(word)
    return out


# --- words ------------------------------------------------------------------------------------------


def _only_layout(quote: str, source: str, ours: Sequence[Word], theirs: Sequence[Word]) -> bool:
    """The same letters, cut into words by more than a blank: long-term, long-<break>term, **un**done."""
    if (
        not ours
        or not theirs
        or "".join(word.folded for word in ours) != "".join(word.folded for word in theirs)
    ):
        return False
    return not any(
        one.end < two.start and text[one.end : two.start].isspace()
        for text, words in ((quote, ours), (source, theirs))
        for one, two in zip(words, words[1:], strict=False)
        if not _contraction(text, two)
    )


def _contraction(text: str, word: Word) -> bool:
    """Old tokenisers write "do n't"."""
    return word.folded in ("nt", "s", "ll", "re", "ve", "d", "m")


def _kind(
    quote: str, text: str, at: int, ours: Sequence[Word], theirs: Sequence[Word], after: Sequence[Word]
) -> str:
    """The kind of fact a block of the word diff changes, or ``word``."""
    listed = _listed_kind(ours, theirs, after)
    if listed:
        return listed
    joined, other = "".join(word.folded for word in ours), "".join(word.folded for word in theirs)
    turned = meaning.turned([word.folded for word in ours], [word.folded for word in theirs])
    if turned:
        return turned
    if joined and other and (meaning.is_negated(joined, other) or meaning.is_negated(other, joined)):
        return "negation"
    unspaced = _unspaced_kind(joined, other)
    if unspaced:
        return unspaced
    if any(char.isdigit() for char in joined + other):
        return "number"
    if ours and _names_differ(quote, text, at, ours, theirs):
        return "name"
    return "word"


def _listed_kind(ours: Sequence[Word], theirs: Sequence[Word], after: Sequence[Word]) -> str:
    left, right = _fact_words(ours), _fact_words(theirs)
    for kind in dict.fromkeys([*left, *right]):
        here, there = left.get(kind, []), right.get(kind, [])
        if kind == "negation" and len(here) == len(there):
            continue
        if here and there and all(set(one) & set(two) for one, two in zip(here, there, strict=False)):
            if len(here) == len(there):
                continue
        if (
            kind == "comparator"
            and not here
            and not any(word.folded[0].isdigit() or word.folded == _QUANTITY for word in after)
        ):
            continue  # a preposition was left out
        if kind == "modality" and not ours and not _strong(theirs):
            continue
        return kind
    return ""


def _strong(words: Sequence[Word]) -> bool:
    return any(
        ("modality", 0) in meaning.kinds_of(word.folded) or ("modality", 3) in meaning.kinds_of(word.folded)
        for word in words
    )


def _fact_words(words: Sequence[Word]) -> dict[str, list[tuple[int, ...]]]:
    """Kind -> for each word of that kind its groups. A word of several kinds counts for its first."""
    out: dict[str, list[tuple[int, ...]]] = {}
    for word in words:
        kinds = meaning.kinds_of(word.folded)
        if kinds:
            kind = kinds[0][0]
            out.setdefault(kind, []).append(tuple(group for name, group in kinds if name == kind))
    return out


# --- names ------------------------------------------------------------------------------------------


def _names_differ(quote: str, text: str, at: int, ours: Sequence[Word], theirs: Sequence[Word]) -> bool:
    """A name stands on one side and something else on the other; a name that only the source has is let go."""
    if any(_is_name(quote, word) for word in ours):
        return True
    shifted = [Word(word.folded, word.start + at, word.end + at) for word in theirs]
    if any(_is_name(text, word) for word in shifted):
        return True
    if ours and theirs and _capital(quote, ours[0]) and _capital(text, shifted[0]):
        # Both begin a sentence, where a capital says nothing: a word in common use is no name.
        return not (meaning.is_common(ours[0].folded) or meaning.is_common(theirs[0].folded))
    return False


def _capital(text: str, word: Word) -> bool:
    return text[word.start].isupper()


def _is_name(text: str, word: Word) -> bool:
    """A capital inside a sentence, a word in capitals, or one that mixes letters with digits."""
    surface = text[word.start : word.end]
    if len(surface) > 1 and any(char.isupper() for char in surface[1:]):
        return not text.isupper() or len(text) < 12
    if not surface[:1].isupper():
        return False
    place = word.start - 1
    while place >= 0 and text[place] in _OPENING:
        if text[place] in "\n|":
            return False
        place -= 1
    return place >= 0 and text[place] not in _SENTENCE_END


# --- scripts without blanks ---------------------------------------------------------------------------


_NEGATIONS = tuple(sorted(meaning.UNSPACED_NEGATIONS))
_HINDI_NOT = "\u0928\u0939\u0940\u0902"
"""Written to the word before it often enough that a word list misses it."""
_HAS_UNSPACED = re.compile(f"[{UNSPACED}]")


def unspaced_negations(text: str) -> tuple[tuple[str, int], ...]:
    """How often each negation occurs that is not written as a word of its own.

    >>> unspaced_negations("不可退款"), unspaced_negations("no refunds")
    ((('不', 1),), ())
    """
    if text.isascii():
        return ()
    if not _HAS_UNSPACED.search(text):
        return ((_HINDI_NOT, text.count(_HINDI_NOT)),) if _HINDI_NOT in text else ()
    return tuple((negation, text.count(negation)) for negation in _NEGATIONS if negation in text)


def _unspaced_kind(ours: str, theirs: str) -> str:
    if not _HAS_UNSPACED.search(ours + theirs):
        return ""
    if any(char in meaning.UNSPACED_FACTS for char in ours + theirs):
        return "number" if ours and theirs else "quantifier"
    for pair in meaning.UNSPACED_OPPOSITES:
        one, two = pair[: len(pair) // 2], pair[len(pair) // 2 :]
        if one in ours and two in theirs or two in ours and one in theirs:
            return "opposite"
    if ours and theirs and _KATAKANA.search(ours) and _KATAKANA.search(theirs):
        return "name" if similarity(ours, theirs) < 1 else ""
    return ""
