"""Prompts and fixed sentences, as data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Formatter, Template

FALLBACK_LANGUAGE = "en"

FEEDBACK = "Your citation for claim {claim} was not found in {id}. Either fix the quote or remove the claim."
"""What the one retry says of each failed statement (source 004, word for word)."""


@cache
def _read(name: str) -> str:
    return (files(__name__) / name).read_text(encoding="utf-8")


def fill(name: str, **values: str) -> str:
    """The prompt of that name (``answer``, ``wrapped``, ``native``, ``revise``, ``judge``) with its ``$placeholders`` filled in.

    Raises:
        KeyError: If a placeholder has no value.
    """
    return Template(_read(f"{name}.md")).substitute(values)


@cache
def fingerprint() -> str:
    """SHA-256 (16 hex digits) over all prompts, schemas and fixed sentences: stored with each answer."""
    names = sorted(one.name for one in files(__name__).iterdir() if one.name.endswith((".md", ".json")))
    joined = "\0".join(_read(name) for name in names)
    return hashlib.sha256(joined.encode()).hexdigest()[:16]


@cache
def schema(name: str) -> Mapping[str, object]:
    """The JSON schema of a reply: ``answer`` or ``judge``. Not to be changed."""
    found: dict[str, object] = json.loads(_read(f"{name}.schema.json"))
    return found


@cache
def _phrases() -> dict[str, dict[str, str]]:
    phrases: dict[str, dict[str, str]] = json.loads(_read("phrases.json"))
    return phrases


def phrase(name: str, language: str | None) -> str:
    """A fixed sentence in ``language``, its region left aside; in English where there is none.

    >>> phrase("no_information", "de-AT")
    'Die Quellen beantworten diese Frage nicht.'
    """
    by_language = _phrases()[name]
    code = (language or FALLBACK_LANGUAGE).replace("_", "-").partition("-")[0].lower()
    return by_language.get(code, by_language[FALLBACK_LANGUAGE])


_TOLD = ("warning.", "note.", "conflict.")
"""What an answer keeps in English, for programs, and readers see in the language of the answer."""


def in_language(sentence: str, language: str | None) -> str:
    """A warning, note or disagreement of an answer in ``language``; anything else as it is.

    What fills a placeholder stays as it was. Linear in the length of ``sentence``.

    >>> in_language("The model's reply broke off: no route", "de"), in_language("Else.", "de")
    ('Der Text des Modells brach ab: no route', 'Else.')
    """
    for name, by_language in _phrases().items():
        if name.startswith(_TOLD):
            values = _filled(by_language[FALLBACK_LANGUAGE], sentence)
            if values is not None:
                return phrase(name, language).format(**values)
    return sentence


_END = "\0"


def _filled(template: str, sentence: str) -> dict[str, str] | None:
    """What stands in ``sentence`` for each placeholder of ``template``; ``None`` when it is another sentence.

    >>> _filled("{number} of {all}.", "3 of 10."), _filled("{number} of {all}.", "3 of 10!")
    ({'number': '3', 'all': '10'}, None)
    """
    if _END in sentence:
        return None
    sentence += _END
    at, name, values = 0, "", {}
    for literal, following, *_ in Formatter().parse(template + _END):
        stop = sentence.find(literal, at)
        if stop < 0 or (stop > 0 and not name):
            return None
        if name:
            values[name] = sentence[at:stop]
        at, name = stop + len(literal), following or ""
    return values


def phrase_in_every_language(name: str) -> tuple[str, ...]:
    """The fixed sentence of that name in each language there is."""
    return tuple(_phrases()[name].values())
