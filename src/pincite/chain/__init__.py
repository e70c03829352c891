"""The chain over all that was logged: what is hashed, how links are made and checked. Pure functions; stores keep what
they return.

Links hold hashes, never texts: an answer may be erased, or lose the words of a document that was removed, and the chain
stays whole. Each such change is a link of its own, so that ``check`` tells what was changed lawfully from what was not.
Order is the position alone. A link says in its ``detail`` when the clock stood before that of the link before.
"""

from pincite.chain.checking import Change, Fault, LogReport, check
from pincite.chain.links import (
    content_hash,
    count_of,
    detail_of,
    end_of_prefix,
    head_of,
    link_hash,
    logged_before,
    no_answer,
    of_answer,
    of_erasure,
    of_feedback,
    of_note,
    of_pruning,
    of_review,
    of_rewriting,
    start_of,
)

__all__ = [
    "Change",
    "Fault",
    "LogReport",
    "check",
    "content_hash",
    "count_of",
    "detail_of",
    "end_of_prefix",
    "head_of",
    "link_hash",
    "logged_before",
    "no_answer",
    "of_answer",
    "of_erasure",
    "of_feedback",
    "of_note",
    "of_pruning",
    "of_review",
    "of_rewriting",
    "start_of",
]
