"""Over all claims: citations, counts, conflicts, what is missing, and how sure we are."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from pincite import verify
from pincite.context import Context
from pincite.findings import (
    CitationCheck,
    CitationStatus,
    Claim,
    Pointer,
    QuoteMatchKind,
    ReasonCode,
    Sentence,
    Support,
    Verdict,
)
from pincite.review import (
    abstention_reason,
    blended,
    citations,
    confidence,
    metrics,
    similarity_parts,
    snippets,
    text_of,
    uncovered_aspects,
)
from pincite.text.lexicon import TIER1
from pincite.types import Chunk, ChunkId, DocId, Span
from tests.doubles import hits

SOURCE = "Entry is free. Guided tours cost 5 EUR."
FIRST = Span(0, 14)
CONTEXT = Context.of(hits(SOURCE, "Dogs wait outside."))


def check(
    citation_id: str, status: CitationStatus = CitationStatus.VERIFIED, span: Span = FIRST
) -> CitationCheck:
    support = Support.SUPPORTED if status is CitationStatus.VERIFIED else Support.UNSUPPORTED
    return CitationCheck(citation_id, status, QuoteMatchKind.EXACT, 1.0, support, (span,))


def sentence(*checks: CitationCheck, support: Support = Support.SUPPORTED, factual: bool = True) -> Sentence:
    pointers = tuple(
        Pointer(one.citation_id, 5, known=one.status is not CitationStatus.INVALID) for one in checks
    )
    return Sentence(
        Claim(0, Span(0, 5), "Claim", factual, pointers), Verdict(support, 1.0, "", checks=checks)
    )


def test_a_chunk_cited_twice_is_one_citation_with_two_places() -> None:
    (citation,) = citations([sentence(check("c-1")), sentence(check("c-1", span=Span(15, 39)))], CONTEXT)
    assert citation.spans == (Span(0, 14), Span(15, 39))
    assert citation.exact == "Entry is free. … Guided tours cost 5 EUR."


def test_citations_are_numbered_in_order_of_first_appearance() -> None:
    found = citations([sentence(check("c-2", span=Span(0, 4))), sentence(check("c-1"))], CONTEXT)
    assert [(citation.n, citation.id) for citation in found] == [(1, "c-2"), (2, "c-1")]


def test_a_citation_has_the_worst_status_of_its_uses() -> None:
    found = citations([sentence(check("c-1")), sentence(check("c-1", CitationStatus.CONTRADICTED))], CONTEXT)
    assert found[0].status is CitationStatus.CONTRADICTED


def test_an_invented_id_gives_no_citation() -> None:
    assert citations([sentence(check("c-9", CitationStatus.INVALID))], CONTEXT) == ()


def test_a_citation_is_born_with_what_stands_round_it() -> None:
    (citation,) = citations([sentence(check("c-1", span=Span(15, 27)))], CONTEXT)
    assert citation.exact == "Guided tours"
    assert citation.prefix == "Entry is free. "
    assert citation.suffix == " cost 5 EUR."


def test_the_header_row_of_a_table_is_quoted_on_a_line_of_its_own() -> None:
    chunk = Chunk(
        ChunkId("t-chunk-0"), DocId("t"), 0, Span(50, 60), "| Plus | 5", (Span(0, 8),), ("| Plan |",)
    )
    context = Context.of((replace(hits("x")[0], chunk=chunk),))
    (citation,) = citations(
        [sentence(check("c-1", span=Span(0, 8)), check("c-1", span=Span(50, 58)))], context
    )
    assert citation.exact == "| Plan |\n| Plus |"
    assert text_of(chunk, Span(50, 58)) == "| Plus |"
    assert text_of(chunk, Span(2, 6)) == "Plan"
    with pytest.raises(AssertionError):
        text_of(chunk, Span(20, 30))


def test_sources_count_markers_pairs_and_ids_differently() -> None:
    counts = metrics(
        [
            sentence(check("c-1"), check("c-1")),
            sentence(check("c-2", CitationStatus.UNVERIFIED), support=Support.UNSUPPORTED),
            sentence(check("c-9", CitationStatus.INVALID), support=Support.UNSUPPORTED),
        ],
        retrieval_count=5,
    )
    assert counts.citation_accuracy == 2 / 4
    assert counts.confidence_score == 1 / 3
    assert counts.verification_rate == 1 / 3
    assert counts.ids_alone == 2 / 3
    assert counts.citation_coverage == 2 / 3
    assert not counts.grounded


def test_headings_do_not_count_against_coverage() -> None:
    counts = metrics([sentence(factual=False), sentence(check("c-1"))], 1)
    assert counts.citation_coverage == 1.0
    assert counts.grounded
    assert counts.meets_target


def test_an_invented_id_makes_confidence_low() -> None:
    good, bad = sentence(check("c-1")), sentence(check("c-9", CitationStatus.INVALID))
    cited = citations([good], CONTEXT)
    assert confidence([good], cited, metrics([good], 1)).label == "HIGH"
    assert confidence([good, bad], cited, metrics([good, bad], 1)).label == "LOW"


def test_nothing_cited_is_low() -> None:
    bare = sentence()
    assert confidence([bare], (), metrics([bare], 1)).label == "LOW"


@pytest.mark.parametrize(
    "similarities", [[], [0.0], [1.0, 0.5], [-3.0, 7.0], [math.nan], [math.inf, 0.5], [math.nan, 0.2]]
)
def test_confidence_is_always_a_finite_number_in_0_1(similarities: list[float]) -> None:
    value = blended(similarity_parts(similarities))
    assert math.isfinite(value)
    assert 0.0 <= value <= 1.0


def test_more_similar_passages_never_make_an_answer_less_sure() -> None:
    values = [blended(similarity_parts([step / 10, 0.5])) for step in range(11)]
    assert values == sorted(values)


def test_a_part_of_the_question_that_nothing_shown_speaks_of_is_uncovered() -> None:
    shown = verify("Guided tours cost 5 EUR [1].", [SOURCE])
    missing = uncovered_aspects(
        "What do guided tours cost, and are penguins allowed?", shown.sentences, shown.citations, "en"
    )
    assert missing == ("are penguins allowed",)


def test_words_say_nothing_about_passages_in_another_language() -> None:
    german = verify("Guided tours cost 5 EUR [1].", [{"text": "Führungen kosten 5 EUR.", "language": "de"}])
    assert uncovered_aspects("Are penguins allowed?", german.sentences, german.citations, "en") == ()


def test_snippets_name_the_words_they_share_and_come_once_for_each_document() -> None:
    found = snippets("What do guided tours cost?", hits(SOURCE, SOURCE + " "), "en")
    assert [snippet.why for snippet in found] == ["shares: guided, tours, cost"] * 2
    assert len(snippets("Tours?", [hits(SOURCE)[0]] * 3, "en")) == 1


@pytest.mark.parametrize("code", list(ReasonCode))
def test_every_reason_code_has_a_sentence_for_people(code: ReasonCode) -> None:
    assert abstention_reason(code, ()).endswith(".")


def test_the_reason_for_declining_is_in_the_language_of_the_question() -> None:
    for code in ReasonCode:
        reasons = {abstention_reason(code, (), language) for language in TIER1}
        assert len(reasons) == len(TIER1), code


def test_a_calibrated_chance_takes_the_place_of_similarities() -> None:
    one = sentence(check("c-1"))
    sure = confidence([one], citations([one], CONTEXT), metrics([one], 1), answers=0.5)
    assert sure.value == pytest.approx(0.5)
    assert sure.label == "MEDIUM"
    assert "similarity_max" not in sure.parts
