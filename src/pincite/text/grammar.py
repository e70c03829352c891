"""What a bracket must hold to be a citation marker, and which ids it then names.

An id is what equals one of the ids of the question, letter case ignored, or has the same shape; an id that is not
one of them is unknown. Everything else in brackets is prose.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

MAX_MARKER_CHARS = 200
"""A longer bracket is prose."""

MAX_RANGE = 50
"""A range of more ids is none: "[1-1000000]" costs nothing."""

# Words that may stand before an id. Source: the forms models fall into, by hand, in the languages of the lexicons.
LABELS = (
    "sources", "source", "src", "references", "reference", "refs", "ref", "citations", "citation", "cite", "id",
    "documents", "document", "docs", "doc", "chunks", "chunk", "passages", "passage",
    "quellen", "quelle", "fuentes", "fuente", "fonte", "bron", "источник", "出典", "来源", "來源", "資料", "المصدر", "مصدر",
    "स्रोत",
)  # fmt: skip

# Words that begin details of an id: where in the source. Source: by hand.
DETAILS = (
    "pages", "page", "pp", "pg", "p", "seiten", "seite", "s", "páginas", "página", "págs", "pág", "pag", "стр", "с",
    "sections", "section", "sect", "sec", "sentences", "sentence", "satz", "lines", "line", "zeile", "paragraphs",
    "paragraph", "para", "par", "chapter", "ch", "kapitel", "abschnitt", "tables", "table", "tab", "figure", "fig",
    "row", "column", "bbox", "slide", "note", "annex", "appendix", "art", "no", "nr", "第", "ページ", "页", "頁", "صفحة", "ص",
    "पृष्ठ",
)  # fmt: skip

# Details that go on as a list: "pages 5, 6", "bbox: 10, 20, 30, 40".
LIST_DETAILS = (
    "pages",
    "pp",
    "seiten",
    "páginas",
    "págs",
    "sections",
    "sentences",
    "lines",
    "paragraphs",
    "bbox",
    "tables",
)

_LABEL = re.compile(rf"(?:{'|'.join(LABELS)})(?:\s*[:#.]\s*|\s+|(?<=[^\x00-\x7f])\s*)(?=\S)")
_DETAIL_START = re.compile(rf"(?:{'|'.join(DETAILS)})\.?\s*[:=]?\s*(?:\d|[ivxlc]+\b)|[§¶]")
_LIST_DETAIL = re.compile(rf"(?:{'|'.join(LIST_DETAILS)})\b")
_DETAIL_CUT = re.compile(
    rf"\s*[:|†@#(]\s*|\s+-+\s+|\s+(?=(?:{'|'.join(DETAILS)})\.?\s*[:=]?\s*(?:\d|[ivxlc]+\b)|[§¶])"
)
_LINES = re.compile(r"l\d+(?:-l?\d+)?\Z")
_RANGE = re.compile(r"(.*?)(\d+)\s*-\s*(.*?)(\d+)\Z", re.DOTALL)
_AND = re.compile(r"\s+(?:and|und|et|y|e|и)\s+|\s*(?:&|和|及|、)\s*")
_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"), "-")
_UNSEEN = dict.fromkeys(
    map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u2066\u2067\u2068\u2069\u202a\u202b\u202c")
)
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d+")
_FOREIGN_DIGIT = re.compile(r"[^\D0-9]")
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Cited:
    """One id of a marker. ``id`` is as the question's ids spell it, or as written when ``known`` is false.

    ``detail`` is what followed the id: a page, a file name, a range of lines.
    """

    id: str
    known: bool
    detail: str = ""


def key(token: str) -> str:
    """The form in which ids are compared: no letter case, plain dashes and digits, single blanks.

    >>> key(" C\\u20111 "), key("١٢")
    ('c-1', '12')
    """
    plain = (
        unicodedata.normalize("NFKC", token[:MAX_MARKER_CHARS].translate(_UNSEEN))
        .translate(_DASHES)
        .casefold()
    )
    plain = _FOREIGN_DIGIT.sub(lambda match: str(unicodedata.digit(match.group())), plain)
    return _BLANKS.sub(" ", plain).strip()


def shape(token_key: str) -> str:
    """Runs of letters as ``a``, runs of digits as ``9``, the rest as it is.

    >>> shape("hr-policy-chunk-12")
    'a-a-a-9'
    """
    return _DIGITS.sub("9", _LETTERS.sub("a", token_key))


class Ids:
    """The ids of one question, ready for look-up.

    Args:
        context_ids: The ids, or a mapping from each accepted spelling to its id (``{"1": "c-1", "doc-a-chunk-0": "c-1"}``).
    """

    def __init__(self, context_ids: Iterable[str] | Mapping[str, str]) -> None:
        pairs = (
            context_ids.items() if isinstance(context_ids, Mapping) else ((one, one) for one in context_ids)
        )
        self.by_key: dict[str, str] = {}
        for spelling, one in pairs:
            self.by_key.setdefault(key(spelling), one)
        self.shapes = frozenset(map(shape, self.by_key))

    def __bool__(self) -> bool:
        return bool(self.by_key)

    def find(self, token: str) -> Cited | None:
        """The id that ``token`` is, known or of the same shape; ``None`` when it is prose."""
        token_key = key(token)
        if token_key in self.by_key:
            return Cited(self.by_key[token_key], known=True)
        if token_key and shape(token_key) in self.shapes:
            return Cited(token.translate(_UNSEEN).strip(), known=False)
        return None

    def find_number(self, token: str) -> Cited | None:
        """As ``find``, where a label such as "Source" stood before: then 3 may mean ``c-3``."""
        found = self.find(token)
        if found is None or not found.known:
            numbered = self.by_key.get(f"c-{key(token)}") or self.by_key.get(f"source {key(token)}")
            if numbered is not None:
                return Cited(numbered, known=True)
        if found is None and key(token).isdecimal() and {"a-9", "a 9"} & self.shapes:
            return Cited(token.strip(), known=False)
        return found


def read_bracket(content: str, ids: Ids) -> tuple[Cited, ...]:
    """The ids that the inside of a bracket names, in order; empty when it is prose.

    >>> context = Ids(["1", "2", "3", "4"])
    >>> [cited.id for cited in read_bracket("1-3; 4, page 9", context)]
    ['1', '2', '3', '4']
    >>> read_bracket("see the annex", context), read_bracket("10:30", context)
    ((), ())
    """
    if not ids or not content.strip() or len(content) > MAX_MARKER_CHARS or key(content).startswith("note:"):
        return ()
    content = content.strip().removeprefix("^")
    whole = ids.find(content)
    if whole is not None and whole.known:
        return (whole,)
    out: list[Cited] = []
    for part in re.split(r"[;；]", content):
        read = _read_part(part, ids, first=not out)
        if read is None:
            return ()
        if part.strip() and not read and not out:
            return ()
        out += read
    return tuple(out)


def _read_part(part: str, ids: Ids, *, first: bool) -> list[Cited] | None:
    """Ids and details split by commas; ``None`` when something else stands among them."""
    whole = ids.find(part)
    if whole is not None:
        return [whole]
    out: list[Cited] = []
    labelled, in_list = False, False
    for piece in re.split(r"[,，、]", part):
        if not piece.strip():
            continue
        piece_key = key(piece)
        label = _LABEL.match(piece_key)
        if in_list and not label and piece_key.replace(".", "").replace("-", "").isdecimal():
            continue
        names_place = bool(out) and _DETAIL_START.match(piece_key) and piece_key not in ids.by_key
        read = [] if names_place else _read_piece(piece, ids, labelled=labelled)
        if read:
            out += read
            labelled = labelled or label is not None
            in_list = bool(_LIST_DETAIL.match(key(read[-1].detail)))
        elif out and _is_detail(piece_key):
            in_list = bool(_LIST_DETAIL.match(piece_key))
            out[-1] = Cited(out[-1].id, out[-1].known, f"{out[-1].detail}, {piece.strip()}".lstrip(", "))
        elif not out and not first and _is_detail(piece_key):
            continue
        else:
            return None
    return out


def _is_detail(piece_key: str) -> bool:
    return not piece_key[:1].isdecimal() or bool(re.match(r"\d+\s*(?:ページ|页|頁)", piece_key))


def _read_piece(piece: str, ids: Ids, *, labelled: bool) -> list[Cited]:
    """One id, a range, ids joined by "and", each perhaps with a label before and details behind."""
    piece = piece.strip()
    known = ids.find(piece)
    if known is not None:
        return [known]
    if ranged := _read_range(piece, ids):
        return ranged
    find = ids.find
    label = _LABEL.match(piece.casefold())
    if label and len(piece.casefold()) == len(piece):
        piece, labelled = piece[label.end() :], True
    if labelled:
        find = ids.find_number
        known = find(piece)
        if known is not None:
            return [known]
        if ranged := _read_range(piece, ids, labelled=True):
            return ranged
    joined = [find(word) for word in _AND.split(piece)]
    if len(joined) > 1 and all(joined):
        return [one for one in joined if one]
    words = [ids.find(word) for word in piece.split()]
    if len(words) > 1 and all(one is not None and one.known for one in words):
        return [one for one in words if one]
    cut = (
        _DETAIL_CUT.search(piece.translate(_DASHES).casefold())
        if len(piece.casefold()) == len(piece)
        else None
    )
    if cut is None or not cut.start():
        return []
    head, detail = piece[: cut.start()], piece[cut.end() :]
    known = find(head)
    if known is None:
        ranged = _read_range(head, ids, labelled=labelled)
        return [*ranged[:-1], Cited(ranged[-1].id, ranged[-1].known, detail.strip())] if ranged else []
    glued_number = (
        cut.group() == ":" and key(head).isdecimal() and detail[:1].isdecimal() and "†" not in detail
    )
    if glued_number and not labelled:
        return []  # "10:30" is a time
    return [Cited(known.id, known.known, detail.strip().removesuffix(")"))]


def _read_range(piece: str, ids: Ids, *, labelled: bool = False) -> list[Cited]:
    found = _RANGE.match(key(piece))
    if found is None:
        return []
    prefix, low, other, high = found.groups()
    first, last = int(low[:9]), int(high[:9])
    if other not in ("", prefix) or not first < last or last - first >= MAX_RANGE or len(high) > 9:
        return []
    find = ids.find_number if labelled else ids.find
    out = [find(f"{prefix}{number}") for number in range(first, last + 1)]
    if any(one is None for one in out) or (prefix and not any(one and one.known for one in out)):
        return []
    return [one for one in out if one]


def read_private(content: str, ids: Ids) -> tuple[Cited, ...]:
    """The ids between private-use characters (``cite``, id, id, ...); they are markers whatever their shape."""
    out: list[Cited] = []
    for token in content.split("\ue202")[1:]:
        if out and _LINES.match(key(token)):
            out[-1] = Cited(out[-1].id, out[-1].known, token)
        elif token.strip():
            out.append(ids.find(token) or Cited(token.strip(), known=False))
    return tuple(out)
