"""Answers without a model: sentences, list items and table rows of the sources, chosen by the question's words.

Not a word of its own but the lead-in. It is what runs offline with no key, and a reference for any model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pincite.evidence import comparable_cosines, sentence_score
from pincite.llms.answering import is_answered_by, is_paired, lacks_the_value, nowhere_of, tells_no_price
from pincite.llms.named import asks_for_an_unknown_name, may_speak_of, names_in, says_as_much
from pincite.llms.versions import in_force, newest
from pincite.ports import Delta, Embedder, Model, ModelRequest
from pincite.prompts import phrase
from pincite.text.asked_parts import for_this_part, share_with_all_round
from pincite.text.asked_rows import bound_agrees, column_is_named, row_name
from pincite.text.bearing import (
    Asked,
    Part,
    Signals,
    parts_of,
    passages,
    signals,
)
from pincite.text.blocks import BlockKind
from pincite.text.expected import Expected, asks_whether, denies, expected, holds, says_whether
from pincite.text.followups import without_pointers
from pincite.text.moments import Moment, moment_of
from pincite.text.questions import aspects, subject_words
from pincite.text.references import without_marks
from pincite.text.rows import asked_columns, names_a_column
from pincite.text.statements import statement_line
from pincite.text.words import detect_language
from pincite.types import Hit, Question, Quote, Statement

MAX_STATEMENTS = 6
MAX_LIST_ITEMS = 8

COMPARED = 4
"""How many sentences, best by words, are compared by meaning. With 6, 8 and 12 the right one is chosen as often, and
each takes some 30 ms. Comparing each with the sentence before it as well gains one in a hundred, for twice the time."""
COMPARED_VERSIONS = 12
"""How many sentences are looked at for a newer version of the best one."""
COMPARED_ABROAD = 12
"""Words cannot choose among sentences of another language: more of them are compared."""

# A second sentence must bring this much of what is still open of a part of the question, and hold this much of it.
GAIN = 0.45
SECOND_HOLDS = 0.6

# What a table row is worth beside its words, in points of ``sentence_score``, when its first cell stands in the question,
# and one of its columns too.
ROW_NAMED = 1.0
COLUMN_NAMED = 1.0
# When it is for the amounts that are asked about ("over 400"), and less when it is not.
BOUND_AGREES = 2.0

# What a sentence with "can" or "may" is worth more where that is what is asked, in the same points.
SAYS_WHETHER = 1.5

# By words alone: how far behind the best score a part may be that answers in its place, and how much it must say.
RUNNER_UP = 3.0
SAYS_MOST = 0.5

# What holds this much of the most that any sentence holds of a follow-up's own words may answer it.
NEARLY = 0.9


def make_extractive(embedder: Embedder | None = None) -> Model:
    """The extractive answer as a model. With an embedder the last choice is by meaning, and works across languages."""
    return lambda request: _lines(request, embedder)


def extractive(request: ModelRequest) -> Iterator[Delta]:
    """The extractive answer by words alone; see ``make_extractive``."""
    return _lines(request, None)


def _lines(request: ModelRequest, embedder: Embedder | None) -> Iterator[Delta]:
    """Write the best parts of the passages as statement lines, then what they do not cover.

    For each part of the question the part of a passage that fits best is chosen, and further ones as long as they bring
    words still missing. The items of a list come together after their lead-in. A retry has nothing better to offer and
    writes nothing.
    """
    if request.failed:
        return
    question = request.question
    language = question.language or detect_language(question.text) or _language_of(request.hits)
    parts = parts_of(request.hits, language, first_id=question.first_id)
    new = None if question.alone == question.text else _about_what_is_new(question, parts, language)
    chosen: list[tuple[Part, Asked]] = []
    missing: list[str] = []
    moment = moment_of(question.alone, language)
    found_aspects = aspects(question.alone)
    for aspect in found_aspects if len(found_aspects) > 1 else (question.alone,):
        asked, usable = _at_that_time(aspect, question.alone, parts, language, moment)
        if new is not None and asked.kind is None and question.history:
            # "And on the Works plan?" wants what was asked for before.
            asked = replace(asked, kind=expected(question.history[-1].question, language))
        found = _answer(asked, usable if new is None else new.parts, embedder, new)
        if new is not None and any(_is_said(one, asked, new.asked, new.said) for one in found):
            found = []
        if new is not None and not found and new.is_told and _knows_all(new.asked):
            # What has its own words does not answer: what has those carried over may, if it has these nearby.
            found = _answer(asked, usable, embedder)
            if any(
                not share_with_all_round(new.asked, one) or _is_said(one, asked, new.asked, new.said)
                for one in found
            ):
                found = []
        if not found:
            missing.append(aspect)
        held = [one for one, _ in chosen]
        chosen += [(one, asked) for one in found if one not in held]
    if chosen:
        yield Delta(statement_line(Statement(phrase("lead_in", language))))
    own = None if new is None else new.asked
    everything = [one for one, _ in chosen]
    opened: set[tuple[int, int]] = set()
    for one, asked in chosen[: MAX_STATEMENTS + MAX_LIST_ITEMS]:
        opening = one.piece.quotable.lead_in
        place = (one.place, one.piece.quotable.group)
        is_item = one.piece.quotable.kind is BlockKind.LIST_ITEM
        if is_item and opening is not None and place not in opened:
            # What an item says often depends on it: "An agent may accept a late return up to day 45 if:".
            quoted = opening.of(one.piece.text)
            yield Delta(statement_line(Statement(without_marks(quoted), (Quote(one.prompt_id, quoted),))))
        opened.add(place)
        yield Delta(statement_line(_statement(one, asked, own, in_list=_has_company(one, everything))))
    if not chosen:
        yield Delta(statement_line(Statement(phrase("no_information", language))))
    yield Delta(json.dumps({"uncovered_aspects": missing}, ensure_ascii=False) + "\n")


def _at_that_time(
    text: str, question: str, parts: Sequence[Part], language: str | None, moment: Moment | None
) -> tuple[Asked, Sequence[Part]]:
    """What is asked, and the parts that held at the time it is asked about.

    "I bought it in March 2025. Can I return it?": the date chooses among versions, and no source need name it.
    """
    asked = Asked.of(text, question, parts, language)
    if moment is None:
        return asked, parts
    plain = _undated(text, question, parts, language)
    usable = in_force(parts, moment, lambda one: share_with_all_round(plain, one))
    return (asked, parts) if len(usable) == len(parts) and not moment.told else (plain, usable)


def _undated(text: str, question: str, parts: Sequence[Part], language: str | None) -> Asked:
    """What is asked without its time, and without what was told before it where the question says enough itself."""
    alone = aspects(question)
    if text == question and len(alone) == 1 and subject_words(alone[0], language) > 1:
        text = alone[0]
    dated = moment_of(text, language)
    return Asked.of(text if dated is None else dated.rest, question, parts, language)


def _language_of(hits: Sequence[Hit]) -> str | None:
    """A question too short to tell its language is in that of the passage that has its words."""
    return hits[0].document.language if hits and hits[0].parts.get("bm25", 0.0) > 0 else None


@dataclass(frozen=True, slots=True)
class _New:
    """What is new in a follow-up, "And for hats?": what was carried over from the question before is about something else,
    perhaps.

    Args:
        asked: Its own words.
        parts: What may answer it: all that hold about as much of its own words as any does.
        said: Earlier answers that would be no answer to it.
        is_told: Whether these parts hold any of its own words.
    """

    asked: Asked
    parts: Sequence[Part]
    said: tuple[str, ...]
    is_told: bool


def _about_what_is_new(question: Question, parts: Sequence[Part], language: str | None) -> _New:
    """Own words first, those carried over only choose among what holds as much of them.

    What was just answered is not said again, with one exception: "And how long?" has no word of its own, and its answer
    may stand in that very sentence. Own words that no passage has leave what was carried over, but not the old answer.
    """
    text = without_pointers(question.text, language)
    own = Asked.of(text, text, parts, language)
    if not any(own.wanted.values()):
        return _New(own, parts, (), False)
    last = tuple(turn.answer for turn in question.history[-1:])
    shares = [(part, share_with_all_round(own, part)) for part in parts]
    best = max((share for _, share in shares), default=0.0)
    fresh = [(part, share) for part, share in shares if not _is_said(part, own, own, last)]
    most = max((share for _, share in fresh), default=0.0)
    if most > 0:
        return _New(own, [part for part, share in fresh if share >= NEARLY * most], last, True)
    if best >= NEARLY:
        # "And cats?" after "Dogs and cats need consent.": only that sentence speaks of them.
        return _New(own, [part for part, share in shares if share >= NEARLY], (), True)
    return _New(own, parts, tuple(turn.answer for turn in question.history), False)


def _knows_all(own: Asked) -> bool:
    wanted = own.wanted.get(own.language, ())
    return bool(wanted) and all(term in own.known or own.has_kin(term) for term in wanted)


def _is_said(one: Part, asked: Asked, own: Asked, answers: Sequence[str]) -> bool:
    """Whether one of the answers has the part as it would be shown: of a table row, the same columns."""
    shown = _statement(one, asked, own, in_list=False).text.removeprefix("- ")
    return any(shown in answer for answer in answers)


# --- which of them ------------------------------------------------------------------------------


def _answer(
    asked: Asked, parts: Sequence[Part], embedder: Embedder | None, new: _New | None = None
) -> list[Part]:
    """The parts of passages that answer one part of the question, in reading order; empty when none does."""
    if not parts:
        return []
    around = passages(parts)
    best_fused = max(one.hit.fused for one in parts)
    known = [signals(asked, one, around[one.place], best_fused=best_fused) for one in parts]
    if not asked.is_whole and new is None:
        known = for_this_part(asked, parts, known)
    scores = [sentence_score(signal) + _bonus(asked, part) for part, signal in zip(parts, known, strict=True)]
    order = sorted(range(len(parts)), key=lambda at: (-scores[at], at))
    names = names_in(asked)
    named = [at for at in order if may_speak_of(names, asked, parts[at], around[parts[at].place])]
    if not named:
        return []
    order = named if says_as_much(asked, names, [parts[at] for at in named], parts) else order
    few = [(parts[at], known[at]) for at in order[:COMPARED]]
    if asked.wants_code:
        # Prose about a command is nearer in meaning to the question than the command.
        few = [one for one in few if one[0].piece.quotable.kind is BlockKind.CODE] or few
    first, cosine = _best(asked, few, embedder)
    if new is None:
        first = _that_says_more(asked, names, first, [one for one, _ in few])
    first = _row_that_says_more(asked, first, parts)

    def answers(one: Part) -> bool:
        if new is None or not new.is_told:
            told = is_answered_by(asked, one, cosine)
        else:
            # What is asked anew must be answered; the words carried over only help.
            told = is_answered_by(new.asked, one, cosine) or (
                (is_paired(one) or not nowhere_of(new.asked, one)) and is_answered_by(asked, one, cosine)
            )
        return (
            told
            and not tells_no_price(asked, one)
            and not lacks_the_value(asked, one, surely=embedder is not None)
        )

    if not answers(first):
        # The order is not that sure: the next ones that say most of what is asked have a chance.
        runners_up = [parts[at] for at in order[1:COMPARED] if scores[at] >= scores[order[0]] - RUNNER_UP]
        lacks = lacks_the_value(asked, first, surely=embedder is not None)
        first = next(
            (
                one
                for one in runners_up
                if (_says_most(asked, one) or (lacks and _own(asked, one) >= _own(asked, first)))
                and answers(one)
            ),
            first,
        )
    if not answers(first) or asks_for_an_unknown_name(asked, first, parts):
        return _from_another_language(asked, [(parts[at], known[at]) for at in order], embedder)
    first = newest(
        first, [parts[at] for at in order[:COMPARED_VERSIONS]], lambda one: share_with_all_round(asked, one)
    )
    best = [first, *_companions(asked, first, parts)]
    covered = frozenset[str]().union(*(one.piece.held | one.piece.near for one in best)) | first.piece.around
    # One value is said in one sentence.
    wants_one = asked.kind not in (None, Expected.REASON)
    for at in order:
        if wants_one or len(best) >= MAX_STATEMENTS:
            break
        one = parts[at]
        if (
            one not in best
            and _gain(asked, one, covered) >= GAIN
            and share_with_all_round(asked, one) >= SECOND_HOLDS
        ):
            best.append(one)
            covered |= one.piece.held
    return sorted(best, key=lambda one: (one.place, one.piece.number))


def _bonus(asked: Asked, one: Part) -> float:
    """What speaks for a part beside what is fitted (``answering.toml``), which knows no tables."""
    says = asks_whether(asked.text, asked.language) and says_whether(one.piece.quote, one.piece.language)
    return _row_bonus(asked, one) + (SAYS_WHETHER if says else 0.0)


def _row_bonus(asked: Asked, one: Part) -> float:
    """What speaks for a row beside its words: its first cell names what the question is about, a column what it asks."""
    agrees = bound_agrees(asked, one)
    bound = 0.0 if agrees is None else BOUND_AGREES if agrees else -BOUND_AGREES
    if not row_name(asked, one):
        return bound
    return bound + ROW_NAMED + (COLUMN_NAMED if column_is_named(asked, one) else 0.0)


def _that_says_more(asked: Asked, names: Sequence[str], first: Part, few: Sequence[Part]) -> Part:
    """Of the best ones one that has all words of the question that ``first`` has, and a name more: that of the "Reed Mini"."""
    wanted = frozenset(asked.wanted[first.piece.language])
    held = (first.piece.held | first.piece.near) & wanted
    for one in few:
        more = ((one.piece.held | one.piece.near) & wanted) - held
        if (
            one.piece.language == first.piece.language
            and not more.isdisjoint(names)
            and one.piece.held | one.piece.near >= held
            and (asked.kind is None or not _says_less(asked, one, first))
        ):
            return one
    return first


def _says_less(asked: Asked, one: Part, first: Part) -> bool:
    """Whether ``first`` has a value of the kind asked for and ``one`` has none."""
    assert asked.kind is not None
    return (
        holds(asked.kind, one.piece.reading, asked.text, one.piece.language) is False
        and holds(asked.kind, first.piece.reading, asked.text, first.piece.language) is not False
    )


def _row_that_says_more(asked: Asked, first: Part, parts: Sequence[Part]) -> Part:
    """Of a table the row that has all words of the question that ``first`` has, and more: the one of "code 4"."""
    if first.piece.quotable.header is None:
        return first
    wanted = frozenset(asked.wanted[first.piece.language])
    best = first
    for one in parts:
        same = one.place == first.place and one.piece.quotable.group == first.piece.quotable.group
        if same and one.piece.held & wanted > best.piece.held & wanted:
            best = one
    return best


def _says_most(asked: Asked, one: Part) -> bool:
    """Whether the part itself has most of what is asked, and nothing against it being of the kind that is wanted."""
    lacks = (
        asked.kind is not None
        and holds(asked.kind, one.piece.reading, asked.text, one.piece.language) is False
    )
    return _own(asked, one) >= SAYS_MOST and (not lacks or denies(one.piece.quote, one.piece.language))


def _own(asked: Asked, one: Part) -> float:
    return asked.share(one.piece.held | asked.meant(one.piece), asked.wanted[one.piece.language])


def _best(
    asked: Asked, few: Sequence[tuple[Part, Signals]], embedder: Embedder | None
) -> tuple[Part, float | None]:
    """The part that fits best, by words and (with an embedder) meaning, and its cosine with the question."""
    if embedder is None:
        return few[0][0], None
    cosines: list[float] = (
        embedder.documents([one.piece.reading for one, _ in few]) @ embedder.query(asked.text)
    ).tolist()

    above = comparable_cosines(cosines, embedder.fingerprint)
    values = [
        sentence_score(replace(known, cosine=cosine), is_compared=True) + _bonus(asked, one)
        for (one, known), cosine in zip(few, above, strict=True)
    ]
    best = max(range(len(few)), key=lambda at: (values[at], -at))
    return few[best][0], cosines[best]


def _from_another_language(
    asked: Asked, ranked: Sequence[tuple[Part, Signals]], embedder: Embedder | None
) -> list[Part]:
    """The sentence nearest in meaning among those of the best passages in other languages, if it is near enough."""
    foreign = [(one, known) for one, known in ranked if one.piece.language not in (asked.language, None)]
    if embedder is None or asked.language is None or not foreign:
        return []
    best, cosine = _best(asked, foreign[:COMPARED_ABROAD], embedder)
    return [best] if is_answered_by(asked, best, cosine) else []


def _gain(asked: Asked, one: Part, covered: frozenset[str]) -> float:
    """How much of what is wanted the part would add."""
    return asked.share(one.piece.held - covered, asked.wanted[one.piece.language])


# --- what comes with it -------------------------------------------------------------------------


def _companions(asked: Asked, first: Part, parts: Sequence[Part]) -> list[Part]:
    """The other items of the list, or rows of the table, when the question is about what opens it and not about one."""
    piece = first.piece
    wanted = asked.wanted[piece.language]
    outside = piece.near | piece.around
    if asked.wants_code and piece.quotable.kind is not BlockKind.CODE:
        behind = [one for one in parts if one.place == first.place and one.piece.number == piece.number + 1]
        return [one for one in behind if one.piece.quotable.kind is BlockKind.CODE]
    if piece.quotable.header is not None:
        names_one = bool(set(wanted) & (piece.held - outside))
    elif piece.quotable.kind is BlockKind.LIST_ITEM and piece.quotable.lead_in is not None:
        by_context = asked.share(outside, wanted)
        by_itself = asked.share(piece.held - outside, wanted)
        names_one = by_itself >= by_context
    else:
        return []
    if names_one:
        return []
    family = [
        one
        for one in parts
        if one.place == first.place and one.piece.quotable.group == piece.quotable.group and one is not first
    ]
    return family if len(family) < MAX_LIST_ITEMS else []


def _has_company(one: Part, chosen: Sequence[Part]) -> bool:
    """Whether another row of its table is chosen too."""
    return one.piece.quotable.header is not None and any(
        one is not other
        and (one.place, one.piece.quotable.group) == (other.place, other.piece.quotable.group)
        for other in chosen
    )


def _statement(one: Part, asked: Asked, own: Asked | None, *, in_list: bool) -> Statement:
    """``own`` has the follow-up's own words: columns that they name go before those of the words carried over."""
    quoted = one.piece.quote
    shown = quoted if one.piece.quotable.kind is BlockKind.CODE else without_marks(quoted)
    if one.piece.quotable.header is not None:
        header, language = one.piece.quotable.header.of(one.piece.text), one.piece.language
        wanted = asked.whole[language]
        if own is not None and names_a_column(header, own.whole[language], language):
            wanted = own.whole[language]
        shown = f"{without_marks(asked_columns(header, quoted, wanted, language))}."
    if in_list or one.piece.quotable.kind is BlockKind.LIST_ITEM:
        shown = f"- {shown}"
    return Statement(shown, (Quote(one.prompt_id, quoted),))
