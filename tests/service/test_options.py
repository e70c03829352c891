"""What a request may ask for beside its question, and what comes with a reply."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")

from fastapi.testclient import TestClient

from pincite import Document, Pipeline
from pincite.errors import ConfigError, ModelError
from pincite.ports import Delta, Judge, ModelRequest
from pincite.service.app import create_app
from pincite.service.keys import Keys
from pincite.service.rates import Rates
from pincite.service.settings import Service

TRASH = Document(
    "trash", "A deleted file stays in the trash for 30 days.", title="Trash", url="https://example.org/t"
)
QUESTION = "How long does a deleted file stay in the trash?"
KEYS = ("public:aaaaaaaaaaaaaaaa", "public+write:cccccccccccccccc")
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def client_of(model: Any = None, **options: Any) -> TestClient:
    rag = Pipeline(store="memory", embedder="none", **({"llm": model} if model else {}))
    rag.add(TRASH)
    return TestClient(create_app(Service(rag, **options)), raise_server_exceptions=False)


@pytest.fixture
def client() -> Iterator[TestClient]:
    with client_of() as found:
        yield found


def cited(request: ModelRequest) -> Iterator[Delta]:
    yield Delta(
        '{"statement": "Deleted files stay for 30 days [c-1].", "quotes": [{"id": "c-1", "quote": "stays in the trash for 30 days"}]}\n'
    )


def broken(request: ModelRequest) -> Iterator[Delta]:
    raise ModelError("connection refused by 10.0.0.7", retryable=True)
    yield Delta("")


# --- what a question may ask for ----------------------------------------------------------------


def test_the_prompt_and_the_words_of_the_model_are_told_on_request() -> None:
    with client_of(cited) as client:
        plain = client.post("/chat", json={"question": QUESTION}).json()
        told = client.post(
            "/chat", json={"question": QUESTION, "include": ["prompt", "raw", "retrieved"]}
        ).json()
    assert not {"prompt", "raw", "retrieved"} & set(plain)
    assert QUESTION in told["prompt"][0]["prompt"]
    assert told["raw"][0].startswith('{"statement"')
    assert told["retrieved"][0]["doc_id"] == "trash"


def test_a_threshold_of_its_own_declines_what_is_answered_otherwise(client: TestClient) -> None:
    def declined(threshold: float) -> bool:
        body = {"question": QUESTION, "options": {"threshold": threshold}}
        return bool(client.post("/chat", json=body).json()["abstained"])

    assert [declined(0.0), declined(1.0)] == [False, True]


def test_a_judge_that_is_not_set_up_is_named() -> None:
    def none(name: str) -> Judge:
        raise ConfigError("no model in /srv/secret")

    with client_of(open_judge=none) as client:
        for path, body in (
            ("/chat", {"question": QUESTION}),
            ("/api/verify", {"answer": "Ice melts [1].", "sources": ["Ice melts."]}),
        ):
            got = client.post(path, json={**body, "judge": "entailment"})
            assert (got.status_code, got.json()["errors"][0]["pointer"]) == (422, "/judge")
            assert "secret" not in got.text


def test_a_judge_is_opened_once(client: TestClient) -> None:
    opened: list[str] = []

    def open_judge(name: str) -> Judge:
        from pincite.checks.rules import rules

        opened.append(name)
        return rules

    with client_of(open_judge=open_judge) as client:
        for _ in range(2):
            assert client.post("/chat", json={"question": QUESTION, "judge": "llm"}).status_code == 200
    assert opened == ["llm"]


def test_a_check_tells_which_part_of_a_question_no_source_covers(client: TestClient) -> None:
    body = {
        "answer": "Files stay for 30 days [1].",
        "sources": ["Files stay for 30 days."],
        "question": "How long do files stay, and does it work with Linux?",
    }
    assert any("Linux" in one for one in client.post("/api/verify", json=body).json()["uncovered_aspects"])


# --- forms of an answer -------------------------------------------------------------------------

PROFILES = {
    "grounded-003": {"text", "citations", "confidence", "abstained", "reason"},
    "quoted-004": {"answer", "citations", "uncovered_aspects"},
    "numbered-000": {"answer", "parsed", "validation", "sources", "confidence_score", "grounded"},
    "audited-001": {"query", "answer", "retrieved_chunks", "citations", "metrics", "answer_status"},
    "source-list-002": {"answer", "verify", "parse", "sources", "html"},
}


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_is_the_same_at_once_and_later(client: TestClient, profile: str) -> None:
    now = client.post(f"/chat?profile={profile}", json={"question": QUESTION}).json()
    accepted = client.post(
        "/chat", json={"question": QUESTION}, headers={"Accept": f'application/json;profile="{profile}"'}
    ).json()
    newest = client.get("/api/answers").json()["items"][0]["id"]
    later = client.get(f"/api/answers/{newest}?profile={profile}").json()
    assert set(now) == PROFILES[profile]
    assert now == accepted == later


@pytest.mark.parametrize(
    ("form", "kind", "holds"),
    [
        ("markdown", "text/markdown", "[^1]"),
        ("html", "text/html", "<!doctype html>"),
        ("text", "text/plain", "30 days"),
        ("csl-json", "application/vnd.citationstyles.csl+json", '"URL": "https://example.org/t"'),
        ("webannotation", "application/ld+json", "TextQuoteSelector"),
    ],
)
def test_a_kept_answer_is_given_in_forms_for_other_programs(
    client: TestClient, form: str, kind: str, holds: str
) -> None:
    answer = client.post("/chat", json={"question": QUESTION}).json()
    got = client.get(f"/api/answers/{answer['id']}?format={form}")
    assert got.headers["content-type"].startswith(kind)
    assert holds in got.text
    assert "sandbox" in got.headers["content-security-policy"]


def test_a_form_of_an_answer_holds_no_words_of_a_removed_document(client: TestClient) -> None:
    answer = client.post("/chat", json={"question": QUESTION}).json()
    client.delete("/api/documents/trash")
    for query in (
        "profile=numbered-000",
        "profile=audited-001",
        "format=markdown",
        "format=html",
        "format=webannotation",
    ):
        got = client.get(f"/api/answers/{answer['id']}?{query}")
        assert got.status_code == 200, query
        assert "stays in the trash" not in got.text, query


def test_the_parts_of_the_ai_sdk_stream_are_whole(client: TestClient) -> None:
    got = client.post("/chat", json={"question": QUESTION, "stream": "aisdk"})
    assert got.headers["x-vercel-ai-ui-message-stream"] == "v1"
    lines = [line.removeprefix("data: ") for line in got.text.splitlines() if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    parts = [json.loads(line) for line in lines[:-1]]
    kinds = [one["type"] for one in parts]
    assert (kinds[0], kinds[-1]) == ("start", "finish")
    assert kinds.count("text-start") == kinds.count("text-delta") == kinds.count("text-end") >= 1
    assert "30 days [1]" in "".join(one["delta"] for one in parts if one["type"] == "text-delta")
    assert next(one for one in parts if one["type"] == "source-url")["url"] == "https://example.org/t"
    answer = next(one for one in parts if one["type"] == "data-answer")
    assert answer["id"] == f"answer-{answer['data']['id']}"


# --- what comes with a reply --------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True])
def test_a_model_that_fails_leaves_the_passages(stream: bool) -> None:
    with client_of(broken) as client:
        got = client.post("/chat", json={"question": QUESTION, "stream": stream})
    if stream:
        (line,) = [one for one in got.text.splitlines() if '"/problems/model-unavailable"' in one]
        problem = json.loads(line.removeprefix("data: "))
    else:
        assert got.status_code == 503
        problem = got.json()
    assert problem["snippets"][0]["doc_id"] == "trash"
    assert problem["retryable"] is True
    assert "10.0.0.7" not in got.text


def test_a_trace_is_taken_up(client: TestClient) -> None:
    got = client.post("/chat", json={"question": QUESTION, "stream": True}, headers={"traceparent": TRACE})
    assert got.headers["traceparent"] == TRACE
    assert '"trace_id": "4bf92f3577b34da6a3ce929d0e0e4736"' in got.text
    for bad in ("00-0-0-0", TRACE.replace("4bf9", "XXXX"), "00-" + "0" * 32 + "-00f067aa0ba902b7-01"):
        assert "traceparent" not in client.get("/healthz", headers={"traceparent": bad}).headers


def test_every_reply_says_how_much_of_the_rate_is_left() -> None:
    with client_of(keys=Keys(KEYS), rates=Rates(5, clock=lambda: 0.0)) as client:
        header = {"Authorization": "Bearer aaaaaaaaaaaaaaaa"}
        left = [
            client.post("/chat", json={"question": QUESTION}, headers=header).headers["ratelimit-remaining"],
            client.get("/api/documents", headers=header).headers["ratelimit-remaining"],
        ]
    assert left == ["4", "3"]


# --- feedback -----------------------------------------------------------------------------------


def test_feedback_is_kept_with_its_answer_for_those_who_run_the_service() -> None:
    with client_of(keys=Keys(KEYS)) as client:
        reads, writes = ({"Authorization": f"Bearer {key.partition(':')[2]}"} for key in KEYS)
        answer = client.post("/chat", json={"question": QUESTION}, headers=reads).json()
        body = {"answer_id": answer["id"], "citation_id": "c-1", "reaction": "wrong_source", "note": "no"}
        assert client.post("/api/feedback", json=body, headers=reads).status_code == 201
        assert client.get("/api/feedback", headers=reads).status_code == 403
        (item,) = client.get(f"/api/feedback?answer_id={answer['id']}", headers=writes).json()["items"]
    assert {name: item[name] for name in body} == body


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"answer_id": "ans_0"}, 404),
        ({"citation_id": "c-9"}, 422),
        ({"sentence_index": 99}, 422),
        ({"reaction": "meh"}, 422),
        ({"note": "x" * 5_001}, 422),
    ],
)
def test_feedback_on_what_is_not_there_is_refused(
    client: TestClient, change: dict[str, Any], status: int
) -> None:
    answer = client.post("/chat", json={"question": QUESTION}).json()
    body = {"answer_id": answer["id"], "reaction": "helpful", **change}
    assert client.post("/api/feedback", json=body).status_code == status


# --- stock clients ------------------------------------------------------------------------------


def test_the_stock_openai_client_works_streamed_and_not(client: TestClient) -> None:
    openai = pytest.importorskip("openai", reason="the extra `openai` is not installed")
    stock = openai.OpenAI(api_key="any", base_url="http://testserver/v1", http_client=client, max_retries=0)
    messages = [{"role": "user", "content": QUESTION}]
    assert [one.id for one in stock.models.list()] == ["pincite"]
    whole = stock.chat.completions.create(model="pincite", messages=messages, temperature=0)
    message = whole.choices[0].message
    assert "30 days [1]" in message.content
    assert message.annotations[0].url_citation.url == "https://example.org/t"
    chunks = list(
        stock.chat.completions.create(
            model="pincite", messages=messages, stream=True, stream_options={"include_usage": True}
        )
    )
    text = "".join(one.choices[0].delta.content or "" for one in chunks if one.choices)
    assert text.split() == message.content.split()
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage is not None
    with pytest.raises(openai.UnprocessableEntityError):
        stock.chat.completions.create(model="pincite", messages=[{"role": "system", "content": "x"}])
