"""The block structure of Markdown, with places in the text as given."""

from __future__ import annotations

import pytest

from pincite.text.outline import Node, outline, paragraphs, sections
from pincite.types import Span


def shape(nodes: tuple[Node, ...], text: str) -> list[object]:
    return [
        (node.kind, node.span.of(text), shape(node.children, text))
        if node.children
        else (node.kind, node.span.of(text))
        for node in nodes
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb\n\nc", [("paragraph", "a\nb"), ("paragraph", "c")]),
        ("# A\ntext", [("heading", "# A"), ("paragraph", "text")]),
        ("A\n===\ntext", [("heading", "A\n==="), ("paragraph", "text")]),
        ("```\n# x\n```\n", [("fence", "```\n# x\n```")]),
        ("    x", [("code", "    x")]),
        ("a\n\n***\n\nb", [("paragraph", "a"), ("rule", "***"), ("paragraph", "b")]),
        ("> a\n> b", [("quote", "> a\n> b", [("paragraph", "> a\n> b")])]),
        (
            "- a\n- b",
            [
                (
                    "list",
                    "- a\n- b",
                    [("item", "- a", [("paragraph", "- a")]), ("item", "- b", [("paragraph", "- b")])],
                )
            ],
        ),
        (
            "|a|b|\n|-|-|\n|1|2|",
            [("table", "|a|b|\n|-|-|\n|1|2|", [("row", "|a|b|\n|-|-|"), ("row", "|1|2|")])],
        ),
        ("| a |\n| b |", [("paragraph", "| a |\n| b |", [("row", "| a |"), ("row", "| b |")])]),
        ("[x]: http://a\n\ntext", [("other", "[x]: http://a"), ("paragraph", "text")]),
        (
            "- a\n\n[x]: u\n[y]: v\n",
            [("list", "- a", [("item", "- a", [("paragraph", "- a")])]), ("other", "[x]: u\n[y]: v")],
        ),
        ("é\n\n# ü\n\n日本", [("paragraph", "é"), ("heading", "# ü"), ("paragraph", "日本")]),
        ("a\r\n\r\nb\rc", [("paragraph", "a"), ("paragraph", "b\rc")]),
        ("\f\n\na", [("paragraph", "a")]),
        ("", []),
    ],
)
def test_blocks_are_read_with_their_places(text: str, expected: list[object]) -> None:
    assert shape(outline(text), text) == expected


def test_a_fence_without_its_last_line_is_open() -> None:
    assert [node.closed for node in outline("```\na\n```")] == [True]
    assert [node.closed for node in outline("```\na\n")] == [False]
    assert [node.closed for node in outline("````\na\n```\n")] == [False]


@pytest.mark.parametrize(
    ("heading", "title", "anchor"),
    [
        ("# Plain", "Plain", None),
        ("# *Em* and `code` ##", "Em and code", None),
        ("# [Link](http://a) ![pic](b)", "Link pic", None),
        ("# A {#fees}", "A", "fees"),
        ("# A { #fees .x }", "A", "fees"),
        ("# 5 < 6 &amp; 7", "5 < 6 & 7", None),
        ("# *A* {: #object.__init__ }", "A", "object.__init__"),
        ("# Ask {#a} first", "Ask {#a} first", None),
        ("# {#a}", "", "a"),
        ("# a\0\ud800", "a\ufffd\ufffd", None),
        ("#", "", None),
    ],
)
def test_a_heading_gives_its_words_and_its_anchor(heading: str, title: str, anchor: str | None) -> None:
    (node,) = outline(heading)
    assert (node.title, node.anchor) == (title, anchor)


def test_sections_run_from_heading_to_heading() -> None:
    text = "Intro\n\n# A\n\na\n\n## B\n\nb"
    assert [section.span for section in sections(outline(text), len(text))] == [Span(7, 15), Span(15, 22)]


def test_plain_text_has_paragraphs_only() -> None:
    text = "# a\n- b\n\n c\fd\r\n\r\n"
    assert [node.span.of(text) for node in paragraphs(text)] == ["# a\n- b", " c", "d"]


def test_a_list_ends_before_the_paragraph_that_follows_it_in_its_item() -> None:
    text = "> - a\n>   - é\n>\n>   b"
    (quote,) = outline(text)
    (item,) = quote.children[0].children
    assert [child.span.of(text) for child in item.children] == ["> - a", ">   - é\n>", ">   b"]


def test_an_item_behind_a_tab_begins_on_its_own_line() -> None:
    text = "- 1. a\nb\n\t1. c"
    inner = outline(text)[0].children[0].children[0]
    assert [item.span.of(text) for item in inner.children] == ["- 1. a\nb", "\t1. c"]


def test_a_bullet_on_a_line_of_its_own_belongs_to_what_stands_first_below_it_at_every_depth() -> None:
    text = "-\n\t> one\n\t>\n\t> two"
    quote = outline(text)[0].children[0].children[0]
    assert [part.span.of(text) for part in quote.children] == ["-\n\t> one\n\t>", "\t> two"]


def test_nesting_is_followed_twenty_deep() -> None:
    text = "> " * 10_000 + "a"
    nodes, depth = outline(text), 0
    while nodes:
        assert [node.span for node in nodes] == [Span(0, len(text))]
        nodes, depth = nodes[0].children, depth + 1
    assert depth == 21


def test_a_text_that_the_reader_cannot_stand_is_read_as_paragraphs(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):  # the name that Rust code gives it
        pass

    def panic(text: str) -> None:
        raise PanicException

    monkeypatch.setattr("pincite.text.outline._Reader", panic)
    assert shape(outline("# never read before\n\nb"), "# never read before\n\nb") == [
        ("paragraph", "# never read before"),
        ("paragraph", "b"),
    ]
