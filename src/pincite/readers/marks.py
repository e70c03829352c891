"""Citations that a provider hands over beside its text: a marker for each, and the source that it means."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pincite.errors import ConfigError
from pincite.findings import Pointer
from pincite.text.printing import print_markers
from pincite.text.sentences import split_sentences
from pincite.types import Document, Hit, Span

CITED_TEXT = "cited text"
"""``Document.kind`` of a source of which nothing is known but what the answer itself quotes from it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One citation.

    Args:
        spelling: The marker that stands for it in the text that was read: ``[cited-3]``.
        quote: The words it cites, if it says them.
        own: Its place, from 1, among the sources that the answer brought; 0 when it has none there.
        place: Its place, from 1, among the sources that the question was asked with, if it tells.
        names: What it calls its source: file id and name, title, URL. Exact, most telling first.
    """

    spelling: str
    quote: str | None = None
    own: int = 0
    place: int | None = None
    names: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What people call it when no source fits."""
        return next(iter(self.names), str(self.place or self.own or "?"))


def resolved(marks: Sequence[Mark], hits: Sequence[Hit], *, own: bool) -> dict[str, tuple[str, ...]]:
    """Which prompt ids each marker means; its label, which is no such id, where no source fits.

    With ``own``, ``hits`` are the answer's own sources. Otherwise a name that a source bears decides, and among several
    such, or without one, the place.
    """
    named: dict[str, list[str]] = {}
    for number, hit in enumerate(hits, start=1):
        document = hit.document
        spelled = (hit.chunk.chunk_id, document.doc_id, document.title, document.url)
        for name in dict.fromkeys((*spelled, document.url.rsplit("/", 1)[-1])):
            if name:
                named.setdefault(name, []).append(f"c-{number}")
    return {mark.spelling: _ids(mark, named, len(hits), own=own) for mark in marks}


def _ids(mark: Mark, named: Mapping[str, Sequence[str]], count: int, *, own: bool) -> tuple[str, ...]:
    place = mark.own if own else mark.place or 0
    by_place = f"c-{place}" if 1 <= place <= count else None
    matching = () if own else next((tuple(named[name]) for name in mark.names if name in named), ())
    if by_place is not None and (not matching or by_place in matching):
        return (by_place,)
    return matching or (mark.label,)


def quotes_of(marks: Sequence[Mark]) -> dict[str, str]:
    """The words that each marker cites, of those that say them."""
    return {mark.spelling: mark.quote for mark in marks if mark.quote}


def with_markers(plain: str, cited: Sequence[tuple[Span, str]]) -> str:
    """``plain`` with a marker behind each cited span, and behind each sentence that ends in it.

    ``cited`` holds spans of ``plain`` and the spelling of the marker; several of one span keep their order.

    >>> with_markers("Entry is free. Tours cost 5 EUR.", [(Span(0, 14), "cited-1")])
    'Entry is free [cited-1]. Tours cost 5 EUR.'
    """
    sentences = split_sentences(plain)
    ends = [sentence.end for sentence in sentences]
    pointers = []
    for span, spelling in cited:
        last = span.start + len(span.of(plain).rstrip())
        within = sentences[bisect_right(ends, span.start) : bisect_left(ends, last)]
        inner = [sentence.end for sentence in within if not _leads(plain, sentence)]
        pointers += [Pointer(spelling, at, known=False) for at in (*inner, last)]
    return print_markers(plain, pointers, labels={}, sentences=sentences)


def _leads(plain: str, sentence: Span) -> bool:
    """Whether it is a lead-in or a heading: these need no marker."""
    line = plain.rfind("\n", 0, sentence.start) + 1
    return plain[sentence.end - 1] in ":：" or plain.startswith("#", line)


def own_source(number: int, text: str, name: str, url: str = "") -> Document:
    """A source of which the answer tells only ``text``; its title says so."""
    title = f"{name} (as the answer quotes it)" if text else name
    return Document(f"cited-{number}", text, title=title, url=url, kind=CITED_TEXT, access_level="public")


# --- shapes -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shape:
    """Reads values of a message of ``provider``, and says where one is not what it must be."""

    provider: str

    def wrong(self, where: str, what: str) -> ConfigError:
        """The error for the value at ``where``."""
        return ConfigError(
            f"cannot read the {self.provider} message: {where} {what}",
            hint="pass the response as the provider's library returned it, or its JSON",
        )

    def string(self, values: Mapping[str, Any], name: str, where: str, *, needed: bool = False) -> str:
        """The text at ``name``; empty when there is none and none is needed."""
        value = values.get(name)
        if isinstance(value, str):
            return value
        if value is None and not needed:
            return ""
        raise self.wrong(f"{where}.{name}", f"must be a text, got {type(value).__name__}")

    def index(self, values: Mapping[str, Any], name: str, where: str) -> int | None:
        """The whole number from 0 at ``name``, if there is one."""
        value = values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self.wrong(f"{where}.{name}", f"must be a whole number from 0, got {value!r:.40}")
        return value

    def items(self, value: Any, where: str) -> list[Mapping[str, Any]]:
        """A list of mappings; empty for ``None``."""
        if value is None:
            return []
        if not isinstance(value, list | tuple):
            raise self.wrong(where, f"must be a list, got {type(value).__name__}")
        read = [as_mapping(one) for one in value]
        for number, one in enumerate(read):
            if one is None:
                raise self.wrong(
                    f"{where}[{number}]", f"must be an object, got {type(value[number]).__name__}"
                )
        return [one for one in read if one is not None]


def as_mapping(value: Any) -> Mapping[str, Any] | None:
    """A mapping as it is, an object of a provider's library by what it holds; ``None`` for anything else."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, type):
        return None
    dump: Callable[[], Any] | None = getattr(value, "model_dump", None)
    if callable(dump):
        dumped = dump()
        return dumped if isinstance(dumped, Mapping) else None
    return vars(value) if hasattr(value, "__dict__") and not callable(value) else None
