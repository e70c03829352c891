"""Throws mixed-up text at the quantity and fact parsers for some seconds and reports what breaks. Not part of CI.

    python benchmarks/fuzz_quantities.py --seconds 60 --seed 1

A failure is an exception, a span that does not give its surface, a text that differs from itself, or a call that
takes more than a second and a fifth of a millisecond for each character. The first failing text is printed with its seed, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from pincite.text.facts import fact_differences, facts
from pincite.text.lexicon import TIER1
from pincite.text.numbers import compare_quantities, parse_quantities

WORDS = (
    "5 30 1.5 1,234 1.234 1,23,456 ½ 3½ 0012 2025-03-04 03/04/2025 4.3.2025 14:30 14.30 3pm 1:3 - – − + ( ) % ‰ € $ £ ¥ USD kg MB"
    " mb GiB days day months h min s m km mi ft in °C °F ° and to of per up at least more than less not only except never million"
    " m bn k thirty twenty-five half a an one two thirds first second May March may Monday noon Uhr Tage zwei dreiundzwanzig Mio. eine"
    " halbe anderthalb Stunden bis zu nicht treinta y media hora millones de no jours quatre-vingt dix et demi ne pas 三 十 百 万 亿 千"
    " 年 月 日 半 个 分之 第 以内 以上 円 元 時 分 点 午後 不 没有 ٣٠ ٪ يوم ألف و ثلاثة يومان ليس ३० तीन लाख साढ़े दिन नहीं v2.10 2.10.3"
    " AES-256 E-401 ISO 27001 +49 30 1234567 http://a.b/5 a@b.c # @ & &nbsp; &#8364; ` * _ . , : ; / \\ x × \u00ad \u200b \u202e \u0301"
    " \ud800 \0 İ ß ﬁ 𝟛 ㎏ ㌫ 한 5만 원"
).split(" ")
LANGUAGES = (*TIER1, "it", "ko", "th", None)


def make_text(rng: random.Random) -> str:
    """A soup of words, with or without blanks, or of random characters; now and then a very long one."""
    size = rng.choice((3, 8, 20, 60)) if rng.random() < 0.995 else 4000
    if rng.random() < 0.15:
        return "".join(
            chr(rng.choice((rng.randrange(0x250), rng.randrange(0x3000), rng.randrange(0x11000))))
            for _ in range(size)
        )
    if rng.random() < 0.05:
        return rng.choice(WORDS) * size
    sep = rng.choice((" ", "", " ", "\u00a0"))
    return sep.join(rng.choice(WORDS) for _ in range(size))


def check(text: str, other: str, language: str | None) -> str | None:
    """What is wrong, or ``None``."""
    for quantity in parse_quantities(text, language=language):
        if quantity.span.of(text) != quantity.surface or not quantity.readings:
            return f"span {quantity}"
    ours, theirs = facts(text, language=language), facts(other, language=language)
    for fact in ours:
        if fact.span.of(text) != fact.surface:
            return f"span {fact}"
    if not compare_quantities(text, text, claim_language=language, source_language=language):
        return "differs from itself"
    own = fact_differences(
        ours, ours, claim_text=text, source_text=text, claim_language=language, source_language=language
    )
    if own:
        return f"own difference {own[0]}"
    fact_differences(
        ours, theirs, claim_text=text, source_text=other, claim_language=language, source_language=language
    )
    return None


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    end = time.monotonic() + arguments.seconds
    count, slowest = 0, 0.0
    while time.monotonic() < end:
        text, other, language = make_text(rng), make_text(rng), rng.choice(LANGUAGES)
        began = time.process_time()
        try:
            problem = check(text, other, language)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        took = time.process_time() - began
        slowest = max(slowest, took)
        count += 1
        if problem or took > 1 + (len(text) + len(other)) / 5_000:
            print(
                f"text {count}: {problem or f'{took:.1f} s'}\nlanguage={language!r} text={text!r} other={other!r}"
            )
            return 1
    print(f"{count} texts, no failure, slowest {slowest * 1000:.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
