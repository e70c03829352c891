"""Everything that people put in wrongly: the error says what, where and what to do; the exit code is right; nothing
that was stored before is lost."""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from pincite.stores.sqlite_schema import SCHEMA_VERSION

GOOD = {"doc_id": "fees", "title": "Fees", "url": "https://example.com/fees", "text": "Entry is free."}

# --- documents that cannot be read --------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", json.dumps({**GOOD, "text": None}), "missing text\n  --> {}\n   = help: required: doc_id, title, url, text\n"),
        ("a.json", json.dumps({**GOOD, "title": 7}), "title must be a string, got 7\n  --> {}\n"),
        ("a.json", json.dumps({**GOOD, "text": ["a"]}), "text must be a string, got list\n  --> {}\n"),
        ("a.json", json.dumps({**GOOD, "text": "  "}), "text is empty\n  --> {}\n"),
        ("a.md", "  \n\n", "text is empty\n  --> {}\n   = help: add text or remove the file\n"),
        ("a.json", '{\n  "doc_id": }', "invalid JSON: Expecting value (column 13)\n  --> {}:2\n"),
        ("a.json", "[1]", "must be a JSON object, got int\n  --> {}[0]\n"),
        (
            "a.json",
            json.dumps({**GOOD, "access_level": "secret"}),
            "unknown access_level 'secret'\n  --> {}\n   = help: choose from public, internal, confidential\n",
        ),
        ("a.md", b"Geb\xfchr", "not UTF-8: byte 0xfc at position 3\n  --> {}\n   = help: save the file as UTF-8\n"),
        ("a.docx", b"PK\x03\x04", "a broken ZIP file: Word and Excel files are such"),
    ],
)  # fmt: skip
def test_a_document_that_cannot_be_read_says_why_and_the_others_go_on(
    shop: Run, name: str, content: str | bytes, message: str
) -> None:
    before = shop("docs").out
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    Path("fine.txt").write_text("Tours start at nine.", "utf-8")
    ran = shop("add", name, "fine.txt")
    assert ran.code == 1
    assert ran.err.startswith("error[parse]: " + message.format(name))
    assert ran.out == "1 added, 0 changed, 0 unchanged, 1 failed · 1 chunk\n"
    assert set(before.split()) < set(shop("docs").out.split())


def test_nothing_in_an_error_steers_the_terminal(shop: Run) -> None:
    Path("a.json").write_text(json.dumps({**GOOD, "doc_id": "a\x9b31m", "url": "\x1b[31mred"}), "utf-8")
    Path("b.json").write_text(json.dumps({**GOOD, "doc_id": "a\x9b31m"}), "utf-8")
    shop("add", "a.json")
    errors = (shop("add", "\x1b[2Jgone.md").err, shop("docs", "show", "a\x9b31").err, shop("\x1b[2J").err)
    assert "did you mean a31m?" in errors[1]
    assert not any(char in "".join(errors) for char in "\x1b\x9b")


def test_a_file_of_200_mb_is_refused_before_it_is_read(shop: Run) -> None:
    with Path("big.txt").open("wb") as file:
        file.truncate(200_000_000)
    begun = time.monotonic()
    ran = shop("add", "big.txt")
    assert ran.code == 1
    assert (
        ran.err
        == "error[parse]: has 200 MB; files of 200 MB and more are not read\n  --> big.txt\n   = help: split it\n"
    )
    assert time.monotonic() - begun < 30  # reading and cutting it would take minutes


def test_of_two_documents_with_one_id_the_second_is_refused(shop: Run) -> None:
    Path("a.json").write_text(json.dumps(GOOD), "utf-8")
    Path("b.json").write_text(json.dumps({**GOOD, "text": "Entry is 5 EUR."}), "utf-8")
    ran = shop("add", "a.json", "b.json")
    assert ran.code == 1
    assert ran.err.startswith(
        "error[parse]: doc_id 'fees' is already that of a.json\n  --> b.json\n   = help: "
    )
    assert "Entry is free." in shop("docs", "show", "fees").out


def test_an_unknown_level_for_all_documents_is_refused_before_anything_is_read(shop: Run) -> None:
    ran = shop("add", "docs", "--access", "secret")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "error[usage]: unknown access level 'secret'\n  --> --access\n"
        "   = help: choose from public, internal, confidential\n"
    )


def test_a_folder_that_does_not_exist_fails_and_keeps_what_there_is(shop: Run) -> None:
    ran = shop("add", "nowhere")
    assert ran.code == 1
    assert ran.err.startswith(
        "error[parse]: no such file or folder\n  --> nowhere\n   = help: paths are taken from "
    )
    assert "trash" in shop("docs").out


# --- questions and settings that cannot be right ------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["ask", ""], "the question is empty"),
        (["ask", " \n"], "the question is empty"),
        (["ask", "x" * 100_000], "the question has 100,000 characters, at most 10,000 are allowed"),
        (["ask", "Why?", "--top-k", "0"], "--top-k: must be a whole number between 1 and 100, got '0'"),
        (
            ["ask", "Why?", "--top-k", "10000"],
            "--top-k: must be a whole number between 1 and 100, got '10000'",
        ),
        (["ask", "Why?", "--reader", "boss"], "unknown access level 'boss'"),
    ],
)
def test_an_argument_that_cannot_be_right_is_told_in_one_error(
    shop: Run, words: list[str], message: str
) -> None:
    ran = shop(*words)
    assert (ran.code, ran.out) == (2, "")
    first, *_ = ran.err.splitlines()
    assert first == f"error[usage]: {message}"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["ask", "Why?", "-c", "retrieval.top_k=0"], "[retrieval] top_k must be between 1 and 100, got 0"),
        (["add", "docs", "-c", "chunk.overlap=300"], "[chunk] overlap must be less than size (300), got 300"),
        (["ask", "Why?", "-c", "llm.model=gpt"], "unknown model 'gpt'"),
        (["ask", "Why?", "-c", "verify.judge=rulse"], "unknown judge 'rulse'"),
        (["ask", "Why?", "-c", "embedder.model=locl"], "unknown embedder 'locl'"),
        (["ask", "Why?", "-c", "top_k=3"], "cannot read 'top_k=3'"),
        (["ask", "Why?", "--config", "none.toml"], "there is no such settings file"),
    ],
)
def test_a_setting_that_cannot_be_right_is_told_in_one_error(
    shop: Run, words: list[str], message: str
) -> None:
    ran = shop(*words)
    assert (ran.code, ran.out) == (2, "")
    first, *_ = ran.err.splitlines()
    assert first == f"error[config]: {message}"


def test_a_wrong_setting_is_quoted_with_its_line(shop: Run) -> None:
    Path("pincite.toml").write_text("[retrieval]\n\nweak_below = 85\n", "utf-8")
    assert shop("ask", "Why?").err == (
        "error[config]: [retrieval] weak_below must be between 0 and 1, got 85\n"
        "  --> pincite.toml:3\n"
        "   |  weak_below = 85\n"
        "   = help: write 0.85: shares are between 0 and 1\n"
    )


def test_a_key_in_a_settings_file_is_refused_and_not_printed(shop: Run) -> None:
    Path("pincite.toml").write_text('[llm]\napi_key = "sk-very-secret"\n', "utf-8")
    ran = shop("config", "show")
    assert ran.code == 2
    assert "   |  api_key = …\n" in ran.err
    assert "very-secret" not in ran.err + ran.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["aks", "Why?"], "there is no command aks\n   = help: did you mean ask?\n"),
        (["docs", "lst"], "there is no command docs lst\n   = help: did you mean list?\n"),
        (["ask"], "the following arguments are required: QUESTION\n   = help: see `pincite ask --help`\n"),
        (
            ["ask", "Why?", "--fromat", "json"],
            "there is no option --fromat\n   = help: did you mean --format?\n",
        ),
        (["chunk", "x", "y"], "unexpected 'y'\n   = help: see `pincite chunk --help`\n"),
        (["ask", "Why?", "--top-k", "ten"], "--top-k: must be a whole number between 1 and 100, got 'ten'\n"),
        (["chunk", "x", "--before", "-1"], "--before: must be a whole number between 0 and 100, got '-1'\n"),
        (["log", "list", "--limit", "0"], "--limit: must be a whole number between 1 and 10,000, got '0'\n"),
        (["ask", "Why?", "--show", "all"], "--show: invalid choice: 'all'"),
    ],
)
def test_wrong_words_are_usage_errors(shop: Run, words: list[str], message: str) -> None:
    ran = shop(*words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error[usage]: {message}")
    assert "   = help: " in ran.err


# --- the database -------------------------------------------------------------------------------


def test_a_database_of_another_schema_is_left_as_it_is(shop: Run) -> None:
    with sqlite3.connect("pincite.db") as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    content = Path("pincite.db").read_bytes()
    for words in (["ask", "Why?"], ["add", "docs"], ["docs"]):
        ran = shop(*words)
        assert ran.code == 2
        assert ran.err == (
            f"error[store]: the database has schema 99, this pincite reads {SCHEMA_VERSION}\n  --> pincite.db\n"
            "   = help: move the file away and add the documents again, or use the pincite that made it\n"
        )
    assert Path("pincite.db").read_bytes() == content


def test_a_file_that_is_no_database_is_left_as_it_is(pincite: Run) -> None:
    Path("pincite.db").write_text("my shopping list\n" * 100, "utf-8")
    Path("fees.txt").write_text("Entry is free.", "utf-8")
    ran = pincite("add", "fees.txt")
    assert ran.code == 2
    assert ran.err.startswith(
        "error[store]: file is not a database\n  --> pincite.db\n   = help: choose another path"
    )
    assert Path("pincite.db").read_text("utf-8").startswith("my shopping list")


@pytest.mark.skipif(
    sys.platform != "linux", reason="needs a folder that even the superuser cannot write into"
)
def test_a_read_only_folder_is_a_store_error(pincite: Run) -> None:
    Path("fees.txt").write_text("Entry is free.", "utf-8")
    ran = pincite("add", "fees.txt", "-c", "store.path=/proc/pincite.db")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(
        "error[store]: unable to open database file\n  --> /proc/pincite.db\n   = help: make sure that"
    )


@pytest.mark.skipif(
    sys.platform != "linux", reason="needs a folder that even the superuser cannot write into"
)
def test_init_in_a_read_only_folder_says_so(pincite: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/proc")
    ran = pincite("init")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error[io]: ")
    assert "  --> docs\n" in ran.err


# --- faults of our own --------------------------------------------------------------------------


def test_a_fault_of_our_own_is_one_line_and_a_request(shop: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr("pincite.search.search", fail)
    ran = shop("ask", "How long?")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error[internal]: KeyError: 'lost' (pincite 0.1.0, Python 3.")
    assert ran.err.endswith("   = help: this is a fault in pincite: please report it with what -v prints\n")
    assert "Traceback" not in ran.err
    assert "Traceback" in shop("-v", "ask", "How long?").err
