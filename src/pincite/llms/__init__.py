"""What drafts an answer: models, and a stand-in that needs none."""

from __future__ import annotations

from collections.abc import Callable

from pincite.llms.extractive import extractive
from pincite.llms.scripted import ScriptedModel
from pincite.ports import Model

MODELS: dict[str, Callable[[], Model]] = {
    "extractive": lambda: extractive,
    "scripted": lambda: ScriptedModel(()),
}
"""Name to a function that gives the model."""
