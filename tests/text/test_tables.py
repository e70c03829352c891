"""Which cell of a table a sentence rests on."""

from __future__ import annotations

import pytest

from pincite import verify
from pincite.findings import TableCell
from pincite.renderers.json import citation_dict
from pincite.text.tables import find_cell
from pincite.types import Span

PLANS = """Table 3: Plans

| Plan | Price | Storage |
|---|---|---|
| Basic | 5 € | 10 GB |
| Team | 9 € | 50 GB |
"""


def row(text: str, name: str) -> Span:
    start = text.index(f"| {name}")
    return Span(start, text.index("\n", start))


def test_the_cell_with_the_amount_of_the_sentence_is_named() -> None:
    assert find_cell(PLANS, row(PLANS, "Team"), "Team costs €9.") == TableCell("Table 3", 2, "Price")
    assert find_cell(PLANS, row(PLANS, "Basic"), "Basic has 10 GB.") == TableCell("Table 3", 1, "Storage")


def test_a_sentence_with_two_values_of_a_row_rests_on_no_single_cell() -> None:
    assert find_cell(PLANS, row(PLANS, "Team"), "Team has 50 GB for 9 €.") is None


def test_a_cell_of_words_is_found_by_its_words() -> None:
    table = "| City | Opening | Fee |\n|---|---|---|\n| Oslo | on Sundays | none |\n"
    found = find_cell(table, row(table, "Oslo"), "In Oslo the opening is on Sundays.", title="Museums")
    assert found == TableCell("Museums", 1, "Opening")


def test_prose_and_a_table_that_began_before_have_no_address() -> None:
    assert find_cell("Team costs 9 €.", Span(0, 15), "Team costs 9 €.") is None
    rows = "| Basic | 5 € |\n| Team | 9 € |\n"
    assert find_cell(rows, row(rows, "Team"), "Team costs 9 €.") is None


def test_a_unit_in_the_title_of_the_column_belongs_to_its_values() -> None:
    table = "| Pump | Weight (kg) | Price (EUR) |\n|---|---|---|\n| P1 | 12 | 300 |\n"
    found = find_cell(table, row(table, "P1"), "The pump P1 weighs 12 kg.", language="en")
    assert found is not None
    assert found.column == "Weight (kg)"


def test_a_report_says_table_row_and_column() -> None:
    report = verify("Team costs €9 [1].", [f"# Fees\n\n{PLANS}"])
    assert citation_dict(report.citations[0])["address"] == {
        "table": "Table 3",
        "row": 2,
        "column": "Price",
        "cell": None,
    }


@pytest.mark.parametrize(
    ("claim", "is_right"),
    [
        ("Team costs 9 € a month.", False),
        ("Team costs 9 €.", True),
        ("Team costs 5 €.", False),
        ("The price of Basic is 9 €.", False),
        ("The price of Basic is 5 €.", True),
        ("Team has 50 GB of storage.", True),
        ("Team has 10 GB of storage.", False),
        ("Team has 9 GB of storage.", False),
        ("Basic has 10 GB of storage.", True),
        ("Basic costs 10 €.", False),
    ],
)
def test_a_value_of_another_row_or_column_is_never_supported(claim: str, is_right: bool) -> None:
    report = verify(f"{claim} [1]", [f"# Fees\n\n{PLANS}"])
    found = report.sentences[0].support.value
    assert (found == "supported") is is_right, found
    assert is_right or found in ("contradicted", "unsupported", "partial")


def test_the_same_holds_for_amounts_without_a_unit_and_for_other_languages() -> None:
    table = "| Stadt | Einwohner | Schulen |\n|---|---|---|\n| Altdorf | 900 | 3 |\n| Neudorf | 700 | 5 |\n"
    wrong = (
        "Altdorf hat 700 Einwohner.",
        "Altdorf hat 5 Schulen.",
        "Neudorf hat 3 Schulen.",
        "Altdorf hat 900 Schulen.",
    )
    for claim in wrong:
        assert verify(f"{claim} [1]", [table]).sentences[0].support.value != "supported", claim
    for claim in ("Altdorf hat 900 Einwohner.", "Neudorf hat 5 Schulen."):
        assert verify(f"{claim} [1]", [table]).sentences[0].support.value == "supported", claim


def test_an_answer_names_the_cell_in_its_list_of_sources() -> None:
    citation = verify("Team costs €9 [1].", [PLANS]).citations[0]
    assert str(citation.address) == "Table 3, row 2, Price"
