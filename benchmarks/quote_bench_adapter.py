"""The quote matcher as an adapter of the quote benchmark (``quote_bench``; its README gives the interface).

Run in the benchmark's folder, with this one on the path::

    PYTHONPATH=<project>/benchmarks python qb_run.py --adapter quote_bench_adapter:Product --sizes 300 1000 5000
"""

from __future__ import annotations

from pincite.findings import QuoteMatchKind
from pincite.quotes import PreparedChunk, match_quote, prepare

VERDICTS = {
    QuoteMatchKind.EXACT: "verified",
    QuoteMatchKind.NORMALIZED: "verified",
    QuoteMatchKind.UNIT_EQUIVALENT: "verified",
    QuoteMatchKind.FUZZY: "paraphrased",
    QuoteMatchKind.NONE: "unverified",
}


class Product:
    """``check`` gives the offsets of the look-alike when the quote is refused: located, and not accepted."""

    name = "pincite"
    has_offsets = True
    max_chunk = 10**9

    def __init__(self) -> None:
        self._prepared: PreparedChunk | None = None
        # The tables are built by the first call that needs them; the benchmark times calls.
        match_quote("Grüße and two wrods of a longer quote", "Größe and two words of a longer quote")

    def prepare(self, chunk: str) -> None:
        self._prepared = prepare(chunk)

    def check(self, quote: str, chunk: str) -> tuple[str, int, int, float]:
        known = self._prepared
        match = match_quote(quote, known if known is not None and known.text is chunk else chunk)
        span = match.span or match.near
        return (VERDICTS[match.kind], span.start if span else -1, span.end if span else -1, match.score)

    def locate(self, quote: str, chunk: str) -> tuple[int, int, float] | None:
        verdict, start, end, score = self.check(quote, chunk)
        return None if start < 0 or verdict == "unverified" else (start, end, score)
