"""Words, terms and the guess of a language."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pincite.text.words import content_words, detect_language, fold, stop_words, terms, tokens, words


def surfaces(text: str) -> list[str]:
    return [surface for _, surface in words(text)]


def test_combining_marks_stay_with_their_word() -> None:
    assert surfaces("डॉ. शर्मा; caf\u0065\u0301") == ["डॉ", "शर्मा", "cafe\u0301"]


def test_invisible_characters_do_not_part_a_word() -> None:
    assert terms("of\u00adfer می\u200cروم") == ("offer", "میروم")


def test_scripts_without_blanks_become_pairs() -> None:
    assert terms("返品は14日") == ("返品", "品は", "14", "日")
    assert terms("반품 기간") == ("반품", "기간")
    assert terms("iPhone手机") == ("iphone", "手机")


def test_forms_of_a_character_are_folded() -> None:
    assert fold("Ｓtraße") == "strasse"
    assert terms("½ ﬁnal ٣٠ Ⅳ") == ("1", "2", "final", "30", "iv")


def test_words_are_stemmed_in_their_language_only() -> None:
    assert terms("Returned shoes", "en") == ("return", "shoe")
    assert terms("Rückgaben", "de") == terms("Rückgabe", "de")
    assert terms("Returned shoes") == ("returned", "shoes")
    assert terms("Returned shoes", "xx") == ("returned", "shoes")
    assert terms("Returned", "en-GB") == ("return",)


def test_ascii_and_other_texts_give_the_same_terms() -> None:
    plain = "The user_id 3.5 can't re-open"
    assert terms(plain + " é", "en")[:-1] == terms(plain, "en")


def test_tokens_are_the_terms_with_their_places() -> None:
    text = "Schuhe für 返品は14日 caf\u00e9s"
    assert tuple(token.term for token in tokens(text, "de")) == terms(text, "de")
    assert [token.span.of(text) for token in tokens(text, "de")] == [
        "Schuhe",
        "für",
        "返品",
        "品は",
        "14",
        "日",
        "cafés",
    ]


def test_function_words_and_pairs_of_grammar_are_no_content() -> None:
    assert [token.term for token in content_words("The shoes that were returned", "en")] == ["shoe", "return"]
    assert [token.term for token in content_words("返品です。", "ja")] == ["返品", "品で"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Returns take five days and are free.", "en"),
        ("Die Rückgabe dauert fünf Tage und ist kostenlos.", "de"),
        ("La devolución tarda cinco días y es gratis.", "es"),
        ("Le retour prend cinq jours et il est gratuit.", "fr"),
        ("Il reso richiede cinque giorni ed è gratuito.", "it"),
        ("A devolução leva cinco dias e não é paga.", "pt"),
        ("De retour duurt vijf dagen en het is gratis.", "nl"),
        ("Zwrot trwa pięć dni i jest bezpłatny.", "pl"),
        ("Возврат занимает пять дней, и это бесплатно.", "ru"),
        ("Повернення займає п'ять днів і є безкоштовним.", "uk"),
        ("返品は五日で無料です。", "ja"),
        ("退货需要五天，并且免费。", "zh"),
        ("반품은 5일 걸립니다.", "ko"),
        ("يستغرق الإرجاع خمسة أيام وهو مجاني.", "ar"),
        ("वापसी में पाँच दिन लगते हैं और यह निःशुल्क है।", "hi"),
        ("การคืนสินค้าใช้เวลาห้าวัน", "th"),
        ("Η επιστροφή διαρκεί πέντε ημέρες.", "el"),
        ("בקשת ההחזר אורכת חמישה ימים", "he"),
    ],
)
def test_languages_are_told_apart(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize("text", ["", "12345", "AES-256", "🎈", "\ud800", "\0"])
def test_what_tells_no_language_is_not_guessed(text: str) -> None:
    assert detect_language(text) is None


def test_stop_words_are_folded_as_words_are() -> None:
    assert all(
        fold(word) == word for code in ("en", "de", "el", "tr", "ar", "hi", "vi") for word in stop_words(code)
    )


def test_results_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "from pincite.text.words import *; t = 'Die Schuhe der Rückgabe 返品は14日 и возврат';"
        "print(ascii((terms(t, 'de'), detect_language(t), content_words(t, 'de'))))"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1
