from tests.doubles import hits

from pincite.answerable import Borne, borne
from pincite.text.asked_rows import bound_agrees, is_asked
from pincite.text.expected import Expected, asks_whether, expected, holds, says_whether

REFUNDS = """# Refunds

| Amount | Approved by |
|---|---|
| up to EUR 80 | the agent |
| EUR 80–400 | the team lead |
| over EUR 400 (USD 450) | finance |

| Channel | Monday to Friday | Sunday |
|---|---|---|
| Chat | 8:00–20:00 | closed |
| Phone | 9:00–17:30 | closed |
"""


def _read(question: str) -> Borne:
    read = borne(question, hits(REFUNDS), "en")
    assert read is not None
    return read


def test_a_row_for_over_400_agrees_with_over_400_and_one_up_to_400_does_not() -> None:
    read = _read("Who approves a refund over EUR 400?")
    agrees = {part.piece.quote: bound_agrees(read.asked, part) for part in read.parts}
    assert agrees["| over EUR 400 (USD 450) | finance |"] is True
    assert agrees["| EUR 80–400 | the team lead |"] is False
    assert agrees["| Phone | 9:00–17:30 | closed |"] is None


def test_when_asks_for_the_columns_of_a_table_that_are_days() -> None:
    read = _read("When can I phone?")
    asked = [part.piece.quote for part in read.parts if is_asked(read.asked, part)]
    assert asked == ["| Phone | 9:00–17:30 | closed |"]


def test_a_telephone_number_is_no_time() -> None:
    assert (
        holds(Expected.TIME, "Phone: +1 202-555-0143, for customers.", "When is it answered?", "en") is False
    )


def test_a_share_of_a_price_is_a_number() -> None:
    assert expected("料金が何パーセント割引になりますか", "ja") is Expected.NUMBER


def test_what_may_be_done_is_asked_and_said_with_the_same_words() -> None:
    assert asks_whether("割引を併用できますか", "ja")
    assert says_whether("割引は併用できません。", "ja")
    assert not asks_whether("Wie viele Dateien kann ich hochladen?", "de")
