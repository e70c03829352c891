"""Right sentences in other words stay green, and changed ones do not become so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pincite.checks.rules import rules
from pincite.findings import Support
from pincite.ports import ClaimTask, Passage

PARAPHRASES = Path(__file__).parent.parent / "paraphrases"
RIGHT_AT_LEAST, CHANGED_AT_MOST = 145, 18
"""Of 230 right sentences and 230 with a changed fact: what the judge reaches, with a margin for other work on it."""


def support(claim: str, *passages: str) -> Support:
    (found,) = rules([ClaimTask(claim, tuple(Passage(f"c-{n}", text) for n, text in enumerate(passages, 1)))])
    return found.support


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("The medicine must be kept in the fridge.", "Keep the medicine in the fridge."),
        ("You must not smoke in the rooms.", "Smoking in the rooms is prohibited."),
        ("The card is charged if you do not cancel.", "The card is charged unless you cancel."),
        (
            "You can change the address as long as the order has not been shipped.",
            "You can change the address until the order has been shipped.",
        ),
        (
            "Every year the staff get 28 days of paid leave.",
            "The staff are entitled to 28 days of paid leave per year.",
        ),
        ("Members can book the court.", "Only members can book the court."),
        ("The supplier must report delays in writing.", "The supplier must report delays in writing without undue delay."),
        ("Die Rechnung muss in 14 Tagen bezahlt werden.", "Die Rechnung ist in 14 Tagen zu bezahlen."),
        ("Il faut déposer la demande avant le 30 avril.", "La demande doit être déposée avant le 30 avril."),
        ("The office lies in southeast London.", "The office lies in south east London."),
    ],
)  # fmt: skip
def test_a_turning_word_in_another_form_is_the_same(claim: str, passage: str) -> None:
    assert support(claim, passage) in (Support.SUPPORTED, Support.PARTIAL)
    assert support(claim, passage) is not Support.CONTRADICTED


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("You may park in front of the gate.", "Parking is prohibited in front of the gate."),
        ("Sales fell by 12 % in May.", "Sales rose by 12 % in May."),
        ("The concert moved from May to April.", "The concert moved from April to May."),
        ("The buyer must inform the supplier of delays.", "The supplier must inform the buyer of delays."),
        ("Late check-out is free.", "Late check-out costs 20 euros."),
        ("Data is deleted 90 days before you close the account.", "Data is deleted 90 days after you close the account."),
        ("El proveedor avisa después del plazo.", "El proveedor avisa antes del plazo."),
        ("Using a password manager is optional.", "Using a password manager is mandatory."),
    ],
)  # fmt: skip
def test_what_excludes_the_sources_word_is_never_green(claim: str, passage: str) -> None:
    assert support(claim, passage) is not Support.SUPPORTED


def test_a_sentence_that_adds_words_beyond_those_of_its_source_is_not_green() -> None:
    assert support(
        "The president resigned in 2010 because of illness.", "The president resigned in 2010."
    ) is (Support.PARTIAL)


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("You can borrow ten books from the library.", "The library lends ten books."),
        ("A child \"not above forty feet high\" found him.", "He was found by a child not above forty feet high."),
        ("End users commonly rely on menus.", "End users rarely, if ever, use a command line and instead rely on menus."),
    ],
)  # fmt: skip
def test_two_sides_of_one_matter_do_not_contradict(claim: str, passage: str) -> None:
    assert support(claim, passage) is not Support.CONTRADICTED


def test_a_second_source_of_another_year_does_not_contradict_what_the_first_says() -> None:
    assert support(
        "Sales rose by 12 % in 2022.", "Sales rose by 12 % in 2022.", "Sales rose by 8 % in 2023."
    ) is (Support.SUPPORTED)


def test_most_paraphrases_of_our_own_are_green_and_few_changed_facts() -> None:
    right = changed = 0
    for path in sorted(PARAPHRASES.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            right += support(record["right"], record["evidence"]) is Support.SUPPORTED
            changed += support(record["changed"], record["evidence"]) is Support.SUPPORTED
    assert right >= RIGHT_AT_LEAST
    assert changed <= CHANGED_AT_MOST


@pytest.mark.parametrize("word", ["ist ", "kein ", "darf ", "weder ", "neither ", "ni ", "from a to b "])
def test_floods_of_turning_words_are_judged_to_their_end(word: str) -> None:
    flood = word * 5_000
    assert support("Das Gerät darf nicht verwendet werden.", flood) is not Support.SUPPORTED
