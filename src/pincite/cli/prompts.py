"""``prompt show``: what a language model would be sent."""

from __future__ import annotations

import json

from pincite.cli.output import emit
from pincite.cli.session import Session

EXAMPLE_KEY = "KEY"
"""Stands for the key that fences the sources, where there are none."""


def show(session: Session, *, question: str | None, top_k: int | None, reader: str, as_json: bool) -> int:
    """Print the messages for a question, or the rules alone."""
    from pincite.generate import build_request, estimated_tokens
    from pincite.llms.extractive import extractive
    from pincite.llms.sent import sent
    from pincite.prompts import fill, fingerprint, phrase
    from pincite.text.words import detect_language
    from pincite.types import Question
    from pincite.wiring.models import reply_tokens

    llm = session.settings().config.llm
    kind = llm.model.partition(":")[0]
    if kind == "extractive":
        session.note(
            "the model that is set, extractive, reads no prompt; this is what a language model would be sent"
        )
    if question is None:
        rules = fill(
            "answer",
            no_information=phrase("no_information", None),
            partial=phrase("partial", None),
            language="as the question is written",
            nonce=EXAMPLE_KEY,
        )
        system, prompt, left_out = rules.rstrip("\n"), "", list[str]()
    else:
        # Without the model itself: what is only shown needs no key and no server.
        with session.pipeline(llm=extractive, log=False) as pipeline:
            hits = pipeline.retrieve(question, top_k=top_k, reader=reader)
            language = pipeline.settings.language or detect_language(question)
        request = build_request(
            Question(question),
            hits,
            language=language,
            context_tokens=llm.context_tokens,
            reply_tokens=reply_tokens(llm),
        )
        messages = sent(request, kind)
        system, prompt, left_out = messages.system.rstrip("\n"), messages.prompt, list[str](request.left_out)
    tokens = estimated_tokens(system + prompt)
    if as_json:
        emit(
            json.dumps(
                {
                    "prompt_hash": fingerprint(),
                    "model": llm.model,
                    "system": system,
                    "prompt": prompt,
                    "tokens_at_most": tokens,
                    "left_out": left_out,
                },
                ensure_ascii=False,
            )
        )
        return 0
    session.note(f"prompt {fingerprint()}, at most {tokens:,} tokens")
    if left_out:
        session.note(f"left out, because [llm] context_tokens is reached: {', '.join(left_out)}")
    emit(f"{system}\n\n{prompt}".rstrip())
    return 0
