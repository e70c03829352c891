"""What is shipped to run and watch the service: compose file, dashboard, alert rules. Nothing is started here."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from pincite import telemetry_names as names
from pincite.config.sections import SECTIONS

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yml").read_text("utf-8"))
DASHBOARD = json.loads((ROOT / "dashboards" / "grafana.json").read_text("utf-8"))
RULES = [
    rule
    for group in yaml.safe_load((DEPLOY / "alerts.yml").read_text("utf-8"))["groups"]
    for rule in group["rules"]
]
TELEMETRY = (ROOT / "docs" / "telemetry.md").read_text("utf-8")
SERIES = {
    f"{names.prometheus_name(one)}{ending}"
    for one in (*names.INSTRUMENTS, names.STREAMS)
    for ending in {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}[
        one.kind
    ]
}


def series_in(expression: str) -> set[str]:
    bare = re.sub(r'\{[^}]*\}|"[^"]*"|\b(?:by|without|on)\s*\([^)]*\)', " ", expression)
    return set(re.findall(r"\b(?:pincite|gen_ai)_\w+", bare))


# --- the compose file ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(COMPOSE["services"]))
def test_a_service_runs_a_named_version_and_is_open_to_this_machine_alone(name: str) -> None:
    service = COMPOSE["services"][name]
    assert "build" in service or re.search(r":v?\d+(\.\d+)*[\w.-]*$", service["image"])
    assert all(str(port).startswith("127.0.0.1:") for port in service.get("ports", ()))


@pytest.mark.parametrize("name", sorted(COMPOSE["services"]))
def test_a_file_that_the_compose_file_mounts_is_there(name: str) -> None:
    for volume in COMPOSE["services"][name].get("volumes", ()):
        source = str(volume).partition(":")[0]
        assert (DEPLOY / source).exists() if source.startswith(".") else source in COMPOSE["volumes"]
    for config in COMPOSE["configs"].values():
        assert (DEPLOY / config["file"]).is_file()


@pytest.mark.parametrize("name", sorted(COMPOSE["services"]))
def test_the_compose_file_sets_settings_that_there_are(name: str) -> None:
    for variable in COMPOSE["services"][name].get("environment", ()):
        section, _, key = variable.removeprefix("PINCITE_").lower().partition("__")
        if variable.startswith("PINCITE_") and (section, key) != ("server", "api_keys"):
            assert key in SECTIONS[section].model_fields, variable


def test_no_secret_stands_in_what_is_shipped() -> None:
    keys = COMPOSE["services"]["pincite"]["environment"]["PINCITE_SERVER__API_KEYS"]
    assert re.findall(r":(\$\{\w+)", keys) == ["${PINCITE_KEY", "${PINCITE_METRICS_KEY"]


def test_the_image_installs_extras_that_there_are() -> None:
    text = (DEPLOY / "Dockerfile").read_text("utf-8")
    (extras,) = re.findall(r"/src\[([\w,]+)\]", text)
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    for extra in extras.split(","):
        assert re.search(rf"^{extra} = \[", project, re.MULTILINE)


# --- the dashboard ------------------------------------------------------------------------------


def panel(title: str) -> dict[str, Any]:
    (found,) = [one for one in DASHBOARD["panels"] if one["title"] == title]
    return found


@pytest.mark.parametrize(
    ("title", "series"),
    [
        ("Verified rate", "pincite_citations_total"),
        ("Unverified by document", "pincite_unverified_citations_total"),
        ("Abstain rate", "pincite_answers_total"),
        ("Repair success", "pincite_repair_total"),
        ("Latency by stage", "pincite_stage_duration_seconds_bucket"),
        ("Confidence by outcome", "pincite_confidence_sum"),
    ],
)
def test_the_dashboard_shows_what_was_asked_for(title: str, series: str) -> None:
    assert series in {name for target in panel(title)["targets"] for name in series_in(target["expr"])}


def test_the_dashboard_asks_for_its_data_source() -> None:
    (variable,) = DASHBOARD["templating"]["list"]
    assert (variable["name"], variable["type"], variable["query"]) == (
        "datasource",
        "datasource",
        "prometheus",
    )
    sources = [one["datasource"] for one in DASHBOARD["panels"]]
    sources += [target["datasource"] for one in DASHBOARD["panels"] for target in one["targets"]]
    assert {source["uid"] for source in sources} == {"${datasource}"}


def test_panels_lie_side_by_side_and_not_on_each_other() -> None:
    taken: set[tuple[int, int]] = set()
    for one in DASHBOARD["panels"]:
        at = one["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert max(x for x, _ in cells) < 24
        assert not taken & cells, one["title"]
        taken |= cells


@pytest.mark.parametrize(
    ("where", "expression"),
    [(one["title"], target["expr"]) for one in DASHBOARD["panels"] for target in one["targets"]]
    + [(rule["alert"], rule["expr"]) for rule in RULES if rule["alert"] != "PinciteDown"],
)
def test_an_expression_reads_series_that_there_are(where: str, expression: str) -> None:
    found = series_in(expression)
    assert found
    assert found <= SERIES


# --- alert rules and the page -------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES, ids=[rule["alert"] for rule in RULES])
def test_an_alert_says_what_is_wrong_how_bad_it_is_and_what_to_look_at(rule: dict[str, Any]) -> None:
    assert rule["labels"]["severity"] in ("critical", "warning")
    assert set(rule["annotations"]) == {"summary", "description"}


def test_every_alert_has_a_case_in_the_tests_of_promtool() -> None:
    text = (DEPLOY / "alerts_test.yml").read_text("utf-8")
    assert {rule["alert"] for rule in RULES} <= set(re.findall(r"alertname: (\w+)", text))


@pytest.mark.parametrize("one", [*names.INSTRUMENTS, names.STREAMS], ids=lambda one: one.name)
def test_a_measure_is_on_the_page_under_both_names(one: names.Instrument) -> None:
    ending = "_total" if one.kind == "counter" else ""
    assert f"| `{one.name}` | `{names.prometheus_name(one)}{ending}` |" in TELEMETRY


@pytest.mark.parametrize(
    "name",
    sorted(
        value
        for name, value in vars(names).items()
        if name.isupper()
        and isinstance(value, str)
        and value.startswith(("pincite.", "citation.", "answer."))
    ),
)
def test_a_name_of_ours_is_on_the_page(name: str) -> None:
    assert name in TELEMETRY or name.startswith("pincite.content.")
