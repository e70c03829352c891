"""Properties of chunks, over texts made of the pieces that Markdown is made of."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.chunk import assign_ids, chunk
from pincite.text.cut import fixed_windows
from pincite.text.outline import Node, outline
from pincite.text.sentences import sentences_of
from pincite.text.view import chunk_view
from pincite.types import Chunk, Document, Span

PIECES = (
    "# ", "## ", "### A\n", "- ", "1. ", "> ", "    ", "```\n", "~~~sh\n", "| a | b |\n", "|---|---|\n", "---\n", "===\n",
    "\n", "\n\n", "\r\n", "\f", "\t", " ", "word ", "Stop. ", "Lead in:\n\n", "日本語。", "ไทย", "a\u0301\u0301", "👩\u200d👧", "\u202e",
    "\0", "\ud800", "<table>\n", "<tr><td>x</td></tr>\n", "[a]: b\n", "x" * 30, "5 EUR", "{#id}\n", "\u2028", "</details>\n",
)  # fmt: skip

texts = st.one_of(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.text(max_size=60)).filter(
    lambda text: bool(text.strip())
)
limits = st.integers(1, 60)


def leaves(nodes: tuple[Node, ...]) -> list[Node]:
    return [leaf for node in nodes for leaf in (node, *leaves(node.children))]


def check(document: Document, chunks: tuple[Chunk, ...]) -> None:
    text = document.text
    covered = [False] * len(text)
    for ordinal, piece in enumerate(chunks):
        assert piece.ordinal == ordinal
        assert piece.text == piece.span.of(text)
        assert piece.text.strip() == piece.text != ""
        assert piece.context_texts == tuple(span.of(text) for span in piece.context)
        assert all(span.end <= piece.span.start for span in piece.context)
        sentences = sentences_of(piece)
        assert all(piece.span.contains(sentence) for sentence in sentences)
        assert list(sentences) == sorted(sentences)
        view = chunk_view(piece)
        assert view.back(Span(0, len(view.text))) == (*piece.context, piece.span)
        covered[piece.span.start : piece.span.end] = [True] * len(piece.span)
    assert all(char.isspace() or held for char, held in zip(text, covered, strict=True))
    assert len({piece.chunk_id for piece in chunks}) == len(chunks)


@given(texts)
@settings(max_examples=100)
def test_the_parts_of_a_block_follow_each_other_and_hold_all_of_it(text: str) -> None:
    def check_parts(nodes: tuple[Node, ...], whole: Span) -> None:
        at = whole.start
        for node in nodes:
            assert at <= node.span.start < node.span.end <= whole.end
            assert not text[at : node.span.start].strip()
            at = node.span.end
            if node.children:
                check_parts(node.children, node.span)
        assert not text[at : whole.end].strip()

    check_parts(outline(text), Span(0, len(text)))


@given(texts, limits)
@settings(max_examples=200)
def test_structure_chunks_hold_everything_once_and_in_order(text: str, max_chars: int) -> None:
    document = Document("d", text, format="markdown")
    chunks = chunk(document, max_chars=max_chars)
    check(document, chunks)
    assert all(a.span.end <= b.span.start for a, b in pairwise(chunks))


@given(texts, limits)
@settings(max_examples=100)
def test_no_closed_fence_and_no_row_is_cut(text: str, max_chars: int) -> None:
    chunks = chunk(Document("d", text, format="markdown"), max_chars=max_chars)
    for leaf in leaves(outline(text)):
        if leaf.kind == "row" or (leaf.kind == "fence" and leaf.closed):
            start = leaf.span.start + len(leaf.span.of(text)) - len(leaf.span.of(text).lstrip())
            assert any(piece.span.contains(Span(start, leaf.span.end)) for piece in chunks)


@given(texts, limits)
@settings(max_examples=100)
def test_sentence_chunks_hold_everything_once_and_in_order(text: str, max_chars: int) -> None:
    document = Document("d", text, format="markdown")
    chunks = chunk(document, strategy="sentence", max_chars=max_chars)
    check(document, chunks)
    assert all(a.span.end <= b.span.start for a, b in pairwise(chunks))


@given(texts, limits, st.data())
@settings(max_examples=200)
def test_fixed_chunks_hold_everything_and_each_holds_something_new(
    text: str, size: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    document = Document("d", text)
    chunks = chunk(document, strategy="fixed", size=size, overlap=overlap)
    check(document, chunks)
    for before, after in pairwise(chunks):
        assert before.span.start < after.span.start
        assert before.span.end < after.span.end
        assert before.span.end - after.span.start <= overlap
    assert all(len(piece.text) <= size for piece in chunks)


@given(
    st.lists(st.sampled_from(("one", "two", "three four", "five")), min_size=1, max_size=12),
    st.integers(5, 20),
)
def test_fixed_windows_cut_no_word_that_fits(words: list[str], size: int) -> None:
    text = " ".join(words)
    whole = set(text.split())
    for window in fixed_windows(text, size, size // 2):
        assert set(window.of(text).split()) <= whole


versions = st.lists(st.sampled_from(("a", "b", "c", "d", "e", "f")), min_size=1, max_size=7)


@given(st.lists(versions, min_size=1, max_size=6))
@settings(max_examples=200)
def test_no_chunk_id_ever_denotes_two_texts(history: list[list[str]]) -> None:
    meaning: dict[str, str] = {}
    old: tuple[Chunk, ...] = ()
    next_n = 0
    for names in history:
        text = "\n\n".join(f"## {name}\n\nText of {name}." for name in names)
        new, next_n = assign_ids(chunk(Document("d", text)), old, next_n)
        ids = [piece.chunk_id for piece in new]
        assert len(set(ids)) == len(ids)
        for piece in new:
            assert meaning.setdefault(piece.chunk_id, piece.content_hash) == piece.content_hash
        kept = {piece.content_hash for piece in old} & {piece.content_hash for piece in new}
        assert kept <= {meaning[name] for name in {piece.chunk_id for piece in old} & set(ids)}
        old = new
