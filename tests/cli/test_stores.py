"""``store copy`` and ``store check``."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.cli.conftest import Run


def test_a_store_is_copied_and_the_copy_answers(shop: Run) -> None:
    shop("add", "docs")
    asked = shop("ask", "How long does a deleted file stay in the trash?")
    ran = shop("store", "copy", "pincite.db", "copy.db")
    assert (ran.code, ran.err) == (0, "")
    assert "all compared by their hashes" in ran.out
    assert Path("copy.db.blobs").is_dir()
    again = shop("-c", "store.path=copy.db", "ask", "How long does a deleted file stay in the trash?")
    assert again.out.splitlines()[:3] == asked.out.splitlines()[:3]
    assert shop("-c", "store.path=copy.db", "log", "verify").code == 0
    assert json.loads(shop("store", "copy", "pincite.db", "third.db", "--json").out)["copied"] > 0


def test_originals_go_where_they_are_wanted(shop: Run) -> None:
    shop("-c", "store.path=new.db", "-c", "store.blobs=originals", "add", "docs")
    assert not Path("new.db.blobs").exists()
    ran = shop(
        "store", "copy", "new.db", "copy.db", "--source-blobs", "originals", "--target-blobs", "others"
    )
    assert ran.code == 0
    names = [
        sorted(path.name for path in Path(folder).rglob("*") if path.is_file())
        for folder in ("originals", "others")
    ]
    assert names[0] == names[1] != []


def test_a_store_is_not_copied_onto_itself_or_from_nothing(shop: Run) -> None:
    shop("add", "docs")
    ran = shop("store", "copy", "pincite.db", "pincite.db")
    assert ran.code == 2
    assert "one store" in ran.err
    assert "no database yet" in shop("store", "copy", "nothing.db", "copy.db").err
    assert not Path("nothing.db").exists()


def test_a_lost_original_is_named_and_the_rest_is_copied(shop: Run) -> None:
    shop("add", "docs")
    next(path for path in Path("pincite.db.blobs").rglob("*") if path.is_file()).unlink()
    ran = shop("store", "copy", "pincite.db", "copy.db")
    assert ran.code == 1
    assert "is missing" in ran.err


def test_store_check_says_what_is_damaged_and_what_to_do(shop: Run) -> None:
    shop("add", "docs")
    assert shop("store", "check").code == 0
    with closing(sqlite3.connect("pincite.db")) as db, db:
        db.execute("UPDATE levels SET chunk_count = 99")
    ran = shop("store", "check")
    assert ran.code == 1
    assert "--rebuild" in ran.out
    assert json.loads(shop("store", "check", "--json").out)["ok"] is False


def test_store_check_counts_what_is_there_and_not_what_was_removed(shop: Run) -> None:
    shop("add", "docs")
    assert "3 documents, their passages" in shop("store", "check").out
    assert shop("docs", "rm", "trash").code == 0
    assert "2 documents, their passages" in shop("store", "check").out
