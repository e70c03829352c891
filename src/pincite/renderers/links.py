"""Links that open a source at the cited words."""

from __future__ import annotations

from urllib.parse import quote as percent_encode

DIRECTIVE = ":~:"


def text_fragment(url: str, quote: str) -> str:
    """``url`` with a text fragment, so that a browser marks ``quote``.

    A quote over several lines is given by its first and last line, because the browser looks for a passage
    only within one block. Dashes, commas and ampersands have a meaning there and are percent-encoded.

    Args:
        url: May have a fragment, which is kept, and a text directive, which is replaced.
        quote: As the source shows it. Nothing but white space leaves ``url`` as it is.

    Source:
        WICG, URL Fragment Text Directives.

    >>> text_fragment("https://example.org/faq#fees", "5 EUR, per day")
    'https://example.org/faq#fees:~:text=5%20EUR%2C%20per%20day'
    """
    lines = [" ".join(line.split()) for line in quote.splitlines() if line.strip()]
    if not url or not lines:
        return url
    address, _, fragment = url.partition("#")
    fragment = fragment.partition(DIRECTIVE)[0]
    terms = [_encoded(lines[0])] if len(lines) == 1 else [_encoded(lines[0]), _encoded(lines[-1])]
    return f"{address}#{fragment}{DIRECTIVE}text={','.join(terms)}"


def _encoded(term: str) -> str:
    return percent_encode(term, safe="", errors="replace").replace("-", "%2D")
