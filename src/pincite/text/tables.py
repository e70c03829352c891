"""Which cell of a table a sentence rests on, and how a person finds it: "Table 3, row 4, Price"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pincite.findings import TableCell
from pincite.text.facts import facts
from pincite.text.passages import cells, unit_of_title
from pincite.text.quantity import restates
from pincite.text.words import content_words
from pincite.types import Span

MAX_COLUMNS = 200
"""Wider tables are not searched for a cell."""

_RULE = re.compile(r"\|?[\s:|+-]*-[\s:|+-]*\|?")
_CAPTION = re.compile(
    r"^\W{0,6}((?:table|tab\.|tabelle|tabla|cuadro|tableau|表|तालिका|جدول|الجدول)\s?[\w.]{1,6})(?=[\s:：.,–—*|-]|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of a table, with its place among the lines below the header, from 1."""

    line: str
    header: str
    number: int
    caption: str


def find_cell(
    text: str, span: Span, claim: str, *, language: str | None = None, title: str = ""
) -> TableCell | None:
    """The one cell in the table row at ``span`` of ``text`` that ``claim`` rests on.

    Args:
        span: In ``text``: the evidence. It must lie in one row below a header.
        claim: The sentence that cites it.
        title: Names the table where no caption ("Table 3: …") stands right before it.

    Returns:
        ``None`` when the span is in no such row, or when no value or several values of the row are in the claim. The
        first column names the row; it counts only where no other cell does.

    >>> table = "Table 3: Plans\\n\\n| Plan | Price | Storage |\\n|---|---|---|\\n| Basic | 5 € | 10 GB |\\n| Plus | 9 € | 50 GB |"
    >>> str(find_cell(table, Span(table.index("| Plus"), len(table)), "Plus costs €9."))
    'Table 3, row 2, Price'
    """
    row = _row_at(text, span)
    if row is None:
        return None
    names, values = cells(row.header), cells(row.line)
    if len(values) > MAX_COLUMNS:
        return None
    scores = [
        _score(value, names[place] if place < len(names) else "", claim, language)
        for place, value in enumerate(values)
    ]
    places = [place for place in range(1, len(values)) if scores[place] > 0] or [
        place for place in range(len(values)) if place == 0 and scores[0] > 0
    ]
    best = max((scores[place] for place in places), default=0.0)
    chosen = [place for place in places if scores[place] == best]
    if len(chosen) != 1 or chosen[0] >= len(names):
        return None
    return TableCell(row.caption or title, row.number, names[chosen[0]])


def _score(value: str, name: str, claim: str, language: str | None) -> float:
    """How surely the claim takes its value from the cell: an amount above words, more of them above fewer."""
    if not value.strip():
        return 0.0
    own = [fact.quantity for fact in facts(claim, language=language) if fact.quantity is not None]
    amounts = [
        fact.quantity
        for body in (value, f"{value} {unit_of_title(name)}")
        for fact in facts(body, language=language)
        if fact.quantity is not None
    ]
    named = len({token.term for token in content_words(name, language)} & _terms(claim, language))
    if any(restates(mine, other) for mine in own for other in amounts):
        return 2.0 + 0.1 * named
    terms = {token.term for token in content_words(value, language)}
    if amounts or not terms:
        return 0.0
    return (
        (len(terms & _terms(claim, language)) / len(terms)) + 0.1 * named
        if terms & _terms(claim, language)
        else 0.0
    )


def _terms(text: str, language: str | None) -> set[str]:
    return {token.term for token in content_words(text, language)}


def _row_at(text: str, span: Span) -> _Row | None:
    return next((row for place, row in _rows(text) if place.contains(span) or span.contains(place)), None)


def _rows(text: str) -> Iterator[tuple[Span, _Row]]:
    """Every row below a header, with the span of its line."""
    header, above, number, has_rule = "", "", 0, False
    for place in _lines(text):
        line = place.of(text)
        if "|" not in line:
            above = line if line.strip() else above
            header, number, has_rule = "", 0, False
        elif not header:
            header = line
        elif _RULE.fullmatch(line.strip()):
            has_rule = True
        elif has_rule:
            number += 1
            yield place, _Row(line, header, number, _caption(above))
        else:
            # A line without a rule below it is no header: the table began before this text.
            header = line


def _caption(line: str) -> str:
    found = _CAPTION.match(line.strip())
    return found[1].rstrip(".") if found else ""


def _lines(text: str) -> Sequence[Span]:
    found: list[Span] = []
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        found.append(Span(start, end))
        start = end + 1
    return found
