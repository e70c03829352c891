"""A report as JSON, and what another file says when it is none."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.evals.sample_reports import HOSTILE, item, sample_report

from pincite.errors import ConfigError
from pincite.evals.reports import FORMATS, read_report, report_dict, report_from, write_report, writer_of
from pincite.evals.values import Delta, GateRule, Metric


def test_a_report_is_the_same_after_being_written_and_read(tmp_path: Path) -> None:
    report = sample_report(hostile=HOSTILE + "\ud800")
    write_report(report, tmp_path / "new" / "report.json")
    assert read_report(tmp_path / "new" / "report.json") == report


def test_the_file_has_the_fields_that_are_promised() -> None:
    body = report_dict(sample_report())
    assert body["schema_version"] == "1.0"
    assert {"id", "created_at", "git_sha", "config_hash", "judge", "golden_sha256", "n"} <= set(body["run"])
    assert body["metrics"]["precision"] == {
        "value": 0.92, "n": 250, "ci95": [0.9, 0.94], "target": 0.95, "meets_target": False, "lower_is_better": False,
    }  # fmt: skip
    assert body["baseline"]["run_id"] == "run_1"
    assert body["baseline"]["deltas"]["precision"]["flipped"] == ["g-002"]
    assert body["gate"]["passed"] is False
    assert body["items"][1]["judge_ratings"] == [1]
    assert body["items"][1]["reasons"] == ["the answer says 90 days"]
    assert body["items"][2]["machine_sensitive"] is True
    assert body["errors"] == [{"id": "line 17", "stage": "read", "detail": "not JSON"}]


def test_each_item_has_a_line_of_its_own() -> None:
    lines = FORMATS[".json"](sample_report()).splitlines()
    assert len([line for line in lines if line.startswith(' {"id": "g-')]) == 3


def test_a_number_that_is_none_becomes_null() -> None:
    report = replace(
        sample_report(),
        metrics={"coverage": Metric(math.nan, 1, (math.nan, 1.0))},
        curves={"calibration": ((0.1, math.inf), (0.2, 0.3))},
        items=(item("g-1", margins={"a": math.nan, "b": 0.5}),),
    )
    again = report_from(json.loads(FORMATS[".json"](report)))
    assert again.metrics["coverage"] == Metric(None, 1)
    assert again.curves["calibration"] == ((0.2, 0.3),)
    assert again.items[0].margins == {"b": 0.5}


def _with(path: str, value: Any) -> dict[str, Any]:
    body: Any = json.loads(FORMATS[".json"](sample_report()))
    *parts, last = [int(part) if part.isdigit() else part for part in path.split("/")]
    place = body
    for part in parts:
        place = place[part]
    if value is _GONE:
        del place[last]
    else:
        place[last] = value
    return body


_GONE = object()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("schema_version", "2.0", "has schema_version '2.0', and '1.0' is read"),
        ("schema_version", _GONE, "has no schema_version"),
        ("run", _GONE, "run must be given"),
        ("run/corpus_fingerprint", 7, "run.corpus_fingerprint must be a text, and is 7"),
        ("run/n", True, "run.n must be a whole number, and is true"),
        ("metrics/coverage/n", "many", 'metrics.coverage.n must be a whole number, and is "many"'),
        ("metrics/coverage/value", "NaN", 'metrics.coverage.value must be a number, and is "NaN"'),
        ("metrics/coverage/value", math.nan, "metrics.coverage.value must be a number, and is NaN"),
        ("metrics/coverage/value", 10**400, "metrics.coverage.value must be a number"),
        ("metrics/coverage/ci95", [0.5], "metrics.coverage.ci95 must be a list of 2, and is a list"),
        ("metrics/coverage", None, "metrics.coverage must be an object, and is null"),
        ("items", {}, "items must be a list, and is an object"),
        ("items/1/passed", "yes", 'items[1].passed must be true or false, and is "yes"'),
        ("items/1/id", _GONE, "items[1].id must be given"),
        ("baseline/deltas/precision/flipped/0", 3, "baseline.deltas.precision.flipped[0] must be a text, and is 3"),
        ("gate/rules/0/limit", None, "gate.rules[0].limit must be a number, and is null"),
    ],
)  # fmt: skip
def test_a_field_that_cannot_be_right_is_named(path: str, value: Any, message: str) -> None:
    with pytest.raises(ConfigError) as told:
        report_from(_with(path, value), where="main.json")
    assert f"main.json: this report {message}" in str(told.value) or f"main.json: {message}" in str(
        told.value
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[1]", "a report is a JSON object"),
        (b"[" * 100_000, "not JSON"),
        (b"", "not JSON"),
    ],
)
def test_a_file_that_is_no_report_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "main.json"
    path.write_bytes(data)
    with pytest.raises(ConfigError, match=message):
        read_report(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_report(tmp_path / "none.json")


def test_fields_of_a_later_version_are_left_out() -> None:
    assert report_from(_with("run/weather", "fine")) == sample_report()


def test_a_name_with_an_unknown_suffix_is_refused_before_the_work() -> None:
    with pytest.raises(
        ConfigError, match=r"ends in \.json, \.md, \.html, \.xml, not in \.htm; did you mean \.html"
    ):
        writer_of("report.htm")
    with pytest.raises(ConfigError, match="a report ends in"):
        writer_of("report")


def test_a_place_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "report.json").mkdir()
    with pytest.raises(ConfigError, match="cannot be written"):
        write_report(sample_report(), tmp_path / "report.json")
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_what_the_gate_needs_survives() -> None:
    report = sample_report()
    again = report_from(report_dict(report))
    assert again.gate is not None
    assert again.gate.rules[2] == GateRule(
        "abstain_recall", "max_drop", 2.0, None, False, "abstain_recall is missing"
    )
    assert again.baseline is not None
    assert again.baseline.deltas["abstain_recall"] == Delta(None)
