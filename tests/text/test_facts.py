"""Facts of a sentence, and the differences between those of a claim and of its source."""

from __future__ import annotations

import pytest

from pincite.findings import Difference
from pincite.text.facts import fact_differences, facts


def kinds(text: str, language: str | None = "en") -> list[tuple[str, str]]:
    return [(fact.kind, fact.value) for fact in facts(text, language=language)]


def differences(
    claim: str, source: str, language: str = "en", source_language: str | None = None
) -> tuple[Difference, ...]:
    other = source_language or language
    return fact_differences(
        facts(claim, language=language),
        facts(source, language=other),
        claim_text=claim,
        source_text=source,
        claim_language=language,
        source_language=other,
    )


def reasons(claim: str, source: str, language: str = "en", source_language: str | None = None) -> list[str]:
    return [difference.kind for difference in differences(claim, source, language, source_language)]


# --- finding


def test_a_sentence_gives_its_quantities_names_and_small_words_in_order() -> None:
    assert kinds("Only Acme Corp members may return items within 30 days, except on Monday.") == [
        ("quantifier", "only"),
        ("name", "acme corp"),
        ("modality", "may"),
        ("number", "30 days"),
        ("negation", "except"),
        ("date", "weekday:1"),
    ]


def test_a_word_that_begins_a_sentence_is_no_name_by_its_capital_alone() -> None:
    assert kinds("Parcels are here.") == []
    assert ("name", "http") in kinds("HTTP is used.")
    assert ("name", "acme corp") in kinds("Acme Corp ships.")


def test_german_nouns_are_no_names() -> None:
    assert [
        value for kind, value in kinds("Die Frist endet am Montag bei der Firma.", "de") if kind == "name"
    ] == []
    assert ("name", "angela merkel") in kinds("Die Rede von Angela Merkel.", "de")


def test_identifiers_and_latin_in_other_scripts_are_names() -> None:
    assert [value for kind, value in kinds("Set `max_tokens` in foo.bar() or iPhone.") if kind == "name"] == [
        "max_tokens",
        "foo.bar()",
        "iphone",
    ]
    assert ("name", "openai") in kinds("使用OpenAI的模型。", "zh")
    assert ("name", "データベース") in kinds("データベースを使う。", "ja")


def test_a_number_is_no_name_as_well() -> None:
    assert kinds("It uses AES-256.") == [("number", "AES-256")]


def test_idioms_with_a_small_word_say_nothing_of_the_kind() -> None:
    assert kinds("这很不错，不仅如此，非常好。", "zh") == [] or ("negation", "not") not in kinds(
        "不仅如此，非常好。", "zh"
    )
    assert ("negation", "not") not in kinds("It is not only fast.")


def test_spans_give_the_surface() -> None:
    text = "Refunds aren’t possible after 30\u00a0days at Café Zoë."
    for fact in facts(text, language="en"):
        assert fact.span.of(text) == fact.surface


# --- the same


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Refunds are possible within 30 days.", "Refunds are possible within thirty days of delivery."),
        ("The limit is 25 MB.", "Files may be up to 25 MB."),
        ("It costs half.", "It costs 50 % for members."),
        ("Smoking is forbidden.", "Smoking is not allowed."),
        ("Refunds are unavailable.", "Refunds are not available."),
        ("It was signed in 2024.", "It was signed on 6 May 2024."),
        ("It uses AES 256.", "It uses AES-256."),
        ("It runs on PlayStation3.", "It runs on PlayStation 3."),
        ("The FDA approved it.", "The Food and Drug Administration approved it."),
        ("Khloe won.", "Khloé won."),
        ("Files are kept for 30 days.", "Duration in days: 30. Files are kept."),
        ("About 4.5 million people use it.", "4,523,000 people use it."),
    ],
)
def test_another_wording_of_the_same_fact_is_no_difference(claim: str, source: str) -> None:
    assert differences(claim, source) == ()


def test_a_further_number_in_the_source_is_no_difference() -> None:
    assert differences("It costs $5.", "It costs $5 and takes 3 days.") == ()


# --- different, with the reason


@pytest.mark.parametrize(
    ("claim", "source", "reason"),
    [
        ("Refunds within 90 days.", "Refunds within 30 days.", "number"),
        ("It takes 30 minutes.", "It takes 30 days.", "unit"),
        ("It costs $5.", "It costs €5.", "currency"),
        ("It costs $5 per month.", "It costs $5 per year.", "unit"),
        ("It ends on 5 May 2024.", "It ends on 6 May 2024.", "date"),
        ("It ends at 5 pm.", "It ends at 6 pm.", "date"),
        ("We open on Monday.", "We open on Tuesday.", "date"),
        ("It takes at least 5 days.", "It takes at most 5 days.", "comparator"),
        ("It uses AES-128.", "It uses AES-256.", "number"),
        ("The fix is in version 2.1.", "The fix is in version 2.10.", "number"),
        ("The deal is with Acme Ltd.", "The deal is with Acme Inc.", "name"),
        ("Refunds are possible.", "Refunds are not possible.", "negation"),
        ("Refunds are possible.", "Refunds are impossible.", "opposite"),
        ("Data is not encrypted.", "Data is encrypted.", "negation"),
        ("Data is encrypted.", "Data is unencrypted.", "negation"),
        ("Pets are allowed.", "Pets are forbidden.", "opposite"),
        ("The fee increases each year.", "The fee decreases each year.", "opposite"),
        ("All users can export.", "Some users can export.", "quantifier"),
        ("You must register first.", "You may register first.", "modality"),
    ],
)
def test_a_changed_fact_is_a_difference_with_its_reason(claim: str, source: str, reason: str) -> None:
    assert reason in reasons(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Members get a discount.", "Only members get a discount."),
        ("All items can be returned.", "All items can be returned, except gift cards."),
        ("You get a refund.", "You get a refund, provided that the label is on."),
    ],
)
def test_a_condition_of_the_source_that_the_claim_drops_is_a_difference(claim: str, source: str) -> None:
    (difference,) = differences(claim, source)
    assert difference.answer == ""
    assert difference.answer_span is None
    assert difference.source_span is not None


def test_the_near_value_is_shown_with_its_place() -> None:
    claim, source = "Refunds take 90 days.", "Refunds take 30 days; shipping takes 5 hours."
    (difference,) = differences(claim, source)
    assert str(difference) == "answer says 90 days, source says 30 days"
    assert difference.answer_span is not None
    assert difference.answer_span.of(claim) == "90 days"
    assert difference.source_span is not None
    assert difference.source_span.of(source) == "30 days"


def test_a_number_that_is_nowhere_in_the_source_has_an_empty_source() -> None:
    (difference,) = differences("It weighs 5 kg.", "It is blue.")
    assert (difference.kind, difference.answer, difference.source) == ("number", "5 kg", "")


@pytest.mark.parametrize(
    ("claim", "source", "language"),
    [
        ("Die Erstattung ist möglich.", "Die Erstattung ist nicht möglich.", "de"),
        ("Rauchen ist verboten.", "Rauchen ist erlaubt.", "de"),
        ("Se permite fumar.", "No se permite fumar.", "es"),
        ("El envío es gratuito.", "El envío es de pago.", "es"),
        ("Le remboursement est possible.", "Le remboursement n'est pas possible.", "fr"),
        ("La livraison est gratuite.", "La livraison est payante.", "fr"),
        ("返品できます。", "返品できません。", "ja"),
        ("喫煙は許可されています。", "喫煙は禁止されています。", "ja"),
        ("可以退款。", "不可以退款。", "zh"),
        ("允许吸烟。", "禁止吸烟。", "zh"),
        ("التدخين مسموح هنا", "التدخين ممنوع هنا", "ar"),
        ("الاسترداد ممكن", "الاسترداد غير ممكن", "ar"),
        ("धूम्रपान की अनुमति है", "धूम्रपान की अनुमति नहीं है", "hi"),
        ("डिलीवरी मुफ्त है", "डिलीवरी सशुल्क है", "hi"),
    ],
)
def test_negation_and_opposites_are_seen_in_every_tier_1_language(
    claim: str, source: str, language: str
) -> None:
    assert set(reasons(claim, source, language)) & {"negation", "opposite"}
    assert set(reasons(source, claim, language)) & {"negation", "opposite"}
    assert differences(claim, claim, language) == ()


def test_quantities_are_compared_across_languages() -> None:
    assert reasons("Refunds within 30 days.", "Erstattung innerhalb von dreißig Tagen.", "en", "de") == []
    assert reasons("Refunds within 30 days.", "Erstattung innerhalb von 14 Tagen.", "en", "de") == ["number"]


def test_another_language_than_tier_1_has_quantities_and_names_only() -> None:
    assert reasons("Zwrot w 30 dni.", "Zwrot w 14 dni.", "pl") == ["number"]
    assert reasons("Zwrot jest możliwy.", "Zwrot nie jest możliwy.", "pl") == []


def test_thousands_of_numbers_give_a_bounded_report() -> None:
    claim = " ".join(f"{n} kg" for n in range(3000))
    assert 0 < len(differences(claim, "It weighs 5000 kg.")) <= 64


def test_first_and_last_are_opposites_although_first_is_an_ordinal() -> None:
    assert "opposite" in reasons("He was the last man on the moon.", "He was the first man on the moon.")


def test_one_more_negation_in_the_same_sentence_is_a_difference() -> None:
    source = "The parliament does not decide on taxes, duties and tolls of the union."
    claim = "The parliament does not decide on no taxes, duties and tolls of the union."
    assert reasons(claim, source) == ["negation"]


def test_a_condition_in_another_sentence_of_the_source_is_not_dropped() -> None:
    source = "Parcels leave on weekdays. Gift cards are never refunded, except in California. Only adults may order."
    assert differences("Parcels leave on weekdays.", source) == ()


def test_the_side_of_a_pair_with_more_shared_words_is_the_one_meant() -> None:
    source = "The shop opens at 9 on weekdays, and the museum closes at 5 on holidays."
    assert differences("The museum closes at 5 on holidays.", source) == ()
    assert "opposite" in reasons("The museum opens at 5 on holidays.", source)


@pytest.mark.parametrize(
    ("claim", "source", "source_language"),
    [
        ("Smoking is allowed.", "Rauchen ist verboten.", "de"),
        ("Delivery is free.", "La livraison est payante.", "fr"),
        ("Refunds are possible.", "Eine Erstattung ist nicht möglich.", "de"),
        ("The data is encrypted.", "Die Daten sind nicht verschlüsselt.", "de"),
        ("Smoking is allowed.", "喫煙は禁止されています。", "ja"),
        ("Smoking is allowed.", "禁止吸烟。", "zh"),
    ],
)
def test_opposites_and_negation_are_seen_across_languages(
    claim: str, source: str, source_language: str
) -> None:
    assert set(reasons(claim, source, "en", source_language)) & {"negation", "opposite"}


@pytest.mark.parametrize(
    ("claim", "source", "source_language"),
    [
        ("Smoking is forbidden.", "Rauchen ist nicht erlaubt.", "de"),
        ("Delivery is free.", "La livraison est gratuite.", "fr"),
        ("Refunds within 30 days.", "30日以内に返金します。", "ja"),
    ],
)
def test_the_same_in_another_language_is_no_difference(claim: str, source: str, source_language: str) -> None:
    assert differences(claim, source, "en", source_language) == ()


@pytest.mark.parametrize(
    ("claim", "source", "language", "reason"),
    [
        ("Öffnet im Mai.", "Öffnet im März.", "de", "date"),
        ("Abre en mayo.", "Abre en marzo.", "es", "date"),
        ("Ouvre en mai.", "Ouvre en mars.", "fr", "date"),
        ("5月に開く。", "6月に開く。", "ja", "date"),
        ("星期一休息。", "星期二休息。", "zh", "date"),
        ("مغلق يوم الاثنين", "مغلق يوم الثلاثاء", "ar", "date"),
        ("मई में खुलता है", "मार्च में खुलता है", "hi", "date"),
        ("500円です。", "500ドルです。", "ja", "currency"),
        ("费用为100元。", "费用为100美元。", "zh", "currency"),
        ("الرسوم 5 دولار", "الرسوم 5 يورو", "ar", "currency"),
        ("最多30天", "至少30天", "zh", "comparator"),
        ("30日以内に返品", "30日以降に返品", "ja", "comparator"),
        ("Mitglieder dürfen buchen.", "Nur Mitglieder dürfen buchen.", "de", "quantifier"),
        ("Los miembros pueden reservar.", "Solo los miembros pueden reservar.", "es", "quantifier"),
        ("Les membres peuvent réserver.", "Seuls les membres peuvent réserver.", "fr", "quantifier"),
        ("会員は予約できます。", "会員のみ予約できます。", "ja", "quantifier"),
        ("会员可以预订。", "只有会员可以预订。", "zh", "quantifier"),
        ("يمكن للأعضاء الحجز", "يمكن للأعضاء فقط الحجز", "ar", "quantifier"),
        ("सदस्य बुक कर सकते हैं", "केवल सदस्य बुक कर सकते हैं", "hi", "quantifier"),
        ("すべての顧客が割引を受ける。", "一部の顧客が割引を受ける。", "ja", "quantifier"),
        ("Sie müssen sich anmelden.", "Sie können sich anmelden.", "de", "modality"),
        ("Vous devez vous inscrire.", "Vous pouvez vous inscrire.", "fr", "modality"),
        ("您必须注册。", "您可以注册。", "zh", "modality"),
        ("يجب التسجيل", "يمكن التسجيل", "ar", "modality"),
    ],
)
def test_changes_of_many_kinds_are_seen_in_tier_1_languages(
    claim: str, source: str, language: str, reason: str
) -> None:
    assert reason in reasons(claim, source, language)
    assert differences(claim, claim, language) == ()
