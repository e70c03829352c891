"""Chat completions with the real library, against a scripted server on this machine."""

from __future__ import annotations

import itertools
import json
import logging
from typing import Any

import pytest

pytest.importorskip("openai", reason="the extra openai is not installed")

from tests.doubles import hits, statement
from tests.integration.model_server import DONE, Reply, Seen, chat, finished, model_server, refusal, words

from pincite import Document, Pipeline
from pincite.checks.llm import LlmJudge
from pincite.errors import ConfigError, ModelError
from pincite.findings import Support
from pincite.generate import build_request, draft_of, run
from pincite.llms.openai import Dialect, OpenAIModel, open_compatible, open_openai
from pincite.llms.options import ModelOptions
from pincite.ports import ClaimTask, ModelRequest, Passage
from pincite.types import Draft, Question, Quote, Statement, Turn, Usage

REQUEST = build_request(Question("When do tours start?"), hits("Tours start at noon."), language="en")
NOON = statement("Tours start at noon.", ("c-1", "start at noon"))
WRAPPED = json.dumps({"lines": [json.loads(NOON)], "uncovered_aspects": [], "self_rating": 5})
KEY = "sk-very-secret-0123456789"
FROM_NOON = (Statement("Tours start at noon.", (Quote("c-1", "start at noon"),)),)


def model(seen: Seen, **options: Any) -> OpenAIModel:
    made = open_compatible(ModelOptions("m", base_url=f"{seen.address}/v1", **options))
    assert isinstance(made, OpenAIModel)
    return made


def draft(seen: Seen, request: ModelRequest = REQUEST, **options: Any) -> Draft:
    return draft_of(tuple(run(model(seen, **options), request)))


# --- what is asked and what is read -------------------------------------------------------------


def test_a_streamed_reply_becomes_statements() -> None:
    with model_server(chat(WRAPPED, usage=(100, 20))) as seen:
        made = draft(seen, price_in=2.0, price_out=10.0)
    assert made.statements == FROM_NOON
    assert (made.self_rating, made.cut, made.problems) == (5, "", ())
    assert made.usage == Usage(100, 20, 0.0004)


def test_the_request_asks_for_the_schema_and_holds_the_prompt() -> None:
    with model_server(chat(WRAPPED)) as seen:
        draft(seen, api_key=KEY)
    (body,) = seen.bodies
    assert body["response_format"]["json_schema"]["schema"]["required"][0] == "lines"
    assert [one["role"] for one in body["messages"]] == ["system", "user"]
    assert body["messages"][1]["content"] == REQUEST.prompt
    assert (body["temperature"], body["stream"]) == (0.0, True)
    assert seen.headers[0]["authorization"] == f"Bearer {KEY}"


def test_a_key_of_openai_is_not_sent_to_another_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with model_server(chat(WRAPPED)) as seen:
        draft(seen)
        Pipeline(store="memory", llm={"model": "openai:m", "base_url": f"{seen.address}/v1"})
    assert KEY not in str(seen.headers)


def test_a_statement_arrives_before_the_reply_is_whole() -> None:
    with model_server(Reply((words(NOON), 5.0, finished()))) as seen:
        lines = run(model(seen), REQUEST)
        assert next(lines).statement == FROM_NOON[0]
        lines.close()


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_characters_cut_by_the_network_are_whole_again(size: int) -> None:
    text = statement("雪が溶ける 🎈 – ß.", ("c-1", "Tours"))
    data = words(json.dumps(json.loads(text), ensure_ascii=False)) + finished()
    cut = tuple(data[start : start + size] for start in range(0, len(data), size))
    with model_server(Reply(cut)) as seen:
        assert draft(seen).statements[0].text == "雪が溶ける 🎈 – ß."


def test_bytes_that_are_no_text_cost_only_themselves() -> None:
    data = words(NOON).replace(b"at noon", b"at \xff\xfenoon", 1)
    with model_server(Reply((data, words(NOON), finished()))) as seen:
        assert draft(seen).statements[1] == FROM_NOON[0]


def test_line_ends_of_any_kind_comments_and_unknown_fields_are_read() -> None:
    data = (
        b": hello\r\n\r\nevent: x\r\nid: 1\r\n"
        + words(NOON).replace(b"\n", b"\r\n")
        + b"retry: 3\r\r"
        + finished()
    )
    with model_server(Reply((data,))) as seen:
        assert draft(seen).statements == FROM_NOON


def test_a_server_that_does_not_stream_is_read_too() -> None:
    body = {
        "choices": [{"message": {"role": "assistant", "content": WRAPPED}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4},
    }
    with model_server(Reply((json.dumps(body).encode(),), content_type="application/json")) as seen:
        made = draft(seen)
    assert (made.statements, made.usage.input_tokens) == (FROM_NOON, 3)


def test_thoughts_beside_the_reply_are_left_out() -> None:
    thought = words("").replace(
        b'"content": ""', b'"content": null, "reasoning_content": "{\\"statement\\": \\"x\\"}"'
    )
    with model_server(Reply((thought, words(NOON), finished()))) as seen:
        assert draft(seen).statements == FROM_NOON


def test_lone_surrogates_and_nuls_in_a_question_are_no_error() -> None:
    with model_server(chat(WRAPPED)) as seen:
        request = build_request(Question("a\ud800b\x00c?"), hits("x"), language="en")
        assert draft(seen, request).statements == FROM_NOON


# --- what the server cannot do ------------------------------------------------------------------


def test_what_a_server_refuses_is_learnt_once() -> None:
    no_schema = refusal(400, "response_format type json_schema is not supported by this model")
    no_json = refusal(400, "Unknown field: response_format")
    with model_server(no_schema, no_json, chat(NOON), chat(NOON)) as seen:
        one = model(seen)
        first, second = (draft_of(tuple(run(one, REQUEST))) for _ in range(2))
    assert first.statements == second.statements == FROM_NOON
    kinds = [body.get("response_format", {}).get("type") for body in seen.bodies]
    assert kinds == ["json_schema", "json_object", None, None]
    assert one.dialect.format == "text"
    assert "JSON object instead of lines" in seen.bodies[1]["messages"][0]["content"]
    assert "JSON object instead of lines" not in seen.bodies[2]["messages"][0]["content"]


def test_a_refused_temperature_and_name_of_the_limit_are_not_sent_again() -> None:
    no_temperature = refusal(400, "Unsupported value: 'temperature' does not support 0")
    no_limit = refusal(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    with model_server(no_temperature, no_limit, chat(WRAPPED)) as seen:
        assert draft(seen).statements == FROM_NOON
    assert "temperature" not in seen.bodies[-1]
    assert "max_tokens" not in seen.bodies[-1]
    assert seen.bodies[-1]["max_completion_tokens"] == 4096
    assert seen.bodies[-1]["response_format"]["type"] == "json_schema"


def test_what_failed_for_another_reason_teaches_nothing() -> None:
    with model_server(refusal(400, "This model's maximum context length is 8192 tokens")) as seen:
        one = model(seen)
        with pytest.raises(ModelError, match="context_tokens") as caught:
            list(one(REQUEST))
    assert not caught.value.retryable
    assert (len(seen.bodies), one.dialect) == (1, Dialect())


# --- what goes wrong ----------------------------------------------------------------------------


def test_a_busy_server_is_asked_again_when_it_says(caplog: pytest.LogCaptureFixture) -> None:
    waited: list[float] = []
    busy = refusal(429, "slow down", headers=(("Retry-After", "7"),))
    with caplog.at_level(logging.WARNING), model_server(busy, chat(WRAPPED)) as seen:
        assert draft(seen, sleep=waited.append).statements == FROM_NOON
    assert waited == [7.0]
    assert "retrying model=m attempt=1" in caplog.text


def test_limits_in_the_headers_of_a_busy_server_are_kept() -> None:
    waited: list[float] = []
    limits = (
        ("x-ratelimit-remaining-requests", "12"),
        ("x-ratelimit-reset-requests", "6m0s"),
        ("x-ratelimit-remaining-tokens", "0"),
        ("x-ratelimit-reset-tokens", "1.5s"),
    )
    with model_server(refusal(429, "tokens", headers=limits), chat(WRAPPED)) as seen:
        draft(seen, sleep=waited.append)
    assert waited == [1.5]


def test_a_server_that_asks_to_wait_too_long_is_not_waited_for() -> None:
    busy = refusal(429, "later", headers=(("Retry-After", "3600"),))
    with model_server(busy) as seen, pytest.raises(ModelError, match="in 3600 s") as caught:
        draft(seen)
    assert caught.value.retryable
    assert len(seen.bodies) == 1


def test_a_failing_server_is_tried_again_so_often_and_no_more() -> None:
    waited: list[float] = []
    with model_server(refusal(500, "oops")) as seen, pytest.raises(ModelError, match="oops") as caught:
        draft(seen, sleep=waited.append, max_retries=2)
    assert caught.value.retryable
    assert (len(seen.bodies), waited) == (3, [0.5, 1.0])


@pytest.mark.parametrize("status", [401, 403, 404, 400])
def test_what_will_not_get_better_is_not_tried_again(status: int) -> None:
    with model_server(refusal(status, "no")) as seen, pytest.raises(ModelError) as caught:
        draft(seen)
    assert not caught.value.retryable
    assert len(seen.bodies) == 1


def test_no_credit_is_no_rate_limit() -> None:
    empty = refusal(429, "You exceeded your quota: insufficient_quota")
    with model_server(empty) as seen, pytest.raises(ModelError, match="credit"):
        draft(seen)
    assert len(seen.bodies) == 1


def test_a_key_that_a_server_repeats_is_in_no_error_log_or_repr(caplog: pytest.LogCaptureFixture) -> None:
    with (
        caplog.at_level(logging.INFO),
        model_server(refusal(401, f"Incorrect API key provided: {KEY}")) as seen,
    ):
        one = model(seen, api_key=KEY, key_variable="PINCITE_API_KEY")
        with pytest.raises(ModelError, match="PINCITE_API_KEY") as caught:
            list(one(REQUEST))
    error: BaseException | None = caught.value
    while error is not None:
        assert KEY not in f"{error} {error!r}"
        error = error.__cause__
    assert KEY not in caplog.text + repr(one) + repr(ModelOptions("m", api_key=KEY))


def test_a_reply_that_breaks_off_is_used_as_far_as_it_came() -> None:
    torn = words('{"quotes": [{"id": "c-1", "quote": "start at')
    with model_server(Reply((words(NOON), torn), broken=True)) as seen:
        made = draft(seen)
    assert (made.statements, made.cut) == (FROM_NOON, "connection")
    assert len(seen.bodies) == 1


def test_a_reply_that_ends_without_saying_so_is_cut() -> None:
    with model_server(Reply((words(NOON),))) as seen:
        assert draft(seen).cut == "connection"


def test_a_reply_that_breaks_off_before_its_first_word_is_asked_for_again() -> None:
    with model_server(Reply((b": wait\n\n",), broken=True), chat(WRAPPED)) as seen:
        assert draft(seen, sleep=lambda _: None).statements == FROM_NOON
    assert len(seen.bodies) == 2


def test_a_server_that_drips_does_not_outlast_the_time_there_is() -> None:
    clock = itertools.count(0, 20)
    drip = Reply((b": ping\n\n",), endless=True)
    with model_server(drip) as seen:
        with pytest.raises(ModelError, match="longer than 100 s"):
            draft(seen, timeout_s=100, clock=lambda: float(next(clock)))
        assert seen.hung_up.wait(5)


def test_a_server_that_says_nothing_is_given_up() -> None:
    silent = Reply((2.0, b": x\n\n"))
    with model_server(silent) as seen, pytest.raises(ModelError, match=r"within 0\.2 s") as caught:
        draft(seen, read_timeout_s=0.2, max_retries=0)
    assert caught.value.retryable


def test_a_server_that_is_not_there_is_named() -> None:
    one = open_compatible(ModelOptions("m", base_url="http://127.0.0.1:9/v1", max_retries=0))
    with pytest.raises(ModelError, match=r"127\.0\.0\.1:9: .* cannot be reached") as caught:
        list(one(REQUEST))
    assert caught.value.retryable


@pytest.mark.parametrize(
    "reply",
    [
        Reply((b"<html><body>Login</body></html>",), content_type="text/html"),
        Reply((b"hello world",), content_type="text/plain"),
        Reply((b"[1, 2]",), content_type="application/json"),
        Reply((b"data: [1]\n\n",)),
    ],
)
def test_what_is_no_reply_of_a_model_is_an_error(reply: Reply) -> None:
    with model_server(reply) as seen, pytest.raises(ModelError) as caught:
        draft(seen)
    assert not caught.value.retryable


def test_events_that_are_no_json_are_an_error_that_may_pass() -> None:
    with model_server(Reply((b"data: {broken\n\n",)), chat(WRAPPED)) as seen:
        assert draft(seen, sleep=lambda _: None).statements == FROM_NOON


def test_an_event_without_end_is_bounded() -> None:
    with model_server(Reply((b"data: " + b"x" * 60_000, b"x" * 60_000), endless=True)) as seen:
        with pytest.raises(ModelError, match="1,000,000"):
            draft(seen)
        assert seen.hung_up.wait(5)


@pytest.mark.parametrize(
    ("reason", "cut"), [("length", "length"), ("content_filter", "refusal"), ("stop", "")]
)
def test_why_a_reply_ended_is_told(reason: str, cut: str) -> None:
    with model_server(chat(NOON, reason=reason)) as seen:
        made = draft(seen)
    assert (made.statements, made.cut) == (FROM_NOON, cut)


def test_an_error_inside_a_reply_is_no_answer() -> None:
    failed = b'data: {"error": {"message": "out of memory", "code": 500}}\n\n'
    with model_server(Reply((failed,))) as seen, pytest.raises(ModelError, match="out of memory"):
        draft(seen, sleep=lambda _: None)
    assert len(seen.bodies) == 3


def test_closing_the_model_closes_the_connection() -> None:
    with model_server(Reply((words(NOON), words(" ")), endless=True)) as seen:
        deltas = model(seen)(REQUEST)
        assert next(deltas).text
        deltas.close()  # type: ignore[attr-defined]
        assert seen.hung_up.wait(5)


@pytest.mark.parametrize("usage", ['{"prompt_tokens": "many"}', "[]", "null", '{"prompt_tokens": -4}'])
def test_counts_that_make_no_sense_are_none(usage: str) -> None:
    odd = b'data: {"choices": [], "usage": ' + usage.encode() + b"}\n\n"
    with model_server(Reply((words(NOON), odd, finished()))) as seen:
        assert draft(seen).usage == Usage()


@pytest.mark.parametrize(
    "shape",
    [
        "{}",
        '{"choices": null}',
        '{"choices": [null]}',
        '{"choices": [{"delta": 3}]}',
        '{"choices": {"a": 1}}',
    ],
)
def test_events_of_an_odd_shape_are_passed_over(shape: str) -> None:
    with model_server(Reply((b"data: " + shape.encode() + b"\n\n", words(NOON), finished()))) as seen:
        assert draft(seen).statements == FROM_NOON


# --- opening, judging, and the whole ------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [("", {"base_url": "http://127.0.0.1/v1"}, "needs a model"), ("m", {}, "needs the address")],
)
def test_a_compatible_server_needs_a_name_and_an_address(name: str, options: Any, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        open_compatible(ModelOptions(name, **options))


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("127.0.0.1:11434/v1", "begins with http"),
        ("ftp://host/v1", "begins with http"),
        ("http://", "begins with http"),
        ("http://me:secret-word@host/v1", "name or password"),
    ],
)
def test_an_address_that_cannot_be_right_is_refused_without_repeating_it(address: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        open_compatible(ModelOptions("m", base_url=address))
    assert "secret-word" not in str(caught.value)


def test_openai_itself_needs_a_key() -> None:
    with pytest.raises(ConfigError, match="no key for OpenAI; set OPENAI_API_KEY"):
        open_openai(ModelOptions("m", key_variable="OPENAI_API_KEY"))


@pytest.mark.parametrize(
    ("said", "support"),
    [
        ({"supports": True, "contradicts": False, "rating": 5, "reason": "said"}, Support.SUPPORTED),
        ({"supports": False, "contradicts": False, "rating": 1, "reason": "not said"}, Support.UNSUPPORTED),
    ],
)
def test_a_model_judges_what_the_rules_leave_open(said: dict[str, object], support: Support) -> None:
    task = ClaimTask("Die Führung beginnt mittags.", (Passage("c-1", "Tours start at noon."),), language="de")
    with model_server(chat(json.dumps(said))) as seen:
        (judgement,) = LlmJudge(model(seen))([task])
    assert seen.bodies[0]["response_format"]["json_schema"]["name"] == "judge"
    assert judgement.support is support


def test_the_judge_of_the_settings_asks_the_model_of_the_settings() -> None:
    said = statement("Führungen beginnen mittags.", ("c-1", "Tours start at noon"))
    verdict = json.dumps(
        {"supports": True, "contradicts": False, "rating": 5, "reason": "the same in English"}
    )
    with model_server(chat(said), chat(verdict)) as seen:
        rag = Pipeline(
            store="memory",
            embedder="none",
            judge="llm",
            llm={"model": "openai-compatible:m", "base_url": f"{seen.address}/v1"},
        )
        rag.add(Document("tours", "Tours start at noon."))
        answer = rag.ask("When do tours start?")
    assert [body["response_format"]["json_schema"]["name"] for body in seen.bodies][:2] == ["answer", "judge"]
    assert answer.sentences[0].support is Support.SUPPORTED


def test_a_follow_up_is_rewritten_as_plain_text() -> None:
    with model_server(chat("When do tours start in winter?"), chat(NOON)) as seen:
        settings = {"model": "openai-compatible:m", "base_url": f"{seen.address}/v1"}
        rag = Pipeline(store="memory", embedder="none", llm=settings)
        rag.add(Document("tours", "Tours start at noon. In winter tours start at two."))
        rag.ask(Question("And in winter?", history=(Turn("When do tours start?", "Tours start at noon."),)))
    assert "response_format" not in seen.bodies[0]
    assert seen.bodies[1]["response_format"]["type"] == "json_schema"


def test_a_question_is_answered_by_a_model_behind_the_settings() -> None:
    invented = statement("Tours cost 5 EUR.", ("c-1", "tours cost 5 EUR"))
    with model_server(chat(NOON + invented, usage=(50, 10)), chat("", usage=(5, 1))) as seen:
        rag = Pipeline(
            store="memory",
            embedder="none",
            llm={
                "model": "openai-compatible:m",
                "base_url": f"{seen.address}/v1",
                "price_in": 1.0,
                "price_out": 1.0,
            },
        )
        rag.add(Document("tours", "Tours start at noon. Dogs may come along."))
        answer = rag.ask("When do tours start?")
    assert answer.text.startswith("Tours start at noon [1].")
    assert "5 EUR" not in answer.plain
    assert answer.model == "openai-compatible:m"
    assert answer.usage.input_tokens == 55
    assert answer.usage.cost == pytest.approx(66e-6)


def test_an_answer_that_declines_tells_what_the_model_used_and_that_it_broke_off() -> None:
    invented = statement("Tours cost 5 EUR.", ("c-1", "tours cost 5 EUR"))
    with model_server(chat(invented, reason="length", usage=(50, 10)), chat("", usage=(5, 1))) as seen:
        settings = {"model": "openai-compatible:m", "base_url": f"{seen.address}/v1"}
        rag = Pipeline(store="memory", embedder="none", llm=settings)
        rag.add(Document("tours", "Tours start at noon. Dogs may come along."))
        answer = rag.ask("When do tours start?")
    assert answer.abstained
    assert answer.usage == Usage(55, 11)
    assert "cut off" in " ".join(answer.warnings)


def test_passages_that_do_not_fit_are_left_out_and_told() -> None:
    with model_server(chat(NOON)) as seen:
        settings = {"model": "openai-compatible:m", "base_url": f"{seen.address}/v1", "context_tokens": 2000}
        rag = Pipeline(store="memory", embedder="none", llm=settings)
        rag.add(
            *(
                Document(f"tours-{n}", f"Tours start at noon. Tour {n} is one of many. " * 25)
                for n in range(9)
            )
        )
        answer = rag.ask("When do tours start?")
    assert "did not fit" in " ".join(answer.warnings)
    kept = len(answer.hits) - len(answer.left_out)
    assert answer.left_out == tuple(hit.chunk.chunk_id for hit in answer.hits[kept:])
    assert json.loads(answer.to("json"))["left_out"] == list(answer.left_out)
    assert 0 < seen.bodies[0]["messages"][1]["content"].count("[c-") < len(answer.hits)
    assert seen.bodies[0]["max_tokens"] == 500


def test_a_question_at_a_dead_server_is_an_error_to_act_on() -> None:
    with model_server(refusal(503, "down")) as seen:
        settings = {"model": "openai-compatible:m", "base_url": f"{seen.address}/v1", "max_retries": 0}
        rag = Pipeline(store="memory", embedder="none", llm=settings)
        rag.add(Document("tours", "Tours start at noon."))
        with pytest.raises(ModelError, match="503") as caught:
            rag.ask("When do tours start?")
    assert caught.value.retryable


def test_done_alone_is_no_reply() -> None:
    with model_server(Reply((DONE,))) as seen, pytest.raises(ModelError, match="before the end"):
        draft(seen, sleep=lambda _: None)
