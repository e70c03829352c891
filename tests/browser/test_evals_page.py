"""The page of evaluations as people use it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")

from tests.browser.conftest import running
from tests.browser.test_page import axe_violations
from tests.evals.sample_reports import HOSTILE, sample_report

GOLDEN = (
    {"id": "g-1", "question": "How long does a deleted file stay in the trash?", "must_include": ["30 days"], "language": "en", "tags": ["number"]},
    {"id": "g-2", "question": "How long do backups of a deleted file remain?", "must_include": ["99 days"], "language": "en"},
)  # fmt: skip


@pytest.fixture(scope="module")
def evaluated() -> Iterator[str]:
    """Of a service with two runs, the second of which became worse and holds hostile text."""
    from pincite import Document, Pipeline
    from pincite.evals.kept import stored_run
    from pincite.evals.values import Metric
    from pincite.service.app import create_app
    from pincite.service.settings import Service

    rag = Pipeline(store="memory", embedder="none")
    rag.add(
        Document(
            "trash", "A deleted file stays in the trash for 30 days. Backups of it remain for 13 days more."
        )
    )
    second = sample_report(hostile=HOSTILE)
    first = replace(
        second,
        run=replace(second.run, id="run_1", created_at="2026-11-29T12:00:00Z"),
        metrics={**second.metrics, "precision": Metric(0.95, 250, (0.93, 0.97), 0.95)},
        gate=None,
        baseline=None,
        baseline_items={},
        config_diff={},
        errors=(),
    )
    for report in (first, second):
        rag.parts.store.save_run(stored_run(report, "internal"))
    with running(create_app(Service(rag))) as base:
        yield base


@pytest.fixture
def window(chromium: Any, evaluated: str) -> Iterator[Any]:
    context = chromium.new_context(base_url=evaluated, viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(8_000)
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("console", lambda told: faults.append(told.text) if told.type == "error" else None)
    opened.on("dialog", lambda dialog: faults.append(f"dialog: {dialog.message}") or dialog.dismiss())
    yield opened
    context.close()
    assert faults == []


def test_without_runs_the_page_says_how_to_make_one(page: Any) -> None:
    page.goto("/")
    page.click("nav a:has-text('Evaluations')")
    page.wait_for_selector(".empty h2:has-text('No evaluation yet')")
    assert "No evaluation yet" in page.inner_text(".empty")
    assert "pincite eval" in page.inner_text(".empty")
    assert page.locator(".start button:has-text('Evaluate')").count() == 1


def test_runs_are_listed_with_their_trend(window: Any) -> None:
    window.goto("/evals")
    window.wait_for_selector(".runs tbody tr")
    assert window.locator(".runs tbody tr").count() == 2
    assert "✗ not passed" in window.inner_text(".runs tbody tr >> nth=0")
    assert "no gate" in window.inner_text(".runs tbody tr >> nth=1")
    points = window.get_attribute(".plot polyline.w1", "points").split()
    (_, before), (_, now) = (point.split(",") for point in points)
    assert float(before) < float(now)  # 95 %, then 92 %: further down
    window.click(".plot details summary")
    assert "95%" in window.inner_text(".plot details tbody tr >> nth=0")


def test_a_run_shows_what_flipped_beside_its_evidence_and_leads_to_the_answer(window: Any) -> None:
    window.goto("/evals")
    window.click(".runs tbody a >> nth=0")
    window.wait_for_selector(".change")
    assert "g-002 became wrong" in window.inner_text(".change summary")
    before, now = window.locator(".change .side").all()
    assert "✓ right" in before.inner_text()
    assert "within 30 days" in before.inner_text()
    assert "the source says otherwise" in now.inner_text()
    assert "✗ broken" not in window.inner_text("main")
    assert "may get worse by 2 points" in window.inner_text("main")
    window.click(".change a")
    window.wait_for_selector("h1:has-text('How long may I return shoes?')")
    assert window.url.endswith("/evals/run_2/g-002")
    window.go_back()
    window.wait_for_selector(".change")


def test_hostile_texts_of_a_run_stay_text(window: Any) -> None:
    window.goto("/evals/run_2")
    window.wait_for_selector(".change")
    assert "<script>alert(1)</script>" in window.inner_text(".change")
    assert window.locator("main script, main img, main a[href^='http']").count() == 0


def test_a_golden_file_is_evaluated_and_a_failed_answer_opened(window: Any, tmp_path: Path) -> None:
    golden = tmp_path / "golden.jsonl"
    golden.write_text("".join(json.dumps(one) + "\n" for one in GOLDEN), "utf-8")
    window.goto("/evals")
    window.set_input_files("#golden", str(golden))
    window.click(".start button:has-text('Evaluate')")
    window.wait_for_selector("h1:has-text('Evaluation run_')", timeout=20_000)
    assert "1 of 2 questions were answered rightly." in window.inner_text(".verdict")
    window.click(".failed a:has-text('Open the answer')")
    window.wait_for_selector(".answer .marker a")
    window.click(".answer .marker a")
    window.wait_for_selector("#panel mark")
    assert "30 days" in window.inner_text("#panel mark")


def test_a_file_that_is_no_golden_file_says_which_line(window: Any, tmp_path: Path) -> None:
    golden = tmp_path / "golden.jsonl"
    golden.write_text('{"id": "g-1"}\nnothing\n', "utf-8")
    window.goto("/evals")
    window.set_input_files("#golden", str(golden))
    window.click(".start button:has-text('Evaluate')")
    window.wait_for_selector(".problem")
    assert "Line 2 is not JSON." in window.inner_text(".problem")


def test_the_report_can_be_saved(window: Any) -> None:
    window.goto("/evals/run_2")
    with window.expect_download() as saved:
        window.click("button:has-text('Markdown')")
    assert saved.value.suggested_filename == "run_2.md"
    assert "became wrong" in Path(saved.value.path()).read_text("utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_evaluations(window: Any, page: Any, scheme: str) -> None:
    pytest.importorskip("axe_playwright_python", reason="axe is not installed")
    found = {}
    for name, opened, path, there in (
        ("none", page, "/evals", ".empty"),
        ("list", window, "/evals", ".plot"),
        ("run", window, "/evals/run_2", ".change"),
        ("item", window, "/evals/run_2/g-002", "h1"),
    ):
        opened.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        opened.goto(path)
        opened.wait_for_selector(there)
        opened.evaluate("document.querySelectorAll('main details').forEach(one => { one.open = true; })")
        found[name] = axe_violations(opened)
    assert {place: faults for place, faults in found.items() if faults} == {}


@pytest.mark.parametrize("path", ["/evals", "/evals/run_2", "/evals/run_2/g-002"])
def test_nothing_of_an_evaluation_is_cut_off_at_320_pixels(window: Any, path: str) -> None:
    window.set_viewport_size({"width": 320, "height": 700})
    window.goto(path)
    window.wait_for_selector("main table")
    wide = "[...document.querySelectorAll('main *')].filter(one => one.getBoundingClientRect().right > 320 && !one.closest('.scroll')).map(one => one.outerHTML.slice(0, 80))"
    assert window.evaluate("document.documentElement.scrollWidth") <= 320, window.evaluate(wide)


def test_a_run_is_reached_and_read_by_keyboard(window: Any) -> None:
    window.goto("/evals")
    window.wait_for_selector(".runs tbody a")
    for _ in range(30):
        window.keyboard.press("Tab")
        if window.evaluate("document.activeElement.matches('.runs a[href$=run_2]')"):
            break
    window.keyboard.press("Enter")
    window.wait_for_selector(".change")
    window.focus(".change summary")
    window.keyboard.press("Space")
    assert window.evaluate("document.querySelector('.change').open") is False


def test_an_arabic_reader_gets_the_page_from_the_right(chromium: Any, evaluated: str) -> None:
    context = chromium.new_context(base_url=evaluated, locale="ar", viewport={"width": 1280, "height": 900})
    window = context.new_page()
    window.goto("/evals/run_2")
    window.wait_for_selector(".change")
    assert "صار خاطئًا" in window.inner_text(".change summary")
    assert window.evaluate("getComputedStyle(document.querySelector('.plot svg')).direction") == "ltr"
    context.close()
