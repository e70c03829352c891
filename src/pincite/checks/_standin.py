"""Thin stand-ins until the text modules are in place."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import snowballstemmer

from pincite.text.lexicon import load_lexicon
from pincite.types import Span

_STEMMERS = {"en": "english", "de": "german", "es": "spanish", "fr": "french", "ar": "arabic", "hi": "hindi"}
STOP = frozenset(
    "a an the of to in on at by for from with and or but as is are was were be been being am do does did have has had "
    "it its this that these those there their they he she his her him them we our you your i my me us who which what "
    "when where while how than then so such also into over about between through during if s t re ve ll d m "
    "will would can could may might shall should must not no nor n't only just very more most some any all each".split()
)


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    term: str
    span: Span


def _unspaced(char: str) -> bool:
    code = ord(char)
    return (
        0x2E80 <= code <= 0x9FFF
        or 0xAC00 <= code <= 0xD7AF
        or 0x0E00 <= code <= 0x0EFF
        or 0x20000 <= code <= 0x3FFFF
    )


@lru_cache(maxsize=8)
def _stemmer(language: str):  # type: ignore[no-untyped-def]
    return snowballstemmer.stemmer(_STEMMERS[language]) if language in _STEMMERS else None


@lru_cache(maxsize=50_000)
def _stem(word: str, language: str) -> str:
    stemmer = _stemmer(language)
    return stemmer.stemWord(word) if stemmer else word


def words(text: str, language: str | None, shift: int = 0) -> tuple[Word, ...]:
    out: list[Word] = []
    i, n = 0, len(text)
    while i < n:
        c = text[i]
        if _unspaced(c):
            j = i
            while j < n and _unspaced(text[j]) and text[j].isalnum():
                j += 1
            if j == i:
                i += 1
                continue
            if j - i == 1:
                out.append(Word(text[i], text[i], Span(i, j)))
            for k in range(i, j - 1):
                out.append(Word(text[k : k + 2], text[k : k + 2], Span(k, k + 2)))
            i = j
        elif c.isalnum():
            j = i
            while (
                j < n
                and (
                    text[j].isalnum()
                    or unicodedata.category(text[j])[0] == "M"
                    or (text[j] in ".,:/" and c.isdigit() and j + 1 < n and text[j + 1].isdigit())
                )
                and not _unspaced(text[j])
            ):
                j += 1
            raw = unicodedata.normalize("NFKC", text[i:j]).casefold()
            out.append(Word(raw, raw if raw[0].isdigit() else _stem(raw, language or "en"), Span(i, j)))
            i = j
        else:
            i += 1
    return tuple(Word(w.text, w.term, w.span.shift(shift)) for w in out) if shift else tuple(out)


def detect_language(text: str) -> str | None:
    for c in text:
        if "\u3040" <= c <= "\u30ff":
            return "ja"
        if "\uac00" <= c <= "\ud7af":
            return "ko"
    for c in text:
        if "\u4e00" <= c <= "\u9fff":
            return "zh"
        if "\u0600" <= c <= "\u06ff":
            return "ar"
        if "\u0900" <= c <= "\u097f":
            return "hi"
    low = f" {text.casefold()} "
    best = ("en", 0)
    for language, cues in {
        "en": " the of and is are to in ",
        "de": " der die das und ist nicht mit ein ",
        "es": " el la los de que es no un una ",
        "fr": " le la les des est et un une dans ",
    }.items():
        count = sum(low.count(f" {cue} ") for cue in cues.split())
        if count > best[1]:
            best = (language, count)
    return best[0] if best[1] else None


_END = re.compile(r"[.!?](?=\s|$)|[。！？]|।|؟|\n")


def split_sentences(text: str) -> tuple[Span, ...]:
    out: list[Span] = []
    start = 0
    ends = [match.end() for match in _END.finditer(text)] + [len(text)]
    for end in ends:
        a, b = start, end
        while a < b and text[a].isspace():
            a += 1
        while b > a and text[b - 1].isspace():
            b -= 1
        if a < b:
            out.append(Span(a, b))
        start = end
    return tuple(out)


# --- facts

_KOREAN = {"not": ["않", "아니", "없", "못하", "못한", "못했", "안 ", "말아야", "불가"]}


@lru_cache(maxsize=16)
def _phrases(language: str):
    table = {}
    for kind, name in (("quantifier", "quantifiers"), ("modality", "modality"), ("negation", "negation")):
        for value, phrases in load_lexicon(name)["languages"].get(language, {}).items():
            for phrase in phrases:
                table[phrase.casefold()] = (kind, value)
    if language == "ko":
        for phrase in _KOREAN["not"]:
            table[phrase] = ("negation", "not")
    if not table:
        return None
    spaced = language not in ("ja", "zh", "ko")
    body = "|".join(re.escape(p) for p in sorted(table, key=lambda p: (-len(p), p)))
    return table, re.compile(rf"(?<!\w)(?:{body})(?!\w)|n['’]t\b" if spaced else body, re.IGNORECASE)


def cue_facts(text: str, language: str | None = None):
    from pincite.checks.said import Fact
    made = _phrases(language or "en")
    if made is None:
        return
    table, pattern = made
    for match in pattern.finditer(text):
        low = match.group().casefold().replace("’", "'")
        kind, value = table.get(low, ("negation", "not"))
        if value in ("except", "unless"):
            kind = "condition"
        elif kind == "negation":
            value = "not"
        yield Fact(kind, match.group(), Span(*match.span()), value)
