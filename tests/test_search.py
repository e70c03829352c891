from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from pincite.errors import ConfigError, StoreError
from pincite.ports.stored import IndexedChunk
from pincite.ranking import BACKGROUND_CHUNKS, CANDIDATES, fuse_ranks, fuse_scores, rrf
from pincite.search import cache_key, query_words, search
from pincite.stores.memory import MemoryStore
from pincite.text.words import terms
from pincite.types import AccessLevel, Chunk, ChunkId, DocId, Document, Question, Reader, Span

DIRECTIONS = {"north": (0.0, 1.0), "east": (1.0, 0.0), "south": (0.0, -1.0), "west": (-1.0, 0.0)}


class Compass:
    """An embedder that knows four words; any other text points nowhere in particular."""

    fingerprint = "compass"
    dimension = 2

    def documents(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([self.query(text) for text in texts])

    def query(self, text: str) -> np.ndarray:
        found = [DIRECTIONS[word] for word in text.casefold().split() if word in DIRECTIONS] or [(0.6, 0.8)]
        mean = np.mean(found, axis=0)
        return np.asarray(mean / (np.linalg.norm(mean) or 1), dtype=np.float32)


def store_of(
    *texts: str, doc_ids: Sequence[str] = (), embedder: Compass | None = None, **fields: str
) -> MemoryStore:
    """A document for each text, or one for texts that share an id in ``doc_ids``; a chunk for each text."""
    store = MemoryStore()
    names = list(doc_ids) or [f"d{n}" for n in range(len(texts))]
    for name in dict.fromkeys(names):
        parts = [text for text, owner in zip(texts, names, strict=True) if owner == name]
        source = Document(name, "\n".join(parts), **{"access_level": "public", "language": "en", **fields})  # type: ignore[arg-type]
        chunks, start = [], 0
        for ordinal, text in enumerate(parts):
            span = Span(start, start + len(text))
            chunk = Chunk(ChunkId(f"{name}-chunk-{ordinal}"), DocId(name), ordinal, span, text)
            vector = embedder.query(text) if embedder else None
            chunks.append(IndexedChunk(chunk, terms(text, source.language), vector))
            start = span.end + 1
        store.put(source, chunks, added_at="", embedder=embedder.fingerprint if embedder else None)
    return store


def texts(question: str, store: MemoryStore, **options: object) -> list[str]:
    return [hit.chunk.text for hit in search(Question(question), store, **options)]  # type: ignore[arg-type]


# --- words --------------------------------------------------------------------------------------


def test_bm25_is_what_the_books_say_with_ten_imagined_chunks_beside() -> None:
    store = store_of("red red fox", "red hen", "blue jay sings")
    (first, second) = search(Question("red"), store)
    weight = math.log(1 + (3 + BACKGROUND_CHUNKS - 2 + 0.5) / (2 + 0.5))
    mean = 8 / 3
    expected = [
        weight * 2.2 * tf / (tf + 1.2 * (0.25 + 0.75 * length / mean)) for tf, length in ((2, 3), (1, 2))
    ]
    assert [first.parts["bm25"], second.parts["bm25"]] == pytest.approx(expected)
    assert first.parts["coverage"] == pytest.approx(expected[0] / (weight * 2.2))


def test_a_word_that_is_in_no_document_lowers_the_coverage_of_all() -> None:
    store = store_of("red fox", "blue jay", "green frog")
    (known,), (half,) = (search(Question(asked), store) for asked in ("red", "red zebra"))
    assert half.parts["bm25"] == known.parts["bm25"]
    assert half.parts["coverage"] < 0.5 * known.parts["coverage"]


def test_each_language_is_searched_with_its_own_stems() -> None:
    store = store_of("Die Häuser sind alt.", language="de")
    english = store_of("The houses are old.").document(DocId("d0"), Reader())
    assert english is not None
    chunk = Chunk(ChunkId("e-chunk-0"), DocId("e"), 0, Span(0, len(english.text)), english.text)
    store.put(replace(english, doc_id="e"), [IndexedChunk(chunk, terms(english.text, "en"))], added_at="")
    assert texts("Haus", store) == ["Die Häuser sind alt."]
    assert texts("house", store) == ["The houses are old."]


def test_function_words_count_where_they_stand_and_do_not_harm_where_they_do_not() -> None:
    store = store_of("the fee and the tax", "fee and tax", "zebra")
    assert texts("the fee", store) == ["the fee and the tax", "fee and tax"]
    (plain, *_), (asked, *_) = (
        search(Question(text), store_of("fee", "tax")) for text in ("fee", "What is the fee?")
    )
    assert [asked.parts[name] for name in ("bm25", "coverage")] == [
        plain.parts[name] for name in ("bm25", "coverage")
    ]


def test_in_large_stores_function_words_are_left_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pincite.search.FUNCTION_WORDS_UP_TO", 2)
    store = store_of("the fee and the tax", "fee and tax", "zebra")
    hits = search(Question("the fee"), store)
    by_coverage = sorted(hits, key=lambda hit: -hit.parts["coverage"])
    assert [hit.chunk.text for hit in by_coverage] == ["fee and tax", "the fee and the tax"]
    assert texts("who is the one", store) == []
    assert texts("the", store) == ["the fee and the tax"]


def test_a_question_of_a_hundred_thousand_words_is_cut() -> None:
    words = " ".join(f"w{n}" for n in range(100_000))
    assert len(query_words(words[:20_000], None, ["en", "de"]).content) == 256
    assert texts(words + " red", store_of("red fox", "w7 flew")) == ["w7 flew"]


def test_words_that_stand_together_as_in_the_question_come_first() -> None:
    store = store_of(
        "fee for air, freight by sea", "freight for sea, fee by air", "air freight, fee for all sea"
    )
    (first, second, _) = search(Question("air freight fee"), store)
    assert first.chunk.text == "air freight, fee for all sea"
    assert first.parts["coverage"] == pytest.approx(second.parts["coverage"])
    assert first.parts["wording"] > second.parts["wording"]


def test_of_passages_with_the_same_words_a_part_of_a_compound_or_a_slip_decides() -> None:
    store = store_of("Die Frist der Kündigungen", "Die Frist der Rückgabe", language="de")
    assert texts("Frist Kündigungsschreiben", store)[0] == "Die Frist der Kündigungen"
    assert texts("Frist Rükgabe", store)[0] == "Die Frist der Rückgabe"


def test_words_of_grammar_in_common_are_no_common_wording() -> None:
    store = store_of("Qu'est-ce que la livraison ?", "Le devops réunit les équipes.", language="fr")
    (first, *_) = search(Question("Qu'est-ce que le devops ?", language="fr"), store)
    assert first.chunk.text == "Le devops réunit les équipes."


def test_fusion_by_ranks_knows_ranks_alone() -> None:
    hits = search(Question("air freight"), store_of("air freight", "freight air"), fusion="rrf")
    assert all("wording" not in hit.parts for hit in hits)


def test_ties_go_by_chunk_id_whatever_the_order_of_adding() -> None:
    forward = store_of("red a", "red b", "red c", doc_ids=["x", "y", "z"])
    backward = store_of("red c", "red b", "red a", doc_ids=["z", "y", "x"])
    assert texts("red", forward) == texts("red", backward) == ["red a", "red b", "red c"]


# --- both ---------------------------------------------------------------------------------------


def test_meaning_finds_what_words_do_not() -> None:
    store = store_of("south", "east", "north", embedder=Compass())
    assert texts("upwards", store) == []
    assert texts("upwards", store, embedder=Compass()) == ["north", "east", "south"]


def test_a_chunk_found_by_words_alone_gets_its_cosine_too() -> None:
    store = store_of(
        "east fee was paid in full", *(f"north {n}" for n in range(CANDIDATES + 5)), embedder=Compass()
    )
    (first, *_) = search(Question("north fee was paid in full", top_k=40), store, embedder=Compass())
    assert first.chunk.text == "east fee was paid in full"
    assert first.parts["cosine"] == pytest.approx(0, abs=1e-3)


def test_chance_words_do_not_push_the_right_passage_down() -> None:
    # A question in another language shares a name or two with wrong passages: what equal-weight rank fusion
    # makes of that took a third off German-to-English recall.
    cosine = np.array([0.90, 0.88, 0.86, 0.80, 0.79])
    coverage = np.array([0.0, 0.03, 0.0, 0.06, 0.05])
    assert int(np.argmax(fuse_scores(cosine, coverage))) == 0
    assert int(np.argmax(fuse_ranks(cosine, coverage))) != 0


def test_words_decide_between_passages_of_like_meaning() -> None:
    cosine, coverage = np.array([0.90, 0.89, 0.70]), np.array([0.1, 0.6, 0.0])
    assert fuse_scores(cosine, coverage).argmax() == 1


def test_without_vectors_the_fused_score_is_of_words_alone() -> None:
    nothing = np.array([np.nan, np.nan])
    assert fuse_scores(nothing, np.array([0.2, 0.4])).tolist() == [0.5, 1.0]
    assert fuse_ranks(nothing, np.array([0.0, 2.0])).tolist() == [0.0, 1 / 61]
    assert fuse_scores(np.array([0.5]), np.array([0.0])).tolist() == [1.0]


def test_an_answer_in_another_language_comes_before_unlikely_ones_in_the_questions_own() -> None:
    class E5(Compass):
        """Own language near, other language far, as the model sees them."""

        fingerprint = "test:multilingual-e5-small"
        rows: ClassVar = {"frage": (1.0, 0.0), "nebensache": (0.83, 0.5578), "answer": (0.82, 0.5724)}

        def query(self, text: str) -> np.ndarray:
            return np.asarray(self.rows[text.split()[0].casefold()], dtype=np.float32)

    store = MemoryStore()
    misses = [(f"de{n}", f"Nebensache {n}", "de") for n in range(CANDIDATES + 10)]
    for name, text, language in (*misses, ("en", "Answer", "en")):
        source = Document(name, text, access_level="public", language=language)
        chunk = Chunk(ChunkId(f"{name}-chunk-0"), DocId(name), 0, Span(0, len(text)), text)
        vector = E5().query(text)
        store.put(
            source, [IndexedChunk(chunk, terms(text, language), vector)], added_at="", embedder=E5.fingerprint
        )
    hits = search(Question("Frage", language="de"), store, embedder=E5())
    assert [hit.chunk.text for hit in hits[:2]] == ["Answer", "Nebensache 0"]
    assert hits[0].score > 0.5 > hits[1].score
    assert hits[1].parts["fused"] > hits[0].parts["fused"]
    (unknown, *_) = search(Question("Frage"), store, embedder=E5())
    assert unknown.chunk.text == "Nebensache 0"


def test_another_embedder_than_the_indexs_says_how_to_rebuild() -> None:
    store = store_of("north", embedder=Compass())
    other = Compass()
    other.fingerprint = "sextant"
    with pytest.raises(StoreError, match=r"embedder compass, now sextant is set; .*pincite add --rebuild"):
        search(Question("north"), store, embedder=other)


def test_mode_words_and_an_index_without_vectors_never_call_the_embedder() -> None:
    class Broken(Compass):
        def query(self, text: str) -> np.ndarray:
            raise AssertionError("not to be called")

    assert texts("north", store_of("north fee", embedder=Compass()), embedder=Broken(), mode="words") == [
        "north fee"
    ]
    assert texts("north", store_of("north fee"), embedder=Broken()) == ["north fee"]


def test_rrf_counts_from_one_and_breaks_ties_by_id() -> None:
    assert rrf([["b", "a"], ["a", "b"]]) == (("a", 1 / 61 + 1 / 62), ("b", 1 / 61 + 1 / 62))
    assert rrf([["a", "a", "b"]]) == (("a", 1 / 61), ("b", 1 / 62))
    assert rrf([]) == ()
    with pytest.raises(ValueError):
        rrf([["a"]], k=0)


# --- which of them ------------------------------------------------------------------------------


def test_a_copy_of_a_better_hit_is_left_out() -> None:
    store = store_of("Shoes can be returned.", "SHOES can be returned!", "Shoes are sold here.")
    assert texts("shoes returned", store) == ["Shoes can be returned.", "Shoes are sold here."]


def test_passages_that_contradict_each_other_are_both_shown() -> None:
    passage = (
        "Sandals and shoes and boots that were bought in this shop or online can be returned within 30 days."
    )
    store = store_of(passage, passage.replace("can be", "can not be"), passage.replace("30", "14"))
    assert len(texts("shoes returned", store)) == 3


def test_other_documents_come_before_the_fourth_chunk_of_one() -> None:
    many = [f"fee number {n}" for n in "abcde"]
    store = store_of(*many, "the fee that others ask for", doc_ids=["x"] * 5 + ["y"])
    hits = search(Question("fee", top_k=4), store)
    assert [hit.chunk.doc_id for hit in hits] == ["x", "x", "x", "y"]
    assert [hit.fused for hit in hits] == sorted((hit.fused for hit in hits), reverse=True)
    assert len(search(Question("fee", top_k=6), store)) == 6


def test_a_reranker_orders_the_best_anew_and_both_scores_are_kept() -> None:
    store = store_of("red fox", "red hen", "red cat")
    before = search(Question("red"), store)
    after = search(
        Question("red"), store, reranker=lambda _, texts: [0.9 if "cat" in t else 0.2 for t in texts]
    )
    assert [hit.chunk.text for hit in after] == ["red cat", "red fox", "red hen"]
    assert [hit.parts["rerank"] for hit in after] == [0.9, 0.2, 0.2]
    assert after[0].parts["fused"] == before[2].fused
    assert after[0].score == before[2].score


def test_a_score_means_the_same_whatever_else_is_found() -> None:
    alone, beside = store_of("red fox", "blue jay"), store_of("red fox", "blue jay", "red red red red")
    (first,) = search(Question("red fox"), alone)
    scores = {hit.chunk.text: hit.score for hit in search(Question("red fox"), beside)}
    assert 0 < scores["red red red red"] < scores["red fox"] <= 1
    assert 0 < first.score <= 1


@pytest.mark.parametrize("top_k", [0, -1, 101, 10_000])
def test_a_top_k_that_cannot_be_is_a_config_error(top_k: int) -> None:
    with pytest.raises(ConfigError, match="top_k must be between 1 and 100"):
        search(Question("red", top_k=top_k), store_of("red"))


def test_an_unknown_fusion_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match="unknown fusion"):
        search(Question("red"), store_of("red"), fusion="best")  # type: ignore[arg-type]


def test_a_cache_key_tells_apart_whatever_matters() -> None:
    base = {"question": "a", "reader": "public", "filters": [["kind", "faq"]], "top_k": 5, "generation": 1}
    others = [
        {**base, "question": "a "},
        {**base, "reader": "internal"},
        {**base, "filters": []},
        {**base, "top_k": "5"},
        {**base, "generation": 2},
        {**base, "history": ["earlier"]},
        {**base, "question": 'a","reader":"internal'},
    ]
    keys = [cache_key(parts) for parts in (base, *others)]
    assert len(set(keys)) == len(keys)
    assert cache_key(dict(reversed(base.items()))) == keys[0]


def test_a_reader_gets_the_best_of_what_they_may_see() -> None:
    store = store_of("red secret", access_level="confidential")
    source = Document("open", "red open", access_level="public")
    chunk = Chunk(ChunkId("open-chunk-0"), DocId("open"), 0, Span(0, 8), "red open")
    store.put(source, [IndexedChunk(chunk, ("red", "open"))], added_at="")
    assert [hit.chunk.text for hit in search(Question("red", top_k=1), store)] == ["red open"]
    confidential = Reader(AccessLevel.CONFIDENTIAL)
    assert len(search(Question("red", reader=confidential), store)) == 2


def test_a_level_that_does_not_exist_sees_nothing() -> None:
    from pincite.stores.levels import highest
    from pincite.types import Reader

    assert highest(Reader("root")) == -1  # type: ignore[arg-type]
    assert highest(Reader("public")) == 0  # type: ignore[arg-type]


def test_the_parts_of_a_question_are_searched_in_one_generation() -> None:
    class Counting(MemoryStore):
        depth, outermost = 0, 0

        @contextmanager
        def reading(self) -> Iterator[None]:
            self.outermost += self.depth == 0
            self.depth += 1
            with super().reading():
                yield
            self.depth -= 1

    store = Counting()
    search(Question("How large may uploads be, and how much does the Solo plan cost?"), store)
    assert store.outermost == 1
