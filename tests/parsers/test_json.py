"""Documents as JSON: every fault is named with its file and field."""

from __future__ import annotations

import contextlib
import json

import pytest

from pincite.errors import ParseError
from pincite.parsers.json import parse
from pincite.types import Document, Page, Span

FULL = {
    "doc_id": "fees",
    "title": "Fees",
    "url": "https://example.org/f",
    "text": "Adults 5 EUR.\nDogs are free.",
}


def read(value: object) -> Document:
    (document,) = parse(json.dumps(value).encode(), "a.json")
    return document


def error(value: object) -> str:
    with pytest.raises(ParseError) as caught:
        parse(value if isinstance(value, bytes) else json.dumps(value).encode(), "a.json")
    return str(caught.value)


def test_fields_may_stand_flat_or_under_metadata() -> None:
    extra = {
        "owner": "Ann",
        "published_date": "2026-03-31",
        "access_level": "internal",
        "source_type": "policy",
    }
    flat = read({**FULL, **extra})
    nested = read({**FULL, "metadata": extra})
    assert flat == nested
    assert (flat.owner, flat.published_date, flat.access_level, flat.kind) == (
        "Ann",
        "2026-03-31",
        "internal",
        "policy",
    )


def test_a_flat_field_counts_more_than_one_under_metadata() -> None:
    assert read({**FULL, "owner": "Ann", "metadata": {"owner": "Bob"}}).owner == "Ann"


def test_fields_that_are_not_given_are_recorded() -> None:
    assert read(FULL).defaulted == ("kind", "owner", "published_date", "version", "access_level")


def test_a_missing_date_is_none_not_today() -> None:
    assert read(FULL).published_date is None
    assert read({**FULL, "published_date": None}).published_date is None


def test_a_time_of_day_is_dropped_from_a_date() -> None:
    assert read({**FULL, "published_date": "2026-03-31T10:00:00Z"}).published_date == "2026-03-31"


def test_other_fields_become_metadata() -> None:
    assert read({**FULL, "team": "Pay", "tags": ["a", "b"]}).metadata == (
        ("tags", '["a", "b"]'),
        ("team", "Pay"),
    )


def test_a_list_gives_several_documents() -> None:
    documents = parse(json.dumps([FULL, {**FULL, "doc_id": "other"}]).encode(), "a.json")
    assert [document.doc_id for document in documents] == ["fees", "other"]


def test_a_byte_order_mark_changes_nothing() -> None:
    data = json.dumps(FULL).encode()
    assert parse(b"\xef\xbb\xbf" + data, "a.json") == parse(data, "a.json")


def test_lone_surrogates_and_nuls_are_replaced_one_for_one() -> None:
    assert read({**FULL, "text": "a\ud800b\0c"}).text == "a\ufffdb\ufffdc"


@pytest.mark.parametrize("field", ["doc_id", "title", "url", "text"])
def test_a_missing_required_field_is_named(field: str) -> None:
    assert error({name: value for name, value in FULL.items() if name != field}).startswith(
        f"a.json: missing {field};"
    )


@pytest.mark.parametrize("field", ["doc_id", "title", "text"])
def test_an_empty_required_field_is_named(field: str) -> None:
    assert error({**FULL, field: "  "}) == f"a.json: {field} is empty"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("doc_id", 5),
        ("title", ["x"]),
        ("text", 1),
        ("owner", {"a": 1}),
        ("version", True),
        ("published_date", 2026),
    ],
)
def test_a_wrong_type_is_named(field: str, value: object) -> None:
    assert error({**FULL, field: value}).startswith(f"a.json: {field} must be a string, got ")


def test_a_version_may_be_a_whole_number_but_no_fraction() -> None:
    assert read({**FULL, "version": 2}).version == "2"
    assert "write it in quotes" in error({**FULL, "version": 2.10})


def test_an_unknown_access_level_is_refused() -> None:
    assert error({**FULL, "access_level": "secret"}) == (
        "a.json: unknown access_level 'secret'; choose from public, internal, confidential"
    )


def test_a_date_that_is_none_is_refused() -> None:
    assert error({**FULL, "published_date": "31.3.2026"}).startswith(
        "a.json: published_date '31.3.2026' is no date"
    )


def test_a_fault_in_a_list_names_its_place() -> None:
    assert error([FULL, {**FULL, "access_level": "x"}]).startswith("a.json[1]: unknown access_level")


@pytest.mark.parametrize(
    "data", [b"{", b"[1,]", b"", b'{"a": 1} x', b"[" * 100_000, b"[" + b"9" * 5000 + b"]"]
)
def test_what_is_no_json_is_refused(data: bytes) -> None:
    assert error(data).startswith("a.json")


@pytest.mark.parametrize("value", [[], 5, "text", [1], None])
def test_what_is_no_document_is_refused(value: object) -> None:
    assert error(value).startswith("a.json")


# --- sections and pages -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sections",
    [
        {"Adults": "Adults 5 EUR.", "Dogs": "Dogs are free."},
        [{"title": "Adults", "text": "Adults 5 EUR."}, {"heading": "Dogs", "content": "Dogs are free."}],
        [{"title": "Adults", "start": 0, "end": 13}, {"title": "Dogs", "start": 14, "end": 28}],
    ],
)
def test_sections_are_read_in_each_of_their_forms(sections: object) -> None:
    document = read({**FULL, "sections": sections})
    assert [(section.path, section.span) for section in document.sections] == [
        (("Adults",), Span(0, 13)),
        (("Dogs",), Span(14, 28)),
    ]


def test_titles_alone_open_sections_that_run_to_the_next() -> None:
    document = read({**FULL, "sections": ["Adults", "Dogs"]})
    assert [section.span for section in document.sections] == [Span(0, 14), Span(14, 28)]


def test_sections_with_the_same_text_keep_their_own_places() -> None:
    document = read({**FULL, "text": "Closed.\nClosed.", "sections": {"Mon": "Closed.", "Tue": "Closed."}})
    assert [section.span for section in document.sections] == [Span(0, 7), Span(8, 15)]


@pytest.mark.parametrize(
    "sections",
    [
        5,
        [5],
        [{}],
        ["Cats"],
        [{"title": "A", "start": 0}],
        [{"title": "A", "start": 5, "end": 99}],
        [{"title": 5}],
    ],
)
def test_a_section_that_is_not_in_the_text_is_refused(sections: object) -> None:
    assert "sections" in error({**FULL, "sections": sections})


def test_pages_have_places_and_sizes() -> None:
    document = read({**FULL, "pages": [{"start": 0, "end": 13, "width": 612, "height": 792, "label": "iv"}]})
    assert document.pages == (Page(0, Span(0, 13), "iv", 612.0, 792.0),)


@pytest.mark.parametrize(
    "pages",
    [
        {},
        [1],
        [{"start": 0, "end": 99}],
        [{"start": 5, "end": 2}],
        [{"start": 0, "end": 5}, {"start": 3, "end": 9}],
        [{"start": 0, "end": 5, "width": -1}],
    ],
)
def test_pages_that_cannot_be_are_refused(pages: object) -> None:
    assert "pages" in error({**FULL, "pages": pages})


# --- levels that must not be overlooked ---------------------------------------------------------


def one(more: str) -> bytes:
    return ('{"doc_id": "f", "title": "Fees", "url": "", "text": "Entry is free.", ' + more + "}").encode()


@pytest.mark.parametrize(
    "more", ['"Access": "confidential"', '"accessLevel": "confidential"', '"access-level": "confidential"',
             '"access_level": null, "metadata": {"access_level": "confidential"}'],
)  # fmt: skip
def test_a_level_counts_however_it_is_written(more: str) -> None:
    assert parse(one(more), "f.json")[0].access_level == "confidential"


@pytest.mark.parametrize(
    "more", ['"access": "confidential", "access": "public"', '"access": "confidential", "access_level": "public"',
             '"access": "public", "metadata": {"access_level": "confidential"}'],
)  # fmt: skip
def test_two_levels_let_no_document_in(more: str) -> None:
    with pytest.raises(ParseError, match="access"):
        parse(one(more), "f.json")


def test_metadata_that_nest_too_deep_are_an_error_of_their_file() -> None:
    for depth in range(900, 1001, 10):
        with contextlib.suppress(ParseError):
            parse(one('"m": ' + "[" * depth + "]" * depth), "f.json")


def test_a_document_cannot_say_where_its_cells_came_from() -> None:
    hostile = json.dumps(json.dumps({"sheets": ["a"], "runs": [[0, 0, -5, 1]]}))
    assert parse(one(f'"cells": {hostile}, "warnings": "none"'), "f.json")[0].metadata == ()


@pytest.mark.parametrize(
    ("label", "shown"), [("iv", "iv"), ("A\n\x001", "A 1"), ("x" * 100_000, "1"), ("", "1"), (7, "7")]
)
def test_a_label_is_one_short_line(label: object, shown: str) -> None:
    pages = json.dumps([{"start": 0, "end": 14, "label": label}])
    assert parse(one(f'"pages": {pages}'), "f.json")[0].pages[0].label == shown
