"""Sources are read again: what is new, changed, unchanged, gone; and answers know what has become of their sources."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pincite import Document, Pipeline
from pincite.refresh import signatures, sources
from pincite.stores.sqlite import SqliteStore
from pincite.types import AccessLevel, Origin, Reader

EVERYONE = Reader(AccessLevel.CONFIDENTIAL)
QUESTION = "How long may files be kept?"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "limits.md").write_text(
        "# Limits\n\nUploads may be up to 25 MB.\n\n# Keeping\n\nFiles may be kept for 30 days.\n"
    )
    (folder / "fees.md").write_text("# Fees\n\nTours cost 5 EUR per person.\n")
    return folder


@pytest.fixture
def rag(tmp_path: Path, docs: Path) -> Iterator[Pipeline]:
    with Pipeline(store=SqliteStore(tmp_path / "a.db"), embedder=None) as made:
        made.add(docs)
        yield made


def ids(rag: Pipeline) -> list[str]:
    return [one.info.doc_id for one in rag.documents("confidential")]


# --- what a refresh finds -------------------------------------------------------------------------


def test_new_changed_unchanged_and_vanished_files_are_told_apart(rag: Pipeline, docs: Path) -> None:
    (docs / "new.md").write_text("# New\n\nParking is free.\n")
    (docs / "limits.md").write_text("# Limits\n\nUploads may be up to 50 MB.\n")
    (docs / "fees.md").unlink()
    (docs / "more.md").write_text("# More\n\nMore.\n")
    (docs / "more.md").unlink()
    report = rag.refresh()
    assert (report.added, report.changed, report.unchanged, report.removed) == (
        ("new",),
        ("limits",),
        (),
        ("fees",),
    )
    assert ids(rag) == ["fees", "limits", "new"]


def test_a_second_refresh_finds_nothing(rag: Pipeline) -> None:
    report = rag.refresh()
    assert (report.unchanged, report.chunks, report.failed) == (("fees", "limits"), 0, ())


def test_vanished_files_are_removed_on_request(rag: Pipeline, docs: Path) -> None:
    (docs / "fees.md").unlink()
    assert rag.refresh(prune=True).removed == ("fees",)
    assert ids(rag) == ["limits"]


def test_a_dry_run_says_the_same_and_changes_nothing(rag: Pipeline, docs: Path) -> None:
    (docs / "fees.md").unlink()
    (docs / "limits.md").write_text("# Limits\n\nNone.\n")
    report = rag.refresh(prune=True, dry_run=True)
    assert (report.changed, report.removed, report.pruned) == (("limits",), ("fees",), False)
    assert ids(rag) == ["fees", "limits"]
    assert rag.refresh().changed == ("limits",)


def test_a_folder_that_is_not_there_removes_nothing(rag: Pipeline, docs: Path) -> None:
    docs.rename(docs.with_name("elsewhere"))
    report = rag.refresh(prune=True)
    assert report.removed == ()
    assert [str(error) for error in report.failed] == [
        f"{docs}: the folder is not there; its documents stay; pincite docs rm ID removes one"
    ]
    assert ids(rag) == ["fees", "limits"]


def test_a_file_that_cannot_be_read_now_keeps_its_document(rag: Pipeline, docs: Path) -> None:
    (docs / "fees.md").write_text(" ")
    report = rag.refresh(prune=True)
    assert [error.where for error in report.failed] == ["fees.md"]
    assert report.removed == ()
    assert ids(rag) == ["fees", "limits"]


def test_a_document_that_left_its_file_is_gone_though_the_file_is_there(rag: Pipeline, docs: Path) -> None:
    lines = [
        {"doc_id": name, "title": name, "url": "", "text": f"{name} is open."} for name in ("one", "two")
    ]
    (docs / "many.json").write_text(json.dumps(lines))
    rag.refresh()
    (docs / "many.json").write_text(json.dumps(lines[:1]))
    assert rag.refresh(prune=True).removed == ("two",)
    assert "one" in ids(rag)


def test_files_that_were_given_themselves_are_read_again_and_their_neighbours_are_not(
    tmp_path: Path, docs: Path
) -> None:
    with Pipeline(store=SqliteStore(tmp_path / "b.db"), embedder=None) as rag:
        rag.add(docs / "fees.md")
        (docs / "fees.md").write_text("# Fees\n\nTours are free.\n")
        assert rag.refresh().changed == ("fees",)
        assert ids(rag) == ["fees"]


def test_an_address_is_read_again_however_its_scheme_is_written() -> None:
    assert sources([Origin("HTTPS://example.org/a")]) == ("HTTPS://example.org/a",)


def test_what_a_program_made_is_left_alone(rag: Pipeline) -> None:
    rag.add(Document("made", "Made by a program."))
    report = rag.refresh(prune=True)
    assert "made" not in (*report.unchanged, *report.removed)
    assert "made" in ids(rag)


def test_what_was_removed_on_purpose_comes_back_by_add_alone(rag: Pipeline, docs: Path) -> None:
    rag.remove("fees")
    report = rag.refresh()
    assert (report.left_out, ids(rag)) == (("fees",), ["limits"])
    assert rag.add(docs).added == ("fees",)


def test_a_moved_folder_is_unchanged_and_found_again(rag: Pipeline, docs: Path) -> None:
    moved = docs.rename(docs.with_name("moved"))
    assert rag.add(moved).unchanged == ("fees", "limits")
    (moved / "fees.md").write_text("# Fees\n\nTours are free.\n")
    assert rag.refresh().changed == ("fees",)


def test_unchanged_passages_keep_their_ids(rag: Pipeline, docs: Path) -> None:
    before = {chunk.text: chunk.chunk_id for chunk in rag.parts.store.chunk_numbers("limits")[0]}  # type: ignore[arg-type]
    text = (docs / "limits.md").read_text()
    (docs / "limits.md").write_text(
        "# New\n\nSomething new stands first.\n\n" + text.replace("25 MB", "50 MB")
    )
    rag.refresh()
    after = {chunk.text: chunk.chunk_id for chunk in rag.parts.store.chunk_numbers("limits")[0]}  # type: ignore[arg-type]
    same = before.keys() & after.keys()
    assert any("30 days" in text for text in same)
    assert all(before[text] == after[text] for text in same)
    assert not {after[text] for text in after.keys() - same} & set(before.values())


def test_a_closed_document_stays_closed(rag: Pipeline, docs: Path) -> None:
    (docs / "plan.md").write_text("# Plan\n\nThe plan is secret.\n")
    rag.add(docs / "plan.md", access="confidential")
    (docs / "plan.md").write_text("# Plan\n\nThe plan is very secret.\n")
    rag.refresh()
    assert [one.info.doc_id for one in rag.documents("internal")] == ["fees", "limits"]


def test_several_processes_give_what_one_gives(tmp_path: Path, docs: Path) -> None:
    for number in range(12):
        (docs / f"page-{number}.md").write_text(f"# Page {number}\n\nRoom {number} opens at {number}.\n" * 3)
    stores = []
    for jobs in (1, 2):
        store = SqliteStore(tmp_path / f"{jobs}.db")
        Pipeline(store=store, embedder=None).add(docs, jobs=jobs)
        stores.append(store)
    one, two = (
        [store.document(d.info.doc_id, EVERYONE) for d in store.documents(EVERYONE)] for store in stores
    )
    assert one == two
    keys = [[store.chunk_numbers(d.info.doc_id) for d in store.documents(EVERYONE)] for store in stores]
    assert keys[0] == keys[1]


def test_a_file_that_is_written_is_seen(docs: Path) -> None:
    before = signatures([docs])
    (docs / "fees.md").write_text("# Fees\n\nTours cost 6 EUR per person.\n")
    os.utime(docs / "fees.md", ns=(1, 1))
    assert signatures([docs]) != before


# --- vectors ------------------------------------------------------------------------------------


class Counting:
    """An embedder that counts what it is given, and can be interrupted after so many texts."""

    fingerprint = "counting"
    dimension = 2

    def __init__(self, interrupt_after: int = 10**9) -> None:
        self.seen: list[str] = []
        self._interrupt_after = interrupt_after

    def documents(self, texts: list[str]) -> np.ndarray:  # type: ignore[type-arg]
        if len(self.seen) + len(texts) > self._interrupt_after:
            raise KeyboardInterrupt
        self.seen += texts
        return np.array([[1.0, 0.0]] * len(texts), dtype=np.float32)

    def query(self, text: str) -> np.ndarray:  # type: ignore[type-arg]
        return np.array([1.0, 0.0], dtype=np.float32)


def with_embedder(rag: Pipeline, embedder: Counting) -> Pipeline:
    return Pipeline(store=rag.parts.store, embedder=embedder)


def test_a_refresh_counts_the_vectors_that_it_makes(rag: Pipeline) -> None:
    embedder = Counting()
    chunks = sum(one.chunk_count for one in rag.documents("confidential"))
    assert with_embedder(rag, embedder).refresh().vectors == chunks > 0
    assert with_embedder(rag, embedder).refresh().vectors == 0


def test_unchanged_documents_get_vectors_when_an_embedder_is_set_later(rag: Pipeline, docs: Path) -> None:
    embedder = Counting()
    report = with_embedder(rag, embedder).add(docs)
    assert (report.unchanged, report.vectors) == (("fees", "limits"), 3)
    assert all(one.vector_count == one.chunk_count for one in rag.documents())


def test_a_refresh_gives_vectors_to_what_has_no_source_too(rag: Pipeline) -> None:
    rag.add(Document("made", "Made by a program."))
    with_embedder(rag, Counting()).refresh()
    assert all(one.vector_count == one.chunk_count for one in rag.documents())


def test_passages_that_stay_the_same_are_not_embedded_again(rag: Pipeline, docs: Path) -> None:
    embedder = Counting()
    embedding = with_embedder(rag, embedder)
    embedding.refresh()
    embedder.seen.clear()
    (docs / "limits.md").write_text((docs / "limits.md").read_text().replace("25 MB", "50 MB"))
    embedding.refresh()
    assert len(embedder.seen) == 1
    assert "50 MB" in embedder.seen[0]
    assert all(one.vector_count == one.chunk_count for one in rag.documents())


def test_an_interruption_loses_one_small_step_and_the_same_command_goes_on(tmp_path: Path) -> None:
    text = "\n\n".join(f"# Room {number}\n\nRoom {number} opens at nine." for number in range(200))
    store = SqliteStore(tmp_path / "a.db")
    with pytest.raises(KeyboardInterrupt):
        Pipeline(store=store, embedder=Counting(interrupt_after=150)).add(Document("rooms", text))
    (stored,) = store.documents(EVERYONE)
    assert (stored.chunk_count, stored.vector_count) == (200, 128)
    again = Counting()
    report = Pipeline(store=store, embedder=again).add(Document("rooms", text))
    assert (report.unchanged, report.vectors, len(again.seen)) == (("rooms",), 72, 72)
    assert list(store.problems()) == []


# --- answers and what has become of their sources -------------------------------------------------


def test_an_answer_is_fresh_until_its_passage_changes(rag: Pipeline, docs: Path) -> None:
    answer = rag.ask(QUESTION)
    text = (docs / "limits.md").read_text()
    (docs / "limits.md").write_text("# First\n\nAn insertion above.\n\n" + text)
    rag.refresh()
    kept = rag.kept_answer(answer.id)
    assert kept is not None
    (citation,) = kept["citations"]
    assert (citation["stale"], citation["now"]["anchor"]) == (False, "moved")
    span = citation["now"]["spans"][0]
    document = rag.parts.store.document("limits", EVERYONE)  # type: ignore[arg-type]
    assert document is not None
    assert document.text[span["doc_start"] : span["doc_end"]] == "Files may be kept for 30 days."
    (docs / "limits.md").write_text(text.replace("30 days", "60 days"))
    rag.refresh()
    (stale,) = rag.kept_answers(stale=True)
    assert stale["citations"][0]["now"]["anchor"] == "changed"
    assert stale["citations"][0]["now"]["spans"][0]["text"] == "Files may be kept for 60 days."
    assert stale["citations"][0]["quote"] == "Files may be kept for 30 days."


def test_a_superseded_source_makes_an_answer_stale(rag: Pipeline, docs: Path) -> None:
    answer = rag.ask(QUESTION)
    assert rag.kept_answers(stale=True) == ()
    text = (docs / "limits.md").read_text()
    (docs / "limits.md").write_text(f"---\nstatus: retracted\nlicence: CC BY 4.0\n---\n{text}")
    rag.refresh()
    (stale,) = rag.kept_answers(stale=True)
    assert stale["id"] == answer.id
    now = stale["citations"][0]["now"]
    assert (now["document_status"], now["licence"]) == ("retracted", "CC BY 4.0")


def test_a_removed_source_leaves_ids_hashes_and_a_tombstone(rag: Pipeline) -> None:
    answer = rag.ask(QUESTION)
    rag.remove("limits")
    kept = rag.kept_answer(answer.id)
    assert kept is not None
    assert "30 days" not in json.dumps(kept)
    (citation,) = kept["citations"]
    assert citation["tombstone"]["state"] == "removed"
    assert (citation["doc_id"], citation["chunk_id"]) == ("limits", answer.citations[0].chunk_id)
    assert citation["document_hash"] == answer.citations[0].document.content_hash
    assert (citation["quote"], kept["stale"]) == ("", True)
    assert [one.doc_id for one in rag.parts.store.removed(EVERYONE)] == ["limits"]


def test_an_answer_shows_nothing_of_a_document_that_its_reader_may_no_longer_see(
    rag: Pipeline, docs: Path
) -> None:
    answer = rag.ask(QUESTION)
    text = (docs / "limits.md").read_text()
    (docs / "limits.md").write_text(f"---\naccess_level: confidential\n---\n{text}")
    rag.refresh()
    kept = rag.kept_answer(answer.id)
    assert kept is not None
    assert "30 days" not in json.dumps(kept)
    assert "limits" not in json.dumps({name: value for name, value in kept.items() if name != "retrieved"})
    assert kept["citations"][0]["tombstone"] == {"state": "not_visible"}
    seen = rag.kept_answer(answer.id, "confidential")
    assert seen is not None
    assert "30 days" in seen["text"]


def test_a_file_cannot_take_the_place_of_another_that_is_still_there(tmp_path: Path) -> None:
    rag = Pipeline(store="memory", embedder="none")
    for folder, front in (("mine", "access: confidential"), ("theirs", "doc_id: plan\naccess: public")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "plan.md").write_text(
            f"---\n{front}\n---\nThe plan of {folder}.", encoding="utf-8"
        )
    rag.add(tmp_path / "mine")
    report = rag.add(tmp_path / "theirs")
    assert (report.changed, [error.message for error in report.failed]) == (
        (), [f"doc_id 'plan' is already that of {tmp_path / 'mine' / 'plan.md'}"],
    )  # fmt: skip
    (tmp_path / "mine" / "plan.md").unlink()
    assert rag.add(tmp_path / "theirs").changed == ("plan",)


@pytest.mark.parametrize(("first", "second"), [("a.md", "b.md"), ("b.md", "a.md")])
def test_an_id_may_go_from_one_file_to_another(tmp_path: Path, first: str, second: str) -> None:
    rag = Pipeline(store="memory", embedder="none")
    (tmp_path / first).write_text("---\ndoc_id: fees\n---\nEntry is free.", encoding="utf-8")
    rag.add(tmp_path)
    (tmp_path / first).write_text("---\ndoc_id: dogs\n---\nDogs pay 2 EUR.", encoding="utf-8")
    (tmp_path / second).write_text("---\ndoc_id: fees\n---\nEntry costs 5 EUR.", encoding="utf-8")
    report = rag.refresh()
    assert (report.added, report.changed, report.failed) == (("dogs",), ("fees",), ())


def _two_folders(tmp_path: Path) -> tuple[Path, Path]:
    for folder, days in (("a", 30), ("b", 60)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "readme.md").write_text(f"Files are kept for {days} days.\n", encoding="utf-8")
    return tmp_path / "a" / "readme.md", tmp_path / "b" / "readme.md"


def test_a_refused_file_stays_out_of_every_refresh_until_the_first_is_gone(tmp_path: Path) -> None:
    first, second = _two_folders(tmp_path)
    rag = Pipeline(store="memory", embedder="none")
    rag.add(first.parent)
    for _ in range(2):
        (error,) = rag.add(second).failed
        assert (str(first) in error.message, error.where, "doc_id" in (error.hint or "")) == (
            True,
            str(second),
            True,
        )
        report = rag.refresh()
        assert (report.changed, report.unchanged, report.removed, report.failed) == ((), ("readme",), (), ())
    first.rename(tmp_path / "elsewhere.md")
    assert rag.add(second).changed == ("readme",)
    assert rag.refresh().unchanged == ("readme",)


def test_another_name_of_the_same_file_is_no_second_file(tmp_path: Path) -> None:
    first, _ = _two_folders(tmp_path)
    (tmp_path / "c").mkdir()
    os.link(first, tmp_path / "c" / "readme.md")
    rag = Pipeline(store="memory", embedder="none")
    rag.add(first)
    first.write_text("Files are kept for 90 days.\n", encoding="utf-8")
    report = rag.add(tmp_path / "c")
    assert (report.changed, report.failed) == (("readme",), ())


def test_a_document_of_a_program_may_replace_one_of_its_id(tmp_path: Path) -> None:
    first, _ = _two_folders(tmp_path)
    rag = Pipeline(store="memory", embedder="none")
    rag.add(Document(doc_id="readme", title="Readme", text="Files are kept for 10 days."))
    assert rag.add(first).changed == ("readme",)
    assert rag.add(Document(doc_id="readme", title="Readme", text="Files go at once.")).changed == ("readme",)
