"""Links that open a source at the cited words."""

from __future__ import annotations

from urllib.parse import quote as percent_encode

from pincite.types import DocumentInfo, shorten

DIRECTIVE = ":~:"

FRAGMENT_CHARS = 120
"""Of a quote in a link: enough to find it, short enough for every program that passes links on."""


def open_url(document: DocumentInfo, page_index: int | None, quote: str) -> str:
    """Where the original opens at the cited words: at the page of a PDF, at the words of a web page.

    >>> open_url(DocumentInfo("a", url="https://example.org/a.pdf", format="pdf"), 4, "Fees")
    'https://example.org/a.pdf#page=5'
    """
    if document.format == "pdf" and page_index is not None and document.url:
        return f"{document.url.partition('#')[0]}#page={page_index + 1}"
    if not web_url(document.url):
        return document.url
    first = next((line for line in quote.split(" … ")[0].splitlines() if line.strip()), "")
    if first.lstrip().startswith("|"):
        return document.url  # a row: its cells stand in elements of their own
    shown = first.replace("*", "").replace("`", "").lstrip("#>- ")
    return text_fragment(document.url, shorten(shown, FRAGMENT_CHARS).rstrip("…"))


def web_url(url: str) -> str:
    """``url`` if it leads to the web, else nothing: no script, no data, no file.

    >>> web_url("https://example.org/a"), web_url("javascript:alert(1)"), web_url("https://a\\nb")
    ('https://example.org/a', '', '')
    """
    lowered = url.strip().lower()
    sound = lowered.startswith(("http://", "https://")) and not any(
        char.isspace() or not char.isprintable() for char in url
    )
    return url if sound else ""


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
