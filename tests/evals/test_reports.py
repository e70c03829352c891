"""The report as people and build servers read it: Markdown, HTML, JUnit, annotations."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser
from tests.evals.sample_reports import HOSTILE, answer, item, sample_report

from pincite.evals.reports import FORMATS, facts, github_annotations, step_summary
from pincite.evals.reports.markdown import escaped
from pincite.evals.reports.plots import calibration, metric_bars, plots, rating_bars, risk_coverage
from pincite.evals.values import Delta, EvalReport, Gate, GateRule, ItemError, Metric

MARKDOWN, HTML, JUNIT = (FORMATS[suffix] for suffix in (".md", ".html", ".xml"))


def empty() -> EvalReport:
    return EvalReport(sample_report().run, {}, ())


# --- what all say -------------------------------------------------------------------------------


def test_the_verdict_counts_the_broken_rules() -> None:
    assert facts.verdict(sample_report()) == (
        "Failed: 2 of 3 rules of the gate are broken; 2 of 3 items passed, 1 error."
    )


def test_without_a_gate_the_verdict_counts_the_items() -> None:
    assert facts.verdict(replace(sample_report(), gate=None, errors=())) == "No gate: 2 of 3 items passed."


def test_a_gate_that_holds_says_so() -> None:
    gate = Gate((GateRule("coverage", "target", 0.95, 0.98, True),))
    assert facts.verdict(replace(sample_report(), gate=gate, errors=())) == (
        "Passed: 1 rule of the gate hold; 2 of 3 items passed."
    )


def test_items_that_became_wrong_come_before_those_that_became_right() -> None:
    report = sample_report()
    wrong, right = report.baseline_items["g-002"], item("g-001", passed=False)
    found = facts.changes(replace(report, baseline_items={"g-001": right, "g-002": wrong}))
    assert [(change.id, change.way) for change in found] == [
        ("g-002", "became wrong"),
        ("g-001", "became right"),
    ]
    assert facts.changed_text(found) == "1 became wrong, 1 became right."


def test_an_item_that_is_wrong_in_both_runs_has_changed_and_not_become_wrong() -> None:
    report = sample_report()
    (change,) = facts.changes(replace(report, baseline_items={"g-002": item("g-002", passed=False)}))
    assert (change.way, change.metrics) == ("changed", ("precision",))
    assert facts.changed_text((change,)) == "0 became wrong, 0 became right, 1 changed in single metrics."


def test_an_item_that_flipped_and_is_gone_is_still_told() -> None:
    report = replace(sample_report(), items=())
    (change,) = facts.changes(report)
    assert (change.id, change.now, change.before) == ("g-002", None, report.baseline_items["g-002"])


def test_metrics_that_no_item_has_are_left_out() -> None:
    report = sample_report()
    assert "abstain_recall" in facts.shown_metrics(report)  # it is missing on one side
    assert "abstain_recall" not in facts.shown_metrics(replace(report, baseline=None))


def test_a_rise_of_what_should_fall_is_worse() -> None:
    assert facts.shown_delta("hallucination_rate", Delta(1.0)) == "▲ +1.0 points (worse)"


def test_answers_of_another_shape_tell_nothing_and_break_nothing() -> None:
    for given in ({}, {"sentences": 7, "citations": [1]}, {"sentences": [{"text": 1, "citations": "c-1"}]}):
        assert all(told.claim == "" for told in facts.told(given))
    assert [told.claim for told in facts.told({"text": "No.", "abstained": True})] == ["No."]


def test_sentences_that_say_nothing_factual_are_not_told() -> None:
    given = {
        "sentences": [{"text": "Your sources say:", "factual": False}, {"text": "Yes.", "factual": True}]
    }
    assert [told.claim for told in facts.told(given)] == ["Yes."]


# --- Markdown -----------------------------------------------------------------------------------


def test_the_table_of_metrics_has_arrows_intervals_and_targets() -> None:
    assert (
        "| precision | 92.0 % | 90.0–94.0 % | 250 | ✗ 95.0 % | ▼ −3.0 points (worse, significant) |"
        in MARKDOWN(sample_report()).splitlines()
    )


def test_an_item_that_flipped_shows_claim_and_evidence_of_both_runs() -> None:
    lines = MARKDOWN(sample_report()).splitlines()
    assert (
        "| ✓ before | Shoes may be returned within 30 days. | supported | “within 30 days” (Returns) |"
        in lines
    )
    assert any(
        line.startswith("| ✗ now | Shoes may be returned within 90 days")
        and "contradicted: the source says 30 days" in line
        for line in lines
    )


def test_settings_that_differ_and_close_items_are_listed() -> None:
    text = MARKDOWN(sample_report())
    assert "| retrieval.top_k | 10 | 5 |" in text
    assert "| llm.model | not set | extractive |" in text
    assert "| g-003 | abstain_below by 0.0040 |" in text


def test_hostile_texts_stay_text_in_markdown() -> None:
    rendered = MarkdownIt("gfm-like", {"linkify": False, "html": True}).render(
        MARKDOWN(sample_report(hostile=HOSTILE))
    )
    page = LexborHTMLParser(rendered)
    tags = {node.tag for node in page.css("body *")}
    assert tags == {"h1", "h2", "h3", "p", "table", "thead", "tbody", "tr", "th", "td"}
    assert "<script>alert(1)</script> | `code`" in page.css("table")[2].text()


def test_rows_of_hostile_texts_have_the_cells_of_their_table() -> None:
    rendered = MarkdownIt("gfm-like", {"linkify": False}).render(
        MARKDOWN(sample_report(hostile=HOSTILE + "\\|"))
    )
    for table in LexborHTMLParser(rendered).css("table"):
        cells = [len(row.css("th, td")) for row in table.css("tr")]
        assert len(set(cells)) == 1, cells


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("@team", "@team"),
        ("fixes #12", "#12"),
        ("a/b#3", "b#3"),
        ("GH-7", "GH-7"),
        ("https://x.y", "https://"),
        ("www.x.y", "www.x"),
    ],
)
def test_names_numbers_and_addresses_link_nothing(text: str, broken: str) -> None:
    assert broken not in escaped(text)
    assert escaped(text).replace("\u200b", "") == text


def test_a_text_cannot_bring_its_own_spaces_of_no_width_or_turn_the_line() -> None:
    assert escaped("a\u200bb \u202egnp\x00") == "ab gnp"


def test_a_long_report_says_how_many_are_not_shown() -> None:
    items = tuple(item(f"g-{n}", passed=False, reasons=("wrong",)) for n in range(100))
    text = MARKDOWN(replace(empty(), items=items))
    assert "## Items that failed (100)" in text
    assert "… and 60 more in the JSON report." in text


def test_an_empty_report_is_written_in_every_form() -> None:
    assert MARKDOWN(empty()).startswith("# No gate: 0 of 0 items passed.")
    assert "No gate" in HTML(empty())
    assert ElementTree.fromstring(JUNIT(empty())).tag == "testsuites"
    assert github_annotations(empty()) == ""


# --- HTML ---------------------------------------------------------------------------------------


def test_the_page_needs_nothing_else() -> None:
    page = LexborHTMLParser(HTML(sample_report(hostile=HOSTILE)))
    assert page.css("script, link, img, iframe, object, embed, form, base, image, use, foreignObject") == []
    for node in page.css("*"):
        for name, value in node.attributes.items():
            assert not name.startswith("on")
            assert name not in ("src", "srcset", "style")
            assert name != "href" or str(value).startswith("#")
    style = page.css_first("style").text()
    assert "url(" not in style
    assert "@import" not in style


def test_hostile_texts_stay_text_in_html() -> None:
    page = LexborHTMLParser(HTML(sample_report(hostile=HOSTILE)))
    assert "<script>alert(1)</script>" in page.css_first("#changed").text()
    assert "\u202e" not in HTML(sample_report(hostile=HOSTILE))


def test_links_of_the_contents_lead_to_sections() -> None:
    page = LexborHTMLParser(HTML(sample_report()))
    targets = [str(link.attributes["href"]) for link in page.css("nav a")]
    assert len(targets) == 10
    assert all(page.css_first(target) is not None for target in targets)


def test_ids_are_given_once() -> None:
    ids = re.findall(r' id="([^"]+)"', HTML(sample_report()))
    assert len(ids) == len(set(ids))


def test_both_runs_stand_side_by_side() -> None:
    page = LexborHTMLParser(HTML(sample_report()))
    before, now = page.css("#changed .sides > .side")
    assert "within 30 days" in before.text()
    assert "right" in before.css_first("h3").text()
    assert "contradicted" in now.text()


def test_every_plot_has_a_name_and_the_table_of_its_figures() -> None:
    page = LexborHTMLParser(HTML(sample_report()))
    figures = page.css("figure")
    assert [figure.css_first("h3").text() for figure in figures] == [
        "Metrics", "By language", "By tag", "Calibration", "Risk and coverage", "Ratings",
    ]  # fmt: skip
    for figure in figures:
        svg = figure.css_first("svg")
        assert svg.attributes["role"] == "img"
        for name in str(svg.attributes["aria-labelledby"]).split():
            assert figure.css_first(f"#{name}") is not None
        assert len(figure.css("table tbody tr")) >= 1


# --- plots --------------------------------------------------------------------------------------


def test_a_bar_is_as_long_as_its_value() -> None:
    plot = metric_bars({"half": Metric(0.5, 4, (0.25, 0.75), 0.9)})
    assert plot is not None
    assert '<rect class="bar missed" x="200" y="23" width="210"' in plot.svg
    assert '<line class="interval" x1="305" y1="30" x2="515" y2="30"/>' in plot.svg
    assert '<line class="target" x1="578"' in plot.svg
    assert plot.rows == (("half", "50.0 %", "25.0–75.0 %", "4", "✗ 90.0 %"),)
    assert "Targets missed: half." in plot.about


def test_what_is_no_share_has_no_bar() -> None:
    assert metric_bars({"seconds": Metric(12.0, 3), "none": Metric(None, 0)}) is None


def test_a_curve_goes_through_its_points() -> None:
    plot = risk_coverage([(1.0, 0.08), (0.5, 0.0)])
    assert plot is not None
    # risk is drawn up to 10 %: 0 at the bottom, 8 % at a fifth from the top
    assert 'points="216,336 376,80"' in plot.svg
    assert plot.rows == (("50.0 %", "0.0 %"), ("100.0 %", "8.0 %"))


def test_points_that_are_none_are_not_drawn() -> None:
    assert calibration([(2.0, 0.5, 1.0), (0.5,)]) is None
    assert risk_coverage([]) is None
    assert rating_bars({"rules": (0, 0, 0, 0, 0)}) is None


def test_ratings_are_counted_by_judge() -> None:
    report = replace(
        empty(),
        items=(item("a", ratings={"llm": (5, 4, 9), "rules": (1,)}), item("b", ratings={"llm": (5,)})),
    )
    assert facts.ratings(report) == {"llm": (0, 0, 0, 1, 2), "rules": (1, 0, 0, 0, 0)}
    assert "llm: 100.0 % rated 4 or 5" in plots(report)[0].about


# --- JUnit --------------------------------------------------------------------------------------


def test_items_rules_and_errors_are_test_cases() -> None:
    root = ElementTree.fromstring(JUNIT(sample_report()))
    found = {
        suite.attrib["name"]: tuple(
            int(suite.attrib[name]) for name in ("tests", "failures", "errors", "skipped")
        )
        for suite in root
    }
    assert found == {"gate": (3, 2, 0, 0), "items": (3, 1, 0, 0), "errors": (1, 0, 1, 0)}
    failure = root.find(".//testsuite[@name='items']/testcase/failure")
    assert failure is not None
    assert failure.attrib["message"] == "the answer says 90 days"
    assert "evidence: “within 30 days” (Returns)" in str(failure.text)


def test_a_failed_item_that_is_too_close_is_skipped() -> None:
    report = replace(empty(), items=(item("g-1", passed=False, margins={"a": 0.001}),))
    assert ElementTree.fromstring(JUNIT(report)).find(".//skipped") is not None


def test_characters_that_are_none_in_xml_are_left_out() -> None:
    bad = "a\x00b\x0b\ufffe\ud800]]><x>&\u0085"
    wrong = item(bad, passed=False, question=bad, reasons=(bad,), answer=answer(bad, bad))
    report = replace(
        empty(),
        items=(wrong,),
        errors=(ItemError(bad, bad, bad),),
        gate=Gate((GateRule(bad, bad, 1.0, None, False, bad),)),
    )
    root = ElementTree.fromstring(JUNIT(report).encode())
    assert [case.attrib["name"] for case in root.iter("testcase")][1].startswith("ab]]><x>&")


def test_a_huge_text_is_cut() -> None:
    huge = item(
        "g-1",
        passed=False,
        question="q " * 200_000,
        reasons=("r" * 200_000,),
        answer=answer("a " * 200_000, "q"),
    )
    assert len(JUNIT(replace(empty(), items=(huge,)))) < 10_000


# --- GitHub -------------------------------------------------------------------------------------


def test_annotations_point_to_the_lines_of_the_golden_file(tmp_path: Path) -> None:
    golden = tmp_path / "golden.jsonl"
    golden.write_text(
        "not json\n" + "".join(json.dumps({"id": f"g-00{n}"}) + "\n" for n in (1, 2, 3)), "utf-8"
    )
    lines = github_annotations(sample_report(), golden=golden).splitlines()
    assert (
        lines[0] == "::error title=Gate%3A precision::may get worse by 2 points: precision fell by 3.0 points"
    )
    assert lines[2].startswith(f"::error file={golden},line=3,title=g-002 became wrong::")
    assert lines[3] == f"::warning file={golden},line=17,title=line 17%3A no result::not JSON"


def test_a_text_cannot_begin_a_command_of_its_own() -> None:
    evil = "a\n::set-output name=x::y\r\n::error::z%0A::warning::"
    report = replace(empty(), items=(item("g-1,line=9:", passed=False, question=evil, reasons=(evil,)),))
    (line,) = github_annotations(report).splitlines()
    assert line.startswith("::warning file=golden.jsonl,title=g-1%2Cline=9%3A failed::a ::set-output")
    assert "%250A" in line


def test_no_more_annotations_than_github_keeps() -> None:
    report = replace(empty(), items=tuple(item(f"g-{n}", passed=False) for n in range(30)))
    lines = github_annotations(report).splitlines()
    assert len(lines) == 11
    assert lines[-1] == "::notice title=pincite eval::20 more are in the reports of this run"


def test_the_summary_of_a_step_fits_into_what_github_takes() -> None:
    items = tuple(
        item(f"g-{n}", passed=False, question="q `*` " * 100, reasons=tuple("|*" * 150 for _ in range(6)))
        for n in range(300)
    )
    flipped = Delta(0.0, flipped=tuple(one.id for one in items))
    report = replace(sample_report(), items=items)
    assert report.baseline is not None
    report = replace(report, baseline=replace(report.baseline, deltas={"precision": flipped}))
    assert len(step_summary(report).encode()) <= 1_048_576
