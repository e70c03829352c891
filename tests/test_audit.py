"""Texts of documents that may not be shown are taken out of stored answers; the rest keeps its places."""

from __future__ import annotations

import json

from pincite import Document
from pincite.audit import WITHHELD, withheld
from pincite.renderers.json import answer_dict
from tests.doubles import pipeline

REMOVED = {"state": "removed", "at": "2026-01-02T03:04:05Z"}


def two_sources() -> dict[str, object]:
    """An answer of three sentences, the second from ``fees``, the others from ``limits``."""
    lines = [
        {
            "statement": "Uploads may be up to 25 MB.",
            "quotes": [{"id": "c-%", "quote": "Uploads may be up to 25 MB."}],
        },
        {"statement": "Tours cost 5 EUR 🎈.", "quotes": [{"id": "c-%", "quote": "Tours cost 5 EUR 🎈."}]},
        {
            "statement": "Files are kept for 30 days.",
            "quotes": [{"id": "c-%", "quote": "Files are kept for 30 days."}],
        },
    ]
    documents = (
        Document("limits", "Uploads may be up to 25 MB. Files are kept for 30 days.", title="Limits"),
        Document("fees", "Tours cost 5 EUR 🎈.", title="Fees"),
    )
    hits = pipeline(*documents).retrieve(
        "How large may uploads be, what do tours cost, how long are files kept?"
    )
    place = {hit.document.doc_id: hit.rank for hit in hits}
    numbers = (place["limits"], place["fees"], place["limits"])
    reply = "\n".join(
        json.dumps(line).replace("c-%", f"c-{number}") for line, number in zip(lines, numbers, strict=True)
    )
    rag = pipeline(*documents, replies=[reply])
    answer = rag.ask("How large may uploads be, what do tours cost, how long are files kept?")
    assert len(answer.sentences) == 3
    return answer_dict(answer)


def test_an_answer_that_holds_nothing_of_the_document_stays_as_it_is() -> None:
    body = two_sources()
    assert withheld(body, {"other": REMOVED}) is body


def test_a_sentence_that_rests_on_the_document_is_withheld_and_the_others_keep_their_places() -> None:
    body = withheld(two_sources(), {"fees": REMOVED})
    assert "Tours cost" not in json.dumps(body, ensure_ascii=False).replace("tours cost", "")
    plain, sentences = body["plain"], body["sentences"]
    assert [plain[one["start"] : one["end"]] for one in sentences] == [one["text"] for one in sentences]
    assert [one["text"] for one in sentences] == [
        "Uploads may be up to 25 MB.", WITHHELD, "Files are kept for 30 days.",
    ]  # fmt: skip
    assert "Files are kept for 30 days [1]." in body["text"]
    assert WITHHELD in body["text"]


def test_ids_and_hashes_stay_in_a_removed_citation_and_no_words_do() -> None:
    before = two_sources()
    body = withheld(before, {"fees": REMOVED})
    (old,) = [one for one in before["citations"] if one["doc_id"] == "fees"]  # type: ignore[attr-defined]
    (new,) = [one for one in body["citations"] if one["doc_id"] == "fees"]
    kept = ("id", "n", "doc_id", "chunk_id", "document_hash", "status", "spans")
    assert {name: new[name] for name in kept} == {name: old[name] for name in kept}
    assert new["tombstone"] == REMOVED
    assert [new[name] for name in ("quote", "quote_full", "prefix", "suffix", "title")] == [
        "",
        "",
        "",
        "",
        "",
    ]


def test_for_a_reader_for_whom_it_does_not_exist_the_ids_go_too() -> None:
    body = withheld(two_sources(), {"fees": {"state": "not_visible"}}, ids=True)
    assert "fees" not in json.dumps(body).lower()


def test_the_answer_that_is_given_is_not_changed() -> None:
    body = two_sources()
    before = json.dumps(body)
    withheld(body, {"fees": REMOVED})
    assert json.dumps(body) == before


def test_the_cell_of_a_removed_spreadsheet_goes_with_its_words() -> None:
    body = two_sources()
    for citation in body["citations"]:  # type: ignore[attr-defined]
        citation["address"] = {"table": None, "row": None, "column": None, "cell": "Salaries!B7"}
    left = withheld(body, {"fees": REMOVED})["citations"]
    assert {one["doc_id"]: bool(one["address"]) for one in left} == {"fees": False, "limits": True}
