"""HTML: what a reader sees, and nothing else."""

from __future__ import annotations

import pytest

from pincite.chunk import chunk
from pincite.errors import ParseError
from pincite.parsers.html import html_to_text, parse
from pincite.types import Document


def read(html: str | bytes) -> Document:
    (document,) = parse(html if isinstance(html, bytes) else html.encode(), "page.html")
    return document


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>Open<br>daily<p>No dogs", "Open\ndaily\n\nNo dogs"),
        ("<div>one</div>two<span> three</span>", "one\n\ntwo three"),
        ("<p>a <b>b</b>c <i>d</i> , e", "a bc d , e"),
        ("<p>a\n  b\t c&nbsp;d&shy;e", "a b c\u00a0d\u00ade"),
        ("<ul><li>a<li>b<ol start=3><li>c<li>d</ol></ul>e", "- a\n- b\n  3. c\n  4. d\n\ne"),
        ("<ol><li><p>a<p>b<li>c</ol>", "1. a\n   b\n2. c"),
        ("<dl><dt>Fee<dd>5 EUR</dl>", "Fee\n\n5 EUR"),
        ("<pre>\n  run()\n</pre>", "```\n  run()\n```"),
        ("<pre>```</pre>", "````\n```\n````"),
        ("10<sup>6</sup> H<sub>2</sub>O 5<sup>th</sup>", "10⁶ H₂O 5th"),
        ("<ruby>漢<rp>(</rp><rt>kan</rt></ruby>字", "漢字"),
        ("", ""),
    ],
)
def test_blocks_end_lines_and_inline_elements_do_not(html: str, text: str) -> None:
    assert html_to_text(html) == text


@pytest.mark.parametrize(
    "html",
    [
        "<script>secret</script>",
        "<style>secret</style>",
        "<nav>secret</nav>",
        "<div role=navigation>secret</div>",
        "<template>secret</template>",
        "<!-- secret -->",
        "<p hidden>secret",
        '<p style="color: red; display : NONE">secret',
        '<p style="visibility:hidden">secret',
        '<p style="opacity:0">secret',
        '<p style="font-size:0px">secret',
        "<style>.x, .y { display: none }</style><p class=y>secret",
        '<style>@import "a.css"; /* c */ #x { visibility: hidden }</style><p id=x>secret',
        "<dialog>secret</dialog>",
        "<svg><text>secret</text></svg>",
        "<input type=hidden value=secret>",
        "<table><tr><td>a<td hidden>secret<tr><td>b<td>c</table>",
    ],
)
def test_hidden_text_is_no_text(html: str) -> None:
    text = html_to_text(f"<p>shown</p>{html}")
    assert "secret" not in text
    assert "shown" in text


@pytest.mark.parametrize(
    "html",
    [
        '<p style="opacity:0.5">seen',
        '<p style="font-size:0.9em">seen',
        '<p style="opacity:inherit">seen',
        '<p hidden="until-found">seen',
        "<dialog open>seen</dialog>",
        "<details><summary>more</summary>seen</details>",
        "<style>@media print { .x { display: none } }</style><p class=x>seen",
        "<style media=print>.x { display: none }</style><p class=x>seen",
        "<style>.x:hover { display: none }</style><p class=x>seen",
        "<style>a[</style><style>..x{display:none}</style><p class=x>seen",
    ],
)
def test_text_that_only_looks_hidden_stays(html: str) -> None:
    assert "seen" in html_to_text(html)


def test_the_main_element_is_the_page() -> None:
    page = (
        "<header>Site</header><main><h1>Fees</h1><p>Adults pay 5 EUR a day.</p></main><footer>Legal</footer>"
    )
    assert read(page).text == "Fees\n\nAdults pay 5 EUR a day."


def test_a_nearly_empty_main_element_is_not_the_page() -> None:
    assert "long text" in read("<main><p>x</p></main><div>A long text beside the main element.</div>").text


def test_a_long_list_of_links_is_a_menu() -> None:
    menu = "".join(f"<li><a href=/{n}>Language {n}</a>" for n in range(40))
    assert html_to_text(f"<ul>{menu}</ul><p>Text.") == "Text."
    assert "Fees" in html_to_text("<ul><li><a href=/f>Fees</a><li><a href=/h>Hours</a></ul>")


def test_headings_open_sections_and_keep_their_anchors() -> None:
    document = read(
        "<h1>Guide</h1>a<h2 id=fees>Fees</h2>b<section id=hours><h2>Hours</h2>c</section><h2><a name=x></a>X</h2>d"
    )
    assert [(section.path, section.anchor) for section in document.sections] == [
        (("Guide",), None),
        (("Guide", "Fees"), "fees"),
        (("Guide", "Hours"), "hours"),
        (("Guide", "X"), "x"),
    ]
    assert [section.span.of(document.text).split("\n")[0] for section in document.sections] == [
        "Guide",
        "Fees",
        "Hours",
        "X",
    ]


def test_chunks_carry_the_section_of_their_heading() -> None:
    document = read("<h1>Guide</h1><p>Hello.</p><h2>Fees</h2><p>5 EUR.</p>")
    assert [(piece.section, piece.text) for piece in chunk(document)] == [
        (("Guide",), "Guide\n\nHello."),
        (("Guide", "Fees"), "Fees\n\n5 EUR."),
    ]


def test_a_table_keeps_its_caption_and_one_header_row() -> None:
    html = (
        "<table><caption>Fees</caption><thead><tr><th rowspan=2>Plan<th colspan=2>Price<tr><th>2030<th>2031"
        "<tbody><tr><td>A|B<td>1<td>2</table>"
    )
    assert (
        html_to_text(html)
        == "Fees\n\n| Plan | Price 2030 | Price 2031 |\n| --- | --- | --- |\n| A\\|B | 1 | 2 |"
    )


def test_a_table_that_lays_out_the_page_is_read_as_blocks() -> None:
    assert html_to_text("<table><tr><td><h1>Fees</h1><td>x</table>") == "Fees\n\nx"
    assert html_to_text("<table role=presentation><tr><td>a<td>b</table>") == "a\n\nb"


def test_every_chunk_of_a_long_table_shows_its_header() -> None:
    rows = "".join(f"<tr><td>Plan {n}<td>{n} EUR" for n in range(20))
    pieces = chunk(read(f"<table><tr><th>Plan<th>Price{rows}</table>"), max_chars=120)
    assert len(pieces) > 3
    assert all("| Plan | Price |" in (*piece.context_texts, piece.text)[0] for piece in pieces)


def test_title_language_and_address_come_from_the_page() -> None:
    document = read(
        "<html lang=de-AT><title> Gebühren \n 2031 </title><link rel=canonical href=https://example.org/g><p>5 EUR."
    )
    assert (document.title, document.language, document.url) == (
        "Gebühren 2031",
        "de-AT",
        "https://example.org/g",
    )


def test_the_charset_that_the_page_names_is_used() -> None:
    assert read('<meta charset="iso-8859-1"><p>Gebühr'.encode("latin-1")).text == "Gebühr"
    assert read("<p>Gebühr".encode("utf-8-sig")).text == "Gebühr"


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"<p>\xfc", "not UTF-8"),
        (b"<meta charset=klingon><p>x", "unknown charset 'klingon'"),
        (b"<div>" * 5000, "nested 5000 deep"),
        (b"<p>\0", "NUL"),
        (b"<script>x</script>", "text is empty"),
    ],
)
def test_a_page_that_cannot_be_read_is_refused(data: bytes, what: str) -> None:
    with pytest.raises(ParseError, match=what):
        read(data)


def test_unclosed_paragraphs_and_items_do_not_count_as_depth() -> None:
    assert read("<p>a" * 5000).text.count("a") == 5000


def test_author_and_date_come_from_the_head_of_the_page() -> None:
    head = (
        '<meta name=author content="Ann Lee"><meta property="article:published_time" content="2031-03-01T08:00:00Z">'
        '<meta property="article:modified_time" content="2031-03-31T08:00:00Z">'
    )
    (document,) = parse(f"<head>{head}</head><p>Entry is free.".encode(), "a.html")
    assert (document.owner, document.published_date) == ("Ann Lee", "2031-03-31")


@pytest.mark.parametrize("said", ["yesterday", "2031-02-30", "31.3.2031", "2031-03-311"])
def test_a_date_of_the_head_that_is_none_is_left_aside(said: str) -> None:
    (document,) = parse(f'<meta name="date" content="{said}"><p>Entry is free.'.encode(), "a.html")
    assert document.published_date is None


MANY = " ".join(f"a{i}=1" for i in range(600))


@pytest.mark.parametrize(
    "page",
    [
        f"<p {MANY}>x", f"<!-- <a x=\" --><p {MANY}>x", "<p " + "a='>' b=\">\" " * 300 + ">x", f"<p a='{MANY}' {MANY}>x",
        "".join(f"<body a{i}=1>" for i in range(600)) + "x", "<a " * 100_000,
    ],
)  # fmt: skip
def test_a_tag_with_attributes_without_end_is_refused(page: str) -> None:
    # The parser compares each with all others: 200,000 of them took five minutes.
    with pytest.raises(ParseError, match="attributes"):
        parse(page.encode(), "a.html")


def test_long_values_and_signs_in_a_text_are_no_attributes() -> None:
    words = "a <b or c " * 30 + "and more words " * 1000
    page = f'<p data-x=\'{MANY}\' title="{MANY}">{words.replace("<b", "&lt;b")}</p><script>if (a<b) {{ x = "{MANY}" }}</script>'
    (document,) = parse(page.encode(), "a.html")
    assert document.text == words.strip()
