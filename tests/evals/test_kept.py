"""Kept evaluations: whose words are in them, and that they go with their documents."""

from __future__ import annotations

import json
from dataclasses import replace

from tests.doubles import NOON, pipeline

from pincite import Document
from pincite.access import EVERYTHING
from pincite.audit import WITHHELD, run_doc_ids, run_withheld
from pincite.evals.baseline import slim
from pincite.evals.kept import stored_run
from pincite.evals.reports import report_from
from pincite.evals.reports.json import report_json
from pincite.evals.values import Baseline, EvalReport, ItemResult, Run
from pincite.upkeep import remove

RUN = Run("run_1", "2026-11-30T10:00:00Z", 2, "rules", "extractive", "c", "golden", "corpus")


def result(item_id: str, doc_id: str, words: str, *, passed: bool) -> ItemResult:
    answer = {
        "plain": words,
        "abstained": False,
        "sentences": [{"text": words, "citations": ["c-1"]}],
        "citations": [{"id": "c-1", "doc_id": doc_id, "title": doc_id, "quote": words}],
    }
    reasons = () if passed else (f"{words!r}: number differs",)
    return ItemResult(
        item_id, "How long?", passed, {"coverage": 1.0}, answer=answer, reasons=reasons, doc_ids=(doc_id,)
    )


def report(*, passed: bool) -> EvalReport:
    items = (
        result("g-1", "fees", "Tours cost 5 EUR.", passed=passed),
        result("g-2", "limits", "Files stay 30 days.", passed=passed),
    )
    return EvalReport(RUN, {}, items, slices={"document:fees": {}, "document:limits": {}})


def body(of: EvalReport) -> dict[str, object]:
    return dict(json.loads(stored_run(of, "public").body))


def test_removing_a_document_takes_its_words_out_of_kept_evaluations_and_leaves_the_others() -> None:
    rag = pipeline(Document("fees", "Tours cost 5 EUR."), Document("limits", "Files stay 30 days."))
    store = rag.parts.store
    for passed in (True, False):  # words alone are kept of what was right
        one = report(passed=passed)
        store.save_run(stored_run(replace(one, run=replace(RUN, id=f"run_{passed}")), "public"))
    assert remove(store, "fees", clock=lambda: NOON)
    for stored in store.runs(EVERYTHING):
        assert "5 EUR" not in stored.body
        assert "30 days" in stored.body
        assert report_from(json.loads(stored.body)).items[0].answer["plain"] == WITHHELD


def test_answers_of_a_baseline_go_with_their_document_too() -> None:
    before = slim(report(passed=False))
    made = body(replace(report(passed=True), baseline_items={one.id: one for one in before.items}))
    assert "5 EUR" not in json.dumps(run_withheld(made, ["fees"]))


def test_items_set_aside_and_hashes_of_documents_go_with_their_document_too() -> None:
    before = report(passed=False)
    made = json.loads(
        report_json(
            replace(
                before,
                items=(),
                slices={},
                aside_items={one.id: one for one in before.items},
                documents={"fees": "ab", "limits": "cd"},
                baseline=Baseline("run_0", {}, changed_documents=("fees", "limits")),
            )
        )
    )
    assert run_doc_ids(made) == ("fees", "limits")
    assert "5 EUR" not in json.dumps(run_withheld(made, ["fees"]))
    unknown = json.dumps(run_withheld(made, ["fees"], ids=True))
    assert ("fees" in unknown, "limits" in unknown, "30 days" in unknown) == (False, True, True)


def test_a_run_that_names_nothing_of_the_document_stays_as_it_is() -> None:
    made = body(report(passed=False))
    assert run_withheld(made, ["other"], ids=True) is made


def test_for_a_reader_for_whom_the_document_does_not_exist_its_id_goes_too() -> None:
    made = body(report(passed=True))
    assert run_doc_ids(made) == ("fees", "limits")
    assert "fees" not in json.dumps(run_withheld(made, ["fees"], ids=True))
