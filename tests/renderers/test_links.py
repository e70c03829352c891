"""Links that open a page at the cited words."""

from __future__ import annotations

import pytest

from pincite.renderers.links import text_fragment

PAGE = "https://example.org/faq"


@pytest.mark.parametrize(
    ("quote", "fragment"),
    [
        ("5 EUR", "5%20EUR"),
        ("opt-in, A&B", "opt%2Din%2C%20A%26B"),
        ("first line\nlast line", "first%20line,last%20line"),
        ("first\n\nmiddle - one\n  last  line ", "first,last%20line"),
        ("Gebühr 料金", "Geb%C3%BChr%20%E6%96%99%E9%87%91"),
        ("50% #1", "50%25%20%231"),
        ("a\ud800b", "a%3Fb"),
    ],
)
def test_a_quote_is_given_as_the_browser_reads_it(quote: str, fragment: str) -> None:
    assert text_fragment(PAGE, quote) == f"{PAGE}#:~:text={fragment}"


def test_a_fragment_is_kept_and_an_old_directive_replaced() -> None:
    assert text_fragment(f"{PAGE}#fees", "5 EUR") == f"{PAGE}#fees:~:text=5%20EUR"
    assert text_fragment(f"{PAGE}#fees:~:text=old", "5 EUR") == f"{PAGE}#fees:~:text=5%20EUR"


@pytest.mark.parametrize(("url", "quote"), [("", "5 EUR"), (PAGE, ""), (PAGE, " \n ")])
def test_without_an_address_or_words_nothing_is_added(url: str, quote: str) -> None:
    assert text_fragment(url, quote) == url
