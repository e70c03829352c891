"""Which documents a stored answer holds text of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

Mention = tuple[str, str]
"""The id of a document, and the content hash of the version that was quoted; empty where that is not known."""


def mentions(body: str) -> tuple[Mention, ...]:
    """The documents that an answer cites or shows in snippets, each version once.

    Args:
        body: An answer in its canonical JSON. Anything else mentions nothing: the store keeps what it is given.

    >>> mentions(
    ...     '{"citations": [{"doc_id": "fees", "document_hash": "ab"}], "snippets": [{"doc_id": "tour"}]}'
    ... )
    (('fees', 'ab'), ('tour', ''))
    """
    try:
        answer = json.loads(body)
    except ValueError:
        return ()
    if not isinstance(answer, dict):
        return ()
    found = [mention for name in ("citations", "snippets") for mention in _in(answer.get(name))]
    known = {doc_id for doc_id, version in found if version}
    return tuple(
        (doc_id, version) for doc_id, version in dict.fromkeys(found) if version or doc_id not in known
    )


def _in(items: Any) -> Iterator[Mention]:
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict) and isinstance(item.get("doc_id"), str):
            version = item.get("document_hash")
            yield item["doc_id"], version if isinstance(version, str) else ""
