"""Telemetry over the wire: a small OTLP collector that is up, down, slow or picky, and a real Prometheus."""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("opentelemetry.sdk", reason="the extra `otel` is not installed")
pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="the extra `otel` is not installed")

from tests.doubles import NOON, statement
from tests.integration.otlp import Collector, collector, values_of

from pincite import Document, Pipeline
from pincite.llms.scripted import ScriptedModel
from pincite.otel import CLOSE_SECONDS, OtelTelemetry
from pincite.telemetry import Timer
from pincite.types import Question

ROOT = Path(__file__).resolve().parents[2]
KEPT = Document("kept", "Deleted files are kept for 30 days.")
QUESTION = "How long are deleted files kept?"
REPLY = statement("Deleted files are kept for 30 days.", ("c-1", "kept for 30 days")) + statement(
    "Deleted files are kept for 90 days.", ("c-1", "kept for 90 days")
)
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
TRACEPARENT = f"00-{TRACE}-00f067aa0ba902b7-01"


@pytest.fixture(autouse=True)
def no_settings_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("OTEL_"):
            monkeypatch.delenv(name)


def pipeline_to(address: str, *, times: int = 1, **settings: Any) -> Pipeline:
    """A pipeline in memory whose telemetry goes to an address; its model says the same at every call."""
    rag = Pipeline(
        store="memory",
        embedder="none",
        llm=ScriptedModel([REPLY, ""] * times),
        telemetry={"enabled": True, "endpoint": address, **settings},
    )
    rag.add(KEPT)
    return rag


def until(holds: Callable[[], Any], seconds: float = 8.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


# --- a collector that is up ---------------------------------------------------------------------


def test_a_request_arrives_as_a_trace_with_its_evaluations_and_measures() -> None:
    with collector() as there:
        with pipeline_to(there.address) as rag:
            answer = rag.ask(Question(QUESTION, traceparent=TRACEPARENT))
        assert answer.trace_id == TRACE
        spans = there.spans()
        assert {span.trace_id.hex() for span in spans} == {TRACE}
        assert sorted(span.name for span in spans) == [
            "chat ScriptedModel",
            "chat ScriptedModel",
            "pincite.ask",
            "pincite.citation.check",
            "pincite.citation.check",
            "pincite.repair",
            "pincite.verify",
            "pincite.weigh",
            "retrieval",
        ]
        failed = [span for span in spans if span.status.code == span.status.STATUS_CODE_ERROR]
        (told,) = [values_of(span.attributes) for span in failed]
        assert told["pincite.citation.status"] == "contradicted"
        assert told["pincite.citation.doc_id"] == "kept"
        assert {one.event_name for one in there.events()} == {"gen_ai.evaluation.result"}
        assert {one.trace_id.hex() for one in there.events()} == {TRACE}
        assert {"pincite.answers", "pincite.citations", "gen_ai.retrieval.duration"} <= set(there.metrics())
        (resource,) = there.resources()
        assert resource["service.name"] == "pincite"


def test_no_word_of_question_answer_or_source_is_on_the_wire() -> None:
    with collector() as there:
        with pipeline_to(there.address) as rag:
            rag.ask(QUESTION)
        wire = b"".join(body for _, body in there.bodies).lower()
        assert b"kept-chunk-0" in wire  # an id
        for word in (b"deleted", b"files", b"30 days", b"how long"):
            assert word not in wire


def test_with_capture_content_quotes_are_on_the_wire() -> None:
    with collector() as there:
        with pipeline_to(there.address, capture_content=True) as rag:
            rag.ask(QUESTION)
        wire = b"".join(body for _, body in there.bodies)
        assert b"kept for 30 days" in wire
        assert QUESTION.encode() in wire


def test_variables_of_the_sdk_say_where_to_and_with_what_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with collector() as there:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", there.address)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=secret")
        monkeypatch.setenv("OTEL_SERVICE_NAME", "handbook")
        monkeypatch.setenv("OTEL_LOGS_EXPORTER", "none")
        with pipeline_to("") as rag:
            rag.ask(QUESTION)
        assert {path for path, _ in there.bodies} == {"/v1/traces", "/v1/metrics"}
        assert {headers["api-key"] for headers in there.headers} == {"secret"}
        assert there.resources()[0]["service.name"] == "handbook"


def test_answers_of_many_threads_stay_apart() -> None:
    with collector() as there:
        with pipeline_to(there.address, times=100) as rag:
            answers: list[str | None] = []
            threads = [
                threading.Thread(target=lambda: answers.append(rag.ask(QUESTION).trace_id)) for _ in range(8)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        spans = there.spans()
        assert {span.trace_id.hex() for span in spans if span.name == "pincite.ask"} == set(answers)
        assert len(set(answers)) == 8
        for trace_id in answers:
            own = [span for span in spans if span.trace_id.hex() == trace_id]
            ids = {span.span_id for span in own}
            assert all(span.parent_span_id in ids for span in own if span.parent_span_id)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_a_process_that_was_forked_tells_too() -> None:
    with collector() as there:
        with pipeline_to(there.address, times=3) as rag:
            rag.ask(QUESTION)
            child = os.fork()
            if child == 0:
                try:
                    rag.ask(QUESTION)
                    assert rag.parts.telemetry is not None
                    rag.parts.telemetry.close()
                finally:
                    os._exit(0)
            os.waitpid(child, 0)
        assert sum(span.name == "pincite.ask" for span in there.spans()) == 2


def test_with_telemetry_off_nothing_of_it_is_loaded() -> None:
    code = (
        "import sys; from pincite import Pipeline, Document\n"
        "rag = Pipeline(store='memory', embedder='none'); rag.add(Document('a', 'Tours cost 5 EUR.'))\n"
        "rag.ask('What do tours cost?')\n"
        "print([name for name in sys.modules if name.startswith(('opentelemetry', 'prometheus', 'requests', 'pincite.otel', 'pincite.traces', 'pincite.collector'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- a collector that is not --------------------------------------------------------------------


def nowhere() -> str:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{found.getsockname()[1]}"


def tell(telemetry: OtelTelemetry, times: int) -> None:
    for _ in range(times):
        telemetry.watch(Question(QUESTION), NOON, "scripted").end(Timer())


def test_a_collector_that_is_down_costs_one_warning_and_no_answer(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
    monkeypatch.setenv("OTEL_BLRP_SCHEDULE_DELAY", "50")
    monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "50")
    monkeypatch.setattr("pincite.collector.SEND_SECONDS", 0.1)
    with caplog.at_level(logging.WARNING):
        rag = pipeline_to(nowhere(), times=10)
        for _ in range(6):
            assert rag.ask(QUESTION).answer_status == "PARTIAL"
            time.sleep(0.12)
        begun = time.monotonic()
        rag.close()
        assert time.monotonic() - begun < CLOSE_SECONDS + 1
    assert [record.name for record in caplog.records] == ["pincite.telemetry"]
    assert "Answers are not affected" in caplog.text


def test_a_collector_that_hangs_keeps_neither_answers_nor_the_end_waiting(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with collector() as there:
        there.going.clear()
        rag = pipeline_to(there.address, times=3)
        begun = time.monotonic()
        rag.ask(QUESTION)
        asked = time.monotonic()
        rag.close()
        assert asked - begun < 5
        assert time.monotonic() - asked < CLOSE_SECONDS + 1
    assert [record.getMessage() for record in caplog.records] == [
        "the collector did not take within 2 s what was left; it is dropped"
    ]


def test_what_waits_for_a_collector_is_bounded() -> None:
    with collector() as there:
        there.going.clear()
        telemetry = OtelTelemetry(**_lines(there))
        tell(telemetry, 2_500)
        waiting = [
            len(queue._batch_processor._queue)
            for queue in telemetry._queues
            if hasattr(queue, "_batch_processor")
        ]
        assert max(waiting) <= 2_048
        telemetry.close()


def _lines(there: Collector) -> dict[str, Any]:
    from pincite.collector import Events, Outage, Spans

    outage = Outage()
    return {"spans": Spans(there.address, outage), "events": Events(there.address, outage)}


def test_a_collector_that_takes_traces_alone_gets_them_and_is_not_asked_again_for_the_rest(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "50")
    with collector() as there:
        there.statuses = {"/v1/metrics": 404, "/v1/logs": 404}
        with caplog.at_level(logging.WARNING), pipeline_to(there.address, times=3) as rag:
            rag.ask(QUESTION)
            time.sleep(0.3)
            rag.ask(QUESTION)
        assert sum(span.name == "pincite.ask" for span in there.spans()) == 2
    told = sorted(record.getMessage() for record in caplog.records)
    assert len(told) == 2
    assert "it takes no logs" in told[0]
    assert "it takes no metrics" in told[1]


def test_a_collector_that_comes_back_is_told_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "30")
    with collector() as there:
        there.statuses = {"/v1/traces": 500}
        telemetry = OtelTelemetry(**_lines(there))
        with caplog.at_level(logging.INFO, "pincite.telemetry"):
            tell(telemetry, 1)
            until(lambda: "cannot be reached" in caplog.text)
            there.statuses = {}
            tell(telemetry, 1)
            until(lambda: "takes everything again" in caplog.text)
        telemetry.close()
        assert len(there.spans()) == 1


# --- Prometheus ---------------------------------------------------------------------------------

pytest_prometheus = pytest.mark.skipif(
    not (shutil.which("prometheus") and shutil.which("promtool")),
    reason="prometheus is not installed (Debian: apt-get install prometheus)",
)
METRICS_KEY = "a-key-that-reads-metrics-alone"
ASKING_KEY = "a-key-that-asks-and-no-more"


def expressions() -> dict[str, str]:
    """Every PromQL expression of the dashboard and of the alert rules, by where it stands."""
    yaml = pytest.importorskip("yaml")
    dashboard = json.loads((ROOT / "dashboards" / "grafana.json").read_text("utf-8"))
    found = {
        f"{panel['title']} {target['refId']}": target["expr"]
        for panel in dashboard["panels"]
        for target in panel["targets"]
    }
    rules = yaml.safe_load((ROOT / "deploy" / "alerts.yml").read_text("utf-8"))
    return found | {rule["alert"]: rule["expr"] for group in rules["groups"] for rule in group["rules"]}


def series_in(expression: str) -> set[str]:
    """The names of series in an expression: what stands outside braces and lists of labels."""
    bare = re.sub(r'\{[^}]*\}|"[^"]*"|\b(?:by|without|on)\s*\([^)]*\)', " ", expression)
    return set(re.findall(r"\b(?:pincite|gen_ai)_\w+", bare))


@contextmanager
def serving() -> Iterator[int]:
    """A service with some traffic behind it: answers, an abstention, a caught failure, an error."""
    pytest.importorskip("fastapi", reason="the extra `serve` is not installed")
    from pincite.ports import Delta, ModelRequest
    from pincite.service import server
    from pincite.service.app import create_app
    from pincite.service.keys import Keys
    from pincite.service.settings import Service

    calls = 0

    def model(request: ModelRequest) -> Iterator[Delta]:
        from pincite.errors import ModelError
        from pincite.types import Usage

        nonlocal calls
        calls += 1
        if calls == 5:
            raise ModelError("away")
        yield Delta(REPLY, usage=Usage(100, 20))

    rag = Pipeline(store="memory", embedder="none", llm=model)
    rag.add(KEPT)
    keys = Keys((f"public+metrics:{METRICS_KEY}", f"public:{ASKING_KEY}"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    one = server.server_of(create_app(Service(rag, keys=keys)), host="127.0.0.1", port=port)
    thread = threading.Thread(target=one.run, daemon=True)
    thread.start()
    until(lambda: one.started)
    try:
        yield port
    finally:
        one.should_exit = True
        thread.join(15)


def get(url: str, key: str = "") -> bytes:
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"} if key else {})
    with urllib.request.urlopen(request, timeout=5) as answer:
        return bytes(answer.read())


def ask(port: int, question: str) -> int:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/chat",
        data=json.dumps({"question": question}).encode(),
        headers={"content-type": "application/json", "Authorization": f"Bearer {ASKING_KEY}"},
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return int(error.code)


def test_the_names_in_dashboard_and_alerts_are_those_at_metrics() -> None:
    with serving() as port:
        for question in (QUESTION, QUESTION, "zebra", QUESTION):
            ask(port, question)
        text = get(f"http://127.0.0.1:{port}/metrics", METRICS_KEY).decode()
        with pytest.raises(urllib.error.HTTPError, match="403"):
            get(f"http://127.0.0.1:{port}/metrics", ASKING_KEY)
    there = {line.partition("{")[0].partition(" ")[0] for line in text.splitlines() if line[:1] != "#"}
    for where, expression in expressions().items():
        names = series_in(expression)
        assert names <= there, (where, names - there)
        assert names or where == "PinciteDown"


@pytest_prometheus
def test_promtool_accepts_the_rules_and_what_they_are_for(tmp_path: Path) -> None:
    deploy = ROOT / "deploy"
    for words in (["check", "rules", "alerts.yml"], ["test", "rules", "alerts_test.yml"]):
        done = subprocess.run(["promtool", *words], cwd=deploy, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    text = (deploy / "prometheus.yml").read_text("utf-8")
    (tmp_path / "key").write_text("x")
    (tmp_path / "alerts.yml").write_text((deploy / "alerts.yml").read_text("utf-8"))
    (tmp_path / "prometheus.yml").write_text(text.replace("/run/secrets/metrics_key", str(tmp_path / "key")))
    command = ["promtool", "check", "config", str(tmp_path / "prometheus.yml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest_prometheus
def test_a_real_prometheus_reads_the_service_and_evaluates_every_expression(tmp_path: Path) -> None:
    with serving() as port:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            own = free.getsockname()[1]
        deploy = ROOT / "deploy"
        (tmp_path / "key").write_text(METRICS_KEY)
        (tmp_path / "alerts.yml").write_text((deploy / "alerts.yml").read_text("utf-8"))
        config = (deploy / "prometheus.yml").read_text("utf-8").replace("15s", "1s")
        config = config.replace("/run/secrets/metrics_key", str(tmp_path / "key"))
        (tmp_path / "prometheus.yml").write_text(config.replace("pincite:8000", f"127.0.0.1:{port}"))
        command = [
            "prometheus",
            f"--config.file={tmp_path / 'prometheus.yml'}",
            f"--storage.tsdb.path={tmp_path / 'data'}",
            f"--web.listen-address=127.0.0.1:{own}",
            "--log.level=error",
        ]
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            query = f"http://127.0.0.1:{own}/api/v1/query?"

            def evaluated(expression: str) -> Any:
                try:
                    told = json.loads(get(query + urllib.parse.urlencode({"query": expression})))
                except OSError:
                    return []
                assert told["status"] == "success"
                return told["data"]["result"]

            until(lambda: evaluated("up == 1"), 15)
            ask(port, QUESTION)
            ask(port, QUESTION)
            until(lambda: evaluated('pincite_answers_total{outcome="partial"} == 2'))
            for where, expression in expressions().items():
                filled = expression.replace("$__rate_interval", "1m").replace("$__range", "1h")
                result = evaluated(filled)
                assert isinstance(result, list), where
            shown = evaluated('sum(increase(pincite_citations_total{status="verified"}[1m])) > 0')
            caught = evaluated('sum(increase(pincite_caught_citations_total{status="contradicted"}[1m])) > 0')
            assert shown
            assert caught
            labels = evaluated("pincite_unverified_citations_total > 0")
            assert [one["metric"]["doc_id"] for one in labels] == ["kept"]
        finally:
            running.terminate()
            running.wait(10)


# --- doctor -------------------------------------------------------------------------------------


def doctor(address: str, folder: Path) -> dict[str, str]:
    (folder / "pincite.toml").write_text(f'[telemetry]\nenabled = true\nendpoint = "{address}"\n')
    from pincite.cli.session import Session
    from pincite.cli.state import diagnose

    found = diagnose(Session(config=str(folder / "pincite.toml")))
    (one,) = [line for line in found if line.name == "telemetry"]
    return {"state": one.state, "found": one.found}


def test_doctor_says_whether_the_collector_takes_traces(tmp_path: Path) -> None:
    with collector() as there:
        assert doctor(there.address, tmp_path)["state"] == "ok"
        there.statuses = {"/v1/traces": 404}
        assert doctor(there.address, tmp_path)["state"] == "warning"
    assert doctor(nowhere(), tmp_path)["state"] == "warning"
