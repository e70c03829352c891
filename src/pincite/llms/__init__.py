"""What drafts an answer: models, and a stand-in that needs none."""

from __future__ import annotations

from collections.abc import Callable

from pincite.llms.extractive import extractive
from pincite.llms.options import ModelOptions
from pincite.llms.scripted import ScriptedModel
from pincite.ports import Model


def _open_openai(options: ModelOptions) -> Model:
    from pincite.llms.openai import open_openai

    return open_openai(options)


def _open_compatible(options: ModelOptions) -> Model:
    from pincite.llms.openai import open_compatible

    return open_compatible(options)


def _open_anthropic(options: ModelOptions) -> Model:
    from pincite.llms.anthropic import open_anthropic

    return open_anthropic(options)


def _open_citations(options: ModelOptions) -> Model:
    from pincite.llms.anthropic import open_citations

    return open_citations(options)


MODELS: dict[str, Callable[[ModelOptions], Model]] = {
    "extractive": lambda options: extractive,
    "scripted": lambda options: ScriptedModel(()),
    "openai": _open_openai,
    "openai-compatible": _open_compatible,
    "anthropic": _open_anthropic,
    "anthropic-citations": _open_citations,
}
"""The word before the colon of a model's name to a function that opens the one behind it. The libraries are imported then."""
