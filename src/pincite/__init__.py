"""Answers from your own documents in which every factual sentence carries a checked citation."""

__version__ = "0.1.0"
