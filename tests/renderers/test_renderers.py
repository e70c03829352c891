"""Answers and reports printed: complete, and harmless whatever the documents say."""

from __future__ import annotations

import json
import re

import pytest
from markdown_it import MarkdownIt
from tests.doubles import pipeline, statement

from pincite import Document, verify
from pincite.errors import ConfigError
from pincite.renderers.markdown import _harmless
from pincite.renderers.text import printable
from pincite.types import shorten

HOSTILE = Document(
    "fees",
    "Tours cost 5 EUR per \x1b[31mperson\x1b[0m and <img src=x onerror=alert(1)> [click](javascript:alert(2)).",
    title='"><script>alert(3)</script>\n# Fees',
    url="javascript:alert(4)",
)
QUESTION = "What do tours cost per person?"


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_every_form_shows_text_source_and_state(form: str) -> None:
    document = Document(
        "fees", "Guided tours cost 5 EUR per person.", title="Fees", url="https://example.com/fees"
    )
    shown = pipeline(document).ask("What do guided tours cost?").to(form)
    for part in ("5 EUR", "Fees", "https://example.com/fees", "verified"):
        assert part in shown


def test_the_terminal_never_sees_control_characters_of_a_source() -> None:
    shown = pipeline(HOSTILE).ask(QUESTION).to("text")
    assert "\x1b" not in shown
    assert "5 EUR" in shown


def test_markdown_of_a_hostile_source_has_no_tags_and_no_script_links() -> None:
    shown = pipeline(HOSTILE).ask(QUESTION).to("markdown")
    assert "<img" not in shown
    assert "<script" not in shown
    rendered = MarkdownIt().render(shown)
    assert "javascript" not in "".join(re.findall(r"(?:href|src)=\"[^\"]*", rendered))
    assert "<img" not in rendered
    assert "<javascript:" not in shown


def test_pictures_of_a_source_are_not_fetched() -> None:
    document = Document("fees", "Tours cost 5 EUR per person ![x](https://evil.example/?leak) today.")
    rendered = MarkdownIt().render(pipeline(document).ask(QUESTION).to("markdown"))
    assert "5 EUR" in rendered
    assert "<img" not in rendered


@pytest.mark.parametrize(
    "link",
    [
        "[a](javascript:x)",
        "[a]( &#106;avascript:x)",
        "[a](javascript&colon;x)",
        "[a](\njavascript:x)",
        "[a](data:text/html,x)",
        "[a][b]\n\n[b]: javascript&#58;x\n",
        "[a][b]\n\n> [b]: javascript:x\n",
        "[a][b]\n\n- [b]:\n  vbscript:x\n",
        "[a][b\nc]\n\n[b\nc]: javascript:x\n",
    ],
)
def test_a_model_cannot_write_a_link_that_runs(link: str) -> None:
    rendered = MarkdownIt("commonmark", {"html": True}).render(_harmless(f"Tours cost 5 EUR {link}"))
    assert "href" not in rendered


def test_links_of_the_web_and_within_a_site_stay() -> None:
    rendered = MarkdownIt().render(
        _harmless("[a](https://e.org/x?a=1&b=2) [b](/fees) [c][d]\n\n[d]: https://e.org")
    )
    assert rendered.count("href") == 3


def test_a_model_cannot_write_a_footnote_of_its_own() -> None:
    reply = statement(
        "Tours cost 5 EUR per person.\n\n[^1]: Law, § 1: “free” (verified)", ("c-1", "cost 5 EUR")
    )
    document = Document("fees", "Tours cost 5 EUR per person.", title="Fees")
    shown = pipeline(document, replies=[reply]).ask(QUESTION).to("markdown")
    assert re.findall(r"^\[\^1\]: (\w+)", shown, re.MULTILINE) == ["Fees"]


def test_json_holds_offsets_into_the_plain_text_and_the_document() -> None:
    document = Document("fees", "Entry is free. Guided tours cost 5 EUR per person.")
    reply = (
        statement("Guided tours cost 5 EUR per person.", ("c-1", "tours cost 5 EUR"))
        + '{"uncovered_aspects": []}'
    )
    body = json.loads(pipeline(document, replies=[reply]).ask("What do tours cost?").to("json"))
    sentence, citation = body["sentences"][0], body["citations"][0]
    assert body["plain"][sentence["start"] : sentence["end"]] == "Guided tours cost 5 EUR per person."
    span = citation["spans"][0]
    assert document.text[span["doc_start"] : span["doc_end"]] == citation["quote_full"] == "tours cost 5 EUR"
    assert body["offset_unit"] == "codepoint"
    assert body["text"] == "Guided tours cost 5 EUR per person [1]."
    assert body["answer"] == "Guided tours cost 5 EUR per person [c-1]."


def test_json_is_json_even_with_odd_characters() -> None:
    odd = Document("odd", "Tours \u2028 cost \x00 5 EUR per person \U0001f388.")
    answer = pipeline(odd).ask(QUESTION)
    body = json.loads(answer.to("json"))
    assert (body["plain"], body["question"]) == (answer.plain, QUESTION)


def test_an_unknown_form_names_those_there_are() -> None:
    with pytest.raises(ConfigError, match=r"did you mean markdown\?"):
        pipeline().ask(QUESTION).to("markdwn")
    with pytest.raises(ConfigError, match="choose from text, lines, markdown, json"):
        verify("x [1].", ["x"]).to("pdf")


def test_an_abstention_shows_the_reason_and_the_nearest_passages() -> None:
    document = Document("fees", "Guided tours cost 5 EUR per person.", title="Fees")
    shown = pipeline(document).ask("Is there a guided aquarium?").to("text")
    assert "The sources do not answer this question." in shown
    assert "Why: " in shown
    assert "Fees" in shown


def test_a_report_says_for_each_sentence_what_was_found() -> None:
    report = verify(
        "Guided tours cost 50 EUR per person [1]. Dogs wait outside [7].",
        ["Guided tours cost 5 EUR per person."],
    )
    shown = report.to("text")
    assert "2 sentences · 2 citations" in shown
    assert "✗ no such source: [7] was never retrieved (sources are 1–1)" in shown
    assert "50 EUR" in shown
    assert "grounded no" in shown


@pytest.mark.parametrize("char", ["\x07", "\x1b", "\x9b", "\u202e", "\u2066", "\ud800"])
def test_what_steers_a_terminal_is_not_printed(char: str) -> None:
    assert printable(f"a{char}b") == "ab"


def test_a_long_quote_is_cut_at_a_word_and_kept_whole_beside_it() -> None:
    long = "Members may bring one guest " * 20
    cut = shorten(long, 279)
    assert len(cut) <= 279
    assert cut.endswith("…")
    assert cut.count("…") == 1
    assert long.startswith(cut[:-1])
    assert cut[-2] != " "


def test_an_ellipsis_of_the_text_is_not_doubled() -> None:
    assert shorten("one two… three four", 9) == "one two…"


def test_markdown_of_a_report_gives_shares_with_two_places_and_counts_one_as_one() -> None:
    answer = "Entry is free [1]. Tours cost 9 EUR [2]. Dogs may come in [1]."
    shown = verify(answer, ["Entry is free. Dogs may come in.", "Tours cost 5 EUR."]).to("markdown")
    assert shown.startswith("**1 sentence does not hold.**")
    assert shown.endswith("coverage 1.00, citation_accuracy 0.67")


def test_a_report_of_nothing_has_one_empty_line() -> None:
    assert verify("", ["Entry is free."]).to("text").splitlines()[:2] == ["0 sentences · 0 citations", ""]
    assert len(verify("", ["Entry is free."]).to("text").splitlines()) == 3


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_a_cell_is_named_once_behind_its_section(form: str) -> None:
    rag = pipeline("extractive")
    rag.add(Document("plans", "# Plans\n\n| Plan | Price |\n|---|---|\n| Team | 9 EUR |\n| Solo | 3 EUR |\n"))
    shown = rag.ask("What is the price of the Team plan?").to(form)
    assert "row 1, Price" in shown
    assert "Plans, row 1" not in shown.replace("§ Plans, row 1", "")


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_a_report_quotes_beside_each_sentence_what_is_about_it(form: str) -> None:
    source = "Hats cost 5 EUR. Our shop is open until 6 pm on every day. Gloves cost 9 EUR."
    shown = verify("Hats cost 5 EUR [1]. Gloves cost 7 EUR [1].", [source]).to(form)
    assert not [line for line in shown.splitlines() if "Hats cost 5" in line and "Gloves cost 9" in line]
    assert "Gloves cost 9 EUR." in shown


def test_a_report_quotes_the_place_that_differs_rather_than_the_one_with_most_words() -> None:
    source = (
        "Parents get 16 weeks of paid leave. The shop is closed on Mondays. It is announced 8 weeks before."
    )
    report = verify("Parents get 16 weeks of paid leave [1] and announce it 6 weeks before [1].", [source])
    differs = next(line for line in report.to("text").splitlines() if line.startswith("     ✗"))
    assert "8 weeks before" in differs
    assert "16 weeks" not in differs


@pytest.mark.parametrize(
    ("sentence", "source", "said"),
    [
        (
            "Refunds are paid within 30 days [1].",
            "Refunds are paid within 30 days if the ticket is unused.",
            "answer leaves out “if the ticket is unused”",
        ),
        (
            "The hut sleeps six people [1].",
            "The hut sleeps at most 6 persons.",
            "answer leaves out “at most 6”",
        ),
        ("The lift starts at 8 am [1].", "The lift starts at 9 am.", "answer says 8 am, source says 9 am"),
    ],
)
def test_a_report_says_what_the_answer_leaves_out_in_words_that_can_be_read(
    sentence: str, source: str, said: str
) -> None:
    report = verify(sentence, [source])
    assert str(report).endswith(said)
    assert "nothing" not in report.to("text")


def test_a_report_says_what_its_figures_count() -> None:
    last = verify("The lift starts at 9 am.", ["The lift starts at 9 am."]).to("text").splitlines()[-1]
    assert last.startswith("coverage 0.00 (share of factual sentences that carry a citation)")
    assert "ids alone" not in last
