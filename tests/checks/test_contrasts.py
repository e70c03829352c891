"""Clauses that only name what is left out, "may not" and "cannot", and the two ends of opening hours."""

from __future__ import annotations

import pytest

from pincite.checks.rules import rules
from pincite.ports import ClaimTask, Passage

DOGS = "Dogs are allowed in the garden, but not in the pool."
HUNDE = "Hunde sind im Garten erlaubt, aber nicht im Schwimmbad."
CHIENS = "Les chiens sont admis dans le jardin, mais pas dans la piscine."
PERROS = "Se permiten perros en el jardín, pero no en la piscina."
ROPE = "A rope may not be rented."
HOURS = "The hall is open from 10:00 to 22:30 on weekdays."


def support(claim: str, source: str) -> str:
    return rules([ClaimTask(claim, (Passage("c-1", source),))])[0].support.value


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Dogs are not allowed in the pool.", DOGS),
        ("Dogs are allowed in the garden.", DOGS),
        ("Hunde sind im Schwimmbad nicht erlaubt.", HUNDE),
        ("Les chiens ne sont pas admis dans la piscine.", CHIENS),
        ("No se permiten perros en la piscina.", PERROS),
        ("The shuttle does not run on Sundays.", "The shuttle runs on weekdays, but not on Sundays."),
        (
            "Breakfast is not included for children.",
            "Breakfast is included for adults, but not for children.",
        ),
        ("Ropes cannot be rented.", ROPE),
        ("Guests cannot smoke.", "Guests may not smoke."),
        ("On weekdays the hall closes at 22:30.", HOURS),
        ("The hall opens at 10:00 on weekdays.", HOURS),
    ],
)
def test_what_the_source_says_in_a_clause_without_its_verb_or_in_other_small_words_is_supported(
    claim: str, source: str
) -> None:
    assert support(claim, source) == "supported"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Dogs are not allowed in the garden.", DOGS),
        ("Dogs are allowed in the pool.", DOGS),
        ("Cats are not allowed in the pool.", DOGS),
        ("Hunde sind im Garten nicht erlaubt.", HUNDE),
        ("Hunde sind im Schwimmbad erlaubt.", HUNDE),
        ("Les chiens ne sont pas admis dans le jardin.", CHIENS),
        ("No se permiten perros en el jardín.", PERROS),
        ("The shuttle does not run on weekdays.", "The shuttle runs on weekdays, but not on Sundays."),
        ("Ropes can be rented.", ROPE),
        ("Ropes are not rented.", ROPE),
        ("The parcel cannot arrive today.", "The parcel may not arrive today."),
        ("Guests cannot smoke.", "Guests do not smoke."),
        ("On weekdays the hall closes at 10:00.", HOURS),
        ("On weekdays the hall opens at 22:30.", HOURS),
    ],
)
def test_what_stands_with_the_other_clause_or_says_more_is_not_supported(claim: str, source: str) -> None:
    assert support(claim, source) != "supported"
