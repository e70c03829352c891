"""What a source says beside what backs a claim, and both sides of each kind: the aside that limits, and the one that does not."""

from __future__ import annotations

import pytest

from pincite.checks.rules import rules
from pincite.findings import Support
from pincite.ports import ClaimTask, Judgement, Passage

RETURN = "A scanner from the shop can be returned within 30 days of delivery."
SCANNER = "Any scanner bought in our shop can be returned within 30 days of delivery"
TRIAL = (
    "During the trial you have the limits of the Studio plan, except for the API, which is switched off until the first "
    "payment."
)
SAUNA = "All rooms are open to guests, except the sauna, which is closed on Mondays."


def judge(claim: str, source: str) -> Judgement:
    return rules([ClaimTask(claim, (Passage("c-1", source),))])[0]


def support(claim: str, source: str) -> Support:
    return judge(claim, source).support


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (RETURN, f"{SCANNER}, even if you have used it."),
        (RETURN, f"{SCANNER}, whether or not you have used it."),
        ("You can cancel at any time.", "Even if you have paid, you can cancel at any time."),
        ("You can cancel at any time.", "You can cancel at any time, whether you have paid or not."),
        (
            "Der Scanner kann innerhalb von 30 Tagen zurückgegeben werden.",
            "Der Scanner kann innerhalb von 30 Tagen zurückgegeben werden, auch wenn er benutzt wurde.",
        ),
        (
            "Le scanner peut être retourné dans les 30 jours.",
            "Le scanner peut être retourné dans les 30 jours, même si vous l'avez utilisé.",
        ),
        ("El escáner se puede devolver en 30 días.", "El escáner se puede devolver en 30 días, aunque se haya usado."),
        ("El escáner se puede devolver en 30 días.", "El escáner se puede devolver en 30 días, incluso si se ha usado."),
        ("スキャナーは30日以内に返品できます。", "スキャナーは使っても、30日以内に返品できます。"),
        ("スキャナーは30日以内に返品できます。", "使用した場合でも、スキャナーは30日以内に返品できます。"),
        ("您可以在30天内退货。", "即使使用过，您也可以在30天内退货。"),
    ],
)  # fmt: skip
def test_what_a_source_grants_is_no_condition(claim: str, source: str) -> None:
    assert support(claim, source) is Support.SUPPORTED


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (RETURN, f"{SCANNER}, if you have not used it."),
        (RETURN, f"{SCANNER}, only if you have not used it."),
        (RETURN, f"{SCANNER}, unless you have used it."),
        ("You can cancel at any time.", "You can cancel at any time if you have paid, even if you moved."),
        ("You can cancel at any time.", "You can cancel at any time, whether you have paid or not, if you write to us."),
        ("Members may bring a guest only if they are new.", "Members may bring a guest, even if they are new."),
        (
            "Der Scanner kann innerhalb von 30 Tagen zurückgegeben werden.",
            "Der Scanner kann innerhalb von 30 Tagen zurückgegeben werden, wenn er unbenutzt ist.",
        ),
        (
            "Le scanner peut être retourné dans les 30 jours.",
            "Le scanner peut être retourné dans les 30 jours, si vous ne l'avez pas utilisé.",
        ),
        ("El escáner se puede devolver en 30 días.", "El escáner se puede devolver en 30 días, si no se ha usado."),
        ("スキャナーは30日以内に返品できます。", "未使用の場合、スキャナーは30日以内に返品できます。"),
        ("スキャナーは30日以内に返品できます。", "使用していなければ、スキャナーは30日以内に返品できます。"),
        ("您可以在30天内退货。", "如果没有使用过，您可以在30天内退货。"),
    ],
)  # fmt: skip
def test_a_condition_that_is_left_out_is_never_green(claim: str, source: str) -> None:
    assert support(claim, source) is not Support.SUPPORTED


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The API is switched off until the first payment.", TRIAL),
        ("The sauna is closed on Mondays.", SAUNA),
        (
            "Die Sauna ist montags geschlossen.",
            "Alle Räume stehen Gästen offen, außer der Sauna, die montags geschlossen ist.",
        ),
        (
            "Le sauna est fermé le lundi.",
            "Toutes les salles sont ouvertes aux clients, sauf le sauna, qui est fermé le lundi.",
        ),
        (
            "El laboratorio cierra los lunes.",
            "Todas las salas están abiertas, excepto el laboratorio, que cierra los lunes.",
        ),
    ],
)
def test_what_is_said_of_an_excepted_thing_holds_of_it(claim: str, source: str) -> None:
    assert support(claim, source) is Support.SUPPORTED


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("During the trial you have the limits of the Studio plan.", TRIAL),
        ("The API has the limits of the Studio plan.", TRIAL),
        ("The limits of the Studio plan are switched off until the first payment.", TRIAL),
        ("All rooms are open to guests.", SAUNA),
        ("The sauna is open to guests.", SAUNA),
        ("The rooms are closed on Mondays.", SAUNA),
        (
            "Die Sauna steht Gästen offen.",
            "Alle Räume stehen Gästen offen, außer der Sauna, die montags geschlossen ist.",
        ),
    ],
)
def test_an_excepted_thing_and_the_rest_are_not_confused(claim: str, source: str) -> None:
    assert support(claim, source) is not Support.SUPPORTED


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The shop is open on Saturdays.", "The shop is open on Saturdays; only the café is closed."),
        (
            "Der Laden ist samstags geöffnet.",
            "Der Laden ist samstags geöffnet; nur das Café ist geschlossen.",
        ),
        ("La boutique est ouverte le samedi.", "La boutique est ouverte le samedi ; seul le café est fermé."),
        (
            "On Saturdays the shop is open until 6 pm.",
            "The shop is open on Saturdays until 6 pm. Only on Saturdays in July is the shop open until 8 pm.",
        ),
    ],
)
def test_an_only_of_another_matter_is_not_missed(claim: str, source: str) -> None:
    assert support(claim, source) is Support.SUPPORTED


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The shop is open on Saturdays.", "The shop is open on Saturdays, but only in July."),
        (
            "Refunds are paid within 14 days.",
            "Refunds are paid within 14 days, but only to the card that was used.",
        ),
        ("Staff may work from home.", "Staff may work from home, but only managers are allowed to."),
        ("Everyone may use the sauna.", "Only members may use the sauna."),
        ("The warranty lasts two years.", "Only for registered devices the warranty lasts two years."),
    ],
)
def test_an_only_that_limits_the_claim_is_missed(claim: str, source: str) -> None:
    assert support(claim, source) is not Support.SUPPORTED


@pytest.mark.parametrize(
    ("claim", "source", "expected"),
    [
        ("Up to 8 days may be carried over.", "Up to 5 unused days may be carried over.", "contradicted"),
        ("Up to 5 days may be carried over.", "Up to 5 unused days may be carried over.", "supported"),
        ("Up to 5 sick days may be taken.", "Up to 5 sick days may be taken each year.", "supported"),
        ("Up to 5 sick days may be taken.", "Up to 5 unused days may be taken.", "partial"),
        ("Staff get 5 full days.", "Staff get 3 full days.", "contradicted"),
        ("Bis zu 8 Tage können übertragen werden.", "Bis zu 5 ungenutzte Tage können übertragen werden.", "contradicted"),
        ("Bis zu 5 Tage können übertragen werden.", "Bis zu 5 ungenutzte Tage können übertragen werden.", "supported"),
        ("The third reminder costs 5 euros.", "The fourth reminder costs 5 euros.", "contradicted"),
        ("From the third year, staff get 28 days.", "From the fourth year on, staff get 28 days.", "contradicted"),
        ("La troisième relance coûte 5 euros.", "La quatrième relance coûte 5 euros.", "contradicted"),
        ("The third warning leads to dismissal.", "The third warning will lead to dismissal.", "supported"),
    ],
)  # fmt: skip
def test_amounts_of_one_subject_are_compared(claim: str, source: str, expected: str) -> None:
    assert support(claim, source).value == expected


@pytest.mark.parametrize(
    ("claim", "source", "named"),
    [
        (
            "What the tenant's deposit covers is in the contract.",
            "The contract is long.",
            "tenant, deposit, covers",
        ),
        ("The rent of the flat is 900 euros.", "Die Miete der Wohnung beträgt 900 Euro.", None),
    ],
)
def test_a_reason_names_content_words_alone(claim: str, source: str, named: str | None) -> None:
    reason = judge(claim, source).reason
    shown = reason.partition(": ")[2].split(", ")
    assert not {"The", "the", "of", "is", "s", "What", "in"} & set(shown)
    assert named is None or reason == f"not in the source: {named}"
