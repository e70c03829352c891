"""Words that a hyphen parts at the end of a line, as lines of a PDF or a letter end."""

from __future__ import annotations

import pytest

from pincite import verify
from pincite.findings import Support


def support(answer: str, source: str) -> Support:
    return verify(f"{answer} [1].", [source]).sentences[0].support


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        (
            "The transfer of files takes ten minutes",
            "Note that the trans-\nfer of files takes ten min-\r\n  utes.",
        ),
        ("Files can be transferred", "Files can be trans\u00ad\nferred."),
        ("Die Rückgabefrist beträgt 30 Tage", "Die Rückgabe-\nfrist beträgt 30 Tage."),
        ("Long-term storage of files is free", "Please note that long-\nterm storage of files is free."),
        ("The infor-\nmation is public", "The information is public."),
    ],
)
def test_a_word_that_a_line_end_parts_is_one_word(answer: str, source: str) -> None:
    assert support(answer, source) is Support.SUPPORTED


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("The transport of files takes ten minutes", "The trans-\nfer of files takes ten minutes."),
        ("The formation is public", "The infor-\nmation is public."),
        ("The information is secret", "The infor-\nmation is public."),
    ],
)
def test_its_parts_are_not_other_words(answer: str, source: str) -> None:
    assert support(answer, source) is not Support.SUPPORTED
