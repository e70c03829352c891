"""Markers keep their promises on any answer: offsets, printing and parsing, streams cut anywhere."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.findings import Pointer
from pincite.text.markers import parse_markers, print_markers, renumber
from pincite.text.streaming import MarkerStream

IDS = ("1", "2", "3")
PIECES = [
    *("[1]", "[2, p. 5]", "[1-3]", "【2†a】", "[[3]]", "(ID:2)", "(1)", "[^1]", "\\[1\\]", "[9]", "［2］", "\ue200cite\ue2021\ue201"),
    *("[", "]", "[1", "`", "`x[1]`", "$", "$x[1]$", "](http://x.y)", "[a](b[2])", "\n\n```\n", "\n\n", "\n- ", "\n## ", "\n> ", "\n| a | b [1] |\n"),
    *("Fees are low. ", "Is it free? ", "Dr. Ames", " No. 5 ", "退款期限为三十天。", "はい", "क्या? ", "ไทย ", " ", "  ", "\n", ".", ", ", "\"", "“", "”", "(", ")", "*", "**", "é", "\u0301", "🎈", "\ud800", "\0", "\u202e"),
]  # fmt: skip
answers = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
any_text = st.text(max_size=60)


@settings(max_examples=150)
@given(answers | any_text)
def test_plain_is_the_answer_with_pieces_left_out(text: str) -> None:
    parsed = parse_markers(text, IDS)
    assert "".join(text[start : start + length] for _, start, length in parsed.pieces) == parsed.plain
    ends = [start + length for _, start, length in parsed.pieces]
    assert all(end <= start for end, (_, start, _) in zip(ends, parsed.pieces[1:], strict=False))


@settings(max_examples=150)
@given(answers | any_text)
def test_markers_lie_inside_and_belong_to_one_sentence(text: str) -> None:
    parsed = parse_markers(text, IDS)
    for marker in parsed.markers:
        assert marker.span.end <= len(text)
        assert marker.at <= len(parsed.plain)
        assert marker.sentence is None or marker.sentence < len(parsed.sentences)
        if marker.sentence is not None:
            assert parsed.sentences[marker.sentence].contains(marker.clause)


@settings(max_examples=150)
@given(answers)
def test_a_span_of_plain_finds_its_words_in_the_answer(text: str) -> None:
    parsed = parse_markers(text, IDS)
    for span in parsed.sentences:
        there = parsed.original(span).of(text)
        assert there[:1] == span.of(parsed.plain)[:1]
        assert there[-1:] == span.of(parsed.plain)[-1:]


@settings(max_examples=150)
@given(answers, st.data())
def test_a_stream_cut_anywhere_shows_beginnings_and_no_half_marker(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    whole = parse_markers(text, IDS)
    stream, shown, found = MarkerStream(IDS), "", []
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        step = stream.feed(text[start:end])
        shown += step.text
        found += step.found
        assert text.startswith(shown)
        assert not any(marker.span.start < len(shown) < marker.span.end for marker in whole.markers)
    last = stream.rest()
    assert shown + last.text == text
    spans = [one.span for one in (*found, *last.found) for _ in one.cited]
    assert spans == [marker.span for marker in whole.markers]
    assert stream.finish() == whole


@settings(max_examples=60)
@given(answers)
def test_a_stream_cut_after_every_character_shows_no_half_marker(text: str) -> None:
    markers = parse_markers(text, IDS).markers
    stream, shown = MarkerStream(IDS), ""
    for char in text:
        shown += stream.feed(char).text
        assert not any(marker.span.start < len(shown) < marker.span.end for marker in markers)
    assert shown + stream.rest().text == text


words = st.sampled_from(["open", "free", "5 EUR", "**warm**", "`a b`", "3.5", "返品", "(dry)", "“nice”"])
sentences_of_words = st.lists(
    st.tuples(st.lists(words, min_size=1, max_size=4).map(" ".join), st.sampled_from([".", "!", "?"])),
    min_size=1,
    max_size=4,
).map(lambda parts: " ".join(f"It is {body}{stop}" for body, stop in parts))


@settings(max_examples=150)
@given(sentences_of_words, st.data())
def test_what_is_printed_is_read_back(plain: str, data: st.DataObject) -> None:
    sentences = parse_markers(plain, IDS).sentences
    cited = data.draw(
        st.lists(
            st.lists(st.sampled_from(IDS), unique=True, max_size=2),
            min_size=len(sentences),
            max_size=len(sentences),
        )
    )
    pointers = [Pointer(one, span.end) for span, ids in zip(sentences, cited, strict=True) for one in ids]
    for style in ("c", "source"):
        parsed = parse_markers(print_markers(plain, pointers, style, sentences=sentences), IDS)  # type: ignore[arg-type]
        assert parsed.plain == plain
        assert [parsed.cites(index) for index in range(len(sentences))] == list(map(tuple, cited))


@settings(max_examples=100)
@given(answers)
def test_renumbering_twice_changes_nothing_more(text: str) -> None:
    once, order = renumber(text, IDS)
    again, names = renumber(once, [str(number) for number in range(1, len(order) + 1)])
    if "[?]" not in once and not parse_markers(text, IDS).unknown_ids:
        assert (again, len(names)) == (once, len(order))
