"""Messages of Anthropic. The fixtures have the shape of recorded responses; their words are our own."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pincite import verify
from pincite.errors import ConfigError
from pincite.findings import CitationStatus, QuoteMatchKind

FEE = "Guided tours cost 5 EUR per person."
HANDBOOK = f"{FEE} Dogs wait outside."
PARKING = "Parking is free after six. The gate closes at ten."


def char(cited: str, document: int, title: str | None = None) -> dict[str, Any]:
    return {
        "type": "char_location", "cited_text": cited, "document_index": document, "document_title": title,
        "file_id": None, "start_char_index": 0, "end_char_index": len(cited),
    }  # fmt: skip


def message(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "msg_01", "type": "message", "role": "assistant", "model": "claude", "content": list(blocks),
        "stop_reason": "end_turn", "usage": {"input_tokens": 9, "output_tokens": 9},
    }  # fmt: skip


def text(words: str, *citations: dict[str, Any]) -> dict[str, Any]:
    return {"type": "text", "text": words, "citations": list(citations) or None}


FEES = text("Tours cost 5 EUR per person.", char("Guided tours cost 5 EUR per person. ", 0))


def test_a_message_is_checked_against_the_documents_it_was_given() -> None:
    report = verify(
        message(
            FEES,
            text(" "),
            text("Parking is free after six", char("Parking is free after six.", 1)),
            text("."),
        ),
        [HANDBOOK, PARKING],
    )
    assert report.ok
    assert report.plain == "Tours cost 5 EUR per person. Parking is free after six."
    assert [one.quote_match for one in report.citations] == [QuoteMatchKind.EXACT] * 2
    assert report.citations[1].exact == "Parking is free after six."


def test_a_cited_text_that_the_document_does_not_hold_is_found() -> None:
    report = verify(
        message(text("Tours cost 6 EUR per person.", char("Guided tours cost 6 EUR.", 0))), [HANDBOOK]
    )
    assert not report.ok
    assert report.citations[0].quote_match is QuoteMatchKind.NONE


def test_without_documents_the_cited_texts_are_the_sources_and_say_so() -> None:
    wrong = text(" It is open until 22:00.", char("It is open until 21:00.", 0, "Hours"))
    report = verify(message(FEES, wrong))
    assert [hit.document.kind for hit in report.hits] == ["cited text", "cited text"]
    assert report.citations[1].source == "Hours (as the answer quotes it)"
    assert [one.status for one in report.citations] == [CitationStatus.VERIFIED, CitationStatus.CONTRADICTED]


def test_each_citation_of_one_document_keeps_its_own_quote() -> None:
    report = verify(message(FEES, text(" Dogs wait outside.", char("Dogs wait outside.", 0))), [HANDBOOK])
    quotes = [one.quote for sentence in report.sentences for one in sentence.claim.pointers]
    assert quotes == ["Guided tours cost 5 EUR per person.", "Dogs wait outside."]
    assert report.ok


def test_every_sentence_of_a_cited_block_is_cited() -> None:
    both = text("Tours cost 5 EUR per person. Dogs wait outside.\n\n", char(HANDBOOK, 0))
    report = verify(message(both, text("Anything else?")), [HANDBOOK])
    assert [sentence.citations for sentence in report.sentences] == [("c-1",), ("c-1",), ()]
    assert report.ok


@pytest.mark.parametrize(
    "citation",
    [
        {"type": "page_location", "document_index": 0, "document_title": None, "start_page_number": 1, "end_page_number": 2},
        {"type": "content_block_location", "document_index": 0, "start_block_index": 0, "end_block_index": 1},
        {"type": "search_result_location", "search_result_index": 0, "source": "https://a.example/fees", "title": "Fees", "start_block_index": 0, "end_block_index": 1},
        {"type": "web_search_result_location", "url": "https://a.example/fees", "title": None, "encrypted_index": "x"},
        {"type": "a_kind_of_next_year", "document_index": 0},
    ],
)  # fmt: skip
def test_every_kind_of_place_names_its_source(citation: dict[str, Any]) -> None:
    cited = message(text("Tours cost 5 EUR per person.", {"cited_text": FEE, **citation}))
    assert verify(cited, [{"text": HANDBOOK, "url": "https://a.example/fees"}]).ok
    assert verify(cited).ok


def test_a_name_decides_where_documents_were_given_in_another_order() -> None:
    cited = message(text("Tours cost 5 EUR per person.", char("Guided tours cost 5 EUR", 0, "Handbook")))
    assert verify(cited, [PARKING, {"text": HANDBOOK, "title": "Handbook"}]).ok


def test_a_document_that_was_not_given_is_invalid() -> None:
    report = verify(
        message(text("Tours cost 5 EUR per person.", char("Guided tours cost 5 EUR", 4))), [HANDBOOK]
    )
    assert report.sentences[0].verdict.checks[0].status is CitationStatus.INVALID


def test_objects_of_the_library_and_bare_blocks_are_read() -> None:
    block = SimpleNamespace(
        type="text", text=FEES["text"], citations=[SimpleNamespace(**char("Guided tours", 0))]
    )
    for given in (SimpleNamespace(type="message", content=[block]), [block], [FEES]):
        assert verify(given, [HANDBOOK]).ok


def test_blocks_that_are_no_text_are_left_out() -> None:
    thinking = {"type": "thinking", "thinking": "Tours cost 9 EUR.", "signature": "x"}
    assert verify(message(thinking, FEES), [HANDBOOK]).plain == "Tours cost 5 EUR per person."


def test_what_does_not_hold_is_stripped_and_markers_are_numbers_again() -> None:
    wrong = text(" Dogs are welcome inside.", char("Dogs wait outside.", 0))
    stripped = verify(message(FEES, wrong), [HANDBOOK], on_fail="strip").stripped or ""
    assert stripped.startswith("Tours cost 5 EUR per person [1].")
    assert "welcome" not in stripped


@pytest.mark.parametrize(
    "block",
    [
        {"type": "text", "text": None},
        {"type": "text", "text": "A.", "citations": "x"},
        {"type": "text", "text": "A.", "citations": [3]},
        {"type": "text", "text": "A.", "citations": [{"type": "char_location", "document_index": 0}]},
        {"type": "text", "text": "A.", "citations": [{"cited_text": "A", "document_index": "0"}]},
        {"type": "text", "text": "A.", "citations": [{"cited_text": "A", "document_index": -1}]},
        {"type": "text", "text": "A.", "citations": [{"cited_text": "A", "document_title": 3}]},
    ],
)
def test_a_broken_message_says_where(block: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"content\[1\]"):
        verify(message(FEES, block), [HANDBOOK])


@pytest.mark.parametrize(
    "answer", [{"content": [3]}, {"content": []}, {"content": {}}, [], [3], 3, object(), dict]
)
def test_what_is_no_message_is_refused(answer: Any) -> None:
    with pytest.raises(ConfigError):
        verify(answer, [HANDBOOK])
