"""One answer in the shapes of the five sources: each source's own parser, written again here, reads it back without loss."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from tests.doubles import pipeline, statement

from pincite import Answer, Document
from pincite.cli.commands import PROFILES as CLI_PROFILES
from pincite.renderers import tallies
from pincite.renderers.profiles import PROFILES, grounded_003
from pincite.review import GROUNDED_CONFIDENCE, GROUNDED_COVERAGE, TARGET_ACCURACY

RETURNS = Document(
    "doc-returns",
    "# Returns\n\nReturns are accepted within 30 days of purchase.\n\n# Wear\n\nWorn shoes are not covered 🎈 at all.",
    title="Returns <policy>",
    url="https://example.com/returns",
)
FEES = Document("doc-fees", "Postage for a return costs 5 EUR.", title="Fees")


def answered() -> Answer:
    """Three cited chunks of two documents; one sentence cites two, one chunk is cited twice."""
    found = {
        hit.chunk.text: f"c-{hit.rank}"
        for hit in pipeline(RETURNS, FEES).retrieve(
            "Are returns of worn shoes accepted, and what is postage?"
        )
    }
    ids = {
        word: next(name for text, name in found.items() if word in text)
        for word in ("30 days", "Worn", "Postage")
    }
    reply = (
        statement("Postage for a return costs 5 EUR.", (ids["Postage"], "Postage for a return costs 5 EUR"))
        + statement(
            "Returns are accepted within 30 days of purchase, but worn shoes are not covered at all.",
            (ids["30 days"], "Returns are accepted within 30 days of purchase"),
            (ids["Worn"], "Worn shoes are not covered 🎈 at all"),
        )
        + statement("Worn shoes are not covered 🎈 at all.", (ids["Worn"], "not covered 🎈 at all"))
        + '{"uncovered_aspects": ["exchange"]}\n'
    )
    rag = pipeline(RETURNS, FEES, replies=[reply])
    return rag.ask("Are returns of worn shoes accepted, and what is postage?")


def declined() -> Answer:
    return pipeline(RETURNS, replies=[]).ask("Who discovered penicillin?")


def with_ten() -> Answer:
    halls = [Document(f"hall-{n}", f"Hall {n} opens at {n} o'clock.") for n in range(1, 11)]
    rag = pipeline(*halls, replies=[""])
    order = [hit.document.doc_id for hit in rag.retrieve("At what o'clock does the hall open?")]
    lines = "".join(
        statement(
            f"Hall {name[5:]} opens at {name[5:]} o'clock.", (f"c-{place}", f"opens at {name[5:]} o'clock")
        )
        for place, name in enumerate(order, start=1)
    )
    return pipeline(*halls, replies=[lines]).ask("At what o'clock does the hall open?")


ANSWERS = {"answered": answered, "declined": declined, "with_ten": with_ten}


@pytest.fixture(params=ANSWERS)
def answer(request: pytest.FixtureRequest) -> Answer:
    return ANSWERS[request.param]()


def shown(answer: Answer, name: str) -> Any:
    return json.loads(answer.to(name))


def cited_ids(answer: Answer) -> list[str]:
    return [citation.id for citation in answer.citations]


def test_the_answer_of_these_tests_cites_what_it_should() -> None:
    found = answered()
    assert len(found.citations) == 3
    assert len({citation.doc_id for citation in found.citations}) == 2
    assert len(with_ten().citations) == 10
    assert declined().abstained


# --- 003: [n] is citations[n - 1] ---------------------------------------------------------------


def test_003_has_exactly_its_fields(answer: Answer) -> None:
    found = shown(answer, "grounded-003")
    assert list(found) == ["text", "citations", "confidence", "abstained", "reason"]
    for citation in found["citations"]:
        assert list(citation) == ["id", "source", "score", "spans"]
        assert citation["spans"]
        for span in citation["spans"]:
            assert list(span) == ["chunk_id", "start", "end", "preview"]


def test_003_reads_its_numbers_back(answer: Answer) -> None:
    found = shown(answer, "grounded-003")
    numbers = [int(one) for one in re.findall(r"\[(\d+)\]", found["text"])]
    assert list(dict.fromkeys(numbers)) == list(range(1, len(found["citations"]) + 1))
    chunks = [found["citations"][number - 1]["spans"][0]["chunk_id"] for number in dict.fromkeys(numbers)]
    assert chunks == [citation.chunk_id for citation in answer.citations]
    assert 0 <= found["confidence"] <= 1


def test_003_spans_are_places_in_their_chunk(answer: Answer) -> None:
    texts = {hit.chunk.chunk_id: hit.chunk.text for hit in answer.hits}
    for citation in shown(answer, "grounded-003")["citations"]:
        for span in citation["spans"]:
            assert texts[span["chunk_id"]][span["start"] : span["end"]] == span["preview"]


def test_003_can_number_documents_instead() -> None:
    found = grounded_003(answered(), group_by="document")
    assert [one["id"] for one in found["citations"]] == ["doc-fees", "doc-returns"]
    assert len({span["chunk_id"] for span in found["citations"][1]["spans"]}) == 2
    assert set(re.findall(r"\[(\d+)\]", found["text"])) == {"1", "2"}
    with pytest.raises(ValueError, match="chunk or document"):
        grounded_003(answered(), group_by="page")


def test_003_declines_in_the_same_shape() -> None:
    found = shown(declined(), "grounded-003")
    assert (found["abstained"], found["citations"], bool(found["reason"])) == (True, [], True)


# --- 004: [c-N], quotes under 280 characters ----------------------------------------------------


def test_004_has_exactly_its_fields_and_reads_its_ids_back(answer: Answer) -> None:
    found = shown(answer, "quoted-004")
    assert list(found) == ["answer", "citations", "uncovered_aspects"]
    markers = list(dict.fromkeys(re.findall(r"\[(c-\d+)\]", found["answer"])))
    assert markers == [one["id"] for one in found["citations"]] == cited_ids(answer)
    chunks = {one["id"]: one["chunk_id"] for one in found["citations"]}
    assert chunks == {one.id: one.chunk_id for one in answer.citations}
    assert all(
        list(one) == ["id", "quote", "chunk_id"] and len(one["quote"]) < 280 for one in found["citations"]
    )


def test_004_tells_what_is_not_covered() -> None:
    assert shown(answered(), "quoted-004")["uncovered_aspects"] == ["exchange"]


# --- 000: [N] by sentence -----------------------------------------------------------------------


def split_as_000(text: str) -> list[str]:
    return [one for one in re.split(r"(?<=[.!?])\s+", text) if one]


def test_000_reads_its_sentences_and_numbers_back(answer: Answer) -> None:
    found = shown(answer, "numbered-000")
    body = found["answer"]
    for note in answer.notes:
        body = body.replace(note, "").rstrip()
    read = [[int(one) for one in re.findall(r"\[(\d+)\]", sentence)] for sentence in split_as_000(body)]
    entries = found["parsed"]["sentence_citations"]
    if not answer.abstained:
        assert [sorted(one) for one in read] == [sorted(one["citations"]) for one in entries]
    assert found["parsed"]["all_cited_ids"] == sorted({one for ids in read for one in ids})
    by_number = {one["citation_id"]: one["chunk_id"] for one in found["sources"]}
    assert [by_number[int(name[2:])] for name in cited_ids(answer)] == [
        one.chunk_id for one in answer.citations
    ]
    assert all(one["content"] for one in found["sources"])


def test_000_counts_pairs_and_sentences(answer: Answer) -> None:
    found = shown(answer, "numbered-000")
    results = found["validation"]["validation_results"]
    entries = found["parsed"]["sentence_citations"]
    pairs = sum(len(one["citations"]) for one in entries)
    assert len(results) == pairs
    expected = sum(one["valid"] for one in results) / pairs if pairs else 0.0
    assert found["confidence_score"] == found["validation"]["confidence_score"] == expected
    covered = sum(one["has_citation"] for one in entries) / len(entries) if entries else 0.0
    assert found["validation"]["citation_coverage"] == covered
    assert found["grounded"] is (expected >= 0.9 and covered >= 0.8)


# --- 001: [chunk-id] ----------------------------------------------------------------------------


def test_001_reads_its_ids_back(answer: Answer) -> None:
    found = shown(answer, "audited-001")
    cited = set(re.findall(r"\[([a-z0-9\-]+)\]", found["answer"].lower()))
    retrieved = {one["id"] for one in found["retrieved_chunks"]}
    assert (
        cited & retrieved == set(found["citations"]["verified"]) == {one.chunk_id for one in answer.citations}
    )
    assert cited - retrieved == set(found["citations"]["hallucinated"]) == set()
    assert found["metrics"]["citation_count"] == len(cited)
    assert found["metrics"]["retrieval_count"] == len(found["retrieved_chunks"])
    assert found["metrics"]["verification_rate"] == (1.0 if cited else 0.0)
    assert found["citations"]["confidence"] in ("HIGH", "MEDIUM", "LOW")


def test_001_has_its_fields(answer: Answer) -> None:
    found = shown(answer, "audited-001")
    assert list(found) == ["query", "answer", "retrieved_chunks", "citations", "metrics", "answer_status"]
    assert all(list(one) == ["id", "section", "url", "text"] for one in found["retrieved_chunks"])


# --- 002: [Source N], markers one by one --------------------------------------------------------


def test_002_reads_its_markers_back(answer: Answer) -> None:
    found = shown(answer, "source-list-002")
    markers = [int(one) for one in re.findall(r"\[Source (\d+)\]", found["answer"])]
    checked = found["verify"]
    assert markers == [one["source_number"] for one in found["parse"]]
    assert markers == [one["source_number"] for one in checked["details"]]
    assert checked["total_citations"] == len(markers) == checked["verified"] + checked["unverified"]
    assert checked["citation_accuracy"] == (checked["verified"] / len(markers) if markers else 0.0)
    assert checked["meets_target"] is (checked["citation_accuracy"] >= 0.9)
    chunks = {place: hit.chunk.chunk_id for place, hit in enumerate(answer.hits, start=1)}
    assert list(dict.fromkeys(chunks[one] for one in markers)) == [one.chunk_id for one in answer.citations]


def test_002_lists_its_sources_and_links_to_them(answer: Answer) -> None:
    found = shown(answer, "source-list-002")
    assert [one["number"] for one in found["sources"]] == list(range(1, len(answer.hits) + 1))
    linked = re.findall(r'<a class="citation" href="#source-(\d+)"', found["html"])
    assert linked == re.findall(r"\[Source (\d+)\]", found["answer"])
    assert set(linked) <= set(re.findall(r'<li id="source-(\d+)"', found["html"]))
    assert "<policy>" not in found["html"]


def test_one_chunk_cited_twice_is_two_markers_and_one_id() -> None:
    found = answered()
    assert shown(found, "source-list-002")["verify"]["total_citations"] == 4
    assert shown(found, "audited-001")["metrics"]["citation_count"] == 3


# --- all ----------------------------------------------------------------------------------------


def test_the_command_line_knows_every_profile() -> None:
    assert set(CLI_PROFILES) == set(PROFILES)


def test_the_numbers_are_the_same_everywhere() -> None:
    ours = (tallies.GROUNDED_CONFIDENCE, tallies.GROUNDED_COVERAGE, tallies.TARGET_ACCURACY)
    assert ours == (GROUNDED_CONFIDENCE, GROUNDED_COVERAGE, TARGET_ACCURACY)


@pytest.mark.parametrize("name", PROFILES)
def test_the_same_answer_gives_the_same_profile(name: str) -> None:
    found = answered()
    assert found.to(name) == found.to(name)
