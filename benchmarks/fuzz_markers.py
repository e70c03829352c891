"""Throw random and hostile answers at the sentence splitter and the marker parser for some seconds.

    python benchmarks/fuzz_markers.py [SECONDS] [SEED]

Prints what broke (an exception, a broken promise, or time that grows faster than the text) and exits with 1. Not part
of the tests: they check the same promises on fewer examples.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator

from pincite.text.blocks import blocks
from pincite.text.markers import parse_markers, print_markers, renumber
from pincite.text.sentences import split_sentences
from pincite.text.streaming import MarkerStream
from pincite.text.words import content_words, detect_language, terms, tokens, words

CONTEXTS = (
    ("1", "2", "3"),
    ("c-1", "c-2", "c-10"),
    ("Source 1", "Source 2"),
    ("doc-a-chunk-1", "Doc-B-chunk-2"),
    ("alpha", "beta"),
    (),
)
PIECES = (
    *"[]()［］【】〖〗{}*_`~$\\|#>-+.,;:!?…\"'“”«»„‘’/=<&^\n\r\f\t \u00a0\u2028\u200b\u00ad\ufeff\u0301\u0316\ue200\ue201\ue202\0",
    *"a1Zé9ßЖ中あ한ไद٣²\ud800🎈",
    *("[1]", "[c-1]", "[Source 2, page 5]", "【2†source】", "[[3]]", "[1-3]", "[c-1; c-2]", "(ID:2)", "(1)", "[^1]", "\\[1\\]", "¹"),
    *("\n\n", "\n- ", "\n1. ", "\n## ", "\n> ", "\n```\n", "\n| a | b |\n|---|---|\n", "**", "](http://x.y/z)", "[1]: http://x", "`x[1]`"),
    *("Dr. ", "e.g. ", "z. B. ", "No. 5 ", "am 29. Juli ", "U.S. ", "3.5 ", "Fees are low. ", "Is it? ", "价格是五元。", "はい」と", "ไทย ภาษา "),
)  # fmt: skip
FLOODS: tuple[tuple[str, Callable[[int], str]], ...] = (
    ("combining marks", lambda n: "a" + "\u0301\u0316" * (n // 2)),
    ("one long word", lambda n: "a" * n),
    ("opening brackets", lambda n: "[" * n),
    ("closing brackets", lambda n: "]" * n),
    ("nested brackets", lambda n: "[" * (n // 2) + "1" + "]" * (n // 2)),
    ("open markers", lambda n: "[1" * (n // 2)),
    ("markers", lambda n: "[1]" * (n // 3)),
    ("markers and blanks", lambda n: "x [1] " * (n // 6)),
    ("ranges", lambda n: "[1-99]" * (n // 6)),
    ("a huge list", lambda n: "[" + "1," * (n // 2) + "]"),
    ("backticks", lambda n: "".join("`" * (i % 50 + 1) + "a" for i in range(n // 26))),
    ("dollars", lambda n: "$" * n),
    ("dollar words", lambda n: "$a " * (n // 3)),
    ("maths openings", lambda n: "\\(" * (n // 2)),
    ("link openings", lambda n: "[a](" * (n // 4)),
    ("link tails", lambda n: "](a" * (n // 3)),
    ("tags", lambda n: "<a=" * (n // 3)),
    ("equal signs", lambda n: "<a" + "=" * n),
    ("urls", lambda n: "http://a[" * (n // 9)),
    ("blanks", lambda n: "# a" + " " * n + "#b"),
    ("rule with tail", lambda n: "-" * 3 + " " * n + "x"),
    ("table rule with tail", lambda n: "|-" + " " * n + "x"),
    ("dashes", lambda n: "- " * (n // 2)),
    ("line breaks", lambda n: "\n" * n),
    ("short lines", lambda n: "a\n" * (n // 2)),
    ("list", lambda n: "- a [1]\n" * (n // 8)),
    ("fences", lambda n: "```\n" * (n // 4)),
    ("quotes", lambda n: '"' * n),
    ("CJK quotes", lambda n: "。「" * (n // 2)),
    ("quoted markers", lambda n: '"a [1] b" [2] ' * (n // 14)),
    ("stops", lambda n: "." * n),
    ("initials", lambda n: "A. " * (n // 3)),
    ("dates", lambda n: "29. Juli " * (n // 9)),
    ("ellipses", lambda n: "a… " * (n // 3)),
    ("emphasis", lambda n: "**[1]**" * (n // 7)),
    ("wrapped", lambda n: "(" * (n // 2) + "[1]" + ")" * (n // 2)),
    ("private", lambda n: "\ue200" * n),
    ("private ids", lambda n: "\ue200cite\ue2021\ue201" * (n // 8)),
    ("right to left", lambda n: "\u202e\u2067אב [1] " * (n // 8)),
    ("NUL", lambda n: "\0" * n),
    ("surrogates", lambda n: "\ud83d" * n),
    ("emoji sequences", lambda n: "👩‍👩‍👧‍👦" * (n // 7)),
    ("Thai", lambda n: "ไทย" * (n // 3)),
    ("Thai phrases", lambda n: "ไทย " * (n // 4)),
    ("digits", lambda n: "1" * n),
    ("superscripts", lambda n: "¹" * n),
    ("parentheses", lambda n: "(source " * (n // 8)),
    ("identifiers", lambda n: "a.b" * (n // 3) + "[1]"),
    ("blank lines of quotes", lambda n: ">\n" * (n // 2)),
    ("half capitals", lambda n: "Aa. " * (n // 4)),
)  # fmt: skip


def answers(rng: random.Random) -> Iterator[tuple[str, tuple[str, ...]]]:
    while True:
        size = rng.choice((3, 8, 20, 60))
        yield "".join(rng.choice(PIECES) for _ in range(size)), rng.choice(CONTEXTS)


def check(text: str, ids: tuple[str, ...], rng: random.Random) -> None:
    """Every promise of the modules, on one answer."""
    for spans in (split_sentences(text), tuple(block.span for block in blocks(text))):
        at = 0
        for span in spans:
            assert at <= span.start < span.end <= len(text), (span, at)
            at = span.end
    for span, surface in words(text):
        assert span.of(text) == surface
    assert [token.term for token in tokens(text, "en")] or not terms(text, "en")
    content_words(text, "de")
    detect_language(text)
    parsed = parse_markers(text, ids)
    assert "".join(text[start : start + length] for _, start, length in parsed.pieces) == parsed.plain
    for marker in parsed.markers:
        assert 0 <= marker.at <= len(parsed.plain)
        assert marker.clause.end <= len(parsed.plain)
        assert marker.span.end <= len(text)
        assert (marker.sentence is None) == (not parsed.sentences)
    if not any(
        mark in text for mark in '"“„«「『'
    ):  # brackets of a quotation stay, for its own marker's sake
        assert not parse_markers(parsed.plain, ids).markers, ("markers left", parsed.plain)
    renumber(text, ids)
    stream = MarkerStream(ids)
    shown, found, at = "", [], 0
    while at < len(text):
        step = rng.choice((1, 1, 2, 3, 7))
        part = stream.feed(text[at : at + step])
        shown, at = shown + part.text, at + step
        found += part.found
        assert text.startswith(shown)
        inside = [m.span for m in parsed.markers if m.span.start < len(shown) < m.span.end]
        assert not inside, ("shown ends inside", shown[-30:], inside)
    last = stream.rest()
    assert shown + last.text == text
    found += last.found
    spans = [one.span for one in found for _ in one.cited]
    assert spans == [m.span for m in parsed.markers], (
        "stream found",
        spans,
        [m.span for m in parsed.markers],
    )
    assert stream.finish() == parsed
    pointers = [pointer for index in range(len(parsed.sentences)) for pointer in parsed.pointers(index)]
    print_markers(parsed.plain, pointers, sentences=parsed.sentences)


def growth(name: str, make: Callable[[int], str], size: int) -> str | None:
    """How the time grows from ``size`` to four times as much; a message when faster than about linear."""
    jobs: tuple[tuple[str, Callable[[str], object]], ...] = (
        ("parse_markers", lambda text: parse_markers(text, ("1", "2", "3"))),
        ("split_sentences", split_sentences),
        ("terms", terms),
        ("tokens", tokens),
        ("blocks", blocks),
        ("renumber", lambda text: renumber(text, ("1", "2", "3"))),
    )
    for job, run in jobs:
        seconds = []
        for length in (size, 4 * size):
            text = make(length)
            started = time.perf_counter()
            run(text)
            seconds.append(time.perf_counter() - started)
        if seconds[1] > 0.15 and seconds[1] > 8 * seconds[0]:
            return f"{job} on {name}: {seconds[0]:.3f} s, then {seconds[1]:.3f} s for four times the text"
        if seconds[1] > 4:
            return f"{job} on {name}: {seconds[1]:.3f} s for {4 * size} characters"
    return None


def main(seconds: float, seed: int) -> int:
    bad = [message for name, make in FLOODS if (message := growth(name, make, 25_000))]
    rng = random.Random(seed)
    until = time.monotonic() + seconds
    count = 0
    for text, ids in answers(rng):
        if time.monotonic() > until or len(bad) > 20:
            break
        count += 1
        try:
            check(text, ids, rng)
        except Exception as error:
            bad.append(f"{type(error).__name__}: {ascii(error)[:300]}\n  text {text!a}\n  ids {ids}")
    for message in bad:
        print(message)
    print(f"{count} answers, {len(FLOODS)} floods, {len(bad)} problems")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(
        main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    )
