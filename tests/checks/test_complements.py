"""An amount for one group is no amount for another."""

from __future__ import annotations

import pytest

from pincite import verify
from pincite.findings import Support


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Entry costs 9 EUR for children [1].", "Entry costs 9 EUR for adults. Children under 6 enter free."),
        ("Tickets are 12 EUR for students [1].", "Tickets are 12 EUR for adults. Students pay 8 EUR."),
        (
            "Der Eintritt kostet 9 EUR für Kinder [1].",
            "Der Eintritt kostet 9 EUR für Erwachsene. Kinder unter 6 haben freien Eintritt.",
        ),
        (
            "La entrada cuesta 9 EUR para niños [1].",
            "La entrada cuesta 9 EUR para adultos. Los niños entran gratis.",
        ),
        (
            "L'entrée coûte 9 EUR pour les enfants [1].",
            "L'entrée coûte 9 EUR pour les adultes. Les enfants entrent gratuitement.",
        ),
        ("The limit is 25 MB for Studio [1].", "The limit is 25 MB for Solo. Studio has more."),
        ("Children pay 9 EUR [1].", "Entry costs 9 EUR for adults. Children under 6 enter free."),
    ],
)
def test_an_amount_for_others_is_not_supported(claim: str, source: str) -> None:
    assert verify(claim, [source]).sentences[0].support is not Support.SUPPORTED


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Entry costs 9 EUR for adults [1].", "Entry costs 9 EUR for adults. Children under 6 enter free."),
        ("For adults, entry costs 9 EUR [1].", "Entry costs 9 EUR for adults. Children under 6 enter free."),
        (
            "Entry is 9 EUR for adults, and children under 6 enter free [1].",
            "Entry costs 9 EUR for adults. Children under 6 enter free.",
        ),
        ("Files are kept for 30 days [1].", "Files are kept for 30 days for all customers."),
        (
            "Standard delivery is free for orders over EUR 150 [1].",
            "Standard delivery is free in zones 1 and 2 for orders over EUR 150.00.",
        ),
        (
            "Der Eintritt kostet 9 EUR für Erwachsene [1].",
            "Der Eintritt kostet 9 EUR für Erwachsene. Kinder unter 6 haben freien Eintritt.",
        ),
        (
            "The trial lasts 14 days for every new workspace [1].",
            "Every new workspace has a trial of 14 days for new customers.",
        ),
        ("The fee for returns is 5 EUR [1].", "The fee for returns is 5 EUR for each parcel."),
    ],
)
def test_an_amount_for_the_same_is(claim: str, source: str) -> None:
    assert verify(claim, [source]).sentences[0].support is Support.SUPPORTED
