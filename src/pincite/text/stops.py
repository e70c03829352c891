"""Whether a sentence ends at a stop: short forms, numbers, initials and quotations are looked at.

Everything here reads one line-joined piece of text in which every blank is a plain one.
"""

from __future__ import annotations

import re

from pincite.text.words import stop_words

# Stops that end a sentence whether or not a blank follows. Source: Unicode property Sentence_Terminal,
# the members of scripts that write no blank after them, and the danda, Arabic, Ethiopic and Armenian stops.
HARD_STOPS = "。！？．｡؟۔।॥።፧။។៕։‼⁇⁈⁉"
STOPS = ".!?…" + HARD_STOPS
GREEK_QUESTION_MARKS = (";", "\u037e")
CLOSERS = "\"'”’“‘»›)]}）］｝」』】〉》〕*_"
OPENERS = "\"'“‘„‚«‹([{（［｛「『【〈《〔*_¿¡`"

# Short forms after which a sentence goes on, casefolded, without the final stop; written with their inner blanks
# as "_". Source: by hand, from the usual lists of abbreviations of each language.
NEVER_LAST = frozenset(
    """
    av avda ctra dhr mevr mw dr mr mrs ms messrs prof st sr jr gen col capt lt sgt rev hon gov sen rep mme mlle mgr sra srta dra drs ing dipl
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
    oct nov dec kl tlf rz anm jg sp
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

# What is counted by an ordinal with a stop, "1. OG rechts", written so in texts of any language: floors of German
# addresses. Source: DIN 5008 and the usual forms, by hand.
FLOORS = frozenset(
    "og ug dg eg zg obergeschoss obergeschoß untergeschoss untergeschoß dachgeschoss stiege stg".split()
)

# The same for one language: nouns with a capital that an ordinal stands before even with no article.
# Source: by hand; nouns that a number rather follows ("Haus 5.") are left out.
COUNTED = {
    "de": frozenset(
        """
        stock stockwerk geschoss geschoß etage quartal halbjahr semester trimester jahrhundert jahrtausend weltkrieg
        auflage ausgabe platz rang liga bundesliga klasse mahnung rate änderung nachtrag lesung instanz jahrgang
        schuljahr lehrjahr lebensjahr geburtstag hälfte halbzeit runde spieltag obergeschosses tag woche monat jahr
        """.split()
    ),
    "cs": frozenset("np pp".split()),
    "sk": frozenset("np pp".split()),
    "tr": frozenset("dünya kat bölge dönem madde lig".split()),
    "da": frozenset("verdenskrig tv th".split()),
}
# Before these the number belongs to the word in front: "Kapitel 5.", "Haus 5.". Source: by hand.
NUMBERED = frozenset(
    """
    kapitel abschnitt artikel haus nummer seite zimmer raum halle tor gleis regel punkt schritt teil band tabelle
    abbildung platz stock etage frage absatz paragraph gate linie version variante typ
    """.split()
)

# Labels of notes in reference marks. Source: encyclopedias in the languages of the lexicons, by hand.
NOTE = r"(?:notes?|nb|n|fn|anm\.?|nota|lower-alpha|upper-alpha|注釈|註|注|прим\.?|ملاحظة|टिप्पणी)"
# What else such a mark may say.
MISSING = r"(?:citation needed|clarification needed|when\?|who\?)"
PAGES = re.compile(r": ?\d{1,4}(?:[\u2013-]\d{1,4})?(?=\s|\Z)")
"""Pages as they follow a mark: "[26]: 12"."""
AFTER_STOP = re.compile(
    rf"(?:\[(?:\d{{1,3}}(?:[,\u2013-] ?\d{{1,3}}){{0,4}}|[a-z]|{NOTE} ?\d{{1,3}}|{MISSING})\](?!\()(?:{PAGES.pattern})?)+",
    re.IGNORECASE,
)
"""Reference marks of a text's own, "[26][note 3]", as they are glued to the stop of the sentence they belong to."""

# What follows a quotation and belongs to its sentence. Source: particles of Japanese, verbs of saying in Chinese.
AFTER_QUOTE = re.compile(
    r"[とってのはがをにもでや、，]|.{0,8}?[说說道问問答喊写寫]|.{0,6}?(?:表示|认为|認為|指出|补充|補充)"
)

_NEVER, _MAYBE = "never", "maybe"
_FORMS = {**dict.fromkeys(MAYBE_LAST, _MAYBE), **dict.fromkeys(NEVER_LAST, _NEVER)}
_LONGEST_PLAIN_FORM = max(len(form) for form in _FORMS if form.isalpha())
_HARD = frozenset(HARD_STOPS)
_CODE_OR_QUOTE = frozenset('"“„«`*')
_OPENERS = frozenset(OPENERS)
_MARKS_LAST = re.compile(rf"(?<=[{re.escape(STOPS + CLOSERS)}]){AFTER_STOP.pattern}\Z", re.IGNORECASE)
_TOKEN = re.compile(r"([^\s(\[{\"“„«'‘*_/]+)\Z")
_WORD_BEFORE = re.compile(r"(\w+)\s\d{1,3}\Z")
# Units of one small letter after their number: "at 2,137 m". Source: SI, by hand; "5 f." and "2 p." are references.
_UNIT_LAST = re.compile(r"\d[ \u00a0]?[mglsht]\Z")
_DATE_REST = re.compile(r"\d{1,2}\.(?:\s?\d{2,4})?(?!\d)")
_NUMBERING = re.compile(r"\d{1,2}\. [^\W\d_]")
_FIRST_WORD = re.compile(r"[^\W_]+")
_INITIAL = re.compile("[\u05d0-\u0dff]")  # one letter of a script without capitals, from Hebrew to Sinhala
# “ closes a German quotation, but opens a Chinese one.
_STOP = re.compile(
    rf"[{re.escape(STOPS)}]+[{re.escape(CLOSERS.replace('“', '').replace('‘', ''))}]*(?:[“‘]+(?=\s|\Z))?"
)


def possible_ends(piece: str) -> dict[int, bool]:
    """Starts of possible sentences after stops that a splitter may pass over -> whether the stop always ends one.

    Those are the stops of scripts that need no blank; stops with closing marks; ``!``, ``?`` and ``…``; and full stops
    after "etc.", before code and quotations, between a word and a number, and in texts without capitals.
    """
    caseless = piece == piece.lower()
    out: dict[int, bool] = {}
    quotes, counted = 0, 0
    for match in _STOP.finditer(piece):
        run, end = match.group(), match.end()
        marks = AFTER_STOP.match(piece, end)
        if marks is not None:
            end = marks.end()
        if not _HARD.isdisjoint(run):
            quotes, counted = quotes + piece.count('"', counted, match.start()), match.start()
            if marks is None and run.endswith('"') and quotes % 2 == 0:
                end -= 1  # nothing is open: the mark begins a quotation
            out[skip_blanks(piece, end)] = True
        elif end < len(piece) and piece[end] == " ":
            start = skip_blanks(piece, end)
            if marks is not None:
                likely = True
            elif run == ".":
                likely = caseless or _may_be_missed(piece, match.start(), start)
            else:
                glued = run[0] != "…" or piece[match.start() - 1 : match.start()].isalnum()
                likely = glued and (caseless or not piece[start : start + 1].islower())
            if likely:
                out.setdefault(start, False)
    return out


def _may_be_missed(piece: str, stop: int, start: int) -> bool:
    following = piece[start : start + 1]
    if following.isdigit():
        # What closes an emphasis or a name of a button stands before the stop too: "`Start`. 2. Wait".
        bare = piece[max(0, stop - 40) : stop].rstrip(CLOSERS + "`")
        found = _TOKEN.search(bare)
        token = found.group(1).lstrip(OPENERS).replace("-", "") if found else ""
        if not token.isalpha():
            return False
        return len(token) > 3 or (token.islower() and _is_numbering(piece[start : start + 40]))
    if following.isupper() and _UNIT_LAST.search(piece, max(0, stop - 8), stop):
        return True
    return following in _OPENERS or _kind_of_short(piece[max(0, stop - 24) : stop]) == _MAYBE


def _is_numbering(after: str) -> bool:
    """Whether "2. Press" follows, and no date."""
    word = _FIRST_WORD.search(after, 2) if _NUMBERING.match(after) else None
    return word is not None and word.group()[0].isupper() and word.group().casefold() not in MONTHS


def skip_blanks(piece: str, at: int) -> int:
    while at < len(piece) and piece[at] == " ":
        at += 1
    return at


def ends_here(piece: str, first: int, start: int, code: str, *, hard: bool, shown: bool) -> bool:
    """Whether a sentence that began at ``first`` ends before ``start``.

    Args:
        code: Language of the text.
        hard: The stop always ends a sentence, unless a quotation goes on.
        shown: Something (a marker that stood here) says that one may end.
    """
    marked = piece[max(first, start - 80) : start].rstrip()
    before = _without_marks(marked)
    after = piece[start : start + 40]
    if len(before) < len(marked) and not hard and (piece[start - 1] != " " or PAGES.match(after)):
        return False  # "[26]: 12", "[1](plan.png)"
    if hard:
        return not (before[-1:] in ("」", "』", "”", '"') and AFTER_QUOTE.match(after))
    bare = before.rstrip(CLOSERS)
    if code == "el" and bare[-1:] in GREEK_QUESTION_MARKS:
        return True
    if not bare or bare[-1] not in STOPS:
        return False
    closed = len(bare) < len(before)
    begins = after.lstrip(OPENERS)[:2]
    lower = begins[:1].islower() and not begins[1:2].isupper() and after[:1] != "`"
    if bare[-1] in "!?":
        return not (lower and closed)
    if bare[-1] != "." or closed or bare.endswith(".."):
        return not lower
    return _full_stop_ends(piece, first, bare[:-1], after, code, lower=lower, shown=shown)


def _without_marks(before: str) -> str:
    """Without the reference marks behind its stop: "ducks.[26][27]"."""
    marks = _MARKS_LAST.search(before)
    return before[: marks.start()] if marks else before


def _full_stop_ends(
    piece: str, first: int, before: str, after: str, code: str, *, lower: bool, shown: bool
) -> bool:
    found = _TOKEN.search(before)
    token = found.group(1) if found else ""
    if token.isdigit():
        return _number_ends(before, token, after, code, shown=shown and not lower)
    kind = _kind_of_short(before, token)
    if kind == _NEVER:
        return False
    if after[:1].isdigit() or after[:1] in ("§", "#"):
        if token.casefold() in NUMBER_LABELS or token.endswith("str"):
            return False
    elif lower and piece[first : first + 200] != piece[first : first + 200].lower():
        return False
    if len(token) == 1 and (token.isupper() or _INITIAL.match(token)):
        return _opens(after, code) or (shown and not lower)
    if kind == _MAYBE and token.casefold() != "no":
        return _opens(after, code) or (shown and not lower) or after[:1] in _CODE_OR_QUOTE
    return True


def _opens(after: str, code: str) -> bool:
    """Whether a function word with a capital follows: "The", "Il", "Sie"."""
    found = _FIRST_WORD.search(after)
    word = found.group() if found else ""
    return word[:1].isupper() and word.casefold() in stop_words(code)


def _number_ends(before: str, token: str, after: str, code: str, *, shown: bool) -> bool:
    found = _FIRST_WORD.search(after)
    word = found.group() if found else ""
    if not before[: -len(token)].strip(OPENERS + " "):
        return False  # "1." alone numbers what follows
    if len(token) <= 2 and (word.casefold() in MONTHS or _DATE_REST.match(after)):
        return False
    if len(token) <= 2 and word[:1].isupper() and not shown and _is_counted(before, word, after, code):
        return False
    if code == "de" and word[:1].isupper() and not shown and not _opens(after, code):
        led = _WORD_BEFORE.search(before)
        return led is None or led.group(1).casefold() not in BEFORE_ORDINAL
    return not word[:1].islower()


def _is_counted(before: str, word: str, after: str, code: str) -> bool:
    """Whether ``word`` is what the number before it counts: "2. OG", "1. Quartal", but not "Kapitel 5. Platz"."""
    if not after.startswith(word):
        return False
    if word.casefold() in FLOORS:
        return True
    led = _WORD_BEFORE.search(before)
    numbered = led is not None and led.group(1).casefold() in NUMBERED
    return word.casefold() in COUNTED.get(code, ()) and not numbered


def _kind_of_short(before: str, token: str = "") -> str | None:
    """What ``before`` (without its final stop) ends in: a form that is never or perhaps the last word, or neither."""
    last = token or before[before.rfind(" ") + 1 :]
    if len(last) > _LONGEST_PLAIN_FORM and last.isalpha():
        return None
    parts = before[-32:].casefold().split()[-3:]
    for count in range(1, len(parts) + 1):
        kind = _FORMS.get("_".join(parts[-count:]).lstrip(OPENERS))
        if kind is not None:
            return kind
    return None
