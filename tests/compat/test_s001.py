"""Source 001: chunks of 300 with 50 shared, ids checked against what was found, levels that stay closed."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

from pincite.compat.s001 import (
    CitationAwareRetriever,
    build_citation_prompt,
    chunk_document,
    citation_aware_rag,
    evaluate_citation_accuracy,
    parse_documents_from_disk,
    verify_citations,
    verify_citations_with_access_control,
)

RETURNS = {
    "doc_id": "doc-returns",
    "title": "Returns",
    "url": "https://example.com/returns",
    "text": "Read this first.\n\n## Time\nReturns are accepted within 30 days.\n\n## Costs\nPostage is 5 EUR.",
    "access_level": "public",
}
CHUNKS = chunk_document(RETURNS)


def levels(**by_id: str | None) -> list[dict[str, object]]:
    return [
        {"chunk_id": f"{name}-chunk-0", "text": name, "access_level": level} for name, level in by_id.items()
    ]


# --- documents and chunks -----------------------------------------------------------------------


def test_json_documents_of_a_folder_are_read_and_the_rest_left_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(RETURNS), "utf-8")
    (tmp_path / "b.json").write_text('{"doc_id": "x"}', "utf-8")
    (tmp_path / "c.txt").write_text("no document", "utf-8")
    (found,) = parse_documents_from_disk(tmp_path, today="2026-11-30")
    assert (found.doc_id, found.version, found.access_level) == ("doc-returns", "1.0", "public")
    assert found["published_date"] == "2026-11-30"
    assert "b.json" in caplog.text


def test_sections_follow_the_headers_with_a_preamble_before_them() -> None:
    assert [one.section for one in CHUNKS] == ["Preamble", "Time", "Costs"]
    assert [one.chunk_id for one in CHUNKS] == [f"doc-returns-chunk-{n}" for n in range(3)]


def test_a_text_without_headers_is_main() -> None:
    assert chunk_document({"doc_id": "a", "text": "plain"})[0].section == "Main"


def test_windows_share_their_overlap_and_stand_where_they_say() -> None:
    text = "".join(chr(97 + n % 26) for n in range(1000))
    chunks = chunk_document({"doc_id": "a", "text": text})
    assert [len(one.text) for one in chunks] == [300, 300, 300, 250]
    for one, following in pairwise(chunks):
        assert one.text[-50:] == following.text[:50]
    assert all(text[c.metadata["char_start"] : c.metadata["char_end"]] == c.text for c in chunks)


@pytest.mark.parametrize(("size", "overlap"), [(50, 50), (50, 60), (0, 0), (10, -1)])
def test_a_loop_that_would_not_end_is_refused(size: int, overlap: int) -> None:
    with pytest.raises(ValueError):
        chunk_document(RETURNS, size, overlap)


def test_blank_windows_are_no_chunks() -> None:
    assert chunk_document({"doc_id": "a", "text": " \n" * 500}) == []


# --- retrieval ----------------------------------------------------------------------------------


def test_a_result_holds_everything_about_its_chunk() -> None:
    first, *_ = CitationAwareRetriever(CHUNKS).retrieve("How many days for returns?")
    assert (first.rank, first.chunk_id, first.doc_id, first.section) == (
        1,
        "doc-returns-chunk-1",
        "doc-returns",
        "Time",
    )
    assert first["metadata"]["title"] == "Returns"
    assert 0 <= first.score <= 1


@pytest.mark.parametrize("top_k", [0, 1, 1000])
def test_any_number_of_results_may_be_asked_for(top_k: int) -> None:
    assert CitationAwareRetriever(CHUNKS).retrieve("How many days for returns?", top_k)


@pytest.mark.parametrize(
    ("level", "seen"),
    [
        ("public", {"pub"}),
        ("internal", {"pub", "int"}),
        ("confidential", {"pub", "int", "con"}),
        ("root", set()),
    ],
)
def test_a_level_sees_itself_and_those_below(level: str, seen: set[str]) -> None:
    chunks = [
        {
            "chunk_id": f"{name}-chunk-0",
            "text": f"Tours start at noon, {name}.",
            "metadata": {"access_level": access},
        }
        for name, access in {
            "pub": "public",
            "int": "internal",
            "con": "confidential",
            "odd": "secret",
        }.items()
    ]
    found = CitationAwareRetriever(chunks).retrieve("When do tours start?", user_access_level=level)
    assert {one.chunk_id.removesuffix("-chunk-0") for one in found} == seen


# --- ids ----------------------------------------------------------------------------------------


def test_ids_are_counted_once_and_those_never_found_are_told() -> None:
    answer = (
        "Thirty days [doc-returns-chunk-1]. Yes [doc-returns-chunk-1], 5 EUR [Made-Up-chunk-4]. See [note]."
    )
    found = verify_citations(answer, CHUNKS)
    assert found["cited_ids"] == ["doc-returns-chunk-1", "made-up-chunk-4"]
    assert found["retrieved_ids"] == [one.chunk_id for one in CHUNKS]
    assert found["verified_citations"] == ["doc-returns-chunk-1"]
    assert found["hallucinated_citations"] == ["made-up-chunk-4"]
    assert (found["is_valid"], found["validity_score"]) == (False, 0.5)


def test_an_answer_without_ids_is_not_valid() -> None:
    found = verify_citations("Thirty days.", CHUNKS)
    assert (found["is_valid"], found["validity_score"], found["cited_ids"]) == (False, 0.0, [])


@pytest.mark.parametrize(
    ("level", "violations"), [("internal", ["c-chunk-0"]), ("confidential", []), ("x", None)]
)
def test_what_a_user_may_not_see_cannot_be_cited(level: str, violations: list[str] | None) -> None:
    chunks = levels(a="public", b="internal", c="confidential")
    found = verify_citations_with_access_control("A [a-chunk-0] [c-chunk-0].", chunks, level)
    assert found["access_violations"] == (["a-chunk-0", "c-chunk-0"] if violations is None else violations)
    assert found["is_valid"] is (level == "confidential")


def test_a_chunk_without_a_level_is_for_nobody() -> None:
    found = verify_citations_with_access_control("A [a-chunk-0].", levels(a=None), "confidential")
    assert found["access_violations"] == ["a-chunk-0"]
    assert found["retrieved_ids"] == []


# --- the whole ----------------------------------------------------------------------------------


def test_the_prompt_holds_each_passage_under_its_id() -> None:
    prompt = build_citation_prompt("How long?", [{"chunk_id": "a-chunk-0", "text": "See [a-chunk-9]."}])
    assert "[a-chunk-0]\n" in prompt
    assert "[a-chunk-9]" not in prompt
    assert "How long?" in prompt


@pytest.mark.parametrize(
    ("reply", "confidence", "status", "rate"),
    [
        ("30 days [doc-returns-chunk-1]. 5 EUR [doc-returns-chunk-2].", "HIGH", "ANSWERED", 1.0),
        ("30 days [doc-returns-chunk-1].", "MEDIUM", "ANSWERED", 1.0),
        ("30 days [doc-returns-chunk-1]. 9 EUR [doc-returns-chunk-9].", "LOW", "ANSWERED", 0.5),
        ("30 days.", "LOW", "UNCITED", 0.0),
    ],
)
def test_the_answer_is_audited(reply: str, confidence: str, status: str, rate: float) -> None:
    retriever = CitationAwareRetriever(CHUNKS)
    found = citation_aware_rag(
        "Returns and postage?", retriever, SimpleNamespace(invoke=lambda messages: reply)
    )
    assert found["citations"]["confidence"] == confidence
    assert (found["answer_status"], found["metrics"]["verification_rate"]) == (status, rate)
    assert found["metrics"]["retrieval_count"] == len(found["retrieved_chunks"])
    assert set(found["retrieved_chunks"][0]) == {"id", "section", "url", "text"}


def test_any_retriever_will_do() -> None:
    retriever = SimpleNamespace(
        search=lambda query, k: [{"id": "a-chunk-0", "page_content": "Free.", "score": 0.9}]
    )
    found = citation_aware_rag("Free?", retriever, SimpleNamespace(invoke=lambda prompt: "Free [a-chunk-0]."))
    assert found["citations"]["verified"] == ["a-chunk-0"]
    assert not found["weak_retrieval"]


def test_precision_and_recall_are_those_of_the_expected_ids() -> None:
    answers = {
        "one": {"verified": ["a-chunk-0", "a-chunk-1"], "hallucinated": []},
        "two": {"verified": ["b-chunk-0"], "hallucinated": ["x-chunk-7"]},
        "three": {"verified": [], "hallucinated": []},
    }
    golden = [
        {"question": "one", "expected_chunk_ids": ["a-chunk-0"]},
        {"question": "two", "expected_doc_ids": ["b", "c"]},
        {"question": "three", "expected_chunk_ids": ["a-chunk-0"]},
    ]
    found = evaluate_citation_accuracy(golden, lambda question: {"citations": answers[question]})
    assert found["precision"] == 0.5
    assert found["recall"] == 0.5
    assert (found["hallucination_rate"], found["invented_rate"], found["wrong_rate"]) == (0.5, 0.25, 0.25)
    assert found["n"] == 3
