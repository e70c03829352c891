"""What a page says of itself in its head: language, address, author, date."""

from __future__ import annotations

import re
from datetime import date as day
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_DATES = (
    "article:modified_time", "article:published_time", "dcterms.modified", "dcterms.date", "dcterms.issued", "dc.date",
    "date",
)  # fmt: skip
"""Names of ``meta`` for the date, the best first. Sources: Open Graph, Dublin Core."""
_AUTHORS = ("author", "article:author", "dcterms.creator", "dc.creator")
_DAY = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?![0-9])")
_MAX_CHARS = 200


def page_fields(page: LexborHTMLParser) -> dict[str, object]:
    """Fields for ``make_document``; what cannot be is not taken over."""
    said: dict[str, str] = {}
    for meta in page.css("head meta"):
        name = (meta.attributes.get("name") or meta.attributes.get("property") or "").strip().lower()
        text = " ".join((meta.attributes.get("content") or "").split())
        if text and len(text) <= _MAX_CHARS and text.isprintable():
            said.setdefault(name, text)
    dates = (match for name in _DATES if (match := _DAY.match(said.get(name, ""))))
    date = next(dates, None)
    # A profile's address is nobody's name.
    authors = (said[name] for name in _AUTHORS if name in said and "://" not in said[name])
    return {
        "language": _language(page),
        "url": _canonical(page),
        "owner": next(authors, None),
        "published_date": _real_day(date[0]) if date else None,
    }


def _real_day(text: str) -> str | None:
    try:
        return day.fromisoformat(text).isoformat()
    except ValueError:  # the 31st of a month of 30 days
        return None


def _language(page: LexborHTMLParser) -> str | None:
    root = page.css_first("html")
    value = root.attributes.get("lang") if root is not None else None
    return (
        value.strip() if value and re.fullmatch(r"\s*[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*\s*", value) else None
    )


def _canonical(page: LexborHTMLParser) -> str | None:
    link = page.css_first('link[rel="canonical"]')
    href = (link.attributes.get("href") or "").strip() if link is not None else ""
    return href if re.match("https?://", href, re.IGNORECASE) and len(href) <= 2000 else None
