"""Differences in the small words that turn a sentence: opposites, negation, quantifiers, modality."""

from __future__ import annotations

from collections.abc import Iterator

from pincite.findings import Difference
from pincite.text.fact import TURNING, Fact
from pincite.text.fold import fold
from pincite.text.lexicon import base_language, load_lexicon
from pincite.text.scan import WORD
from pincite.text.side import Side, content_stems, sentence_stems, stem_of, word_places
from pincite.types import Span

_CONDITIONS = frozenset({"except", "unless"})

_SAME_SENTENCE = 0.6
"""Share of the claim's content words in the sentence of a condition that the claim is said to drop. As
for contradictions in general: most of the words must be the same, or it is about something else."""
_SAME_SUBJECT = 0.25
"""The same for a word that the claim turns round: there the words beside it are shared as well."""

_SURE_PAIRS = frozenset(
    {"permit", "free", "enable", "valid", "required", "accept", "possible", "include", "increase", "open"}
)
"""Pairs whose sides mean the same in every language's list, so that they can be compared across languages."""
_SHARED_WITH_BOTH = 2
_VERBATIM = 0.85
"""Share of content words, both ways, from which two sentences are one sentence with small changes."""
_SHOWN_CHARS = 40
_CLASH = {("must", "may"), ("must", "might"), ("must", "should"), ("may", "must"), ("should", "must"), ("sure", "might"),
          ("sure", "may"), ("might", "sure"), ("might", "must"), ("should", "may")}  # fmt: skip
"""What the claim says, what the source says: pairs that change the force of a sentence."""


def small_word_differences(claim: Side, source: Side) -> list[Difference]:
    """Differences in small words, each side against the other."""
    opposites = list(_opposites(claim, source))
    told = {
        stem_of(match[0], side.language)
        for difference in opposites
        for side, shown in ((claim, difference.answer), (source, difference.source))
        for match in WORD.finditer(fold(shown).low)
    }
    return [
        *opposites,
        *_negations(claim, source, told),
        *_conditions(claim, source),
        *_quantifiers(claim, source),
        *_modality(claim, source),
        *_prefixes(claim, source),
    ]


def differences_across_languages(claim: Side, source: Side) -> list[Difference]:
    """Opposites and negation between texts in two languages, where no words can be matched.

    Meant for one sentence each: the source has only the other side of a pair, or one of two sentences of like
    length is negated and the other has nothing negative.
    """
    found: list[Difference] = []
    ours, theirs = claim.of_kind("opposite"), source.of_kind("opposite")
    said = {_pole(fact) for fact in theirs}
    own = {_pole(fact) for fact in ours}
    for fact in ours:
        pole = _pole(fact)
        if fact.value[:-2] not in _SURE_PAIRS or pole in said or _other(pole) in own:
            continue
        against = next((other for other in theirs if _pole(other) == _other(pole)), None)
        if against is not None:
            kind = "negation" if fact.flipped != against.flipped else "opposite"
            found.append(
                Difference(
                    kind, _with_turn(claim, fact), _with_turn(source, against), fact.span, against.span
                )
            )
    if found or not claim.text or not source.text:
        return found
    size, other_size = (
        len(content_stems(claim.text, claim.language)),
        len(content_stems(source.text, source.language)),
    )
    if not size or not other_size or not 0.5 <= size / other_size <= 2:
        return found
    turns, other_turns = _turns(claim), _turns(source)
    if turns and not _has_negative(source):
        found.append(Difference("negation", turns[0][0].surface, "", turns[0][0].span, None))
    elif other_turns and not _has_negative(claim):
        found.append(Difference("negation", "", other_turns[0][0].surface, None, other_turns[0][0].span))
    return found


# --- opposites ----------------------------------------------------------------------------------------


def _pole(fact: Fact) -> str:
    return _other(fact.value) if fact.flipped else fact.value


def _other(pole: str) -> str:
    return f"{pole[:-1]}{'b' if pole[-1] == 'a' else 'a'}"


def _opposites(claim: Side, source: Side) -> Iterator[Difference]:
    """The claim has one side of a pair, and the source the other beside the same words.

    Where the source has both sides, the one with more words in common around it is the one that is meant; at
    least two words must then be shared.
    """
    ours, theirs = claim.of_kind("opposite"), source.of_kind("opposite")
    by_pair: dict[str, list[tuple[Fact, str, set[str]]]] = {}
    for fact in theirs:
        by_pair.setdefault(fact.value[:-2], []).append((fact, _pole(fact), set(source.scope(fact))))
    for fact in ours:
        pole, scope = _pole(fact), set(claim.scope(fact))
        candidates = by_pair.get(fact.value[:-2], ())
        alike = [len(scope & other) for _, other_pole, other in candidates if other_pole == pole]
        against = [
            (len(scope & other), entry) for entry, other_pole, other in candidates if other_pole != pole
        ]
        if not against:
            continue
        shared, entry = max(against, key=lambda item: item[0])
        if shared <= max(alike, default=0) or (alike and shared < _SHARED_WITH_BOTH):
            continue
        if source.is_about(entry, claim, _SAME_SUBJECT):
            kind = "negation" if fact.flipped != entry.flipped else "opposite"
            yield Difference(kind, _with_turn(claim, fact), _with_turn(source, entry), fact.span, entry.span)


def _with_turn(side: Side, fact: Fact) -> str:
    """The word with the negation that turns it, when there is one."""
    turns = [other for other in side.of_kind("negation") if other.value in TURNING] if fact.flipped else []
    if not turns:
        return fact.surface
    turn = min(turns, key=lambda other: abs(other.span.start - fact.span.start))
    start, end = min(turn.span.start, fact.span.start), max(turn.span.end, fact.span.end)
    return side.text[start:end] if side.text else f"{turn.surface} {fact.surface}"


# --- negation -----------------------------------------------------------------------------------------

_HEADS = 2
"""Content words after (or before) a negation that it is taken to turn."""

_Turn = tuple[Fact, tuple[str, ...]]


def _turns(side: Side) -> list[_Turn]:
    return [(fact, side.scope(fact)) for fact in side.of_kind("negation") if fact.value in TURNING]


def _negations(claim: Side, source: Side, told: set[str]) -> Iterator[Difference]:
    ours, theirs = _turns(claim), _turns(source)
    found = False
    for fact, scope in ours:
        heads = scope[:_HEADS]
        if told.intersection(heads) or _is_matched(scope, theirs):
            continue
        head = next((head for head in heads if head in source.places), None)
        if head is not None:
            shown, span = source.shown(head)
            found = True
            yield Difference("negation", _joined(claim, fact, head), shown, fact.span, span)
        elif not theirs and not _has_negative(source) and any(stem in source.places for stem in scope):
            found = True
            yield Difference("negation", fact.surface, "", fact.span, None)
    for fact, scope in theirs:
        if not scope or told.intersection(scope[:_HEADS]) or _is_matched(scope, ours):
            continue
        if not source.is_about(fact, claim, _SAME_SUBJECT):
            continue
        head = scope[0]
        turned = sum(head in other for _, other in theirs)
        if head in claim.places and len(source.places.get(head, ())) <= turned:
            shown, span = claim.shown(head)
            found = True
            yield Difference("negation", shown, _joined(source, fact, head), span, fact.span)
    if not found and not told:
        yield from _count_differs(claim, source, ours, theirs)


def _count_differs(claim: Side, source: Side, ours: list[_Turn], theirs: list[_Turn]) -> Iterator[Difference]:
    """One more negation in what is otherwise the same sentence: "no" made "no no", "unable" made "not unable"."""
    if not claim.text or not source.text or not (ours or theirs):
        return
    own = content_stems(claim.text, claim.language)
    if not own or len(sentence_stems(claim.text, claim.language)[0]) > 1:
        return
    starts, sentences = sentence_stems(source.text, source.language)
    best = max(range(len(starts)), key=lambda at: (len(own & sentences[at]), -at))
    there = sentences[best]
    if len(own & there) < _VERBATIM * max(len(own), len(there)) or any(_prefixes(claim, source)):
        return
    end = starts[best + 1] if best + 1 < len(starts) else len(source.text)
    kept = [fact for fact, _ in theirs if starts[best] <= fact.span.start < end]
    if any(fact.flipped for fact in (*claim.facts, *source.facts)) or len(ours) == len(kept):
        return
    if len(ours) > len(kept):
        yield Difference(
            "negation", ours[-1][0].surface, kept[0].surface if kept else "", ours[-1][0].span, None
        )
    else:
        yield Difference(
            "negation", ours[0][0].surface if ours else "", kept[-1].surface, None, kept[-1].span
        )


def _is_matched(scope: tuple[str, ...], others: list[_Turn]) -> bool:
    own, heads = set(scope), set(scope[:_HEADS])
    return any(heads.intersection(other) or own.intersection(other[:_HEADS]) for _, other in others)


def _joined(side: Side, fact: Fact, head: str) -> str:
    """The negation and the word it turns, as the text has them when they stand close."""
    shown, span = side.shown(head)
    if span is None:
        return f"{fact.surface} {shown}"
    start, end = min(fact.span.start, span.start), max(fact.span.end, span.end)
    return side.text[start:end] if end - start <= _SHOWN_CHARS else f"{fact.surface} … {shown}"


def _has_negative(side: Side) -> bool:
    return any(
        fact.kind == "negation" or (fact.kind == "opposite" and _pole(fact)[-1] == "b") for fact in side.facts
    )


def _conditions(claim: Side, source: Side) -> Iterator[Difference]:
    """Words such as "except" and "unless" that one side drops or adds."""
    ours = [fact for fact in claim.of_kind("negation") if fact.value in _CONDITIONS]
    theirs = [fact for fact in source.of_kind("negation") if fact.value in _CONDITIONS]
    limited = bool(claim.of_kind("negation")) or any(fact.value == "only" for fact in claim.facts)
    for fact in theirs:
        if limited or not source.is_about(fact, claim, _SAME_SENTENCE):
            continue
        if not any(stem in claim.places for stem in source.scope(fact)[:1]):
            yield Difference("negation", "", fact.surface, None, fact.span)
    excluded = bool(source.of_kind("negation")) or any(
        fact.value == "only" or (fact.kind == "opposite" and _pole(fact) == "include:b")
        for fact in source.facts
    )
    for fact in ours:
        if not excluded:
            yield Difference("negation", fact.surface, "", fact.span, None)


# --- quantifiers and modality ---------------------------------------------------------------------------

_RANKS = {"all": 9, "most": 3, "many": 2, "some": 1, "few": 0}
"""Quantifiers by how much they take in; neighbours on the scale ("most", "many") stand for one another."""


def _quantifiers(claim: Side, source: Side) -> Iterator[Difference]:
    ours, theirs = claim.of_kind("quantifier"), source.of_kind("quantifier")
    only_ours = [fact for fact in ours if fact.value == "only"]
    only_theirs = [fact for fact in theirs if fact.value == "only"]
    if not only_ours and not claim.of_kind("negation"):
        for fact in only_theirs:
            if _shares_head(source.scope(fact), claim) and source.is_about(fact, claim, _SAME_SENTENCE):
                yield Difference("quantifier", "", fact.surface, None, fact.span)
    if not only_theirs and not source.of_kind("negation"):
        for fact in only_ours:
            if _shares_head(claim.scope(fact), source):
                yield Difference("quantifier", fact.surface, "", fact.span, None)
    said = {fact.value for fact in theirs}
    for fact in ours:
        if fact.value not in _RANKS or fact.value in said:
            continue
        head = claim.scope(fact)[:1]
        for other in theirs:
            if other.value not in _RANKS or abs(_RANKS[fact.value] - _RANKS[other.value]) < 2:
                continue
            if head and head[0] in source.scope(other)[:2] and source.is_about(other, claim, _SAME_SUBJECT):
                yield Difference("quantifier", fact.surface, other.surface, fact.span, other.span)
                break


def _shares_head(scope: tuple[str, ...], other: Side) -> bool:
    return bool(scope) and scope[0] in other.places


def _modality(claim: Side, source: Side) -> Iterator[Difference]:
    ours, theirs = claim.of_kind("modality"), source.of_kind("modality")
    said = {fact.value for fact in theirs}
    for fact in ours:
        if fact.value in said:
            continue
        scope = set(claim.scope(fact)[:2])
        for other in theirs:
            if (
                (fact.value, other.value) in _CLASH
                and scope.intersection(source.scope(other)[:2])
                and source.is_about(other, claim, _SAME_SUBJECT)
            ):
                yield Difference("modality", fact.surface, other.surface, fact.span, other.span)
                break
    if ours or claim.of_kind("negation"):
        return
    for other in theirs:
        if other.value != "might" or not source.is_about(other, claim, _SAME_SENTENCE):
            continue
        if _shares_head(source.scope(other), claim):
            yield Difference("modality", "", other.surface, None, other.span)


# --- prefixes -----------------------------------------------------------------------------------------

_SHORTEST_BARE = 5
"""Letters left without the prefix: "under" is no negated "der"."""


def _prefixes(claim: Side, source: Side) -> Iterator[Difference]:
    """One side has a word, the other the word with a turning prefix: available, unavailable."""
    prefixes = tuple(load_lexicon("negation")["prefixes"].get(base_language(claim.language) or "en", ()))
    if not claim.text or not source.text or not prefixes:
        return
    ours, theirs = word_places(claim.text), word_places(source.text)
    for mine, yours, side, answers in ((ours, theirs, source, True), (theirs, ours, claim, False)):
        turned = {stem for _, scope in _turns(side) for stem in scope[:_HEADS]}
        for word in mine:
            bare = _bare(word, prefixes, yours) if word not in yours else None
            if bare is None or bare in mine or stem_of(bare, side.language) in turned:
                continue
            own, other = (mine[word], yours[bare]) if answers else (yours[bare], mine[word])
            yield Difference("negation", own.of(claim.text), other.of(source.text), own, other)


def _bare(word: str, prefixes: tuple[str, ...], known: dict[str, Span]) -> str | None:
    for prefix in prefixes:
        bare = word.removeprefix(prefix)
        if bare != word and len(bare) >= _SHORTEST_BARE and bare in known:
            return bare
    return None
