"""Evaluations over HTTP: who sees a run, in which forms, and how one is started."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")

from fastapi.testclient import TestClient
from tests.evals.sample_reports import HOSTILE, answer, item, sample_report

from pincite import Document, Pipeline
from pincite.evals.kept import kept, level_of, stored_run
from pincite.evals.reports import report_from
from pincite.evals.values import EvalReport
from pincite.ports.stored import StoredRun
from pincite.service.app import create_app
from pincite.service.evals import MAX_ITEMS
from pincite.service.jobs import Job
from pincite.service.keys import Keys
from pincite.service.settings import Service

KEYS = {
    "public": "public:aaaaaaaaaaaaaaaa",
    "internal": "internal+write:bbbbbbbbbbbbbbbb",
    "confidential": "confidential:dddddddddddddddd",
    "highest": "confidential+write:cccccccccccccccc",
}
GOLDEN = [
    {
        "id": "g-1",
        "question": "How long does a deleted file stay in the trash?",
        "expected_doc_ids": ["trash"],
        "must_include": ["30 days"],
        "language": "en",
        "tags": ["number"],
    },
    {"id": "g-2", "question": "Who won the cup in 1966?", "must_abstain": True, "language": "en"},
]


def header(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {KEYS[name].partition(':')[2]}"}


def service() -> Service:
    rag = Pipeline(store="memory", embedder="none")
    rag.add(
        Document(
            "trash", "A deleted file stays in the trash for 30 days.", title="Trash", access_level="public"
        )
    )
    return Service(rag, keys=Keys(tuple(KEYS.values())))


@pytest.fixture
def running() -> Service:
    return service()


@pytest.fixture
def client(running: Service) -> Iterator[TestClient]:
    with TestClient(create_app(running), raise_server_exceptions=False) as found:
        yield found


def keep(running: Service, *, run_id: str = "run_2", level: str = "public", hostile: str = "") -> EvalReport:
    report = sample_report(hostile=hostile)
    report = replace(report, run=replace(report.run, id=run_id))
    running.pipeline.parts.store.save_run(stored_run(report, level))
    return report


def finished(client: TestClient, job: dict[str, Any]) -> dict[str, Any]:
    for _ in range(400):
        told: dict[str, Any] = client.get(f"/api/jobs/{job['job_id']}", headers=header("highest")).json()
        if told["state"] not in ("queued", "running"):
            return told
        time.sleep(0.02)
    raise AssertionError(told)


def wait_for(true: Callable[[], bool]) -> None:
    for _ in range(800):
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("never true")


# --- reading ------------------------------------------------------------------------------------


def test_without_runs_the_list_is_empty(client: TestClient) -> None:
    got = client.get("/api/evals", headers=header("public")).json()
    assert got == {"items": [], "next_cursor": None, "may_start": False, "running": None}
    assert client.get("/api/evals", headers=header("highest")).json()["may_start"] is True


def test_a_run_is_listed_with_its_verdict_and_figures(client: TestClient, running: Service) -> None:
    keep(running)
    (one,) = client.get("/api/evals", headers=header("highest")).json()["items"]
    assert one["passed"] is False
    assert one["verdict"].startswith("Failed: 2 of 3 rules")
    assert one["metrics"]["precision"]["meets_target"] is False
    assert (one["failed"], one["flipped"], one["errors"], one["level"]) == (1, 1, 1, "public")


def test_a_run_above_the_level_of_its_reader_is_not_there(client: TestClient, running: Service) -> None:
    keep(running, run_id="run_open")
    keep(running, run_id="run_secret", level="internal")
    assert [one["id"] for one in client.get("/api/evals", headers=header("public")).json()["items"]] == [
        "run_open"
    ]
    secret = client.get("/api/evals/run_secret", headers={**header("public"), "X-Request-Id": "a"})
    unknown = client.get("/api/evals/run_none", headers={**header("public"), "X-Request-Id": "a"})
    assert secret.status_code == unknown.status_code == 404
    assert secret.json() | {"instance": ""} == unknown.json() | {"instance": ""}
    assert client.get("/api/evals/run_secret", headers=header("internal")).status_code == 200
    assert client.get("/api/evals/run_secret?access=public", headers=header("internal")).status_code == 404


def test_of_a_document_that_was_raised_above_the_reader_a_run_tells_them_nothing(
    client: TestClient, running: Service
) -> None:
    job = client.post("/api/evals", json={"golden": GOLDEN}, headers=header("highest")).json()
    run_id = finished(client, job)["run_id"]
    seen = client.get(f"/api/evals/{run_id}", headers=header("public")).text
    assert "30 days" in seen
    running.pipeline.add(
        Document("trash", "A deleted file stays in the trash for 30 days.", access_level="confidential")
    )
    for form in ("json", "markdown", "html", "junit"):
        now = client.get(f"/api/evals/{run_id}?format={form}", headers=header("public")).text
        assert "stays in the trash for" not in now
    assert "document:trash" not in client.get(f"/api/evals/{run_id}", headers=header("public")).text
    assert "30 days" in client.get(f"/api/evals/{run_id}", headers=header("highest")).text


def test_what_all_documents_are_is_told_to_those_who_see_them_all(
    client: TestClient, running: Service
) -> None:
    report = keep(running)
    for name, seen in (("public", ""), ("confidential", report.run.corpus_fingerprint)):
        (one,) = client.get("/api/evals", headers=header(name)).json()["items"]
        whole = client.get("/api/evals/run_2", headers=header(name)).json()
        assert one["corpus_fingerprint"] == whole["run"]["corpus_fingerprint"] == seen


def test_a_run_is_its_report(client: TestClient, running: Service) -> None:
    report = keep(running)
    got = client.get("/api/evals/run_2", headers=header("confidential")).json()
    assert report_from(got) == kept(report)


@pytest.mark.parametrize(
    ("form", "media"), [("markdown", "text/markdown"), ("html", "text/html"), ("junit", "application/xml")]
)
def test_a_run_comes_in_the_forms_of_a_report(
    client: TestClient, running: Service, form: str, media: str
) -> None:
    keep(running, hostile=HOSTILE)
    got = client.get(f"/api/evals/run_2?format={form}", headers=header("public"))
    assert got.headers["content-type"].startswith(media)
    assert "became wrong" in got.text or ElementTree.fromstring(got.content).tag == "testsuites"
    if form == "html":
        assert got.headers["content-security-policy"].startswith("sandbox; default-src 'none'")


def test_a_form_that_there_is_not_is_refused(client: TestClient) -> None:
    assert client.get("/api/evals/run_2?format=pdf", headers=header("public")).status_code == 422


def test_a_run_of_another_version_is_listed_and_cannot_be_opened(
    client: TestClient, running: Service
) -> None:
    running.pipeline.parts.store.save_run(
        StoredRun("run_9", "2026-01-01T00:00:00Z", "public", '{"schema_version": "9"}')
    )
    (one,) = client.get("/api/evals", headers=header("public")).json()["items"]
    assert one["passed"] is None
    assert "schema_version '9'" in one["verdict"]
    assert client.get("/api/evals/run_9", headers=header("public")).status_code == 409


def test_answers_that_nobody_opens_are_kept_as_words_alone() -> None:
    right = item("g-1", answer={**answer("It is so.", "it is"), "timing_ms": {}})
    wrong = item("g-2", passed=False, answer={**answer("It is so.", "it is"), "timing_ms": {}})
    found = kept(replace(sample_report(), items=(right, wrong), baseline=None, baseline_items={}))
    assert set(found.items[0].answer) == {"id", "abstained", "plain", "doc_ids"}
    assert "sentences" in found.items[1].answer
    assert "timing_ms" not in found.items[1].answer


def test_the_level_of_a_run_is_the_highest_of_its_readers() -> None:
    assert level_of(["public", "confidential", "internal"]) == "confidential"


# --- starting -----------------------------------------------------------------------------------


def test_golden_items_are_run_in_the_background_and_kept(client: TestClient) -> None:
    got = client.post("/api/evals", json={"golden": GOLDEN}, headers=header("highest"))
    assert got.status_code == 202
    assert got.headers["location"] == f"/api/jobs/{got.json()['job_id']}"
    told = finished(client, got.json())
    assert (told["state"], told["done"], told["total"]) == ("ready", 2, 2), told
    body = client.get(f"/api/evals/{told['run_id']}", headers=header("public")).json()
    assert [(one["id"], one["passed"]) for one in body["items"]] == [("g-1", True), ("g-2", True)]
    assert body["slices"].keys() >= {"language:en", "tag:number"}
    # nothing of it is in the history
    assert client.get("/api/answers", headers=header("highest")).json()["items"] == []


def test_the_level_of_a_started_run_is_that_of_its_readers(client: TestClient) -> None:
    items = [GOLDEN[0], {**GOLDEN[1], "reader": "internal"}]
    told = finished(
        client, client.post("/api/evals", json={"golden": items}, headers=header("highest")).json()
    )
    assert client.get(f"/api/evals/{told['run_id']}", headers=header("public")).status_code == 404
    assert client.get(f"/api/evals/{told['run_id']}", headers=header("internal")).status_code == 200


def test_a_run_is_compared_with_an_earlier_one(client: TestClient) -> None:
    first = finished(
        client, client.post("/api/evals", json={"golden": GOLDEN}, headers=header("highest")).json()
    )
    again = {"golden": GOLDEN, "baseline": first["run_id"], "max_drop": 1.0}
    second = finished(client, client.post("/api/evals", json=again, headers=header("highest")).json())
    body = client.get(f"/api/evals/{second['run_id']}", headers=header("highest")).json()
    assert body["baseline"]["run_id"] == first["run_id"]
    assert body["baseline"]["deltas"]["coverage"]["points"] == 0.0
    assert {rule["limit"] for rule in body["gate"]["rules"] if rule["rule"] == "max_drop"} == {1.0}


def test_a_run_that_cannot_be_compared_is_kept_with_a_warning(client: TestClient) -> None:
    first = finished(
        client, client.post("/api/evals", json={"golden": GOLDEN}, headers=header("highest")).json()
    )
    other = {"golden": GOLDEN[:1], "baseline": first["run_id"]}
    told = finished(client, client.post("/api/evals", json=other, headers=header("highest")).json())
    assert told["state"] == "ready_with_warnings"
    assert "the golden set" in told["warnings"][0]


@pytest.mark.parametrize("name", ["public", "internal", "confidential"])
def test_only_the_highest_key_that_writes_may_start_one(client: TestClient, name: str) -> None:
    assert client.post("/api/evals", json={"golden": GOLDEN}, headers=header(name)).status_code == 403


def test_there_is_one_at_a_time(client: TestClient, running: Service) -> None:
    def until_stopped(job: Job) -> None:
        while not job.stopping:
            time.sleep(0.01)
        job.set(state="cancelled", stage="cancelled")

    job = running.evaluations.add("x", "slow", until_stopped)
    assert job is not None
    refused = client.post("/api/evals", json={"golden": GOLDEN}, headers=header("highest"))
    assert (refused.status_code, refused.json()["type"]) == (409, "/problems/conflict")
    wait_for(lambda: job.state == "running")
    running.evaluations.cancel(job)
    wait_for(lambda: job.finished)
    assert client.post("/api/evals", json={"golden": GOLDEN}, headers=header("highest")).status_code == 202


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"golden": []}, "/golden"),
        ({"golden": "mine"}, "/golden"),
        ({"golden": [{**GOLDEN[0], "id": f"g-{n}"} for n in range(MAX_ITEMS + 1)]}, "/golden"),
        ({"golden": [GOLDEN[0], {"id": "g-2"}]}, "/golden/1"),
        ({"golden": [GOLDEN[0], GOLDEN[0]]}, "/golden/1"),
        ({"golden": [{**GOLDEN[0], "colour": "red"}]}, "/golden/0"),
        ({"golden": GOLDEN, "baseline": "run_none"}, "/baseline"),
        ({"golden": GOLDEN, "judge": "llm"}, "/judge"),
        ({"golden": GOLDEN, "max_drop": -1}, "/max_drop"),
        ({"golden": GOLDEN, "limit": 0}, "/limit"),
        ({"goldens": GOLDEN}, "/goldens"),
    ],
)
def test_a_field_that_cannot_be_right_is_named(
    client: TestClient, body: dict[str, Any], pointer: str
) -> None:
    got = client.post("/api/evals", json=body, headers=header("highest"))
    assert got.status_code == 422, got.text
    assert any(one["pointer"].startswith(pointer) for one in got.json()["errors"]), got.text


def test_a_slice_that_no_item_has_fails_the_job_with_its_reason(client: TestClient) -> None:
    body = {"golden": GOLDEN, "only": "language:fr"}
    told = finished(client, client.post("/api/evals", json=body, headers=header("highest")).json())
    assert told["state"] == "failed"
    assert "no item has 'language:fr'" in told["problem"]["detail"]


def test_a_baseline_above_the_reader_is_like_none(client: TestClient, running: Service) -> None:
    # nobody who may start one is below a run; the store is asked all the same
    keep(running, run_id="run_odd", level="odd")
    body = {"golden": GOLDEN, "baseline": "run_odd"}
    assert client.post("/api/evals", json=body, headers=header("highest")).status_code == 422


def test_a_run_can_be_cancelled(
    client: TestClient, running: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = []

    def ask_slowly(original: Any) -> Any:
        def search(*given: Any) -> Any:
            begun.append(1)
            time.sleep(0.3)
            return original(*given)

        return search

    parts = running.pipeline.parts
    running.pipeline.parts = replace(parts, search=ask_slowly(parts.search))
    items = [{**GOLDEN[0], "id": f"g-{n}"} for n in range(50)]
    job = client.post("/api/evals", json={"golden": items}, headers=header("highest")).json()
    wait_for(lambda: bool(begun))
    assert client.delete(f"/api/jobs/{job['job_id']}", headers=header("highest")).status_code == 200
    assert finished(client, job)["state"] == "cancelled"
    assert client.get("/api/evals", headers=header("highest")).json()["items"] == []


def test_the_page_is_there(client: TestClient) -> None:
    for path in ("/evals", "/evals/run_2"):
        assert "<main" in client.get(path).text


def test_the_description_has_an_example_that_is_right(client: TestClient, running: Service) -> None:
    schema = client.get("/openapi.json").json()["components"]["schemas"]["EvalBody"]
    example = json.loads(json.dumps(schema["examples"][0])) | {"baseline": None}
    assert client.post("/api/evals", json=example, headers=header("highest")).status_code == 202
