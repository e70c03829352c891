"""Whatever a model writes about whatever documents: the answer keeps its promises."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.doubles import pipeline, statement

from pincite import verify
from pincite.answer import GOOD, Answer
from pincite.findings import Citation, Sentence, Support
from pincite.review import text_of
from pincite.text.markers import parse_markers
from pincite.types import Document

FACTS = (
    "Guided tours cost 5 EUR per person.",
    "Tours start at noon.",
    "Dogs must wait outside.",
    "Deleted files are kept for 30 days.",
    "返品は14日以内に受け付けます。",
    "- Bring **solid** shoes",
    "| Plan | Storage |\n|---|---|\n| Plus | 50 GB |",
    "```sh\nmake all [1]\n```",
    "See [c-1] and 🎈 for more.",
)
FALSE = ("Tours cost 50 EUR.", "Dogs may come in.", "Files are kept for ever.", "Here is what I found:", "")

texts = st.lists(st.sampled_from(FACTS), min_size=1, max_size=5).map("\n\n".join)
sentences = st.one_of(st.sampled_from(FACTS + FALSE), st.text(max_size=40))
markers = st.sampled_from(["", " [c-1].", " [1]", " [c-2][c-9]", " [7].", "【c-1】"])
quotes = st.lists(
    st.tuples(st.sampled_from(["c-1", "c-2", "c-9", "1"]), st.one_of(st.none(), sentences)), max_size=2
)


def marked(text: str, marker: str) -> str:
    """On the line of a closing fence a marker would keep it from closing."""
    return f"{text}\n{marker.strip()}" if text.endswith("```") else text + marker


lines = st.builds(
    lambda text, marker, cited: statement(marked(text, marker), *cited), sentences, markers, quotes
)
replies = st.lists(lines, max_size=5).map("".join)


def check(answer: Answer, documents: dict[str, Document]) -> None:
    end = 0
    for place, sentence in enumerate(answer.sentences):
        assert sentence.index == place
        assert sentence.span.start >= end
        assert sentence.span.of(answer.plain) == sentence.text
        end = sentence.span.end
        assert all(sentence.span.contains(span) for span in sentence.verdict.unsupported_words)
        assert all(0 <= pointer.at <= len(answer.plain) for pointer in sentence.claim.pointers)
    for citation in answer.citations:
        check_citation(answer, citation, documents)
    assert 0.0 <= answer.confidence <= 1.0
    if answer.abstained:
        assert answer.reason
        assert answer.reason_code
        assert answer.citations == ()


def check_citation(answer: Answer, citation: Citation, documents: dict[str, Document]) -> None:
    document = documents[citation.doc_id]
    hit = next(hit for hit in answer.hits if hit.chunk.chunk_id == citation.chunk_id)
    for span in citation.spans:
        assert any(place.contains(span) for place in (hit.chunk.span, *hit.chunk.context))
        assert span.of(document.text) == text_of(hit.chunk, span)
    assert len(citation.quote) <= 279
    assert citation.status in GOOD or citation.status in ("unverified", "not_checkable")


def is_green(sentence: Sentence) -> bool:
    checks = sentence.verdict.checks
    return (
        sentence.support is Support.SUPPORTED and bool(checks) and all(one.status in GOOD for one in checks)
    )


@settings(max_examples=60)
@given(st.lists(texts, min_size=1, max_size=3), replies, replies)
def test_every_place_that_an_answer_names_is_where_it_says(found: list[str], first: str, second: str) -> None:
    documents = {f"d-{n}": Document(f"d-{n}", text, format="markdown") for n, text in enumerate(found)}
    rag = pipeline(*documents.values(), replies=[first, second])
    check(rag.ask("What do guided tours cost, and are files kept?"), documents)


@settings(max_examples=60)
@given(st.lists(texts, min_size=1, max_size=3), replies, replies)
def test_nothing_false_is_ever_green(found: list[str], first: str, second: str) -> None:
    rag = pipeline(*(Document(f"d-{n}", text) for n, text in enumerate(found)), replies=[first, second])
    answer = rag.ask("What do guided tours cost, and are files kept?")
    for sentence in answer.sentences:
        if any(lie and lie.rstrip(".") in sentence.text for lie in FALSE[:3]):
            assert not is_green(sentence)


@settings(max_examples=40)
@given(st.lists(texts, min_size=1, max_size=3))
def test_the_extractive_answer_is_made_of_the_documents_alone(found: list[str]) -> None:
    documents = {f"d-{n}": Document(f"d-{n}", text, format="markdown") for n, text in enumerate(found)}
    answer = pipeline(*documents.values()).ask(
        "What do guided tours cost, and how long are deleted files kept?"
    )
    check(answer, documents)
    assert all(is_green(sentence) for sentence in answer.sentences if sentence.factual)
    assert answer.removed == ()


@settings(max_examples=60)
@given(replies)
def test_printed_markers_read_back_to_the_same_citations(reply: str) -> None:
    answer = pipeline(Document("d", "\n\n".join(FACTS)), replies=[reply, ""]).ask(
        "What do guided tours cost?"
    )
    ids = [citation.id for citation in answer.citations]
    parsed = parse_markers(answer.answer, ids)
    assert {marker.id for marker in parsed.markers if marker.known} == set(ids)


@settings(max_examples=100)
@given(st.text(max_size=120), st.lists(st.text(max_size=80), max_size=3))
def test_any_text_can_be_checked_against_any_sources(answer: str, sources: list[str]) -> None:
    report = verify(answer, sources)
    for sentence in report.sentences:
        assert sentence.span.of(report.plain) == sentence.text
    for form in ("text", "lines", "markdown", "json"):
        report.to(form)


@settings(max_examples=60)
@given(st.sampled_from([fact for fact in FACTS if fact[0] not in "`|-"]))
def test_a_sentence_of_the_source_is_always_supported_by_it(fact: str) -> None:
    report = verify(f"{fact.rstrip('.。')} [c-1].".replace("See [c-1] and", "See and"), ["\n\n".join(FACTS)])
    assert report.sentences[0].support is Support.SUPPORTED or "See" in fact
