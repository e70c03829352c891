"""Responses of OpenAI. The fixtures have the shape of recorded responses; their words are our own."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pincite import verify
from pincite.errors import ConfigError
from pincite.findings import CitationStatus

FEES = "Guided tours cost 5 EUR per person."
PARKING = "Parking is free after six."
ANSWER = "Tours cost 5 EUR per person. Parking is free after six."
END = ANSWER.index(" Parking")


def response(text: str, *annotations: Any, results: Any = None) -> dict[str, Any]:
    call = {
        "type": "file_search_call",
        "id": "fs_1",
        "queries": ["fees"],
        "status": "completed",
        "results": results,
    }
    part = {"type": "output_text", "text": text, "annotations": list(annotations)}
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
    return {
        "id": "resp_1",
        "object": "response",
        "text": {"format": {"type": "text"}},
        "output": [call, item],
    }


def file(file_id: str, name: str, index: int) -> dict[str, Any]:
    return {"type": "file_citation", "file_id": file_id, "filename": name, "index": index}


def result(file_id: str, name: str, text: str) -> dict[str, Any]:
    return {"file_id": file_id, "filename": name, "score": 0.9, "text": text, "attributes": {}}


RESULTS = [result("file-a", "fees.pdf", FEES), result("file-b", "parking.pdf", PARKING)]
CITED = (file("file-a", "fees.pdf", END - 1), file("file-b", "parking.pdf", len(ANSWER) - 1))


def test_files_are_checked_against_what_the_search_returned() -> None:
    report = verify(response(ANSWER, *CITED, results=RESULTS))
    assert report.ok
    assert [sentence.citations for sentence in report.sentences] == [("c-1",), ("c-2",)]
    assert [hit.document.title for hit in report.hits] == ["fees.pdf", "parking.pdf"]


def test_a_changed_number_is_found() -> None:
    report = verify(response(ANSWER.replace("5", "6"), *CITED, results=RESULTS))
    assert [one.status for one in report.citations] == [CitationStatus.CONTRADICTED, CitationStatus.VERIFIED]


def test_results_of_one_file_are_one_source() -> None:
    results = [result("file-a", "all.pdf", FEES), result("file-a", "all.pdf", PARKING)]
    both = (file("file-a", "all.pdf", END), file("file-a", "all.pdf", len(ANSWER)))
    report = verify(response(ANSWER, *both, results=results))
    assert report.ok
    assert len(report.hits) == 1


def test_files_are_found_by_name_among_the_sources_given() -> None:
    sources = [{"id": "file-b", "text": PARKING}, {"id": "x", "text": FEES, "title": "fees.pdf"}]
    report = verify(response(ANSWER, *CITED), sources)
    assert [sentence.citations for sentence in report.sentences] == [("c-2",), ("c-1",)]
    assert report.ok


def test_a_source_of_which_no_text_came_is_not_checkable() -> None:
    url = {
        "type": "url_citation",
        "url": "https://a.example",
        "title": "A",
        "start_index": 0,
        "end_index": END,
    }
    for annotation in (CITED[0], url):
        (citation,) = verify(response(FEES, annotation)).citations
        assert citation.status is CitationStatus.NOT_CHECKABLE


@pytest.mark.parametrize("link", ["([fees](https://a.example/fees))", "[fees](https://a.example/fees)"])
def test_a_printed_link_becomes_a_marker(link: str) -> None:
    text = f"Tours cost 5 EUR per person {link}. Parking is free after six."
    start = text.index("[")
    cited = {
        "type": "url_citation", "url": "https://a.example/fees", "title": "Fees", "start_index": start,
        "end_index": text.index("fees)") + 5,
    }  # fmt: skip
    report = verify(response(text, cited), [{"text": FEES, "url": "https://a.example/fees"}])
    assert report.plain.startswith("Tours cost 5 EUR per person")
    assert "http" not in report.plain
    assert report.sentences[0].citations == ("c-1",)
    assert report.sentences[0].support == "supported"


def test_chat_completions_and_assistants_are_read() -> None:
    source = [{"text": FEES, "url": "https://a.example/fees", "id": "file-a"}]
    nested = {"url": "https://a.example/fees", "title": "Fees", "start_index": 0, "end_index": len(FEES)}
    chat = {
        "role": "assistant",
        "content": FEES,
        "annotations": [{"type": "url_citation", "url_citation": nested}],
    }
    assert verify({"object": "chat.completion", "choices": [{"message": chat}]}, source).ok
    assert verify(chat, source).ok
    sign = "【6:0†source】"
    text = FEES[:-1] + sign + "."
    note = {
        "type": "file_citation", "text": sign, "start_index": len(FEES) - 1, "end_index": len(FEES) - 1 + len(sign),
        "file_citation": {"file_id": "file-a"},
    }  # fmt: skip
    old = {"role": "assistant", "content": [{"type": "text", "text": {"value": text, "annotations": [note]}}]}
    report = verify(old, source)
    assert (report.ok, report.plain) == (True, FEES)


def test_the_private_signs_of_a_raw_answer_name_search_results() -> None:
    raw = "Tours cost 5 EUR per person \ue200cite\ue202turn0file0\ue202L1-L2\ue201."
    assert verify(response(raw, results=RESULTS)).ok
    assert verify(response(raw), [FEES]).ok
    later = raw.replace("turn0file0", "turn3file0")
    assert verify(response(later), [FEES]).sentences[0].verdict.checks[0].status is CitationStatus.INVALID


def test_objects_of_the_library_a_list_of_items_and_a_single_message_are_read() -> None:
    whole = response(ANSWER, *CITED, results=RESULTS)
    dumped = SimpleNamespace(model_dump=lambda: whole)
    for given in (dumped, whole["output"]):
        assert verify(given).ok
    assert verify(whole["output"][1], [FEES, PARKING]).sentences[0].verdict.checks[0].citation_id == "file-a"


def test_files_that_the_model_made_are_no_citations() -> None:
    made = {"type": "file_path", "file_id": "file-x", "index": 3}
    assert verify(response(FEES, made), [FEES]).citations == ()


@pytest.mark.parametrize(
    "annotation",
    [
        3,
        {"type": "url_citation"},
        {"type": "url_citation", "url": 3},
        {"type": "url_citation", "url": "https://a.example", "start_index": "0", "end_index": 3},
        {"type": "url_citation", "url": "https://a.example", "start_index": 5, "end_index": 3},
        {"type": "url_citation", "url_citation": 3},
        {"type": "file_citation", "file_id": "a", "index": -4},
    ],
)
def test_a_broken_annotation_says_where(annotation: Any) -> None:
    with pytest.raises(ConfigError, match=r"output\[1\]\.content\[0\]\.annotations\[0\]"):
        verify(response(FEES, annotation), [FEES])


@pytest.mark.parametrize(
    "answer",
    [
        {"choices": []}, {"choices": [{}]}, {"output": [3]}, {"role": "assistant", "content": 3},
        response(FEES, results=3), response(FEES, results=[{"text": 3}]),
    ],
)  # fmt: skip
def test_a_broken_response_is_refused(answer: Any) -> None:
    with pytest.raises(ConfigError):
        verify(answer, [FEES])


def test_places_outside_the_text_and_overlapping_ones_are_harmless() -> None:
    cited = [
        {"type": "url_citation", "url": "https://a.example", "start_index": at, "end_index": at + 9}
        for at in (0, 3, 30, 900)
    ]
    assert verify(response(f"See https://a.example and https://a.example. {FEES}", *cited), [FEES]).sentences
