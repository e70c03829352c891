"""Source 000: numbered sources, pairs of sentence and number, and the grounded flag, by its own arithmetic."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from pincite.compat.s000 import (
    build_context,
    citation_rag,
    number_sources,
    parse_citations,
    validate_citations,
)

SOURCES = number_sources([{"text": f"Fact {n}.", "title": f"Doc {n}"} for n in range(1, 4)])


def test_sources_are_numbered_from_one_and_keep_their_fields() -> None:
    assert [one["citation_id"] for one in SOURCES] == [1, 2, 3]
    assert (SOURCES[1].title, SOURCES[1].content) == ("Doc 2", "Fact 2.")


def test_a_marker_inside_a_source_cannot_pass_for_one_of_the_prompt() -> None:
    context = build_context(number_sources(["See [2] for more."]))
    assert context.startswith("[1] ")
    assert "[2]" not in context


def test_sentences_keep_their_own_numbers_also_behind_the_stop() -> None:
    parsed = parse_citations("A holds [1]. B holds. [2][3] C is said by nobody.")
    assert [one["citations"] for one in parsed["sentence_citations"]] == [[1], [2, 3], []]
    assert [one["sentence"] for one in parsed["sentence_citations"]] == [
        "A holds.",
        "B holds.",
        "C is said by nobody.",
    ]
    assert [one["has_citation"] for one in parsed["sentence_citations"]] == [True, True, False]
    assert parsed["all_cited_ids"] == [1, 2, 3]
    assert parsed["full_response"].startswith("A holds [1]")


@pytest.mark.parametrize(
    ("answer", "confidence", "coverage", "grounded"),
    [
        ("Ants run [1]. Bees fly [2]. Cats sleep [3].", 1.0, 1.0, True),
        ("Ants run [1]. Bees fly [2]. Cats sleep [3]. Dogs bark [1]. Eels swim.", 1.0, 0.8, True),
        ("Ants run [1]. Bees fly [2]. Cats sleep [3]. Eels swim.", 1.0, 0.75, False),
        ("Ants run [1]. Bees fly [7].", 0.5, 1.0, False),
        ("Ants run [1][9].", 0.5, 1.0, False),
        ("Ants run. Bees fly.", 0.0, 0.0, False),
        ("", 0.0, 0.0, False),
    ],
)
def test_confidence_counts_pairs_and_coverage_sentences(
    answer: str, confidence: float, coverage: float, grounded: bool
) -> None:
    found = validate_citations(parse_citations(answer), SOURCES)
    assert (found["confidence_score"], found["citation_coverage"], found["grounded"]) == (
        confidence,
        coverage,
        grounded,
    )


def test_every_pair_has_a_result_with_a_reason() -> None:
    found = validate_citations(parse_citations("A [1]. B [7]."), SOURCES)
    assert [(one["citation_id"], one["valid"]) for one in found["validation_results"]] == [
        (1, True),
        (7, False),
    ]
    assert all(one["reason"] for one in found["validation_results"])


def test_a_model_is_asked_about_each_pair_whose_source_exists() -> None:
    asked: list[str] = []

    def invoke(prompt: str) -> SimpleNamespace:
        asked.append(prompt)
        said = {"supports": "Fact 1." in prompt, "reason": "read"}
        return SimpleNamespace(content=f"Sure: {json.dumps(said)}")

    found = validate_citations(
        parse_citations("A [1]. B [2]. C [9]."), SOURCES, SimpleNamespace(invoke=invoke)
    )
    assert [one["valid"] for one in found["validation_results"]] == [True, False, False]
    assert len(asked) == 2


@pytest.mark.parametrize("reply", ["", "yes", '{"supports": "true"}', '{"reason": "x"}'])
def test_a_verdict_that_cannot_be_read_is_not_valid(reply: str) -> None:
    found = validate_citations(
        parse_citations("A [1]."), SOURCES, SimpleNamespace(invoke=lambda prompt: reply)
    )
    assert not found["validation_results"][0]["valid"]


def test_one_call_does_it_all() -> None:
    asked: list[str] = []
    retriever = SimpleNamespace(
        search=lambda query, top_k: [{"text": f"Fact {n}."} for n in range(9)][:top_k]
    )
    model = SimpleNamespace(
        invoke=lambda prompt: asked.append(prompt) or "Fact 0 holds [1]. Fact 1 holds [2]."
    )
    found = citation_rag("What holds?", retriever, model)
    assert set(found) == {"answer", "parsed", "validation", "sources", "confidence_score", "grounded"}
    assert len(found["sources"]) == 5
    assert (found["confidence_score"], found["grounded"]) == (1.0, True)
    assert "[5] Fact 4." in asked[0]
    assert "What holds?" in asked[0]
    assert len(asked) == 1
