"""Sentences and blocks: where they end, and that nothing is lost. Cases by language are in tests/cases."""

from __future__ import annotations

import pytest

from pincite.text import sentences
from pincite.text.blocks import BlockKind, blocks
from pincite.text.markers import parse_markers
from pincite.text.sentences import split_sentences


def split(text: str, language: str | None = None, **more: object) -> list[str]:
    return [span.of(text) for span in split_sentences(text, language=language, **more)]  # type: ignore[arg-type]


def kinds(text: str) -> list[tuple[str, str]]:
    return [(block.kind.value, block.body.of(text)) for block in blocks(text)]


@pytest.mark.parametrize(
    ("language", "parts"),
    [
        ("en", ["The store opens at 9 a.m.", "It closes at 5 p.m. every day."]),
        ("en", ["Use the No. 5 key.", "No.", "That is wrong."]),
        ("en", ["Visit https://example.org/faq?x=1.2 for details.", "Or write to a.b@example.org."]),
        ("en", ["The limit is 25 MB.", "iPhone users get 50 MB."]),
        ("en", ["Refunds take 5 days.", "`pip install x` works too."]),
        ("en", ["Smith et al. (2020) found it.", "Cf. Jones 2019."]),
        ("en", ["The price is 3 EUR.", "4 EUR is too much."]),
        ("en", ["He works at Yahoo! as a clerk.", "She does not."]),
        ("en", ["Wait… what?", "Yes."]),
        ("de", ["Das Büro ist am 3. und 4. Mai zu.", "Ab dem 5. Mai ist es offen."]),
        ("de", ["Der 2. Absatz von Art. 5 Abs. 3 gilt.", "Das 1. Kapitel nicht."]),
        ("de", ["Siehe S. 5 f. im Handbuch.", "Vgl. auch Nr. 7."]),
        ("fr", ["Est-ce gratuit ?", "Oui !", "C'est p. ex. le cas ici."]),
        ("es", ["El Sr. Pérez pagó 3.500 €.", "La Sra. Gómez no."]),
        ("nl", ["Dhr. Jansen komt om 5 uur.", "Dit geldt o.a. voor boeken, d.w.z. alles."]),
        ("pl", ["Np. książki są tanie.", "Zob. str. 5."]),
        ("sv", ["Butiken öppnar kl. 9.", "Det gäller t.ex. böcker."]),
        ("el", ["Είναι δωρεάν;", "Ναι."]),
        ("ar", ["د. أحمد هنا.", "انتهى."]),
        (
            "de",
            ["Wohnung 1. OG rechts ist frei.", "Die Miete: 2. Obergeschoss 500 EUR.", "Sie gilt am 3. Mai."],
        ),
        (
            "de",
            ["Der Umsatz (2. Quartal) stieg; Umsatz 3. Quartal: 5 EUR.", "Siehe Kapitel 3.", "Platz ist da."],
        ),
        ("de", ["Er wohnt Ringstr. 5, 1. Stock.", "Das ist alles."]),
        ("en", ["The rent of 1. OG rechts is 500 EUR.", "The answer is 5.", "Bring it."]),
        ("cs", ["Byt je v 1. NP domu.", "Je volný."]),
        ("tr", ["Bu 1. Dünya Savaşı demek.", "Bitti."]),
        ("en", ["The hut lies at 2,137 m.", "Water must be boiled.", "Add 5 g.", "It melts."]),
        ("en", ["Ask J. Smith on p. 5 of No. 7.", "In 2019 J. Smith won."]),
        ("de", ["Die Hütte liegt auf 2.137 m.", "Wasser muss man abkochen.", "Siehe S. 5 f. Müller."]),
        ("de", ["Öffnen Sie `Laden`.", "1. Schalten Sie es ein.", "2. Drücken Sie den Knopf."]),
    ],
)
def test_short_forms_and_numbers_do_not_end_a_sentence_and_words_do(language: str, parts: list[str]) -> None:
    assert split(" ".join(parts), language) == parts


@pytest.mark.parametrize(
    ("language", "parts"),
    [
        ("ja", ["「いいです。」と答えた。", "（注。）", "終わり。"]),
        ("zh", ["价格是3.5元。", "“好吧。”他说。", "然后他走了！"]),
        ("my", ["ကျွန်တော်သွားမယ်။", "သူလာမယ်။"]),
        ("km", ["ខ្ញុំទៅ។", "គាត់មក។"]),
        ("hy", ["Սա ձրի է։", "Այո։"]),
    ],
)
def test_scripts_without_blanks_end_sentences_at_their_own_stops(language: str, parts: list[str]) -> None:
    assert split("".join(parts), language) == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "Most ducks pair.[26] Larger species too.[27][note 3] Others not.[b]",
            ["Most ducks pair.[26]", "Larger species too.[27][note 3]", "Others not.[b]"],
        ),
        ("Is it so?[4] Yes.[5]: 12 It is.", ["Is it so?[4]", "Yes.[5]: 12", "It is."]),
        ("価格は五円。[12]税込です。", ["価格は五円。[12]", "税込です。"]),
        ("See e.g.[3] the annex.", ["See e.g.[3] the annex."]),
        ("Look at ![1](plan.png) the plan.", ["Look at ![1](plan.png) the plan."]),
    ],
)
def test_reference_marks_behind_a_stop_belong_to_its_sentence(text: str, parts: list[str]) -> None:
    assert split(text) == parts


def test_a_line_that_begins_with_a_floor_or_a_date_is_no_list_item() -> None:
    assert split("1. OG rechts: Yilmaz\n2. OG links: Meier") == ["1. OG rechts: Yilmaz", "2. OG links: Meier"]
    assert split("3. Mai: Schulfest") == ["3. Mai: Schulfest"]
    assert split("1. Eins\n2. Zwei") == ["Eins", "Zwei"]


def test_stops_of_other_scripts_count_in_any_language() -> None:
    assert split("Fees are low. यह एक वाक्य है। 退款期限为三十天。运费不予退还。", "en") == [
        "Fees are low.",
        "यह एक वाक्य है।",
        "退款期限为三十天。",
        "运费不予退还。",
    ]


def test_a_text_without_capitals_is_split_too() -> None:
    assert split("returns take 5 days. bring the receipt, e.g. on paper.", "en") == [
        "returns take 5 days.",
        "bring the receipt, e.g. on paper.",
    ]


def test_wrapped_lines_are_joined_and_short_lines_are_not() -> None:
    wrapped = "The annual membership covers entry to all\nHalls and guided tours on weekdays."
    assert split(wrapped) == [wrapped]
    assert split("Opening hours\nClosed on Mondays.") == ["Opening hours", "Closed on Mondays."]


def test_thai_is_cut_at_blanks_and_never_grows_without_end() -> None:
    phrases = split("ร้านเปิดทุกวัน ปิดวันจันทร์ " * 20, "th")
    assert len(phrases) > 3
    assert all(len(phrase) <= sentences.MAX_PHRASES_CHARS for phrase in phrases)
    assert max(map(len, split("ก" * 2_000, "th"))) <= sentences.MAX_PHRASES_CHARS


def test_a_place_that_shows_an_end_counts_only_after_a_stop() -> None:
    text = "Sold by Acme Inc. Firma Ltd. is another"
    assert split(text, "en") == [text]
    assert split(text, "en", ends=[17]) == ["Sold by Acme Inc.", "Firma Ltd. is another"]
    assert split(text, "en", ends=[4]) == [text]


def test_a_code_fence_is_one_sentence_and_a_table_row_too() -> None:
    text = "Run:\n\n```\na. B\n\nc\n```\n| Plan | Price |\n|---|---|\n| Basic. Plus | 5 |"
    assert split(text) == ["Run:", "```\na. B\n\nc\n```", "| Plan | Price |", "| Basic. Plus | 5 |"]


def test_offsets_count_code_points_also_behind_emoji() -> None:
    text = "🎈🎈 Ice is free. 🎈 Rooms are not."
    assert split(text, "en") == ["🎈🎈 Ice is free.", "🎈 Rooms are not."]


@pytest.mark.parametrize("text", ["", " \n\n ", "\ud800", "\0", "---", "...", "🎈"])
def test_texts_without_words_do_no_harm(text: str) -> None:
    assert len(split_sentences(text)) <= 1


def test_no_break_spaces_in_japanese_do_not_end_the_process() -> None:
    # sentencex 1.0.32 panics here when it is given the blanks as they are.
    text = "はい」と\u00a0A.\u00a0終わり。次"
    assert "".join(split(text, "ja")).replace(" ", "")[-1] == "次"


def test_a_panic_of_the_splitter_leaves_our_own_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        pass

    def panics(language: str, text: str) -> list[dict[str, int]]:
        raise PanicException

    monkeypatch.setattr(sentences, "get_sentence_boundaries", panics)
    assert split("Is it free? Yes.", "en") == ["Is it free?", "Yes."]


def test_any_other_exception_of_the_splitter_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(language: str, text: str) -> list[dict[str, int]]:
        raise KeyboardInterrupt

    monkeypatch.setattr(sentences, "get_sentence_boundaries", interrupted)
    with pytest.raises(KeyboardInterrupt):
        split("Is it free? Yes.", "en")


# --- blocks -------------------------------------------------------------------------------------


def test_markdown_is_read_as_blocks_without_its_signs() -> None:
    assert kinds("# Fees #\n\nOpen\ndaily\n- one\n- [x] two\n1. three\n> four\n***\nTitle\n===\n") == [
        ("heading", "Fees"),
        ("paragraph", "Open\ndaily"),
        ("list_item", "one"),
        ("list_item", "two"),
        ("list_item", "three"),
        ("quote", "four"),
        ("rule", ""),
        ("heading", "Title"),
    ]


def test_a_hash_inside_a_fence_is_no_heading() -> None:
    assert [kind for kind, _ in kinds("~~~sh\n# not a heading\n~~~\n## Check\n")] == ["code", "heading"]


def test_a_fence_that_is_never_closed_runs_to_the_end() -> None:
    assert kinds("a\n```\nb\n\nc") == [("paragraph", "a"), ("code", "```\nb\n\nc")]


def test_a_date_at_the_start_of_a_line_is_no_list_item() -> None:
    assert kinds("29. Juli ist frei.") == [("paragraph", "29. Juli ist frei.")]
    assert kinds("Frei ist am\n3. Oktober.") == [("paragraph", "Frei ist am\n3. Oktober.")]


def test_a_list_may_begin_with_any_number_when_it_goes_on_counting() -> None:
    assert [body for _, body in kinds("7. seven\n8. eight\n9. nine")] == ["seven", "eight", "nine"]


def test_heading_levels_are_told() -> None:
    assert [block.level for block in blocks("# a\n### b\nc\n---\n\nd")] == [1, 3, 2, 0]


def test_table_rows_are_told_from_the_rule_between_them() -> None:
    found = blocks("a | b\n--|--\n1 | 2\n\nx | y")
    assert [block.kind for block in found] == [
        BlockKind.TABLE_ROW,
        BlockKind.TABLE_RULE,
        BlockKind.TABLE_ROW,
        BlockKind.PARAGRAPH,
    ]


@pytest.mark.parametrize(
    ("answer", "parts"),
    [
        (
            "The hut lies at 2,137 m [1]. Water must be boiled [1].",
            ["The hut lies at 2,137 m.", "Water must be boiled."],
        ),
        ("It needs 230 V [1]. Cables are included [1].", ["It needs 230 V.", "Cables are included."]),
        ("Take vitamin C [1]. Oranges have it [1].", ["Take vitamin C.", "Oranges have it."]),
        ("J. Smith wrote p. 5 of No. 7 [1]. He left.", ["J. Smith wrote p. 5 of No. 7.", "He left."]),
        ("Ask J [1]. smith.", ["Ask J. smith."]),
    ],
)
def test_a_marker_right_before_a_stop_shows_that_the_sentence_ends(answer: str, parts: list[str]) -> None:
    parsed = parse_markers(answer, ["1"])
    assert [span.of(parsed.plain) for span in parsed.sentences] == parts
