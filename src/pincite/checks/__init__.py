"""Judges: do the cited passages say what the sentence says? One name, one function of ``ports.Judge``'s shape."""

from __future__ import annotations

from pincite.checks.rules import rules
from pincite.ports import Judge

JUDGES: dict[str, Judge] = {"rules": rules}
