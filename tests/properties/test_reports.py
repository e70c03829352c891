"""Any report survives being written and read, and no form of it lets markup through."""

from __future__ import annotations

import json
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser
from tests.evals.sample_reports import sample_report

from pincite.evals.reports import FORMATS, github_annotations, report_from
from pincite.evals.values import EvalReport, ItemError, ItemResult, Metric, Run

words = st.text(max_size=8)
shares = st.floats(0, 1)
metrics = st.dictionaries(
    words,
    st.builds(
        Metric,
        st.none() | shares,
        st.integers(0, 9),
        st.none() | st.tuples(shares, shares),
        st.none() | shares,
    ),
    max_size=2,
)
results = st.builds(
    ItemResult,
    words,
    words,
    st.booleans(),
    st.dictionaries(words, st.none() | shares, max_size=2),
    answer=st.dictionaries(words, words | st.none() | st.lists(words, max_size=2), max_size=2),
    ratings=st.dictionaries(words, st.lists(st.integers(1, 5), max_size=2).map(tuple), max_size=2),
    margins=st.dictionaries(words, shares, max_size=2),
)
reports = st.builds(
    EvalReport,
    st.builds(Run, words, words, st.integers(0, 9), words, words, words, words, words, st.none() | words),
    metrics,
    st.lists(results, max_size=2).map(tuple),
    slices=st.dictionaries(words, metrics, max_size=2),
    curves=st.dictionaries(words, st.lists(st.tuples(shares, shares), max_size=2).map(tuple), max_size=1),
    baseline_items=st.dictionaries(words, results, max_size=1),
    config_diff=st.dictionaries(words, st.tuples(st.none() | words, st.none() | words), max_size=2),
    errors=st.lists(st.builds(ItemError, words, words, words), max_size=2).map(tuple),
)


@given(reports)
@settings(max_examples=50, deadline=None)
def test_any_report_is_the_same_after_being_written_and_read(report: EvalReport) -> None:
    assert report_from(json.loads(FORMATS[".json"](report))) == report


@given(st.text(max_size=60))
@settings(max_examples=25, deadline=None)
def test_any_text_stays_text_in_every_form(text: str) -> None:
    report = sample_report(hostile=text)
    ElementTree.fromstring(FORMATS[".xml"](report).encode())
    rendered = MarkdownIt("gfm-like", {"linkify": False}).render(FORMATS[".md"](report))
    tables = LexborHTMLParser(rendered).css("table")
    assert len(tables) == 11
    assert all(len({len(row.css("th, td")) for row in table.css("tr")}) == 1 for table in tables)
    assert not LexborHTMLParser(rendered).css("a, img, code, em, strong, script, ul, ol, pre")
    page = LexborHTMLParser(FORMATS[".html"](report))
    assert len(page.css("section")) == len(LexborHTMLParser(FORMATS[".html"](sample_report())).css("section"))
    assert all(line.startswith("::") for line in github_annotations(report).splitlines())
