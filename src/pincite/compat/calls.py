"""Other people's retrievers and models: called by what their functions take, read by what they return."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any

from pincite.errors import ConfigError
from pincite.readers.marks import as_mapping

_LIMITS = ("top_k", "k", "limit", "n_results", "n")
_TEXTS = ("content", "text", "page_content", "snippet")
_SYSTEMS = ("system", "system_prompt")


class Record(dict[str, Any]):
    """A mapping whose values are attributes too: ``chunk["text"]`` and ``chunk.text``."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def search(retriever: Any, query: str, top_k: int) -> list[Record]:
    """What ``retriever.search`` finds, as records; at most ``top_k``.

    The limit goes by whichever name the function has for it. A hit may be a mapping, an object, a text, or a pair of one
    of these and its score.

    Raises:
        ConfigError: If there is no ``.search()``, or a hit cannot be read.
    """
    find = getattr(retriever, "search", None)
    if not callable(find):
        raise ConfigError(
            f"{type(retriever).__name__} has no .search()", hint="pass a retriever that has one"
        )
    found = _limited(find, query, top_k)
    return [read_hit(one) for one in islice(found, top_k)]


def _limited(find: Callable[..., Any], query: str, top_k: int) -> Any:
    names = _parameters(find)
    if names is None:
        return find(query, top_k)
    name = next((one for one in _LIMITS if one in names), None)
    if name is not None:
        return find(query, **{name: top_k})
    return (
        find(query, top_k=top_k) if "**" in names else find(query, top_k) if len(names) > 1 else find(query)
    )


def read_hit(hit: Any) -> Record:
    """A hit with all its fields, and its text as ``content``."""
    score = None
    if isinstance(hit, tuple | list) and len(hit) == 2 and isinstance(hit[1], int | float):
        hit, score = hit
    values = {"content": hit} if isinstance(hit, str) else as_mapping(hit)
    text = (
        None
        if values is None
        else next((values[key] for key in _TEXTS if isinstance(values.get(key), str)), None)
    )
    if values is None or text is None:
        raise ConfigError(f"a hit has no text: {type(hit).__name__}", hint="give it content or text")
    more = {} if score is None else {"score": float(score)}
    return Record({**values, **more, "content": text})


def invoke(llm: Any, prompt: str, *, system: str = "") -> str:
    """What ``llm.invoke`` answers, as text. Both shapes of call are there: one text, or, where its first parameter is
    called ``messages``, a list of messages.

    Raises:
        ConfigError: If there is no ``.invoke()``.
    """
    ask = getattr(llm, "invoke", None)
    if not callable(ask):
        raise ConfigError(f"{type(llm).__name__} has no .invoke()", hint="pass a model that has one")
    names = _parameters(ask) or ()
    if names and names[0] == "messages":
        messages = [{"role": "system", "content": system}] if system else []
        return reply_text(ask([*messages, {"role": "user", "content": prompt}]))
    named = next((one for one in _SYSTEMS if one in names), None)
    if named is not None and names[0] != named:
        return reply_text(ask(prompt, **{named: system}))
    return reply_text(ask(f"{system}\n\n{prompt}" if system else prompt))


def reply_text(reply: Any) -> str:
    """The text of a reply: a string, or whatever its ``content`` or ``text`` holds.

    >>> reply_text({"content": [{"type": "text", "text": "Yes"}, {"type": "text", "text": "."}]})
    'Yes.'
    """
    if isinstance(reply, str):
        return reply
    if isinstance(reply, Sequence):
        return "".join(reply_text(one) for one in reply)
    for name in ("content", "text"):
        value = reply.get(name) if isinstance(reply, Mapping) else getattr(reply, name, None)
        if isinstance(value, str | list | tuple):
            return reply_text(value)
    return str(reply)


def _parameters(function: Callable[..., Any]) -> tuple[str, ...] | None:
    """The names a function takes, ``**`` for any; ``None`` when it does not tell."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    kinds = inspect.Parameter
    return tuple(
        "**" if one.kind is kinds.VAR_KEYWORD else one.name
        for one in parameters
        if one.kind is not kinds.VAR_POSITIONAL
    )
