"""``assert_grounded``: what it lets pass, and what its failure says."""

from __future__ import annotations

import pytest

from pincite import Document, verify
from pincite.testing import assert_grounded
from tests.doubles import pipeline

SOURCES = ["Uploads may be up to 25 MB.", "Deleted files are kept for 30 days."]


def test_an_answer_of_the_pipeline_passes() -> None:
    rag = pipeline(Document("retention", SOURCES[1]))
    assert_grounded(rag.ask("How long are deleted files kept?"))


def test_a_report_passes_when_it_holds() -> None:
    assert_grounded(verify("Uploads may be up to 25 MB [1].", SOURCES))


def test_the_failure_shows_the_sentences_that_fail_and_no_others() -> None:
    report = verify("Uploads may be up to 25 MB [1]. Deleted files are kept for 90 days [2].", SOURCES)
    with pytest.raises(AssertionError) as failure:
        assert_grounded(report)
    assert str(failure.value).splitlines() == [
        "not grounded: precision 0.50 is below 0.95 (1 of 2 citations hold)",
        "  ✗ Deleted files are kept for 90 days.",
        "      contradicted: number differs: answer 90 days, source 30 days",
        '      [2] contradicted: "Deleted files are kept for 30 days."',
    ]


def test_a_sentence_without_a_citation_misses_coverage() -> None:
    with pytest.raises(AssertionError, match=r"coverage 0\.50 is below 0\.95 \(1 of 2 sentences cite\)"):
        assert_grounded(
            "Uploads may be up to 25 MB [1]. Deleted files are kept for 30 days.", sources=SOURCES
        )


def test_how_much_must_hold_can_be_said() -> None:
    report = verify("Uploads may be up to 25 MB [1]. Deleted files are kept for 90 days [2].", SOURCES)
    assert_grounded(report, min_precision=0.5)
    with pytest.raises(ValueError, match="min_precision"):
        assert_grounded(report, min_precision=95)


def test_an_invented_source_is_named_as_it_was_written() -> None:
    with pytest.raises(AssertionError, match=r"\[7\] invalid"):
        assert_grounded("Uploads may be up to 25 MB [7].", sources=SOURCES)


def test_declining_passes_only_when_it_may() -> None:
    declined = pipeline(Document("retention", SOURCES[1])).ask("Who won the chess championship of 1972?")
    with pytest.raises(AssertionError, match="may_abstain=True"):
        assert_grounded(declined)
    assert_grounded(declined, may_abstain=True)


def test_a_flood_of_failing_sentences_is_cut() -> None:
    answer = " ".join(f"Uploads may be up to {number} MB [1]." for number in range(100, 140))
    with pytest.raises(AssertionError) as failure:
        assert_grounded(answer, sources=SOURCES)
    assert "… and 20 more" in str(failure.value)
