"""HTML of answers and reports: complete in itself, and harmless whatever the sources hold."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from selectolax.lexbor import LexborHTMLParser
from tests.doubles import pipeline, statement

from pincite import Document, verify

EVIL = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
POOL = Document(
    "pool",
    f"The pool opens at 7 in the morning. {EVIL}\n\nTowels are free.",
    title=f"Pool {EVIL}",
    url="https://example.org/pool",
)


def page(answer: str, *sources: object) -> LexborHTMLParser:
    return LexborHTMLParser(verify(answer, list(sources)).to("html"))


def test_a_marker_links_to_its_source_with_the_names_of_source_002() -> None:
    tree = page(
        "The pool opens at 7 [1].", {"id": "pool-chunk-0", "text": "The pool opens at 7.", "title": "Pool"}
    )
    link = tree.css_first("a.citation")
    assert link is not None
    assert link.attributes["href"] == "#source-1"
    assert "The pool opens at 7." in (link.attributes["title"] or "")
    assert tree.css_first(f"li{link.attributes['href']}") is not None
    assert link.attributes["data-source"]


def test_the_state_is_told_in_a_word_and_a_sign() -> None:
    tree = page("The pool opens at 9 [1].", "The pool opens at 7.")
    link = tree.css_first("a.citation.bad")
    assert link is not None
    assert link.text() == "1≠"
    assert "contradicted" in (link.attributes["aria-label"] or "")


def test_a_source_that_does_not_exist_is_no_link() -> None:
    tree = page("The pool opens at 7 [1]. Dogs are welcome [9].", "The pool opens at 7.")
    assert [one.text() for one in tree.css("sup s")] == ["9"]
    assert len(tree.css("a.citation")) == 1


@pytest.mark.parametrize("form", ["html", "fragment"])
def test_nothing_of_a_document_or_a_model_becomes_markup(form: str) -> None:
    reply = statement(f"The pool opens at 7 in the morning. {EVIL}", ("c-1", "opens at 7 in the morning"))
    answer = pipeline(POOL, replies=[reply]).ask("When does the pool open?")
    text = answer.to("html") if form == "html" else answer._repr_html_()
    tree = LexborHTMLParser(text)
    assert tree.css("script, img, iframe, svg") == []
    assert not any(name.startswith("on") for node in tree.css("*") for name in node.attributes)
    assert "Pool" in tree.text()


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "https://a\nb", "file:///etc/passwd"]
)
def test_only_addresses_of_the_web_become_links(url: str) -> None:
    tree = page("The pool opens at 7 [1].", {"id": "a", "text": "The pool opens at 7.", "url": url})
    assert [one.attributes["href"] for one in tree.css("a")] == ["#source-1"]


def test_it_needs_no_script_and_no_other_file() -> None:
    text = pipeline(POOL).ask("When does the pool open?").to("html")
    tree = LexborHTMLParser(text)
    assert tree.css("script, link, img") == []
    assert not re.search(r"url\(|@import", text)


def test_an_abstention_shows_the_nearest_passages() -> None:
    answer = pipeline(POOL, replies=["", ""]).ask("Are towels painted by whales?")
    assert answer.abstained
    tree = LexborHTMLParser(answer.to("html"))
    assert "Towels are free" in tree.text()


@pytest.mark.parametrize("language", ["ar", "ar-EG"])
def test_right_to_left_answers_say_so(language: str) -> None:
    bath = Document("m", "يفتح المسبح في الساعة 7 صباحا.", language=language)
    answer = replace(pipeline(bath).ask("متى يفتح المسبح؟"), language=language)
    tree = LexborHTMLParser(answer.to("html"))
    root = tree.css_first("div.pincite")
    assert root is not None
    assert (root.attributes.get("lang"), root.attributes.get("dir")) == ("ar", "rtl")
