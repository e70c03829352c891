"""What of a request reaches a model, as people may read it."""

from __future__ import annotations

from dataclasses import dataclass

from pincite.ports import ModelRequest
from pincite.prompts import fill, phrase
from pincite.text.shown import asked, described, shown_text

WRAPPED = frozenset({"openai", "openai-compatible", "anthropic"})
"""Kinds that are asked for one object; a server that can give none is asked for lines."""


@dataclass(frozen=True, slots=True)
class Sent:
    """The two messages of a first request. The second holds the sources and the question."""

    system: str
    prompt: str


def wrapped_system(request: ModelRequest) -> str:
    """The system message for a model that answers with one object instead of lines."""
    return f"{request.system}\n{fill('wrapped')}"


def native_system(request: ModelRequest) -> str:
    """The system message for a provider that cites by itself."""
    return fill(
        "native",
        no_information=phrase("no_information", request.language),
        language=request.language or "as the question is written",
    )


def sent(request: ModelRequest, kind: str) -> Sent:
    """What a model of that kind (``llms.MODELS``) is sent."""
    if kind == "anthropic-citations":
        documents = "\n\n".join(
            f"document c-{place}: {described(hit)}\n{shown_text(hit)}"
            for place, hit in enumerate(request.hits, start=request.question.first_id)
        )
        return Sent(native_system(request), f"{documents}\n\n{asked(request.question)}")
    return Sent(wrapped_system(request) if kind in WRAPPED else request.system, request.prompt)
