"""What stands beside files: sidecars and folder rules, and which of them wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import ParseError
from pincite.parsers.about import matches
from pincite.parsers.files import load_paths
from pincite.types import Document, Skipped


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def rules(folder: Path, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".pincite.yaml").write_text(text, encoding="utf-8")


def load(folder: Path) -> dict[str, Document]:
    found = list(load_paths([folder]))
    assert not [one for one in found if isinstance(one, ParseError)]
    return {one.doc_id: one for one in found if isinstance(one, Document)}


def error(folder: Path) -> str:
    return next(str(one) for one in load_paths([folder]) if isinstance(one, ParseError))


# --- sidecars -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fees.md.yaml", "fees.md.yml", "fees.meta.yaml", "fees.meta.yml"])
def test_a_sidecar_says_what_the_file_cannot(tmp_path: Path, name: str) -> None:
    write(tmp_path, fees_md="Entry is free.")
    (tmp_path / name).write_text(
        "title: Fees\naccess: internal\nauthor: Ann Lee\ndate: 2031-03-31\nversion: 2.10\nlicense: CC0\n"
        "metadata:\n  team: Desk\n"
    )
    one = load(tmp_path)["fees"]
    assert (one.title, one.access_level, one.owner, one.published_date) == (
        "Fees", "internal", "Ann Lee", "2031-03-31",
    )  # fmt: skip
    assert (one.version, one.licence, one.metadata) == ("2.10", "CC0", (("team", "Desk"),))
    assert one.defaulted == ("doc_id", "url", "kind")


def test_a_sidecar_is_no_document_and_not_skipped(tmp_path: Path) -> None:
    write(tmp_path, fees_md="x", fees_md_yaml="owner: Desk", settings_yaml="a: b")
    found = list(load_paths([tmp_path]))
    assert [one.where for one in found if isinstance(one, Skipped)] == ["settings.yaml"]


def test_a_sidecar_wins_over_the_front_matter(tmp_path: Path) -> None:
    write(tmp_path, fees_md="---\nowner: Old\nversion: 1\n---\nx", fees_md_yaml="owner: New")
    assert (load(tmp_path)["fees"].owner, load(tmp_path)["fees"].version) == ("New", "1")


def test_a_sidecar_may_give_the_doc_id(tmp_path: Path) -> None:
    write(tmp_path, fees_md="x", fees_md_yaml="doc_id: fees-2031")
    assert list(load(tmp_path)) == ["fees-2031"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("acess: internal", "fees.md.yaml: unknown name 'acess'; did you mean access?"),
        ("access: secret", "fees.md.yaml: unknown access_level 'secret'; choose from public, internal, confidential"),
        ("date: soon", "fees.md.yaml: date 'soon' is no date; write it as 2026-03-31"),
        ("access: public\naccess: internal", "fees.md.yaml:2: 'access' is given twice"),
        ("a: &x [1]\nb: *x", "fees.md.yaml:1: anchors and references (& and *) are not read"),
        ("a: !!python/object/apply:os.system [ls]", "fees.md.yaml:1: tags (!) are not read"),
        ("- a list", "fees.md.yaml: must hold names and values"),
        ("a: [", "fees.md.yaml:1: no YAML: while parsing a flow node expected the node content, but found '<stream end>'"),
    ],
)  # fmt: skip
def test_a_sidecar_that_cannot_be_right_fails_the_file(tmp_path: Path, text: str, said: str) -> None:
    write(tmp_path, fees_md="x", fees_md_yaml=text)
    assert error(tmp_path) == said


def test_two_sidecars_or_a_link_are_refused(tmp_path: Path) -> None:
    write(tmp_path, fees_md="x", fees_md_yaml="owner: a", fees_meta_yaml="owner: b")
    assert error(tmp_path) == "fees.md.yaml: two sidecars: also fees.meta.yaml; remove one"
    (tmp_path / "fees.md.yaml").unlink()
    (tmp_path / "fees.meta.yaml").unlink()
    write(tmp_path, other_txt="owner: a")
    (tmp_path / "fees.md.yaml").symlink_to(tmp_path / "other.txt")
    assert "which is not followed" in error(tmp_path)


def test_yaml_that_grows_or_nests_without_end_is_refused(tmp_path: Path) -> None:
    write(tmp_path, fees_md="x", fees_md_yaml="a: " + "[" * 10_000)
    assert "fees.md.yaml" in error(tmp_path)
    write(tmp_path, fees_md_yaml="owner: " + "x" * 70_000)
    assert "at most 64000 are read" in error(tmp_path)


# --- folder rules -------------------------------------------------------------------------------


def test_rules_hold_for_all_files_below_and_say_nothing_against_the_file(tmp_path: Path) -> None:
    write(tmp_path, a_md="x", hr__b_md="x", hr__c_md="---\naccess: public\n---\nx")
    rules(tmp_path, "access: internal\nowner: Desk\n")
    found = load(tmp_path)
    assert {name: one.access_level for name, one in found.items()} == {
        "a": "internal", "hr--b": "internal", "hr--c": "public",
    }  # fmt: skip
    assert found["hr--c"].owner == "Desk"


def test_rules_may_have_the_short_suffix_but_not_both(tmp_path: Path) -> None:
    write(tmp_path, a_md="x")
    (tmp_path / ".pincite.yml").write_text("access: confidential", encoding="utf-8")
    assert load(tmp_path)["a"].access_level == "confidential"
    rules(tmp_path, "access: public")
    assert ".pincite.yaml: also .pincite.yml" in error(tmp_path)


def test_the_nearest_folder_wins_field_by_field(tmp_path: Path) -> None:
    write(tmp_path, hr__b_md="x")
    rules(tmp_path, "access: internal\nowner: Desk\n")
    rules(tmp_path / "hr", "access: confidential\n")
    one = load(tmp_path)["hr--b"]
    assert (one.access_level, one.owner) == ("confidential", "Desk")


def test_patterns_choose_files_and_the_last_that_fits_wins(tmp_path: Path) -> None:
    write(tmp_path, contracts__a_md="x", contracts__old__b_md="x", c_md="x")
    rules(
        tmp_path,
        "access: public\nrules:\n  - files: contracts/**\n    access: internal\n    date: 2031-01-01\n"
        "  - files: [contracts/old/*, '*.pdf']\n    status: superseded\n    access: confidential\n",
    )
    found = load(tmp_path)
    assert [(one.access_level, one.published_date, one.status) for one in found.values()] == [
        ("public", None, "current"),
        ("internal", "2031-01-01", "current"),
        ("confidential", "2031-01-01", "superseded"),
    ]


def test_rules_of_folders_above_the_one_that_is_added_hold_too(tmp_path: Path) -> None:
    write(tmp_path, hr__b_md="x")
    rules(tmp_path, "rules:\n  - files: hr/**\n    access: confidential\n")
    assert load(tmp_path / "hr")["b"].access_level == "confidential"
    assert load(tmp_path / "hr" / "b.md")["b"].access_level == "confidential"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("acces: internal", "unknown name 'acces'; did you mean access?"),
        ("title: one for all", "unknown name 'title'"),
        ("rules: hr", "rules must be a list"),
        ("rules:\n  - access: internal", "rules[0]: files must be a pattern"),
        ("rules:\n  - files: '*'\n    access: all", "rules[0]: unknown access_level 'all'"),
        ("rules:\n  - files: '" + "*a" * 50 + "'", "is too long"),
        ("access: [", "no YAML"),
    ],
)
def test_rules_that_cannot_be_right_let_no_file_in(tmp_path: Path, text: str, said: str) -> None:
    write(tmp_path, a_md="x", b_md="x")
    rules(tmp_path, text)
    found = list(load_paths([tmp_path]))
    assert [type(one) for one in found] == [ParseError, ParseError]
    assert said in str(found[0])


@pytest.mark.parametrize(
    ("glob", "fits"),
    [("*.pdf", True), ("hr/*.pdf", False), ("/hr/**", True), ("hr/**/plan.pdf", True), ("**/2031/*", True),
     ("pla?.pdf", True), ("hr", False), ("HR/**", False), ("hr/2031/plan.pdf", True), ("[h]r/**", False)],
)  # fmt: skip
def test_patterns_are_matched_against_the_path_below_their_folder(glob: str, fits: bool) -> None:
    assert matches("hr/2031/plan.pdf", glob) is fits
