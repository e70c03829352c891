"""Parts of a document by the name that people use for them: ``Table 3``, ``Annex B``, ``§ 12(4)``, ``Section 4.2``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pincite.text.cut import trim
from pincite.text.outline import Node, structure
from pincite.text.outline import sections as sections_of
from pincite.types import Document, Section, Span

MAX_NAME_CHARS = 100

_SECTION_WORDS = frozenset(
    "section sec chapter clause part paragraph abschnitt kapitel ziffer chapitre sección seccion capítulo capitulo "
    "sezione capitolo seção artículo paragraaf hoofdstuk".split()
)
"""Words that people put before the number of a heading that does not hold them."""
_TABLE_WORDS = frozenset(
    "table tabelle tableau tabla tabella tabela tabel tab таблица 表 جدول तालिका".split()
)

_SUB = re.compile(r"\s*(\([0-9A-Za-z]{1,5}\))")
_TOKEN = re.compile(r"[0-9]+(?:\.[0-9]+)*|[^\W\d_]+|[^\s\w.]")
_LINE_START = r"^[ \t#>*_|\-\u2022]{0,20}"
_ENDS = r"(?![\w]|\.[0-9])"
"""Table 3 is neither Table 30 nor Table 3.1."""
_LABELLED = re.compile(r"[ \t]*(?:[:.\u2013\u2014|\-*_]|$)", re.MULTILINE)
"""Behind a label stands a sign or nothing; behind a mention in a sentence stands its next word."""


def find_named(document: Document, name: str) -> Span | None:
    """The part of a document that is called ``name``; ``None`` when there is none.

    Looked for in this order: a heading (the part runs to the next that is not below it), the caption of a table (with the
    table), a label at the start of a line (to the next label of its kind, within its section). Numbers in parentheses are
    parts of it: ``§ 12(4)``. Upper and lower case are the same. Of several, the first.

    >>> text = "# Fees\\n\\nTable 1: Adults\\n\\n| a |\\n|---|\\n| 5 |\\n\\n## 1.2 Dogs\\n\\n(1) Free.\\n\\n(2) Two each.\\n"
    >>> document = Document("fees", text)
    >>> find_named(document, "table 1").of(text)
    'Table 1: Adults\\n\\n| a |\\n|---|\\n| 5 |'
    >>> find_named(document, "Section 1.2(2)").of(text)
    '(2) Two each.'
    """
    if not name.strip() or len(name) > MAX_NAME_CHARS:
        return None
    base, subs = _split(name)
    tokens = _TOKEN.findall(base)
    if not tokens:
        return None
    text = document.text
    nodes = structure(text, document.format)
    sections = document.sections or sections_of(nodes, len(text))
    found = _heading(text, sections, tokens) or _line(text, sections, nodes, tokens)
    for sub in subs:
        found = _sub(text, found, sub) if found is not None else None
    return trim(text, found.start, found.end) if found is not None else None


def _split(name: str) -> tuple[str, list[str]]:
    """``§ 12(4)(b)`` is ``§ 12`` and ``(4)``, ``(b)``."""
    subs: list[str] = []
    first = _SUB.search(name)
    if first is None or not name[: first.start()].strip():
        return name, subs
    rest = name[first.start() :]
    while match := _SUB.match(rest):
        subs.append(match[1])
        rest = rest[match.end() :]
    return (name[: first.start()], subs) if not rest.strip() else (name, [])


def _pattern(tokens: Sequence[str]) -> str:
    return r"[ \t.\u00a0]{0,3}".join(map(re.escape, tokens)) + _ENDS


def _heading(text: str, sections: Sequence[Section], tokens: Sequence[str]) -> Span | None:
    wanted = [re.compile(_pattern(tokens), re.IGNORECASE)]
    if len(tokens) > 1 and tokens[0].casefold() in _SECTION_WORDS:
        wanted.append(re.compile(_pattern(tokens[1:]), re.IGNORECASE))
    for pattern in wanted:
        for i, section in enumerate(sections):
            if section.path and pattern.match(section.path[-1]):
                end = section.span.end
                for below in sections[i + 1 :]:
                    if below.path[: len(section.path)] != section.path:
                        break
                    end = max(end, below.span.end)
                return Span(section.span.start, end)
    return None


def _line(
    text: str, sections: Sequence[Section], nodes: Sequence[Node], tokens: Sequence[str]
) -> Span | None:
    found = list(re.finditer(_LINE_START + _pattern(tokens), text, re.IGNORECASE | re.MULTILINE))
    if tokens[0].casefold() in _TABLE_WORDS:
        for match in found:
            if (with_table := _captioned(nodes, match.start())) is not None:
                return with_table
    labelled = next((match for match in found if _LABELLED.match(text, match.end())), None)
    best = labelled or next(iter(found), None)
    if best is None:
        return None
    within = min(
        (s.span.end for s in sections if s.span.start <= best.start() < s.span.end), default=len(text)
    )
    kind = tokens[0] if len(tokens) > 1 else ""
    following = (
        re.compile(
            _LINE_START + re.escape(kind) + r"[ \t.\u00a0]{0,3}[0-9A-Z]{1,5}\b", re.MULTILINE | re.IGNORECASE
        )
        if kind
        else re.compile(r"^[ \t]*$", re.MULTILINE)
    )
    after = following.search(text, best.end(), within)
    return Span(best.start(), after.start() if after is not None else within)


def _captioned(nodes: Sequence[Node], start: int) -> Span | None:
    """The block at ``start`` with the table behind it, else the one before it."""
    for i, node in enumerate(nodes):
        if node.span.start <= start < node.span.end:
            behind = nodes[i + 1] if i + 1 < len(nodes) else None
            if behind is not None and _is_table(behind):
                return Span(node.span.start, behind.span.end)
            if i and _is_table(nodes[i - 1]):
                return Span(nodes[i - 1].span.start, node.span.end)
            return None
    return None


def _is_table(node: Node) -> bool:
    return node.kind == "table" or bool(node.children and node.children[0].kind == "row")


def _sub(text: str, whole: Span, sub: str) -> Span | None:
    """The lines of ``whole`` from the one that begins with ``sub`` to the next of its kind. The first of them may stand
    behind the label of the whole: ``§ 12 (1) …``."""
    kind = "[0-9]{1,3}" if sub[1:-1].isdigit() else "[A-Za-z]{1,5}"
    places = [
        (match.start(), match[1])
        for match in re.compile(rf"{_LINE_START}\(({kind})\)", re.MULTILINE).finditer(
            text, whole.start, whole.end
        )
        if match.start() > whole.start
    ]
    if first := re.compile(rf"[^\n(]{{0,40}}\(({kind})\)").match(text, whole.start, whole.end):
        places.insert(0, (whole.start, first[1]))
    for i, (start, said) in enumerate(places):
        if said.casefold() == sub[1:-1].casefold():
            return Span(start, places[i + 1][0] if i + 1 < len(places) else whole.end)
    return None
