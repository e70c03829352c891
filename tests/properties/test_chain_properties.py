"""Whatever is done to one link or one row, something is found; whatever is lawful, nothing is."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.chain import check, head_of
from pincite.errors import StoreError
from pincite.ports.stored import LogEntry, LoggedRow, StoredAnswer, StoredFeedback
from pincite.stores.memory import MemoryStore
from pincite.types import AnswerId

TEXTS = st.text(st.characters(), max_size=8)
ACTS = st.lists(st.tuples(st.sampled_from("asefpn"), st.integers(0, 9), TEXTS), min_size=3, max_size=25)
LINK_FIELDS = ("kind", "subject", "at", "level", "content", "detail", "previous", "link")


def used(acts: list[tuple[str, int, str]]) -> MemoryStore:
    """A store after answers, feedback, erasures, prunings and notes, at times that go back and forth."""
    store = MemoryStore()
    for step, (act, number, text) in enumerate(acts):
        when = f"2026-01-{number + 1:02}"
        if act in "as":
            answer = StoredAnswer(AnswerId(f"ans_{step}"), when, "public", text, "ANSWERED", text)
            store.save_answer(answer)
        elif act == "e":
            store.erase_answer(AnswerId(f"ans_{number}"), at=when, why=text)
        elif act == "f":
            said = StoredFeedback(f"fb_{number}", AnswerId(f"ans_{number}"), when, "public", "x", note=text)
            with suppress(StoreError):  # of an answer that is gone
                store.save_feedback(said)
        elif act == "p":
            store.prune_answers(when, at=when)
        else:
            store.note_in_log("gap", at=when, detail="{}")
    return store


def faults(store: MemoryStore, entries: list[LogEntry], rows: list[LoggedRow]) -> int:
    return check(entries, store.log_head(), rows).fault_count


@given(ACTS)
@settings(max_examples=60, deadline=None)
def test_lawful_acts_leave_nothing_to_find(acts: list[tuple[str, int, str]]) -> None:
    store = used(acts)
    entries = list(store.log_entries())
    anchors = [head_of(one) for one in entries]
    assert check(entries, store.log_head(), store.log_rows(), anchors=anchors).faults == ()


@given(ACTS, st.data())
@settings(max_examples=80, deadline=None)
def test_any_change_of_one_link_or_one_row_is_found(
    acts: list[tuple[str, int, str]], data: st.DataObject
) -> None:
    store = used([("a", 0, ""), *acts, ("a", 9, "")])
    entries, rows = list(store.log_entries()), list(store.log_rows())
    place = data.draw(st.integers(0, len(entries) - 1))
    how = data.draw(st.sampled_from(["edit", "delete", "swap", "row", "lose", "add"]))
    if how == "edit":
        name = data.draw(st.sampled_from(LINK_FIELDS))
        entries[place] = replace(entries[place], **{name: getattr(entries[place], name) + "x"})
    elif how == "delete":
        del entries[place]
    elif how == "swap":
        other = data.draw(st.integers(0, len(entries) - 1).filter(lambda one: one != place))
        one, two = entries[place], entries[other]
        entries[place] = replace(two, position=one.position)
        entries[other] = replace(one, position=two.position)
    elif how == "row":
        row = data.draw(st.integers(0, len(rows) - 1))
        rows[row] = replace(rows[row], content=rows[row].content + "x")
    elif how == "lose":
        row = rows.pop(data.draw(st.integers(0, len(rows) - 1)))
        if row.kind == "feedback":  # of an answer whose links retention dropped, nobody can say
            return
    else:
        rows.append(LoggedRow("answer", "ans_forged", "0" * 64, 1))
    assert faults(store, entries, rows) > 0
