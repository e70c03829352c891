"""Which of several versions of a text holds at the time that a question is about."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from pincite.text.bearing import Part
from pincite.text.moments import Moment
from pincite.text.words import content_words
from pincite.types import DocId, DocumentInfo

ALIKE = 0.7
"""Another version takes the place of one only where it says this much of what that one says about the question."""

Share = Callable[[Part], float]
"""How much of what is asked a part says, in 0-1."""


def in_force(parts: Sequence[Part], moment: Moment, share: Share) -> list[Part]:
    """The parts without those of documents that did not hold at that time, or do not any more.

    Of documents in one language whose titles share a word and whose dates differ, the one holds that was published last
    before that time. A document alone, or without a date, is left as it is.
    """
    known = {one.hit.document.doc_id: one.hit.document for one in parts}
    said: dict[DocId, float] = {}
    for one in parts:
        doc_id = one.hit.document.doc_id
        said[doc_id] = max(said.get(doc_id, 0.0), share(one))
    dropped = {doc_id for doc_id in known if _is_replaced(known[doc_id], known.values(), moment, said)}
    return [one for one in parts if one.hit.document.doc_id not in dropped]


def newest(first: Part, others: Sequence[Part], share: Share) -> Part:
    """Of parts that answer alike, the one of the newest version of the document of ``first``: itself, where it is that."""
    needed = share(first)
    newer = [
        one
        for one in others
        if are_versions(first.hit.document, one.hit.document)
        and _date(one.hit.document) > _date(first.hit.document)
        and share(one) >= needed
    ]
    return newer[0] if newer else first


def are_versions(one: DocumentInfo, other: DocumentInfo) -> bool:
    """Whether two documents of one language, of different dates, share a word of their titles."""
    if one.doc_id == other.doc_id or one.language != other.language:
        return False
    if not _date(one) or not _date(other) or _date(one) == _date(other):
        return False
    return not _title(one).isdisjoint(_title(other))


def _is_replaced(
    document: DocumentInfo, documents: Collection[DocumentInfo], moment: Moment, said: Mapping[DocId, float]
) -> bool:
    needed = ALIKE * said[document.doc_id]
    return any(
        _begun(other, moment)
        and (not _begun(document, moment) or _date(other) > _date(document))
        and said[other.doc_id] >= needed
        and are_versions(document, other)
        for other in documents
    )


def _begun(document: DocumentInfo, moment: Moment) -> bool:
    return _date(document)[: len(moment.date)] <= moment.date


def _date(document: DocumentInfo) -> str:
    return document.published_date or ""


def _title(document: DocumentInfo) -> frozenset[str]:
    return frozenset(token.term for token in content_words(document.title, document.language))
