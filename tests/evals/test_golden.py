"""Golden files are read line by line; what cannot be an item says where, what, and what to do."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Iterator
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from pincite.errors import ConfigError
from pincite.evals.golden import (
    KNOWN_FIELDS,
    MAX_LINE_BYTES,
    check_against,
    golden_sha256,
    read_golden,
    wording_faults,
)
from pincite.evals.values import GoldenItem, ItemError
from pincite.pipeline import Pipeline
from pincite.ports.stores import Store
from pincite.samples import samples_dir
from pincite.types import Turn

Write = Callable[..., Path]
GOOD = {"id": "g-1", "question": "How long is the trial?"}


@pytest.fixture
def golden(tmp_path: Path) -> Write:
    def write(*lines: object) -> Path:
        path = tmp_path / "golden.jsonl"
        raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
        path.write_bytes(b"\n".join(raw) + b"\n")
        return path

    return write


def only(path: Path) -> GoldenItem:
    (item,) = read_golden(path)
    assert isinstance(item, GoldenItem), item
    return item


def error(path: Path) -> str:
    (found,) = (one for one in read_golden(path) if isinstance(one, ItemError))
    assert found.stage == "golden"
    return f"{found.id}: {found.detail}"


# --- what is read -----------------------------------------------------------------------------------


def test_an_id_and_a_question_are_enough(golden: Write) -> None:
    assert only(golden(GOOD)) == GoldenItem("g-1", "How long is the trial?")


def test_every_field_arrives(golden: Write) -> None:
    line: dict[str, Any] = {
        "id": "g-1", "question": "And yearly?", "expected_doc_ids": ["doc-a"], "expected_chunk_ids": ["doc-a-chunk-1"],
        "reference_answer": "EUR 5.", "must_include": ["EUR 5", ["a year", "annually"]], "must_not_include": ["EUR 6"],
        "must_abstain": False, "expected_uncovered": ["yearly"], "language": "pt-BR", "tags": ["number"], "note": "Why.",
        "reader": "internal", "history": ["Monthly?", {"question": "And daily?", "answer": "Never."}],
        "answer": {"answer": "EUR 5 [1]."}, "sources": [{"id": "c-1", "text": "It costs EUR 5."}],
    }  # fmt: skip
    assert set(line) == set(KNOWN_FIELDS)
    assert only(golden(line)) == GoldenItem(
        id="g-1",
        question="And yearly?",
        expected_doc_ids=("doc-a",),
        expected_chunk_ids=("doc-a-chunk-1",),
        reference_answer="EUR 5.",
        must_include=(("EUR 5",), ("a year", "annually")),
        must_not_include=("EUR 6",),
        expected_uncovered=("yearly",),
        language="pt-BR",
        tags=("number",),
        note="Why.",
        reader="internal",
        history=(Turn("Monthly?", ""), Turn("And daily?", "Never.")),
        answer={"answer": "EUR 5 [1]."},
        sources=({"id": "c-1", "text": "It costs EUR 5."},),
    )


def test_null_is_as_good_as_a_field_that_is_not_there(golden: Write) -> None:
    nothing = {name: None for name in KNOWN_FIELDS if name not in GOOD}
    assert only(golden({**GOOD, **nothing})) == only(golden(GOOD))


def test_empty_lines_and_a_byte_order_mark_are_no_items(golden: Write) -> None:
    path = golden(b"\xef\xbb\xbf" + json.dumps(GOOD).encode(), b"", b"  ", b"\r")
    assert only(path).id == "g-1"


def test_an_empty_file_holds_nothing(golden: Write) -> None:
    assert list(read_golden(golden())) == []


def test_the_shipped_set_has_no_errors() -> None:
    assert not any(isinstance(one, ItemError) for one in read_golden(samples_dir() / "golden.jsonl"))


# --- broken lines -----------------------------------------------------------------------------------


def test_a_broken_line_is_told_with_its_number_and_the_rest_is_read(golden: Write) -> None:
    found = list(read_golden(golden(GOOD, b"", b'{"id": "g-2", ', {**GOOD, "id": "g-3"})))
    assert [one.id for one in found] == ["g-1", "line 3", "g-3"]
    assert isinstance(found[1], ItemError)
    assert "write one JSON object on the line" in found[1].detail


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ([], "the line holds a list; write one JSON object on it"),
        ({"question": "?"}, "the item has no id; give it one, such as g-001"),
        ({"id": "g-1"}, "g-1 asks nothing; write its question"),
        ({**GOOD, "id": "a\nb"}, "the id must be one line of at most 200 characters"),
        ({**GOOD, "id": "x" * 201}, "the id must be one line of at most 200 characters"),
        ({**GOOD, "id": 7}, "id is a number; write a string"),
        ({**GOOD, "must_inclde": ["x"]}, "there is no field 'must_inclde'; did you mean must_include?"),
        ({**GOOD, "zzz": 1}, "there is no field 'zzz'; remarks belong into note, labels into tags"),
        ({**GOOD, "reader": "boss"}, "reader is 'boss'; choose from public, internal, confidential"),
        ({**GOOD, "language": "English!"}, "language is 'English!'; give a code such as en or pt-BR"),
        ({**GOOD, "must_abstain": "no"}, "must_abstain is a string; write true or false"),
        ({**GOOD, "tags": "number"}, "tags must be a list of strings that are not empty"),
        ({**GOOD, "must_not_include": [" "]}, "must_not_include must be a list of strings that are not empty"),
        (
            {**GOOD, "must_include": [[]]},
            "must_include must be a list; each entry is a string, or a list of strings of which the answer needs one",
        ),
        (
            {**GOOD, "history": [{"q": "?"}]},
            'history must be a list of questions, or of {"question": ..., "answer": ...}',
        ),
        ({**GOOD, "answer": 3}, "answer is a number; write the recorded answer as a string or an object"),
        (
            {**GOOD, "sources": ["x"]},
            'sources must be a list of objects, such as {"id": "c-1", "text": "..."}',
        ),
        (
            {**GOOD, "must_abstain": True, "expected_doc_ids": ["doc-a"]},
            "g-1 must be declined, and yet documents or words are expected; take out one of the two",
        ),
        (
            {**GOOD, "must_include": ["up to 25 MB"], "must_not_include": ["25 MB"]},
            "g-1 must include 'up to 25 MB' and must not include '25 MB'; take out one of the two",
        ),
        (b'{"id": "a", "id": "b", "question": "?"}', "the field 'id' is there twice; keep one of them"),
        (b'{"id": "a", "question": NaN}', "NaN is no JSON; leave the field out"),
        (b'{"id": "a", "question": "\xff"}', "byte 26 is not UTF-8; save the file as UTF-8"),
        (b'{"id": "a", "question": "\\ud83d"}', "holds half of a character (a lone surrogate); write the whole one"),
        (b'{"id": "a", "note": ' + b"[" * 100_000, "nested too deeply; write one flat JSON object on the line"),
    ],
)  # fmt: skip
def test_a_line_that_is_no_item_says_what_is_wrong_and_the_next_step(
    golden: Write, line: object, said: str
) -> None:
    assert error(golden(line)) == f"line 1: {said}"


def test_an_id_that_was_there_before_names_its_first_line(golden: Write) -> None:
    found = list(read_golden(golden(GOOD, {**GOOD, "id": "g-2"}, GOOD)))
    assert found[2] == ItemError(
        "line 3", "golden", "the id 'g-1' is that of line 1 already; give each item its own"
    )


def test_a_line_without_end_is_passed_over_and_the_next_one_read(golden: Write) -> None:
    long = b'{"id": "' + b"x" * (2 * MAX_LINE_BYTES) + b'", "question": "?"}'
    first, second = read_golden(golden(long, GOOD))
    assert first == ItemError("line 1", "golden", "the line is longer than 8 MB; one item stands on one line")
    assert second.id == "g-1"


def test_a_file_that_is_not_there_is_an_error_of_settings(tmp_path: Path) -> None:
    for read in (lambda path: list(read_golden(path)), golden_sha256):
        with pytest.raises(
            ConfigError, match="cannot be read: No such file or directory; give the path of a JSONL"
        ):
            read(tmp_path / "none.jsonl")


def test_items_come_one_by_one_and_the_file_is_never_held(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    with path.open("w") as file:
        for number in range(3_000):
            file.write(json.dumps({"id": f"g-{number}", "question": "?", "note": "x" * 2_000}) + "\n")
    tracemalloc.start()
    count = sum(1 for _ in read_golden(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 3_000
    assert peak < path.stat().st_size / 2


def test_the_fingerprint_of_a_file_is_the_sha_256_of_its_bytes(golden: Write) -> None:
    path = golden(GOOD)
    assert golden_sha256(path) == sha256(path.read_bytes()).hexdigest()


# --- the schema -------------------------------------------------------------------------------------

SCHEMA = json.loads(files("pincite.evals").joinpath("golden.schema.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def validator() -> Any:
    jsonschema = pytest.importorskip("jsonschema", reason="the extra dev brings jsonschema")
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator(SCHEMA)


def test_the_schema_knows_the_same_fields_and_explains_each() -> None:
    assert set(SCHEMA["properties"]) == set(KNOWN_FIELDS)
    assert all(field.get("description") for field in SCHEMA["properties"].values())


def test_every_shipped_item_fits_the_schema(validator: Any) -> None:
    for line in (samples_dir() / "golden.jsonl").read_text("utf-8").splitlines():
        validator.validate(json.loads(line))


@pytest.mark.parametrize(
    "line",
    [
        {"question": "?"},
        {"id": "g-1"},
        {**GOOD, "must_inclde": []},
        {**GOOD, "reader": "boss"},
        {**GOOD, "tags": "x"},
        {**GOOD, "tags": [""]},
        {**GOOD, "must_include": [[]]},
        {**GOOD, "must_abstain": 1},
        {**GOOD, "history": [{"q": "?"}]},
        {**GOOD, "language": "English!"},
        {**GOOD, "sources": ["x"]},
        {**GOOD, "answer": 3},
    ],
)
def test_reader_and_schema_refuse_the_same_lines(golden: Write, validator: Any, line: dict[str, Any]) -> None:
    assert not validator.is_valid(line)
    assert error(golden(line))


# --- against an index -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    with Pipeline(store="memory", embedder="none") as pipeline:
        pipeline.add(samples_dir() / "en" / "shipping.md", samples_dir() / "en" / "refund-exceptions.md")
        yield pipeline.parts.store


def test_what_is_in_the_index_is_no_error(store: Store) -> None:
    item = GoldenItem("g-1", "?", ("doc-shipping",), expected_chunk_ids=("doc-shipping-chunk-1",))
    assert check_against(item, store) == ()


def test_an_unknown_document_and_an_unknown_passage_are_errors_with_the_next_step(store: Store) -> None:
    item = GoldenItem("g-1", "?", ("doc-shiping", "doc-x"), expected_chunk_ids=("doc-shipping-chunk-99",))
    assert [(found.id, found.detail) for found in check_against(item, store)] == [
        ("g-1", "expects the document 'doc-shiping', which is not there for public readers; did you mean doc-shipping?"),
        ("g-1", "expects the document 'doc-x', which is not there for public readers; add it, or correct expected_doc_ids"),
        (
            "g-1",
            "expects the passage 'doc-shipping-chunk-99', which is not there for public readers; `pincite docs show ID` lists those of a document",
        ),
    ]  # fmt: skip


def test_what_the_items_reader_may_not_see_is_as_unknown_as_what_is_not_there(store: Store) -> None:
    hidden = GoldenItem("g-1", "?", ("doc-refund-exceptions",))
    (found,) = check_against(hidden, store)
    assert "which is not there" in found.detail
    assert "did you mean" not in found.detail
    assert check_against(GoldenItem("g-1", "?", ("doc-refund-exceptions",), reader="internal"), store) == ()


def test_a_passage_of_a_document_that_is_not_expected_is_an_error(store: Store) -> None:
    item = GoldenItem(
        "g-1",
        "?",
        ("doc-shipping",),
        expected_chunk_ids=("doc-refund-exceptions-chunk-1",),
        reader="internal",
    )
    (found,) = check_against(item, store)
    assert "of doc-refund-exceptions, but not that document" in found.detail


# --- wording ----------------------------------------------------------------------------------------


def says(answer: str, *rows: tuple[str, ...], no: tuple[str, ...] = ()) -> bool:
    return wording_faults(GoldenItem("g", "?", must_include=rows, must_not_include=no), answer) == ()


def test_one_wording_of_each_row_is_enough() -> None:
    assert says("Order before 1.30 pm.", ("13:30", "1.30 pm"))
    assert not says("Order before 1.30 pm.", ("13:30", "1.30 pm"), ("express",))


def test_case_blanks_dashes_digits_emphasis_and_broken_words_make_no_difference() -> None:
    assert says("Open **9:00-17:30**.", ("9:00–17:30",))
    assert says("خلال 30 يومًا", ("٣٠ يوما",))
    assert says("١٩٫٠٠", ("19.00",))
    assert says("It cannot be re-\nturned within 14\u00a0days.", ("Cannot be returned within 14 days",))
    assert says("１４日間です", ("14日間",))


def test_a_number_is_not_found_inside_a_longer_one() -> None:
    assert not says("Up to 250 MB.", ("50 MB",))
    assert not says("Up to 2.5 GB.", ("5 GB",))
    assert not says("It costs 12.505.", ("12.50",))
    assert not says("At 13:30.", ("13",))
    assert says("It costs 12.50.", ("12.50",))
    assert says("Up to 250 MB, later 50 MB.", ("50 MB",))


def test_a_latin_word_is_found_at_its_beginning_only() -> None:
    assert not says("They are stapled.", ("led",))
    assert says("Versandkostenfrei", ("versandkosten",))
    assert says("は高温です", ("高温",))


def test_what_must_not_be_said_is_told() -> None:
    assert says("30 days", no=("90 days",))
    assert not says("once 90 days", no=("90 days",))


def test_a_flood_of_marks_and_blanks_takes_no_time_worth_naming() -> None:
    assert not says("e" + "\u0301" * 200_000 + "- \n" * 50_000, ("9",), no=("e-",))
