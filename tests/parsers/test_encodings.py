"""Texts in older encodings: read when nothing speaks against it, refused when something does."""

from __future__ import annotations

import pytest

from pincite.errors import ParseError
from pincite.parsers.encodings import decoded_by_guess
from pincite.parsers.plain import parse, read_text

TEXTS = {
    "cp1252": "Die Prüfung der Anträge dauert länger als üblich, weil die Gebühr fehlt.",
    "cp1250": "Žádost musí být podána do třiceti dnů a poplatek se platí předem, který není vratný.",
    "cp1254": "Başvurunun incelenmesi uzun sürüyor, çünkü ücret ödenmemiş ve bu yüzden için değil.",
    "cp1251": "Срок хранения файлов составляет тридцать дней, затем они удаляются.",
    "koi8_r": "Срок хранения файлов составляет тридцать дней, затем они удаляются.",
    "cp932": "返品は三十日以内に限ります。送料はお客様のご負担となります。",
    "euc_jp": "返品は三十日以内に限ります。送料はお客様のご負担となります。",
    "gb18030": "文件在删除之后保存三十天，之后将不能再恢复。这是我们的规定。",
    "big5": "檔案在刪除之後保存三十天，之後將不能再恢復。這是我們的規定。",
    "cp949": "삭제한 파일은 삼십 일 동안 보관되며 그 뒤에는 복구할 수 없습니다.",
    "utf-16-le": "Deleted files are kept for 30 days.",
    "utf-16-be": "Deleted files are kept for 30 days.",
}


@pytest.mark.parametrize("name", TEXTS)
def test_an_older_encoding_is_found_and_said(name: str) -> None:
    found = decoded_by_guess(TEXTS[name].encode(name))
    assert found is not None
    assert found[0] == TEXTS[name]
    text, warnings = read_text(TEXTS[name].encode(name), "a.txt")
    assert text == TEXTS[name]
    assert warnings == (f"is not UTF-8 and was read as {found[1].label}",)


@pytest.mark.parametrize(
    "data",
    [
        b"\xe9t\xe9",
        b"caf\xe9",
        bytes(range(128, 256)),
        bytes(range(256)) * 4,
        "Die Prüfung der Anträge dauert länger".encode("cp850"),
        "Die Prüfung der Anträge dauert länger".encode("mac_roman"),
        "Die Prüfung der Anträge dauert länger".encode("cp1140"),
        b"Entry is free.\xff\xfe\x00 and more",
        b"\x93\x94\x81\x8d\x8f\x90\x9d" * 10,
    ],
)
def test_doubt_is_an_error(data: bytes) -> None:
    with pytest.raises(ParseError, match="save the file as UTF-8"):
        parse(data, "a.txt")


def test_what_is_utf_8_is_never_guessed() -> None:
    assert read_text("Größe 5 €".encode(), "a.txt") == ("Größe 5 €", ())
    assert read_text("Größe 5 €".encode("utf-8-sig"), "a.txt") == ("Größe 5 €", ())


def test_a_western_character_behind_a_long_text_is_read_too() -> None:
    text = "The entry to the museum is free for all. " * 10_000 + "It was 5 € before."
    assert (
        decoded_by_guess(text.encode("cp1252")) is None or decoded_by_guess(text.encode("cp1252"))[0] == text
    )  # type: ignore[index]
