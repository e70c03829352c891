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
