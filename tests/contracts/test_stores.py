"""What every store must do. A new store adds a line to ``OPEN``."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from tests import postgres_server, qdrant_local

from pincite.chain import LogReport, check, content_hash
from pincite.errors import ConfigError, StoreError
from pincite.ports.stored import (
    IndexedChunk,
    LogHead,
    StoredAnswer,
    StoredFeedback,
    StoredReview,
    StoredRun,
    Tombstone,
)
from pincite.ports.stores import Store, Truth
from pincite.search import search
from pincite.stores.memory import MemoryStore
from pincite.stores.sqlite import SqliteStore
from pincite.text.words import terms
from pincite.types import (
    AccessLevel,
    AnswerId,
    Chunk,
    ChunkId,
    DocId,
    Document,
    Origin,
    Page,
    Question,
    Reader,
    Run,
    Section,
    Span,
)

OPEN: dict[str, Callable[[Path], Store]] = {
    "memory": lambda _folder: MemoryStore(),
    "sqlite": lambda folder: SqliteStore(folder / "pincite.db"),
}
if qdrant_local.INSTALLED:
    # ``__getattr__`` gives what the class itself does not have, which types cannot say.
    OPEN["qdrant"] = lambda folder: cast("Store", qdrant_local.over(SqliteStore(folder / "truth.db")))
if postgres_server.INSTALLED:
    OPEN["postgres"] = lambda _folder: postgres_server.opened()

SEEDS = {"qdrant": 2, "postgres": 4}
"""Of twelve worlds with hidden documents, so many for a store that takes long."""

SERVERS = frozenset({"qdrant", "postgres"})
"""Stores that need another program or much time: their tests are a stage of their own."""
NAMES = [pytest.param(name, marks=pytest.mark.servers) if name in SERVERS else name for name in OPEN]

PUBLIC = Reader()
INTERNAL = Reader(AccessLevel.INTERNAL)
CONFIDENTIAL = Reader(AccessLevel.CONFIDENTIAL)
READERS = (PUBLIC, INTERNAL, CONFIDENTIAL)
WHEN = "2026-01-02T03:04:05Z"


@pytest.fixture(params=NAMES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened = OPEN[request.param](tmp_path)
    yield opened
    opened.close()


def document(doc_id: str, *paragraphs: str, access: str | None = "public", **fields: object) -> Document:
    return Document(doc_id, "\n\n".join(paragraphs), access_level=access, **fields)  # type: ignore[arg-type]


def chunks_of(source: Document, first_number: int = 0) -> list[IndexedChunk]:
    """One chunk for each paragraph, whose first ``#`` line, if any, is context of the others."""
    made: list[IndexedChunk] = []
    start = 0
    for ordinal, text in enumerate(source.text.split("\n\n")):
        chunk = Chunk(
            chunk_id=ChunkId(f"{source.doc_id}-chunk-{first_number + ordinal}"),
            doc_id=DocId(source.doc_id),
            ordinal=ordinal,
            span=Span(start, start + len(text)),
            text=text,
        )
        made.append(IndexedChunk(chunk, terms(text, source.language)))
        start += len(text) + 2
    return made


def put(store: Store, *documents: Document) -> None:
    store.put_many([(item, chunks_of(item)) for item in documents], added_at=WHEN)


def with_vectors(source: Document, *vectors: list[float]) -> list[IndexedChunk]:
    return [
        replace(item, vector=np.array(vector, dtype=np.float32))
        for item, vector in zip(chunks_of(source), vectors, strict=True)
    ]


# --- documents and chunks -----------------------------------------------------------------------


def test_a_document_comes_back_as_it_went_in(store: Store) -> None:
    source = Document(
        "returns-2024",
        "# Returns\n\nThirty days. 🎈 返品\n\nBring the receipt.",
        title="Returns",
        url="https://example.org/returns",
        kind="policy",
        format="pdf",
        access_level="internal",
        owner="Shop",
        published_date="2024-05-01",
        version="3",
        language="en",
        status="superseded",
        licence="CC BY 4.0",
        sections=(Section(("Returns",), Span(0, 46), 1, "returns"),),
        pages=(Page(0, Span(0, 20), "iv", 595.0, 842.5), Page(1, Span(20, 46))),
        runs=(Run(Span(0, 20), 0, 5, -1),),
        metadata=(("team", "shop"),),
        defaulted=("version",),
    )
    put(store, source)
    assert store.document(DocId("returns-2024"), INTERNAL) == source
    assert store.content_hash(DocId("returns-2024")) == source.content_hash


def test_a_chunk_comes_back_with_context_and_page(store: Store) -> None:
    source = document("fees", "| size | fee |", "| 25 MB | 10 € |")
    first, second = chunks_of(source)
    chunk = replace(
        second.chunk,
        context=(Span(0, 14),),
        context_texts=("| size | fee |",),
        section=("Fees", "Uploads"),
        page_index=3,
        page_label="A-4",
    )
    store.put(source, [first, replace(second, chunk=chunk)], added_at=WHEN)
    assert store.chunk(chunk.chunk_id, PUBLIC) == (chunk, source.info)


@pytest.mark.parametrize(
    "text", ["a\x00b", "lone \ud800 surrogate", "\u202eabc", "x" * 100_000, "e" + "\u0301" * 9_999]
)
def test_hostile_text_comes_back_unchanged(store: Store, text: str) -> None:
    source = replace(document("odd \ud800 id", text), title=text[:50], language="x\udfff")
    put(store, source)
    assert store.document(DocId("odd \ud800 id"), PUBLIC) == source
    found = store.chunk(ChunkId("odd \ud800 id-chunk-0"), PUBLIC)
    assert found is not None
    assert found[0].text == text
    assert store.languages(PUBLIC) == ("x\udfff",)


def test_a_chunk_that_is_not_at_its_span_is_refused(store: Store) -> None:
    source = document("a", "one", "two")
    wrong = [replace(item, chunk=replace(item.chunk, text="three")) for item in chunks_of(source)]
    with pytest.raises(AssertionError, match="not at its span"):
        store.put(source, wrong, added_at=WHEN)
    assert store.documents(PUBLIC) == ()


def test_documents_are_listed_by_id_with_their_chunks_counted(store: Store) -> None:
    put(store, document("b", "one", "two"), document("a", "one"))
    assert [(item.info.doc_id, item.chunk_count, item.added_at) for item in store.documents(PUBLIC)] == [
        ("a", 1, WHEN),
        ("b", 2, WHEN),
    ]


def test_a_document_put_again_replaces_all_its_chunks(store: Store) -> None:
    put(store, document("a", "fee ten", "open daily", "no dogs"), document("b", "bring coat"))
    put(store, document("a", "fee twelve", "open daily"))
    found = {hit.chunk.text for hit in search(Question("fee dogs coat daily"), store)}
    assert found == {"fee twelve", "open daily", "bring coat"}
    assert search(Question("ten"), store) == ()
    assert store.documents(PUBLIC)[0].chunk_count == 2


def test_a_removed_document_is_gone_from_everywhere(store: Store) -> None:
    put(store, document("a", "zebra crossing"), document("b", "zebra stripes"))
    assert store.remove(DocId("a"))
    assert not store.remove(DocId("a"))
    assert [hit.chunk.doc_id for hit in search(Question("zebra"), store)] == ["b"]
    assert store.document(DocId("a"), PUBLIC) is None
    assert store.chunk(ChunkId("a-chunk-0"), PUBLIC) is None
    assert store.content_hash(DocId("a")) is None


def test_a_chunk_number_is_never_given_twice_even_after_removal(store: Store) -> None:
    source = document("a", "one", "two")
    assert store.chunk_numbers(DocId("a")) == ((), 0)
    store.put(source, chunks_of(source, first_number=4), added_at=WHEN)
    chunks, following = store.chunk_numbers(DocId("a"))
    assert [chunk.chunk_id for chunk in chunks] == ["a-chunk-4", "a-chunk-5"]
    assert following == 6
    store.remove(DocId("a"))
    assert store.chunk_numbers(DocId("a")) == ((), 6)


def test_a_chunk_id_of_another_document_is_refused_and_nothing_is_stored(store: Store) -> None:
    put(store, document("a", "one"))
    other = document("b", "two")
    stolen = [
        replace(item, chunk=replace(item.chunk, chunk_id=ChunkId("a-chunk-0"))) for item in chunks_of(other)
    ]
    with pytest.raises(StoreError, match="repeats an id"):
        store.put_many(
            [(document("c", "three"), chunks_of(document("c", "three"))), (other, stolen)], added_at=WHEN
        )
    assert [item.info.doc_id for item in store.documents(PUBLIC)] == ["a"]
    put(store, other)
    assert [hit.chunk.doc_id for hit in search(Question("two"), store)] == ["b"]


def test_a_document_without_chunks_is_kept(store: Store) -> None:
    store.put(document("a", "nothing"), [], added_at=WHEN)
    put(store, document("b", "something", kind="faq"))
    assert [item.chunk_count for item in store.documents(PUBLIC)] == [0, 1]
    assert [hit.chunk.doc_id for hit in search(Question("something", filters=(("kind", "faq"),)), store)] == [
        "b"
    ]


def test_a_document_without_a_word_is_kept_and_can_be_removed(store: Store) -> None:
    put(store, document("a", "…", "!?"))
    put(store, document("b", "--", "word"))
    assert [item.chunk_count for item in store.documents(PUBLIC)] == [2, 2]
    assert store.postings(("word",), PUBLIC, ()).mean_length == 0.25
    assert store.remove(DocId("a"))
    assert store.postings(("word",), PUBLIC, ()).mean_length == 0.5


def test_neighbours_stop_at_the_ends_of_the_document(store: Store) -> None:
    put(store, document("z", "before"), document("a", "zero", "one", "two", "three"), document("b", "after"))
    found = store.chunk(ChunkId("a-chunk-1"), PUBLIC)
    assert found is not None
    assert [chunk.text for chunk in store.neighbours(found[0], 1, 1, PUBLIC)] == ["zero", "one", "two"]
    assert [chunk.text for chunk in store.neighbours(found[0], 9, 9, PUBLIC)] == [
        "zero",
        "one",
        "two",
        "three",
    ]
    assert [chunk.text for chunk in store.neighbours(found[0], 0, 0, PUBLIC)] == ["one"]


def test_the_generation_grows_with_every_change(store: Store) -> None:
    seen = [store.generation]
    put(store, document("a", "one"))
    seen.append(store.generation)
    put(store, document("a", "two"))
    seen.append(store.generation)
    store.remove(DocId("a"))
    seen.append(store.generation)
    assert seen == sorted(set(seen))


# --- search -------------------------------------------------------------------------------------


def test_statistics_and_postings_count_what_the_reader_may_see(store: Store) -> None:
    put(
        store,
        document("a", "red red blue", "blue"),
        document("b", "red green", access="internal"),
        document("c", "red", access="secret"),
    )
    for reader, chunk_count, frequency, mean in ((PUBLIC, 2, (1, 0), 2.0), (CONFIDENTIAL, 3, (2, 1), 2.0)):
        found = store.postings(("red", "green"), reader, ())
        assert (found.chunk_count, found.document_frequency, found.mean_length) == (
            chunk_count,
            frequency,
            mean,
        )
        assert tuple(len(match.keys) for match in found.matches) == frequency
    first = store.postings(("red",), PUBLIC, ()).matches[0]
    assert (first.frequencies.tolist(), first.lengths.tolist()) == ([2.0], [3.0])


def test_filters_narrow_what_is_found_and_leave_the_statistics(store: Store) -> None:
    put(store, document("a", "red", kind="faq"), document("b", "red", kind="policy"), document("c", "blue"))
    found = store.postings(("red",), PUBLIC, (("kind", "faq"),))
    assert (found.chunk_count, found.document_frequency, len(found.matches[0].keys)) == (3, (2,), 1)
    everywhere = search(Question("red"), store)
    narrowed = search(Question("red", filters=(("kind", "faq"),)), store)
    assert [hit.chunk.doc_id for hit in narrowed] == ["a"]
    assert narrowed[0].parts == everywhere[0].parts


def test_an_unknown_filter_is_a_config_error(store: Store) -> None:
    with pytest.raises(ConfigError, match="cannot filter by 'text'"):
        search(Question("red", filters=(("text", "x"),)), store)


def test_a_question_about_nothing_stored_finds_nothing(store: Store) -> None:
    assert search(Question("red"), store) == ()
    put(store, document("a", "blue"))
    assert search(Question("red"), store) == ()
    assert search(Question(""), store) == ()


def test_languages_are_those_the_reader_may_see(store: Store) -> None:
    put(
        store,
        document("a", "eins", language="de"),
        document("b", "un", language="fr", access="internal"),
        document("c", "?"),
    )
    assert store.languages(PUBLIC) == ("de",)
    assert store.languages(INTERNAL) == ("de", "fr")


def test_a_key_the_reader_may_not_see_cannot_be_loaded(store: Store) -> None:
    put(store, document("a", "red", access="internal"))
    (key,) = store.postings(("red",), INTERNAL, ()).matches[0].keys.tolist()
    assert store.load([key], INTERNAL)[0][0].text == "red"
    with pytest.raises(AssertionError):
        store.load([key], PUBLIC)


# --- vectors ------------------------------------------------------------------------------------


def test_the_nearest_permitted_chunks_come_best_first(store: Store) -> None:
    open_, hidden = document("a", "north", "east", "west"), document("b", "secret north", access="internal")
    store.put(open_, with_vectors(open_, [0, 1], [1, 0], [-1, 0]), added_at=WHEN, embedder="compass")
    store.put(hidden, with_vectors(hidden, [0, 1]), added_at=WHEN, embedder="compass")
    query = np.array([0.6, 0.8], dtype=np.float32)
    keys, cosines = store.nearest(query, PUBLIC, (), 2)
    assert [chunk.text for chunk, _ in store.load(keys.tolist(), PUBLIC)] == ["north", "east"]
    assert cosines.tolist() == pytest.approx([0.8, 0.6], abs=1e-3)
    assert store.cosines(query, keys.tolist()).tolist() == pytest.approx([0.8, 0.6], abs=1e-3)
    keys, _ = store.nearest(query, INTERNAL, (("doc_id", "b"),), 9)
    assert [chunk.text for chunk, _ in store.load(keys.tolist(), INTERNAL)] == ["secret north"]


def test_a_chunk_without_a_vector_has_no_cosine(store: Store) -> None:
    source = document("a", "north", "east")
    first, second = with_vectors(source, [0, 1], [1, 0])
    store.put(source, [replace(first, vector=None), second], added_at=WHEN, embedder="compass")
    put(store, document("b", "plain"))
    everything = [
        int(key)
        for term in ("north", "east", "plain")
        for key in store.postings((term,), PUBLIC, ()).matches[0].keys
    ]
    found = store.cosines(np.array([1, 0], dtype=np.float32), everything).tolist()
    assert [str(round(cosine, 3)) for cosine in found] == ["nan", "1.0", "nan"]
    assert store.nearest(np.array([1, 0], dtype=np.float32), PUBLIC, (), 9)[0].tolist() == everything[1:2]


def test_vectors_of_another_embedder_are_refused_until_the_old_ones_are_forgotten(store: Store) -> None:
    source = document("a", "north")
    store.put(source, with_vectors(source, [0, 1]), added_at=WHEN, embedder="compass")
    with pytest.raises(StoreError, match="built with embedder compass, now sextant"):
        store.put(source, with_vectors(source, [0, 1]), added_at=WHEN, embedder="sextant")
    assert store.embedder_fingerprint == "compass"
    store.forget_vectors()
    assert store.embedder_fingerprint is None
    assert len(store.nearest(np.empty(0, dtype=np.float32), PUBLIC, (), 9)[0]) == 0
    store.put(source, with_vectors(source, [0, 0, 1]), added_at=WHEN, embedder="sextant")
    assert store.embedder_fingerprint == "sextant"
    with pytest.raises(StoreError, match="vectors of 3 numbers, the embedder makes 2"):
        store.nearest(np.array([0, 1], dtype=np.float32), PUBLIC, (), 1)


# --- answers ------------------------------------------------------------------------------------


def given(name: str, level: str = "public", when: str = WHEN, body: str = '{"text": "…"}') -> StoredAnswer:
    return StoredAnswer(AnswerId(name), when, level, "q \ud800", "ANSWERED", body, '{"client": "\udcff"}')


def audit(store: Store, *anchors: LogHead) -> LogReport:
    return check(store.log_entries(), store.log_head(), store.log_rows(), anchors=anchors)


def test_answers_come_to_those_who_may_see_them_the_last_logged_first(store: Store) -> None:
    early, late, inner = given("b", when="3"), given("a", when="1"), given("c", "internal", when="2")
    for item in (early, late, inner):
        store.save_answer(item)
    assert store.answers(PUBLIC) == (late, early)
    assert store.answers(INTERNAL, limit=2) == (inner, late)
    assert store.answers(INTERNAL, limit=0) == ()
    assert store.answer(AnswerId("b"), PUBLIC) == early
    assert store.answer(AnswerId("c"), PUBLIC) is None


def test_an_answer_is_never_replaced(store: Store) -> None:
    store.save_answer(given("a"))
    store.save_answer(given("a"))
    with pytest.raises(StoreError, match=r"'a' was logged before.*never replaced"):
        store.save_answer(replace(given("a"), status="PARTIAL"))
    assert store.answers(PUBLIC) == (given("a"),)
    assert [one.position for one in store.log_entries()] == [1]
    assert audit(store).whole


def test_whatever_is_logged_is_a_link_that_follows_from_the_one_before(store: Store) -> None:
    assert store.log_head() == LogHead()
    store.save_answer(given("a"), at="2026-01-02T03:04:09Z")
    store.save_feedback(StoredFeedback("f", AnswerId("a"), WHEN, "public", "helpful"))
    store.save_review(StoredReview("r", AnswerId("a"), "2026-01-03T00:00:00Z", "internal", "right", "Ann"))
    store.note_in_log("gap", at="2026-01-04T00:00:00Z", detail='{"count": 2}')
    first, *_, last = entries = list(store.log_entries())
    assert [(one.position, one.kind, one.subject, one.level) for one in entries] == [
        (1, "answer", "a", "public"),
        (2, "feedback", "f", "public"),
        (3, "review", "r", "internal"),
        (4, "gap", "", ""),
    ]
    assert [two.previous == one.link for one, two in pairwise(entries)] == [True, True, True]
    assert store.log_head() == LogHead(4, last.link, last.at)
    assert (first.at, first.content) == ("2026-01-02T03:04:09Z", content_hash(given("a")))
    assert list(store.log_entries(subject="r")) == entries[2:3]
    assert list(store.log_entries(after=3)) == entries[3:]
    report = audit(store)
    assert (report.whole, report.entries, report.answers, report.clock_back) == (True, 4, 1, (2,))


def test_a_removal_logs_each_answer_that_it_rewrites(store: Store) -> None:
    put(store, document("a", "red"))
    store.save_answer(answer_about("a", "x", "ans_a"))
    store.save_answer(answer_about("b", "x", "ans_b"))
    store.remove(DocId("a"), removed_at=WHEN, rewrite=lambda answer: replace(answer, body="{}"))
    (change,) = audit(store).changes
    assert (change.position, change.kind, change.subject, change.at) == (3, "rewritten", "ans_a", WHEN)
    assert (change.detail["why"], change.detail["doc_id"]) == ("document removed", "a")
    assert audit(store).whole


def test_an_erased_answer_leaves_its_links_and_takes_what_was_said_of_it_along(store: Store) -> None:
    store.save_answer(given("a"))
    store.save_answer(given("b"))
    store.save_feedback(StoredFeedback("f", AnswerId("a"), WHEN, "public", "helpful"))
    store.save_review(StoredReview("r", AnswerId("a"), WHEN, "public", "right", "Ann"))
    assert store.erase_answer(AnswerId("a"), at=WHEN, why="asked for")
    assert not store.erase_answer(AnswerId("a"), at=WHEN, why="asked for")
    assert (store.answers(PUBLIC), store.feedback(PUBLIC), store.reviews(PUBLIC)) == ((given("b"),), (), ())
    assert audit(store).whole
    assert [one.kind for one in audit(store).changes] == ["erased"]
    with pytest.raises(StoreError, match="logged before"):
        store.save_answer(given("a"))


def test_pruning_drops_what_is_old_and_leaves_a_checkpoint(store: Store) -> None:
    for day in (1, 2, 3, 4):
        store.save_answer(given(f"a{day}", when=f"2026-01-0{day}"))
        store.save_feedback(StoredFeedback(f"f{day}", AnswerId(f"a{day}"), "2026-02-01", "public", "helpful"))
    anchor = store.log_head()
    second = list(store.log_entries())[3]
    assert store.prune_answers("2026-01-03", at="2026-03-01") == 2
    assert [one.answer_id for one in store.answers(PUBLIC)] == ["a4", "a3"]
    assert [one.feedback_id for one in store.feedback(PUBLIC)] == ["f3", "f4"]
    entries = list(store.log_entries())
    assert [one.position for one in entries] == [5, 6, 7, 8, 9]
    assert json.loads(entries[-1].detail) == {
        "before": "2026-01-03",
        "count": 2,
        "first": "2026-01-01",
        "last": "2026-01-02",
        "start": 4,
        "start_link": second.link,
    }
    assert store.prune_answers("2026-01-03", at="2026-03-02") == 0
    assert store.log_head().position == 9
    assert audit(store, anchor).whole
    assert store.prune_answers("2026-01-09", at="2026-03-03") == 2
    assert audit(store, anchor).whole
    assert audit(store).start.position == 8


def test_pruning_keeps_links_behind_one_whose_clock_was_ahead(store: Store) -> None:
    for name, when in (("a", "2026-01-01"), ("b", "2030-01-01"), ("c", "2026-01-02")):
        store.save_answer(given(name, when=when))
    assert store.prune_answers("2026-02-01", at="2026-03-01") == 2
    assert [one.answer_id for one in store.answers(PUBLIC)] == ["b"]
    assert [one.position for one in store.log_entries()] == [2, 3, 4]
    assert audit(store).whole
    store.save_answer(given("d", when="2026-01-01"))
    assert audit(store).whole


def test_pruning_drops_versions_that_only_old_answers_cite(store: Store) -> None:
    old, new = blob_document("a", "red", b"red"), blob_document("a", "blue", b"blue")
    put(store, old)
    store.save_answer(answer_about("a", old.content_hash))
    put(store, new)
    assert store.prune_answers("2027-01-01", at="2027-02-01") == 1
    assert store.version(DocId("a"), old.content_hash, PUBLIC) is None
    assert store.blobs.get(old.blob or "") is None
    assert store.blobs.get(new.blob or "") == b"blue"


def test_decisions_come_newest_first_to_those_who_may_see_them_and_are_never_replaced(store: Store) -> None:
    def review(name: str, answer_id: str, level: str = "public") -> StoredReview:
        return StoredReview(name, AnswerId(answer_id), WHEN, level, "wrong", "Ann", "c-1", 0, "\udcffno")

    store.save_answer(given("a"))
    store.save_answer(given("b"))
    first, second, inner = review("r9", "a"), review("r1", "b"), review("r2", "a", "internal")
    for one in (first, second, inner, first):
        store.save_review(one)
    assert store.reviews(PUBLIC) == (second, first)
    assert store.reviews(INTERNAL, limit=1) == (inner,)
    assert store.reviews(INTERNAL, answer_id=AnswerId("a")) == (inner, first)
    with pytest.raises(StoreError, match="logged before"):
        store.save_review(replace(first, decision="right"))


def test_nothing_is_said_or_decided_of_an_answer_that_is_gone(store: Store) -> None:
    store.save_answer(given("a"))
    store.save_answer(given("b"))
    store.erase_answer(AnswerId("a"), at=WHEN, why="asked for")
    for name in ("a", "never"):
        with pytest.raises(StoreError, match=f"no answer '{name}'"):
            store.save_feedback(StoredFeedback("f", AnswerId(name), "2026-01-09", "public", "helpful"))
        with pytest.raises(StoreError, match=f"no answer '{name}'"):
            store.save_review(StoredReview("r", AnswerId(name), "2026-01-09", "public", "right", "Ann"))
    assert (store.feedback(PUBLIC), store.reviews(PUBLIC), store.log_head().position) == ((), (), 3)
    store.prune_answers("2027-01-01", at="2027-02-01")
    assert audit(store).whole


def test_what_is_in_the_log_says_where_it_stands(store: Store) -> None:
    store.save_answer(given("a"))
    store.save_review(StoredReview("r1", AnswerId("a"), WHEN, "public", "wrong", "Ann"))
    store.save_review(StoredReview("r2", AnswerId("a"), WHEN, "public", "right", "Ann"))
    assert [(one.subject, one.position) for one in store.log_rows()] == [("a", 1), ("r1", 2), ("r2", 3)]


def test_evaluations_are_kept_by_level_the_newest_first(store: Store) -> None:
    old, new, inner = (
        StoredRun("b", "1", "public", "{}"),
        StoredRun("a", "2", "public", "{}"),
        StoredRun("c", "3", "internal", "{}"),
    )
    for one in (inner, old, new):
        store.save_run(one)
    assert store.runs(PUBLIC) == (new, old)
    assert store.runs(INTERNAL, limit=1) == (inner,)
    assert store.run("a", PUBLIC) == new
    assert store.run("c", PUBLIC) is None
    store.save_run(replace(old, body='{"n": 1}'))
    assert store.run("b", PUBLIC) == replace(old, body='{"n": 1}')
    assert store.log_head() == LogHead()


# --- access: a hidden document changes nothing --------------------------------------------------

WORDS = "fee visa return shoe box day tax sea map key oil ink".split()
HIDDEN_LEVELS = ("internal", "confidential", "secret", None)


def _random_document(
    chance: random.Random, doc_id: str, access: str | None
) -> tuple[Document, list[IndexedChunk]]:
    paragraphs = [
        " ".join(chance.choices(WORDS, k=chance.randint(1, 8))) for _ in range(chance.randint(1, 4))
    ]
    made = document(doc_id, *paragraphs, access=access, language=chance.choice(["en", "de", None]))
    vectors = [[chance.choice([-1.0, 0.5, 1.0]) for _ in range(5)] for _ in paragraphs]
    return made, with_vectors(made, *[(np.array(v) / np.linalg.norm(v)).tolist() for v in vectors])


class Dice:
    """An embedder whose vectors depend on the text alone."""

    fingerprint = "dice"
    dimension = 5

    def documents(self, texts: list[str]) -> np.ndarray:
        return np.array([self.query(text) for text in texts])

    def query(self, text: str) -> np.ndarray:
        made = np.random.default_rng(len(text)).normal(size=5)
        return np.asarray(made / np.linalg.norm(made), dtype=np.float32)


def _all_that_is_seen(store: Store) -> str:
    """Everything a public reader can get, byte for byte."""
    questions = [Question(f"{one} {two}", top_k=7) for one, two in pairwise(WORDS)]
    filtered = [replace(question, filters=(("language", "en"),)) for question in questions[:3]]
    hits = [
        search(question, store, embedder=embedder, fusion=fusion)
        for question in (*questions, *filtered)
        for embedder, fusion in ((None, "score"), (Dice(), "score"), (Dice(), "rrf"))
    ]
    postings = store.postings(WORDS, PUBLIC, ())
    return repr(
        (
            [
                [(h.rank, h.chunk, h.document, h.score, h.fused, sorted(h.parts.items())) for h in found]
                for found in hits
            ],
            postings.chunk_count,
            postings.document_frequency,
            postings.mean_length,
            store.documents(PUBLIC),
            store.languages(PUBLIC),
            [store.chunk(ChunkId(f"hidden-{n}-chunk-0"), PUBLIC) for n in range(6)],
            [store.document(DocId(f"hidden-{n}"), PUBLIC) for n in range(6)],
        )
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(12))
def test_a_hidden_document_changes_no_byte_of_what_is_seen(name: str, seed: int, tmp_path: Path) -> None:
    if seed >= SEEDS.get(name, 12):
        pytest.skip("slow: some of the seeds")
    chance = random.Random(seed)
    visible = [_random_document(chance, f"open-{n}", "public") for n in range(chance.randint(1, 9))]
    hidden = [_random_document(chance, f"hidden-{n}", chance.choice(HIDDEN_LEVELS)) for n in range(6)]
    (tmp_path / "with").mkdir()
    (tmp_path / "without").mkdir()
    alone, mixed = OPEN[name](tmp_path / "without"), OPEN[name](tmp_path / "with")
    for item in visible:
        alone.put(*item, added_at=WHEN, embedder="dice")
    for item in chance.sample([*visible, *hidden], k=len(visible) + len(hidden)):
        mixed.put(*item, added_at=WHEN, embedder="dice")
    # The visible ones in the order in which the other store has them, with hidden ones in between.
    for item in visible:
        mixed.put(*item, added_at=WHEN, embedder="dice")
    expected = _all_that_is_seen(alone)
    assert _all_that_is_seen(mixed) == expected
    changed, chunks = _random_document(chance, "hidden-0", "confidential")
    mixed.put(changed, chunks, added_at=WHEN, embedder="dice")
    assert _all_that_is_seen(mixed) == expected
    mixed.remove(DocId("hidden-1"))
    assert _all_that_is_seen(mixed) == expected
    alone.close()
    mixed.close()


@pytest.mark.parametrize("left_out", [SERVERS, pytest.param(frozenset(), marks=pytest.mark.servers)])
@pytest.mark.parametrize("seed", range(8))
def test_all_stores_find_the_same_with_the_same_scores(
    seed: int, left_out: frozenset[str], tmp_path: Path
) -> None:
    chance = random.Random(1_000 + seed)
    kinds = [name for name in OPEN if name not in left_out and seed < SEEDS.get(name, 12)]
    stores = [OPEN[name](tmp_path) for name in kinds]
    names = [f"doc-{n}" for n in range(8)]
    for _ in range(20):
        doc_id = chance.choice(names)
        if chance.random() < 0.2:
            assert len({store.remove(DocId(doc_id)) for store in stores}) == 1
            continue
        made = _random_document(chance, doc_id, chance.choice(["public", "internal", "confidential", None]))
        for store in stores:
            store.put(*made, added_at=WHEN, embedder="dice")
    questions = [Question(f"{one} {two}", top_k=5) for one, two in zip(WORDS, WORDS[2:], strict=False)]
    for reader in READERS:
        for question in questions:
            for embedder in (None, Dice()):
                asked = replace(question, reader=reader)
                first, *others = [search(asked, store, embedder=embedder) for store in stores]
                for other in others:
                    assert [hit.chunk for hit in other] == [hit.chunk for hit in first]
                    assert [hit.score for hit in other] == pytest.approx(
                        [hit.score for hit in first], abs=1e-6
                    )
                    assert [hit.fused for hit in other] == pytest.approx(
                        [hit.fused for hit in first], abs=1e-6
                    )
    for store in stores:
        store.close()


# --- originals, versions, tombstones ------------------------------------------------------------------


def blob_document(doc_id: str, text: str, data: bytes, **fields: object) -> Document:
    return document(doc_id, text, blob=hashlib.sha256(data).hexdigest(), original=data, **fields)


def test_what_readers_say_of_answers_is_kept_by_level(store: Store) -> None:
    def said(name: str, when: str, level: str, answer_id: str = "a") -> StoredFeedback:
        return StoredFeedback(name, AnswerId(answer_id), when, level, "wrong_source", "c-1", None, "\udcffno")

    first, second, inner = (
        said("f1", "1", "public"),
        said("f2", "2", "public", "b"),
        said("f3", "3", "internal"),
    )
    store.save_answer(given("a"))
    store.save_answer(given("b"))
    for one in (first, second, inner):
        store.save_feedback(one)
    assert store.feedback(PUBLIC) == (second, first)
    assert store.feedback(INTERNAL, limit=1) == (inner,)
    assert store.feedback(PUBLIC, answer_id=AnswerId("a")) == (first,)
    store.save_feedback(replace(first, reaction="helpful", sentence_index=2))
    assert store.feedback(PUBLIC, answer_id=AnswerId("a"))[0].sentence_index == 2


def answer_about(
    doc_id: str, content_hash: str, answer_id: str = "ans_1", level: str = "public"
) -> StoredAnswer:
    body = {"citations": [{"doc_id": doc_id, "document_hash": content_hash}]}
    return StoredAnswer(AnswerId(answer_id), WHEN, level, "Why?", "ANSWERED", json.dumps(body))


def test_original_bytes_are_kept_with_the_document_and_go_with_it(store: Store) -> None:
    put(store, blob_document("a", "red", b"%PDF red"))
    (listed,) = store.documents(PUBLIC)
    assert listed.info.blob is not None
    assert store.blobs.get(listed.info.blob) == b"%PDF red"
    kept = store.document(DocId("a"), PUBLIC)
    assert kept is not None
    assert kept.original is None
    assert kept.blob == listed.info.blob
    store.remove(DocId("a"))
    assert list(store.blobs.all_keys()) == []


def test_the_same_bytes_under_two_names_are_two_documents_with_one_original(store: Store) -> None:
    put(store, blob_document("a", "red", b"red"), blob_document("b", "red", b"red"))
    assert len(list(store.blobs.all_keys())) == 1
    store.remove(DocId("a"))
    assert store.blobs.get(hashlib.sha256(b"red").hexdigest()) == b"red"
    assert [hit.document.doc_id for hit in search(Question("red"), store)] == ["b"]


def test_the_origin_comes_back_and_can_be_noted_anew(store: Store) -> None:
    origin = Origin("/docs/a.md", "/docs", "2026-01-02T03:04:05Z", "https://example.org/a")
    put(store, document("a", "red", origin=origin))
    assert [one.origin for one in store.documents(PUBLIC)] == [origin]
    store.note_origins([(DocId("a"), Origin("/new/a.md", "/new"))])
    assert [one.origin for one in store.documents(PUBLIC)] == [Origin("/new/a.md", "/new")]
    kept = store.document(DocId("a"), PUBLIC)
    assert kept is not None
    assert kept.origin == Origin("/new/a.md", "/new")


def test_a_replaced_version_stays_while_an_answer_cites_it(store: Store) -> None:
    old, new = blob_document("a", "red", b"red"), blob_document("a", "blue", b"blue")
    put(store, old)
    store.save_answer(answer_about("a", old.content_hash))
    put(store, new)
    kept = store.version(DocId("a"), old.content_hash, PUBLIC)
    assert kept is not None
    assert (kept.text, kept.content_hash) == ("red", old.content_hash)
    assert store.blobs.get(old.blob or "") == b"red"
    assert store.version(DocId("a"), new.content_hash, PUBLIC) == store.document(DocId("a"), PUBLIC)


def test_a_version_that_no_answer_cites_goes_with_its_original(store: Store) -> None:
    old = blob_document("a", "red", b"red")
    put(store, old)
    put(store, blob_document("a", "blue", b"blue"))
    assert store.version(DocId("a"), old.content_hash, PUBLIC) is None
    assert store.blobs.get(old.blob or "") is None


def test_nobody_sees_an_old_version_of_what_they_may_not_see_now(store: Store) -> None:
    old = document("a", "red")
    put(store, old)
    store.save_answer(answer_about("a", old.content_hash))
    put(store, document("a", "red", access="confidential"))
    assert store.version(DocId("a"), old.content_hash, INTERNAL) is None
    assert store.version(DocId("a"), old.content_hash, CONFIDENTIAL) is not None


def test_an_old_version_that_was_hidden_stays_hidden_when_the_document_is_opened(store: Store) -> None:
    old = document("a", "secret red", access="confidential")
    put(store, old)
    store.save_answer(answer_about("a", old.content_hash, level="confidential"))
    put(store, document("a", "blue"))
    assert store.version(DocId("a"), old.content_hash, PUBLIC) is None


def test_a_removed_document_leaves_a_tombstone_until_it_is_added_again(store: Store) -> None:
    source = document("a", "red", access="internal")
    put(store, source)
    assert store.remove(DocId("a"), removed_at=WHEN)
    assert store.removed(INTERNAL) == (Tombstone(DocId("a"), WHEN, (source.content_hash,)),)
    assert store.removed(PUBLIC) == ()
    put(store, source)
    assert store.removed(INTERNAL) == ()


def test_a_removal_rewrites_the_answers_that_hold_text_of_the_document_alone(store: Store) -> None:
    put(store, document("a", "red"), document("b", "blue"))
    store.save_answer(answer_about("a", "x", "ans_a"))
    store.save_answer(answer_about("b", "x", "ans_b"))
    store.remove(DocId("a"), rewrite=lambda answer: replace(answer, status="REWRITTEN"))
    assert {one.answer_id: one.status for one in store.answers(PUBLIC)} == {
        "ans_a": "REWRITTEN",
        "ans_b": "ANSWERED",
    }


def test_a_removal_whose_rewriting_fails_removes_nothing(store: Store) -> None:
    put(store, blob_document("a", "red", b"red"))
    store.save_answer(answer_about("a", "x"))

    def fail(answer: StoredAnswer) -> StoredAnswer:
        raise StoreError("no")

    with pytest.raises(StoreError):
        store.remove(DocId("a"), rewrite=fail)
    assert [one.info.doc_id for one in store.documents(PUBLIC)] == ["a"]
    assert len(list(store.blobs.all_keys())) == 1


def test_originals_that_nobody_needs_are_swept(store: Store) -> None:
    put(store, blob_document("a", "red", b"red"))
    store.blobs.put(b"left by an interruption")
    assert store.sweep() == 1
    assert len(list(store.blobs.all_keys())) == 1


def test_nothing_is_wrong_with_a_store_that_was_used(store: Store) -> None:
    put(store, blob_document("a", "red", b"red"), document("b", "blue", access="internal"))
    put(store, document("a", "green"))
    store.remove(DocId("b"))
    assert list(store.problems()) == []


def test_vectors_can_be_added_later_and_in_parts(store: Store) -> None:
    source = document("a", "red", "green", "blue")
    put(store, source)
    assert store.vectors_of(DocId("a")).shape[0] == 0
    store.append_vectors(DocId("a"), np.array([[1.0, 0.0], [0.0, 1.0]], dtype=np.float32), embedder="e")
    assert [one.vector_count for one in store.documents(PUBLIC)] == [2]
    near, _cosines = store.nearest(np.array([0.0, 1.0], dtype=np.float32), PUBLIC, (), 5)
    assert [store.load([key], PUBLIC)[0][0].text for key in near.tolist()] == ["green", "red"]
    store.append_vectors(DocId("a"), np.array([[0.6, 0.8]], dtype=np.float32), embedder="e")
    assert store.vectors_of(DocId("a")).shape == (3, 2)
    assert [one.vector_count for one in store.documents(PUBLIC)] == [3]
    with pytest.raises(StoreError, match="built with embedder e"):
        store.append_vectors(DocId("a"), np.array([[0.6, 0.8]], dtype=np.float32), embedder="other")


@pytest.mark.parametrize("many", [10**6, 10**20])
def test_neighbours_and_answers_may_be_asked_for_in_any_number(store: Store, many: int) -> None:
    put(store, document("a", "red", "green", "blue"))
    chunk = chunks_of(document("a", "red", "green", "blue"))[1].chunk
    assert [one.text for one in store.neighbours(chunk, many, many, PUBLIC)] == ["red", "green", "blue"]
    assert [one.text for one in store.neighbours(chunk, -many, -many, PUBLIC)] == ["green"]
    assert store.answers(PUBLIC, limit=many) == ()


def test_reads_and_writes_can_be_one_transaction(store: Store) -> None:
    with store.writing():
        assert store.documents(PUBLIC) == ()
        put(store, document("a", "red"))
        assert store.content_hash(DocId("a")) is not None
    assert [one.info.doc_id for one in store.documents(PUBLIC)] == ["a"]


# --- for a search elsewhere ---------------------------------------------------------------------------


def truth(store: Store) -> Truth:
    return cast("Truth", store)


def test_changes_are_listed_once_each_by_the_generation_in_which_they_were_last(store: Store) -> None:
    assert truth(store).changes((0, ""), 9) == ()
    put(store, document("b", "red"), document("a", "blue"))
    first = store.generation
    put(store, document("a", "green"))
    second = store.generation
    assert truth(store).changes((0, ""), 9) == ((first, "b"), (second, "a"))
    assert truth(store).changes((0, ""), 1) == ((first, "b"),)
    store.remove(DocId("b"))
    assert not store.remove(DocId("c"))
    store.append_vectors(DocId("a"), np.array([[1.0, 0.0]], dtype=np.float32), embedder="e")
    third = truth(store).changes((second, "z"), 9)
    assert [doc_id for _, doc_id in third] == ["b", "a"]
    store.forget_vectors()
    assert [doc_id for _, doc_id in truth(store).changes(third[-1], 9)] == ["a"]


def test_what_is_indexed_of_a_document_comes_back(store: Store) -> None:
    source = document("a", "red red blue", "…", "sea \ud800", access="internal", language="x")
    put(store, document("other", "red sea"))
    put(store, source)
    store.append_vectors(DocId("a"), np.array([[1.0, 0.0]], dtype=np.float32), embedder="e")
    found = truth(store).indexed(DocId("a"))
    assert found is not None
    assert [chunk.text for chunk, _ in store.load(found.keys.tolist(), INTERNAL)] == source.text.split("\n\n")
    assert found.terms == ({"red": 2, "blue": 1}, {}, dict.fromkeys(terms("sea \ud800", "x"), 1))
    assert found.lengths[:2] == (3, 0)
    assert found.vectors.tolist() == [[1.0, 0.0]]
    assert found.info == source.info
    assert truth(store).indexed(DocId("b")) is None


def test_of_any_keys_those_are_permitted_that_the_reader_may_see(store: Store) -> None:
    put(store, document("a", "red", "blue", kind="faq"), document("b", "red", access="internal", kind="faq"))
    put(store, document("c", "red", access="secret"), document("d", "red"))
    keys = [
        key for doc_id in "dcba" for key in truth(store).indexed(DocId(doc_id)).keys.tolist()  # type: ignore[union-attr]
    ]  # fmt: skip
    asked = [*keys, keys[0], 10**9]

    def seen(reader: Reader, filters: tuple[tuple[str, str], ...] = ()) -> list[str]:
        found = truth(store).permitted(asked, reader, filters).tolist()
        assert found == sorted(found)
        return [str(chunk.doc_id) for chunk, _ in store.load(found, reader)]

    assert seen(PUBLIC) == ["a", "a", "d"]
    assert seen(INTERNAL) == ["a", "a", "b", "d"]
    assert seen(CONFIDENTIAL, (("kind", "faq"), ("doc_id", "b"))) == ["b"]
    assert truth(store).permitted([], CONFIDENTIAL, ()).tolist() == []
    with pytest.raises(ConfigError, match="cannot filter by 'text'"):
        seen(PUBLIC, (("text", "x"),))


def test_postings_of_some_chunks_have_the_statistics_of_all(store: Store) -> None:
    put(store, document("a", "red red blue", "red"), document("b", "red", access="internal"))
    everything = store.postings(("red", "blue", "none"), PUBLIC, ())
    hidden = store.postings(("red",), INTERNAL, ()).matches[0].keys.tolist()
    for keys in ([], everything.matches[0].keys.tolist()[:1], [*hidden, 10**9]):
        found = truth(store).postings_at(("red", "blue", "none"), keys, PUBLIC)
        assert found.document_frequency == everything.document_frequency
        assert (found.chunk_count, found.mean_length) == (everything.chunk_count, everything.mean_length)
        for some, all_ in zip(found.matches, everything.matches, strict=True):
            here = np.isin(all_.keys, keys)
            assert some.keys.tolist() == all_.keys[here].tolist()
            assert some.frequencies.tolist() == all_.frequencies[here].tolist()
            assert some.lengths.tolist() == all_.lengths[here].tolist()


def test_a_store_has_an_identity_of_its_own(store: Store, tmp_path: Path) -> None:
    assert truth(store).identity == truth(store).identity
    assert truth(store).identity != truth(MemoryStore()).identity
