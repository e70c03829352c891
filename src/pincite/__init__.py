"""Answers from your own documents in which every factual sentence carries a checked citation.

>>> from pincite import verify
>>> verify("Tours cost 5 EUR [1].", sources=["Guided tours cost 5 EUR."]).ok
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pincite.answer import Answer, Report
    from pincite.pipeline import Pipeline
    from pincite.types import Document
    from pincite.verification import verify

__all__ = ["Answer", "Document", "Pipeline", "Report", "__version__", "verify"]

__version__ = "0.1.0"

_HOMES = {
    "Answer": "pincite.answer",
    "Document": "pincite.types",
    "Pipeline": "pincite.pipeline",
    "Report": "pincite.answer",
    "verify": "pincite.verification",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: ``import pincite`` itself stays instant (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'pincite' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
