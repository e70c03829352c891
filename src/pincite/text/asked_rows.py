"""What speaks for a table row beside its words: that it is the one asked about.

A row says by its place what a sentence says in words: its first cell names what it is about, its columns what they tell.
"""

from __future__ import annotations

import re

from pincite.text.asked_parts import share_with_all_round
from pincite.text.bearing import Asked, Part
from pincite.text.dates import weekdays
from pincite.text.expected import Expected
from pincite.text.numbers import parse_quantities
from pincite.text.passages import cells
from pincite.text.rows import MAX_CELL_CHARS, names_a_column
from pincite.text.words import fold, terms, words

NEARLY_ALL = 0.7
_BRACKETS = re.compile(r"[(（][^()（）]{0,80}[)）]")
STRICT = (">", "<")
"""Bounds that choose between rows: "over 400" is not the row "80-400"."""


def row_name(asked: Asked, one: Part) -> frozenset[str]:
    """The terms of the row's first cell, where the question has all of them; else (and of no row) none."""
    if one.piece.quotable.header is None:
        return frozenset()
    key = frozenset(terms(cells(one.piece.quote)[0], one.piece.language))
    return key if key <= frozenset(asked.wanted[one.piece.language]) else frozenset()


def column_is_named(asked: Asked, one: Part) -> bool:
    """Whether a column of the row is asked for: by its name, or by "when" where columns are days of the week."""
    header = one.piece.quotable.header
    if header is None:
        return False
    language = one.piece.language
    rest = frozenset(asked.wanted[language]) - row_name(asked, one)
    named = header.of(one.piece.text)
    return names_a_column(named, rest, language) or (
        asked.kind is Expected.TIME
        and any(fold(surface) in weekdays() for cell in cells(named)[1:] for _, surface in words(cell))
    )


def is_asked(asked: Asked, one: Part) -> bool:
    """Whether the question names the row and one of its columns, and hardly a word more: then the table has a place for
    the answer. "The unit cost of the Plus" is none of "Plus" and "Price"."""
    if not row_name(asked, one) or not column_is_named(asked, one):
        return False
    return share_with_all_round(asked, one) >= NEARLY_ALL


def bound_agrees(asked: Asked, one: Part) -> bool | None:
    """Whether the first cell of a row is for amounts as the question has them, "over 400 euros"; ``None`` where it asks for
    none such, or the cell does not tell: that of "80-400 EUR" does, it is not."""
    if one.piece.quotable.header is None or not any(char.isdigit() for char in asked.text):
        return None
    wanted = {
        reading.low: quantity.bound
        for quantity in parse_quantities(asked.text, language=asked.language)
        if quantity.bound in STRICT
        for reading in quantity.readings[:1]
    }
    # "400 EUR (450 USD) and more": what stands in brackets says the same once more.
    cell = _BRACKETS.sub("", cells(one.piece.quote)[0][:MAX_CELL_CHARS]) if wanted else ""
    for quantity in parse_quantities(cell, language=one.piece.language) if cell else ():
        reading = quantity.readings[0]
        ends = {">": (reading.high, reading.low), "<": (reading.low, reading.low)}
        for amount, bound in wanted.items():
            if quantity.bound == bound and reading.low == amount:
                return True
            if amount in ends[bound] and (quantity.bound or reading.high is not None):
                return False
    return None
