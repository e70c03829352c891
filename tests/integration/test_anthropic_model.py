"""Messages with the real library, against a scripted server on this machine: the tool form and the provider's citations."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("anthropic", reason="the extra anthropic is not installed")

from tests.doubles import hits, statement
from tests.integration.model_server import (
    Reply,
    Seen,
    event,
    failure,
    message,
    model_server,
    prose,
    tool_input,
)

from pincite import Document, Pipeline
from pincite.errors import ConfigError, ModelError
from pincite.findings import Support
from pincite.generate import build_request, build_revision, draft_of, run
from pincite.llms.anthropic import AnthropicModel, open_anthropic, open_citations
from pincite.llms.options import ModelOptions
from pincite.ports import ModelRequest
from pincite.types import Draft, Question, Quote, Statement, Usage

SOURCES = hits("Tours start at noon.", "Dogs may come along.")
REQUEST = build_request(Question("When do tours start?"), SOURCES, language="en")
NOON = statement("Tours start at noon.", ("c-1", "start at noon"))
WRAPPED = json.dumps({"lines": [json.loads(NOON)], "uncovered_aspects": ["dogs"], "self_rating": 5})
KEY = "sk-ant-very-secret-0123456789"
FROM_NOON = (Statement("Tours start at noon.", (Quote("c-1", "start at noon"),)),)


def model(seen: Seen, *, cites: bool = False, **options: Any) -> AnthropicModel:
    made = (open_citations if cites else open_anthropic)(ModelOptions("m", base_url=seen.address, **options))
    assert isinstance(made, AnthropicModel)
    return made


def draft(seen: Seen, request: ModelRequest = REQUEST, **options: Any) -> Draft:
    return draft_of(tuple(run(model(seen, **options), request)))


# --- the tool form ------------------------------------------------------------------------------


def test_the_input_of_the_tool_becomes_statements() -> None:
    with model_server(message(tool_input(WRAPPED), reason="tool_use")) as seen:
        made = draft(seen, price_in=4.0, price_out=100.0)
    assert made.statements == FROM_NOON
    assert (made.uncovered_aspects, made.self_rating, made.cut, made.problems) == (("dogs",), 5, "", ())
    assert made.usage == Usage(25, 7, 0.0008)


def test_the_request_forces_the_tool_and_holds_the_prompt() -> None:
    with model_server(message(tool_input(WRAPPED))) as seen:
        draft(seen, api_key=KEY)
    (body,) = seen.bodies
    assert body["tool_choice"] == {"type": "tool", "name": "answer"}
    assert body["tools"][0]["input_schema"]["required"][0] == "lines"
    assert body["messages"] == [{"role": "user", "content": REQUEST.prompt}]
    assert (body["max_tokens"], body["temperature"], body["stream"]) == (4096, 0.0, True)
    assert KEY in str(seen.headers[0])
    assert seen.paths == ["/v1/messages"]


def test_text_and_thoughts_before_the_tool_are_no_statements() -> None:
    thought = [{"type": "thinking_delta", "thinking": '{"statement": "x", "quotes": []}'}]
    reply = message(thought, prose("I will answer."), tool_input(WRAPPED))
    with model_server(reply) as seen:
        assert draft(seen).statements == FROM_NOON


def test_what_a_server_refuses_is_learnt_once() -> None:
    refusals = (
        failure(
            400, "invalid_request_error", "tools.0.eager_input_streaming: Extra inputs are not permitted"
        ),
        failure(400, "invalid_request_error", "temperature is deprecated for this model"),
        failure(400, "invalid_request_error", "tool_choice: forcing tool use is not supported"),
    )
    with model_server(*refusals, message(prose(NOON))) as seen:
        one = model(seen)
        first, second = (draft_of(tuple(run(one, REQUEST))) for _ in range(2))
    assert first.statements == second.statements == FROM_NOON
    assert len(seen.bodies) == 5
    assert "tools" not in seen.bodies[-1]
    assert "temperature" not in seen.bodies[-1]
    assert "JSON object instead of lines" not in seen.bodies[-1]["system"]


def test_a_server_that_does_not_stream_is_read_too() -> None:
    body = {
        "type": "message",
        "content": [{"type": "tool_use", "id": "t", "name": "answer", "input": json.loads(WRAPPED)}],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 3, "output_tokens": 4},
    }
    with model_server(Reply((json.dumps(body).encode(),), content_type="application/json")) as seen:
        made = draft(seen)
    assert (made.statements, made.usage) == (FROM_NOON, Usage(3, 4))


# --- the provider's own citations ---------------------------------------------------------------


def test_citations_of_the_provider_become_quotes_of_their_sentences() -> None:
    reply = message(
        prose("Tours start at noon.", (0, "Tours start at noon.")),
        prose(" "),
        prose("Dogs may", (1, "Dogs may come along. ")),
        prose(" come along. Ask us for more!"),
    )
    with model_server(reply) as seen:
        made = draft(seen, cites=True)
    assert made.statements == (
        Statement("Tours start at noon.", (Quote("c-1", "Tours start at noon."),)),
        Statement("Dogs may come along.", (Quote("c-2", "Dogs may come along."),)),
        Statement("Ask us for more!"),
    )


def test_sources_go_as_documents_and_the_question_behind_them() -> None:
    with model_server(message(prose("Noon."))) as seen:
        draft(seen, cites=True)
    *documents, question = seen.bodies[0]["messages"][0]["content"]
    assert [one["source"]["data"] for one in documents] == ["Tours start at noon.", "Dogs may come along."]
    assert all(one["citations"] == {"enabled": True} for one in documents)
    assert question == {"type": "text", "text": "Question: When do tours start?"}
    assert "tools" not in seen.bodies[0]
    assert "JSON" not in seen.bodies[0]["system"]


def test_a_sentence_with_its_citation_is_given_before_the_reply_ends() -> None:
    chunks = message(prose("Tours start at noon.", (0, "noon")), prose(" Dogs may come.")).chunks
    with model_server(Reply((*chunks[:-3], 5.0))) as seen:
        lines = run(model(seen, cites=True), REQUEST)
        statement_one = next(lines).statement
        lines.close()
    assert statement_one == Statement("Tours start at noon.", (Quote("c-1", "noon"),))


def test_ids_of_a_later_turn_go_on_where_those_of_the_earlier_ended() -> None:
    from pincite.types import Turn

    question = Question("And dogs?", history=(Turn("When do tours start?", "At noon.", 7),))
    request = build_request(question, SOURCES, language="en")
    with model_server(message(prose("Dogs may come along.", (1, "Dogs may come along.")))) as seen:
        (made,) = draft(seen, request, cites=True).statements
    assert made.quotes[0].id == f"c-{question.first_id + 1}"


def test_a_retry_shows_the_failed_lines_and_so_asks_for_lines() -> None:
    revision = build_revision(REQUEST, FROM_NOON, "not found")
    with model_server(message(prose(NOON))) as seen:
        assert draft(seen, revision, cites=True).statements == FROM_NOON
    assert seen.bodies[0]["messages"][0]["content"] == revision.prompt


@pytest.mark.parametrize(
    "citation", [{}, {"document_index": -1}, {"document_index": "0"}, {"document_index": True}]
)
def test_citations_of_an_odd_shape_are_none(citation: dict[str, object]) -> None:
    odd = [{"type": "text_delta", "text": "Tours."}, {"type": "citations_delta", "citation": citation}]
    with model_server(message(odd)) as seen:
        assert draft(seen, cites=True).statements == (Statement("Tours."),)


def test_a_sentence_that_is_cut_off_is_left_out() -> None:
    with model_server(message(prose("Tours start at noon. Dogs are allo"), reason="max_tokens")) as seen:
        made = draft(seen, cites=True)
    assert ([one.text for one in made.statements], made.cut) == (["Tours start at noon."], "length")


def test_what_the_provider_cites_wrongly_is_not_shown() -> None:
    reply = message(
        prose("Tours start at noon.", (0, "Tours start at noon.")),
        prose(" Dogs pay 5 EUR.", (0, "Dogs pay 5 EUR.")),
    )
    with model_server(reply, message(prose(""))) as seen:
        settings = {"model": "anthropic-citations:m", "base_url": seen.address}
        rag = Pipeline(store="memory", embedder="none", llm=settings)
        rag.add(Document("tours", "Tours start at noon. Dogs may come along."))
        answer = rag.ask("When do tours start?")
    assert answer.plain.startswith("Tours start at noon.")
    assert "5 EUR" not in answer.plain
    assert answer.sentences[0].support is Support.SUPPORTED


# --- what goes wrong ----------------------------------------------------------------------------


def test_an_overloaded_server_is_tried_again() -> None:
    waited: list[float] = []
    with model_server(failure(529, "overloaded_error", "Overloaded"), message(tool_input(WRAPPED))) as seen:
        assert draft(seen, sleep=waited.append).statements == FROM_NOON
    assert waited == [0.5]


def test_the_reset_of_a_limit_is_waited_for_by_the_servers_own_clock() -> None:
    waited: list[float] = []
    limits = (
        ("anthropic-ratelimit-requests-remaining", "0"),
        ("anthropic-ratelimit-requests-reset", "2099-01-01T00:00:09Z"),
    )
    busy = failure(429, "rate_limit_error", "slow down", (("retry-after", "4"), *limits))
    with model_server(busy, message(tool_input(WRAPPED))) as seen:
        draft(seen, sleep=waited.append)
    assert waited == [4.0]


def test_an_error_event_before_the_first_word_is_tried_again() -> None:
    broken = Reply(
        (event({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}, "error"),)
    )
    with model_server(broken, message(tool_input(WRAPPED))) as seen:
        assert draft(seen, sleep=lambda _: None).statements == FROM_NOON


def test_a_lasting_error_event_is_not_tried_again() -> None:
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}
    with (
        model_server(Reply((event(error, "error"),))) as seen,
        pytest.raises(ModelError, match="no") as caught,
    ):
        draft(seen)
    assert not caught.value.retryable
    assert len(seen.bodies) == 1


def test_a_message_without_its_end_is_cut() -> None:
    with model_server(message(tool_input(WRAPPED), whole=False)) as seen:
        made = draft(seen)
    assert (made.statements, made.cut) == (FROM_NOON, "connection")


@pytest.mark.parametrize(
    ("reason", "cut"), [("max_tokens", "length"), ("refusal", "refusal"), ("end_turn", "")]
)
def test_why_a_message_ended_is_told(reason: str, cut: str) -> None:
    with model_server(message(tool_input(WRAPPED), reason=reason)) as seen:
        assert draft(seen).cut == cut


def test_a_wrong_key_is_named_by_its_variable_and_never_shown() -> None:
    with model_server(failure(401, "authentication_error", f"invalid x-api-key {KEY}")) as seen:
        one = model(seen, api_key=KEY, key_variable="ANTHROPIC_API_KEY")
        with pytest.raises(ModelError, match="ANTHROPIC_API_KEY") as caught:
            list(one(REQUEST))
    assert KEY not in f"{caught.value!r} {caught.value.__cause__!r} {one!r}"


def test_a_key_of_anthropic_is_not_sent_to_another_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", KEY)
    with model_server(message(tool_input(WRAPPED))) as seen:
        draft(seen)
    assert KEY not in str(seen.headers)


def test_closing_the_model_closes_the_connection() -> None:
    chunks = message(tool_input(WRAPPED), whole=False).chunks
    with model_server(Reply(chunks, endless=True)) as seen:
        deltas = model(seen)(REQUEST)
        next(deltas)
        deltas.close()  # type: ignore[attr-defined]
        assert seen.hung_up.wait(5)


@pytest.mark.parametrize("opened", [open_anthropic, open_citations])
def test_a_model_needs_a_name_and_a_key(opened: Any) -> None:
    with pytest.raises(ConfigError, match="needs a model"):
        opened(ModelOptions(""))
    with pytest.raises(ConfigError, match="ANTHROPIC_API_KEY"):
        opened(ModelOptions("m", key_variable="ANTHROPIC_API_KEY"))
