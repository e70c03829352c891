"""The walk. What happens between a question and an answer, top to bottom:

    search -> enough evidence? -> draft, check and show statement by statement -> ask once more for what failed
    -> mend or withhold the rest -> answer

``events`` is the one generator that does it; ``ask`` runs it to its end; every front end reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pincite import logbook, upkeep
from pincite.access import EVERYTHING, as_reader, level_of
from pincite.answer import Answer, Report
from pincite.errors import ConfigError
from pincite.events import Drafted, Event, Finished, Retrieved, Started
from pincite.followup import MAX_TURNS, standalone
from pincite.ingest import AddReport, ingest
from pincite.parts import Parts, Settings, Source
from pincite.ports import Embedder
from pincite.ports.stored import StoredDocument
from pincite.prompts import fingerprint
from pincite.refresh import RefreshReport, refresh
from pincite.replay import Replay, replay
from pincite.text.words import detect_language
from pincite.types import (
    AnswerId,
    Chunk,
    ChunkId,
    DocumentInfo,
    Hit,
    Question,
    Reader,
    Turn,
)
from pincite.walk import Walk
from pincite.workers import Workers, open_workers

MAX_QUESTION_CHARS = 10_000
MAX_TOP_K = 100
MAX_ANSWERS = 1_000_000


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """A chunk with those round it, in document order; ``chunk`` is one of ``chunks``."""

    chunk: Chunk
    document: DocumentInfo
    chunks: tuple[Chunk, ...]


class Pipeline:
    """Documents in, checked answers out.

    Args:
        parts: The parts to use. Without them they are chosen by name from the configuration, in which
            ``settings`` override single values: ``Pipeline(llm="scripted", store="memory")``.

    >>> from pincite import Document, Pipeline
    >>> rag = Pipeline(store="memory", embedder="none")
    >>> rag.add(Document("limits", "Uploads may be up to 25 MB. Files are kept for 30 days."))
    AddReport(1 added, 0 changed, 0 unchanged, 0 failed, 1 chunks)
    >>> print(rag.ask("How long are files kept?").text)
    Your sources say:
    <BLANKLINE>
    Files are kept for 30 days [1].
    """

    def __init__(
        self, parts: Parts | None = None, settings: Settings | None = None, **overrides: Any
    ) -> None:
        if parts is None:
            from pincite.wiring import parts_and_settings

            parts, settings = parts_and_settings(overrides)
        self.parts = parts
        self.settings = settings or Settings()

    @classmethod
    def from_config(cls, path: str | Path | None = None, **overrides: Any) -> Self:
        """A pipeline as ``pincite.toml`` and the environment say; ``overrides`` win over both.

        Raises:
            ConfigError: If a setting cannot be right.
            StoreError: If the database cannot be opened.
        """
        from pincite.wiring import parts_and_settings

        return cls(*parts_and_settings(overrides, path=path))

    def __repr__(self) -> str:
        documents = len(self.parts.store.documents(EVERYTHING))
        return f"Pipeline({documents} documents, model={self.parts.model_name})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database, and send what telemetry is left."""
        self.parts.store.close()
        if self.parts.telemetry is not None:
            self.parts.telemetry.close()

    # --- documents in ---------------------------------------------------------------------------

    def add(
        self,
        *sources: Source,
        access: str | None = None,
        progress: Callable[[str, int], None] | None = None,
        jobs: int = 1,
        ray_address: str = "",
        dry_run: bool = False,
    ) -> AddReport:
        """Add files, folders, pages and ``Document`` objects. A source that is already there unchanged is left alone.

        Args:
            sources: Paths, http(s) addresses, documents, or iterables of documents, read one at a time.
            access: Level for documents that bring none; the configured default otherwise.
            progress: Called after each document with its id and the number of chunks so far.
            jobs: Processes that parse, cut and embed, up to 64; a script that asks for several needs
                ``if __name__ == "__main__":``. What is stored does not depend on it.
            ray_address: A Ray cluster that does that instead, see ``workers.open_workers``; this process alone writes.
            dry_run: Read and cut, but store nothing.

        Returns:
            What happened. A file that cannot be read is in ``failed``, what no parser reads in ``skipped``; the others
            go on.

        Raises:
            ConfigError: If ``access`` is not a level, or there are no sources.
            StoreError: If the database cannot be written; what was stored before is still there.
        """
        if not sources:
            raise ConfigError(
                "add needs at least one file, folder, address or Document", hint='write it as add("docs/")'
            )
        level = None if access is None else level_of(access)
        with open_workers(jobs, ray_address) as workers:
            return ingest(
                self.parts.load(sources, workers=workers),
                self.parts.store,
                cut=self.settings.cut,
                embedder=self._shared_embedder(workers),
                access=level,
                default_access=self.settings.default_access,
                clock=self.parts.clock,
                progress=progress,
                workers=workers,
                dry_run=dry_run,
            )

    def refresh(
        self,
        *,
        prune: bool = False,
        progress: Callable[[str, int], None] | None = None,
        jobs: int = 1,
        ray_address: str = "",
        dry_run: bool = False,
    ) -> RefreshReport:
        """Read the files, folders and URLs that were added again, and store what is new or changed.

        Args:
            prune: Remove the documents whose file is no longer there; they are only reported otherwise.
            progress, jobs, ray_address, dry_run: As for ``add``.
        """
        alone = nullcontext() if dry_run else self.parts.store.refreshing()
        with alone, open_workers(jobs, ray_address) as workers:
            return refresh(
                self.parts.store,
                self.parts.load,
                cut=self.settings.cut,
                embedder=self._shared_embedder(workers),
                default_access=self.settings.default_access,
                clock=self.parts.clock,
                progress=progress,
                workers=workers,
                prune=prune,
                dry_run=dry_run,
            )

    def rebuild(
        self,
        *,
        progress: Callable[[str, int], None] | None = None,
        jobs: int = 1,
        ray_address: str = "",
    ) -> AddReport:
        """Cut and index all stored documents again, as the settings say now. Passages that come out as they were keep
        their ids."""
        store = self.parts.store
        store.forget_vectors()
        stored = (store.document(one.info.doc_id, EVERYTHING) for one in store.documents(EVERYTHING))
        with open_workers(jobs, ray_address) as workers:
            return ingest(
                (document for document in stored if document is not None),
                store,
                cut=self.settings.cut,
                embedder=self._shared_embedder(workers),
                default_access=self.settings.default_access,
                clock=self.parts.clock,
                progress=progress,
                workers=workers,
                again=True,
            )

    def _shared_embedder(self, workers: Workers) -> Embedder | None:
        embedder, share = self.parts.embedder, self.parts.share
        return (
            embedder if embedder is None or share is None or workers.count == 1 else share(embedder, workers)
        )

    def remove(self, doc_id: str) -> bool:
        """Remove a document for good: text, chunks, vectors, earlier versions and original bytes. Stored answers keep a
        tombstone in place of its quotes. False when there is none of that id."""
        return upkeep.remove(self.parts.store, doc_id, clock=self.parts.clock)

    def kept_answers(
        self,
        reader: Reader | str = "public",
        *,
        limit: int = 100,
        stale: bool = False,
        since: str = "",
        status: str | None = None,
    ) -> tuple[dict[str, Any], ...]:
        """Stored answers, the newest first, in their canonical JSON as the reader may see them today; see
        ``upkeep.Today.answer``.

        Args:
            stale: Those alone that rest on passages that changed, or on documents that are no longer current.
            since: None that was given before this time (RFC 3339, UTC).
            status: One of ``logbook.STATUSES``, such as ``unverified``.
        """
        who = as_reader(reader)
        today = upkeep.Today(self.parts.store, who)
        found = logbook.find(
            self.parts.store, who, since=since, status=status, limit=MAX_ANSWERS if stale else limit
        )
        shown = filter(None, (logbook.as_it_is_today(today, stored) for stored, _ in found))
        return tuple(islice((one for one in shown if one["stale"] or not stale), limit))

    def kept_answer(self, answer_id: str, reader: Reader | str = "public") -> dict[str, Any] | None:
        """One stored answer as ``kept_answers`` gives it; ``None`` when there is none of that id for this reader."""
        who = as_reader(reader)
        found = self.parts.store.answer(AnswerId(answer_id), who)
        return None if found is None else upkeep.Today(self.parts.store, who).answer(found)

    def replay(self, answer_id: str, reader: Reader | str = "public") -> Replay | None:
        """Judge a kept answer once more from the stored texts, with this pipeline's judge; ``None`` when there is none of
        that id for this reader. See ``replay.Replay``."""
        who = as_reader(reader)
        stored = self.parts.store.answer(AnswerId(answer_id), who)
        if stored is None:
            return None
        now = {**self.parts.made_with, "model": self.parts.model_name, "prompt_hash": fingerprint()}
        return replay(self.parts.store, stored, who, self.parts.judge, cut=self.settings.cut, now=now)

    def documents(self, reader: Reader | str = "public") -> tuple[StoredDocument, ...]:
        """What the reader may see, by id."""
        return self.parts.store.documents(as_reader(reader))

    def chunk(
        self, chunk_id: str, *, reader: Reader | str = "public", before: int = 0, after: int = 0
    ) -> Neighbourhood:
        """A chunk and those round it. A chunk above the reader's level does not exist for them.

        Raises:
            ConfigError: If there is no such chunk for this reader.
        """
        who = as_reader(reader)
        with self.parts.store.reading():
            found = self.parts.store.chunk(ChunkId(chunk_id), who)
            if found is None:
                raise ConfigError(
                    f"there is no chunk {chunk_id!r}", hint="see `pincite docs show ID` for the chunks"
                )
            chunk, document = found
            return Neighbourhood(chunk, document, self.parts.store.neighbours(chunk, before, after, who))

    # --- questions ------------------------------------------------------------------------------

    def retrieve(
        self,
        question: str | Question,
        *,
        top_k: int | None = None,
        reader: Reader | str = "public",
        filters: Sequence[tuple[str, str]] = (),
    ) -> tuple[Hit, ...]:
        """The best passages for a question, best first, of those that the reader may see. Arguments as for ``ask``."""
        return self._hits(self._question(question, top_k=top_k, reader=reader, filters=filters))

    def ask(
        self,
        question: str | Question,
        *,
        top_k: int | None = None,
        reader: Reader | str = "public",
        filters: Sequence[tuple[str, str]] = (),
        after: Answer | Sequence[Answer] = (),
    ) -> Answer:
        """Answer a question, or decline it with a reason.

        Args:
            question: A text, or a ``Question``, which brings its own reader, ``top_k`` and filters: the arguments of
                that name are for texts, and refused beside one.
            top_k: How many passages the answer may use; as the settings say, when it is not given.
            reader: Who asks, or their level. They see their own level and those below.
            filters: ``(field of DocumentInfo, value)`` pairs that all must hold.
            after: The answer that this question goes on from, or all earlier ones of the conversation, oldest first.

        Raises:
            ConfigError: If the question is empty or too long, or ``top_k`` is out of range.
            ModelError: If the model cannot be reached.
        """
        for event in self.events(question, top_k=top_k, reader=reader, filters=filters, after=after):
            if isinstance(event, Finished):
                return event.answer
        raise AssertionError("a request always ends with Finished")

    def events(
        self,
        question: str | Question,
        *,
        top_k: int | None = None,
        reader: Reader | str = "public",
        filters: Sequence[tuple[str, str]] = (),
        after: Answer | Sequence[Answer] = (),
    ) -> Generator[Event]:
        """Answer a question step by step. Arguments and errors as for ``ask``.

        Closing the generator closes the model's response.

        Yields:
            ``Started`` and ``Retrieved``; for each statement ``Drafted`` and, once it is judged, ``Checked`` for its sentences; at
            most one ``Revised`` with ``Checked`` after it; ``Repaired`` before what was mended; last ``Finished``.
            A sentence that came as shown stays as it was.
        """
        asked = self._question(question, top_k=top_k, reader=reader, filters=filters, after=after)
        asked = replace(asked, history=self._known_turns(asked))
        language = asked.language or self.settings.language or detect_language(asked.text)
        if asked.history and not asked.standalone:
            asked = replace(asked, standalone=standalone(asked, self.parts.model, language))
        walk = Walk(self.parts, self.settings, asked, language)
        yield from walk.watched(self._walked(walk, asked))

    def _walked(self, walk: Walk, asked: Question) -> Generator[Event]:
        yield Started(walk.answer_id, walk.language, asked.alone, walk.trace_id)

        with walk.timer.step("retrieve"):
            walk.hits = self._hits(asked)
        yield Retrieved(walk.hits)

        with walk.timer.step("weigh"):
            why_not = walk.too_little()
        if why_not is not None:
            yield Finished(walk.finish(walk.abstain(why_not)))
            return

        walk.prepare()
        with closing(walk.draft()) as statements:
            for place, statement in statements:
                yield Drafted(place, statement)
                yield from walk.check(statement)  # Repaired, Checked
        if self.settings.retry_once:
            yield from walk.retry()  # Revised, Repaired, Checked
        yield from walk.settle()  # Repaired, Checked
        yield Finished(walk.finish(walk.conclude()))

    def conversation(self, answer_id: str, *, reader: Reader | str = "public") -> tuple[Turn, ...]:
        """The turns that led to a kept answer, itself last: the ``history`` of a ``Question`` that goes on from it.

        Raises:
            ConfigError: If there is no such answer for this reader.
        """
        who = as_reader(reader)
        turns: list[Turn] = []
        wanted: str | None = answer_id
        while wanted and len(turns) < MAX_TURNS:
            body = self.kept_answer(wanted, who)
            if body is None:
                break
            last_id = body.get("first_id", 1) + len(body["retrieved"]) - 1
            turns.append(Turn(body["question"], body["plain"], last_id, wanted))
            wanted = body.get("previous_id")
        if not turns:
            raise ConfigError(f"there is no answer {answer_id!r}", hint="`pincite log` lists those there are")
        return tuple(reversed(turns))

    def verify(self, answer: str, sources: Sequence[Any], **options: Any) -> Report:
        """Check somebody else's answer with this pipeline's judge. See ``pincite.verify``."""
        from pincite.verification import verify

        return verify(answer, sources, judge=self.parts.judge, **options)

    def _known_turns(self, asked: Question) -> tuple[Turn, ...]:
        """The earlier turns, without the words of those that a reader of a higher level was given: the model would tell
        them on. Their ids stay counted. Answers that are not kept cannot be told apart."""
        store = self.parts.store
        return tuple(
            replace(turn, question="", answer="")
            if turn.answer_id
            and store.answer(AnswerId(turn.answer_id), asked.reader) is None
            and store.answer(AnswerId(turn.answer_id), EVERYTHING) is not None
            else turn
            for turn in asked.history
        )

    def _hits(self, asked: Question) -> tuple[Hit, ...]:
        """What is found, once more without all that the reader may not see: a search may be anybody's function."""
        found = self.parts.search(replace(asked, text=asked.alone), self.parts.store, self.parts.embedder)
        return tuple(hit for hit in found if asked.reader.may_read(hit.document.access_level))

    def _question(
        self,
        question: str | Question,
        *,
        top_k: int | None,
        reader: Reader | str,
        filters: Sequence[tuple[str, str]],
        after: Answer | Sequence[Answer] = (),
    ) -> Question:
        earlier = (after,) if isinstance(after, Answer) else tuple(after)
        if isinstance(question, str):
            question = Question(
                text=question,
                history=tuple(answer.turn for answer in earlier),
                conversation_id=(earlier[0].conversation_id or earlier[0].id) if earlier else None,
                reader=as_reader(reader),
                top_k=self.settings.top_k if top_k is None else top_k,
                filters=tuple(filters),
            )
        elif top_k is not None or filters or earlier or reader != "public":
            raise ConfigError(
                "a Question brings its own reader, top_k, filters and history",
                hint="give them to Question(…) instead",
            )
        if not isinstance(getattr(question, "text", None), str):
            raise ConfigError(
                f"a question is a text or a Question, not {type(question).__name__}", hint="give it as a text"
            )
        if not isinstance(question.top_k, int):
            raise ConfigError(
                f"top_k must be a whole number, got {question.top_k!r}", hint="leave it out for the setting's"
            )
        question = replace(question, reader=as_reader(question.reader))
        if not question.text.strip():
            raise ConfigError(
                "the question is empty", hint='ask something, such as `pincite ask "How long …?"`'
            )
        if len(question.text) > MAX_QUESTION_CHARS:
            raise ConfigError(
                f"the question has {len(question.text):,} characters, at most {MAX_QUESTION_CHARS:,} are allowed",
                hint="put long texts into a document and ask about it",
            )
        if not 1 <= question.top_k <= MAX_TOP_K:
            raise ConfigError(f"top_k must be between 1 and {MAX_TOP_K}, got {question.top_k}")
        return question
