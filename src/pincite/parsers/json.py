"""Documents as JSON: source 001's fields, flat or under ``metadata``; one object or a list of them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pincite.errors import ParseError
from pincite.parsers.fields import WRITTEN_BY_PARSERS, is_level_name, make_document, page_label, repaired
from pincite.parsers.plain import decode
from pincite.text.outline import outline, sections
from pincite.types import Document, Page, Section, Span

REQUIRED = ("doc_id", "title", "url", "text")
_OWN = ("text", "sections", "pages", "metadata")
"""Keys that are no plain fields."""


def parse(data: bytes, source: str) -> tuple[Document, ...]:
    """Read one object or a list of objects.

    Raises:
        ParseError: Naming the file and the field. In a list one bad object fails the file: what was meant
            to be added together is added together.

    >>> parse(b'{"doc_id": "f", "title": "Fees", "url": "", "text": "Entry is free."}', "f.json")
    (Document('f', 14 characters, access=None),)
    """
    value = _load(decode(data, source), source)
    if not isinstance(value, list):
        return (_document(value, source),)
    if not value:
        raise ParseError("the list is empty", where=source)
    return tuple(_document(item, f"{source}[{i}]") for i, item in enumerate(value))


def read_document(text: str, source: str) -> Document:
    """The document of one JSON object. Raises ``ParseError`` as ``parse`` does."""
    return _document(_load(text, source, lines=False), source)


def _load(text: str, source: str, *, lines: bool = True) -> object:
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise ParseError(
            f"invalid JSON: {error.msg} (column {error.colno})",
            where=f"{source}:{error.lineno}" if lines else source,
        ) from error
    except ParseError as error:
        raise ParseError(error.message, where=source, hint=error.hint) from error
    except (ValueError, RecursionError) as error:
        # Numbers of thousands of digits, nesting thousands deep.
        raise ParseError(f"JSON that cannot be read: {type(error).__name__}", where=source) from error


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The last of equal names counts, as everywhere, but not of access levels: nobody knows which of two is meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        for name, value in pairs:
            if is_level_name(name) and found[name] != value:
                raise ParseError(f"{name} is given twice", where="", hint="keep one")
    return found


def _document(value: object, source: str) -> Document:
    if not isinstance(value, dict):
        raise ParseError(f"must be a JSON object, got {type(value).__name__}", where=source)
    nested = value.get("metadata")
    if nested is not None and not isinstance(nested, dict):
        raise ParseError(f"metadata must be an object, got {type(nested).__name__}", where=source)
    # What stands outside counts more than what stands in ``metadata``.
    fields: dict[str, object] = {
        **(nested or {}),
        **{name: one for name, one in value.items() if name != "metadata" and one is not None},
    }
    for name in WRITTEN_BY_PARSERS:
        fields.pop(name, None)
    missing = [name for name in REQUIRED if fields.get(name) is None]
    if missing:
        raise ParseError(
            f"missing {', '.join(missing)}", where=source, hint=f"required: {', '.join(REQUIRED)}"
        )
    for name in ("doc_id", "title", "text"):
        if isinstance(text := fields[name], str) and not text.strip():
            raise ParseError(f"{name} is empty", where=source)
    if not isinstance(text := fields["text"], str):
        raise ParseError(f"text must be a string, got {type(text).__name__}", where=source)
    text = repaired(text).replace("\0", "\ufffd")
    return make_document(
        {name: field for name, field in fields.items() if name not in _OWN},
        text,
        source=source,
        format="json",
        sections=_sections(fields.get("sections"), text, source) or sections(outline(text), len(text)),
        pages=_pages(fields.get("pages"), len(text), source),
    )


def _sections(value: object, text: str, source: str) -> tuple[Section, ...]:
    """Sections given with the document, in any of these forms: an object ``{title: text}``; a list of objects
    with ``title`` (or ``heading``, ``path``) and either ``text`` or ``start`` and ``end``; a list of titles.

    Texts and titles are looked for in order, each behind the start of the one before.
    """
    if value is None:
        return ()
    if isinstance(value, dict):
        items: list[object] = [{"title": title, "text": part} for title, part in value.items()]
    elif isinstance(value, list):
        items = list(value)
    else:
        raise ParseError(f"sections must be a list or an object, got {type(value).__name__}", where=source)
    found: list[Section] = []
    at = 0
    for i, item in enumerate(items):
        section = _section(item, text, at, f"{source}: sections[{i}]")
        at = section.span.start + 1
        found.append(section)
    # A title alone opens a section that runs to the next.
    ends = [section.span.start for section in found[1:]] + [len(text)]
    return tuple(
        Section(section.path, Span(section.span.start, end), section.level)
        if not len(section.span)
        else section
        for section, end in zip(found, ends, strict=True)
    )


def _section(item: object, text: str, at: int, where: str) -> Section:
    if isinstance(item, str):
        item = {"title": item}
    if not isinstance(item, dict):
        raise ParseError(f"must be an object or a title, got {type(item).__name__}", where=where)
    path = _path(item, where)
    if item.get("start") is not None or item.get("end") is not None:
        return Section(path, _span(item, len(text), where), len(path))
    words = next((item[name] for name in ("text", "content") if item.get(name) is not None), None)
    if words is not None and not isinstance(words, str):
        raise ParseError(f"text must be a string, got {type(words).__name__}", where=where)
    part = repaired((words or "").strip())
    start = text.find(part or path[-1], at)
    if start < 0:
        raise ParseError("does not stand in text behind the section before it", where=where)
    return Section(path, Span(start, start + len(part)), len(path))


def _path(item: Mapping[str, object], where: str) -> tuple[str, ...]:
    value = next(
        (item[name] for name in ("path", "title", "heading", "name", "section") if item.get(name)), None
    )
    parts = value if isinstance(value, list) else [value]
    if not all(isinstance(part, str) and part.strip() for part in parts) or not parts:
        raise ParseError("needs a title", where=where)
    return tuple(repaired(str(part)).strip() for part in parts)


def _pages(value: object, length: int, source: str) -> tuple[Page, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise ParseError(f"pages must be a list, got {type(value).__name__}", where=source)
    pages: list[Page] = []
    for i, item in enumerate(value):
        where = f"{source}: pages[{i}]"
        if not isinstance(item, dict):
            raise ParseError(f"must be an object, got {type(item).__name__}", where=where)
        span = _span(item, length, where)
        if pages and span.start < pages[-1].span.end:
            raise ParseError("begins before the end of the page before it", where=where)
        label = item.get("label")
        pages.append(
            Page(
                index=i,
                span=span,
                label=page_label("" if label is None else str(label), i),
                width=_number(item, "width", where),
                height=_number(item, "height", where),
            )
        )
    return tuple(pages)


def _span(item: Mapping[str, object], length: int, where: str) -> Span:
    start, end = item.get("start"), item.get("end")
    for value in (start, end):
        if not isinstance(value, int) or isinstance(value, bool):
            raise ParseError("start and end must be whole numbers", where=where)
    assert isinstance(start, int)
    assert isinstance(end, int)
    if not 0 <= start <= end <= length:
        raise ParseError(f"start {start} and end {end} do not lie in a text of {length}", where=where)
    return Span(start, end)


def _number(item: Mapping[str, object], name: str, where: str) -> float | None:
    value = item.get(name)
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < 1e6:
        raise ParseError(f"{name} must be a number of points above 0, got {value!r}", where=where)
    return float(value)
