"""Other systems' answers and sources, read into ours. A reader accepts a shape it knows and returns ``None`` otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pincite.errors import ConfigError
from pincite.readers.anthropic import anthropic
from pincite.readers.openai import openai
from pincite.readers.plain import ReadAnswer, plain
from pincite.readers.quoted import own, quoted

READERS: dict[str, Callable[[Any], ReadAnswer | None]] = {
    "plain": plain,
    "own": own,
    "openai": openai,
    "anthropic": anthropic,
    "quoted": quoted,
}
"""Tried in this order."""


def read_answer(answer: Any) -> ReadAnswer:
    """An answer in any known shape.

    Raises:
        ConfigError: If no reader knows the shape.
    """
    for reader in READERS.values():
        read = reader(answer)
        if read is not None:
            return read
    raise ConfigError(
        f"cannot read an answer from {type(answer).__name__}",
        hint="pass the answer's text, a dict with `answer` or `text`, an Answer, or a message of Anthropic or OpenAI",
    )
