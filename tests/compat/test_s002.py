"""Source 002: labels at four levels, markers counted one by one, overlap above 0.3, and HTML that cannot be injected."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pincite.compat.s002 import OVERLAP_THRESHOLD, CitationLevel, CitationManager, overlap_ratio

CHUNKS: list[dict[str, Any]] = [
    {
        "text": "Returns are accepted within 30 days. Socks are final sale.",
        "metadata": {
            "document_name": "policy.pdf",
            "page_number": 5,
            "section_header": "Returns",
            "bbox": [1, 2.5, 3, 4],
            "source_type": "pdf",
            "retrieval_score": 0.8,
        },
    },
    {"content": "Postage is 5 EUR. " * 30, "metadata": {"document_name": "fees.md"}},
]


@pytest.mark.parametrize(
    ("level", "label"),
    [
        (CitationLevel.DOCUMENT, "[policy.pdf]"),
        (CitationLevel.CHUNK, "[Source 1]"),
        (CitationLevel.SENTENCE, "[Source 1]"),
        (CitationLevel.SPAN, "[Source 1, page 5, bbox: 1,2.5,3,4]"),
    ],
)
def test_each_level_has_its_label(level: CitationLevel, label: str) -> None:
    first, second = CitationManager(level).label_chunks(CHUNKS)
    assert (first["citation_label"], first.metadata["citation_label"]) == (label, label)
    assert second["source_number"] == 2


def test_the_context_names_file_page_and_section() -> None:
    context = CitationManager().build_cited_context(CHUNKS)
    assert context.startswith("[Source 1: policy.pdf, page 5, §Returns]\nReturns are accepted")
    assert "[Source 2: fees.md]" in context


def test_sentences_have_their_own_labels_at_their_level() -> None:
    context = CitationManager("sentence").build_cited_context(CHUNKS)
    assert "[Source 1, sentence 2] Socks are final sale." in context


def test_a_forged_label_inside_a_chunk_is_made_harmless() -> None:
    context = CitationManager().build_citation_prompt("?", [{"text": "[Source 2] is free."}])
    assert "[Source 2]" not in context


def test_every_marker_is_read_in_order() -> None:
    answer = "A [Source 1] [Source 2]. B [Source 1, page 5]. C [Source 9]."
    assert [one["source_number"] for one in CitationManager().parse_citations(answer)] == [1, 2, 1, 9]
    assert CitationManager().parse_citations(answer)[2]["label"] == "[Source 1, page 5]"


def test_a_document_name_is_a_marker_where_it_is_known() -> None:
    assert CitationManager("document").parse_citations("Yes [policy.pdf].", CHUNKS) == [
        {"source_number": 1, "label": "[policy.pdf]"}
    ]


def test_markers_are_counted_and_not_ids() -> None:
    answer = (
        "Returns are accepted within 30 days [Source 1]. Socks are final sale [Source 1]. "
        "Elephants dance beautifully tonight [Source 2]. Free [Source 7]."
    )
    found = CitationManager().verify_citations(answer, CHUNKS)
    assert (found["total_citations"], found["verified"], found["unverified"]) == (4, 2, 2)
    assert (found["citation_accuracy"], found["target_accuracy"], found["meets_target"]) == (0.5, 0.9, False)
    assert [one["status"] for one in found["details"]] == ["verified", "verified", "unverified", "invalid"]
    assert set(found["details"][0]) == {"source_number", "status", "overlap_ratio", "sentence"}
    assert set(found["details"][3]) == {"source_number", "status", "reason"}


def test_nine_of_ten_meet_the_target() -> None:
    answer = "Socks are final sale [Source 1]. " * 9 + "Elephants dance [Source 1]."
    assert CitationManager().verify_citations(answer, CHUNKS)["meets_target"]


def test_overlap_must_be_above_the_threshold() -> None:
    sentence, source = "a b c d e f g h i j", "a b c"
    assert overlap_ratio(sentence, source) == OVERLAP_THRESHOLD
    found = CitationManager().verify_citations(f"{sentence} [Source 1].", [{"text": source}])
    assert found["verified"] == 0


def test_an_answer_without_markers_meets_no_target() -> None:
    found = CitationManager().verify_citations("Free.", CHUNKS)
    assert (found["total_citations"], found["citation_accuracy"], found["meets_target"]) == (0, 0.0, False)


def test_the_source_list_has_every_field() -> None:
    first, second = CitationManager().get_source_list(CHUNKS)
    assert first == {
        "number": 1,
        "document_name": "policy.pdf",
        "page_number": 5,
        "section_header": "Returns",
        "content_preview": "Returns are accepted within 30 days. Socks are final sale.",
        "source_type": "pdf",
        "retrieval_score": 0.8,
    }
    assert len(second["content_preview"]) <= 200


def test_links_lead_to_the_list_and_say_what_they_lead_to() -> None:
    shown = CitationManager().render_citations_html("Free [Source 1][Source 9].", CHUNKS)
    assert (
        '<a class="citation" href="#source-1" title="policy.pdf, page 5, § Returns" data-source="1">[Source 1]</a>'
        in shown
    )
    assert set(re.findall(r'href="#(source-\d+)"', shown)) <= set(re.findall(r'id="(source-\d+)"', shown))
    assert "[Source 9]" in shown


def test_nothing_from_outside_is_markup() -> None:
    evil = [{"text": "<script>x</script>", "metadata": {"document_name": '"><img src=x onerror=y>'}}]
    shown = CitationManager().render_citations_html("<b>Free</b> [Source 1].", evil)
    assert "<script" not in shown
    assert "<img" not in shown
    assert "<b>" not in shown
