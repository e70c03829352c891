"""Any server with a ``/rerank`` endpoint (Cohere, Jina, Voyage, vLLM, TEI and others speak it)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pincite.errors import ConfigError, ModelError, install_line
from pincite.ports import Reranker
from pincite.rerankers.options import RerankerOptions
from pincite.text.characters import sendable

EXTRA = "openai"


def open_api(options: RerankerOptions) -> Reranker:
    """A reranker at ``options.base_url``; makes no request yet.

    Raises:
        ConfigError: The extra is not installed, or no model or address is named.
    """
    try:
        import openai
    except ImportError as error:
        raise ConfigError("the api reranker is not installed", hint=install_line(EXTRA)) from error
    if not options.model or not options.base_url:
        raise ConfigError("the api reranker needs a model and a base_url", where="reranker")
    client = openai.OpenAI(
        base_url=options.base_url, api_key=options.api_key or "none", max_retries=2, timeout=60.0
    )

    def rerank(question: str, texts: Sequence[str]) -> list[float]:
        body = {
            "model": options.model,
            "query": sendable(question),
            "documents": [sendable(text) for text in texts],
        }
        try:
            answer: Any = client.post("/rerank", cast_to=object, body=body)
        except openai.APIStatusError as error:
            retryable = error.status_code in (408, 409, 429) or error.status_code >= 500
            raise _failed(options, f"answered {error.status_code}: {error.message}", retryable) from error
        except openai.OpenAIError as error:
            raise _failed(options, str(error), retryable=True) from error
        return _scores(answer, len(texts), options)

    return rerank


def _scores(answer: Any, count: int, options: RerankerOptions) -> list[float]:
    found: dict[int, float] = {}
    try:
        for row in answer["results"]:
            found[int(row["index"])] = float(row["relevance_score"])
    except (KeyError, TypeError, ValueError) as error:
        raise _failed(options, "gave something that is no list of scores", retryable=False) from error
    if set(found) != set(range(count)) or not all(map(math.isfinite, found.values())):
        raise _failed(options, f"did not give one score for each of {count} texts", retryable=False)
    return [found[place] for place in range(count)]


def _failed(options: RerankerOptions, what: str, retryable: bool) -> ModelError:
    return ModelError(
        f"the reranking server {what}",
        where=options.base_url or "",
        hint="check model and base_url of the reranker, and that the server runs",
        retryable=retryable,
    )
