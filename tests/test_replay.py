"""A stored answer judged once more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pincite import Document, Pipeline
from pincite.findings import Support
from pincite.llms.scripted import ScriptedModel
from pincite.replay import Replay
from tests.doubles import ScriptedJudge

LIMITS = (
    "# Limits\n\nUploads may be up to 25 MB.\n\nFiles are kept for 30 days.\n\n# Fees\n\nEntry costs 10 EUR."
)
QUESTION = "How long are files kept?"


def pipeline(text: str = LIMITS, **given: object) -> Pipeline:
    rag = Pipeline(store="memory", embedder=None, **given)  # type: ignore[arg-type]
    rag.add(Document("limits", text, title="Limits", access_level="public"))
    return rag


def replayed(rag: Pipeline, answer_id: str, reader: str = "public") -> Replay:
    found = rag.replay(answer_id, reader)
    assert found is not None
    return found


def test_nothing_changed_and_the_verdicts_are_the_same() -> None:
    rag = pipeline()
    found = replayed(rag, rag.ask(QUESTION).id)
    assert found.same
    assert (found.replayed, found.sentences) == (2, 2)
    assert (found.differences, found.changes, found.left_out) == ((), (), ())


def test_a_document_of_the_default_level_did_not_change_because_its_level_was_read_from_a_database(
    tmp_path: Path,
) -> None:
    with Pipeline(store=str(tmp_path / "pincite.db"), embedder=None) as rag:
        rag.add(
            Document("limits", LIMITS, title="Limits")
        )  # a level that is not given is a member of an enumeration
        answer = rag.ask(QUESTION)
        assert replayed(rag, answer.id).changes == ()
        kept = rag.kept_answer(answer.id)
        assert kept is not None
        assert {one["now"]["document_hash"] for one in kept["citations"]} == {
            one["document_hash"] for one in kept["citations"]
        }


def test_a_changed_document_is_named_and_its_old_text_gives_the_same_verdicts() -> None:
    rag = pipeline()
    answer = rag.ask(QUESTION)
    rag.add(Document("limits", LIMITS.replace("30 days", "60 days"), title="Limits", access_level="public"))
    found = replayed(rag, answer.id)
    assert found.same
    (change,) = found.changes
    assert (change.what, change.subject) == ("document", "limits")
    assert change.then != change.now


def test_documents_that_are_cut_otherwise_now_are_read_where_they_were_read_then() -> None:
    rag = pipeline()
    answer = rag.ask(QUESTION)
    again = Pipeline(
        rag.parts, replace(rag.settings, cut=replace(rag.settings.cut, strategy="fixed", size=20, overlap=0))
    )
    again.add(Document("limits", LIMITS + "\n\nNew.", title="Limits", access_level="public"))
    found = replayed(again, answer.id)
    assert found.same
    assert {one.what for one in found.changes} == {"document", "passage"}


def test_another_judge_is_named_with_what_it_judges_otherwise() -> None:
    rag = pipeline()
    answer = rag.ask(QUESTION)
    strict = replace(
        rag.parts,
        judge=ScriptedJudge(kept=Support.UNSUPPORTED),
        made_with={**rag.parts.made_with, "judge": "strict", "config_hash": "other"},
    )
    found = replayed(Pipeline(strict, rag.settings), answer.id)
    assert not found.same
    assert ("support", "supported", "unsupported") in [
        (one.field, one.then, one.now) for one in found.differences
    ]
    assert {(one.what, one.now) for one in found.changes} == {("judge", "strict"), ("config", "other")}


def test_a_removed_document_leaves_its_sentences_out() -> None:
    rag = pipeline()
    answer = rag.ask(QUESTION)
    rag.remove("limits")
    found = replayed(rag, answer.id)
    assert not found.same
    assert [one for one in found.left_out if "withheld" in one]
    assert found.differences == ()


def test_a_document_that_the_reader_may_not_see_any_more_is_not_read() -> None:
    rag = pipeline()
    answer = rag.ask(QUESTION)
    rag.add(Document("limits", LIMITS, title="Limits", access_level="confidential"))
    found = replayed(rag, answer.id)
    assert (found.same, found.replayed) == (False, 1)
    assert "limits" not in repr(found)
    assert replayed(rag, answer.id, "confidential").same


def test_there_is_no_replay_of_another_levels_answer() -> None:
    rag = pipeline()
    assert rag.replay(rag.ask(QUESTION, reader="internal").id) is None
    assert rag.replay("ans_none") is None


def test_a_follow_up_is_judged_against_its_own_passages() -> None:
    rag = pipeline()
    first = rag.ask(QUESTION)
    second = rag.ask("And what does entry cost?", after=first)
    assert second.first_id > 1
    assert second.citations
    assert replayed(rag, second.id).same


@pytest.mark.parametrize(
    "line",
    [
        '{"statement": "Uploads may be 25 MB, and entry costs 12 EUR.", "quotes": [{"id": "c-1", "quote": "Entry costs 10 EUR."}]}\n',
        '{"statement": "Files are kept for 30 days [c-1], entry costs 10 EUR [c-2].", "quotes": []}\n',
        '{"statement": "Files are kept for 30 days.", "quotes": [{"id": "c-1", "quote": "Files are kept for thirty days."}]}\n',
        '{"statement": "Files are kept for 30 days.", "quotes": [{"id": "c-9", "quote": null}]}\n',
        '{"statement": "Files are kept for 30 days [c-1], and uploads may be up to 25 MB [c-1].", "quotes": []}\n',
    ],
)
@pytest.mark.parametrize("parts", [LIMITS, LIMITS * 30])
def test_whatever_a_model_said_is_judged_as_it_was(line: str, parts: str) -> None:
    rag = pipeline(parts, llm=ScriptedModel([line, line]))
    rag.add(Document("fees", "Entry costs 10 EUR.", access_level="public"))
    answer = rag.ask(QUESTION)
    assert rag.replay(answer.id) == Replay(
        answer.id, len(answer.sentences), len(answer.sentences), (), (), ()
    )
