"""The routes as a client sees them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

fastapi = pytest.importorskip("fastapi", reason="the extra `serve` is not installed")

from fastapi.testclient import TestClient  # noqa: E402

from pincite import Document, Pipeline  # noqa: E402
from pincite.service.app import create_app  # noqa: E402
from pincite.service.keys import Keys  # noqa: E402
from pincite.service.rates import Rates  # noqa: E402
from pincite.service.settings import Service  # noqa: E402
from pincite.service.streams import Streams  # noqa: E402

TRASH = Document(
    "trash", "# Trash\n\nA deleted file stays in the trash for 30 days.", title="Trash", access_level="public"
)
MARGIN = Document("margin", "The margin on scanners is 31 %.", title="Margin", access_level="internal")
QUESTION = "How long does a deleted file stay in the trash?"
KEYS = ("public:aaaaaaaaaaaaaaaa", "internal:bbbbbbbbbbbbbbbb", "confidential+write:cccccccccccccccc")


def service(**options: Any) -> Service:
    rag = Pipeline(store="memory", embedder="none")
    rag.add(TRASH, MARGIN)
    return Service(rag, **options)


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(create_app(service()), raise_server_exceptions=False) as found:
        yield found


@pytest.fixture
def guarded() -> Iterator[TestClient]:
    with TestClient(create_app(service(keys=Keys(KEYS))), raise_server_exceptions=False) as found:
        yield found


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key.partition(':')[2]}"}


def events(text: str) -> list[tuple[str, str, Any]]:
    """(id, event, data) of a stream."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append((fields["id"], fields["event"], json.loads(fields["data"])))
    return found


def finished(client: TestClient, job_id: str) -> dict[str, Any]:
    for _ in range(200):
        job: dict[str, Any] = client.get(f"/api/jobs/{job_id}").json()
        if job["state"] not in ("queued", "running"):
            return job
        time.sleep(0.02)
    raise AssertionError(job)


# --- questions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/chat", "/api/chat"])
def test_a_question_gets_the_canonical_answer(client: TestClient, path: str) -> None:
    answer = client.post(path, json={"question": QUESTION}).json()
    assert "30 days [1]" in answer["text"]
    assert "30 days [c-1]" in answer["answer"]
    assert answer["citations"][0]["status"] == "verified"
    assert client.get(f"/api/answers/{answer['id']}").json()["text"] == answer["text"]


@pytest.mark.parametrize(
    "body",
    [{"question": QUESTION}, {"message": QUESTION}, {"messages": [{"role": "user", "content": QUESTION}]}],
)
def test_bodies_of_other_chat_pages_are_understood(client: TestClient, body: dict[str, Any]) -> None:
    assert "30 days" in client.post("/chat", json=body).json()["text"]


def test_an_abstention_is_a_200_with_the_nearest_passages(client: TestClient) -> None:
    got = client.post("/chat", json={"question": "Who painted the ceiling of the trash room?"})
    assert (got.status_code, got.json()["abstained"]) == (200, True)


def test_a_question_goes_on_from_an_answer(client: TestClient) -> None:
    first = client.post("/chat", json={"question": QUESTION}).json()
    second = client.post("/chat", json={"question": "And how long?", "previous_id": first["id"]}).json()
    assert second["conversation_id"] == first["id"]
    assert client.post("/chat", json={"question": "And?", "previous_id": "ans_0"}).status_code == 404


def test_a_stream_tells_the_steps_and_ends_with_the_answer(client: TestClient) -> None:
    got = client.post("/chat", json={"question": QUESTION, "stream": True})
    told = events(got.text)
    names = [name for _, name, _ in told]
    assert names[0] == "start"
    assert names[-2:] == ["answer", "done"]
    assert names.index("sources") < names.index("citation") < names.index("answer")
    sentences = [data["text"] for _, name, data in told if name == "sentence"]
    assert sentences[-1].endswith("30 days [1].")
    assert told[-2][2]["id"] == told[0][2]["answer_id"]


def test_a_stream_can_be_read_on_from_its_middle(client: TestClient) -> None:
    whole = events(client.post("/chat", json={"question": QUESTION, "stream": True}).text)
    rest = client.post("/chat", json={"question": QUESTION}, headers={"Last-Event-ID": whole[2][0]})
    assert events(rest.text) == whole[3:]


def test_nobody_else_can_read_on(guarded: TestClient) -> None:
    asked = guarded.post("/chat", json={"question": QUESTION, "stream": True}, headers=bearer(KEYS[0]))
    last = events(asked.text)[0][0]
    other = {**bearer(KEYS[1]), "Last-Event-ID": last}
    assert guarded.post("/chat", json={"question": QUESTION}, headers=other).status_code == 404


def test_when_all_places_are_taken_the_client_is_told_when_to_come_back() -> None:
    full = Streams(0)
    with TestClient(create_app(service(streams=full))) as client:
        for path, body in (
            ("/chat", {"question": QUESTION}),
            ("/chat", {"question": QUESTION, "stream": True}),
            ("/v1/chat/completions", {"messages": [{"role": "user", "content": QUESTION}]}),
        ):
            got = client.post(path, json=body)
            assert (got.status_code, got.headers["retry-after"]) == (503, "2")


def test_verify_needs_no_documents(client: TestClient) -> None:
    body = {"answer": "Files stay for 90 days [1].", "sources": ["Files stay for 30 days."]}
    report = client.post("/api/verify", json=body).json()
    assert report["ok"] is False
    assert report["sentences"][0]["support"] == "contradicted"


def test_search_has_the_field_names_of_source_001(client: TestClient) -> None:
    (hit,) = client.post("/api/search", json={"query": "trash"}).json()["hits"]
    assert {"rank", "chunk_id", "doc_id", "section", "text", "url", "score", "metadata"} <= set(hit)


# --- errors -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/chat", {"qestion": "x"}, 422),
        ("POST", "/chat", {}, 422),
        ("POST", "/chat", {"question": "  "}, 422),
        ("POST", "/chat", {"question": "x", "top_k": 500}, 422),
        ("POST", "/chat", {"question": "x", "access": "root"}, 422),
        ("POST", "/chat", {"question": "x", "filters": {"nothing": "x"}}, 422),
        ("POST", "/api/verify", {"answer": "x", "sources": ["y"] * 1001}, 422),
        ("GET", "/api/chunks/nothing", None, 404),
        ("GET", "/api/chunks/a%2Fb%00c", None, 404),
        ("GET", "/api/documents/nothing", None, 404),
        ("GET", "/api/documents?cursor=%C3%A4", None, 404),
        ("GET", "/api/answers/ans_0", None, 404),
        ("GET", "/nowhere", None, 404),
        ("PUT", "/chat", {}, 405),
        ("POST", "/v1/chat/completions", {"messages": [{"role": "system", "content": "x"}]}, 422),
    ],
)
def test_every_error_is_a_problem(client: TestClient, method: str, path: str, body: Any, status: int) -> None:
    got = client.request(method, path, json=body)
    assert got.status_code == status, got.text
    assert got.headers["content-type"] == "application/problem+json"
    problem = got.json()
    assert problem["status"] == status
    assert problem["request_id"] == got.headers["x-request-id"]
    assert client.get(problem["type"]).status_code == 200


@pytest.mark.parametrize("kind", [None, "application/x-www-form-urlencoded", "text/plain"])
def test_a_body_that_nothing_calls_json_is_told_which_header_it_needs(
    client: TestClient, kind: str | None
) -> None:
    headers = {"content-type": kind} if kind else {}
    got = client.post("/chat", content=b'{"question": "x"}', headers=headers)
    assert got.status_code == 422
    assert got.json()["detail"] == "The body must be JSON, with the header `content-type: application/json`."
    listed = client.post("/chat", json=["x"])
    assert listed.json()["detail"].startswith("The body: ")


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_large_is_refused(client: TestClient, chunked: bool) -> None:
    data = b'{"question": "' + b"x" * 4_100_000 + b'"}'
    content: Any = iter([data[:1_000_000], data[1_000_000:]]) if chunked else data
    got = client.post("/chat", content=content, headers={"Content-Type": "application/json"})
    assert got.status_code == 413


def test_deep_json_is_refused(client: TestClient) -> None:
    deep = b"[" * 200_000 + b"]" * 200_000
    got = client.post("/chat", content=deep, headers={"Content-Type": "application/json"})
    assert got.status_code == 422


def test_a_header_cannot_be_injected_by_an_id(client: TestClient) -> None:
    got = client.get("/healthz", headers={"X-Request-Id": "a b\tc"})
    assert got.headers["x-request-id"].startswith("req_")
    assert client.get("/healthz", headers={"X-Request-Id": "mine-1"}).headers["x-request-id"] == "mine-1"


def test_everything_is_served_with_headers_that_keep_a_browser_safe(client: TestClient) -> None:
    for path in ("/", "/healthz", "/nowhere", "/api/documents"):
        headers = client.get(path).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


# --- documents ----------------------------------------------------------------------------------


def test_an_upload_becomes_a_document_with_its_original(client: TestClient) -> None:
    queued = client.post(
        "/api/documents", files={"file": ("bees.md", b"# Bees\n\nBees sleep 5 hours a night.")}
    )
    assert queued.status_code == 202
    job = finished(client, queued.json()["job_id"])
    assert job["state"] == "ready"
    (doc_id,) = job["doc_ids"]
    content = client.get(f"/api/documents/{doc_id}/content")
    assert content.text.startswith("# Bees")
    part = client.get(f"/api/documents/{doc_id}/content", headers={"Range": "bytes=2-5"})
    assert (part.status_code, part.text, part.headers["content-range"]) == (206, "Bees", "bytes 2-5/35")
    assert "5 hours" in client.post("/chat", json={"question": "How long do bees sleep?"}).json()["text"]
    assert client.delete(f"/api/documents/{doc_id}").status_code == 204
    assert client.get(f"/api/documents/{doc_id}").status_code == 404


def test_a_file_that_cannot_be_read_stays_listed_with_its_reason(client: TestClient) -> None:
    queued = client.post("/api/documents", files={"file": ("virus.exe", b"MZ")}).json()
    job = finished(client, queued["job_id"])
    assert job["state"] == "failed"
    assert "unknown kind of file .exe" in job["problem"]["detail"]
    assert client.get("/api/jobs").json()["items"][0]["state"] == "failed"


def test_the_same_upload_twice_with_one_key_is_one_job(client: TestClient) -> None:
    headers = {"Idempotency-Key": "k1"}
    ids = {
        client.post("/api/documents", files={"file": ("a.txt", b"Ice melts.")}, headers=headers).json()[
            "job_id"
        ]
        for _ in range(2)
    }
    assert len(ids) == 1


def test_html_is_not_shown_from_our_origin(client: TestClient) -> None:
    page = b"<html><body><p>Bees sleep.</p><script>alert(1)</script></body></html>"
    queued = client.post("/api/documents", files={"file": ("x.html", page)}).json()
    (doc_id,) = finished(client, queued["job_id"])["doc_ids"]
    got = client.get(f"/api/documents/{doc_id}/content")
    assert got.headers["content-disposition"].startswith("attachment")
    assert got.headers["content-security-policy"].startswith("sandbox")
    assert got.headers["content-type"] == "application/octet-stream"


def test_documents_are_listed_in_pages(client: TestClient) -> None:
    client.post("/api/documents", json={"doc_id": "a", "title": "A", "url": "", "text": "Ice melts."})
    time.sleep(0.3)
    first = client.get("/api/documents", params={"limit": 1, "access": "internal"}).json()
    second = client.get(
        "/api/documents", params={"limit": 5, "access": "internal", "cursor": first["next_cursor"]}
    ).json()
    assert [one["doc_id"] for one in first["items"] + second["items"]] == ["a", "margin", "trash"]
    assert second["next_cursor"] is None


def test_a_passage_comes_with_its_etag_and_the_places_of_a_citation(client: TestClient) -> None:
    answer = client.post("/chat", json={"question": QUESTION}).json()
    chunk = client.get("/api/chunks/c-1", params={"answer": answer["id"]}).json()
    (span,) = chunk["spans"]
    assert chunk["text"][span["start"] : span["end"]] == "A deleted file stays in the trash for 30 days."
    got = client.get(f"/api/chunks/{chunk['chunk_id']}")
    same = client.get(f"/api/chunks/{chunk['chunk_id']}", headers={"If-None-Match": got.headers["etag"]})
    assert same.status_code == 304


# --- keys ---------------------------------------------------------------------------------------


def test_without_a_key_nothing_is_told(guarded: TestClient) -> None:
    for method, path in (
        ("POST", "/chat"),
        ("GET", "/api/documents"),
        ("GET", "/api/answers"),
        ("GET", "/v1/models"),
    ):
        got = guarded.request(method, path, json={"question": QUESTION})
        assert got.status_code == 401, path
        assert got.headers["www-authenticate"] == "Bearer"


def test_a_key_sees_what_its_level_sees_and_can_only_narrow_it(guarded: TestClient) -> None:
    def sees(key: str, access: str | None = None) -> bool:
        body = {"question": "What is the margin on scanners?", **({"access": access} if access else {})}
        return "31 %" in guarded.post("/chat", json=body, headers=bearer(key)).json()["text"]

    public, internal, confidential = KEYS
    assert [sees(public), sees(internal), sees(confidential)] == [False, True, True]
    assert [sees(public, "internal"), sees(internal, "public")] == [False, False]


def test_a_hidden_passage_is_answered_like_an_unknown_one(guarded: TestClient) -> None:
    def body(path: str) -> dict[str, Any]:
        got = guarded.get(path, headers=bearer(KEYS[0]))
        told = got.json()
        return {name: told[name] for name in ("type", "title", "status", "detail")}

    assert body("/api/chunks/margin-chunk-0") == body("/api/chunks/nothing-chunk-0")
    assert body("/api/documents/margin") == body("/api/documents/nothing")


def test_only_writing_keys_change_documents(guarded: TestClient) -> None:
    assert guarded.delete("/api/documents/trash", headers=bearer(KEYS[1])).status_code == 403
    assert guarded.delete("/api/documents/trash", headers=bearer(KEYS[2])).status_code == 204


# --- stock clients ------------------------------------------------------------------------------


def test_a_completion_has_annotations_at_its_markers(client: TestClient) -> None:
    body = {"model": "any", "messages": [{"role": "user", "content": QUESTION}], "temperature": 0}
    got = client.post("/v1/chat/completions", json=body).json()
    message = got["choices"][0]["message"]
    (one,) = message["annotations"]
    place = one["url_citation"]
    assert message["content"][place["start_index"] : place["end_index"]] == "[1]"
    assert got["sources"][0]["document"] == ["A deleted file stays in the trash for 30 days."]


def test_a_streamed_completion_ends_as_clients_expect(client: TestClient) -> None:
    body = {"messages": [{"role": "user", "content": QUESTION}], "stream": True}
    lines = [line for line in client.post("/v1/chat/completions", json=body).text.splitlines() if line]
    assert lines[-1] == "data: [DONE]"
    chunks = [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]
    text = "".join(one["choices"][0]["delta"].get("content") or "" for one in chunks)
    assert "30 days [1]" in text
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"


# --- operations ---------------------------------------------------------------------------------


def test_metrics_count_answers_and_name_nothing(client: TestClient) -> None:
    client.post("/chat", json={"question": QUESTION})
    client.post("/v1/chat/completions", json={"messages": [{"role": "user", "content": QUESTION}]})
    text = client.get("/metrics").text
    assert 'pincite_answers_total{outcome="answered"} 2.0' in text
    assert 'pincite_citations_total{status="verified"} 2.0' in text
    assert "trash" not in text


def test_a_key_that_asks_too_often_is_told_to_wait() -> None:
    now = [0.0]
    limited = service(keys=Keys(KEYS), rates=Rates(2, clock=lambda: now[0]))
    with TestClient(create_app(limited)) as client:
        codes = [client.get("/v1/models", headers=bearer(KEYS[0])).status_code for _ in range(3)]
        assert codes == [200, 200, 429]
        assert client.get("/v1/models", headers=bearer(KEYS[0])).headers["retry-after"] == "60"
        assert client.get("/v1/models", headers=bearer(KEYS[1])).status_code == 200
        now[0] = 60.0
        assert client.get("/v1/models", headers=bearer(KEYS[0])).status_code == 200
