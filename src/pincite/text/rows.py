"""Which columns of a table row answer a question, and what the short words of its header stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache
from itertools import pairwise

from pincite.text.dates import weekdays
from pincite.text.lexicon import base_language, load_lexicon
from pincite.text.passages import cells
from pincite.text.synonyms import groups_of
from pincite.text.words import content_words, fold, terms

# Written for this project: a column is named after a measure ("Weight", "Size") and asked for with another word ("How
# heavy", "How large"). First the words of headers, then those of questions.
_MEASURES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "en": (
        ("size", "large big"),
        ("weight", "heavy weigh"),
        ("length", "long"),
        ("duration period term", "long last take"),
        ("height", "high tall"),
        ("width", "wide"),
        ("depth", "deep"),
        ("age", "old"),
        ("speed", "fast"),
        ("distance", "far"),
        ("hours", "open"),
    ),
    "de": (
        ("größe", "groß"),
        ("gewicht", "schwer wiegt wiegen"),
        ("länge", "lang lange"),
        ("dauer frist", "lange lang dauert dauern"),
        ("höhe", "hoch"),
        ("breite", "breit"),
        ("tiefe", "tief"),
        ("alter", "alt"),
        ("entfernung", "weit"),
        ("öffnungszeiten servicezeiten zeiten", "offen geöffnet öffnet erreichbar"),
        ("preis kosten", "kostet kosten teuer"),
    ),
}
# Days as headers shorten them, Monday first; text in sentences is not read so ("so", "do", "mar" are words).
_SHORT_DAYS: Mapping[str, str] = {
    "en": "mo tu we th fr sa su",
    "de": "mo di mi do fr sa so",
    "es": "lun mar mié jue vie sáb dom",
    "fr": "lun mar mer jeu ven sam dim",
}
_UNTIL = frozenset(
    {"-", "\u2010", "\u2011", "\u2013", "\u2014", "~", "to", "through", "until", "bis", "a", "à", "au"}
)
_WORD = re.compile(r"[^\W\d_]+")
MAX_CELL_CHARS = 200
"""What is read of a cell to know what it is short for."""


def asked_columns(header: str, row: str, wanted: Set[str], language: str | None) -> str:
    """A table row as ``header: value`` pairs: its name and the columns that the question speaks of.

    The first column is the row's name. A column is kept when its header answers more of the words wanted than the
    others' do (as many: when more of them stand there just so), or when its cell has some. Without any such column all
    are kept. Empty cells go.

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
    >>> asked_columns("| Plan | Largest file | Files |", "| Plus | 9 MB | 5 |", {"larg", "file"}, "en")
    'Plan: Plus; Largest file: 9 MB'
    """
    names, values = cells(header), cells(row)
    kept = _kept(names, values, wanted, language)
    pairs = []
    for place, value in enumerate(values):
        name = names[place] if place < len(names) else ""
        if value and place in kept:
            pairs.append(f"{name}: {value}" if name else value)
    return "; ".join(pairs)


def names_a_column(header: str, wanted: Set[str], language: str | None) -> bool:
    """Whether a column beside the first is named by the words wanted.

    >>> names_a_column("| Plan | Price |", {"cost"}, "en"), names_a_column("| Plan | Price |", {"plan"}, "en")
    (True, False)
    """
    return any(_answered(name, wanted, language)[0] for name in cells(header)[1:])


def _kept(
    names: tuple[str, ...], values: tuple[str, ...], wanted: Set[str], language: str | None
) -> frozenset[int]:
    every = frozenset(range(len(values)))
    by_header = {
        place: _answered(names[place], wanted, language) for place in range(1, min(len(names), len(values)))
    }
    most = max(by_header.values(), default=(0, 0))
    asked = {place for place, count in by_header.items() if count == most and most[0]}
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


def _answered(name: str, wanted: Set[str], language: str | None) -> tuple[int, int]:
    """How many of the words wanted the name of a column answers, in any way and just as they are."""
    written = _terms(name, language)
    held = written | stands_for(name, language)
    groups = frozenset(group for term in sorted(written) for group in groups_of(term, language))
    answered = [term for term in wanted if term in held or not groups.isdisjoint(groups_of(term, language))]
    return len(answered), len(written & wanted)


def _terms(text: str, language: str | None) -> frozenset[str]:
    return frozenset(token.term for token in content_words(text, language))


# --- what short words stand for -------------------------------------------------------------------


def stands_for(cell: str, language: str | None) -> frozenset[str]:
    """Terms that a person may use for what a header (or a row's name) says in short: days, currencies, measures.

    >>> (
    ...     sorted(stands_for("Price, USD", "en") & {"dollar", "euro"}),
    ...     "larg" in stands_for("Largest file", "en"),
    ... )
    (['dollar'], True)
    >>> "tuesday" in stands_for("Mon-Fri", "en"), "samstag" in stands_for("Sa", "de")
    (True, True)
    >>> sorted(stands_for("Feeder", "en"))
    []
    """
    return frozenset(_meant(cell[:MAX_CELL_CHARS], language))


# Written for this project: the first part of German verbs that come apart.
_APART = re.compile(
    r"(ab|an|auf|aus|bei|durch|ein|fest|fort|frei|her|hin|los|mit|nach|statt|teil|um|vor|weg|weiter|zu|zuruck|zusammen)"
    r"ge(\w{3,})"
)


def verb_of(term: str, language: str | None) -> str:
    """The infinitive's term for that of a participle of a German verb that comes apart; else the term itself.

    >>> verb_of("abgestellt", "de"), verb_of("eingereicht", "de"), verb_of("gestellt", "de")
    ('abstell', 'einreich', 'gestellt')
    """
    found = _APART.fullmatch(term) if base_language(language) == "de" else None
    return f"{found[1]}{found[2].removesuffix('t')}" if found else term


def _meant(cell: str, language: str | None) -> Iterator[str]:
    code = base_language(language)
    for word in _WORD.findall(cell):
        low = fold(word)
        if word.isupper():
            yield from _currencies(code).get(low, ())
        yield from _measured(code).get(low, ())
        if code == "en" and low.endswith("est") and len(low) > 5:
            yield from _plain(low.removesuffix("est"), language)
    names = _days(code)
    for day in _days_in(cell, code):
        yield from names[day]


def _plain(start: str, language: str | None) -> Iterator[str]:
    """What an English superlative is made of: "larg", "heavi", "bigg"."""
    yield from terms(start, language)
    yield from terms(f"{start}e", language)
    if start[-1] == "i":
        yield from terms(f"{start[:-1]}y", language)
    elif start[-1] == start[-2]:
        yield from terms(start[:-1], language)


def _days_in(cell: str, code: str | None) -> tuple[int, ...]:
    """The weekdays of a cell, 1 (Monday) - 7, with those between: "Mon-Fri" are five."""
    found: list[tuple[int, int, int]] = []
    short = dict(zip(_SHORT_DAYS.get(code or "", "").split(), range(1, 8), strict=False))
    spoken = [(match.start(), match.end(), fold(match[0])) for match in _WORD.finditer(cell)]
    only_days = all(low in short or low in weekdays() or low in _UNTIL for _, _, low in spoken)
    for start, end, low in spoken:
        day = weekdays().get(low) or (short.get(low) if only_days else None)
        if day is not None:
            found.append((start, end, day))
    days = [day for _, _, day in found]
    for (_, end, first), (start, _, last) in pairwise(found):
        if cell[end:start].strip(" .").casefold() in _UNTIL:
            days += [(first - 1 + step) % 7 + 1 for step in range((last - first) % 7)]
    return tuple(dict.fromkeys(days))


@cache
def _days(code: str | None) -> Mapping[int, tuple[str, ...]]:
    """The terms of each weekday's names in a language."""
    listed = load_lexicon("months")["weekdays"].get(code or "", [[] for _ in range(7)])
    return {day: _terms_of(forms, code) for day, forms in enumerate(listed, start=1)}


@cache
def _currencies(code: str | None) -> Mapping[str, tuple[str, ...]]:
    """The terms of what currencies are called, by their codes: "usd" to those of "US dollars"."""
    return {
        name.removeprefix("money:").casefold(): _terms_of(by_language.get(code or "", ()), code)
        for name, by_language in load_lexicon("unit_words")["units"].items()
        if name.startswith("money:") and "/" not in name
    }


@cache
def _measured(code: str | None) -> Mapping[str, tuple[str, ...]]:
    return {
        fold(word): _terms_of(asked.split(), code)
        for named, asked in _MEASURES.get(code or "", ())
        for word in named.split()
    }


def _terms_of(forms: Iterable[str], code: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(token.term for form in forms for token in content_words(form, code)))
