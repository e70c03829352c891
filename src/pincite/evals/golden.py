"""Golden files: one question a line, with what is expected of its answer. ``golden.schema.json`` is the form of a line.

A file is read line by line and never held: 100,000 items take no more memory than one, beside a few bytes for each id.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from pincite.errors import ConfigError, did_you_mean
from pincite.evals.values import GoldenItem, ItemError
from pincite.ports.stores import Store
from pincite.text.fold import fold
from pincite.types import AccessLevel, ChunkId, DocId, Reader, Turn

STAGE = "golden"
MAX_LINE_BYTES = 8 << 20
"""A recorded answer with its sources is some 100 kB; a longer line than this is no item."""
MAX_ID_CHARS = 200
"""Ids stand in reports, file names of test results and annotations."""

_STRINGS = ("id", "question", "reference_answer", "language", "note", "reader")
_LISTS = ("expected_doc_ids", "expected_chunk_ids", "expected_uncovered", "must_not_include", "tags")
KNOWN_FIELDS = (*_STRINGS, *_LISTS, "must_abstain", "must_include", "history", "answer", "sources")

_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]")
_LEVELS = tuple(level.value for level in AccessLevel)
_CUT_WORD = re.compile(r"(?<=[^\W\d_])-[ \t]*\r?\n[ \t]*(?=[^\W\d_])")


class _Broken(Exception):
    """What is wrong with a line, and the next step."""


# --- reading ------------------------------------------------------------------------------------


def read_golden(path: Path | str) -> Iterator[GoldenItem | ItemError]:
    """The items of a golden file in order; a line that is none comes as ``ItemError("line 17", "golden", ...)``.

    Empty lines are passed over, so is a byte order mark. The rest of the file is read on after an error. An id that was
    there before is an error that names the line it was on first.

    Raises:
        ConfigError: There is no such file, or it cannot be read.
    """
    first_lines: dict[bytes, int] = {}
    for number, line in _lines(Path(path)):
        try:
            item = parse_item(line)
            key = hashlib.blake2b(item.id.encode(), digest_size=12).digest()
            if key in first_lines:
                raise _Broken(
                    f"the id {item.id!r} is that of line {first_lines[key]} already; give each item its own"
                )
        except _Broken as error:
            yield ItemError(f"line {number}", STAGE, str(error))
        else:
            first_lines[key] = number
            yield item


def golden_sha256(path: Path | str) -> str:
    """SHA-256 (hex) of the bytes of a golden file. ``ConfigError`` when it cannot be read."""
    sha = hashlib.sha256()
    try:
        with Path(path).open("rb") as file:
            while block := file.read(1 << 20):
                sha.update(block)
    except OSError as error:
        _unreadable(Path(path), error)
    return sha.hexdigest()


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines that are not empty, with their numbers; of a line that is too long, as much as shows that it is."""
    try:
        file = path.open("rb")
    except OSError as error:
        _unreadable(path, error)
    with file:
        number = 0
        while line := _read_line(file.readline, path):
            number += 1
            rest = line
            while len(rest) > MAX_LINE_BYTES and not rest.endswith(b"\n"):
                rest = _read_line(file.readline, path)
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            if line.strip():
                yield number, line


def _read_line(readline: Any, path: Path) -> bytes:
    try:
        line: bytes = readline(MAX_LINE_BYTES + 1)
    except OSError as error:
        _unreadable(path, error)
    return line


def _unreadable(path: Path, error: OSError) -> NoReturn:
    reason = error.strerror or str(error)
    raise ConfigError(
        f"the golden file cannot be read: {reason}",
        where=str(path),
        hint="give the path of a JSONL file; `pincite init` writes one",
    ) from error


# --- one line -----------------------------------------------------------------------------------


def parse_item(line: bytes | str) -> GoldenItem:
    """One line as a value. Raises ``_Broken``, which ``read_golden`` turns into a value that names the line."""
    fields = _object(line)
    if unknown := [name for name in fields if name not in KNOWN_FIELDS]:
        hint = did_you_mean(unknown[0], KNOWN_FIELDS, "remarks belong into note, labels into tags")
        raise _Broken(f"there is no field {_short(unknown[0])}; {hint}")
    texts = {name: _string(fields, name) for name in _STRINGS}
    lists = {name: _strings(fields, name) for name in _LISTS}
    if not texts["id"]:
        raise _Broken("the item has no id; give it one, such as g-001")
    if len(texts["id"]) > MAX_ID_CHARS or _UNPRINTABLE.search(texts["id"]):
        raise _Broken(f"the id must be one line of at most {MAX_ID_CHARS} characters")
    if not texts["question"].strip():
        raise _Broken(f"{texts['id']} asks nothing; write its question")
    if texts["reader"] not in ("", *_LEVELS):
        raise _Broken(f"reader is {_short(texts['reader'])}; choose from {', '.join(_LEVELS)}")
    if texts["language"] and not _LANGUAGE.fullmatch(texts["language"]):
        raise _Broken(f"language is {_short(texts['language'])}; give a code such as en or pt-BR")
    item = GoldenItem(
        id=texts["id"],
        question=texts["question"],
        reference_answer=texts["reference_answer"],
        language=texts["language"] or None,
        note=texts["note"],
        reader=texts["reader"] or AccessLevel.PUBLIC.value,
        must_abstain=_boolean(fields, "must_abstain"),
        must_include=_wordings(fields),
        history=_history(fields),
        answer=_answer(fields),
        sources=_sources(fields),
        **lists,
    )
    _check_sense(item)
    return item


def _check_sense(item: GoldenItem) -> None:
    """Expectations that no answer can meet."""
    if item.must_abstain and (item.expected_doc_ids or item.expected_chunk_ids or item.must_include):
        raise _Broken(
            f"{item.id} must be declined, and yet documents or words are expected; take out one of the two"
        )
    for words in item.must_not_include:
        for row in item.must_include:
            if all(_holds(_plain(right), _plain(words)) for right in row):
                raise _Broken(
                    f"{item.id} must include {_short(row[0])} and must not include {_short(words)}; take out one of the two"
                )


def _object(line: bytes | str) -> Mapping[str, Any]:
    if len(line) > MAX_LINE_BYTES:
        raise _Broken(f"the line is longer than {MAX_LINE_BYTES >> 20} MB; one item stands on one line")
    try:
        text = line if isinstance(line, str) else line.decode("utf-8")
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise _Broken(f"byte {error.start + 1} is not UTF-8; save the file as UTF-8") from error
    except json.JSONDecodeError as error:
        raise _Broken(
            f"column {error.colno}: {error.msg}; write one JSON object on the line, without line breaks inside"
        ) from error
    except RecursionError as error:
        raise _Broken("nested too deeply; write one flat JSON object on the line") from error
    except ValueError as error:  # such as an integer of 10,000 digits
        raise _Broken(f"{error}; write one JSON object on the line") from error
    if not isinstance(value, dict):
        raise _Broken(f"the line holds a {type(value).__name__}; write one JSON object on it")
    try:
        text.encode("utf-8")
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise _Broken("holds half of a character (a lone surrogate); write the whole one") from error
    return value


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _Broken(f"the field {_short(name)} is there twice; keep one of them")
        found[name] = value
    return found


def _no_constant(word: str) -> NoReturn:
    raise _Broken(f"{word} is no JSON; leave the field out")


def _string(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _Broken(f"{name} is {_kind(value)}; write a string")
    return value


def _strings(fields: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = fields.get(name)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
        raise _Broken(f"{name} must be a list of strings that are not empty")
    return tuple(value)


def _boolean(fields: Mapping[str, Any], name: str) -> bool:
    value = fields.get(name)
    if value is not None and not isinstance(value, bool):
        raise _Broken(f"{name} is {_kind(value)}; write true or false")
    return bool(value)


def _wordings(fields: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    value = fields.get("must_include")
    rows = [[one] if isinstance(one, str) else one for one in value] if isinstance(value, list) else value
    if rows is None:
        return ()
    if not isinstance(rows, list) or not all(
        isinstance(row, list) and row and all(isinstance(one, str) and one.strip() for one in row)
        for row in rows
    ):
        raise _Broken(
            "must_include must be a list; each entry is a string, or a list of strings of which the answer needs one"
        )
    return tuple(tuple(row) for row in rows)


def _history(fields: Mapping[str, Any]) -> tuple[Turn, ...]:
    value = fields.get("history")
    turns = []
    for one in value if isinstance(value, list) else () if value is None else (value,):
        turn = {"question": one} if isinstance(one, str) else one
        if not isinstance(turn, dict) or not set(turn) <= {"question", "answer"}:
            raise _Broken('history must be a list of questions, or of {"question": ..., "answer": ...}')
        if not _string(turn, "question").strip():
            raise _Broken("a turn of history has no question; write it, or leave the turn out")
        turns.append(Turn(question=turn["question"], answer=_string(turn, "answer")))
    return tuple(turns)


def _answer(fields: Mapping[str, Any]) -> str | Mapping[str, Any] | None:
    value = fields.get("answer")
    if value is not None and not isinstance(value, str | dict):
        raise _Broken(f"answer is {_kind(value)}; write the recorded answer as a string or an object")
    return value


def _sources(fields: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    value = fields.get("sources")
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise _Broken('sources must be a list of objects, such as {"id": "c-1", "text": "..."}')
    return tuple(value)


def _kind(value: object) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), "a string")


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:59] + "…")


# --- against the index --------------------------------------------------------------------------


def check_against(item: GoldenItem, store: Store, reader: Reader | None = None) -> tuple[ItemError, ...]:
    """What an item expects that is not in the index, or not for its reader: one error for each document or chunk.

    Args:
        item: As ``read_golden`` gives it.
        store: The index.
        reader: Who looks; the item's own reader when ``None``. What they may not see is as unknown as what is not there.
    """
    reader = reader or Reader(AccessLevel(item.reader))
    missing = tuple(one for one in item.expected_doc_ids if store.document(DocId(one), reader) is None)
    errors = []
    if missing:
        known = [str(one.info.doc_id) for one in store.documents(reader)]
        for doc_id in missing:
            hint = did_you_mean(doc_id, known, "add it, or correct expected_doc_ids")
            errors.append(_against(item, f"expects the document {_short(doc_id)}, which is not there", hint))
    for chunk_id in item.expected_chunk_ids:
        found = store.chunk(ChunkId(chunk_id), reader)
        if found is None:
            detail = f"expects the passage {_short(chunk_id)}, which is not there"
            errors.append(_against(item, detail, "`pincite docs show ID` lists those of a document"))
        elif item.expected_doc_ids and found[1].doc_id not in item.expected_doc_ids:
            detail = f"expects the passage {_short(chunk_id)} of {found[1].doc_id}, but not that document"
            errors.append(_against(item, detail, "name it in expected_doc_ids too"))
    return tuple(errors)


def _against(item: GoldenItem, detail: str, hint: str) -> ItemError:
    return ItemError(item.id, STAGE, f"{detail} for {item.reader} readers; {hint}")


# --- what an answer says ------------------------------------------------------------------------


def wording_faults(item: GoldenItem, answer: str) -> tuple[str, ...]:
    """What an answer lacks or should not have, one sentence each; empty when its wording is right.

    Letter case, kinds of digits, dashes and blanks, invisible characters, emphasis and words broken at a line end make
    no difference. A wording that begins or ends with a digit is not found inside a longer number, and one that begins
    with a Latin letter only at the beginning of a word.

    >>> item = GoldenItem("g-1", "?", must_include=(("30 days", "a month"),), must_not_include=("5 GB",))
    >>> wording_faults(item, "Within **30\\u00a0days**, up to 2.5 GB.")
    ()
    >>> wording_faults(item, "Within 130 days, up to 5 GB.")
    ('does not say "30 days" or "a month"', 'says "5 GB"')
    """
    text = _plain(answer)
    lacking = (row for row in item.must_include if not any(_holds(text, _plain(words)) for words in row))
    wrong = (words for words in item.must_not_include if _holds(text, _plain(words)))
    return (
        *("does not say " + " or ".join(f'"{words}"' for words in row) for row in lacking),
        *(f'says "{words}"' for words in wrong),
    )


def _plain(text: str) -> str:
    joined = _CUT_WORD.sub("", text) if "\n" in text else text
    return " ".join(fold(joined.replace("٫", ".")).low.split())


def _holds(text: str, words: str) -> bool:
    at = text.find(words)
    while at >= 0 and words:
        if not _cut_before(text, at) and not _cut_after(text, at + len(words)):
            return True
        at = text.find(words, at + 1)
    return False


def _cut_before(text: str, at: int) -> bool:
    """Whether a number or a Latin word that began before ``at`` goes on there."""
    before, first = text[max(0, at - 2) : at], text[at]
    if first.isdecimal():
        return bool(re.search(r"\d[.,:]?\Z", before))
    return _is_latin(first) and bool(before) and _is_latin(before[-1])


def _cut_after(text: str, end: int) -> bool:
    return text[end - 1].isdecimal() and bool(re.match(r"\d|[.,:]\d", text[end : end + 2]))


def _is_latin(char: str) -> bool:
    return char.isalpha() and char < "\u0250"
