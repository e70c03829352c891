"""Parts of a document by the name that people use for them."""

from __future__ import annotations

import pytest

from pincite.text.named import find_named
from pincite.types import Document

LAW = """# Rules

Preamble. See § 12 and Table 2 for fees.

## § 11 Scope

(1) All halls.

(2) Not the yard.

## § 12 Fees

(1) Entry is free.

(4) Dogs pay:

(a) 2 EUR on weekdays,

(b) 3 EUR on Sundays.

(5) Cats are free.

### Details

Ask at the desk.

## § 120 Closing

Table 2 shows the hours.

Table 2: Hours

| Day | Open |
|---|---|
| Mon | 9-5 |

| Day | Closed |
|---|---|
| Sun | all day |

Tabelle 20: Other

## Annex A

First.

## Annex B: Forms

Second.

## 4.2 Refunds

Within 30 days.

## 4.2.1 Exceptions

None.
"""
DOCUMENT = Document("law", LAW, format="markdown")


def named(name: str, document: Document = DOCUMENT) -> str | None:
    found = find_named(document, name)
    return found.of(document.text) if found is not None else None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Annex B", "## Annex B: Forms\n\nSecond."),
        ("annex a", "## Annex A\n\nFirst."),
        ("Section 4.2", "## 4.2 Refunds\n\nWithin 30 days."),
        ("4.2.1", "## 4.2.1 Exceptions\n\nNone."),
        ("§ 12(1)", "(1) Entry is free."),
        ("§12 (4)", "(4) Dogs pay:\n\n(a) 2 EUR on weekdays,\n\n(b) 3 EUR on Sundays."),
        ("§ 12(4)(b)", "(b) 3 EUR on Sundays."),
        ("§ 12(5)", "(5) Cats are free.\n\n### Details\n\nAsk at the desk."),
        ("§ 11(2)", "(2) Not the yard."),
        ("Details", "### Details\n\nAsk at the desk."),
        ("TABLE 2", "Table 2: Hours\n\n| Day | Open |\n|---|---|\n| Mon | 9-5 |"),
        ("Tabelle 20", "| Day | Closed |\n|---|---|\n| Sun | all day |\n\nTabelle 20: Other"),
        ("§ 120", None),
        ("§ 1", "none"),
        ("Table 3", "none"),
        ("§ 12(9)", "none"),
        ("", "none"),
        ("(4)", "(4) Dogs pay:"),
    ],
)
def test_a_part_is_found_by_its_name(name: str, text: str | None) -> None:
    found = named(name)
    if text is None:
        assert found is not None
        assert found.startswith("## § 120 Closing")
    else:
        assert found == (None if text == "none" else text)


def test_a_part_of_a_heading_holds_what_is_below_it() -> None:
    found = named("§ 12")
    assert found is not None
    assert found.startswith("## § 12 Fees")
    assert found.endswith("Ask at the desk.")


def test_labels_in_a_text_without_headings_end_at_the_next_of_their_kind() -> None:
    text = "As Art. 2 says.\n\nArt. 1 (1) One.\n(2) Two.\n\nArt. 2 Three.\nMore.\n\nArt. 3 Four."
    document = Document("law", text, format="pdf")
    assert named("Art. 2", document) == "Art. 2 Three.\nMore."
    assert named("Art. 1(2)", document) == "(2) Two."
    assert named("Art. 1 (1)", document) == "Art. 1 (1) One."


def test_a_caption_below_its_table_goes_with_it() -> None:
    text = "Text.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nTable 7. Fees"
    assert named("Table 7", Document("d", text)) == "| a | b |\n|---|---|\n| 1 | 2 |\n\nTable 7. Fees"


@pytest.mark.parametrize(
    "text", ["#" * 200_000, "Table 1" * 30_000, "(1)\n" * 50_000, "\u0301" * 100_000, "| " * 100_000]
)
def test_what_is_found_lies_in_the_text_whatever_it_holds(text: str) -> None:
    for name in ("Table 1", "§ 1(2)(a)", "\u0301" * 50, "." * 90, "(1)"):
        found = find_named(Document("d", text + "x"), name)
        assert found is None or found.end <= len(text) + 1
