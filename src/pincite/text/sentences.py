"""Sentences of a text, as spans.

A text is cut into blocks, each block into runs of lines that belong together, each run by `sentencex`; then our own
rules take back cuts after short forms and ordinals and add the cuts it misses. Spans are code points of the text as
given. White space and the signs of Markdown blocks (bullets, hashes, table rules) are in no sentence; all else is.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator
from itertools import pairwise

from sentencex import get_sentence_boundaries

from pincite.text.blocks import Block, BlockKind, blocks, trimmed
from pincite.text.words import detect_language, stop_words
from pincite.types import Span

__all__ = ["Block", "BlockKind", "blocks", "split_sentences"]

# --- data ---------------------------------------------------------------------------------------

# Stops that end a sentence whether or not a blank follows. Source: Unicode property Sentence_Terminal,
# the members of scripts that write no blank after them, and the danda, Arabic, Ethiopic and Armenian stops.
HARD_STOPS = "。！？．｡؟۔।॥።፧။។៕։‼⁇⁈⁉"
STOPS = ".!?…" + HARD_STOPS
GREEK_QUESTION_MARKS = (";", "\u037e")
CLOSERS = "\"'”’»›)]}）］｝」』】〉》〕*_"
OPENERS = "\"'“‘„‚«‹([{（［｛「『【〈《〔*_¿¡`"

# Short forms after which a sentence goes on, casefolded, without the final stop; written with their inner blanks
# as "_". Source: by hand, from the usual lists of abbreviations of each language.
NEVER_LAST = frozenset(
    """
    dr mr mrs ms messrs prof st sr jr gen col capt lt sgt rev hon gov sen rep mme mlle mgr sra srta dra drs ing dipl
    hr fr frl mag sig sig.ra dott avv geom ecc.mo mons dña d.ª exmo exma
    e.g i.e e._g i._e cf viz approx vs resp incl excl ca c.a circa esp
    z.b z._b d.h d._h u.a u._a i.d.r i._d._r s.o s.u o.ä m.e bzw ggf vgl inkl exkl evtl zzgl abzgl gem lt bspw sog
    p.ej p._ej p.ex p._ex por_ej aprox máx mín env p._es p.es es. bijv bv d.w.z o.a t.o.v m.b.t i.v.m
    bl.a bl._a t.ex t._ex t.eks f.eks f._eks dvs pga
    т.е т._е т.к т._к т.н т._н т.о т._о напр им ул просп пер тов акад
    tzn tj np m.in m._in ew tzv např mj fl
    डॉ श्री प्रो
    """.split()
)

# Labels that a number follows: "No. 5", "Abs. 2", "p. 5". Elsewhere the same letters may end a sentence.
NUMBER_LABELS = frozenset(
    """
    no nos nr nrs núm num n nº p pp pg pág págs pag s ss seite fig figs abb tab tbl art arts abs ziff rn kap ch chap sec
    sect § vol vols bd ed eq eqs gl app anh anl st stk par paras para ex bsp v vers ver rev lit cl cap с стр рис табл ст
    гл п пп № д кв г čl č odst str poz ust tel fax ext min max approx ca env aprox mr jan feb mar apr jun jul aug sep sept
    oct nov dec
    """.split()
)

# Short forms that may stand last: the next word decides (a function word with a capital begins a sentence).
MAYBE_LAST = frozenset(
    """
    inc ltd co corp llc plc gmbh ag bros dept est etc usw u.s.w ecc osv m.m enz i.t.d и_т._д и_т._п и_др
    a.m p.m a._m p._m u.s u.k e.u u.n u.s.a d.c ph.d b.c a.d no ft lb lbs oz in hr hrs sec min al jr sr bl
    """.split()
)

# Names of months and their short forms, for ordinals in dates. Source: by hand, languages that write "5. May".
MONTHS = frozenset(
    """
    januar jänner februar feber märz april mai juni juli august september oktober november dezember jan feb mär apr jun
    jul aug sep sept okt nov dez januari februari maj juni juli augusti oktober december januar februar marts
    mars desember ledna února března dubna května června července srpna září října listopadu prosince
    stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
    januára februára apríla mája júna júla augusta septembra októbra novembra decembra
    január február március április május június július augusztus szeptember október november december
    tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta
    marraskuuta joulukuuta januara februara aprila augusta ocak şubat mart nisan mayıs haziran temmuz ağustos eylül
    ekim kasım aralık
    """.split()
)

# Words before an ordinal: "am 3. Tag", "der 2. Weltkrieg". Source: German articles and prepositions.
BEFORE_ORDINAL = frozenset(
    """
    der die das dem den des am im vom zum zur beim ab bis seit und oder jeder jede jedes jeden jedem diesem dieser ihrem
    seinem ihrer seiner ihren seinen unser unsere ein eine einem einer kein erst ins
    """.split()
)

# What follows a quotation and belongs to its sentence. Source: particles of Japanese, verbs of saying in Chinese.
AFTER_QUOTE = re.compile(
    r"[とってのはがをにもでや、，]|.{0,8}?[说說道问問答喊写寫]|.{0,6}?(?:表示|认为|認為|指出|补充|補充)"
)

WINDOW_CHARS = 2_000
"""How much `sentencex` is given at once: on floods of quotation marks its time grows with the square."""

PHRASES_CHARS = 90
MAX_PHRASES_CHARS = 300
"""Thai and Lao write no stops: phrases are joined up to about 90 characters, and cut at 300 wherever that is."""

WRAP_CHARS = 40
DENSE_WRAP_CHARS = 20
"""Lines shorter than this (the second for scripts without blanks) are no wrapped text."""

_EXTRA = re.compile(
    rf"[{HARD_STOPS}]+[{re.escape(CLOSERS)}]*"
    rf"|(?<![.!?…])[.!?…]+[)\]”»’\"]+(?=\s)"
    r"|(?<=\w)…+(?=\s)"
    r"|[!?](?=\s)"
    r"|(?<=\w)\.(?=\s)"
)
_TAIL = re.compile(rf"[{re.escape(STOPS)}]+[{re.escape(CLOSERS)}]*\s*\Z")
_WORD = re.compile(r"[^\W_]")
_TOKEN = re.compile(r"([^\s(\[{\"“„«'‘*_/]+)\Z")
_ORDINAL = re.compile(r"(?:(\w+)\s)?(\d{1,3})\Z")
_DATE_REST = re.compile(r"\d{1,2}\.(?:\s?\d{2,4})?(?!\d)")
_FIRST_WORD = re.compile(r"[^\W_]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
# sentencex reckons with blanks of one byte: it panics at others (1.0.32, Japanese, a no-break space before a stop).
_BLANKS = str.maketrans(
    dict.fromkeys(
        "\n\r\f\t\v\x1c\x1d\x1e\x1f\x85\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
        "\u2028\u2029\u202f\u205f\u3000",
        " ",
    )
)
_LINE = re.compile(r"[^\n\r\f\u2028\u2029]+")
_PHRASE = re.compile(r"\S+")
_NO_STOPS = re.compile("[\u0e01-\u0eff]")
_DENSE = re.compile("[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


def split_sentences(
    text: str, *, language: str | None = None, ends: Collection[int] = ()
) -> tuple[Span, ...]:
    """The sentences of ``text``, in order, without overlap or white space at their ends.

    Headings, list items and table rows are sentences whether or not they have a stop; a code fence is one.

    Args:
        text: Plain or Markdown text.
        language: Two-letter code, or ``None`` to guess it.
        ends: Places in ``text`` where something shows that a sentence may end, such as a marker that stood there.
            They count only after a stop, and in scripts without stops.

    Returns:
        Spans in ``text``. They lose nothing but white space, bullets and the like.

    >>> text = "Ask for Dr. Ames at dock No. 5. Bring 2.5 kg.\\n- No dogs"
    >>> [span.of(text) for span in split_sentences(text)]
    ['Ask for Dr. Ames at dock No. 5.', 'Bring 2.5 kg.', 'No dogs']
    """
    code = language or detect_language(text) or "en"
    shown_ends = sorted(ends)
    out: list[Span] = []
    for block in blocks(text):
        if block.kind in (BlockKind.CODE, BlockKind.TABLE_ROW, BlockKind.HEADING):
            out.append(block.body)
        elif block.kind not in (BlockKind.RULE, BlockKind.TABLE_RULE):
            for run in _runs(text, block.body):
                out += _sentences(text, run, code, shown_ends)
    return tuple(span for span in out if len(span))


def _runs(text: str, body: Span) -> Iterator[Span]:
    """Lines that belong together: a line break where the next word still had room was meant."""
    lines = [Span(*m.span()) for m in _LINE.finditer(text, body.start, body.end)]
    dense = bool(_DENSE.search(text, body.start, body.end))
    width = max([len(line) for line in lines] + [DENSE_WRAP_CHARS if dense else WRAP_CHARS])
    start = body.start
    for line, below in pairwise(lines):
        first, next_text = text[line.start : line.end].rstrip(), below.of(text).lstrip()
        word = 1 if dense else len(next_text.split(maxsplit=1)[0]) if next_text else 0
        roomy = len(first) + 1 + word <= width
        if next_text and roomy and _may_begin(next_text) and not first.endswith((",", "，", "、", "-")):
            yield trimmed(text, start, line.end)
            start = below.start
    yield trimmed(text, start, body.end)


def _may_begin(text: str) -> bool:
    first = text.lstrip(OPENERS + " ")[:1]
    return bool(first) and not first.islower()


# --- one run of lines ---------------------------------------------------------------------------


def _sentences(text: str, run: Span, code: str, ends: list[int]) -> list[Span]:
    piece = _SURROGATE.sub("\ufffd", run.of(text)).translate(_BLANKS)
    caseless = not any(map(str.isupper, piece))
    inner = ends[bisect_right(ends, run.start) : bisect_left(ends, run.end)]
    shown = {end - run.start for end in inner}
    candidates = dict.fromkeys(_boundaries(piece, code), False)
    for match in _EXTRA.finditer(piece):
        mark = match.group()[0]
        start = _skip_blanks(piece, match.end())
        if mark in HARD_STOPS:
            candidates[start] = True
        elif match.group() == ".":
            if caseless or _was_maybe_last(piece, match.start()):
                candidates.setdefault(start, False)
        elif caseless or not piece[start : start + 1].islower():
            candidates.setdefault(start, False)
    marked = {_skip_blanks(piece, end) for end in shown if _TAIL.search(piece, max(0, end - 12), end)}
    for start in marked:
        candidates.setdefault(start, False)
    cuts = [0]
    for start in sorted(candidates):
        if cuts[-1] < start < len(piece) and _ends_here(
            piece, cuts[-1], start, code, hard=candidates[start], shown=start in marked
        ):
            cuts.append(start)
    cuts.append(len(piece))
    out: list[Span] = []
    for start, end in pairwise(cuts):
        for part in _phrases(piece, start, end, shown):
            span = trimmed(piece, part.start, part.end).shift(run.start)
            if out and not _WORD.search(text, span.start, span.end):
                out[-1] = Span(out[-1].start, max(out[-1].end, span.end))  # a stray stop or bracket
            elif len(span):
                out.append(span)
    return out


def _boundaries(piece: str, code: str) -> Iterator[int]:
    """Where `sentencex` starts sentences, window by window; the last sentence of a window is read again."""
    at = 0
    while at < len(piece):
        window = piece[at : at + WINDOW_CHARS]
        inner = [start for start in _starts(window, code) if start > 0]
        last_window = at + WINDOW_CHARS >= len(piece)
        for start in inner:
            yield _skip_blanks(piece, at + start)
        if last_window:
            return
        at += inner[-1] if inner else WINDOW_CHARS


def _starts(window: str, code: str) -> list[int]:
    try:
        return [int(found["start_index"]) for found in get_sentence_boundaries(code, window)]
    except BaseException as panic:
        # A panic of the Rust code is no Exception. Our own rules still cut; a document must not end the process.
        if type(panic).__name__ != "PanicException":
            raise
        return []


def _skip_blanks(piece: str, at: int) -> int:
    while at < len(piece) and piece[at].isspace():
        at += 1
    return at


def _ends_here(piece: str, first: int, start: int, code: str, *, hard: bool, shown: bool) -> bool:
    """Whether a sentence that began at ``first`` ends before ``start``; ``shown``: a marker says that it may."""
    before = piece[max(first, start - 80) : start].rstrip()
    after = piece[start : start + 40]
    if hard:
        # A quotation that ends in a stop may stand inside a sentence.
        return not (before[-1:] in "」』”" and AFTER_QUOTE.match(after))
    bare = before.rstrip(CLOSERS)
    if code == "el" and bare[-1:] in GREEK_QUESTION_MARKS:
        return True
    if not bare or bare[-1] not in STOPS:
        return False
    closed = len(bare) < len(before)
    begins = after.lstrip(OPENERS)[:2]
    lower = begins[:1].islower() and not begins[1:2].isupper()
    if bare[-1] in "!?":
        return not (lower and closed)
    if bare[-1] != ".":
        return not lower
    if closed:
        return not lower
    return _full_stop_ends(piece, first, bare[:-1], after, code, lower=lower, shown=shown)


def _full_stop_ends(
    piece: str, first: int, before: str, after: str, code: str, *, lower: bool, shown: bool
) -> bool:
    token_match = _TOKEN.search(before)
    token = token_match.group(1) if token_match else ""
    word_match = _FIRST_WORD.search(after)
    word = word_match.group() if word_match else ""
    opens = (shown and not lower) or (word.casefold() in stop_words(code) and word[:1].isupper())
    if before.endswith("."):  # "Wait... what", "Then... The"
        return not lower
    if token.isdigit():
        return _number_ends(piece, first, before, token, after, word, code, opens=opens)
    if _is_short(before, NEVER_LAST):
        return False
    if token.casefold().rstrip(".") in NUMBER_LABELS and (after[:1].isdigit() or after[:1] in "§#"):
        return False
    if lower and any(map(str.isupper, piece[first : first + 200])):
        return False
    if len(token) == 1 and token.isupper() and token.isalpha():
        return opens
    if _is_short(before, MAYBE_LAST) and token.casefold() != "no":
        return opens or after[:1] in OPENERS
    return True


def _number_ends(
    piece: str, first: int, before: str, token: str, after: str, word: str, code: str, *, opens: bool
) -> bool:
    if not before[: -len(token)].strip(OPENERS + " ") and first + len(token) + 4 > len(
        piece[: first + len(before)]
    ):
        return False  # "1." alone numbers what follows
    if word.casefold() in MONTHS and len(token) <= 2:
        return False
    if len(token) <= 2 and _DATE_REST.match(after):
        return False
    found = _ORDINAL.search(before)
    if code == "de" and found and word[:1].isupper() and not opens:
        return (found.group(1) or "").casefold() not in BEFORE_ORDINAL
    return not word[:1].islower()


def _is_short(before: str, forms: frozenset[str]) -> bool:
    """Whether ``before`` (without its final stop) ends in one of ``forms``; their "_" is a blank."""
    parts = before.casefold().split()[-3:]
    return any("_".join(parts[-n:]).lstrip(OPENERS) in forms for n in range(1, len(parts) + 1))


def _was_maybe_last(piece: str, stop: int) -> bool:
    return _is_short(piece[max(0, stop - 20) : stop], MAYBE_LAST)


# --- scripts without stops ----------------------------------------------------------------------


def _phrases(piece: str, start: int, end: int, shown: set[int]) -> list[Span]:
    """Thai and Lao: runs of phrases between blanks, ended by ``shown`` places or by length."""
    if not _NO_STOPS.search(piece, start, end):
        return [Span(start, end)]
    letters = sum(map(str.isalpha, piece[start:end]))
    if len(_NO_STOPS.findall(piece, start, end)) * 2 < letters:
        return [Span(start, end)]
    cuts = [start]
    for match in _PHRASE.finditer(piece, start, end):
        at = match.start()
        long_enough = (
            at - cuts[-1] >= PHRASES_CHARS
            and _NO_STOPS.match(piece, at)
            and not piece[at - 2 : at - 1].isdigit()
        )
        if at > cuts[-1] and (
            long_enough or any(shown_at in shown for shown_at in range(max(0, at - 2), at + 1))
        ):
            cuts.append(at)
        while match.end() - cuts[-1] > MAX_PHRASES_CHARS:
            cuts.append(max(at, cuts[-1] + MAX_PHRASES_CHARS) if at <= cuts[-1] + MAX_PHRASES_CHARS else at)
    return [Span(a, b) for a, b in zip(cuts, [*cuts[1:], end], strict=False)]
