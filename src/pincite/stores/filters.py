"""Filters on what is known of a document."""

from __future__ import annotations

from pincite.errors import ConfigError
from pincite.ports.stores import Filters
from pincite.types import DocumentInfo

FILTER_FIELDS = (
    "doc_id",
    "title",
    "url",
    "kind",
    "format",
    "access_level",
    "owner",
    "published_date",
    "version",
    "language",
    "status",
    "licence",
)
"""Fields of ``DocumentInfo`` that a filter may name."""


def check_filters(filters: Filters) -> None:
    """Raise ``ConfigError`` when a filter names no field of a document.

    >>> check_filters((("colour", "red"),))
    Traceback (most recent call last):
        ...
    pincite.errors.ConfigError: cannot filter by 'colour'; choose from access_level, doc_id, format, kind, ...
    """
    for field, _ in filters:
        if field not in FILTER_FIELDS:
            raise ConfigError(
                f"cannot filter by {field!r}", hint=f"choose from {', '.join(sorted(FILTER_FIELDS))}"
            )


def passes(info: DocumentInfo, filters: Filters) -> bool:
    """Whether all filters hold.

    >>> passes(DocumentInfo("a", kind="faq"), (("kind", "faq"), ("language", "de")))
    False
    """
    return all(getattr(info, field) == value for field, value in filters)
