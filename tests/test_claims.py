"""From text to claims, and back to one text."""

from __future__ import annotations

import pytest

from pincite.claims import aliases, assemble, is_factual, is_refusal, parse_claims
from pincite.findings import Claim, Pointer, Sentence, Support, Verdict
from pincite.types import Quote, Span
from tests.doubles import hits

KNOWN = aliases(hits("one", "two", "three"))


def test_a_number_and_a_prompt_id_mean_the_same_source() -> None:
    first, second = parse_claims("Entry is free [2]. Tours cost 5 EUR [c-2].", KNOWN).claims
    assert first.cited_ids == second.cited_ids == ("c-2",)


def test_a_document_id_stands_for_each_of_its_chunks() -> None:
    one, two = hits(
        {"id": "guide-1", "doc_id": "guide", "text": "a"}, {"id": "guide-2", "doc_id": "guide", "text": "b"}
    )  # type: ignore[arg-type]
    (claim,) = parse_claims("Entry is free [guide].", aliases((one, two))).claims
    assert claim.cited_ids == ("c-1", "c-2")


def test_an_unknown_id_is_kept_as_written() -> None:
    (claim,) = parse_claims("Entry is free [9].", KNOWN).claims
    assert claim.pointers[0].id == "9"
    assert not claim.pointers[0].known


def test_a_quote_belongs_to_the_marker_with_its_id() -> None:
    (claim,) = parse_claims("Entry is free [c-1][c-2].", KNOWN, (Quote("c-2", "free entry"),)).claims
    assert [(pointer.id, pointer.quote) for pointer in claim.pointers] == [
        ("c-1", None),
        ("c-2", "free entry"),
    ]


def test_a_quote_without_a_marker_is_a_citation_of_the_sentence() -> None:
    (claim,) = parse_claims("Entry is free.", KNOWN, (Quote("c-3", "Entry is free"),)).claims
    assert claim.cited_ids == ("c-3",)
    assert claim.pointers[0].at == claim.span.end


def test_a_quote_with_an_invented_id_is_an_unknown_citation() -> None:
    (claim,) = parse_claims("Entry is free.", KNOWN, (Quote("c-9", "Entry is free"),)).claims
    assert not claim.pointers[0].known


def test_a_reference_mark_copied_from_the_quoted_source_is_no_citation() -> None:
    quote = "Built in 1921 [1] and renewed in 1987,[26] it stands.[27]"
    parsed = parse_claims("Renewed in 1987,[26] it stands.[27]", KNOWN, (Quote("c-2", quote),))
    assert parsed.plain == "Renewed in 1987, it stands."
    assert [(one.id, one.known, one.quote) for one in parsed.claims[0].pointers] == [("c-2", True, quote)]


def test_a_copied_mark_that_is_the_number_of_another_source_is_no_citation_of_it() -> None:
    quote = "Built in 1921 [1] and renewed in 1987 [2]."
    (claim,) = parse_claims(quote, KNOWN, (Quote("c-1", quote),)).claims
    assert claim.text == "Built in 1921 and renewed in 1987."
    assert [(one.id, one.at) for one in claim.pointers] == [("c-1", len(claim.text))]


@pytest.mark.parametrize(
    ("statement", "quotes"),
    [
        ("Pairs last a year [26].", (Quote("c-1", "Pairs last a year."),)),
        ("Pairs last a year [27].", (Quote("c-1", "Pairs last a year.[26]"),)),
        ("Pairs [26] last a year.", (Quote("c-1", "Pairs last a year.[26]"),)),
        ("Pairs last a year [26].", (Quote("26", "Pairs last a year.[26]"),)),
        ("Pairs last a year [26].", ()),
    ],
)
def test_an_invented_id_stays_unknown(statement: str, quotes: tuple[Quote, ...]) -> None:
    (claim,) = parse_claims(statement, KNOWN, quotes).claims
    assert any(not one.known for one in claim.pointers)


def test_a_marker_beside_a_copied_mark_is_still_read() -> None:
    (claim,) = parse_claims("Pairs last.[26][c-3]", KNOWN, (Quote("c-1", "Pairs last.[26]"),)).claims
    assert [one.id for one in claim.pointers] == ["c-3"]


def test_an_interval_copied_from_the_source_stays() -> None:
    parsed = parse_claims("A score in [0, 10] is given.", KNOWN, (Quote("c-1", "A score in [0, 10]"),))
    assert parsed.plain == "A score in [0, 10] is given."
    assert parsed.claims[0].cited_ids == ("c-1",)


def test_claims_are_spans_of_the_plain_text() -> None:
    parsed = parse_claims("## Fees\n\n- Entry is free [1].\n- Tours: 5 EUR [2].", KNOWN)
    assert [claim.span.of(parsed.plain) for claim in parsed.claims] == [claim.text for claim in parsed.claims]
    assert "[" not in parsed.plain


@pytest.mark.parametrize(
    "sentence",
    [
        "Hello!",
        "Let me know if you need more.",
        "Is there anything else?",
        "Here is what the sources say:",
        "The provided context does not cover warranty terms.",
        "I could not find this in the sources.",
        "Die Quellen beantworten diese Frage nicht.",
        "この質問の答えは資料の中に見つかりませんでした。",
        "Vielen Dank für Ihre Frage!",
        "希望以上内容对您有帮助。",
        "Merci pour votre question !",
        "Hello, thank you for your question.",
        "I hope this helps, and have a nice day.",
        "Sure, here is an overview:",
        "The documents do not mention the fees of 2024.",
        "We could not find an answer in the sources.",
        "Unfortunately, the sources do not answer this.",
        "This is not mentioned in the documents.",
        "No relevant information was found.",
        "I don't have information about that.",
        "Las fuentes no mencionan el precio.",
        "Le contexte ne précise pas le délai.",
        "文档中没有提到价格。",
        "स्रोतों में इसका उल्लेख नहीं है।",
        "***",
        "[^1]: Returns policy, page 3",
    ],
)
def test_courtesies_questions_lead_ins_and_refusals_need_no_citation(sentence: str) -> None:
    assert not is_factual(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Socks are final sale.",
        "Refunds are not available after 30 days.",
        "Here the limit is 25 MB.",
        "Thanks to the new plan, uploads are free.",
        "Die Frist beträgt nicht 30, sondern 14 Tage.",
        "返品は14日以内に受け付けます。",
        "Sure Start grants are 500 GBP.",
        "This plan does not include support.",
        "The documents must not be older than 3 months.",
        "Nous n'expédions pas en Suisse.",
        "No dogs are allowed.",
        "We cannot ship to Norway.",
        "There is no charge for returns.",
        "Sure, worn shoes can be returned.",
        "Of course, uploads may be 90 MB.",
        "Dear customer, worn shoes can be returned.",
        "I hope this helps: worn shoes can be returned.",
        "Let me know if you need Pro, it costs 9 EUR.",
        "当然，专业版每月九欧元一个席位。",
        "The documents do not require a fee.",
        "We do not have a showroom in Berlin.",
        "We are unable to ship to Norway.",
        "This is not covered by the warranty.",
        "No information is sold to third parties.",
        "I could not find it, but Pro costs 9 EUR.",
        "The documents do not mention it; worn shoes can be returned.",
        "Die Unterlagen müssen nicht beglaubigt sein.",
        "Los documentos no se devuelven.",
        "Les documents ne sont pas rendus.",
        "資料の返却はありません。",
        "文件未盖章无效。",
        "لا توجد رسوم للإرجاع.",
        "दस्तावेज़ वापस नहीं किए जाएंगे।",
    ],
)
def test_a_sentence_that_says_something_needs_a_citation(sentence: str) -> None:
    assert is_factual(sentence)


def test_a_negative_fact_is_no_refusal() -> None:
    assert not is_refusal("The warranty does not cover water damage.")


def sentence(text: str, start: int, index: int, pointers: tuple[Pointer, ...] = ()) -> Sentence:
    claim = Claim(index, Span(start, start + len(text)), text, pointers=pointers)
    return Sentence(claim, Verdict(Support.SUPPORTED, 1.0, "", unsupported_words=(Span(start, start + 1),)))


def test_statements_are_joined_and_all_offsets_move_along() -> None:
    first = ("Entry is free.", [sentence("Entry is free.", 0, 0)])
    second = ("Tours: 5 EUR.", [sentence("Tours: 5 EUR.", 0, 0, (Pointer("c-1", 13),))])
    text, sentences = assemble([first, second])
    assert text == "Entry is free. Tours: 5 EUR."
    assert [one.span.of(text) for one in sentences] == ["Entry is free.", "Tours: 5 EUR."]
    assert sentences[1].claim.pointers[0].at == len(text)
    assert sentences[1].verdict.unsupported_words[0].of(text) == "T"
    assert [one.index for one in sentences] == [0, 1]


def test_a_removed_sentence_leaves_no_gap() -> None:
    plain = "One. Two. Three."
    kept = [sentence("One.", 0, 0), sentence("Three.", 10, 2)]
    assert assemble([(plain, kept)])[0] == "One. Three."


def test_list_items_keep_their_bullets_and_their_lines() -> None:
    items = [(f"- Item {n}", [sentence(f"Item {n}", 2, 0)]) for n in (1, 2)]
    text, sentences = assemble([("The items are:", [sentence("The items are:", 0, 0)]), *items])
    assert text == "The items are:\n\n- Item 1\n- Item 2"
    assert [one.span.of(text) for one in sentences] == ["The items are:", "Item 1", "Item 2"]


def test_scripts_without_blanks_are_joined_without_one() -> None:
    text, _ = assemble(
        [("運費無料。", [sentence("運費無料。", 0, 0)]), ("返品可。", [sentence("返品可。", 0, 0)])]
    )
    assert text == "運費無料。返品可。"


def test_nothing_shown_is_an_empty_text() -> None:
    assert assemble([]) == ("", ())
