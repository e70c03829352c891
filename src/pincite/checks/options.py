"""What opening a judge needs to know."""

from __future__ import annotations

from dataclasses import dataclass

from pincite.ports import Model


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """``entailment`` is the folder or hub name of a cross-encoder, ``model`` the language model to ask; ``where`` names
    the place of the setting in messages."""

    entailment: str = ""
    model: Model | None = None
    where: str = ""
