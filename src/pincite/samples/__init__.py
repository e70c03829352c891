"""The shipped example: the help centre of Havrelo, an invented maker of scanners and a document archive.

``en/`` holds thirteen articles, ``de/``, ``ja/`` and ``ar/`` nine of them each, as JSON and as Markdown with front
matter. ``golden.jsonl`` holds 250 questions with what an answer to them must and must not say; see docs/evaluation.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """A question of the demo and what a right answer looks like.

    Args:
        shows: What the question is there to show.
        expected_doc_ids: Documents that the answer must cite, in the order of its parts; empty when it abstains.
        must_include, must_not_include: Words of the answer, compared with any white space as one blank.
        expected_uncovered: Words of the question's parts that no document answers.
        must_abstain: Whether the documents say nothing at all.
    """

    question: str
    shows: str
    expected_doc_ids: tuple[str, ...] = ()
    must_include: tuple[str, ...] = ()
    must_not_include: tuple[str, ...] = ()
    expected_uncovered: tuple[str, ...] = ()
    must_abstain: bool = False


DEMO_QUESTIONS: tuple[DemoQuestion, ...] = (
    DemoQuestion(
        question="How large can a single file be on the Studio plan, and how long does a deleted file stay in the trash?",
        shows="the answer stands in two documents",
        expected_doc_ids=("doc-upload-limits", "doc-retention"),
        must_include=("250 MB", "30 days"),
        must_not_include=("90 days",),
    ),
    DemoQuestion(
        question="Within how many days of delivery can I return a Reed scanner, and does it work with Linux?",
        shows="one part of the question is not covered",
        expected_doc_ids=("doc-returns-2026",),
        must_include=("30 days",),
        must_not_include=("works with Linux",),
        expected_uncovered=("Linux",),
    ),
    DemoQuestion(
        question="What is the largest single file I can upload on the Solo plan?",
        shows="two numbers that are easily mixed up",
        expected_doc_ids=("doc-upload-limits",),
        must_include=("25 MB",),
        must_not_include=("250 MB", "25 GB", "2.5 GB"),
    ),
    DemoQuestion(
        question="Can I send a fax with Havrelo?",
        shows="not in the documents",
        must_not_include=("you can send a fax",),
        must_abstain=True,
    ),
)


def samples_dir() -> Path:
    """The folder with ``en/``, ``de/``, ``ja/``, ``ar/`` and ``golden.jsonl``.

    >>> (samples_dir() / "en" / "shipping.md").is_file()
    True
    """
    return Path(str(files("pincite.samples")))
