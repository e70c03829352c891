"""A row told as "Column: value; Column: value" is held against that row, cell by cell."""

from __future__ import annotations

import pytest

from pincite.checks.rules import rules
from pincite.ports import ClaimTask, Passage

PLANS = """| Plan | Storage | Price | API access | Phone support |
| --- | --- | --- | --- | --- |
| Solo | 25 GB | 0 EUR | no | no |
| Team | 200 GB | 9 EUR | yes | no |
| Firm | 2 TB | 29 EUR | yes | **yes** |"""
TARIFE = "| Tarif | Speicher | Telefon |\n|---|---|---|\n| Solo | 25 GB | nein |\n| Firma | 2 TB | ja |"
PLANES = "| Plan | Espacio | Teléfono |\n|---|---|---|\n| Solo | 25 GB | no |\n| Firma | 2 TB | sí |"
PURAN = "| プラン | 容量 | 電話 |\n|---|---|---|\n| ソロ | 25 GB | なし |\n| 法人 | 2 TB | あり |"


def support(claim: str, *sources: str) -> str:
    passages = tuple(Passage(f"c-{n}", source) for n, source in enumerate(sources, 1))
    return rules([ClaimTask(claim, passages)])[0].support.value


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (PLANS, "Plan: Solo; Phone support: no."),
        (PLANS, "Plan: Solo; Storage: 25 GB; API access: no."),
        (PLANS, "Plan: Firm; Phone support: yes; Storage: 2 TB."),
        (PLANS, "- Plan: Team; Price: 9 EUR; API access: yes; Phone support: no"),
        (PLANS, "Plan: Team; Price: €9."),
        (TARIFE, "Tarif: Solo; Telefon: nein."),
        (PLANES, "Plan: Firma; Teléfono: sí."),
        (PURAN, "プラン: ソロ; 電話: なし。"),
    ],
)
def test_what_the_row_has_in_these_columns_is_supported(source: str, claim: str) -> None:
    assert support(claim, source) == "supported"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (PLANS, "Plan: Solo; Phone support: yes."),
        (PLANS, "Plan: Team; API access: no."),
        (PLANS, "Plan: Team; Phone support: yes; API access: no."),
        (PLANS, "Plan: Solo; Storage: 200 GB; API access: no."),
        (PLANS, "Plan: Solo; Price: 9 EUR."),
        (PLANS, "Plan: Team; Price: 9 GB."),
        (TARIFE, "Tarif: Firma; Telefon: nein."),
        (PLANES, "Plan: Solo; Teléfono: sí."),
        (PURAN, "プラン: ソロ; 電話: あり。"),
    ],
)
def test_another_amount_or_a_yes_for_a_no_is_contradicted(source: str, claim: str) -> None:
    assert support(claim, source) == "contradicted"


@pytest.mark.parametrize(
    "claim",
    [
        "Plan: Solo; Storage: no.",
        "Plan: Solo; Fax: no.",
        "Plan: Mega; API access: no.",
        "Price: 9 EUR; Plan: Solo.",
    ],
)
def test_other_words_columns_or_rows_are_not_supported(claim: str) -> None:
    assert support(claim, PLANS) != "supported"


def test_one_table_with_the_row_is_enough_beside_another() -> None:
    assert support("Plan: Solo; Phone support: no.", PLANS.replace("no |", "yes |"), PLANS) == "supported"


def test_a_semicolon_in_a_cell_belongs_to_it() -> None:
    table = "| Day | Hours | Note |\n|---|---|---|\n| Friday | 9 to 12; 14 to 18 | busy |"
    assert support("Day: Friday; Hours: 9 to 12; 14 to 18.", table) == "supported"
    assert support("Day: Friday; Hours: 9 to 12; 15 to 18.", table) == "contradicted"
