"""Throw hostile texts at the quote matcher: no exception, sound spans, and no time out of proportion.

Not in CI. Run it for some seconds (600 before a release)::

    python benchmarks/fuzz_quotes.py 600

Every failure is printed with the seed that makes it again; the exit code is then 1.
"""

from __future__ import annotations

import random
import sys
import time

from pincite.findings import QuoteMatch, QuoteMatchKind
from pincite.quotes import match_quote, match_quote_across, prepare

ATOMS = (
    "a", "the ", "word ", "30 days ", "1,234.5 ", "-3 °C ", "25 % ", "$5 ", "not ", "un", "Meier ", "ﬁ", "İ", "ß", "e\u0301", "\u0301",
    "\u0323\u0301", "返", "品は", "ไม่", "नहीं ", "لا ", "가", "\u1112\u1161\u11ab", "-\n", "\u00ad", "\u200b", "\u2060", "*", "**", "_", "`", "[", "](",
    "](x)", "[a](b)", "&", "&amp;", "&#45;", "<b>", "</b>", "<", "|", "…", "...", ". . .", "[1]", "【2】", "¹", "²", "½", "👩\u200d👧", "🇩🇪", "👍🏽",
    "\ud800", "\udfff", "\0", "\u202e", "\n", "\r\n", "\t", " ", "\u00a0", "'", "’", "’t ", "\"", "“", "(", ")", ",", ";", ":", ".", "-", "—", "×", "=",
    "<=", "±", "/", "٣", "３", "\uf8ff", "\U000e0041", "\ufeff",
)  # fmt: skip
LONGEST = 100_000
SLOWEST_S = 0.5
"""For a chunk of 100,000 characters; a busy machine takes several times what a quiet one takes."""


def make_text(rng: random.Random, length: int) -> str:
    """A text of about ``length`` characters: mixed atoms, one atom over and over, or a period of a few."""
    how = rng.random()
    if how < 0.4:
        pool = rng.sample(ATOMS, rng.randint(1, len(ATOMS)))
        return "".join(rng.choice(pool) for _ in range(max(1, length // 3)))[:length]
    period = "".join(rng.choice(ATOMS) for _ in range(rng.randint(1, 6)))
    text = period * (length // max(len(period), 1) + 1)
    if how > 0.8:  # with one thing that breaks the period
        place = rng.randrange(len(text))
        text = text[:place] + rng.choice(ATOMS) + text[place:]
    return text[:length]


def make_quote(rng: random.Random, chunk: str) -> str:
    length = int(10 ** rng.uniform(0, 4.3))
    if rng.random() < 0.6 and chunk:
        place = rng.randrange(len(chunk))
        quote = chunk[place : place + length]
        for _ in range(rng.randint(0, 4)):
            at = rng.randint(0, len(quote))
            quote = quote[:at] + rng.choice(ATOMS) + quote[at + rng.randint(0, 3) :]
        return quote
    return make_text(rng, length)


def problems(match: QuoteMatch, quote: str, chunk: str) -> list[str]:
    found = []
    spans = [
        match.span,
        match.near,
        *match.pieces,
        *match.occurrences,
        *(one.source_span for one in match.differences),
    ]
    if any(span and span.end > len(chunk) for span in spans):
        found.append("a span ends outside the chunk")
    if any(one.answer_span and one.answer_span.end > len(quote) for one in match.differences):
        found.append("a span ends outside the quote")
    if match.kind == QuoteMatchKind.EXACT and match.span and match.span.of(chunk) != quote.strip():
        found.append("exact, and not the quote")
    if (match.kind == QuoteMatchKind.NONE) != (match.span is None):
        found.append("none with a span, or found without")
    return found


def main(seconds: float, seed: int) -> int:
    match_quote("Größe and two wrods of a longer quote", "Größe and two words of a longer quote")
    end = time.monotonic() + seconds
    runs = failures = 0
    slowest = (0.0, seed)
    while time.monotonic() < end:
        seed += 1
        rng = random.Random(seed)
        chunk = make_text(rng, int(10 ** rng.uniform(0, 5)))
        quote = make_quote(rng, chunk)
        start = time.thread_time()
        try:
            match = match_quote(quote, chunk)
            took = time.thread_time() - start
            found = problems(match, quote, chunk)
            if rng.random() < 0.1:
                if match_quote(quote, prepare(chunk)) != match:
                    found.append("a prepared chunk matches otherwise")
                half = len(chunk) // 2
                match_quote_across(quote[:300], [("a", chunk[:half][-3000:]), ("b", chunk[half:][:3000])])
        except Exception as error:
            took, found = 0.0, [f"{type(error).__name__}: {error}"]
        slowest = max(slowest, (took, seed))
        limit = SLOWEST_S * max(len(chunk) + len(quote), 20_000) / LONGEST
        if took > limit:  # once more: other work on the machine counts too
            start = time.thread_time()
            match_quote(quote, chunk)
            took = min(took, time.thread_time() - start)
        if took > limit:
            found.append(f"took {took:.3f} s for {len(quote)} in {len(chunk)} characters")
        if found:
            failures += 1
            print(f"seed {seed}: {'; '.join(found)}", flush=True)
        runs += 1
    print(f"{runs} runs, {failures} failures, slowest {slowest[0] * 1000:.0f} ms (seed {slowest[1]})")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(
        main(float(sys.argv[1]) if len(sys.argv) > 1 else 10, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    )
