"""The walk. What happens between a question and an answer, top to bottom:

    search -> enough evidence? -> draft -> check -> repair once -> check again -> what is shown -> answer

``events`` is the one generator that does it; ``ask`` runs it to its end; every front end reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pincite import claims, generate, repair, review, verdict
from pincite.access import as_reader, level_of
from pincite.answer import REMOVAL_NOTE, Answer, Removed, Report, Snippet
from pincite.checks.rules import rules
from pincite.conflicts import find_conflicts
from pincite.context import NEIGHBOUR_CHARS, Context
from pincite.errors import ConfigError
from pincite.events import Checked, Drafted, Event, Finished, Retrieved, Revised
from pincite.ingest import AddReport, ingest
from pincite.parts import Parts, Settings
from pincite.ports import ModelRequest, StoredAnswer, StoredDocument
from pincite.prompts import fingerprint, phrase
from pincite.telemetry import Timer
from pincite.text.questions import aspects
from pincite.text.words import detect_language
from pincite.types import (
    AccessLevel,
    AnswerId,
    AnswerStatus,
    Chunk,
    ChunkId,
    Claim,
    DocId,
    Document,
    DocumentInfo,
    Draft,
    Hit,
    Question,
    Reader,
    ReasonCode,
    Sentence,
    Statement,
    Support,
)

MAX_QUESTION_CHARS = 10_000
MAX_TOP_K = 100

ENOUGH_EVIDENCE = 0.05
"""Where the best passage is less likely than this to answer the question, no model is asked. Low on purpose: what is
drafted is checked anyway, and an answer from a passage that words alone rank low may still hold."""


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
        documents = len(self.parts.store.documents(Reader(AccessLevel.CONFIDENTIAL)))
        return f"Pipeline({documents} documents, model={self.parts.model_name})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database."""
        self.parts.store.close()

    # --- documents in ---------------------------------------------------------------------------

    def add(
        self,
        *sources: str | Path | Document,
        access: str | None = None,
        progress: Callable[[str, int], None] | None = None,
    ) -> AddReport:
        """Add files, folders and ``Document`` objects. A source that is already there unchanged is left alone.

        Args:
            sources: Paths or documents.
            access: Level for documents that bring none; the configured default otherwise.
            progress: Called after each document with its id and the number of chunks so far.

        Returns:
            What happened. A file that cannot be read is in ``failed``; the others go on.

        Raises:
            ConfigError: If ``access`` is not a level, or there are no sources.
            StoreError: If the database cannot be written; what was stored before is still there.
        """
        if not sources:
            raise ConfigError("add needs at least one file, folder or Document")
        return ingest(
            self.parts.load(sources),
            self.parts.store,
            cut=self.settings.cut,
            embedder=self.parts.embedder,
            access=None if access is None else level_of(access),
            default_access=self.settings.default_access,
            clock=self.parts.clock,
            progress=progress,
        )

    def remove(self, doc_id: str) -> bool:
        """Remove a document with its chunks. False when there is none of that id."""
        return self.parts.store.remove(DocId(doc_id))

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
    ) -> Answer:
        """Answer a question, or decline it with a reason.

        Args:
            question: A text, or a ``Question``, which brings its own reader, ``top_k`` and filters: the arguments of
                that name are for texts, and refused beside one.
            top_k: How many passages the answer may use; as the settings say, when it is not given.
            reader: Who asks, or their level. They see their own level and those below.
            filters: ``(field of DocumentInfo, value)`` pairs that all must hold.

        Raises:
            ConfigError: If the question is empty or too long, or ``top_k`` is out of range.
            ModelError: If the model cannot be reached.
        """
        for event in self.events(question, top_k=top_k, reader=reader, filters=filters):
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
    ) -> Iterator[Event]:
        """Answer a question step by step. Arguments and errors as for ``ask``.

        Closing the generator closes the model's response.

        Yields:
            ``Retrieved``, then ``Drafted`` for each statement, ``Checked`` for each sentence, at most one
            ``Revised`` with ``Checked`` after it, and last ``Finished``.
        """
        asked = self._question(question, top_k=top_k, reader=reader, filters=filters)
        language = asked.language or self.settings.language or detect_language(asked.text)
        walk = _Walk(self, asked, language)

        with walk.timer.step("retrieve"):
            hits = self._hits(asked)
        yield Retrieved(hits)

        why_not = walk.too_little(hits)
        if why_not is not None:
            yield Finished(walk.finish(walk.abstain(hits, why_not)))
            return

        context = walk.context(hits)
        request = generate.build_request(asked, hits, language=language)
        lines = []
        with walk.timer.step("generate"):
            for line in generate.run(self.parts.model, request):
                lines.append(line)
                if line.statement is not None and line.statement.text.strip():
                    yield Drafted(len([one for one in lines if one.statement]) - 1, line.statement)
        draft = generate.draft_of(lines)

        with walk.timer.step("verify"):
            pieces = walk.check(draft.statements, context)
        for piece in pieces:
            for sentence in piece.sentences:
                yield Checked(sentence, walk.holds(sentence))

        failed = [piece for piece in pieces if not walk.all_hold(piece)]
        if failed and self.settings.retry_once:
            with walk.timer.step("repair"):
                replacements = walk.retry(request, failed, context)
            if replacements is not None:
                yield Revised(
                    tuple(piece.statement for piece in failed), tuple(one.statement for one in replacements)
                )
                for piece in replacements:
                    for sentence in piece.sentences:
                        yield Checked(sentence, walk.holds(sentence))
                pieces = _replaced(pieces, failed, replacements)

        with walk.timer.step("verify"):
            shown, removed = walk.strip(pieces, context)
        yield Finished(walk.finish(walk.conclude(draft, hits, context, shown, removed)))

    def verify(self, answer: str, sources: Sequence[Any], **options: Any) -> Report:
        """Check somebody else's answer with this pipeline's judge. See ``pincite.verify``."""
        from pincite.verification import verify

        return verify(answer, sources, judge=self.parts.judge, **options)

    def _hits(self, asked: Question) -> tuple[Hit, ...]:
        """What is found, once more without all that the reader may not see: a search may be anybody's function."""
        found = self.parts.search(asked, self.parts.store, self.parts.embedder)
        return tuple(hit for hit in found if asked.reader.may_read(hit.document.access_level))

    def _question(
        self,
        question: str | Question,
        *,
        top_k: int | None,
        reader: Reader | str,
        filters: Sequence[tuple[str, str]],
    ) -> Question:
        if isinstance(question, str):
            question = Question(
                text=question,
                reader=as_reader(reader),
                top_k=self.settings.top_k if top_k is None else top_k,
                filters=tuple(filters),
            )
        elif top_k is not None or filters or reader != "public":
            raise ConfigError(
                "a Question brings its own reader, top_k and filters", hint="give them to Question(…) instead"
            )
        if not isinstance(getattr(question, "text", None), str):
            raise ConfigError("a question is a text or a Question")
        if not isinstance(question.top_k, int):
            raise ConfigError(f"top_k must be a whole number, got {question.top_k!r}")
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


# --- one request --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Piece:
    """One statement as it was checked: its marker-free text and its sentences (offsets in ``plain``)."""

    statement: Statement
    plain: str
    sentences: tuple[Sentence, ...]


class _Walk:
    """What one request has in hand: the steps of ``events`` in the order in which they are called."""

    def __init__(self, pipeline: Pipeline, question: Question, language: str | None) -> None:
        self.parts, self.settings = pipeline.parts, pipeline.settings
        self.question, self.language = question, language
        self.started = self.parts.clock()
        self.timer = Timer()

    def too_little(self, hits: Sequence[Hit]) -> ReasonCode | None:
        """Why the question is declined before any model is asked, if it is."""
        if not hits:
            empty = not self.parts.store.documents(self.question.reader)
            return ReasonCode.NO_DOCUMENTS if empty else ReasonCode.WEAK_RETRIEVAL
        if max(hit.score for hit in hits) < ENOUGH_EVIDENCE:
            return ReasonCode.WEAK_RETRIEVAL
        return None

    def context(self, hits: Sequence[Hit]) -> Context:
        """The passages by prompt id, with the texts round them."""
        around = {}
        with self.parts.store.reading():
            for hit in hits:
                near = self.parts.store.neighbours(hit.chunk, 1, 1, self.question.reader)
                before = [one.text for one in near if one.ordinal < hit.chunk.ordinal]
                after = [one.text for one in near if one.ordinal > hit.chunk.ordinal]
                around[hit.chunk.chunk_id] = (
                    "".join(before)[-NEIGHBOUR_CHARS:],
                    "".join(after)[:NEIGHBOUR_CHARS],
                )
        return Context.of(hits, around)

    def check(self, statements: Sequence[Statement], context: Context) -> tuple[_Piece, ...]:
        """Parse and judge statements; point misattributed and uncited sentences right and judge these again."""
        known = claims.aliases([source.hit for source in context.sources.values()])
        parsed = [claims.parse_claims(statement.text, known, statement.quotes) for statement in statements]
        flat = [claim for one in parsed for claim in one.claims]
        judged = self._judged(flat, context)
        mended = {
            place: better
            for place, sentence in enumerate(judged)
            if (better := repair.repoint(sentence, context)) is not None
        }
        if mended:
            for place, again in zip(mended, self._judged(list(mended.values()), context), strict=True):
                if self.holds(again):
                    judged[place] = again
        pieces, at = [], 0
        for statement, one in zip(statements, parsed, strict=True):
            pieces.append(_Piece(statement, one.plain, tuple(judged[at : at + len(one.claims)])))
            at += len(one.claims)
        return tuple(pieces)

    def _judged(self, flat: Sequence[Claim], context: Context) -> list[Sentence]:
        verdicts = verdict.check_claims(flat, context, self.parts.judge)
        return [Sentence(claim, found) for claim, found in zip(flat, verdicts, strict=True)]

    def holds(self, sentence: Sentence) -> bool:
        """Whether the sentence may be shown as it stands."""
        return repair.holds(
            sentence, require_citation=self.settings.require_citation, show_partial=self.settings.show_partial
        )

    def all_hold(self, piece: _Piece) -> bool:
        return all(self.holds(sentence) for sentence in piece.sentences)

    def retry(
        self, request: ModelRequest, failed: Sequence[_Piece], context: Context
    ) -> tuple[_Piece, ...] | None:
        """Ask once more, for the failed statements alone. ``None`` when nothing usable came back."""
        sentences = [one for piece in failed for one in piece.sentences if not self.holds(one)]
        revision = generate.build_revision(
            request, [piece.statement for piece in failed], repair.feedback(sentences)
        )
        lines = tuple(generate.run(self.parts.model, revision))
        statements = [line.statement for line in lines if line.statement is not None][: len(failed)]
        return self.check(statements, context) if statements else None

    def strip(
        self, pieces: Sequence[_Piece], context: Context
    ) -> tuple[tuple[_Piece, ...], tuple[Removed, ...]]:
        """Take out what does not hold: a failed marker where the rest supports the sentence, else the sentence."""
        shown, removed = [], []
        for piece in pieces:
            kept = []
            for sentence in piece.sentences:
                better = sentence if self.holds(sentence) else self._without_failed_markers(sentence, context)
                if better is not None:
                    kept.append(better)
                else:
                    removed.append(Removed(sentence.text, repair.removal_reason(sentence)))
            if kept:
                shown.append(replace(piece, sentences=tuple(kept)))
        return tuple(shown), tuple(removed)

    def _without_failed_markers(self, sentence: Sentence, context: Context) -> Sentence | None:
        claim = repair.without_failed_markers(sentence)
        if claim is None:
            return None
        again = self._judged([claim], context)[0]
        return again if again.support is Support.SUPPORTED and self.holds(again) else None

    def conclude(
        self,
        draft: Draft,
        hits: tuple[Hit, ...],
        context: Context,
        shown: Sequence[_Piece],
        removed: tuple[Removed, ...],
    ) -> Answer:
        """The answer from what is left, or an abstention when no verified factual sentence is left."""
        plain, sentences = claims.assemble([(piece.plain, piece.sentences) for piece in shown])
        factual = [sentence for sentence in sentences if sentence.factual]
        if not any(sentence.support is Support.SUPPORTED for sentence in factual):
            if removed:
                return self.abstain(hits, ReasonCode.UNVERIFIED_AFTER_RETRY, removed, draft.uncovered_aspects)
            return self.abstain(hits, ReasonCode.NO_CITATIONS, removed, draft.uncovered_aspects)
        cited = review.citations(sentences, context)
        counts = review.metrics(sentences, len(hits))
        conflicts = find_conflicts(sentences, context, rules)
        missing = draft.uncovered_aspects or review.uncovered_aspects(
            self.question.text, sentences, cited, self.language
        )
        sure = review.confidence(sentences, cited, counts, conflicts=conflicts, self_rating=draft.self_rating)
        weak = max(hit.score for hit in hits) < self.settings.weak_below
        return Answer(
            id=AnswerId(""),
            created_at="",
            question=self.question.text,
            plain=plain,
            sentences=sentences,
            citations=cited,
            metrics=counts,
            answer_status=review.answer_status(sentences, missing, removed),
            confidence=sure.value,
            confidence_label=sure.label,
            confidence_parts=sure.parts,
            language=self.language,
            hits=hits,
            uncovered_aspects=missing,
            conflicts=conflicts,
            removed=removed,
            notes=self._notes(removed, missing),
            warnings=("The passages found are only loosely related to the question.",) if weak else (),
            usage=draft.usage,
        )

    def _notes(self, removed: Sequence[Removed], missing: Sequence[str]) -> tuple[str, ...]:
        partial = (phrase("partial", self.language),) if missing else ()
        return (*((REMOVAL_NOTE,) if removed else ()), *partial)

    def abstain(
        self,
        hits: tuple[Hit, ...],
        code: ReasonCode,
        removed: tuple[Removed, ...] = (),
        uncovered: Sequence[str] = (),
    ) -> Answer:
        """Decline, with the reason and the nearest passages."""
        near: tuple[Snippet, ...] = review.snippets(self.question.text, hits, self.language)
        return Answer(
            id=AnswerId(""),
            created_at="",
            question=self.question.text,
            plain=phrase("no_information", self.language),
            sentences=(),
            citations=(),
            metrics=review.metrics((), len(hits)),
            answer_status=AnswerStatus.ABSTAINED,
            confidence=0.0,
            confidence_label="LOW",
            language=self.language,
            hits=hits,
            uncovered_aspects=tuple(uncovered) or aspects(self.question.text),
            reason=review.abstention_reason(code, near),
            reason_code=code,
            snippets=near,
            removed=removed,
        )

    def finish(self, answer: Answer) -> Answer:
        """Give the answer its id, date and timings, and store it."""
        done = replace(
            answer,
            id=self.parts.new_id(self.started),
            created_at=self.started.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            timing_ms=self.timer.milliseconds,
            model=self.parts.model_name,
            prompt_hash=fingerprint(),
        )
        if self.parts.serialise is not None:
            self.parts.store.save_answer(
                StoredAnswer(
                    answer_id=done.id,
                    created_at=done.created_at,
                    level=self.question.reader.level,
                    question=done.question,
                    status=done.answer_status,
                    body=self.parts.serialise(done),
                )
            )
        return done


def _replaced(
    pieces: Sequence[_Piece], failed: Sequence[_Piece], replacements: Sequence[_Piece]
) -> tuple[_Piece, ...]:
    """The pieces with the failed ones exchanged in order; a failed one without replacement stays, to be stripped."""
    better = {id(old): new for old, new in zip(failed, replacements, strict=False)}
    return tuple(better.get(id(piece), piece) for piece in pieces)
