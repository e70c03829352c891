"""Reference marks that a source has of its own: left out of what is said, and never read as our citations."""

from __future__ import annotations

import pytest

from pincite.text.references import without_marks


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Most pairs last a year.[26][27] Others do not.[note 3]", "Most pairs last a year. Others do not."),
        ("Built in 1921 [1] and renewed in 1987 [2].", "Built in 1921 and renewed in 1987."),
        ("The duck dives.[26]: 12 It eats weed.[a]", "The duck dives. It eats weed."),
        ("[4] A note by Smith.", "A note by Smith."),
        ("価格は五円。[12]税込。", "価格は五円。税込。"),
    ],
)
def test_reference_marks_are_left_out(text: str, said: str) -> None:
    assert without_marks(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "A score in [0, 10] is given.",
        "A score in [1, 10] is given.",
        "Use `rates[1]` or user_ids[0].",
        "See [1](https://example.org) first.",
        "It [sic] is so.",
        "[1]",
    ],
)
def test_intervals_code_links_and_words_in_brackets_stay(text: str) -> None:
    assert without_marks(text) == text
