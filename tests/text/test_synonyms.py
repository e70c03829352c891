"""Words that may stand for each other: the data is consistent, and found in the forms that texts have."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from pincite.text.fold import fold as fold_text
from pincite.text.lexicon import TIER1, load_lexicon
from pincite.text.synonyms import concept, groups_of, meanings
from pincite.text.words import fold, terms
from pincite.types import Span

DATA = load_lexicon("synonyms")
LEAST_GROUPS = {"en": 450, "de": 300, "es": 300, "fr": 300, "ja": 250, "zh": 250, "ar": 250, "hi": 250}
# Entries that are in one of the lexicons of small words too, where their sense is the same.
ALLOWED_SMALL_WORDS = {"ja": {"終了", "以前"}, "zh": {"拒绝"}}


def entries(language: str) -> Iterator[tuple[str, str]]:
    """Group and entry, the entry as it is compared."""
    written = fold_text if language in ("ja", "zh") else None
    for group, phrases in DATA["groups"][language].items():
        for phrase in phrases:
            yield group, written(phrase).low if written else fold(phrase)


def found(text: str, language: str) -> list[tuple[str, str]]:
    return [(meaning.surface, concept(meaning.group)) for meaning in meanings(text, language)]


# --- the data -------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", TIER1)
def test_every_language_has_its_groups_of_two_words_and_more(language: str) -> None:
    groups = DATA["groups"][language]
    assert sum(len(phrases) > 1 for phrases in groups.values()) >= LEAST_GROUPS[language]
    assert all(re.fullmatch("[a-z][a-z0-9_]*", name) for name in groups)
    assert all(phrase == phrase.strip() and phrase for phrases in groups.values() for phrase in phrases)


@pytest.mark.parametrize("language", TIER1)
def test_no_entry_stands_in_two_groups_unless_it_is_listed_as_shared(language: str) -> None:
    shared = {fold(phrase) for phrase in DATA["shared"][language]}
    seen: dict[str, str] = {}
    for group, entry in entries(language):
        assert entry in shared or seen.setdefault(entry, group) == group, (entry, group, seen[entry])


@pytest.mark.parametrize("language", TIER1)
def test_no_group_holds_both_sides_of_an_opposite(language: str) -> None:
    groups: dict[str, set[str]] = {}
    for group, entry in entries(language):
        groups.setdefault(group, set()).add(entry)
    for pair, by_language in load_lexicon("opposites")["pairs"].items():
        if language in by_language:
            ours, theirs = ({fold(word) for word in side} for side in by_language[language])
            both = [name for name, known in groups.items() if known & ours and known & theirs]
            assert both == [], pair


@pytest.mark.parametrize("language", TIER1)
def test_words_that_turn_limit_or_count_are_no_entries(language: str) -> None:
    small: set[str] = set()
    for file in ("negation", "quantifiers", "modality"):
        for phrases in load_lexicon(file)["languages"].get(language, {}).values():
            small.update(map(fold, phrases))
    for side in load_lexicon("bounds")["languages"].get(language, {}).values():
        for phrases in side.values():
            small.update(map(fold, phrases))
    for part in ("months", "weekdays"):
        for names in load_lexicon("months")[part].get(language, ()):
            small.update(map(fold, names))
    known = {entry for _, entry in entries(language)}
    assert known & small <= ALLOWED_SMALL_WORDS.get(language, set())


@pytest.mark.parametrize("language", TIER1)
def test_every_entry_is_found_by_itself_in_one_of_its_groups(language: str) -> None:
    for group, phrases in DATA["groups"][language].items():
        for phrase in phrases:
            if "…" in phrase:
                continue
            concepts = {name for _, name in found(phrase, language)}
            assert group in concepts, (phrase, concepts)


@pytest.mark.parametrize("language", TIER1)
def test_groups_of_several_languages_have_one_name(language: str) -> None:
    shared = DATA["groups"][language].keys() & DATA["groups"]["en"].keys()
    assert len(shared) >= 0.9 * len(DATA["groups"][language])


def test_unspaced_entries_have_two_characters_or_more() -> None:
    assert all(len(entry) > 1 for language in ("ja", "zh") for _, entry in entries(language))


# --- what a text says -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "Invoices are kept for 30 days.", "We store each bill for 30 days."),
        ("en", "Items can be sent back at no cost.", "You may return goods free of charge."),
        ("en", "Send the shoes back.", "Return the shoes."),
        ("en", "Please fill the form in.", "Filled out"),
        ("de", "Wir bewahren Daten auf.", "Die Daten werden gespeichert."),
        ("de", "Schicken Sie das Paket zurück.", "Die Rücksendung"),
        ("de", "Der Vertrag läuft am 31. Dezember ab.", "Ablauf des Vertrags"),
        ("es", "Los datos se conservan aquí.", "Almacenamos los datos."),
        ("es", "Puede devolver el producto.", "La devolución del artículo"),
        ("fr", "Les colis sont expédiés.", "Nous envoyons les paquets."),
        ("fr", "C'est gratuit.", "sans frais"),
        ("ja", "データを保管します。", "データは保存されます。"),
        ("ja", "代金を支払う", "代金のお支払い"),
        ("zh", "数据保留30天。", "數據儲存30天。"),
        ("zh", "付款", "缴费"),
        ("ar", "سنرسل الطلب", "إرسال الطلب"),
        ("ar", "ونحتفظ بها", "تخزين"),
        ("hi", "सामान लौटाएं", "सामान वापस करें"),
        ("hi", "मुफ़्त", "निःशुल्क"),
    ],
)
def test_inflected_words_and_phrases_of_one_meaning_share_a_group(
    language: str, one: str, other: str
) -> None:
    first, second = ({name for _, name in found(text, language)} for text in (one, other))
    assert first & second, (first, second)


def test_the_longest_phrase_wins_and_is_taken_whole() -> None:
    assert found("Sent back at no extra cost", "en") == [
        ("Sent back", "return"),
        ("at no extra cost", "free_of_charge"),
    ]
    assert found("バックアップを再起動", "ja") == [("バックアップ", "backup"), ("再起動", "restart")]


def test_the_parts_of_a_split_verb_both_have_their_place() -> None:
    text = "Wir schicken die Ware zurück."
    verb = meanings(text, "de")[0]
    assert (verb.span.of(text), verb.tail) == ("schicken", Span(22, 28))


@pytest.mark.parametrize(
    ("language", "text", "never"),
    [
        ("en", "Send the list. Back pages are blank.", "return"),
        ("en", "Turn left at the first corner of the old town and get off", "turn_off"),
        ("de", "Wir schicken die Ware und nehmen die alte zurück.", "return"),
        ("de", "Das Formular geben wir in einer Woche ein Mal weiter.", "enter_data"),
        ("de", "Das war gut.", "product"),
        ("en", "free of defects", "free_of_charge"),
        ("en", "a container", "include"),
        ("en", "custom colours", "customer"),
        ("ja", "USBメモリーカード2PCS", "computer"),
        ("es", "varias casas", "change"),
    ],
)
def test_words_that_only_look_alike_are_not_found(language: str, text: str, never: str) -> None:
    assert never not in {name for _, name in found(text, language)}


def test_a_word_of_several_groups_gives_a_meaning_for_each() -> None:
    assert found("declined", "en") == [("declined", "decrease"), ("declined", "refuse")]


def test_words_of_a_phrase_are_joined_by_blanks_and_hyphens_only() -> None:
    assert found("down payment", "en") == [("down payment", "down_payment")]
    assert found("down-payment", "en") == [("down-payment", "down_payment")]
    assert "down_payment" not in {name for _, name in found("down. Payment", "en")}


def test_spans_are_in_the_text_as_it_is_written() -> None:
    text = "Ｄａｔａ\u200b: 送\u200b料は無\u00ad料"
    assert [meaning.span.of(text) for meaning in meanings(text, "ja")] == ["送\u200b料", "無\u00ad料"]


def test_languages_without_groups_and_empty_texts_have_no_meanings() -> None:
    assert meanings("refund", None) == meanings("refund", "tlh") == meanings("", "en") == ()
    assert groups_of("refund", None) == frozenset()
    assert meanings("Refund", "en-GB") == meanings("Refund", "en")


# --- single terms and languages -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "pair"), [("en", "stored kept"), ("ja", "返品 返送"), ("zh", "退货 退回")]
)
def test_terms_of_one_meaning_share_a_group(language: str, pair: str) -> None:
    one, other = (
        groups_of(term, language) for term in (terms(pair, "en") if language == "en" else pair.split())
    )
    assert one & other


def test_opposites_share_no_group() -> None:
    stored, deleted = terms("stored deleted", "en")
    assert groups_of(stored, "en")
    assert not groups_of(stored, "en") & groups_of(deleted, "en")


def test_concepts_compare_across_languages() -> None:
    texts = {
        "en": "refunded", "de": "erstattet", "es": "reembolsar", "fr": "remboursement", "ja": "返金します",
        "zh": "退款", "ar": "استرداد المبلغ", "hi": "धनवापसी",
    }  # fmt: skip
    assert {name for code, text in texts.items() for _, name in found(text, code)} == {"refund"}


@pytest.mark.parametrize(
    "text",
    [
        "a" * 100_000,
        "send " * 20_000,
        "schicken " * 12_000,
        "at no " * 17_000,
        "\u0301" * 100_000,
        "e" + "\u0301" * 100_000,
        "返" * 100_000,
        "و" * 100_000,
        "\ud800\x00\u202e" * 30_000,
        "send" + " " * 100_000 + "back",
    ],
)
@pytest.mark.parametrize("language", TIER1)
def test_hostile_text_is_read_to_its_end(text: str, language: str) -> None:
    for meaning in meanings(text, language):
        assert 0 <= meaning.span.start < meaning.span.end <= len(text)
