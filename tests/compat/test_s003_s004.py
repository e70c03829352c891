"""Sources 003 and 004: their shapes, thresholds and sentences."""

from __future__ import annotations

import json

import pytest

from pincite.compat import s003, s004
from pincite.errors import ConfigError

GROUNDED = {
    "text": "Entry is free [1].",
    "citations": [
        {"id": "fees", "source": "s", "score": 0.9, "spans": [{"chunk_id": "c", "start": 0, "end": 4}]}
    ],
    "confidence": 0.8,
    "abstained": False,
    "reason": None,
}


# --- 003 ----------------------------------------------------------------------------------------


def test_a_response_is_read_as_it_is() -> None:
    assert s003.parse_response(json.dumps(GROUNDED)) == GROUNDED


@pytest.mark.parametrize(
    "raw", ["```json\n" + json.dumps(GROUNDED) + "\n```", json.dumps(GROUNDED)[:-1] + ",}"]
)
def test_a_damaged_response_is_mended(raw: str) -> None:
    assert s003.parse_response(raw) == GROUNDED


@pytest.mark.parametrize("raw", ["", "I do not know.", '{"citations": []}', "[1]"])
def test_what_cannot_be_read_abstains(raw: str) -> None:
    found = s003.parse_response(raw)
    assert (found["abstained"], found["citations"], found["text"]) == (True, [], s003.NEUTRAL_MESSAGE)


def test_a_number_without_its_citation_abstains() -> None:
    found = s003.parse_response(json.dumps({**GROUNDED, "text": "Free [1]. Paid [2]."}))
    assert found["abstained"]
    assert "[2]" in found["reason"]


@pytest.mark.parametrize(
    ("sure", "abstains"), [(0.39, True), (0.4, False), (7, False), (-1, True), ("high", True)]
)
def test_confidence_below_the_threshold_abstains(sure: object, abstains: bool) -> None:
    assert s003.parse_response(json.dumps({**GROUNDED, "confidence": sure}))["abstained"] is abstains


def test_the_threshold_can_be_set_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ABSTAIN_THRESHOLD", "0.9")
    assert s003.parse_response(json.dumps(GROUNDED))["abstained"]
    monkeypatch.setenv("ABSTAIN_THRESHOLD", "90")
    with pytest.raises(ConfigError, match="between 0 and 1"):
        s003.abstain_threshold()


@pytest.mark.parametrize(("rating", "score"), [(1, 0.0), (3, 0.5), (5, 1.0)])
def test_a_rating_of_five_steps_becomes_a_share(rating: int, score: float) -> None:
    assert s003.self_rating_score(rating) == score


def test_confidence_grows_with_each_part_and_stays_a_share() -> None:
    low = s003.confidence([0.2], distinct_sources=1, coverage=0.2, self_rating=1, verdicts=0.0, agreement=0.0)
    high = s003.confidence(
        [0.9, 0.9], distinct_sources=2, coverage=1.0, self_rating=5, verdicts=1.0, agreement=1.0
    )
    assert 0 <= low < high <= 1
    assert s003.confidence([]) == 0.0


# --- 004 ----------------------------------------------------------------------------------------

CHUNKS = {"c-1": "Files are kept for 30 days, then deleted.", "doc-chunk-2": "Tours start at noon."}


@pytest.mark.parametrize(
    ("citation", "status"),
    [
        ({"id": "c-1", "quote": "kept for 30 days"}, "VERIFIED"),
        ({"id": "c-1", "quote": "Kept  FOR 30 days"}, "VERIFIED"),
        ({"id": "c-1", "quote": "kept for 90 days, then deleted"}, "UNVERIFIED"),
        ({"id": "c-9", "quote": "kept for 30 days"}, "UNVERIFIED"),
        ({"id": "c-2", "chunk_id": "doc-chunk-2", "quote": "start at noon"}, "VERIFIED"),
        ({"id": "c-1", "quote": None}, "UNVERIFIED"),
    ],
)
def test_a_quote_is_looked_up_in_the_chunk_of_its_id(citation: dict[str, object], status: str) -> None:
    (found,) = s004.verify_quotes({"citations": [citation]}, CHUNKS)
    assert found["status"] == status
    assert (found["start"] is None) is (status == "UNVERIFIED")


def test_a_found_quote_stands_where_it_says() -> None:
    (found,) = s004.verify_quotes({"citations": [{"id": "c-1", "quote": "kept for 30 days"}]}, CHUNKS)
    assert CHUNKS["c-1"][found["start"] : found["end"]] == "kept for 30 days"


def test_the_retry_says_what_was_not_found() -> None:
    assert s004.feedback([{"id": "c-3", "claim": "Tours cost 5 EUR."}]) == (
        "Your citation for claim 'Tours cost 5 EUR.' was not found in c-3. Either fix the quote or remove the claim."
    )


def test_what_stays_unverified_goes_and_the_note_is_added() -> None:
    answer = "Entry is free [c-1]. Tours cost 9 EUR [c-2]."
    assert (
        s004.strip_unverified(answer, ["c-1", "c-2"], ["c-2"])
        == f"Entry is free [c-1].\n\n{s004.REMOVAL_NOTE}"
    )
    assert s004.strip_unverified(answer, ["c-1", "c-2"], []) == answer


def test_the_numbers_are_those_of_the_source() -> None:
    assert (s004.FUZZY_THRESHOLD, s004.QUOTE_LIMIT, s004.GOLDEN_SET_SIZE) == (0.85, 280, 250)
    assert (s004.TARGET_COVERAGE, s004.TARGET_PRECISION, s004.MAX_DROP_POINTS) == (0.95, 0.95, 2.0)
    assert s003.ABSTAIN_THRESHOLD == 0.4


def test_a_cut_reply_tells_which_citations_arrived() -> None:
    found = s004.parse_response(
        '{"answer": "Free [c-1].", "citations": [{"id": "c-1", "quote": "a"}, {"id": "c-'
    )
    assert (found.truncated, found.citation_ids) == (True, ("c-1",))
