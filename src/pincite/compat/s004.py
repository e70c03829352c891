"""Source 004: ``answer`` with ``[c-N]``, verbatim quotes that are looked up, one retry, then the note."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pincite.answer import REMOVAL_NOTE
from pincite.findings import QUOTE_PREVIEW_CHARS, QuoteMatchKind
from pincite.prompts import FEEDBACK
from pincite.quotes import match_quote
from pincite.renderers.profiles import quoted_004
from pincite.text.replies import AnswerObject, read_answer_object
from pincite.text.strip import strip_failed
from pincite.types import shorten

__all__ = [
    "FEEDBACK",
    "FUZZY_THRESHOLD",
    "GOLDEN_SET_SIZE",
    "MAX_DROP_POINTS",
    "QUOTE_LIMIT",
    "REMOVAL_NOTE",
    "TARGET_COVERAGE",
    "TARGET_PRECISION",
    "feedback",
    "parse_response",
    "preview",
    "quoted_004",
    "strip_unverified",
    "verify_quotes",
]

FUZZY_THRESHOLD = 0.85
QUOTE_LIMIT = 280
"""A quote is shown with fewer characters than this, the ellipsis included."""

GOLDEN_SET_SIZE = 250
TARGET_COVERAGE = 0.95
TARGET_PRECISION = 0.95
MAX_DROP_POINTS = 2.0
"""A larger drop since the last main build fails the build."""

_STATUS = {
    QuoteMatchKind.EXACT: "VERIFIED",
    QuoteMatchKind.NORMALIZED: "VERIFIED",
    QuoteMatchKind.UNIT_EQUIVALENT: "VERIFIED",
    QuoteMatchKind.FUZZY: "PARAPHRASED",
}


def parse_response(raw: str) -> AnswerObject:
    """The object in a model's reply: mended where it is damaged, told apart where it was cut off."""
    return read_answer_object(raw)


def preview(quote: str) -> str:
    """A quote for a tooltip, cut at a word.

    >>> len(preview("word " * 100)) < QUOTE_LIMIT
    True
    """
    return shorten(quote, QUOTE_PREVIEW_CHARS)


def verify_quotes(response: Mapping[str, Any], chunks: Mapping[str, str]) -> list[dict[str, Any]]:
    """Look up each citation's quote in the chunk of its id: VERIFIED, PARAPHRASED or UNVERIFIED, and where.

    Args:
        response: The object with ``citations``.
        chunks: Text by the ids of the prompt, and by ``chunk_id`` where these differ.

    Returns:
        Each citation with ``status``, ``start`` and ``end`` (in the chunk, code points; ``None`` where it is not) and
        ``similarity``. A changed number, unit, name or negation is UNVERIFIED however alike the rest is.

    >>> response = {
    ...     "citations": [
    ...         {"id": "c-1", "quote": "kept for 90 days"},
    ...         {"id": "c-1", "quote": "kept for 30 days"},
    ...     ]
    ... }
    >>> [one["status"] for one in verify_quotes(response, {"c-1": "Files are kept for 30 days."})]
    ['UNVERIFIED', 'VERIFIED']
    """
    return [_looked_up(one, chunks) for one in response.get("citations") or [] if isinstance(one, Mapping)]


def _looked_up(citation: Mapping[str, Any], chunks: Mapping[str, str]) -> dict[str, Any]:
    names = (str(citation.get("id")), str(citation.get("chunk_id")))
    text = next((chunks[key] for key in names if key in chunks), None)
    quote = citation.get("quote")
    if text is None or not isinstance(quote, str):
        return {**citation, "status": "UNVERIFIED", "start": None, "end": None, "similarity": 0.0}
    match = match_quote(quote, text)
    return {
        **citation,
        "status": _STATUS.get(match.kind, "UNVERIFIED"),
        "start": match.start,
        "end": match.end,
        "similarity": round(match.score, 4),
    }


def feedback(failed: Sequence[Mapping[str, Any]]) -> str:
    """What the one retry says: a line for each citation that was not found. ``claim`` of a citation is its sentence."""
    return "\n".join(
        FEEDBACK.format(claim=repr(str(one.get("claim") or one.get("quote") or "")), id=one.get("id"))
        for one in failed
    )


def strip_unverified(answer: str, context_ids: Sequence[str], unverified_ids: Sequence[str]) -> str:
    """The answer after the retry failed too: without the sentences that only these ids back, with the note if any went.

    >>> strip_unverified(
    ...     "Entry is free [c-1]. Tours cost 9 EUR [c-2].", ["c-1", "c-2"], ["c-2"]
    ... ).splitlines()[0]
    'Entry is free [c-1].'
    """
    stripped = strip_failed(answer, context_ids, unverified_ids)
    return "\n\n".join((stripped.body, REMOVAL_NOTE)).strip() if stripped.removed else stripped.body
