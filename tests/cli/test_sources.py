"""``add``, ``refresh``, ``docs check``, ``backup``, ``doctor`` and what the log says of changed sources."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run

QUESTION = "How long does a deleted file stay in the trash?"


def test_refresh_lists_what_changed(shop: Run) -> None:
    shop("add", "docs")
    Path("docs", "new.md").write_text("# New\n\nSomething new.\n", "utf-8")
    Path("docs", "trash.md").unlink()
    ran = shop("refresh")
    assert ran.code == 0
    assert ran.out.splitlines()[:2] == ["+ new", "- trash"]
    assert "1 added, 0 changed" in ran.out
    assert "--remove removes them" in ran.err
    assert "trash" in shop("docs").out


def test_refresh_removes_on_request_and_prints_json(shop: Run) -> None:
    shop("add", "docs")
    Path("docs", "trash.md").unlink()
    found = json.loads(shop("refresh", "--remove", "--json").out)
    assert (found["removed"], found["pruned"], found["failed"]) == (["trash"], True, [])
    assert "trash" not in shop("docs").out


def test_a_dry_run_of_refresh_stores_nothing(shop: Run) -> None:
    shop("add", "docs")
    Path("docs", "new.md").write_text("# New\n\nSomething new.\n", "utf-8")
    assert "nothing was stored" in shop("refresh", "--dry-run").out
    assert "new" not in shop("docs").out


def test_add_in_two_processes_stores_the_same(shop: Run) -> None:
    before = shop("docs", "--json").out
    assert shop("add", "docs", "--jobs", "2").code == 0
    assert [json.loads(line)["doc_id"] for line in before.splitlines()] == [
        json.loads(line)["doc_id"] for line in shop("docs", "--json").out.splitlines()
    ]


def test_watch_and_dry_run_exclude_each_other(shop: Run) -> None:
    assert shop("add", "docs", "--watch", "--dry-run").code == 2
    assert shop("refresh", "--watch", "--dry-run").code == 2


def test_docs_check_counts_and_can_fail_a_build(shop: Run) -> None:
    assert shop("docs", "check").code == 0
    ran = shop("docs", "check", "--require", "owner,title")
    assert ran.code == 1
    assert "no owner was given" in ran.err
    found = json.loads(shop("docs", "check", "--require", "title", "--json").out)
    assert found["documents"] > 0
    assert set(found["fields"]) >= {"owner", "published_date", "licence", "language"}
    wrong = shop("docs", "check", "--require", "ownr")
    assert wrong.code == 2
    assert "owner" in wrong.err


def test_a_removed_document_is_said_to_be_removed(shop: Run) -> None:
    shop("docs", "rm", "trash")
    assert "was removed on 20" in shop("docs", "show", "trash").err


def test_the_log_says_what_has_become_of_sources(shop: Run) -> None:
    answer = json.loads(shop("ask", QUESTION, "--json").out)
    assert shop("log", "--stale").out == ""
    doc_id = answer["citations"][0]["doc_id"]
    shop("docs", "rm", doc_id)
    assert answer["id"] in shop("log", "--stale").out
    shown = shop("log", "show", answer["id"]).out
    assert "removed" in shown
    assert "withheld: its source is not available" in shown
    assert answer["citations"][0]["quote"] not in shown


def test_a_backup_can_be_used_as_it_is_and_overwrites_nothing(shop: Run) -> None:
    ran = shop("backup", "copy.db")
    assert ran.code == 0
    assert "copied to copy.db" in ran.out
    assert shop("docs", "-c", "store.path=copy.db").out == shop("docs").out
    again = shop("backup", "copy.db")
    assert again.code == 2
    assert "there already" in again.err


def test_a_backup_makes_the_folder_that_it_is_to_stand_in(shop: Run) -> None:
    ran = shop("backup", "copies/monday.db")
    assert ran.code == 0, ran.err
    assert shop("docs", "-c", "store.path=copies/monday.db").out == shop("docs").out


def test_a_backup_where_no_folder_can_be_says_so(shop: Run) -> None:
    Path("taken").write_text("a file", "utf-8")
    ran = shop("backup", "taken/monday.db")
    assert ran.code == 2
    assert "error[store]" in ran.err


def test_doctor_reads_everything_and_counts_what_its_reader_sees(shop: Run) -> None:
    Path("docs", "secret.md").write_text("---\naccess_level: confidential\n---\n# Secret\n\nHush.\n", "utf-8")
    shop("add", "docs")
    found = {one["name"]: one for one in json.loads(shop("doctor", "--json").out)["checks"]}
    everything = {
        one["name"]: one
        for one in json.loads(shop("doctor", "--reader", "confidential", "--json").out)["checks"]
    }
    assert found["integrity"]["state"] == "ok"
    assert found["index"]["found"] != everything["index"]["found"]
    assert "integrity" not in shop("doctor", "--quick").out


def test_doctor_names_damage_to_those_who_may_see_it(shop: Run) -> None:
    blobs = [path for path in Path("pincite.db.blobs").rglob("*") if path.is_file()]
    blobs[0].write_bytes(b"")
    ran = shop("doctor")
    assert ran.code == 1
    assert "1 thing damaged" in ran.out
    assert blobs[0].name[:12] not in ran.out
    assert blobs[0].name[:12] in shop("doctor", "--reader", "confidential").out
