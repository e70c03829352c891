"""Answers from your own documents in which every factual sentence carries a checked citation.

>>> from pincite import verify
>>> verify("Tours cost 5 EUR [1].", sources=["Guided tours cost 5 EUR."]).ok
True
"""

from __future__ import annotations

from pincite.answer import Answer, Report
from pincite.pipeline import Pipeline
from pincite.types import Document
from pincite.verification import verify

__all__ = ["Answer", "Document", "Pipeline", "Report", "__version__", "verify"]

__version__ = "0.1.0"
