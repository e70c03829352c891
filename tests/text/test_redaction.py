from __future__ import annotations

import pytest

from pincite.config.sections import REDACTIONS
from pincite.text.redaction import CHOICES, redacted, redacted_entry

ALL = ["email", "iban", "card", "ip", "phone"]


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Write to ann.b+x@mail.example.org today", "ann.b+x@mail.example.org"),
        ("Schreib an jürgen@müller.example!", "jürgen@müller.example"),
        ("IBAN DE89 3704 0044 0532 0130 00, please", "DE89 3704 0044 0532 0130 00"),
        ("card 4111 1111 1111 1111.", "4111 1111 1111 1111"),
        ("card 4111-1111-1111-1111.", "4111-1111-1111-1111"),
        ("from 192.168.10.7 it", "192.168.10.7"),
        ("call +49 (0)30 1234567 now", "+49 (0)30 1234567"),
        ("call 030/1234-567 now", "030/1234-567"),
    ],
)
def test_personal_data_is_blacked_out_and_nothing_else(text: str, hidden: str) -> None:
    found = redacted(text, ALL)
    assert len(found) == len(text)
    before, after = text.split(hidden)
    assert found.startswith(before)
    assert found.rstrip("█ ").endswith(after.rstrip("! ")) or found.endswith(after)
    assert not set(hidden.replace(" ", "")) & set(found[len(before) : len(before) + len(hidden)])


@pytest.mark.parametrize(
    "text",
    [
        "Uploads may be up to 25 MB, 1,234,567 files, in 2026-01-02T03:04:05Z.",
        "Version 3.11.7.0 of 2024-05-01, order 4111 1111 1111 1112",
        "§ 12(4), pages 100-200, 10:30:15",
        "ISBN 978-3-16-148410-0",
    ],
)
def test_amounts_dates_and_numbers_of_other_kinds_stay(text: str) -> None:
    assert redacted(text, ["email", "iban", "card", "phone"]) == text


def test_only_the_kinds_that_were_named_are_blacked_out() -> None:
    assert redacted("a@b.example 192.168.10.7", ["ip"]) == "a@b.example ████████████"
    assert redacted("a@b.example", []) == "a@b.example"


def test_ids_hashes_and_statuses_stay_readable_in_an_entry() -> None:
    entry = {
        "id": "ans_1",
        "question": "Is a@b.example in?",
        "citations": [{"doc_id": "mail-a@b.example", "quote": "a@b.example", "status": "verified"}],
        "log": [{"content": "4111111111111111"}],
        "plain": "Yes.",
    }
    found = redacted_entry(entry, ["email", "card", "answer"])
    assert found["question"] == "Is ███████████ in?"
    assert found["citations"][0] == {
        "doc_id": "mail-a@b.example",
        "quote": "███████████",
        "status": "verified",
    }
    assert found["log"] == entry["log"]
    assert found["plain"] == "████"


def test_settings_know_the_same_kinds() -> None:
    assert REDACTIONS == CHOICES


@pytest.mark.parametrize(
    "text", ["a@" * 50_000, "+" * 100_000, "0 " * 50_000, "DE00 " * 20_000, "1" * 100_000, "(0" * 50_000]
)
def test_hostile_texts_cost_their_length(text: str) -> None:
    assert len(redacted(text, ALL)) == len(text)
