"""What telemetry tells of a request, without a network: spans, events of evaluation, measures, and what it keeps to itself."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from pincite import Document, Pipeline
from pincite import telemetry_names as names
from pincite.answer import Answer
from pincite.config import load
from pincite.errors import ConfigError, ModelError
from pincite.events import Drafted
from pincite.parts import Settings
from pincite.ports import Delta, ModelRequest
from pincite.telemetry import MAX_DOCUMENTS, Documents, Lap, Record, Timer, Told
from pincite.traces import MAX_CITATIONS, trace_of
from pincite.types import AccessLevel, Question, Reader
from pincite.wiring.collector import open_telemetry
from tests.doubles import pipeline, statement

pytest.importorskip("opentelemetry.sdk", reason="the extra `otel` is not installed")
pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="the extra `otel` is not installed")

from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from pincite.collector import told_address
from pincite.otel import OtelTelemetry

KEPT = Document("kept", "Deleted files are kept for 30 days.")
SIZES = Document("sizes", "Uploads on the Basic plan may be up to 25 MB.")
QUESTION = "How long are deleted files kept?"
RIGHT = statement("Deleted files are kept for 30 days.", ("c-1", "kept for 30 days"))
WRONG = statement("Deleted files are kept for 90 days.", ("c-1", "kept for 90 days"))
INVENTED = statement("Files come back within 5 minutes.", ("zebra-chunk-9", "within 5 minutes"))
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
TRACEPARENT = f"00-{TRACE}-00f067aa0ba902b7-01"


@dataclass
class Heard:
    """A pipeline and what its telemetry was told."""

    rag: Pipeline
    telemetry: OtelTelemetry
    memory: InMemorySpanExporter = field(default_factory=InMemorySpanExporter)
    events: InMemoryLogRecordExporter = field(default_factory=InMemoryLogRecordExporter)
    reader: InMemoryMetricReader = field(default_factory=InMemoryMetricReader)

    def ask(self, question: str | Question = QUESTION, **given: Any) -> Answer:
        return self.rag.ask(question, **given)

    def spans(self, name: str = "") -> list[Any]:
        self.telemetry.close()
        return [span for span in self.memory.get_finished_spans() if span.name.startswith(name)]

    def evaluations(self) -> list[Any]:
        self.telemetry.close()
        return [one.log_record for one in self.events.get_finished_logs()]

    def points(self) -> dict[str, dict[tuple[str, ...], float]]:
        """Of each measure the values by their labels; of histograms how many."""
        found = self.reader.get_metrics_data()
        return {
            metric.name: {
                tuple(point.attributes.values()): getattr(point, "value", getattr(point, "count", 0))
                for point in metric.data.data_points
            }
            for scope in found.resource_metrics[0].scope_metrics
            for metric in scope.metrics
        }


def heard(*documents: Document, content: bool = False, model: Any = None, **given: Any) -> Heard:
    rag = pipeline(*(documents or (KEPT, SIZES)), **given)
    memory, events, reader = InMemorySpanExporter(), InMemoryLogRecordExporter(), InMemoryMetricReader()
    telemetry = OtelTelemetry(spans=memory, events=events, metrics=reader, content=content)
    parts = replace(rag.parts, telemetry=telemetry, **({"model": model} if model else {}))
    return Heard(Pipeline(parts, rag.settings), telemetry, memory, events, reader)


def words_of(listener: Heard) -> str:
    """Everything that was told, as one text."""
    told = [(span.name, dict(span.attributes), span.status.description) for span in listener.spans()]
    return repr((told, [dict(one.attributes) for one in listener.evaluations()]))


# --- off and on ---------------------------------------------------------------------------------


def test_telemetry_is_off_unless_it_is_set() -> None:
    assert Pipeline(store="memory", embedder="none").parts.telemetry is None


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "pincite.otel", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(ConfigError, match=r"pip install .*\[otel\]"):
        open_telemetry(load(None, arguments={"telemetry": {"enabled": True}}))


def test_a_key_of_the_environment_is_not_sent_to_an_address_of_the_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=secret")
    with pytest.raises(ConfigError, match="OTEL_EXPORTER_OTLP_ENDPOINT") as raised:
        open_telemetry(load(None, arguments={"telemetry": {"endpoint": "http://127.0.0.1:9"}}))
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("address", ["localhost:4318", "ftp://collector", "http://a b"])
def test_an_endpoint_is_an_address(address: str) -> None:
    with pytest.raises(ConfigError, match="endpoint"):
        load(None, arguments={"telemetry": {"endpoint": address}})


@pytest.mark.parametrize(
    "address",
    [
        "http://u:hunter2@127.0.0.1:4318",
        "http://127.0.0.1:4318?key=hunter2",
        "http://127.0.0.1:4318/#hunter2",
        "http://u:hunter2/x@127.0.0.1",
        "u:hunter2@127.0.0.1",
        "http://127.0.0.1:hunter2",
        "http://127.0.0.1:99999",
        "http://[::1",
    ],
)
def test_an_endpoint_with_a_secret_in_it_or_no_port_is_refused_and_not_shown(address: str) -> None:
    with pytest.raises(ConfigError, match=r"\[telemetry\] endpoint must be") as raised:
        load(None, assignments=[f"telemetry.endpoint={address}"])
    assert "hunter2" not in f"{raised.value} {raised.value.hint}"


@pytest.mark.parametrize("address", ["http://collector", "https://[::1]:4318/otlp", "http://10.0.0.1:4318/"])
def test_an_endpoint_may_have_a_port_and_a_path(address: str) -> None:
    assert load(None, arguments={"telemetry": {"endpoint": address}}).config.telemetry.endpoint == address


def test_an_address_of_the_environment_is_told_without_what_may_be_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://u:hunt@er2@127.0.0.1:4318/otlp?key=hunter2")
    assert told_address("traces") == "http://127.0.0.1:4318/otlp"
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://u:hun/ter2@127.0.0.1")
    assert told_address("traces") == "an address that is not shown"


def test_an_answer_is_the_same_with_telemetry_as_without() -> None:
    plain = pipeline(KEPT, SIZES, replies=[WRONG + RIGHT]).ask(QUESTION)
    watched = heard(replies=[WRONG + RIGHT]).ask()
    same = {"trace_id": None, "timing_ms": {}}
    assert replace(watched, **same) == replace(plain, **same)


# --- spans --------------------------------------------------------------------------------------


def test_a_request_is_a_trace_of_its_stages_with_a_span_for_each_citation() -> None:
    listener = heard(replies=[RIGHT])
    listener.ask()
    spans = listener.spans()
    by_id = {span.context.span_id: span.name for span in spans}
    tree = {span.name: by_id.get(span.parent.span_id) if span.parent else None for span in spans}
    assert tree == {
        "pincite.ask": None,
        "retrieval": "pincite.ask",
        "pincite.weigh": "pincite.ask",
        "chat scripted": "pincite.ask",
        "pincite.verify": "pincite.ask",
        "pincite.citation.check": "pincite.verify",
    }


def test_a_citation_says_where_it_points_and_how_it_did() -> None:
    listener = heard(replies=[RIGHT])
    listener.ask()
    (span,) = listener.spans("pincite.citation.check")
    assert dict(span.attributes) == {
        "pincite.citation.id": "c-1",
        "pincite.citation.chunk_id": "kept-chunk-0",
        "pincite.citation.doc_id": "kept",
        "pincite.citation.status": "verified",
        "pincite.citation.quote_match": "exact",
        "pincite.citation.match_score": 1.0,
        "pincite.citation.support": "supported",
        "pincite.citation.shown": True,
    }
    assert span.status.status_code.name == "UNSET"


def test_a_citation_that_fails_is_an_error_though_no_reader_was_shown_it() -> None:
    listener = heard(replies=[RIGHT + WRONG])
    answer = listener.ask()
    assert "90" not in answer.plain
    failed = [span for span in listener.spans("pincite.citation.check") if not span.status.is_ok]
    assert [(one.attributes[names.CITATION_STATUS], one.attributes[names.SHOWN]) for one in failed] == [
        ("contradicted", False)
    ]
    assert failed[0].status.description == "contradicted"
    (verify,) = listener.spans("pincite.verify")
    assert verify.attributes[names.CITATIONS_UNVERIFIED] == 1


def test_a_failed_citation_is_told_once_though_it_is_checked_again() -> None:
    listener = heard(replies=[RIGHT + WRONG, WRONG])
    listener.ask()
    assert sum(not span.status.is_ok for span in listener.spans("pincite.citation.check")) == 1


def test_a_second_call_of_the_model_is_part_of_the_repair() -> None:
    listener = heard(replies=[WRONG, RIGHT])
    listener.ask()
    (repair,) = listener.spans("pincite.repair")
    first, second = sorted(listener.spans("chat scripted"), key=lambda span: span.start_time)
    assert second.parent.span_id == repair.context.span_id
    assert first.parent.span_id != repair.context.span_id
    assert repair.attributes[names.MENDED] == 1


def test_spans_lie_within_the_span_above_them() -> None:
    listener = heard(replies=[RIGHT + WRONG, RIGHT])
    listener.ask()
    spans = {span.context.span_id: span for span in listener.spans()}
    for span in spans.values():
        if span.parent:
            above = spans[span.parent.span_id]
            assert above.start_time <= span.start_time <= span.end_time <= above.end_time


def test_a_model_behind_a_server_is_a_client_call() -> None:
    listener = heard(replies=[RIGHT])
    rag = listener.rag
    Pipeline(replace(rag.parts, model_name="openai:gpt-9"), rag.settings).ask(QUESTION)
    (chat,) = listener.spans("chat")
    assert chat.name == "chat gpt-9"
    assert chat.kind.name == "CLIENT"
    assert (chat.attributes[names.PROVIDER], chat.attributes[names.REQUEST_MODEL]) == ("openai", "gpt-9")


def test_an_abstention_has_its_reason_and_no_checks() -> None:
    listener = heard(replies=[RIGHT])
    listener.ask("zebra")
    assert [span.name for span in listener.spans()] == ["retrieval", "pincite.weigh", "pincite.ask"]
    (root,) = listener.spans("pincite.ask")
    assert root.attributes[names.OUTCOME] == "abstained"
    assert root.attributes[names.REASON_CODE] == "weak_retrieval"


def refusing(request: ModelRequest) -> Iterator[Delta]:
    raise ModelError("the model at example.org said: your question about deleted files is odd")
    yield Delta("")


def test_a_model_that_fails_ends_the_trace_with_an_error_that_tells_no_text() -> None:
    listener = heard(model=refusing)
    with pytest.raises(ModelError):
        listener.ask()
    (root,) = listener.spans("pincite.ask")
    assert (root.status.status_code.name, root.status.description) == ("ERROR", "ModelError")
    assert root.attributes["error.type"] == "ModelError"
    assert root.attributes[names.OUTCOME] == "error"
    (chat,) = listener.spans("chat")
    assert chat.attributes["error.type"] == "ModelError"
    assert "odd" not in words_of(listener)


def test_a_request_that_nobody_waits_for_is_cancelled_and_no_error() -> None:
    listener = heard(replies=[RIGHT])
    events = listener.rag.events(QUESTION)
    for event in events:
        if isinstance(event, Drafted):
            break
    events.close()  # type: ignore[attr-defined]
    (root,) = listener.spans("pincite.ask")
    assert root.attributes[names.OUTCOME] == "cancelled"
    assert root.status.status_code.name == "UNSET"


def test_a_client_that_goes_away_in_the_middle_is_no_error_of_the_model() -> None:
    pytest.importorskip("fastapi", reason="the extra `serve` is not installed")
    from contextlib import nullcontext

    from pincite.service.asking import Asked, Gone, pipeline_of

    listener = heard(replies=[RIGHT])
    asked = Asked(Question(QUESTION))
    rag = pipeline_of(listener.rag, asked, lambda _: listener.rag.parts.judge, lambda: True, nullcontext())
    with pytest.raises(Gone):
        rag.ask(QUESTION)
    (root,) = listener.spans("pincite.ask")
    assert root.attributes[names.OUTCOME] == "cancelled"
    assert all(span.status.status_code.name == "UNSET" for span in listener.spans())


# --- traces of others ---------------------------------------------------------------------------


def test_a_traceparent_makes_the_request_part_of_that_trace() -> None:
    listener = heard(replies=[RIGHT])
    answer = listener.ask(Question(QUESTION, traceparent=TRACEPARENT))
    assert answer.trace_id == TRACE
    assert {f"{span.context.trace_id:032x}" for span in listener.spans()} == {TRACE}
    (root,) = listener.spans("pincite.ask")
    assert f"{root.parent.span_id:016x}" == "00f067aa0ba902b7"


def test_without_one_the_answer_names_a_trace_of_its_own() -> None:
    listener = heard(replies=[RIGHT])
    answer = listener.ask()
    (root,) = listener.spans("pincite.ask")
    assert answer.trace_id == f"{root.context.trace_id:032x}"


def test_a_trace_that_is_not_sampled_is_counted_and_not_told() -> None:
    listener = heard(replies=[RIGHT])
    answer = listener.ask(Question(QUESTION, traceparent=TRACEPARENT[:-2] + "00"))
    assert listener.points()["pincite.answers"] == {("answered",): 1}
    assert answer.trace_id == TRACE
    assert listener.spans() == []
    assert listener.evaluations() == []


def test_with_telemetry_off_the_answer_still_names_the_trace_that_it_belongs_to() -> None:
    rag = pipeline(KEPT)
    assert rag.ask(Question(QUESTION, traceparent=TRACEPARENT)).trace_id == TRACE
    assert rag.ask(Question(QUESTION, traceparent="nonsense")).trace_id is None
    assert rag.ask(QUESTION).trace_id is None


# --- what it keeps to itself --------------------------------------------------------------------


def test_no_text_goes_along_unless_it_is_asked_for() -> None:
    listener = heard(replies=[RIGHT + WRONG])
    listener.ask()
    told = words_of(listener).casefold()
    for word in ("deleted", "files", "days", "how long"):
        assert word not in told


def test_text_goes_along_when_it_is_asked_for() -> None:
    listener = heard(replies=[RIGHT + WRONG], content=True)
    listener.ask()
    (retrieval,) = listener.spans("retrieval")
    assert retrieval.attributes[names.QUERY_TEXT] == QUESTION
    failed, held = sorted(listener.spans("pincite.citation.check"), key=lambda span: span.status.is_ok)
    assert held.attributes[names.CONTENT_QUOTE] == ("kept for 30 days",)
    assert failed.attributes[names.CONTENT_CLAIM] == "Deleted files are kept for 90 days."
    assert "90" in failed.attributes[names.CONTENT_REASON]


def test_an_id_that_the_model_made_up_is_its_text_and_stays_out() -> None:
    listener = heard(replies=[RIGHT + INVENTED])
    listener.ask()
    statuses = [span.attributes[names.CITATION_STATUS] for span in listener.spans("pincite.citation.check")]
    assert "invalid" in statuses
    assert "zebra" not in words_of(listener)


def test_an_id_that_is_no_unicode_does_not_cost_its_batch() -> None:
    listener = heard(Document("a\ud800b", KEPT.text), replies=[RIGHT])
    listener.ask()
    (span,) = listener.spans("pincite.citation.check")
    assert span.attributes[names.DOC_ID] == "a?b"


def test_every_attribute_with_content_is_in_one_table() -> None:
    listener = heard(replies=[RIGHT + WRONG], content=True)
    listener.ask()
    content = {name for span in listener.spans() for name in span.attributes if "content" in name}
    assert content | {names.QUERY_TEXT} == names.CONTENT


# --- evaluations --------------------------------------------------------------------------------


def test_each_citation_and_the_answer_are_told_as_evaluations() -> None:
    listener = heard(replies=[RIGHT])
    answer = listener.ask()
    told = listener.evaluations()
    assert {one.event_name for one in told} == {"gen_ai.evaluation.result"}
    assert {one.attributes[names.RESPONSE_ID] for one in told} == {answer.id}
    scores = {
        one.attributes[names.EVALUATION_NAME]: (
            one.attributes[names.EVALUATION_LABEL],
            one.attributes.get(names.EVALUATION_VALUE),
        )
        for one in told
    }
    assert scores == {
        "citation.quote_match": ("pass", 1.0),
        "citation.support": ("supported", 1.0),
        "answer.coverage": ("pass", 1.0),
        "answer.citation_accuracy": ("pass", 1.0),
        "answer.grounded": ("pass", None),
        "answer.confidence": (answer.confidence_label, answer.confidence),
    }


def test_an_evaluation_of_a_citation_belongs_to_its_span() -> None:
    listener = heard(replies=[RIGHT + WRONG])
    listener.ask()
    checks = {span.context.span_id: span for span in listener.spans("pincite.citation.check")}
    labels = {
        checks[one.span_id].attributes[names.SHOWN]: one.attributes[names.EVALUATION_LABEL]
        for one in listener.evaluations()
        if one.attributes[names.EVALUATION_NAME] == "citation.support"
    }
    assert labels == {True: "supported", False: "contradicted"}


# --- measures -----------------------------------------------------------------------------------


def test_a_request_counts_for_every_measure_that_it_bears_on() -> None:
    listener = heard(replies=[RIGHT + WRONG])
    listener.ask()
    points = listener.points()
    assert points["pincite.answers"] == {("partial",): 1}
    assert points["pincite.citations"] == {("verified",): 1}
    assert points["pincite.caught_citations"] == {("contradicted",): 1}
    assert points["pincite.unverified_citations"] == {("kept",): 1}
    assert points["pincite.repair"] == {("withheld",): 1}
    assert points["pincite.confidence"] == {("partial",): 1}
    assert points["gen_ai.retrieval.duration"] == {(): 1}
    assert points["pincite.verify.duration"] == {(): 1}
    assert points["gen_ai.client.operation.duration"] == {("chat", "pincite", "scripted"): 1}
    stages = {stage for (stage,) in points["pincite.stage.duration"]}
    assert stages == {"retrieve", "weigh", "generate", "verify", "repair"}


def test_an_abstention_counts_by_its_reason_and_has_no_confidence() -> None:
    listener = heard()
    listener.ask("zebra")
    points = listener.points()
    assert points["pincite.abstentions"] == {("weak_retrieval",): 1}
    assert "pincite.confidence" not in points


def test_documents_beyond_a_number_count_together() -> None:
    documents = Documents()
    labels = [documents.label(f"doc-{number}") for number in range(MAX_DOCUMENTS + 5)]
    assert labels[:MAX_DOCUMENTS] == [f"doc-{number}" for number in range(MAX_DOCUMENTS)]
    assert set(labels[MAX_DOCUMENTS:]) == {names.OTHER_DOCUMENTS}
    assert documents.label("doc-0") == "doc-0"


def test_no_measure_has_the_name_of_another_at_metrics() -> None:
    known = [names.prometheus_name(one) for one in (*names.INSTRUMENTS, names.STREAMS)]
    assert len(known) == len(set(known))


# --- bounds -------------------------------------------------------------------------------------


def test_of_very_many_citations_those_that_failed_get_their_spans() -> None:
    listener = heard(replies=[RIGHT + WRONG])
    listener.ask()
    record = Record(Question(QUESTION), "scripted")
    for event in listener.rag.events(QUESTION):
        record.tell(event)
    answer = pipeline(KEPT, replies=[RIGHT]).ask(QUESTION)
    (sentence,) = answer.sentences
    (check,) = sentence.verdict.checks
    held = Told(0, sentence, check, answer.hits[0], True)
    failed = held._replace(
        check=replace(check, status=next(s for s in type(check.status) if s == "unverified"))
    )
    tree = trace_of(record, [held] * MAX_CITATIONS + [failed] * 3, [Lap("verify", 0.0, 1.0)], elapsed=1.0)
    (verify,) = tree.children
    assert len(verify.children) == MAX_CITATIONS
    assert sum(bool(child.error) for child in verify.children) == 3
    assert verify.attributes[names.CITATIONS_NOT_TOLD] == 3


def test_a_fault_in_telemetry_leaves_the_answer_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    listener = heard(replies=[RIGHT])
    monkeypatch.setattr("pincite.otel.trace_of", lambda *_, **__: 1 / 0)
    assert listener.ask().answer_status == "ANSWERED"
    assert "telemetry of" in caplog.text


def test_a_timer_keeps_what_is_inside_a_step_out_of_the_sums() -> None:
    timer = Timer()
    with timer.step("repair"), timer.step("revise", inside=True):
        pass
    assert set(timer.milliseconds) == {"repair"}
    assert [lap.name for lap in timer.laps] == ["revise", "repair"]


# --- /metrics -----------------------------------------------------------------------------------


def test_metrics_of_the_service_have_the_names_that_telemetry_sends() -> None:
    pytest.importorskip("prometheus_client", reason="the extra `serve` is not installed")
    from pincite.service.metrics import Metrics

    metrics = Metrics()
    rag = pipeline(KEPT, SIZES, replies=[RIGHT + WRONG], settings=Settings(retry_once=False))
    list(metrics.watched(rag.events(QUESTION), Question(QUESTION), "scripted"))  # type: ignore[arg-type]
    text = metrics.text(streams=1, reader=Reader()).decode()
    for one in (*names.INSTRUMENTS, names.STREAMS):
        assert f"# TYPE {names.prometheus_name(one)}" in text
    assert 'pincite_repair_total{kind="",result="withheld"} 1.0' in text
    assert 'pincite_unverified_citations_total{doc_id="kept"} 1.0' in text


def test_metrics_name_no_document_that_the_key_may_not_read() -> None:
    pytest.importorskip("prometheus_client", reason="the extra `serve` is not installed")
    from pincite.service.metrics import Metrics

    metrics = Metrics()
    secret = replace(KEPT, access_level=AccessLevel.CONFIDENTIAL)
    asked = Question(QUESTION, reader=Reader(AccessLevel.CONFIDENTIAL))
    rag = pipeline(secret, replies=[RIGHT + WRONG])
    list(metrics.watched(rag.events(asked), asked, "scripted"))  # type: ignore[arg-type]
    assert b'doc_id="kept"' not in metrics.text(streams=0, reader=Reader(AccessLevel.INTERNAL))
    assert b'doc_id="kept"' in metrics.text(streams=0, reader=Reader(AccessLevel.CONFIDENTIAL))


def test_metrics_count_what_failed_and_what_nobody_waited_for() -> None:
    pytest.importorskip("prometheus_client", reason="the extra `serve` is not installed")
    from pincite.service.metrics import Metrics

    metrics = Metrics()
    rag = pipeline(KEPT)
    failing = Pipeline(replace(rag.parts, model=refusing), rag.settings)
    with pytest.raises(ModelError):
        list(metrics.watched(failing.events(QUESTION), Question(QUESTION), "m"))  # type: ignore[arg-type]
    left = metrics.watched(rag.events(QUESTION), Question(QUESTION), "m")  # type: ignore[arg-type]
    next(left)
    left.close()
    text = metrics.text(streams=0, reader=Reader()).decode()
    assert 'pincite_answers_total{outcome="error"} 1.0' in text
    assert 'pincite_answers_total{outcome="cancelled"} 1.0' in text


def test_a_key_may_read_metrics_and_change_nothing(tmp_path: Path) -> None:
    from pincite.service.keys import Keys, new_key

    secret, lines = new_key("prometheus", "public")
    file = tmp_path / "keys.toml"
    file.write_text(lines + "metrics = true\n")
    given = "a-secret-of-the-environment"
    keys = Keys((f"internal+metrics:{given}",), file)
    for known, level in ((secret, "public"), (given, "internal")):
        found = keys.principal(known)
        assert found is not None
        assert (found.metrics, found.writes, found.reader.level) == (True, False, level)


@pytest.mark.parametrize("stream", [False, True])
def test_a_request_over_http_is_part_of_the_trace_that_it_brings(stream: bool) -> None:
    pytest.importorskip("fastapi", reason="the extra `serve` is not installed")
    from fastapi.testclient import TestClient

    from pincite.service.app import create_app
    from pincite.service.settings import Service

    listener = heard(replies=[RIGHT] * 2)
    with TestClient(create_app(Service(listener.rag))) as client:
        client.headers["traceparent"] = TRACEPARENT
        told = client.post("/chat", json={"question": QUESTION, "stream": stream}).text
        talk = {"messages": [{"role": "user", "content": QUESTION}]}
        assert client.post("/v1/chat/completions", json=talk).status_code == 200
    assert f'"trace_id":"{TRACE}"' in told.replace(" ", "")
    roots = listener.spans("pincite.ask")
    assert [f"{span.context.trace_id:032x}" for span in roots] == [TRACE, TRACE]


def test_a_stream_begins_with_the_trace_that_telemetry_made() -> None:
    pytest.importorskip("fastapi", reason="the extra `serve` is not installed")
    from fastapi.testclient import TestClient

    from pincite.service.app import create_app
    from pincite.service.settings import Service

    listener = heard(replies=[RIGHT])
    with TestClient(create_app(Service(listener.rag))) as client:
        first = client.post("/chat", json={"question": QUESTION, "stream": True}).text.partition("\n\n")[0]
    (root,) = listener.spans("pincite.ask")
    assert f"{root.context.trace_id:032x}" in first
