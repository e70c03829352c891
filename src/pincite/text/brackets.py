"""Brackets that are citation markers, found in an answer as written; and look-alikes in other forms."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pincite.text.grammar import MAX_MARKER_CHARS, Cited, Ids, key, read_bracket, read_private
from pincite.text.markup import inside, opaque_spans
from pincite.types import Span

PRIVATE_START, PRIVATE_END, PRIVATE_BREAK = "\ue200", "\ue201", "\ue202"
"""Private-use characters of markers that no ordinary text can hold: some chat models print their markers in them."""

LINE_BREAK = re.compile("\r\n|[\n\r\f\u2028\u2029]")
PAIRS = {"[": "]", "［": "］", "【": "】", "〖": "〗"}
SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"

# Blanks that may stand between words on one line.
BLANKS = " \t\u00a0\u202f\u2009\u3000"

MAX_BLANKS = 8

_OPENING = re.compile(rf"[\[［【〖(（{PRIVATE_START}]")
_ANY_BRACKET = re.compile(r"[\[\]［］【】〖〗]")
_INNER = re.compile(rf"[^\[\]［］【】〖〗]{{0,{MAX_MARKER_CHARS}}}")
_PAREN = re.compile(r"[(（]\s*((?:id\s*:|source\s+)[^()（）\[\]［］【】〖〗\n]{1,200})[)）]", re.IGNORECASE)
_PRIVATE_ID = f"[^{PRIVATE_START}{PRIVATE_END}{PRIVATE_BREAK}\\s\\[\\]]{{1,80}}"
_PRIVATE = re.compile(rf"{PRIVATE_START}(\w{{0,20}}(?:{PRIVATE_BREAK}{_PRIVATE_ID}){{1,4}}){PRIVATE_END}")
_SUPERSCRIPT = re.compile(f"[{SUPERSCRIPTS}]+(?:[\u2009 ˒,]?[{SUPERSCRIPTS}]+)*")
_UNIT = re.compile(r"(?<![^\W\d_])(?:[a-zµ]{0,2}m|s|ft|in)\Z")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_]\w*)*\Z")
_LOOKS_LIKE_CODE = re.compile(
    r"\A[a-z]\Z|\w_\w|->|::|[a-z]{2,}[A-Z][a-z]|\$[A-Za-z_]|(?:int|char|float|double|byte|bool|uint8|argv|args|sys\.argv)\Z"
)
_CODE_AFTER = re.compile(r"\s?(?:[-+*/%|&^]=|={1,2}|\+\+|--)(?![=>])|\.[a-z_]|\(\w*\)")
_WORD = re.compile(r"[^\W_]")
_QUOTES = {"“": "”", "«": "»", "„": "“", "「": "」", "『": "』", '"': '"'}
_DRIFT = re.compile(
    r"(?<![\w)\]])[(（]\s*(?:(?:refs?|sources?|citations?)\.?\s*)?(\d{1,4}(?:\s*[,;]\s*\d{1,4})*|[\w-]{2,80})\s*[)）]"
    r"|\b(?:source|ref\.?|citation)\s+(\d{1,4})\b"
    rf"|(?<=[\w.!?。！？,;\"”)])([{SUPERSCRIPTS}]+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Found:
    """A bracket that is a marker, in the answer as written."""

    span: Span
    cited: tuple[Cited, ...]


@dataclass(frozen=True, slots=True)
class Drift:
    """Something that looks like a citation in another form, such as ``(1)``; it stays in the text.

    ``span`` is in the answer as written; ``id`` is the known id it seems to mean.
    """

    form: str
    span: Span
    id: str


def find_markers(
    text: str,
    ids: Ids,
    *,
    styles: str | re.Pattern[str] = "auto",
    opaque: Sequence[Span] | None = None,
) -> Iterator[Found]:
    """The brackets of ``text`` that are markers, in order. Arguments as for ``parse_markers``."""
    taken = opaque_spans(text) if opaque is None else opaque
    if styles not in ("auto", "superscript"):
        yield from _by_pattern(text, ids, re.compile(styles), taken)
        return
    found = list(_brackets(text, ids, taken))
    if styles == "superscript":
        found = sorted([*found, *_superscripts(text, ids, taken)], key=lambda one: one.span)
    yield from _unquoted(text, _unnested(text, ids, found))


def _by_pattern(text: str, ids: Ids, pattern: re.Pattern[str], taken: Sequence[Span]) -> Iterator[Found]:
    for match in pattern.finditer(text):
        if match.end() == match.start() or inside(taken, match.start()):
            continue
        token = match["id"] if "id" in pattern.groupindex else match[1] if pattern.groups else match[0]
        cited = read_bracket(token, ids) or ((Cited(token.strip(), known=False),) if token else ())
        if cited:
            yield Found(Span(*match.span()), cited)


def _brackets(text: str, ids: Ids, taken: Sequence[Span]) -> Iterator[Found]:
    after, subscript_end = 0, -1
    for opening in _OPENING.finditer(text):
        at = opening.start()
        if at < after or inside(taken, at):
            continue
        if text[at] == PRIVATE_START:
            found = _private(text, at, ids)
        elif text[at] in "(（":
            found = _labelled_paren(text, at, ids)
        else:
            found = _bracket(text, at, ids)
            if found and text[at] == "[" and _is_subscript(text, found, subscript_end):
                subscript_end = after = found.span.end
                continue
        if found is not None:
            yield found
            after = found.span.end


def _private(text: str, at: int, ids: Ids) -> Found | None:
    match = _PRIVATE.match(text, at)
    return Found(Span(*match.span()), read_private(match[1], ids)) if match else None


def _labelled_paren(text: str, at: int, ids: Ids) -> Found | None:
    match = _PAREN.match(text, at)
    cited = read_bracket(match[1], ids) if match else ()
    return Found(Span(*match.span()), cited) if match and cited else None


def _bracket(text: str, at: int, ids: Ids) -> Found | None:
    """``[id]``, ``[[id]]`` or, as some models escape it, ``\\[id\\]``."""
    opening, closing = text[at], PAIRS[text[at]]
    inner = _skip(text, at + 1)
    doubled = inner < len(text) and text[inner] == opening
    start = inner + 1 if doubled else at + 1
    content_match = _INNER.match(text, start)
    end = content_match.end() if content_match else start
    if end >= len(text) or text[end] != closing:
        return None
    content = text[start:end]
    if doubled:
        outer = _skip(text, end + 1)
        if outer >= len(text) or text[outer] != closing:
            return None
        end = outer
    escaped = at > 0 and text[at - 1] == "\\" and content.endswith("\\")
    if len(LINE_BREAK.findall(content)) > 1:
        return None
    cited = read_bracket(content.removesuffix("\\") if escaped else content, ids)
    return Found(Span(at - 1 if escaped else at, end + 1), cited) if cited else None


def _skip(text: str, at: int) -> int:
    """Past the blanks between the brackets of a pair, of which there are few."""
    end = at
    while end < min(len(text), at + MAX_BLANKS) and text[end] in BLANKS:
        end += 1
    return end


def _is_subscript(text: str, found: Found, subscript_end: int) -> bool:
    """Whether the bracket indexes the code before it (``a[1]``, ``user_ids[0]``, ``rates[1] = 5``)."""
    start, end = found.span.start, found.span.end
    if start == subscript_end:
        return True
    if any(len(one.id) > 6 or one.detail for one in found.cited):
        return False
    name = _IDENTIFIER.search(text[max(0, start - 60) : start])
    if name is None or (start - len(name.group()) > 0 and text[start - len(name.group()) - 1] in "'’"):
        return False
    return bool(_LOOKS_LIKE_CODE.search(name.group()) or _CODE_AFTER.match(text, end))


def _superscripts(text: str, ids: Ids, taken: Sequence[Span]) -> Iterator[Found]:
    for match in _SUPERSCRIPT.finditer(text):
        at = match.start()
        if at == 0 or _is_power(text, at) or inside(taken, at):
            continue
        cited = [ids.find(token) for token in re.findall(f"[{SUPERSCRIPTS}]+", match.group())]
        if all(one is not None for one in cited):
            yield Found(Span(*match.span()), tuple(one for one in cited if one))


def _is_power(text: str, at: int) -> bool:
    """Whether the superscript at ``at`` belongs to a number or unit: "10³", "m²"."""
    return text[at - 1 : at].isdigit() or bool(_UNIT.search(text[max(0, at - 4) : at]))


def _unnested(text: str, ids: Ids, found: list[Found]) -> list[Found]:
    """Leave out markers inside a bracket that would itself be one without them: "[2[1]]" must not turn into "[2]"."""
    nested: set[int] = set()
    opened: list[tuple[str, int, int]] = []  # bracket, place, markers before it
    at = 0
    for sign in _ANY_BRACKET.finditer(text):
        place, bracket = sign.start(), sign.group()
        while at < len(found) and found[at].span.end <= place:
            at += 1
        if at < len(found) and found[at].span.start <= place:
            continue
        if bracket in PAIRS:
            opened.append((bracket, place, at))
        elif opened and PAIRS[opened[-1][0]] == bracket:
            _, start, first = opened.pop()
            if first < at and place - start <= 2 * MAX_MARKER_CHARS:
                inner = _between(text, start + 1, place, found[first:at])
                if len(LINE_BREAK.findall(inner)) <= 1 and read_bracket(inner, ids):
                    nested.update(range(first, at))
    return [one for index, one in enumerate(found) if index not in nested]


def _between(text: str, start: int, end: int, members: Sequence[Found]) -> str:
    out = []
    for one in members:
        out.append(text[start : one.span.start])
        start = one.span.end
    return "".join([*out, text[start:end]])


def _unquoted(text: str, found: list[Found]) -> Iterator[Found]:
    """Leave out brackets of a quoted text: words follow them inside the quotation, and it has its own marker behind."""
    starts = [one.span.start for one in found]
    for index, one in enumerate(found):
        following = found[index + 1] if index + 1 < len(found) else None
        if following is None or not _is_quoted(text, one.span, starts, index):
            yield one


def _is_quoted(text: str, span: Span, starts: list[int], index: int) -> bool:
    line_start = max(
        max(text.rfind(sign, max(0, span.start - 500), span.start) for sign in "\n\r\f\u2028\u2029") + 1,
        span.start - 500,
    )
    line_break = LINE_BREAK.search(text, span.end, span.end + 500)
    line_end = line_break.start() if line_break else min(len(text), span.end + 500)
    for opening, closing in _QUOTES.items():
        before = text[line_start : span.start]
        if opening == closing:
            opened = before.count(opening) % 2 == 1
        else:
            opened = before.rfind(opening) > before.rfind(closing)
        end = text.find(closing, span.end, line_end) if opened else -1
        if end < 0 or not _WORD.search(text, span.end, end):
            continue
        later = bisect_left(starts, end)
        if later > index and later < len(starts) and text[end + 1 : starts[later]].strip(" .,!?。") == "":
            return True
    return False


def find_drift(text: str, ids: Ids, opaque: Sequence[Span], found: Sequence[Found]) -> Iterator[Drift]:
    taken = [one.span for one in found]
    for match in _DRIFT.finditer(text):
        if inside(opaque, match.start()) or inside(taken, match.start()):
            continue
        if match[2]:
            form, tokens = "label", [match[2]]
        elif match[3]:
            if _is_power(text, match.start()):
                continue
            form, tokens = "superscript", [match[3]]
        else:
            form, tokens = "parenthesis", re.split(r"[,;]", match[1])
        known = [ids.by_key.get(key(token)) or ids.by_key.get(f"c-{key(token)}") for token in tokens]
        if all(one is not None for one in known):
            for one in known:
                yield Drift(form, Span(*match.span()), str(one))


Replace = Callable[[Found], str]


def replace_markers(text: str, found: Sequence[Found], replace: Replace) -> str:
    """``text`` with each marker replaced in one pass, so that nothing new is ever replaced again."""
    out: list[str] = []
    at = 0
    for one in found:
        out += [text[at : one.span.start], replace(one)]
        at = one.span.end
    return "".join([*out, text[at:]])
