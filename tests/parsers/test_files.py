"""Folders: sorted, whole, and one bad file costs one file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pincite.errors import ParseError
from pincite.parsers.files import SourceFile, find_files, load_file, load_paths
from pincite.types import Document


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def ids(results: list[Document | ParseError]) -> list[str]:
    return [one.doc_id if isinstance(one, Document) else f"error {one.where}" for one in results]


def test_folders_are_read_whole_and_in_order(tmp_path: Path) -> None:
    write(tmp_path, b_md="x", a_txt="x", sub__c_html="<p>x", sub__a_md="x")
    assert ids(list(load_paths([tmp_path]))) == ["a-txt", "b", "sub--a", "sub--c-html"]


def test_a_bad_file_costs_only_itself(tmp_path: Path) -> None:
    write(tmp_path, a_md="x", b_json="{", c_md="x")
    assert ids(list(load_paths([tmp_path]))) == ["a", "error b.json:1", "c"]


def test_files_of_unknown_kind_are_skipped_and_counted(tmp_path: Path) -> None:
    write(tmp_path, a_md="x", b_xyz="x", c_py="x")
    found = find_files([tmp_path])
    assert [file.source for file in found.files] == ["a.md"]
    assert [one.where for one in found.skipped] == ["b.xyz", "c.py"]


def test_hidden_names_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, a_md="x")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "b.md").write_text("x")
    (tmp_path / ".c.md").write_text("x")
    assert [file.source for file in find_files([tmp_path]).files] == ["a.md"]


def test_a_file_given_itself_is_named_by_its_name(tmp_path: Path) -> None:
    write(tmp_path, sub__a_md="x")
    assert ids(list(load_paths([tmp_path / "sub" / "a.md"]))) == ["a"]


def test_a_file_of_unknown_kind_given_itself_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, a_xyz="x")
    (error,) = load_paths([tmp_path / "a.xyz"])
    assert "unknown kind of file .xyz" in str(error)


def test_a_path_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    (error,) = load_paths([tmp_path / "no.md"])
    assert str(error) == f"{tmp_path / 'no.md'}: no such file or folder"


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="the system has no symbolic links")
def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    write(tmp_path, secret_md="secret", docs__a_md="x")
    (tmp_path / "docs" / "link.md").symlink_to(tmp_path / "secret.md")
    (tmp_path / "docs" / "up").symlink_to(tmp_path)
    found = find_files([tmp_path / "docs"])
    assert [file.source for file in found.files] == ["a.md"]
    assert [error.message for error in found.refused] == ["a link that leads out of the folder"] * 2


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="the system has no symbolic links")
def test_a_link_to_itself_is_refused_and_the_others_go_on(tmp_path: Path) -> None:
    write(tmp_path, a_md="x")
    (tmp_path / "loop.md").symlink_to("loop.md")
    found = find_files([tmp_path])
    assert [file.source for file in found.files] == ["a.md"]
    assert [error.message for error in found.refused] == ["a link that leads nowhere"]


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="the system has no symbolic links")
def test_a_link_inside_the_folder_is_read_once_at_its_own_place(tmp_path: Path) -> None:
    write(tmp_path, sub__a_md="x")
    (tmp_path / "link.md").symlink_to(tmp_path / "sub" / "a.md")
    (tmp_path / "loop").symlink_to(tmp_path)
    found = find_files([tmp_path])
    assert [file.source for file in found.files] == ["sub/a.md"]
    assert [one.where for one in found.skipped] == ["link.md", "loop"]


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "big.md"
    with path.open("wb") as stream:
        stream.truncate(200_000_000)
    with pytest.raises(
        ParseError, match=r"big\.md: has 200 MB; files of 200 MB and more are not read; split it"
    ):
        load_file(SourceFile(path, "big.md"))


def test_two_files_with_one_doc_id_are_not_both_read(tmp_path: Path) -> None:
    write(tmp_path, a_md="---\ndoc_id: same\n---\nx", b_md="---\ndoc_id: same\n---\ny")
    first, second = load_paths([tmp_path])
    assert isinstance(first, Document)
    assert str(second).startswith("b.md: doc_id 'same' is already that of a.md")


def test_files_of_one_name_in_two_folders_are_told_apart(tmp_path: Path) -> None:
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "readme.md").write_text(f"In the {folder}.", "utf-8")
    _, refused = load_paths([tmp_path / "first", tmp_path / "second"])
    assert str(refused).startswith("second/readme.md: doc_id 'readme' is already that of first/readme.md")


def test_a_doc_id_used_twice_in_one_file_is_an_error_too(tmp_path: Path) -> None:
    one = '{"doc_id": "d", "title": "t", "url": "", "text": "x"}'
    write(tmp_path, a_json=f"[{one}, {one}]")
    assert ids(list(load_paths([tmp_path]))) == ["d", "error a.json"]


def test_names_that_cannot_stand_in_an_id_get_a_hash(tmp_path: Path) -> None:
    write(tmp_path, Über_md="x", über_md="x")
    names = [one.doc_id for one in load_paths([tmp_path]) if isinstance(one, Document)]
    assert len(set(names)) == 2
    assert all(name.startswith("uber-") for name in names)
