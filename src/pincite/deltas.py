"""What a model gives, held to its port: models are other people's functions."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterable
from contextlib import closing, suppress
from typing import TypeGuard

from pincite.errors import ModelError, PinciteError
from pincite.ports import Delta, Model, ModelRequest
from pincite.types import Usage

logger = logging.getLogger(__name__)

_MODEL_HINT = "write it as a generator: yield pincite.ports.Delta(text)"


def deltas(model: Model, request: ModelRequest) -> Generator[Delta, None, None]:
    """What a model gives, when it is what ``ports.Model`` says. Closing the iterator closes the model's.

    Models are other people's functions: whatever they raise is a model that failed, and none may take down with it
    what it had said before.

    Raises:
        ModelError: If the model fails, or gives something else.
    """
    given: object = None
    try:
        given = model(request)
        if not isinstance(given, Iterable):
            raise ModelError(
                f"the model gave {type(given).__name__}, not an iterator of Delta", hint=_MODEL_HINT
            )
        for delta in given:
            if not _is_delta(delta):
                raise ModelError(
                    f"the model gave {type(delta).__name__}, not a Delta with a text", hint=_MODEL_HINT
                )
            yield delta
    except PinciteError:
        raise
    except Exception as error:
        # Its message may hold an address with a key, and warnings are shown to readers: that is for the log.
        logger.warning("the model failed", exc_info=error)
        raise ModelError(f"the model failed with {type(error).__name__}") from error
    finally:
        close = getattr(given, "close", None)
        if close is not None:
            with suppress(Exception):
                close()


def collect_text(model: Model, request: ModelRequest, *, max_chars: int) -> str:
    """The text of a whole reply. One of more than ``max_chars`` characters is cut off behind the piece that goes beyond.

    Raises:
        ModelError: As ``deltas``.
    """
    text = ""
    with closing(deltas(model, request)) as pieces:
        for piece in pieces:
            text += piece.text
            if len(text) > max_chars:
                break
    return text


def _is_delta(given: object) -> TypeGuard[Delta]:
    if not isinstance(given, Delta):
        return False
    fields: tuple[object, object] = (given.text, given.usage)
    return isinstance(fields[0], str) and isinstance(fields[1], Usage | None)
