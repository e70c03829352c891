"""``pincite log`` and ``pincite review``."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from pincite.evals.golden import read_golden
from pincite.evals.values import GoldenItem
from pincite.logbook import safe_cell
from pincite.ports.stored import StoredFeedback
from pincite.stores.sqlite import SqliteStore
from pincite.types import AnswerId

QUESTION = "How long does a deleted file stay in the trash?"
INNER = "What is the margin on scanners?"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``asked`` made the first time, for the other tests."""
    return tmp_path_factory.mktemp("kept") / "work"


@pytest.fixture
def asked(kept: Path, request: pytest.FixtureRequest) -> Run:
    """A shop with a public answer, a declined question, and an internal answer."""
    if kept.exists():
        shutil.copytree(kept, ".", dirs_exist_ok=True)
        ran: Run = request.getfixturevalue("pincite")
        return ran
    shop: Run = request.getfixturevalue("shop")
    shop("ask", QUESTION)
    shop("ask", "=cmd|' /C calc'!A0 who painted the ceiling?")
    shop("ask", INNER, "--reader", "internal")
    shutil.copytree(".", kept)
    return shop


def ids(asked: Run, *words: str) -> list[str]:
    return [json.loads(line)["id"] for line in asked("log", "list", "--json", *words).out.splitlines()]


def edit(*statements: str) -> None:
    with closing(sqlite3.connect("pincite.db")) as db:
        for statement in statements:
            assert db.execute(statement).rowcount
        db.commit()


def say(answer_id: str, reaction: str, level: str = "public", note: str = "") -> None:
    with closing(SqliteStore(Path("pincite.db"))) as store:
        given = StoredFeedback(
            "fb_1", AnswerId(answer_id), "2026-01-02T03:04:05Z", level, reaction, "c-1", None, note
        )
        store.save_feedback(given)


# --- list, show ---------------------------------------------------------------------------------


def test_answers_can_be_chosen_by_status_and_age(asked: Run) -> None:
    declined, answered = ids(asked)
    assert ids(asked, "--status", "abstained") == [declined]
    assert ids(asked, "--status", "answered", "--since", "1h") == [answered]
    assert ids(asked, "--status", "unverified") == []
    assert ids(asked, "--since", "2099-01-01") == []
    assert len(ids(asked, "--since", "7d", "--reader", "internal")) == 3


def test_a_long_log_is_read_answer_by_answer(asked: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = asked("log", "export").out
    monkeypatch.setattr("pincite.logbook.AT_ONCE", 0)
    assert asked("log", "export").out == at_once
    assert ids(asked, "--limit", "1", "--reader", "internal") == ids(asked, "--reader", "internal")[:1]


def test_a_list_that_is_cut_says_so(asked: Run) -> None:
    cut = asked("log", "--limit", "1")
    assert "the newest 1 answer for a reader of level public; there are more, --limit N" in cut.err
    assert "\n2 answers for a reader" in "\n" + asked("log", "--limit", "2").err
    assert "0 answers that rest on what changed" in asked("log", "--stale").err


def test_an_age_that_is_none_says_how_to_write_one(asked: Run) -> None:
    ran = asked("log", "--since", "yesterday")
    assert (ran.code, "write an age such as 7d" in ran.err) == (2, True)


def test_an_answer_is_shown_with_how_it_came_about_and_what_was_said_of_it(asked: Run) -> None:
    answer_id = ids(asked)[-1]
    say(answer_id, "wrong_source", note="no\x1b[31m")
    out = asked("log", "show", answer_id).out
    assert "judge rules" in out
    assert "client pincite ask" in out
    assert "Feedback: wrong_source" in out
    assert "\x1b" not in out


# --- cells of CSV -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "before", ["", " ", "\u00a0", "\u3000", "\u200b", "\ufeff", "\u2060", "\u2009", "\x00", "\u3000 \u200b"]
)
@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "＝", "＋", "－", "＠", "\u2212", "\t"])
def test_no_cell_begins_as_a_formula_whatever_unseen_stands_before_it(before: str, sign: str) -> None:
    assert safe_cell(f"{before}{sign}1+1") == f"'{before}{sign}1+1"


@pytest.mark.parametrize("text", ["", "Why?", "\u3000Why = how?", "\u200b", "x" * 9])
def test_any_other_cell_stays_as_it_is(text: str) -> None:
    assert safe_cell(text) == text


# --- export -------------------------------------------------------------------------------------


def test_an_export_is_the_canonical_answer_with_how_it_came_about(asked: Run) -> None:
    answer_id = ids(asked)[-1]
    say(answer_id, "helpful")
    entry = json.loads(asked("log", "export", "--status", "answered").out)
    assert entry["id"] == answer_id
    assert entry["retrieved"][0]["chunk_hash"]
    assert (entry["model"], entry["judge"], entry["client"]) == ("extractive", "rules", "pincite ask")
    assert len(entry["config_hash"]) == len(entry["prompt_hash"]) == 16
    assert [one["reaction"] for one in entry["feedback"]] == ["helpful"]


def test_links_and_their_positions_are_for_readers_of_everything(asked: Run) -> None:
    public = [json.loads(line) for line in asked("log", "export").out.splitlines()]
    assert len(public) == 2
    assert all("log" not in one for one in public)
    everything = asked("log", "export", "--reader", "confidential").out.splitlines()
    assert [json.loads(line)["log"][0]["position"] for line in everything] == [3, 2, 1]


def test_no_reader_gets_anything_of_what_is_above_them(asked: Run) -> None:
    for words in (
        ("log",), ("log", "export"), ("log", "export", "--format", "csv"), ("log", "export", "--misses"),
        ("review",), ("review", "--all"), ("review", "export"),
    ):  # fmt: skip
        assert "margin" not in asked(*words).out.casefold(), words
    inner = ids(asked, "--reader", "internal")[0]
    for words in (("log", "show"), ("log", "replay"), ("log", "rm")):
        assert "there is no answer" in asked(*words, inner).err
    assert "nothing" in asked("review", "decide", inner, "right").err


def test_a_document_that_was_closed_is_withheld_from_exports(shop: Run) -> None:
    shop("ask", QUESTION)
    path = Path("docs", "trash.md")
    path.write_text(f"---\naccess_level: internal\n---\n{path.read_text('utf-8')}", "utf-8")
    shop("add", "docs")
    out = shop("log", "export").out
    assert "30 days" not in out
    assert '"trash"' not in out
    assert "30 days" in shop("log", "export", "--reader", "internal").out


def test_csv_holds_no_formula(asked: Run) -> None:
    rows = list(csv.DictReader(io.StringIO(asked("log", "export", "--format", "csv").out)))
    assert [row["answer_status"] for row in rows] == ["ABSTAINED", "ANSWERED"]
    assert rows[0]["question"].startswith("'=cmd")
    assert rows[1]["verified"] == "1"


def test_redaction_is_applied_to_exports_alone(asked: Run) -> None:
    asked("ask", "Does ann@example.org stay in the trash?")
    assert "ann@example.org" in asked("log", "export").out
    assert "ann@example.org" not in asked("log", "export", "--redact").out
    assert "ann@example.org" not in asked("log", "export", "-c", "log.redact=email").out
    assert QUESTION not in asked("log", "export", "--redact", "question,client").out
    assert "pincite ask" not in asked("log", "export", "--redact", "client").out
    assert asked("log", "verify").code == 0


def test_a_kind_that_cannot_be_blacked_out_is_refused(asked: Run) -> None:
    assert "did you mean email?" in asked("log", "export", "--redact", "emial").err
    ran = asked("log", "export", "-c", "log.redact=nonsense")
    assert (ran.code, "[log] redact must be a list of" in ran.err) == (2, True)


def test_misses_are_drafts_of_golden_items(asked: Run) -> None:
    declined, answered = ids(asked)
    say(answered, "wrong_source", note="that is the old one")
    asked("log", "export", "--misses", "--out", "drafts.jsonl")
    found = {one.id: one for one in read_golden("drafts.jsonl") if isinstance(one, GoldenItem)}
    assert set(found) == {f"miss-{declined}", f"miss-{answered}"}
    assert found[f"miss-{declined}"].tags == ("miss", "abstained")
    assert found[f"miss-{answered}"].tags == ("miss", "wrong_source")
    assert "that is the old one" in found[f"miss-{answered}"].note
    assert found[f"miss-{answered}"].expected_doc_ids == ()


# --- verify, head, prune, rm --------------------------------------------------------------------


def test_a_whole_log_says_so_and_an_edited_one_names_the_row(asked: Run) -> None:
    ran = asked("log", "verify")
    assert (ran.code, ran.out.startswith("✓ the log is whole: 3 links, 3 answers, head 3:")) == (0, True)
    answer_id = ids(asked)[-1]
    edit("UPDATE answers SET body = replace(body, '30 days', '90 days') WHERE position = 1")
    ran = asked("log", "verify")
    assert ran.code == 1
    assert f"✗ position 1: {answer_id}: the answer was edited" in ran.out
    told = json.loads(asked("log", "verify", "--json").out)
    assert (told["whole"], told["faults"][0]["position"]) == (False, 1)
    assert "the log at position 1" in asked("doctor", "--reader", "confidential").out


def test_a_head_that_was_kept_elsewhere_finds_a_log_that_was_written_anew(asked: Run) -> None:
    head = asked("log", "head").out
    Path("heads.txt").write_text(head, "utf-8")
    asked("ask", QUESTION)
    assert asked("log", "verify", "--heads-file", "heads.txt").code == 0
    assert asked("log", "verify", "--head", head.split()[0]).code == 0
    Path("pincite.db").unlink()
    asked("add", "docs")
    for _ in range(4):
        asked("ask", QUESTION)
    assert asked("log", "verify").code == 0
    ran = asked("log", "verify", "--heads-file", "heads.txt")
    assert (ran.code, "the log was rewritten" in ran.out) == (1, True)
    assert "write POSITION:LINK" in asked("log", "verify", "--head", "nonsense").err


def test_old_answers_are_dropped_on_request_alone_and_leave_a_checkpoint(asked: Run) -> None:
    edit("UPDATE log SET at = '2020-01-01T00:00:00Z' WHERE position = 1")  # as if it were old
    assert asked("log", "prune", "-c", "log.keep_days=0").out == ""
    assert asked("log", "prune", "--dry-run").out.startswith("1 answer logged before ")
    assert len(ids(asked)) == 2
    assert asked("log", "prune").out.startswith("1 answer logged before ")
    assert len(ids(asked)) == 1
    out = asked("log", "verify").out
    assert "positions 1-1 were pruned" in out
    assert "1 answer of 2020-01-01T00:00:00Z" in out


def test_an_erased_answer_leaves_that_it_was(asked: Run) -> None:
    answer_id = ids(asked)[-1]
    assert asked("log", "rm", answer_id, "--why", "asked for by its author").code == 0
    assert answer_id not in ids(asked)
    ran = asked("log", "verify")
    assert ran.code == 0
    assert f"{answer_id} erased: asked for by its author" in ran.out
    assert b"30 days" not in b"".join(
        line for line in Path("pincite.db").read_bytes().split(b"\0") if b"citations" in line
    )


# --- replay -------------------------------------------------------------------------------------


def test_a_replay_says_that_nothing_differs_and_what_changed(shop: Run) -> None:
    shop("ask", QUESTION)
    (answer_id,) = ids(shop)
    ran = shop("log", "replay", answer_id)
    assert (ran.code, ran.out.startswith(f"✓ {answer_id}: the same verdicts")) == (0, True)
    assert "since then" not in ran.out
    Path("docs", "trash.md").write_text(
        "# Trash\n\nA deleted file stays in the trash for 60 days.\n", "utf-8"
    )
    assert shop("add", "docs").code == 0
    ran = shop("log", "replay", answer_id, "-c", "retrieval.top_k=3")
    assert ran.code == 0
    assert "since then: document trash" in ran.out
    assert "since then: config" in ran.out


def test_a_replay_of_what_was_edited_tells_the_difference(asked: Run) -> None:
    answer_id = ids(asked)[-1]
    edit(
        "UPDATE answers SET body = replace(body, 'trash for 30 days', 'trash for 90 days') WHERE position = 1"
    )
    told = json.loads(asked("log", "replay", answer_id, "--json").out)
    assert told["same"] is False
    assert ("support", "supported") in [(one["field"], one["then"]) for one in told["differences"]]


# --- review -------------------------------------------------------------------------------------


def test_what_readers_call_wrong_is_in_the_queue_until_somebody_decides(asked: Run) -> None:
    answer_id = ids(asked)[-1]
    assert asked("review").out == ""
    say(answer_id, "wrong_source", note="old")
    (item,) = [json.loads(line) for line in asked("review", "--json").out.splitlines()]
    assert (item["id"], item["reasons"]) == (f"{answer_id}.c-1", ["wrong_source"])
    assert item["id"] in asked("review").out
    ran = asked("review", "decide", item["id"], "wrong", "--note", "superseded", "--reviewer", "Ann")
    assert (ran.code, "by Ann" in ran.err) == (0, True)
    assert asked("review").out == ""
    assert "→ wrong (Ann" in asked("review", "--decided").out
    assert "Review: wrong" in asked("log", "show", answer_id).out
    asked("review", "decide", item["id"], "right", "--reviewer", "Bob")
    (item,) = [json.loads(line) for line in asked("review", "--all", "--json").out.splitlines()]
    assert [one["decision"] for one in item["decisions"]] == ["right", "wrong"]
    assert asked("log", "verify").code == 0


def test_a_decision_must_be_one_and_be_about_something(asked: Run) -> None:
    answer_id = ids(asked)[-1]
    assert "choose from right, wrong, unclear" in asked("review", "decide", answer_id, "perhaps").err
    for part in ("c-99", "s-99", "removed-1", "removed-²", "x"):
        assert "there is nothing" in asked("review", "decide", f"{answer_id}.{part}", "right").err


def test_an_export_says_how_many_items_somebody_has_to_complete(asked: Run) -> None:
    _, answered = ids(asked)
    asked("review", "decide", answered, "wrong", "--reviewer", "Ann")
    assert "1 item is tagged incomplete" in asked("review", "export").err


def test_decisions_become_golden_items(asked: Run) -> None:
    declined, answered = ids(asked)
    asked("review", "decide", answered, "right", "--reviewer", "Ann")
    asked("review", "decide", declined, "right", "--note", "nobody knows", "--reviewer", "Ann")
    asked("review", "export", "--out", "golden.jsonl")
    found = {one.id: one for one in read_golden("golden.jsonl") if isinstance(one, GoldenItem)}
    right = found[f"rv-{answered}"]
    assert (right.expected_doc_ids, right.question) == (("trash",), QUESTION)
    assert "30 days" in right.reference_answer
    assert found[f"rv-{declined}"].must_abstain
    assert "nobody knows" in found[f"rv-{declined}"].note


# --- rows that somebody damaged -----------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "'{}'",
        "'[]'",
        "'no JSON'",
        "replace(body, '\"support\"', '\"x\"')",
        "json_set(body, '$.citations', 7)",
    ],
)
@pytest.mark.parametrize(
    "words", [("review",), ("log",), ("log", "export"), ("log", "export", "--format", "csv")]
)
def test_a_damaged_answer_is_named_and_the_others_are_listed(
    asked: Run, caplog: pytest.LogCaptureFixture, body: str, words: tuple[str, ...]
) -> None:
    declined, answered = ids(asked)
    edit(f"UPDATE answers SET body = {body} WHERE answer_id = '{answered}'")
    ran = asked(*words)
    assert (ran.code, "internal" in ran.err) == (0, False)
    if words == ("review",) or "support" not in body:
        assert f"left out: the stored answer {answered}" in caplog.text
    if words != ("review",):
        assert declined in ran.out


def test_a_damaged_answer_that_is_asked_for_says_so(asked: Run) -> None:
    answer_id = ids(asked)[-1]
    edit(f"UPDATE answers SET body = '{{}}' WHERE answer_id = '{answer_id}'")
    ran = asked("log", "show", answer_id)
    assert (ran.code, f"the stored answer {answer_id} is damaged" in ran.err) == (2, True)


def test_a_link_whose_detail_is_no_json_is_named_and_the_export_goes_on(
    asked: Run, caplog: pytest.LogCaptureFixture
) -> None:
    edit("UPDATE log SET detail = 'no JSON' WHERE position = 1")
    ran = asked("log", "export", "--reader", "confidential")
    assert (ran.code, len(ran.out.splitlines())) == (0, 3)
    assert "position 1 of the log" in caplog.text
    assert "the link was changed" in asked("log", "verify").out
