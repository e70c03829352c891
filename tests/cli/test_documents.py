from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import Run

from pincite.ports import Floats

# --- init ---------------------------------------------------------------------------------------


def test_init_writes_settings_samples_and_questions(pincite: Run) -> None:
    assert pincite("init").code == 0
    assert len(list(Path("docs").iterdir())) == 13
    assert all(
        json.loads(line)["language"] == "en" for line in Path("golden.jsonl").read_text("utf-8").splitlines()
    )
    assert "# top_k = 10" in Path("pincite.toml").read_text("utf-8")


def test_the_settings_that_init_writes_are_the_defaults(pincite: Run) -> None:
    before = pincite("config", "show").out
    pincite("init")
    assert pincite("config", "show").out == before


def test_init_overwrites_nothing_unless_it_is_told_to(pincite: Run) -> None:
    Path("golden.jsonl").write_text("mine\n", "utf-8")
    ran = pincite("init")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "error[usage]: golden.jsonl is there already\n  --> golden.jsonl\n"
        "   = help: --force overwrites it; choose an empty folder otherwise\n"
    )
    assert not Path("docs").exists()
    assert pincite("init", "--force").code == 0
    assert Path("golden.jsonl").read_text("utf-8") != "mine\n"


# --- add ----------------------------------------------------------------------------------------


def test_adding_again_takes_in_only_what_changed(shop: Run) -> None:
    Path("docs", "trash.md").write_text(
        "# Trash\n\nA deleted file stays in the trash for 60 days.\n", "utf-8"
    )
    Path("docs", "new.md").write_text("# New\n\nSupport answers within a day.\n", "utf-8")
    assert shop("add", "docs").out == "1 added, 1 changed, 2 unchanged · 2 chunks\n"


def test_a_dry_run_counts_and_stores_nothing(shop: Run) -> None:
    Path("docs", "new.md").write_text("# New\n\nSupport answers within a day.\n", "utf-8")
    assert (
        shop("add", "docs", "--dry-run").out
        == "1 added, 0 changed, 3 unchanged · 1 chunk · nothing was stored\n"
    )
    assert "new" not in shop("docs").out


def test_a_dry_run_makes_no_database(pincite: Run) -> None:
    Path("fees.txt").write_text("Entry is free.", "utf-8")
    assert (
        pincite("add", "fees.txt", "--dry-run").out
        == "1 added, 0 changed, 0 unchanged · 1 chunk · nothing was stored\n"
    )
    assert not Path("pincite.db").exists()


def test_the_level_of_the_command_holds_for_documents_without_one(pincite: Run) -> None:
    Path("fees.txt").write_text("Entry is free.", "utf-8")
    pincite("add", "fees.txt", "--access", "confidential")
    assert pincite("docs").out == ""
    assert "fees" in pincite("docs", "list", "--reader", "confidential").out


def test_rebuild_cuts_all_documents_again_as_the_settings_say_now(shop: Run) -> None:
    Path("docs", "long.md").write_text("# Long\n\n" + "One sentence of a long text. " * 40, "utf-8")
    shop("add", "docs")
    before = shop("docs", "list", "--json").out
    ran = shop("add", "--rebuild", "-c", "chunk.strategy=sentence")
    assert ran.code == 0
    assert ran.out.startswith("4 documents indexed again · ")
    after = {
        one["doc_id"]: one["chunks"]
        for one in map(json.loads, shop("docs", "list", "--json").out.splitlines())
    }
    earlier = {one["doc_id"]: one["chunks"] for one in map(json.loads, before.splitlines())}
    assert after["long"] > earlier["long"]
    assert after["trash"] == earlier["trash"]


def test_documents_without_vectors_among_others_with_them_are_told(
    shop: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("pincite.wiring.choose_embedder", lambda *_, **__: LetterCounts())
        shop("add", "--rebuild")
    Path("docs", "new.md").write_text("# New\n\nSupport answers within a day.\n", "utf-8")
    assert shop("add", "docs").err.startswith(
        "! the other documents have vectors of letters, these have none: "
    )


class LetterCounts:
    """An embedder: how often each letter occurs."""

    fingerprint = "letters"
    dimension = 26

    def documents(self, texts: Sequence[str]) -> Floats:
        return np.stack([self.query(text) for text in texts])

    def query(self, text: str) -> Floats:
        counts = np.array(
            [text.lower().count(letter) + 1 for letter in "abcdefghijklmnopqrstuvwxyz"], dtype=np.float32
        )
        return counts / np.linalg.norm(counts)


def test_what_was_skipped_and_left_out_is_told(pincite: Run) -> None:
    Path("docs").mkdir()
    Path("docs", "fees.csv").write_bytes("Plan;Straße\nBasic;Königstraße 5 in Köln\n".encode("cp1252"))
    Path("docs", "slides.pptx").write_bytes(b"PK")
    Path("docs", "notes.xyz").write_text("x", "utf-8")
    ran = pincite("add", "docs")
    assert (ran.code, ran.out) == (0, "1 added, 0 changed, 0 unchanged, 2 skipped · 1 chunk\n")
    assert ran.err == (
        "! fees-csv: is not UTF-8 and was read as windows-1252\n"
        "skipped notes.xyz: unknown kind of file .xyz\n"
        "skipped slides.pptx: .pptx files are not read; save it as PDF\n"
    )
    found = json.loads(pincite("add", "docs", "--json").out)
    assert (found["unchanged"], found["added"], found["failed"]) == (["fees-csv"], [], [])
    assert [one["where"] for one in found["skipped"]] == ["notes.xyz", "slides.pptx"]
    assert found["warnings"] == [
        {"doc_id": "fees-csv", "message": "is not UTF-8 and was read as windows-1252"}
    ]


def test_of_many_skipped_files_ten_are_named(pincite: Run) -> None:
    Path("docs").mkdir()
    Path("docs", "a.md").write_text("Entry is free.", "utf-8")
    for number in range(15):
        Path("docs", f"{number:02}.xyz").write_text("x", "utf-8")
    ran = pincite("add", "docs")
    assert ran.err.count("skipped") == 11
    assert ran.err.endswith("skipped 5 more; --json lists them all\n")


def test_a_file_of_a_known_kind_that_is_not_read_is_refused_with_what_to_do(pincite: Run) -> None:
    Path("slides.pptx").write_text("x", "utf-8")
    ran = pincite("add", "slides.pptx")
    assert ran.code == 1
    assert ".pptx files are not read" in ran.err
    assert "save it as PDF" in ran.err


def test_add_without_anything_to_add_is_an_error(pincite: Run) -> None:
    ran = pincite("add")
    assert ran.code == 2
    assert ran.err.startswith("error[usage]: there is nothing to add\n")


def test_nothing_is_said_beside_the_data_when_quiet(shop: Run) -> None:
    assert shop("docs", "-q").err == ""
    assert shop("docs").err == "2 documents for a reader of level public\n"


# --- docs, chunk --------------------------------------------------------------------------------


def test_docs_lists_what_the_reader_may_see(shop: Run) -> None:
    public = [line.split()[0] for line in shop("docs").out.splitlines()]
    internal = [line.split()[0] for line in shop("docs", "list", "--reader", "internal").out.splitlines()]
    assert public == ["id", "limits", "trash"]
    assert internal == ["id", "limits", "margins", "trash"]


def test_docs_show_gives_a_document_with_its_passages(shop: Run) -> None:
    shown = shop("docs", "show", "trash").out
    assert "title      Trash" in shown
    assert "trash-chunk-0" in shown


def test_docs_show_gives_a_part_by_its_name(pincite: Run) -> None:
    Path("fees.md").write_text("# Fees\n\n## Annex B\n\nEntry is free.\n", "utf-8")
    pincite("add", "fees.md", "--access", "internal")
    shown = pincite("docs", "show", "fees", "--part", "annex b", "--reader", "internal")
    assert shown.out == "characters 8–34 · fees-chunk-0\n\n## Annex B\n\nEntry is free.\n"
    found = json.loads(
        pincite("docs", "show", "fees", "--part", "Annex B", "--json", "--reader", "internal").out
    )
    assert (found["start"], found["end"], found["chunks"]) == (8, 34, ["fees-chunk-0"])
    missing = pincite("docs", "show", "fees", "--part", "Annex C", "--reader", "internal")
    assert (missing.code, missing.out) == (2, "")
    assert "fees has no part called 'Annex C'" in missing.err
    assert "there is no document" in pincite("docs", "show", "fees", "--part", "Annex B").err


def test_a_hidden_document_is_shown_exactly_like_an_unknown_one(shop: Run) -> None:
    hidden, unknown = shop("docs", "show", "margins"), shop("docs", "show", "nothing")
    assert hidden.code == unknown.code == 2
    assert hidden.err.replace("margins", "nothing") == unknown.err


def test_a_slip_in_an_id_gets_a_suggestion(shop: Run) -> None:
    assert shop("docs", "show", "limit").err.endswith("= help: did you mean limits?\n")


def test_docs_rm_removes_a_document_once(shop: Run) -> None:
    assert shop("docs", "rm", "trash").out == "removed trash\n"
    assert shop("docs", "rm", "trash").code == 2
    assert "trash" not in shop("docs").out


def test_chunk_marks_its_own_lines_and_shows_its_neighbours(pincite: Run) -> None:
    Path("fees.md").write_text("# Fees\n\nFirst.\n\n# Hours\n\nSecond.\n\n# Rooms\n\nThird.\n", "utf-8")
    pincite("add", "fees.md")
    lines = pincite("chunk", "fees-chunk-1").out.splitlines()
    assert "┃ Second." in lines
    assert "  First." in lines
    assert "  Third." in lines
    assert "Third." not in pincite("chunk", "fees-chunk-1", "--after", "0").out


def test_a_hidden_chunk_is_shown_exactly_like_an_unknown_one(shop: Run) -> None:
    hidden, unknown = shop("chunk", "margins-chunk-0"), shop("chunk", "nothing-chunk-0")
    assert hidden.code == unknown.code == 2
    assert hidden.err.replace("margins", "nothing") == unknown.err
    assert shop("chunk", "margins-chunk-0", "--reader", "internal").code == 0


def test_an_unknown_passage_is_named_as_one(shop: Run) -> None:
    ran = shop("chunk", "nothing-chunk-0")
    assert "there is no chunk 'nothing-chunk-0'" in ran.err
    assert "pincite docs show" in ran.err


def test_removing_an_unknown_document_names_no_option_that_is_not_there(shop: Run) -> None:
    ran = shop("docs", "rm", "zebra")
    assert ran.code == 2
    assert "there is no document 'zebra'" in ran.err
    assert "--reader LEVEL" not in ran.err
    assert "pincite docs --reader confidential" in ran.err


def test_control_characters_of_a_document_do_not_reach_the_terminal(pincite: Run) -> None:
    Path("evil.txt").write_text("Entry is \x1b[31mfree\u202e for all.", "utf-8")
    pincite("add", "evil.txt")
    printed = "".join(
        pincite(*words).out for words in (["docs", "show", "evil-txt"], ["chunk", "evil-txt-chunk-0"])
    )
    assert "free" in printed
    assert not {"\x1b", "\u202e"} & set(printed)


@pytest.mark.parametrize("words", [["docs", "list"], ["docs", "show", "limits"], ["chunk", "limits-chunk-0"]])
def test_json_is_one_object_a_line(shop: Run, words: list[str]) -> None:
    lines = shop(*words, "--json").out.splitlines()
    assert lines
    assert all(isinstance(json.loads(line), dict) for line in lines)


def test_the_beginning_of_an_id_names_the_document(shop: Run) -> None:
    assert shop("docs", "show", "lim").err.endswith("= help: did you mean limits?\n")


def test_the_id_of_a_document_in_place_of_a_chunk_is_named_as_such(shop: Run) -> None:
    assert shop("chunk", "limits").err == (
        "error[not-found]: 'limits' is a document, not a chunk\n   = help: `pincite docs show limits` lists its chunks\n"
    )
    assert shop("chunk", "limit-chunk-0").err.endswith(
        "= help: `pincite docs show limits` lists those of the document limits\n"
    )


def test_a_file_that_is_not_there_is_looked_for_by_its_name(pincite: Run) -> None:
    Path("handbook.pdf").write_bytes(b"")
    assert pincite("add", "handbok.pdf").err.endswith("= help: did you mean handbook.pdf?\n")
    assert "there is no folder" in pincite("add", "papers/handbook.pdf").err
