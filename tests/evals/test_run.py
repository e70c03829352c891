"""A whole run over a few documents: good and bad models, errors, interruptions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.doubles import NOON, pipeline, statement

from pincite.errors import ConfigError, ModelError
from pincite.evals.journal import Journal, Outcome
from pincite.evals.recorded import RecordedAnswers
from pincite.evals.run import Options, Tools, gated, run
from pincite.evals.values import EvalReport
from pincite.llms.extractive import extractive
from pincite.parts import Settings
from pincite.pipeline import Pipeline
from pincite.ports import Delta, Model, ModelRequest
from pincite.types import Document

DOCUMENTS = (
    Document("limits", "Uploads may be up to 25 MB. Larger uploads are refused.", title="Upload limits"),
    Document(
        "retention", "Deleted files are kept for 30 days. Backups are kept for 13 days.", title="Retention"
    ),
    Document("shipping", "Express delivery costs 14 euros. Parcels leave on weekdays.", title="Shipping"),
)
QUESTIONS: tuple[dict[str, Any], ...] = (
    {"id": "g-1", "question": "How many MB may uploads be?", "expected_doc_ids": ["limits"], "must_include": ["25 MB"], "tags": ["number"], "language": "en"},
    {"id": "g-2", "question": "How long are deleted files kept?", "expected_doc_ids": ["retention"], "must_include": ["30 days"], "tags": ["number"], "language": "en"},
    {"id": "g-3", "question": "How much does express delivery cost?", "expected_doc_ids": ["shipping"], "must_include": ["14 euros"], "language": "en"},
    {"id": "g-4", "question": "Who won the chess championship of 1972?", "must_abstain": True, "tags": ["far"], "language": "en"},
)  # fmt: skip


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    return write(tmp_path / "golden.jsonl", QUESTIONS)


def write(path: Path, lines: Any) -> Path:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return path


def tools(model: Model = extractive, *, abstain_below: float = 0.4, **more: Any) -> Tools:
    made = pipeline(*DOCUMENTS, settings=Settings(abstain_below=abstain_below), keep_answers=False)
    return Tools(Pipeline(replace(made.parts, model=model), made.settings), **more)


def evaluated(
    golden: Path, of: Tools | None = None, options: Options | None = None, **how: Any
) -> EvalReport:
    made = of or tools()
    numbers = count(1)
    return run(
        golden, lambda _: made, options, clock=lambda: NOON, new_id=lambda _: f"run_{next(numbers)}", **how
    )


# --- figures ------------------------------------------------------------------------------------


def test_the_extractive_answers_to_easy_questions_are_right_and_grounded(golden: Path) -> None:
    found = evaluated(golden)
    assert [item.id for item in found.items if not item.passed] == []
    assert found.metrics["answer_correct"].value == found.metrics["coverage"].value == 1.0
    assert found.metrics["abstain_recall"].n == 1
    assert found.errors == ()
    assert gated(found).gate is not None


def test_there_are_slices_by_language_tag_and_document(golden: Path) -> None:
    slices = evaluated(golden).slices
    assert set(slices) == {
        "language:en", "tag:number", "tag:far", "document:limits", "document:retention", "document:shipping",
    }  # fmt: skip
    assert slices["tag:number"]["answer_correct"].n == 2


def test_two_runs_of_the_same_are_the_same(golden: Path) -> None:
    assert evaluated(golden) == evaluated(golden)


def test_only_and_limit_choose_items(golden: Path) -> None:
    tagged = evaluated(golden, options=Options(only="number"))
    assert [item.id for item in tagged.items] == ["g-1", "g-2"]
    by_document = evaluated(golden, options=Options(only="document:shipping"))
    assert [item.id for item in by_document.items] == ["g-3"]
    some = [evaluated(golden, options=Options(limit=2, seed=seed)) for seed in (1, 1, 5)]
    assert [len(one.items) for one in some] == [2, 2, 2]
    assert some[0].items == some[1].items
    with pytest.raises(ConfigError, match="no item has 'numbers'"):
        evaluated(golden, options=Options(only="numbers"))


def test_recorded_answers_and_blanks_leave_the_hash_of_the_golden_set_as_it_is(
    tmp_path: Path, golden: Path
) -> None:
    recorded = [{**QUESTIONS[0], "answer": "25 MB [1].", "sources": [{"text": "25 MB."}]}, *QUESTIONS[1:]]
    other = [{**QUESTIONS[0], "must_include": ["26 MB"]}, *QUESTIONS[1:]]
    hashes = [
        evaluated(path).run.golden_sha256
        for path in (golden, write(tmp_path / "a.jsonl", recorded), write(tmp_path / "b.jsonl", other))
    ]
    assert hashes[0] == hashes[1] != hashes[2]


def test_another_document_is_another_corpus(golden: Path) -> None:
    more = tools()
    assert more.pipeline is not None
    more.pipeline.add(Document("new", "Nothing of interest here."))
    assert evaluated(golden, more).run.corpus_fingerprint != evaluated(golden).run.corpus_fingerprint


def test_what_is_above_every_reader_of_the_golden_set_changes_nothing_of_the_run(
    tmp_path: Path, golden: Path
) -> None:
    more = tools()
    assert more.pipeline is not None
    more.pipeline.add(Document("inner", "The margin on scanners is 31 %.", access_level="internal"))
    found = evaluated(golden, more)
    assert found.run.corpus_fingerprint == evaluated(golden).run.corpus_fingerprint
    assert set(found.documents) == {"limits", "retention", "shipping"}
    inner = write(
        tmp_path / "inner.jsonl", [*QUESTIONS, {"id": "g-5", "question": "?", "reader": "internal"}]
    )
    seen = [evaluated(inner, one, Options(only="number")) for one in (more, tools())]
    assert seen[0].run.corpus_fingerprint != seen[1].run.corpus_fingerprint


# --- bad models ---------------------------------------------------------------------------------

Writes = Callable[[ModelRequest], str]


def model(writes: Writes) -> Model:
    def answer(request: ModelRequest) -> Iterator[Delta]:
        yield Delta(writes(request))

    return answer


def first_sentence(request: ModelRequest) -> str:
    return request.hits[0].chunk.text.split(". ")[0] + "."


def honest(request: ModelRequest) -> str:
    return statement(first_sentence(request), ("c-1", first_sentence(request)))


def invents_ids(request: ModelRequest) -> str:
    return statement(first_sentence(request), ("c-77", first_sentence(request)))


def changes_numbers(request: ModelRequest) -> str:
    changed = first_sentence(request).replace("25", "95").replace("30", "90").replace("14", "94")
    return statement(changed, ("c-1", first_sentence(request)))


def quotes_nothing(request: ModelRequest) -> str:
    return statement(first_sentence(request))


def declines(request: ModelRequest) -> str:
    return json.dumps({"uncovered_aspects": ["all of it"]}) + "\n"


BROKEN = {
    invents_ids: "hallucination_rate",
    changes_numbers: "wrong_citation_rate",
    quotes_nothing: "uncited_rate",
    declines: "answerable_declined",
}


@pytest.mark.parametrize("writes", BROKEN, ids=lambda one: one.__name__)
def test_a_bad_model_fails_the_gate_on_the_metric_that_it_breaks(golden: Path, writes: Writes) -> None:
    good = evaluated(golden, tools(model(honest)))
    found = gated(evaluated(golden, tools(model(writes))), baseline=good)
    assert found.gate is not None
    assert BROKEN[writes] in {rule.metric for rule in found.gate.rules if not rule.passed}
    assert good.metrics[BROKEN[writes]].value == 0.0


def test_a_system_that_never_declines_fails_the_gate_on_what_it_should_have_declined(tmp_path: Path) -> None:
    near = {"id": "g-5", "question": "Do parcels contain poison?", "must_abstain": True}
    golden = write(tmp_path / "near.jsonl", [*QUESTIONS, near])
    found = gated(evaluated(golden, tools(model(honest))), baseline=evaluated(golden, tools(extractive)))
    assert found.gate is not None
    assert [rule.metric for rule in found.gate.rules if not rule.passed] == ["abstain_recall"]


def test_what_a_reader_is_shown_stays_grounded_with_bad_models_because_it_is_checked(golden: Path) -> None:
    for writes in BROKEN:
        shown = evaluated(golden, tools(model(writes))).metrics
        assert shown["precision"].value in (1.0, None)


# --- recorded answers ---------------------------------------------------------------------------


def recorded(tmp_path: Path, *lines: Any) -> RecordedAnswers:
    return RecordedAnswers(write(tmp_path / "answers.jsonl", lines))


SOURCES = [{"id": "limits", "text": "Uploads may be up to 25 MB."}]


def test_recorded_answers_need_no_pipeline(tmp_path: Path, golden: Path) -> None:
    answers = recorded(
        tmp_path,
        {"id": "g-1", "answer": "Uploads may be up to 25 MB [1].", "sources": SOURCES},
        {"id": "g-2", "answer": "They are kept for 30 days [4].", "sources": SOURCES},
        {"id": "g-3", "answer": "It costs 14 euros.", "sources": SOURCES},
        {"id": "g-4", "answer": "I don't know.", "sources": []},
    )
    found = evaluated(golden, Tools(), answers=answers)
    assert found.errors == ()
    assert [item.passed for item in found.items] == [True, False, False, True]
    assert found.metrics["hallucination_rate"].value == 0.5
    assert found.run.corpus_fingerprint == found.run.model == "recorded"


def test_a_recorded_answer_that_is_missing_or_broken_is_an_error(tmp_path: Path, golden: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(
        'not JSON\n{"id": "g-1", "answer": 5}\n{"id": "g-2", "answer": "Yes [1].", "sources": ["Yes."]}\n'
    )
    found = evaluated(golden, Tools(), answers=RecordedAnswers(path))
    assert [error.id for error in found.errors] == ["answers line 1", "g-1", "g-3", "g-4"]
    assert [item.id for item in found.items] == ["g-2"]


# --- what goes wrong ----------------------------------------------------------------------------


def test_broken_lines_and_unknown_documents_are_errors_and_the_rest_is_run(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    lost = {"id": "g-9", "question": "?", "expected_doc_ids": ["no-such-document"]}
    path.write_text(
        "\n".join(['{"id": "g-1"', json.dumps(QUESTIONS[0]), json.dumps(QUESTIONS[0]), json.dumps(lost)]),
        "utf-8",
    )
    found = evaluated(path)
    assert [item.id for item in found.items] == ["g-1"]
    assert [error.id for error in found.errors] == ["line 1", "line 3", "g-9"]
    assert not gated(found).gate.passed  # type: ignore[union-attr]


def test_a_model_that_cannot_be_reached_is_an_error_and_no_zero(golden: Path) -> None:
    def down(request: ModelRequest) -> Iterator[Delta]:
        raise ModelError("the server is down", retryable=True)
        yield

    found = evaluated(golden, tools(down))
    assert [error.stage for error in found.errors] == ["answer"] * 3
    assert "answer_correct" not in found.metrics or found.metrics["answer_correct"].n == 0


def test_a_judge_that_says_nonsense_is_an_error_beside_the_figures_of_the_rules(golden: Path) -> None:
    found = evaluated(golden, tools(rater=model(lambda _: "five stars!")))
    assert {error.stage for error in found.errors} == {"judge"}
    assert found.metrics["precision"].value == 1.0
    assert found.metrics["precision_llm"].n == 0
    assert not gated(found).gate.passed  # type: ignore[union-attr]


def test_the_agreement_of_both_judges_is_reported(golden: Path) -> None:
    found = evaluated(golden, tools(rater=model(lambda _: '{"supports": true, "rating": 4}')))
    assert found.agreement["llm/rules exact"] == 0.0
    assert found.agreement["llm/rules within_one"] == 1.0
    assert found.metrics["precision_llm"].value == 1.0
    assert found.run.judge == "llm"


# --- interruptions ------------------------------------------------------------------------------


class Interrupted(Exception):
    pass


def stop_after(number: int) -> Callable[[int, int], None]:
    def tell(done: int, _: int) -> None:
        if done == number:
            raise Interrupted

    return tell


def test_a_run_goes_on_where_it_was_interrupted(tmp_path: Path, golden: Path) -> None:
    asked: list[str] = []

    def counting(request: ModelRequest) -> Iterator[Delta]:
        asked.append(request.question.text)
        yield Delta(honest(request))

    journal = tmp_path / "report.journal"
    with pytest.raises(Interrupted):
        evaluated(golden, tools(counting), journal=journal, progress=stop_after(2))
    with journal.open("ab") as file:
        file.write(b'{"id": "g-3", "res')  # the line that was being written
    before = list(asked)
    found = evaluated(golden, tools(counting), journal=journal, resume=True)
    assert len(asked) == len(before) + 1  # g-3; the last question never reaches a model
    assert found == evaluated(golden, tools(counting))
    assert not journal.exists()


def test_a_journal_of_another_run_is_refused(tmp_path: Path, golden: Path) -> None:
    journal = tmp_path / "report.journal"
    with pytest.raises(Interrupted):
        evaluated(golden, journal=journal, progress=stop_after(1))
    with pytest.raises(ConfigError, match="another run: seed differs"):
        evaluated(golden, options=Options(seed=5), journal=journal, resume=True)


def test_outcomes_of_other_recorded_answers_are_not_used_again(tmp_path: Path, golden: Path) -> None:
    def lines(words: str) -> list[dict[str, Any]]:
        said = {"answer": words, "sources": [{"id": "1", "text": "Uploads may be up to 25 MB."}]}
        return [{**one, **said} for one in QUESTIONS]

    journal = tmp_path / "report.journal"
    own = write(tmp_path / "own.jsonl", lines("Uploads may be up to 25 MB [1]."))
    with pytest.raises(Interrupted):
        evaluated(own, journal=journal, progress=stop_after(1))
    write(own, lines("Uploads may be up to 99 MB [1]."))
    with pytest.raises(ConfigError, match="another run: answers_sha256 differs"):
        evaluated(own, journal=journal, resume=True)

    said = recorded(tmp_path, *lines("Uploads may be up to 25 MB [1]."))
    with pytest.raises(Interrupted):
        evaluated(golden, journal=journal, answers=said, progress=stop_after(1))
    said = recorded(tmp_path, *lines("Uploads may be up to 99 MB [1]."))
    with pytest.raises(ConfigError, match="another run: answers_sha256 differs"):
        evaluated(golden, journal=journal, answers=said, resume=True)


@pytest.mark.parametrize(
    "line",
    [b"\x00\x00\n", b"[]\n", b"null\n", b'{"id": "g-2"}\n', b'{"id": "g-2", "errors": [], "result": {}}\n'],
)
def test_a_damaged_journal_is_named_with_its_line(tmp_path: Path, golden: Path, line: bytes) -> None:
    journal = tmp_path / "report.journal"
    with pytest.raises(Interrupted):
        evaluated(golden, journal=journal, progress=stop_after(1))
    with journal.open("ab") as file:
        file.write(line)
    with pytest.raises(ConfigError, match="line 3 of the journal is damaged"):
        evaluated(golden, journal=journal, resume=True)


def test_two_runs_do_not_write_one_journal(tmp_path: Path) -> None:
    pytest.importorskip("fcntl", reason="there are no such locks here")
    path = tmp_path / "report.journal"
    first = Journal(path, {"seed": 0}, resume=False)
    first.add(Outcome("g-1", None))
    with pytest.raises(ConfigError, match="another run is writing"):
        Journal(path, {"seed": 1}, resume=False)
    first.close()
    again = Journal(path, {"seed": 0}, resume=True)
    again.close()
    assert "g-1" in again


def test_what_failed_is_tried_again_when_a_run_goes_on(tmp_path: Path, golden: Path) -> None:
    def down(request: ModelRequest) -> Iterator[Delta]:
        raise ModelError("the server is down", retryable=True)
        yield

    journal = tmp_path / "report.journal"
    assert len(evaluated(golden, tools(down), journal=journal).errors) == 3
    again = replace(tools(model(honest)))
    assert again.pipeline is not None
    found = evaluated(golden, again, journal=journal, resume=True)
    assert found.errors == ()
    assert len(found.items) == 4
