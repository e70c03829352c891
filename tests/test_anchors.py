"""Passages are found again after their document was edited."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest

from pincite.anchors import Anchor, Anchored, AnchorStatus, anchor_of, find_again
from pincite.samples import samples_dir
from pincite.text.sentences import split_sentences
from pincite.types import Span

SAME, MOVED, CHANGED, GONE = AnchorStatus

POLICY = (
    "# Refunds\n\nRefunds take 5 days. Exchanges take 9 days. We send a letter when the money is on its way.\n\n"
    "# Shops\n\nShops are open from 9 to 17. On Sundays they are closed."
)


def again(quote: str, new: str, old: str = POLICY) -> Anchored:
    start = old.index(quote)
    return find_again(anchor_of(old, Span(start, start + len(quote))), new, old_text=old)


def test_a_passage_of_an_unchanged_text_is_the_same() -> None:
    found = again("Exchanges take 9 days.", POLICY)
    assert (found.status, found.text) == (SAME, "Exchanges take 9 days.")


def test_a_passage_below_an_insertion_has_moved() -> None:
    new = POLICY.replace("# Refunds\n\n", "# Refunds\n\nNew: store credit is instant. ")
    found = again("Exchanges take 9 days.", new)
    assert found.status is MOVED
    assert found.span == Span(new.index("Exchanges"), new.index(" We send"))


def test_a_changed_number_is_a_change_with_the_difference_named() -> None:
    found = again("Exchanges take 9 days.", POLICY.replace("9 days", "12 days"))
    assert (found.status, found.text) == (CHANGED, "Exchanges take 12 days.")
    assert [(one.answer, one.source) for one in found.differences] == [("9 days", "12 days")]


def test_a_deleted_sentence_is_gone_although_its_neighbour_looks_alike() -> None:
    assert again("Exchanges take 9 days.", POLICY.replace("Exchanges take 9 days. ", "")).status is GONE


def test_a_line_broken_elsewhere_is_no_change() -> None:
    found = again("Exchanges take 9 days.", POLICY.replace("Exchanges take", "Exchanges\ntake"))
    assert (found.status, found.text) == (SAME, "Exchanges\ntake 9 days.")


def test_a_passage_that_stood_twice_is_not_taken_for_its_twin() -> None:
    old = "Basic plan, for one person.\n\nIt costs 5 EUR a month.\n\nFamily plan, for up to six.\n\nIt costs 5 EUR a month."
    start = old.rindex("It costs")
    anchor = anchor_of(old, Span(start, start + 23))
    found = find_again(anchor, old[:start] + "It costs 8 EUR a month.", old_text=old)
    assert (found.status, found.text) == (CHANGED, "It costs 8 EUR a month.")


def test_of_several_places_with_the_same_words_the_surroundings_choose() -> None:
    old = "Basic: it costs 5 EUR a month. Family: it costs 5 EUR a month."
    start = old.rindex("it costs")
    new = "Prices of this year. " + old
    found = find_again(anchor_of(old, Span(start, len(old))), new, old_text=old)
    assert (found.status, found.span) == (MOVED, Span(start + 21, len(new)))


def test_without_the_old_text_and_place_the_words_alone_find_a_passage() -> None:
    assert find_again(Anchor("Shops are open from 9 to 17."), POLICY).status is MOVED


def test_nothing_is_found_in_an_empty_text_or_for_an_empty_passage() -> None:
    assert find_again(Anchor("Shops are open."), "").status is GONE
    assert find_again(Anchor("…"), POLICY).status is GONE


@pytest.mark.parametrize(
    "flood", ["a" * 100_000, "\u0301" * 100_000, "\ud800" * 1000, "\x00\u202e" * 5000, "the " * 30_000]
)
def test_hostile_texts_are_searched_in_proportion_to_their_length(flood: str) -> None:
    start = POLICY.index("Exchanges")
    found = find_again(anchor_of(POLICY, Span(start, start + 22)), flood + POLICY + flood, old_text=POLICY)
    assert found.text == "Exchanges take 9 days."


# --- made edits: eight kinds ----------------------------------------------------------------------

Edit = Callable[[str, Span, random.Random], tuple[str, AnchorStatus, str]]
"""The old text and the place of a passage to the new text, what became of the passage, and its words there."""

INSERTED = "A new rule was written down here that nobody had thought of before. "


def insert_before(text: str, span: Span, chance: random.Random) -> tuple[str, AnchorStatus, str]:
    return INSERTED + text, MOVED, span.of(text)


def delete_before(text: str, span: Span, chance: random.Random) -> tuple[str, AnchorStatus, str]:
    paragraphs = text[: span.start].split("\n\n")
    return text[len(paragraphs[0]) + 2 :], MOVED, span.of(text)


def move_the_paragraph(text: str, span: Span, chance: random.Random) -> tuple[str, AnchorStatus, str]:
    start, end = text.rfind("\n\n", 0, span.start) + 2, text.find("\n\n", span.end)
    end = end if end >= 0 else len(text)
    return text[:start] + text[end + 2 :] + "\n\n# Moved\n\n" + text[start:end], MOVED, span.of(text)


def change_a_number(text: str, span: Span, chance: random.Random) -> tuple[str, AnchorStatus, str]:
    changed = re.sub(r"\d+", lambda match: str(int(match[0]) + 7), span.of(text), count=1)
    return text[: span.start] + changed + text[span.end :], CHANGED, changed


def reword(text: str, span: Span, chance: random.Random) -> tuple[str, AnchorStatus, str]:
    words = span.of(text).split(" ")
    places = sorted(chance.sample(range(1, len(words) - 1), max(1, len(words) // 4)))
    for place in places:
        words[place] = "certainly"
    changed = " ".join(words)
    return text[: span.start] + changed + text[span.end :], CHANGED, changed


def duplicate(text: str, span: Span, chance: random.Random) -> tuple[str, AnchorStatus, str]:
    return text + "\n\n# Again\n\n" + span.of(text), SAME, span.of(text)


def delete(text: str, span: Span, chance: random.Random) -> tuple[str, AnchorStatus, str]:
    return text[: span.start] + text[span.end :].lstrip(" "), GONE, ""


def reflow(text: str, span: Span, chance: random.Random) -> tuple[str, AnchorStatus, str]:
    words = re.sub(" ", "\n", span.of(text), count=2)
    return text[: span.start] + words + text[span.end :], SAME, words


EDITS: tuple[Edit, ...] = (
    insert_before, delete_before, move_the_paragraph, change_a_number, reword, duplicate, delete, reflow,
)  # fmt: skip


def passages() -> list[tuple[str, Span]]:
    """Sentences of the sample articles that stand once, are not in the first paragraph, and hold a number."""
    found = []
    for path in sorted((samples_dir() / "en").glob("*.md")):
        text = path.read_text("utf-8")
        body = text[text.index("\n\n") :]
        offset = len(text) - len(body)
        for sentence in split_sentences(body):
            span = sentence.shift(offset)
            words = span.of(text)
            plain = re.search(r"\b\d{1,3}\b", words) and "\n" not in words and "|" not in words
            if plain and len(words.split(" ")) >= 6 and text.count(words) == 1 and words[0].isalpha():
                found.append((text, span))
    return found


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_every_passage_of_the_samples_is_found_again_after(edit: Edit) -> None:
    chance, wrong = random.Random(7), []
    for text, span in passages():
        new, status, words = edit(text, span, chance)
        found = find_again(anchor_of(text, span), new, old_text=text)
        if (found.status, found.text) != (status, words):
            wrong.append((span.of(text), status, found))
    assert not wrong


def test_there_are_more_than_a_hundred_made_edits() -> None:
    assert len(passages()) * len(EDITS) > 100
