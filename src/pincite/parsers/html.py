"""HTML as its reader sees it: main text, block by block, with tables as rows, headings and their anchors kept.

Hidden text is no text: it would be cited without anybody being able to see it.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pincite.errors import ParseError
from pincite.parsers.encodings import codec_of
from pincite.parsers.fields import check_size, make_document, repaired
from pincite.parsers.grid import grid_of
from pincite.parsers.hidden import hidden_by_rules, is_hidden
from pincite.parsers.html_fields import page_fields
from pincite.parsers.pipes import pipe_table
from pincite.parsers.plain import read_text, without_nul
from pincite.parsers.written import Heading, fenced, heading_sections, small_digits
from pincite.types import Document, Section

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_DROPPED = frozenset(
    "head script style template noscript nav svg canvas iframe object embed audio video picture map select datalist "
    "button dialog rp rt annotation annotation-xml -comment !doctype".split()
)
"""Elements whose content is not shown, or is no text of the page. ``dialog`` is shown when ``open``."""

_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dir div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu ol option p pre search section summary table tbody td "
    "tfoot th thead tr ul".split()
)
"""Elements that begin and end on a line of their own. Source: the HTML standard's rendering section."""

_LISTS = ("ul", "ol", "menu", "dir")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_MAIN = ("main", '[role="main"]', "article")
_MAIN_SHARE = 0.3
"""An element for the main text that holds less of the page's text than this was not meant so."""

_MENU_LINKS = 25

_SPACE = re.compile("[ \t\n\r\f]+")
"""HTML's white space; a no-break space is not."""
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,20})")
_NOT_NESTING = frozenset(
    "area base br col embed hr img input link meta param source track wbr p li dt dd tr td th thead tbody tfoot option "
    "optgroup colgroup caption rt rp html head body path circle rect line polygon g use".split()
)
MAX_CHARS = 25_000_000
"""Of a page with its tags; the parser's tree takes up to forty times as much."""
MAX_DEPTH = 2000
"""Browsers stop at 512. The parser's time grows with the square of the depth."""

MAX_ATTRIBUTES = 500
"""Of a tag. The parser compares each with all before it."""
_TAG_NAME = re.compile(r"<([a-zA-Z][^ \t\n\r\f/>]*+)")
_ATTRIBUTE = re.compile(
    r"[ \t\n\r\f/]*+[^ \t\n\r\f/>][^ \t\n\r\f/>=]*+"
    r"(?:[ \t\n\r\f]*+=[ \t\n\r\f]*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|[^ \t\n\r\f>]*+))?+"
)
_MERGED_TAGS = ("html", "body")
"""Attributes of all of their tags become those of one element."""
_MOST_READ = 3
"""Times that the characters of a page are looked at, in search of such tags."""


def parse(data: bytes, source: str) -> tuple[Document, ...]:
    """Read a page: ``main`` or ``article`` when it has one, else the body without its navigation.

    The text has an empty line between blocks; list items begin with ``- `` or ``1. ``, tables are rows of
    ``| cells |`` with a delimiter line below the header, ``pre`` is a fence. Digits in ``sup`` and ``sub``
    become small digits: 10<sup>6</sup> is 10⁶, not 106.

    >>> (page,) = parse(b"<h1 id=fees>Fees</h1><p>Entry<br>is free.<script>x()</script>", "fees.html")
    >>> page.text, page.sections[0].anchor
    ('Fees\\n\\nEntry\\nis free.', 'fees')
    """
    html, warnings = _decoded(data, source)
    if len(html) > MAX_CHARS:
        raise ParseError(
            f"has {len(html):,} characters; pages of more than {MAX_CHARS:,} are not read",
            where=source,
            hint="split it",
        )
    if _has_endless_tag(html):
        raise ParseError(f"a tag has more than {MAX_ATTRIBUTES} attributes", where=source)
    depth = _depth(html)
    if depth > MAX_DEPTH:
        raise ParseError(f"elements nested {depth} deep, at most {MAX_DEPTH} are read", where=source)
    page = tree(html)
    text, sections = _read(page)
    given = page_fields(page)
    title_node = page.css_first("title")
    title = _SPACE.sub(" ", title_node.text()).strip() if title_node is not None else ""
    if not title:
        title = sections[0].path[-1] if sections else ""
    return (
        make_document(
            given, text, source=source, format="html", title=title, sections=sections, warnings=warnings
        ),
    )


def html_to_text(html: str) -> str:
    """The text of a page or of a part of one, as ``parse`` writes it.

    >>> html_to_text("<ul><li>Free entry<li>No dogs</ul>")
    '- Free entry\\n- No dogs'
    """
    return _read(tree(html))[0]


def tree(html: str) -> LexborHTMLParser:
    """Parse. NULs, which the HTML standard drops or replaces, and lone surrogates are replaced first."""
    from selectolax.lexbor import LexborHTMLParser

    return LexborHTMLParser(repaired(html).replace("\0", "\ufffd"))


def cell_text(cell: LexborNode) -> str:
    """The text of a table cell on one line."""
    writer = _Writer(frozenset())
    writer.walk(cell)
    return " ".join(line.strip(" ") for line in writer.text().split("\n") if line.strip(" "))


def _read(page: LexborHTMLParser) -> tuple[str, tuple[Section, ...]]:
    body = page.body or page.root
    if body is None:
        return "", ()
    hidden = frozenset(hidden_by_rules(page))
    writer = _Writer(hidden)
    writer.walk(body)
    whole = writer.text()
    for selector in _MAIN:
        nodes = page.css(selector)
        # Several articles are a list of teasers, not a main text.
        if len(nodes) == 1:
            main = _Writer(hidden)
            main.walk(nodes[0])
            if len(main.text()) >= _MAIN_SHARE * len(whole):
                writer = main
                break
    return writer.text(), writer.sections()


# --- writing ------------------------------------------------------------------------------------


@dataclass(slots=True)
class _List:
    """An open list: its next number (``None`` for bullets) and the column of its items' text."""

    number: int | None
    indent: str


class _Writer:
    """Walks a tree, without recursion, and writes its text."""

    def __init__(self, hidden: frozenset[int]) -> None:
        self.hidden = hidden
        self.parts: list[str] = []
        self.length = 0
        self.line: list[str] = []
        """Inline text since the last block border."""
        self.lists: list[_List] = []
        self.bullet = ""
        self.tight = False
        """Whether the next block follows the last without an empty line (items of a list)."""
        self.headings: list[Heading] = []
        self.heading: tuple[int, str | None] | None = None

    def text(self) -> str:
        return "".join(self.parts)

    def sections(self) -> tuple[Section, ...]:
        return heading_sections(self.headings, self.length)

    def walk(self, root: LexborNode) -> None:
        node: LexborNode | None = root
        at_root = True
        while node is not None:
            if at_root or self._enter(node):
                at_root = False
                child = node.first_child
                if child is not None:
                    node = child
                    continue
                if node.mem_id != root.mem_id:
                    self._leave(node)
            while node is not None and node.mem_id != root.mem_id and node.next is None:
                node = node.parent
                if node is not None and node.mem_id != root.mem_id:
                    self._leave(node)
            node = None if node is None or node.mem_id == root.mem_id else node.next
        self._flush()

    def _enter(self, node: LexborNode) -> bool:
        """Write what stands before the content of ``node``; whether to go into it."""
        tag = node.tag
        if tag == "-text":
            self.line.append(node.text_content or "")
            return False
        if tag in _DROPPED or node.mem_id in self.hidden:
            return tag == "dialog" and "open" in node.attributes and not is_hidden(node)
        if is_hidden(node):
            return False
        if tag == "br":
            self.line.append("\v")
        elif tag in ("sup", "sub"):
            content = _SPACE.sub("", node.text())
            if small := small_digits(content, raised=tag == "sup"):
                self.line.append(small)
                return False
        elif tag in _BLOCKS:
            self._flush()
            if tag == "table" and self._table(node):
                return False
            if tag == "pre":
                self._pre(node)
                return False
            if tag in _LISTS:
                if _is_menu(node):
                    return False
                start = node.attributes.get("start") or ""
                first = int(start) if start.isascii() and start.isdigit() and len(start) < 7 else 1
                indent = self.lists[-1].indent + "  " if self.lists else ""
                self.lists.append(_List(first if tag == "ol" else None, indent))
            elif tag == "li":
                self._item()
            elif tag in _HEADINGS:
                self.heading = (_HEADINGS[tag], _anchor(node))
        return True

    def _leave(self, node: LexborNode) -> None:
        tag = node.tag
        if tag not in _BLOCKS:
            return
        self._flush()
        if tag in _HEADINGS:
            self.heading = None
        elif tag in _LISTS and self.lists:
            self.lists.pop()
            self.bullet = ""
            self.tight = bool(self.lists)

    def _item(self) -> None:
        if not self.lists:
            self.lists.append(_List(None, ""))
        current = self.lists[-1]
        if current.number is None:
            self.bullet = "- "
        else:
            self.bullet = f"{current.number}. "
            current.number += 1
        current.indent = (self.lists[-2].indent if len(self.lists) > 1 else "") + " " * len(self.bullet)

    def _flush(self) -> None:
        raw = "".join(self.line)
        self.line.clear()
        lines = [_SPACE.sub(" ", part).strip(" ") for part in raw.split("\v")]
        while lines and not lines[-1]:
            lines.pop()
        while lines and not lines[0]:
            lines.pop(0)
        if not lines:
            return
        indent = self.lists[-1].indent if self.lists else ""
        first = indent
        if self.bullet:
            first = indent[: -len(self.bullet)] + self.bullet
        # An empty line inside would end the block: two <br> are one break.
        shown = [line for line in lines if line]
        start = self._block(first + f"\n{indent}".join(shown), tight=self.tight and bool(self.lists))
        self.bullet = ""
        self.tight = bool(self.lists)
        if self.heading is not None and not self.lists:
            level, anchor = self.heading
            self.headings.append((level, start, " ".join(shown), anchor))
            self.heading = None

    def _block(self, block: str, *, tight: bool = False) -> int:
        """Append a block; its offset."""
        if self.parts:
            gap = "\n" if tight else "\n\n"
            self.parts.append(gap)
            self.length += len(gap)
        start = self.length
        self.parts.append(block)
        self.length += len(block)
        return start

    def _pre(self, node: LexborNode) -> None:
        code = node.text().replace("\r\n", "\n").removeprefix("\n").rstrip()
        if code.strip():
            self._block(fenced(code))
            self.tight = False

    def _table(self, node: LexborNode) -> bool:
        """Write a table as rows; false when it only lays out a page, and is to be read like any block."""
        if node.attributes.get("role") in ("presentation", "none") or node.css_first(
            "td table, td h1, td h2, td pre"
        ):
            return False
        grid = grid_of(node, lambda cell: "" if self._unseen(cell) else cell_text(cell))
        if not grid.rows or len(grid.rows[0]) < 2:
            return False
        caption = node.css_first("caption")
        if caption is not None and (words := cell_text(caption)):
            self._block(words)
        if rows := pipe_table(grid.rows, grid.header_rows):
            self._block(rows)
            self.tight = False
        return True

    def _unseen(self, node: LexborNode) -> bool:
        return node.mem_id in self.hidden or is_hidden(node)


def _is_menu(node: LexborNode) -> bool:
    """Whether a list is nothing but links, and many: a choice of languages, a map of the site."""
    links = node.css("li > a")
    if len(links) < _MENU_LINKS:
        return False
    return sum(len(link.text()) for link in links) >= 0.95 * len(_SPACE.sub(" ", node.text()).strip())


# --- reading it ---------------------------------------------------------------------------------


def _anchor(heading: LexborNode) -> str | None:
    """The id that a link to the heading would use: its own, one inside it, or that of the section it opens."""
    own = heading.attributes.get("id")
    if own:
        return own
    inner = heading.css_first("[id], a[name]")
    if inner is not None:
        return inner.attributes.get("id") or inner.attributes.get("name")
    parent = heading.parent
    if parent is not None and parent.tag in ("section", "article", "div") and parent.attributes.get("id"):
        first = parent.first_child
        while first is not None and first.tag == "-text" and not (first.text_content or "").strip():
            first = first.next
        if first is not None and first.mem_id == heading.mem_id:
            return parent.attributes.get("id")
    return None


def _decoded(data: bytes, source: str) -> tuple[str, tuple[str, ...]]:
    match = _META_CHARSET.search(data, 0, 4096)
    if match is None or data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return read_text(data, source)
    label = match[1].decode("ascii")
    name = codec_of(label)
    if name is None:
        raise ParseError(f"unknown charset {label!r}", where=source, hint="save the page as UTF-8")
    # A page whose charset could be read cannot be in UTF-16.
    name = "utf-8" if name.startswith("utf-16") else name
    try:
        text = without_nul(data.decode(name), source)
    except UnicodeDecodeError as error:
        raise ParseError(
            f"not {name.upper()}: byte 0x{data[error.start]:02x} at position {error.start}",
            where=source,
            hint="save the page as UTF-8",
        ) from error
    check_size(text, source)
    return text, ()


def _depth(html: str) -> int:
    """How deep elements are nested at most, counted from the tags alone."""
    depth = deepest = 0
    for match in _TAG.finditer(html):
        if match[2].lower() not in _NOT_NESTING:
            depth = max(0, depth + (-1 if match[1] else 1))
            deepest = max(deepest, depth)
    return deepest


def _has_endless_tag(html: str) -> bool:
    """Whether a tag has too many attributes.

    What looks like a tag in a comment, a script or a value is looked at too, as only the parser itself knows what is one. A page
    that is nothing but such tags in each other has too many as well.
    """
    merged = read = 0
    for tag in _TAG_NAME.finditer(html):
        found, at = 0, tag.end()
        while found <= MAX_ATTRIBUTES and (match := _ATTRIBUTE.match(html, at)):
            found, at = found + 1, match.end()
        read += at - tag.end()
        merged += found if found and tag[1].lower() in _MERGED_TAGS else 0
        if max(found, merged) > MAX_ATTRIBUTES or read > _MOST_READ * len(html):
            return True
    return False
