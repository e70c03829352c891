"""A real small model in a real server (llama.cpp). Runs only where `PINCITE_GGUF` names a model file; no build waits for it.

What such a model writes is mostly wrong. That is what it is good for: the walk must bear it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite import Document, Pipeline
from pincite.findings import Support
from pincite.repair import SHOWN

MODEL = os.environ.get("PINCITE_GGUF", "")
if not MODEL or not Path(MODEL).is_file():
    pytest.skip("PINCITE_GGUF names no model file", allow_module_level=True)
pytest.importorskip("openai", reason="the extra openai is not installed")
xllamacpp = pytest.importorskip("xllamacpp", reason="the extra local-llm is not installed")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    params = xllamacpp.CommonParams()
    params.model.path = MODEL
    params.n_ctx = 4096
    params.n_parallel = 1
    params.cpuparams.n_threads = 2
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


def test_whatever_a_small_model_writes_only_checked_sentences_are_shown(address: str) -> None:
    settings = {
        "model": "openai-compatible:small",
        "base_url": address,
        "context_tokens": 4096,
        "max_reply_tokens": 200,
        "timeout_s": 3600.0,
        "read_timeout_s": 1800.0,
    }
    with Pipeline(store="memory", embedder="none", llm=settings) as rag:
        rag.add(
            Document("returns", "Items may be returned within 30 days of delivery."),
            Document("shipping", "Express delivery costs 9 EUR and takes one day."),
        )
        answer = rag.ask("How many days do I have to return an item?")
    assert answer.usage.output_tokens or answer.warnings
    assert all(sentence.support in SHOWN for sentence in answer.sentences if sentence.factual)
    assert answer.abstained or any(one.support is Support.SUPPORTED for one in answer.sentences)
