"""Files that somebody made to do harm, or that are not what they say: an error for the file, and the others go on."""

from __future__ import annotations

import contextlib
import io
import os
import struct
import zipfile
import zlib
from pathlib import Path

import pytest
from tests.small_office import NAMES, needs_office, p, r, rows, small_docx, small_xlsx, tbl, zipped

from pincite import Pipeline
from pincite.errors import ParseError
from pincite.parsers import parse
from pincite.parsers.files import load_paths
from pincite.types import Document, Skipped

WORD = "<w:document " + NAMES + "><w:body>{}</w:body></w:document>"


def error(data: bytes, source: str) -> str:
    with pytest.raises(ParseError) as caught:
        parse(data, source)
    assert caught.value.where == source
    return caught.value.message


def word_file(document: str | bytes, **more: str) -> bytes:
    """A Word file with this text part."""
    good = zipfile.ZipFile(io.BytesIO(small_docx("x")))
    parts: dict[str, str | bytes] = {name: good.read(name) for name in good.namelist()}
    return zipped({**parts, "word/document.xml": document, **more})


# --- archives -----------------------------------------------------------------------------------


def test_an_archive_that_unpacks_to_too_much_is_not_unpacked() -> None:
    assert "times its size" in error(word_file(b"<w:document>" + b" " * 60_000_000), "a.docx")


def test_a_part_that_holds_more_than_it_says_ends_where_it_said() -> None:
    assert error(_lying_about(b"x" * 5_000_000, said=100), "a.docx") == (
        "[Content_Types].xml cannot be unpacked: the file is broken"
    )


def _lying_about(content: bytes, *, said: int) -> bytes:
    """An archive of one part whose header gives another size."""
    name = b"[Content_Types].xml"
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packed.compress(content) + packed.flush()
    sizes = struct.pack("<3I2H", zlib.crc32(content), len(body), said, len(name), 0)
    local = struct.pack("<4s5H", b"PK\x03\x04", 20, 0, 8, 0, 0) + sizes + name + body
    entry = (
        struct.pack("<4s6H", b"PK\x01\x02", 20, 20, 0, 8, 0, 0)
        + sizes
        + struct.pack("<3H2I", 0, 0, 0, 0, 0)
        + name
    )
    return local + entry + struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 1, 1, len(entry), len(local), 0)


def test_an_archive_of_very_many_files_is_not_opened() -> None:
    assert "holds more than 10000 files" in error(zipped({f"{i}": "" for i in range(10_200)}), "a.docx")


@pytest.mark.parametrize("name", ["../evil.xml", "/etc/evil", "C:\\evil", "a/../../evil", "..\\evil"])
def test_an_archive_with_a_name_that_leads_out_is_refused(name: str) -> None:
    assert "leads out of its folder" in error(word_file(WORD.format(p("x")), **{name: "x"}), "a.docx")


def test_an_archive_in_an_archive_is_not_opened() -> None:
    inner = zipped({"0": b"0" * 10_000_000})
    assert error(zipped({"1.zip": inner}), "a.docx") == "a ZIP archive, which is not read"
    (document,) = parse(
        word_file(WORD.format(p("Entry is free.")), **{"word/embeddings/1.zip": "PK"}), "a.docx"
    )
    assert document.text == "Entry is free."


def test_a_locked_part_is_encrypted() -> None:
    data = bytearray(small_docx("x"))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = -1
        while (at := data.find(mark, at + 1)) >= 0:
            data[at + place] |= 1
    assert error(bytes(data), "a.docx") == "encrypted"


@pytest.mark.parametrize("cut", range(0, 1500, 97))
def test_an_archive_that_is_cut_or_changed_anywhere_is_an_error_or_a_document(cut: int) -> None:
    whole = small_docx("Entry is free.", tbl(["a", "b"], ["c", "d"]))
    changed = whole[:cut] + bytes([whole[cut % len(whole)] ^ 0xFF]) + whole[cut + 1 :]
    for data in (whole[:cut], changed):
        # Anything but a ParseError fails the test.
        with contextlib.suppress(ParseError):
            assert parse(data, "a.docx")[0].text


@pytest.mark.parametrize(
    ("types", "said"),
    [
        (
            "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
            "a presentation",
        ),
        ("application/vnd.ms-excel.sheet.binary.macroEnabled.main", "a binary Excel file"),
    ],
)
def test_other_office_files_are_refused_for_what_they_are(types: str, said: str) -> None:
    data = zipped({"[Content_Types].xml": f'<Types><Override ContentType="{types}"/></Types>'})
    assert said in error(data, "a.docx")
    assert "an OpenDocument text" in error(
        zipped({"mimetype": "application/vnd.oasis.opendocument.text"}), "a.odt"
    )


# --- XML ----------------------------------------------------------------------------------------

LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10 if i else "ha"}">' for i in range(10))


@pytest.mark.parametrize(
    "head",
    [f"<!DOCTYPE d [{LAUGHS}]>", "<!DOCTYPE d [<!ENTITY l9 SYSTEM 'file:///etc/passwd'>]>",
     "<!DOCTYPE d SYSTEM 'http://evil.example/d.dtd'>", "<!doctype d>"],
)  # fmt: skip
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_part_that_declares_entities_is_refused(head: str, encoding: str) -> None:
    document = f"<?xml version='1.0' encoding='{encoding}'?>{head}" + WORD.format(
        p(r("") + "<w:r><w:t>&l9;</w:t></w:r>")
    )
    assert "declares a document type or entities" in error(word_file(document.encode(encoding)), "a.docx")


def test_entities_in_any_part_are_refused() -> None:
    bad = f"<?xml version='1.0'?><!DOCTYPE d [{LAUGHS}]><w:styles>&l9;</w:styles>"
    assert "word/styles.xml declares" in error(
        word_file(WORD.format(p("x")), **{"word/styles.xml": bad}), "a.docx"
    )
    good = zipfile.ZipFile(io.BytesIO(small_xlsx(("P", rows(["x"])))))
    parts: dict[str, str | bytes] = {name: good.read(name) for name in good.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    assert f"{sheet} declares" in error(
        zipped({**parts, sheet: f"<!DOCTYPE d [{LAUGHS}]><worksheet/>"}), "a.xlsx"
    )


@pytest.mark.parametrize("tag", ["w:ins", "w:sdt", "w:tbl", "w:txbxContent", "unknown"])
def test_xml_that_is_nested_without_end_is_refused(tag: str) -> None:
    document = WORD.format(f"<{tag}>" * 50_000 + f"</{tag}>" * 50_000)
    assert "nested more than 200 deep" in error(word_file(document), "a.docx")


def test_a_flood_of_fields_tables_and_notes_takes_linear_time() -> None:
    begins = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>' * 20_000 + r("x") * 20_000
    cells = tbl(*[["x"] * 50] * 400, first_row=False)
    (document,) = parse(small_docx("Entry is free.", f"<w:p>{begins}</w:p>", cells), "a.docx")
    assert document.text.startswith("Entry is free.")


# --- texts --------------------------------------------------------------------------------------


def test_html_that_is_nested_without_end_is_refused() -> None:
    assert "nested 100000 deep" in error(b"<div>" * 100_000 + b"x", "a.html")


@pytest.mark.parametrize(
    "name", ["a.txt", "a.md", "a.csv", "a.html", "a.json", "a.jsonl", "a.docx", "a.xlsx", "a.pdf"]
)
def test_a_file_of_nothing_but_zeros_is_refused(name: str) -> None:
    with pytest.raises(ParseError):
        parse(b"\0" * 100_000, name)


def test_a_text_of_too_many_lines_is_refused_before_its_structure_is_read() -> None:
    assert "has 1,300,000 lines" in error(b"- a\n" * 1_300_000, "a.md")
    assert "has 1,300,001 lines" in error(b"a,b\n" + b"c,1\n" * 1_300_000, "a.csv")


def test_a_csv_of_one_endless_cell_is_an_error() -> None:
    assert "not closed" in error(b'a,b\n"' + b"x\n" * 200_000, "a.csv")


def test_a_row_of_very_many_cells_is_read() -> None:
    (document,) = parse(b",".join([b"x"] * 100_000) + b"\n1,2\n", "a.csv")
    assert document.text.count("|") > 100_000


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (small_docx("Entry is free."), "a.pdf", "docx"),
        (small_docx("Entry is free."), "a.xlsx", "docx"),
        pytest.param(small_xlsx(("P", rows(["Entry is free."]))), "a.docx", "xlsx", marks=needs_office),
        (b"<!DOCTYPE html><p>Entry is free.", "a.txt", "html"),
    ],
)
def test_a_file_under_a_wrong_name_is_read_for_what_it_is(data: bytes, name: str, kind: str) -> None:
    (document,) = parse(data, name)
    assert (document.format, document.text) == (kind, "Entry is free.")


@pytest.mark.parametrize("name", ["a.docx", "a.xlsx", "a.pdf"])
def test_a_text_under_the_name_of_a_binary_kind_is_refused(name: str) -> None:
    with pytest.raises(ParseError):
        parse(b"Entry is free.", name)


# --- folders ------------------------------------------------------------------------------------


def test_a_folder_of_all_of_this_adds_what_can_be_read(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "bomb.docx").write_bytes(word_file(b"<w:document>" + b" " * 60_000_000))
    (docs / "deep.html").write_bytes(b"<div>" * 100_000)
    (docs / "laughs.docx").write_bytes(word_file(f"<!DOCTYPE d [{LAUGHS}]>" + WORD.format("")))
    (docs / "zeros.txt").write_bytes(b"\0" * 1000)
    (docs / "good.md").write_text("Entry is free.", "utf-8")
    (docs / "same.md").write_text("Entry is free.", "utf-8")
    (docs / "slides.pptx").write_bytes(b"PK")
    report = Pipeline(store="memory", embedder="none").add(docs)
    assert report.added == ("good", "same")
    assert sorted(one.where for one in report.failed) == [
        "bomb.docx",
        "deep.html",
        "laughs.docx",
        "zeros.txt",
    ]
    assert [one.where for one in report.skipped] == ["slides.pptx"]


def test_the_same_content_under_two_names_is_two_documents(tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("Entry is free.", "utf-8")
    found = [one for one in load_paths([tmp_path]) if isinstance(one, Document)]
    assert [one.doc_id for one in found] == ["a", "b"]


def test_a_file_that_changes_while_it_is_read_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.md"
    path.write_text("Entry is free.", "utf-8")
    fstat = os.fstat
    looks = 0

    def written_meanwhile(handle: int) -> os.stat_result:
        nonlocal looks
        looks += 1
        if looks == 2:
            os.utime(path, (1, 1))
        return fstat(handle)

    monkeypatch.setattr("pincite.parsers.files.os.fstat", written_meanwhile)
    (found,) = load_paths([path])
    assert str(found) == "a.md: changed while it was read; add it again"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert list(load_paths([tmp_path])) == [Skipped("pipe.md", "no file")]


def test_what_was_stored_stays_when_its_file_goes_bad(tmp_path: Path) -> None:
    path = tmp_path / "fees.docx"
    path.write_bytes(small_docx("Entry is free on Mondays."))
    with Pipeline(store=tmp_path / "p.db", embedder="none") as rag:
        assert rag.add(path).added == ("fees-docx",)
        for bad in (word_file(b"<w:document>" + b" " * 60_000_000), b"\0" * 100, b"PK\x03\x04"):
            path.write_bytes(bad)
            assert len(rag.add(path).failed) == 1
        (hit,) = rag.retrieve("When is entry free?")
    assert hit.chunk.text == "Entry is free on Mondays."
