"""Which columns of a table row answer a question."""

from __future__ import annotations

from collections.abc import Set

from pincite.text.passages import cells
from pincite.text.synonyms import groups_of
from pincite.text.words import content_words


def asked_columns(header: str, row: str, wanted: Set[str], language: str | None) -> str:
    """A table row as ``header: value`` pairs: its name and the columns that the question speaks of.

    The first column is the row's name. A column is kept when its header has more of the words wanted than the others'
    have, or when its cell has some. Without any such column all are kept. Empty cells go.

    Args:
        header, row: As they are written, with pipes.
        wanted: Terms of the question in the table's language.
        language: Of the table.

    >>> header, row = "| Plan | Price | Storage |", "| Plus | 4 EUR | 50 GB |"
    >>> asked_columns(header, row, {"storag", "plus"}, "en")
    'Plan: Plus; Storage: 50 GB'
    >>> asked_columns(header, row, {"cost", "plus"}, "en")
    'Plan: Plus; Price: 4 EUR'
    >>> asked_columns(header, row, {"limit"}, "en")
    'Plan: Plus; Price: 4 EUR; Storage: 50 GB'
    """
    names, values = cells(header), cells(row)
    kept = _kept(names, values, wanted, language)
    pairs = []
    for place, value in enumerate(values):
        name = names[place] if place < len(names) else ""
        if value and place in kept:
            pairs.append(f"{name}: {value}" if name else value)
    return "; ".join(pairs)


def _kept(
    names: tuple[str, ...], values: tuple[str, ...], wanted: Set[str], language: str | None
) -> frozenset[int]:
    every = frozenset(range(len(values)))
    meant = frozenset(group for term in sorted(wanted) for group in groups_of(term, language))

    def is_asked_for(term: str) -> bool:
        return term in wanted or not meant.isdisjoint(groups_of(term, language))

    by_header = {
        place: sum(map(is_asked_for, _terms(names[place], language)))
        for place in range(1, min(len(names), len(values)))
    }
    most = max(by_header.values(), default=0)
    asked = {place for place, count in by_header.items() if count == most and most}
    # What the row is found by, where it is not its name: "Countries: Norway, Switzerland".
    named = _terms(values[0], language) if values else frozenset()
    found_by = {
        place for place in range(1, len(values)) if (_terms(values[place], language) - named) & wanted
    }
    if not any(values[place] for place in asked | found_by):
        return every
    # Asked which row it is ("Which plan has 50 GB?"), the name and what it was found by say it; asked for a value, a row
    # that is only found by its cell is shown whole.
    is_about_the_name = bool(names) and bool(_terms(names[0], language) & wanted)
    if not asked and not is_about_the_name:
        return every
    return frozenset({0}) | asked | found_by


def _terms(text: str, language: str | None) -> frozenset[str]:
    return frozenset(token.term for token in content_words(text, language))
