"""A row of a table told with the names of its columns, "Plan: Solo; Phone support: no", held against that row cell by cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pincite.checks.binding import Problem
from pincite.checks.reading import Reading, signature
from pincite.checks.reasons import reason_of
from pincite.findings import Difference, Support
from pincite.ports import Judgement, Passage, PassageJudgement
from pincite.text.blocks import BlockKind, blocks
from pincite.text.numbers import compare_quantities, parse_quantities
from pincite.text.passages import cells
from pincite.text.references import without_marks
from pincite.types import Span

MAX_PAIRS, MAX_CHARS = 40, 2_000
"""Of longer sentences none is taken for a row."""

# What a cell says for yes and for no, as ``signature`` gives it or as the sign itself. Written for this project. A dash is neither.
_YES = frozenset(
    "yes ja sí si oui true included enthalten incluido inclus はい あり 有 有り 是 含む نعم हाँ हां ✓ ✔ ✅ ☑".split()
)
_NO = frozenset("no nein non false none いいえ なし 無 無し 否 没有 无 لا नहीं ✗ ✘ ❌ ×".split())

_SCORES = {Support.SUPPORTED: 1.0, Support.PARTIAL: 0.4, Support.CONTRADICTED: 0.0}


@dataclass(frozen=True, slots=True)
class ToldRow:
    """What a table says of such a sentence. ``spans`` are the rows that it speaks of, in the passage's text."""

    support: Support
    spans: tuple[Span, ...]
    difference: Difference | None = None


@dataclass(frozen=True, slots=True)
class _Pair:
    title: str
    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class _Table:
    """``titles`` as signatures; ``rows`` with the place of each."""

    titles: tuple[str, ...]
    rows: tuple[tuple[Span, tuple[str, ...]], ...]


def told_row(claim: str, reading: Reading) -> ToldRow | None:
    """What a table of ``reading`` says of a sentence that tells one of its rows: ``column: value`` pairs, the row's name first.

    Every value must be that of its own column. ``contradicted`` when the row has another amount there, or a no for a
    yes; ``partial`` when it has other words.

    Returns:
        ``None`` for other sentences, and when no table has such columns or such a row.

    >>> from pincite.checks.reading import read
    >>> table = read("| Plan | API | Phone |\\n|---|---|---|\\n| Solo | yes | no |", "en")
    >>> found = [told_row(line, table) for line in ("Plan: Solo; Phone: no.", "Plan: Solo; Phone: yes.")]
    >>> [one.support.value for one in found if one]
    ['supported', 'contradicted']
    """
    if len(claim) > MAX_CHARS or ":" not in claim or not any(mark in claim for mark in ";；"):
        return None
    worst: ToldRow | None = None
    for table in _tables(reading.text):
        pairs = _pairs(claim, table)
        if pairs is None:
            continue
        rows = [(span, row) for span, row in table.rows if row and _is_same(pairs[0].value, row[0], reading)]
        found = [_compare(pairs, table, span, row, reading) for span, row in rows]
        good = [one for one in found if one.support is Support.SUPPORTED]
        if good:
            return good[0]
        worst = worst or (found[0] if found else None)
    return worst


def judgement_of_rows(passages: Sequence[Passage], rows: Sequence[ToldRow | None]) -> Judgement:
    """What tables of ``passages`` say of a claim that tells one of their rows: for it when one is, else against it.

    Args:
        rows: One for each passage, not all ``None``.
    """
    found = [row for row in rows if row is not None]
    first = max(found, key=lambda row: _SCORES[row.support])
    is_backed = first.support is Support.SUPPORTED
    told = (first.difference,) if first.difference is not None else ()
    judged: list[PassageJudgement] = []
    for passage, row in zip(passages, rows, strict=True):
        if row is None or (is_backed and row.support is not Support.SUPPORTED):
            judged.append(PassageJudgement(passage.id, Support.UNSUPPORTED, 0.0))
            continue
        own = (row.difference,) if row.difference is not None else ()
        judged.append(PassageJudgement(passage.id, row.support, _SCORES[row.support], row.spans, own))
    reason = reason_of(Problem(told[0], is_change=True)) if told else "the row of the table says this"
    spans = tuple(one.answer_span for one in told if one.answer_span is not None)
    return Judgement(first.support, _SCORES[first.support], reason, tuple(judged), told, spans)


def _compare(
    pairs: Sequence[_Pair], table: _Table, span: Span, row: Sequence[str], reading: Reading
) -> ToldRow:
    found: ToldRow | None = None
    for pair in pairs[1:]:
        place = table.titles.index(pair.title)
        cell = row[place] if place < len(row) else ""
        if _is_same(pair.value, cell, reading):
            continue
        kind = _kind(pair.value, cell, reading)
        told = Difference(kind, pair.value, cell, pair.span, None)
        support = Support.PARTIAL if kind == "word" else Support.CONTRADICTED
        if found is None or (found.support is Support.PARTIAL and support is Support.CONTRADICTED):
            found = ToldRow(support, (span,), told)
    return found or ToldRow(Support.SUPPORTED, (span,))


def _is_same(value: str, cell: str, reading: Reading) -> bool:
    said, known = signature(value), signature(cell)
    if said == known and (said or value.strip(" .") == cell.strip(" .")):
        return True
    answer, truth = _answer(value), _answer(cell)
    if answer is not None and answer == truth:
        return True
    return _has_amounts(value, cell, reading) and _is_bare(value, cell, reading)


def _has_amounts(value: str, cell: str, reading: Reading) -> bool:
    """Whether both have amounts, and the same."""
    return bool(parse_quantities(value, language=reading.language)) and compare_quantities(
        value, cell, claim_language=reading.language, source_language=reading.language
    )


def _is_bare(value: str, cell: str, reading: Reading) -> bool:
    """Whether the words beside the amounts are the same too: "25 GB" and "25 gigabytes", not "25 GB free"."""
    return _beside(value, reading) == _beside(cell, reading)


def _beside(text: str, reading: Reading) -> str:
    rest: list[str] = []
    at = 0
    for one in parse_quantities(text, language=reading.language):
        rest.append(text[at : one.span.start])
        at = one.span.end
    return signature(" ".join((*rest, text[at:])))


def _kind(value: str, cell: str, reading: Reading) -> str:
    """How two cells differ: ``number``, ``negation`` for a yes and a no, else ``word``."""
    answer, truth = _answer(value), _answer(cell)
    if answer is not None and truth is not None:
        return "negation"
    ours = parse_quantities(value, language=reading.language)
    theirs = parse_quantities(cell, language=reading.language)
    if ours and theirs and not _has_amounts(value, cell, reading):
        return "number"
    return "word"


def _answer(text: str) -> bool | None:
    """Whether a cell says yes or no; ``None`` for others."""
    said = signature(text) or text.strip(" .*_`")
    return True if said in _YES else False if said in _NO else None


def _pairs(claim: str, table: _Table) -> tuple[_Pair, ...] | None:
    """The sentence as pairs whose titles are columns of ``table``, the first of them its first; ``None`` when it is no such."""
    made: list[_Pair] = []
    for span in _pieces(claim):
        piece = span.of(claim)
        title, colon, value = piece.replace("：", ":").partition(":")
        name = signature(title.lstrip(" -*•"))
        if colon and name and name in table.titles:
            body = value.strip().rstrip(".。।")
            made.append(_Pair(name, body, Span(span.end - len(value.lstrip()), span.end)))
        elif made:
            # A semicolon in a cell.
            last = made[-1]
            whole = Span(last.span.start, span.end)
            made[-1] = _Pair(last.title, whole.of(claim).strip().rstrip(".。।"), whole)
        else:
            return None
        if len(made) > MAX_PAIRS:
            return None
    return tuple(made) if len(made) > 1 and made[0].title == table.titles[0] else None


def _pieces(claim: str) -> Iterator[Span]:
    at = 0
    for place, char in enumerate(claim):
        if char in ";；":
            yield Span(at, place)
            at = place + 1
    yield Span(at, len(claim))


@lru_cache(maxsize=64)
def _tables(text: str) -> tuple[_Table, ...]:
    """The tables of a passage, their reference marks left out."""
    if "|" not in text:
        return ()
    made: list[_Table] = []
    titles: tuple[str, ...] = ()
    rows: list[tuple[Span, tuple[str, ...]]] = []
    for block in (*blocks(text), None):
        if block is not None and block.kind is BlockKind.TABLE_RULE:
            continue
        if block is None or block.kind is not BlockKind.TABLE_ROW:
            if titles and rows:
                made.append(_Table(titles, tuple(rows)))
            titles, rows = (), []
            continue
        row = tuple(without_marks(cell) for cell in cells(block.span.of(text)))
        if titles:
            rows.append((block.span, row))
        else:
            titles = tuple(signature(cell) for cell in row)
    return tuple(made)
