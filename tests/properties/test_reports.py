"""Any report survives being written and read, and no form of it lets markup through."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.evals.reports import FORMATS, report_from
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
