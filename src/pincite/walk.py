"""The steps of one request, in the order in which ``pipeline.events`` takes them.

Each statement of the draft has a *place*. It is checked when it arrives, and then it is shown, waits or has failed.
What was shown is final. So what depends on something still open waits: a lead-in for what it announces, "However,
it …" for the sentence before it, and all that is not fully supported for the first sentence that is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC

from pincite import claims, generate, record, repair, review
from pincite.answer import REMOVAL_NOTE, Answer, Removed, Repair, Snippet
from pincite.answerable import Borne, borne, cited_likelihood, is_vague, likelihood
from pincite.checking import Checking, Piece
from pincite.checks.rivals import differing_value
from pincite.conflicts import find_conflicts
from pincite.context import NEIGHBOUR_CHARS, Context
from pincite.errors import ModelError
from pincite.events import Checked, Event, Finished, Repaired, Revised
from pincite.evidence import is_language
from pincite.findings import AnswerStatus, Citation, ReasonCode, Sentence, Support
from pincite.parts import Parts, Settings
from pincite.places import with_places
from pincite.ports.stored import StoredAnswer
from pincite.prompts import FALLBACK_LANGUAGE, fingerprint, phrase
from pincite.telemetry import Timer, Watch, trace_id_of
from pincite.text.leaning import leaning
from pincite.text.questions import aspects
from pincite.text.statements import OutputLine
from pincite.types import AnswerId, ChunkId, Hit, Question, Statement

ENOUGH_EVIDENCE = 0.05
"""Where it is not calibrated how likely the passages answer, no model is asked when the best of them has less evidence
than this. Low on purpose: what is drafted is checked anyway, and a passage that words alone rank low may still hold."""

_CUTS = ("length", "connection", "refusal")
_FOUND_TOO_LITTLE = (
    ReasonCode.WEAK_RETRIEVAL,
    ReasonCode.BELOW_CONFIDENCE,
    ReasonCode.NO_CITATIONS,
    ReasonCode.UNVERIFIED_AFTER_RETRY,
)


def _warning(name: str, **values: object) -> str:
    """A warning as it is kept: in English, for programs. Readers see it in the language of the answer."""
    return phrase(f"warning.{name}", FALLBACK_LANGUAGE).format(**values)


def _cut(why: str) -> tuple[str, ...]:
    return (_warning(f"cut.{why}"),) if why in _CUTS else ()


class Walk:
    """What one request has in hand."""

    def __init__(self, parts: Parts, settings: Settings, question: Question, language: str | None) -> None:
        self.parts, self.settings = parts, settings
        self.question, self.language = question, language
        self.started = parts.clock()
        self.answer_id = parts.new_id(self.started)
        self.timer = Timer()
        self.watch: Watch | None = None
        self.trace_id = trace_id_of(question.traceparent)
        if parts.telemetry is not None:
            self.watch = parts.telemetry.watch(question, self.started, parts.model_name)
            self.trace_id = self.watch.trace_id
        self.hits: tuple[Hit, ...] = ()
        self.warnings: list[str] = []
        self.repairs: list[Repair] = []
        self.left_out: tuple[ChunkId, ...] = ()
        self._lines: list[OutputLine] = []
        self._borne: dict[str, Borne | None] = {}
        # By place in the draft: what was checked, what of it the reader was given, what was withheld.
        self._pieces: list[Piece] = []
        self._sound: list[bool] = []  # whether all of it holds: asked again for each statement that follows
        self._shown: dict[int, tuple[Piece, ...]] = {}
        self._removed: dict[int, tuple[Removed, ...]] = {}

    def watched(self, events: Generator[Event]) -> Generator[Event]:
        """The events as they are. Telemetry, where there is any, hears them, and how it ended."""
        if self.watch is None:
            yield from events
            return
        with closing(events):
            try:
                for event in events:
                    self.watch.tell(event)
                    if isinstance(event, Finished):
                        self.watch.end(self.timer)
                    yield event
            except BaseException as error:
                self.watch.end(self.timer, error)
                raise

    # --- before the model -----------------------------------------------------------------------

    def too_little(self) -> ReasonCode | None:
        """Why the question is declined before any model is asked, if it is."""
        if not self.hits:
            empty = not self.parts.store.documents(self.question.reader)
            return ReasonCode.NO_DOCUMENTS if empty else ReasonCode.WEAK_RETRIEVAL
        if self.language is None and self.hits[0].parts.get("bm25", 0.0) > 0:
            # Too short to tell its language, "Price?": it is that of the passage that has its words.
            self.language = self.hits[0].document.language
        if is_vague(self.question.alone, self.hits, self.language):
            return ReasonCode.VAGUE_QUESTION
        # Of a question with two parts one may well be answered.
        chances = [
            likelihood(part, self.hits, self.language, self._fingerprint, self._read(part))
            for part in self._parts_asked()
        ]
        known = [one for one in chances if one is not None]
        if known:
            return ReasonCode.BELOW_CONFIDENCE if max(known) < self.settings.abstain_below else None
        return ReasonCode.WEAK_RETRIEVAL if max(hit.score for hit in self.hits) < ENOUGH_EVIDENCE else None

    def _parts_asked(self, without: Sequence[str] = ()) -> tuple[str, ...]:
        """The parts of the question that want an answer each, as they are asked; the whole where there is one part."""
        parts = aspects(self.question.alone)
        return (
            tuple(part for part in parts if part not in without) if len(parts) > 1 else (self.question.alone,)
        )

    def _read(self, part: str) -> Borne | None:
        if part not in self._borne:
            is_part = part != self.question.alone
            self._borne[part] = borne(part, self.hits, self.language, is_part=is_part)
        return self._borne[part]

    def _sure(self, cited: Sequence[Citation], missing: Sequence[str]) -> float | None:
        """How likely what is cited answers the parts that are covered: all of them, so the least likely counts."""
        chances = (
            cited_likelihood(part, self.hits, cited, self.language, self._fingerprint, self._read(part))
            for part in self._parts_asked(without=missing)
        )
        return min((one for one in chances if one is not None), default=None)

    def _uncovered(self, sentences: Sequence[Sentence], cited: Sequence[Citation]) -> tuple[str, ...]:
        """The parts of the question that nothing shown is about, by their words.

        A question of one part whose answer is very likely right is answered, in whatever words.
        """
        missing = review.uncovered_aspects(self.question.text, sentences, cited, self.language)
        if missing and len(aspects(self.question.text)) == 1:
            return () if (self._sure(cited, ()) or 0.0) >= review.HIGH_CONFIDENCE else missing
        return missing

    @property
    def _fingerprint(self) -> str:
        return "" if self.parts.embedder is None else self.parts.embedder.fingerprint

    def prepare(self) -> None:
        """Make the prompt, and read the passages by prompt id with the texts round them."""
        around = {}
        with self.parts.store.reading():
            for hit in self.hits:
                near = self.parts.store.neighbours(hit.chunk, 1, 1, self.question.reader)
                before = [one.text for one in near if one.ordinal < hit.chunk.ordinal]
                after = [one.text for one in near if one.ordinal > hit.chunk.ordinal]
                around[hit.chunk.chunk_id] = (
                    "".join(before)[-NEIGHBOUR_CHARS:],
                    "".join(after)[:NEIGHBOUR_CHARS],
                )
        self.context = Context.of(self.hits, around, first_id=self.question.first_id)
        self.checking = Checking(
            self.parts.judge, self.settings, self.question, self.hits, self.context, self.language
        )
        self.request = generate.build_request(
            self.question,
            self.hits,
            language=self.language,
            context_tokens=self.settings.context_tokens,
            reply_tokens=self.settings.reply_tokens,
        )
        self.left_out = self.request.left_out
        if self.left_out:
            self.warnings.append(_warning("left_out", number=len(self.left_out), all=len(self.hits)))

    # --- the draft ------------------------------------------------------------------------------

    def draft(self) -> Generator[tuple[int, Statement]]:
        """The statements of the model with their places, as they become whole, each once.

        Closing it closes the model's response. A reply that breaks off after its first statement is used as far
        as it came.

        Raises:
            ModelError: If the model fails before it said anything.
        """
        said: set[str] = set()
        with closing(generate.run(self.parts.model, self.request)) as lines:
            while (line := self._next(lines, said_something=bool(said))) is not None:
                self._lines.append(line)
                text = " ".join(line.statement.text.split()) if line.statement else ""
                if line.statement is not None and text and text not in said:
                    said.add(text)
                    yield len(said) - 1, line.statement

    def _next(self, lines: Iterator[OutputLine], *, said_something: bool) -> OutputLine | None:
        with self.timer.step("generate"):
            try:
                return next(lines, None)
            except ModelError as error:
                if not said_something:
                    raise
                self.warnings.append(_warning("broke_off", why=error))
                return None

    def check(self, statement: Statement) -> Iterator[Event]:
        """Judge the next statement of the draft; tell what was mended, and what may be shown now."""
        with self.timer.step("verify"):
            piece, repairs = self.checking.piece(len(self._pieces), statement)
        self._pieces.append(piece)
        self._sound.append(self.checking.all_hold(piece))
        yield from self._told(repairs)
        if not self._sound[-1]:
            yield from (Checked(len(self._pieces) - 1, one, shown=False) for one in piece.sentences)
        yield from self._show(self._holding())

    def _told(self, repairs: Sequence[Repair]) -> Iterator[Event]:
        self.repairs += repairs
        yield from map(Repaired, repairs)

    # --- repair ---------------------------------------------------------------------------------

    def retry(self) -> Iterator[Event]:
        """Ask once more, for the statements that failed alone, and judge what comes back."""
        failed = [place for place, sound in enumerate(self._sound) if not sound]
        with self.timer.step("repair"):
            replacements = self._asked_again(failed) if failed else {}
        if not replacements:
            return
        yield Revised(tuple(self._pieces[place].statement for place in failed), tuple(replacements.values()))
        said = {" ".join(piece.statement.text.split()) for piece in self._pieces}
        for place, statement in replacements.items():
            text = " ".join(statement.text.split())
            if text and text not in said:
                said.add(text)
                yield from self._replace(place, statement)
        yield from self._show(self._holding())

    def _asked_again(self, failed: Sequence[int]) -> Mapping[int, Statement]:
        """Replacements by place. A model that cannot be reached now gives none."""
        pieces = [self._pieces[place] for place in failed]
        sentences = [one for piece in pieces for one in piece.sentences if not self.checking.holds(one)]
        revision = generate.build_revision(
            self.request, [piece.statement for piece in pieces], repair.feedback(sentences)
        )
        try:
            with self.timer.step("revise", inside=True):
                lines = tuple(generate.run(self.parts.model, revision))
        except ModelError as error:
            self.warnings.append(_warning("not_asked_again", why=error))
            return {}
        self._lines += [OutputLine(usage=line.usage) for line in lines if line.usage]
        given = [line.statement for line in lines if line.statement is not None]
        if len(given) != len(failed):
            said = {" ".join(piece.statement.text.split()) for piece in self._pieces}
            given = [one for one in given if self._says_more(one, said)]
        return repair.paired(
            {place: piece.statement for place, piece in zip(failed, pieces, strict=True)},
            given,
            self.language,
        )

    def _says_more(self, statement: Statement, said: Collection[str]) -> bool:
        """Whether a statement of the retry is no lead-in, and nothing the draft had said; one left out is none."""
        text = " ".join(statement.text.split())
        return not text or (
            text not in said and (claims.is_refusal(text) or self.checking.is_factual(statement))
        )

    def _replace(self, place: int, statement: Statement) -> Iterator[Event]:
        """Put what came back in the place of the sentences that failed. What held stays, unless it is said again."""
        old = self._pieces[place]
        if old.factual and not self.checking.is_factual(statement):
            return
        with self.timer.step("repair"):
            new, repairs = self.checking.piece(place, statement)
        held, mended = self.checking.held(place, old)
        failed = [one for at, one in enumerate(old.sentences) if at not in held]
        if not failed or (held and not any(map(self.checking.holds, new.sentences))):
            return
        # Written anew, sentence for sentence?
        opposite = new.sentences if len(new.sentences) == len(old.sentences) else ()
        held = {
            at: one
            for at, one in held.items()
            if not repair.says_again(one, new.sentences, self.language)
            and not (opposite and repair.says_again(one, [opposite[at]], self.language, share=0.4))
        }
        repairs = (*(mended[at] for at in held if at in mended), *repairs)
        before = [one for one in held.values() if one.index < failed[0].index]
        after = [one for one in held.values() if one.index > failed[0].index]
        piece = Piece(
            statement,
            *claims.assemble([(old.plain, before), (new.plain, new.sentences), (old.plain, after)]),
        )
        self._pieces[place] = piece
        self._sound[place] = self.checking.all_hold(piece)
        kept = [one for one in new.sentences if self.checking.holds(one)]
        if any(one.factual for one in kept):
            gone = claims.assemble([(old.plain, failed)])[0] if held else old.plain
            better = claims.assemble([(new.plain, kept)])[0]
            repairs = (Repair(place, "replaced", gone, better, self.checking.why_not(failed[0])), *repairs)
        if not self._sound[place]:
            yield from (Checked(place, one, shown=False) for one in piece.sentences)
        yield from self._told(repairs)

    def settle(self) -> Iterator[Event]:
        """Mend or withhold what still fails, and show what still waited."""
        with self.timer.step("repair"):
            kept = self._settled()
        yield from self._told(kept.repairs)
        yield from self._show(kept.pieces, last=True)

    # --- what is shown, and when ----------------------------------------------------------------

    def _holding(self) -> dict[int, tuple[Piece, ...]]:
        """What holds as it is, by place, and leans on nothing that is not shown yet."""
        holding: dict[int, tuple[Piece, ...]] = {}
        leanable = True
        for place, piece in enumerate(self._pieces):
            if place not in self._shown and self._sound[place] and (leanable or not self._leans(piece)):
                holding[place] = (piece,)
            if piece.factual:
                leanable = place in self._shown or place in holding
        return holding

    def _leans(self, piece: Piece) -> bool:
        return bool(piece.sentences) and bool(leaning(piece.sentences[0].text, self.language))

    def _show(self, pieces: Mapping[int, tuple[Piece, ...]], *, last: bool = False) -> Iterator[Event]:
        """Give the reader those of ``pieces`` that wait for nothing, in order."""
        factual = {place for place in pieces if any(piece.factual for piece in pieces[place])}
        if not self._shown and not any(_is_proven(piece) for place in factual for piece in pieces[place]):
            return
        told = factual | self._shown.keys()
        ready = [
            place
            for place in sorted(pieces)
            if place in factual or (pieces[place] and self._is_awaited(place, told, last=last))
        ]
        for place in ready:
            self._shown[place] = pieces[place]
            for piece in pieces[place]:
                for sentence in piece.sentences:
                    yield Checked(place, sentence, True, review.citations([sentence], self.context))

    def _is_awaited(self, place: int, told: Collection[int], *, last: bool) -> bool:
        """Whether the sentence without facts at ``place`` has what it announces, or stands in front of what is shown."""
        passed_a_fact = False
        for later in range(place + 1, len(self._pieces)):
            if self._pieces[later].factual:
                if later in told:
                    return True
                passed_a_fact = True
            elif passed_a_fact and self._pieces[later].announces:
                break
        return last and not self._pieces[place].announces

    def _settled(self) -> _Settled:
        """What is left of every statement that was not shown: a failed marker goes where the rest supports the
        sentence, a connective where nothing is left to connect with, else the sentence."""
        settled = _Settled({}, [])
        leanable = True
        for place, piece in enumerate(self._pieces):
            if place in self._shown:
                leanable = leanable if not piece.factual else True
                continue
            kept: list[Piece] = []
            removed: list[Removed] = []
            for sentence in piece.sentences:
                better, why = self.checking.mended(place, sentence, settled.repairs, leanable=leanable)
                if better is None:
                    removed.append(Removed(sentence.text, why))
                elif better.text == sentence.text:
                    kept.append(replace(piece, sentences=(better,)))
                else:
                    kept.append(replace(piece, plain=better.text, sentences=(better,)))
                if sentence.factual:
                    leanable = better is not None
            if piece.factual and not any(one.factual for one in kept):
                kept = []
            settled.pieces[place] = _joined(kept)
            self._removed[place] = tuple(removed)
        return settled

    # --- the answer -----------------------------------------------------------------------------

    def conclude(self) -> Answer:
        """The answer from what was shown, or an abstention when no verified factual sentence is left."""
        draft = generate.draft_of(self._lines)
        removed = tuple(one for place in sorted(self._removed) for one in self._removed[place])
        shown = [piece for place in sorted(self._shown) for piece in self._shown[place]]
        plain, sentences = claims.assemble([(piece.plain, piece.sentences) for piece in shown])
        factual = [sentence for sentence in sentences if sentence.factual]
        if not any(sentence.support is Support.SUPPORTED for sentence in factual):
            if removed:
                return self.abstain(ReasonCode.UNVERIFIED_AFTER_RETRY, removed, draft.uncovered_aspects)
            return self.abstain(ReasonCode.NO_CITATIONS, removed, draft.uncovered_aspects)
        cited = review.citations(sentences, self.context)
        counts = review.metrics(sentences, len(self.hits))
        conflicts = find_conflicts(sentences, self.context, differing_value)
        missing = draft.uncovered_aspects or self._uncovered(sentences, cited)
        sure = review.confidence(
            sentences,
            cited,
            counts,
            conflicts=conflicts,
            self_rating=draft.self_rating,
            answers=self._sure(cited, missing),
        )
        # A right answer in a small collection may have little evidence by words: what is cited counts as well.
        evidence = max(sure.parts.get("answers") or 0.0, *(hit.score for hit in self.hits))
        weak = evidence < self.settings.weak_below
        return Answer(
            id=AnswerId(""),
            created_at="",
            question=self.question.text,
            plain=plain,
            sentences=sentences,
            citations=with_places(cited, self.parts.store, self.question.reader, self.parts.boxes),
            metrics=counts,
            answer_status=review.answer_status(sentences, missing, removed),
            confidence=sure.value,
            confidence_label=sure.label,
            confidence_parts=sure.parts,
            language=self.language,
            hits=self.hits,
            uncovered_aspects=missing,
            conflicts=conflicts,
            removed=removed,
            repairs=self._repairs_shown(),
            notes=self._notes(removed, missing),
            warnings=(*self.warnings, *_cut(draft.cut), *((_warning("weak"),) if weak else ())),
            usage=draft.usage,
        )

    def _repairs_shown(self) -> tuple[Repair, ...]:
        """The repairs whose result is in the answer, or was mended once more: a mended sentence may be withheld."""
        shown: list[Repair] = []
        for one in reversed(self.repairs):
            texts = [
                sentence.text for piece in self._shown.get(one.place, ()) for sentence in piece.sentences
            ]
            mended_again = any(later.place == one.place and later.before in one.after for later in shown)
            if mended_again or any(text in one.after for text in texts):
                shown.append(one)
        return tuple(reversed(shown))

    def _notes(self, removed: Sequence[Removed], missing: Sequence[str]) -> tuple[str, ...]:
        partial = (phrase("partial", self.language),) if missing else ()
        return (*((REMOVAL_NOTE,) if removed else ()), *partial)

    def abstain(
        self,
        code: ReasonCode,
        removed: tuple[Removed, ...] = (),
        uncovered: Sequence[str] = (),
    ) -> Answer:
        """Decline, with the reason and the nearest passages."""
        near: tuple[Snippet, ...] = review.snippets(self.question.alone, self.hits, self.language)
        draft = generate.draft_of(self._lines)
        return Answer(
            id=AnswerId(""),
            created_at="",
            question=self.question.text,
            plain=phrase("clarify" if code is ReasonCode.VAGUE_QUESTION else "no_information", self.language),
            sentences=(),
            citations=(),
            metrics=review.metrics((), len(self.hits)),
            answer_status=AnswerStatus.ABSTAINED,
            confidence=0.0,
            confidence_label="LOW",
            language=self.language,
            hits=self.hits,
            uncovered_aspects=tuple(uncovered) or aspects(self.question.text),
            reason=review.abstention_reason(code, near, self.language),
            reason_code=code,
            snippets=near,
            removed=removed,
            repairs=self._repairs_shown(),
            warnings=(*self.warnings, *_cut(draft.cut), *self._words_alone(code)),
            usage=draft.usage,
        )

    def _words_alone(self, code: ReasonCode) -> tuple[str, ...]:
        """That vectors would help: nothing was found by words, or nothing in the language of the question."""
        command = self.settings.vectors_command
        if not command or code not in _FOUND_TOO_LITTLE:
            return ()
        if any(is_language(hit.document.language, self.language) for hit in self.hits):
            return ()
        return (_warning("words_alone", command=command),)

    def finish(self, answer: Answer) -> Answer:
        """Give the answer its id, date and timings, and store it."""
        done = replace(
            answer,
            id=self.answer_id,
            created_at=self.started.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            timing_ms=self.timer.milliseconds,
            model=self.parts.model_name,
            prompt_hash=fingerprint(),
            conversation_id=self.question.conversation_id,
            previous_id=(self.question.history[-1].answer_id or None) if self.question.history else None,
            first_id=self.question.first_id,
            left_out=self.left_out,
            trace_id=self.trace_id,
        )
        return done if self.parts.serialise is None else self._logged(done, self.parts.serialise)

    def _logged(self, done: Answer, serialise: Callable[[Answer], str]) -> Answer:
        """The answer with whether it was written to the log: it is given all the same."""
        stored = StoredAnswer(
            answer_id=done.id,
            created_at=done.created_at,
            level=self.question.reader.level,
            question=done.question,
            status=done.answer_status,
            body=serialise(replace(done, logged=True)),
            context=record.context_of(
                self.parts.made_with, principal=self.question.principal, client=self.question.client
            ),
        )
        at = self.parts.clock().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        if self.parts.unlogged.save(self.parts.store, stored, at=at):
            return replace(done, logged=True)
        return replace(done, logged=False, warnings=(*done.warnings, record.NOT_LOGGED))


@dataclass(frozen=True, slots=True)
class _Settled:
    """What is left of each statement, by place, and how it was mended."""

    pieces: dict[int, tuple[Piece, ...]]
    repairs: list[Repair]


def _is_proven(piece: Piece) -> bool:
    return any(one.factual and one.support is Support.SUPPORTED for one in piece.sentences)


def _joined(kept: Sequence[Piece]) -> tuple[Piece, ...]:
    """Sentences of one text as one piece, so that what stood between them is kept."""
    pieces: list[Piece] = []
    for piece in kept:
        if pieces and pieces[-1].plain is piece.plain:
            pieces[-1] = replace(pieces[-1], sentences=(*pieces[-1].sentences, *piece.sentences))
        else:
            pieces.append(piece)
    return tuple(pieces)
