"""Which page a span is on, and the pages of a text in which form feeds end them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from pincite.types import Page, Span

FORM_FEED = "\f"


def form_feed_pages(text: str) -> tuple[Page, ...]:
    """The pages of a text in which a form feed ends a page; none when there is no form feed.

    A page's span does not hold its form feed. An empty last page (a text that ends in a form feed) is no page.

    >>> [page.span for page in form_feed_pages("one\\ftwo")]
    [Span(start=0, end=3), Span(start=4, end=7)]
    """
    if FORM_FEED not in text:
        return ()
    pages: list[Page] = []
    start = 0
    for part in text.split(FORM_FEED):
        pages.append(Page(len(pages), Span(start, start + len(part)), label=str(len(pages) + 1)))
        start += len(part) + 1
    if not len(pages[-1].span):
        pages.pop()
    return tuple(pages)


class PageIndex:
    """Pages to look spans up in, each in logarithmic time.

    Args:
        pages: In document order, without overlap; gaps and empty pages are allowed.
    """

    def __init__(self, pages: Sequence[Page]) -> None:
        self.pages = tuple(page for page in pages if len(page.span))

    def of(self, span: Span) -> tuple[Page, Page] | None:
        """The pages of the first and last character of ``span`` that are on a page.

        A span that lies between two pages (a form feed) is on the page that ends there. ``None`` without pages.

        >>> index = PageIndex(form_feed_pages("one\\ftwo"))
        >>> [page.index for page in index.of(Span(3, 5)) or ()]
        [1, 1]
        """
        if not self.pages:
            return None
        first = bisect_right(self.pages, span.start, key=lambda page: page.span.end)
        last = bisect_left(self.pages, span.end, key=lambda page: page.span.start) - 1
        if first > last:
            nearest = self.pages[min(max(last, 0), len(self.pages) - 1)]
            return nearest, nearest
        return self.pages[first], self.pages[last]
