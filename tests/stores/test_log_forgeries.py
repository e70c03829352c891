"""Whoever edits the database behind the log's back is found out, and told where."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from pincite.chain import LogReport, check, content_hash, head_of, link_hash
from pincite.errors import StoreError
from pincite.ports.stored import LogEntry, LogHead, StoredAnswer, StoredFeedback, StoredReview
from pincite.stores.sqlite import SqliteStore
from pincite.types import AnswerId, Reader

ANSWERS = 8


def answer(number: int) -> StoredAnswer:
    when = f"2026-01-02T03:04:{number:02}Z"
    return StoredAnswer(AnswerId(f"ans_{number}"), when, "public", f"Why {number}?", "ANSWERED", "{}")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Eight answers at positions 1-8, feedback at 9, a decision at 10."""
    with closing(SqliteStore(tmp_path / "a.db")) as store:
        for number in range(1, ANSWERS + 1):
            store.save_answer(answer(number))
        store.save_feedback(
            StoredFeedback("fb_1", AnswerId("ans_2"), "2026-01-02T04:00:00Z", "public", "helpful")
        )
        store.save_review(
            StoredReview("rev_1", AnswerId("ans_3"), "2026-01-02T05:00:00Z", "public", "right", "Ann")
        )
    return tmp_path / "a.db"


def edit(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        for statement in statements:
            assert db.execute(statement).rowcount != 0, f"changed nothing: {statement}"
        db.commit()


def report(path: Path, *anchors: LogHead) -> LogReport:
    with closing(SqliteStore(path)) as store:
        return check(store.log_entries(), store.log_head(), store.log_rows(), anchors=anchors)


def faults(path: Path, *anchors: LogHead) -> list[tuple[int | None, str, str]]:
    return [(one.position, one.subject, one.what) for one in report(path, *anchors).faults]


def entries(path: Path) -> list[LogEntry]:
    with closing(SqliteStore(path)) as store:
        return list(store.log_entries())


def test_a_log_that_nobody_touched_is_whole(path: Path) -> None:
    assert faults(path) == []
    assert report(path).entries == 10


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("body", '\'{"text": "No."}\''),
        ("question", "'Why not?'"),
        ("created_at", "'2025-01-01T00:00:00Z'"),
        ("level", "'confidential'"),
        ("level", "'nobody'"),
        ("status", "'ABSTAINED'"),
        ("context", '\'{"principal": "Eve"}\''),
    ],
)
def test_an_edited_answer_is_named_with_its_position(path: Path, column: str, value: str) -> None:
    edit(path, f"UPDATE answers SET {column} = {value} WHERE answer_id = 'ans_5'")
    assert faults(path) == [(5, "ans_5", "the answer was edited")]


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ("feedback SET reaction = 'wrong_claim'", (9, "fb_1", "the feedback was edited")),
        ("reviews SET decision = 'wrong'", (10, "rev_1", "the review was edited")),
        ("reviews SET reviewer = 'Eve'", (10, "rev_1", "the review was edited")),
    ],
)
def test_edited_feedback_and_decisions_are_named(path: Path, table: str, found: tuple[int, str, str]) -> None:
    edit(path, f"UPDATE {table}")
    assert faults(path) == [found]


def test_a_deleted_row_is_missed(path: Path) -> None:
    edit(path, "DELETE FROM answers WHERE answer_id = 'ans_4'", "DELETE FROM reviews")
    assert faults(path) == [
        (4, "ans_4", "the answer was deleted"),
        (10, "rev_1", "the review was deleted"),
    ]


def test_a_row_deleted_with_its_link_is_missed(path: Path) -> None:
    edit(path, "DELETE FROM answers WHERE answer_id = 'ans_4'", "DELETE FROM log WHERE position = 4")
    assert faults(path) == [(5, "ans_5", "position 4 is before it missing")]


def test_a_cut_off_tail_is_missed(path: Path) -> None:
    edit(
        path,
        "DELETE FROM answers WHERE position > 6",
        "DELETE FROM log WHERE position > 6",
        "DELETE FROM feedback",
        "DELETE FROM reviews",
    )
    assert faults(path) == [(7, "", "positions 7-10 are missing at the end")]


def test_a_cut_off_tail_with_the_head_turned_back_is_found_by_an_anchor(path: Path) -> None:
    anchor = head_of(entries(path)[-1])
    sixth = entries(path)[5]
    edit(
        path,
        "DELETE FROM answers WHERE position > 6",
        "DELETE FROM log WHERE position > 6",
        "DELETE FROM feedback",
        "DELETE FROM reviews",
        "UPDATE counters SET value = 6 WHERE name = 'log_position'",
        f"UPDATE counters SET value = '{sixth.link}' WHERE name = 'log_link'",
    )
    assert faults(path) == []
    ((position, _, what),) = faults(path, anchor)
    assert (position, "the log was cut short" in what) == (10, True)


def test_a_cut_off_beginning_is_missed(path: Path) -> None:
    edit(path, "DELETE FROM answers WHERE position <= 2", "DELETE FROM log WHERE position <= 2")
    assert (1, "", "positions 1-2 are missing at the beginning") in faults(path)


def test_an_answer_that_was_put_in_is_named(path: Path) -> None:
    edit(
        path,
        "INSERT INTO answers SELECT 'ans_x', created_at, level, question, status, body, context, 4 "
        "FROM answers WHERE position = 4",
    )
    assert faults(path) == [(4, "ans_x", "the answer was put in: no link of the log is about it")]


def test_a_link_that_was_put_in_is_named(path: Path) -> None:
    edit(
        path,
        "UPDATE log SET position = -position WHERE position > 4",
        "UPDATE log SET position = 1 - position WHERE position < 0",
        "INSERT INTO log SELECT 5, kind, 'ans_x', at, level, content, detail, previous, link FROM log WHERE position = 4",
    )
    assert {position for position, _, _ in faults(path)} >= {5, 6, 11}


@pytest.mark.parametrize("table", ["log", "answers"])
def test_two_answers_that_changed_places_are_named(path: Path, table: str) -> None:
    edit(
        path,
        f"UPDATE {table} SET position = -3 WHERE position = 3",
        f"UPDATE {table} SET position = 3 WHERE position = 6",
        f"UPDATE {table} SET position = 6 WHERE position = -3",
    )
    assert {position for position, _, _ in faults(path)} >= {3, 6}


def test_two_answers_that_changed_their_contents_are_named(path: Path) -> None:
    edit(
        path,
        "UPDATE answers SET question = CASE answer_id WHEN 'ans_1' THEN 'Why 2?' ELSE 'Why 1?' END "
        "WHERE answer_id IN ('ans_1', 'ans_2')",
    )
    assert [position for position, _, _ in faults(path)] == [1, 2]


@pytest.mark.parametrize("column", ["kind", "subject", "at", "level", "content", "detail", "previous"])
def test_an_edited_link_is_named(path: Path, column: str) -> None:
    edit(path, f"UPDATE log SET {column} = 'forged' WHERE position = 5")
    assert (5, "the link was changed: it is not the hash of what it holds") in {
        (position, what) for position, _, what in faults(path)
    }


def test_an_edit_with_its_own_link_made_to_fit_breaks_the_next_one(path: Path) -> None:
    forged = StoredAnswer(
        **{name: getattr(answer(5), name) for name in StoredAnswer.__slots__} | {"body": "[]"}
    )
    old = entries(path)[4]
    bent = LogEntry(
        **{name: getattr(old, name) for name in LogEntry.__slots__} | {"content": content_hash(forged)}
    )
    edit(
        path,
        "UPDATE answers SET body = '[]' WHERE answer_id = 'ans_5'",
        f"UPDATE log SET content = '{bent.content}', link = '{link_hash(bent)}' WHERE position = 5",
    )
    ((position, _, what),) = faults(path)
    assert (position, "does not follow from position 5" in what) == (6, True)


def test_a_forged_head_is_named(path: Path) -> None:
    edit(path, "UPDATE counters SET value = 'abc' WHERE name = 'log_link'")
    assert faults(path) == [(10, "rev_1", "is not the head that is kept apart")]


def test_an_anchor_is_met_as_long_as_the_chain_runs_through_it(path: Path) -> None:
    anchors = [head_of(one) for one in entries(path)]
    assert faults(path, *anchors) == []
    ((position, subject, what),) = faults(path, LogHead(5, "abc"))
    assert (position, subject, "the log was rewritten" in what) == (5, "ans_5", True)


def test_an_answer_that_comes_back_after_it_was_erased_or_pruned_is_named(path: Path) -> None:
    with closing(SqliteStore(path)) as store:
        store.erase_answer(AnswerId("ans_8"), at="2026-01-03T00:00:00Z", why="asked for")
        store.prune_answers("2026-01-02T03:04:03Z", at="2026-01-04T00:00:00Z")
    assert faults(path) == []
    back = "INSERT INTO answers VALUES ('{}', '2026-01-02T03:04:08Z', 'public', 'Why?', 'ANSWERED', '{{}}', '{{}}', {})"
    edit(path, back.format("ans_8", 8), back.format("ans_1", 1))
    assert sorted((subject, what) for _, subject, what in faults(path)) == [
        ("ans_1", "the answer was put in: no link of the log is about it"),
        ("ans_8", "the answer was put back after it went"),
    ]


def test_an_answer_that_stays_away_without_a_reason_is_missed_after_pruning_too(path: Path) -> None:
    with closing(SqliteStore(path)) as store:
        store.prune_answers("2026-01-02T03:04:03Z", at="2026-01-04T00:00:00Z")
    edit(path, "DELETE FROM answers WHERE answer_id = 'ans_7'")
    assert faults(path) == [(7, "ans_7", "the answer was deleted")]


def test_links_that_went_with_pruning_must_fit_the_checkpoint(path: Path) -> None:
    with closing(SqliteStore(path)) as store:
        store.prune_answers("2026-01-02T03:04:03Z", at="2026-01-04T00:00:00Z")
    assert entries(path)[0].position == 3
    edit(path, "DELETE FROM answers WHERE position = 3", "DELETE FROM log WHERE position = 3")
    assert (3, "", "position 3 is missing at the beginning") in faults(path)


def test_doctor_tells_of_an_edited_log(path: Path) -> None:
    edit(path, "UPDATE answers SET body = '[]' WHERE answer_id = 'ans_5'")
    with closing(SqliteStore(path)) as store:
        told = list(store.problems())
    assert "the log at position 5: ans_5: the answer was edited" in told


def test_a_log_of_many_forgeries_counts_them_and_names_some(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pincite.chain.checking.MOST_FAULTS", 3)
    edit(path, "UPDATE answers SET body = '[]'")
    found = report(path)
    assert (len(found.faults), found.fault_count) == (3, ANSWERS)


# --- writing ------------------------------------------------------------------------------------


def test_stores_of_two_processes_append_to_one_chain(path: Path) -> None:
    with closing(SqliteStore(path)) as one, closing(SqliteStore(path)) as other:
        for number in range(20, 30):
            (one, other)[number % 2].save_answer(answer(number))
    assert [one.subject for one in entries(path)][-10:] == [f"ans_{number}" for number in range(20, 30)]
    assert faults(path) == []


def test_a_clock_that_goes_back_is_noted_and_changes_no_order(path: Path) -> None:
    with closing(SqliteStore(path)) as store:
        store.save_answer(StoredAnswer(AnswerId("late"), "2020-01-01", "public", "?", "", ""))
        assert store.answers(Reader())[0].answer_id == "late"
    assert '"clock_back_from":"2026-01-02T05:00:00Z"' in entries(path)[-1].detail
    assert report(path).clock_back == (11,)
    assert faults(path) == []


def test_a_full_disk_loses_no_answer_that_was_logged(path: Path) -> None:
    with closing(SqliteStore(path)) as store:
        pages = store._connection().execute("PRAGMA page_count").fetchone()[0]
        store._connection().execute(f"PRAGMA max_page_count = {pages}")
        large = StoredAnswer(AnswerId("large"), "2026-02-01", "public", "?", "ANSWERED", "x" * 100_000)
        with pytest.raises(StoreError, match="free some space"):
            store.save_answer(large)
        assert len(store.answers(Reader())) == ANSWERS
        assert store.log_head().position == 10
        store._connection().execute(f"PRAGMA max_page_count = {pages + 100}")
        store.save_answer(large)
    assert faults(path) == []


ACTS: tuple[Callable[[SqliteStore, int], object], ...] = (
    lambda store, n: store.save_answer(answer(100 + n)),
    lambda store, n: store.erase_answer(AnswerId(f"ans_{n}"), at="2026-02-01", why="asked for"),
    lambda store, n: store.save_feedback(
        StoredFeedback(f"fb_{n}", AnswerId(f"ans_{n}"), "2026-02-01", "public", "helpful")
    ),
    lambda store, n: store.prune_answers(f"2026-01-02T03:04:{n:02}Z", at="2026-02-01"),
    lambda store, n: store.note_in_log("gap", at="2026-02-02", detail="{}"),
)


def test_lawful_acts_in_any_order_leave_the_log_whole(path: Path) -> None:
    with closing(SqliteStore(path)) as store:
        for step in range(65):
            with suppress(StoreError):  # nothing is said of an answer that is gone
                ACTS[step * 7 % len(ACTS)](store, step * 5 % 13)
            found = check(store.log_entries(), store.log_head(), store.log_rows())
            assert found.faults == (), f"after step {step}"


def test_a_decision_that_was_moved_behind_a_later_one_is_found(path: Path) -> None:
    with closing(SqliteStore(path)) as store:
        store.save_review(
            StoredReview("rev_2", AnswerId("ans_3"), "2026-01-02T06:00:00Z", "public", "wrong", "Ann")
        )
    edit(
        path, "UPDATE reviews SET position = 12 WHERE review_id = 'rev_1'"
    )  # the newest decision would be right
    assert faults(path) == [(10, "rev_1", "the review was moved to position 12")]


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        (
            "UPDATE counters SET value = 'ten' WHERE name = 'log_position'",
            (None, "", "the head that is kept apart was changed: its position is no number"),
        ),
        (
            "UPDATE answers SET body = X'ff00' WHERE answer_id = 'ans_5'",
            (5, "ans_5", "the answer was edited"),
        ),
        (
            "UPDATE answers SET question = CAST(X'ff41' AS TEXT) WHERE answer_id = 'ans_5'",
            (5, "ans_5", "the answer was edited"),
        ),
        ("UPDATE answers SET status = 7.5 WHERE answer_id = 'ans_5'", (5, "ans_5", "the answer was edited")),
        ("UPDATE feedback SET note = X'ff'", (9, "fb_1", "the feedback was edited")),
        ("UPDATE reviews SET position = 'x'", (10, "rev_1", "the review was moved to position -1")),
        ("UPDATE reviews SET sentence_index = X'ff'", (10, "rev_1", "the review was edited")),
        (
            "UPDATE log SET at = X'ff' WHERE position = 4",
            (4, "ans_4", "the link was changed: it is not the hash of what it holds"),
        ),
        (
            "UPDATE log SET detail = CAST(X'ff' AS TEXT) WHERE position = 4",
            (4, "ans_4", "the link was changed: it is not the hash of what it holds"),
        ),
    ],
)
def test_what_is_no_text_or_number_is_named_like_any_other_forgery(
    path: Path, statement: str, found: tuple[int | None, str, str]
) -> None:
    edit(path, statement)
    assert faults(path) == [found]


def test_nothing_is_logged_behind_a_head_that_is_no_number(path: Path) -> None:
    edit(path, "UPDATE counters SET value = 'ten' WHERE name = 'log_position'")
    with closing(SqliteStore(path)) as store, pytest.raises(StoreError, match=r"damaged.*head of the log"):
        store.save_answer(answer(99))
