"""Documents in: what was not given is completed and recorded; one bad document stops no other."""

from __future__ import annotations

import pytest

from pincite import Document
from pincite.errors import ConfigError, ParseError
from pincite.ingest import ingest
from pincite.pipeline import Pipeline
from pincite.types import Reader
from tests.doubles import NOON, pipeline

FEES = Document("fees", "Guided tours cost 5 EUR per person. The fee is paid at the entrance.")
EVERYTHING = Reader("confidential")  # type: ignore[arg-type]


def test_a_document_that_is_there_already_is_left_alone() -> None:
    rag = pipeline(FEES)
    again = rag.add(FEES)
    assert (again.added, again.changed, again.unchanged) == ((), (), ("fees",))
    assert again.chunks == 0


def test_a_changed_text_or_level_is_a_change() -> None:
    rag = pipeline(FEES)
    assert rag.add(Document("fees", "Tours are free.")).changed == ("fees",)
    assert rag.add(Document("fees", "Tours are free.", access_level="internal")).changed == ("fees",)
    assert rag.documents() == ()


def test_a_doc_id_that_is_the_slug_of_another_is_refused_and_the_others_go_in() -> None:
    named, slugged = (
        Document("Fees 2024", "Tours cost 5 EUR."),
        Document("fees-2024-66bc15bb", "Tours cost 6 EUR."),
    )
    together = pipeline().add(named, slugged, FEES)
    assert together.added == ("Fees 2024", "fees")
    assert "ids of another document's chunks" in str(together.failed[0])
    rag = pipeline(slugged)
    assert [error.where for error in rag.add(named).failed] == ["Fees 2024"]
    assert [stored.info.doc_id for stored in rag.documents()] == ["fees-2024-66bc15bb"]


def test_a_missing_level_is_the_default_and_recorded() -> None:
    rag = pipeline()
    rag.add(FEES, access="internal")
    (stored,) = rag.documents(EVERYTHING)
    assert stored.info.access_level == "internal"
    assert "access_level" in stored.info.defaulted


def test_a_given_level_is_not_changed_by_the_default() -> None:
    rag = pipeline()
    rag.add(Document("fees", FEES.text, access_level="public"), access="confidential")
    assert [stored.info.access_level for stored in rag.documents()] == ["public"]


def test_an_unknown_level_is_refused_and_the_others_go_in() -> None:
    report = pipeline().add(Document("odd", "text", access_level="secret"), FEES)
    assert report.added == ("fees",)
    assert "unknown access level 'secret'" in str(report.failed[0])


def test_a_document_without_text_is_refused() -> None:
    assert "no text" in str(pipeline().add(Document("empty", " \n")).failed[0])


def test_the_same_id_twice_is_an_error_for_the_second() -> None:
    report = pipeline().add(FEES, Document("fees", "Another text."))
    assert report.added == ("fees",)
    assert "used twice" in str(report.failed[0])


def test_an_error_in_the_middle_does_not_stop_the_rest() -> None:
    rag = pipeline()
    loaded = [FEES, ParseError("broken", where="b.pdf"), Document("tours", "Tours start at noon.")]
    report = ingest(
        loaded,
        rag.parts.store,
        cut=rag.settings.cut,
        embedder=None,
        default_access=rag.settings.default_access,
        clock=lambda: NOON,
    )
    assert report.added == ("fees", "tours")
    assert [str(error) for error in report.failed] == ["b.pdf: broken"]


def test_unchanged_chunks_keep_their_ids_and_no_id_is_given_twice() -> None:
    first = "# A\n\nGuided tours cost 5 EUR.\n\n# B\n\nDogs wait outside.\n"
    second = "# New\n\nParking is free.\n\n" + first.replace("Dogs wait outside.", "Cats wait outside.")
    rag = pipeline(Document("guide", first, format="markdown"))

    def ids(pipe: Pipeline) -> dict[str, str]:
        chunks, _ = pipe.parts.store.chunk_numbers("guide")  # type: ignore[arg-type]
        return {chunk.text: chunk.chunk_id for chunk in chunks}

    before = ids(rag)
    rag.add(Document("guide", second, format="markdown"))
    after = ids(rag)
    tours = next(text for text in before if "tours" in text)
    assert after[tours] == before[tours]
    changed = {after[text] for text in after if text not in before}
    assert changed.isdisjoint(before.values())


def test_progress_is_told_after_each_document() -> None:
    seen: list[tuple[str, int]] = []
    pipeline().add(
        FEES, Document("tours", "Tours start at noon."), progress=lambda name, n: seen.append((name, n))
    )
    assert seen == [("fees", 1), ("tours", 2)]


def test_adding_nothing_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least one"):
        pipeline().add()


def test_a_removed_document_is_found_no_more() -> None:
    rag = pipeline(FEES)
    assert rag.remove("fees")
    assert not rag.remove("fees")
    assert rag.retrieve("What do tours cost?") == ()


def test_a_chunk_is_shown_with_those_round_it() -> None:
    rag = pipeline(Document("guide", "# A\n\nOne thing.\n\n# B\n\nAnother thing.\n", format="markdown"))
    near = rag.chunk("guide-chunk-0", after=1)
    assert [chunk.ordinal for chunk in near.chunks] == [0, 1]


def test_a_hidden_chunk_is_unknown() -> None:
    rag = pipeline(Document("fees", FEES.text, access_level="internal"))
    with pytest.raises(ConfigError) as hidden:
        rag.chunk("fees-chunk-0")
    with pytest.raises(ConfigError) as unknown:
        rag.chunk("none-chunk-0")
    assert str(hidden.value).replace("fees", "none") == str(unknown.value)


def test_adding_again_without_a_level_does_not_open_what_was_closed() -> None:
    rag = pipeline()
    rag.add(FEES, access="internal")
    assert rag.add(FEES).unchanged == ("fees",)
    rag.add(Document("fees", "Tours are free."))
    assert rag.documents() == ()
    rag.add(Document("fees", "Tours are free."), access="public")
    assert [stored.info.access_level for stored in rag.documents()] == ["public"]
