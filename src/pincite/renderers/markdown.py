"""Markdown with footnotes. Source text is escaped: nothing of a document becomes markup or a live link."""

from __future__ import annotations

import re

from pincite.answer import GOOD, Answer, Conflict, Report
from pincite.findings import Citation
from pincite.prompts import in_language, phrase
from pincite.renderers.text import (
    cell_of,
    confidence_of,
    figure,
    one_line,
    page_of,
    places_about,
    printable,
    status_word,
    verified_of,
)
from pincite.text.printing import print_markers
from pincite.types import PLACEHOLDER_SECTIONS, shorten

_SPECIAL = re.compile(r"([\\`*_\[\]>|#~!])")
# Destinations that stay links: of the web, of mail, or without anything that could become a scheme: "&#58;" is a colon.
_WEB = r"\s*(?:https?://|mailto:)"
_OTHER_LINK = re.compile(rf"\]\((?!{_WEB}|\s*[^\s:&\\<>()]*[\s)])", re.IGNORECASE)
_OTHER_TARGET = re.compile(rf"\]:(?!{_WEB}|\s*[^\s:&\\<>()]*(?:\s|\Z))", re.IGNORECASE)
_FOOTNOTE = re.compile(r"^([ \t>*+\-\d.)]*\[\^[^\]\n]{1,200}\]):", re.MULTILINE)
_SAFE_URL = re.compile(r"https?://[^\s<>()\"'\\]+\Z", re.IGNORECASE)


def escaped(text: str) -> str:
    """``text`` as one line that Markdown shows as it is written.

    >>> escaped("[click](javascript:x) <b>")
    '\\\\[click\\\\](javascript:x) &lt;b\\\\>'
    """
    return _without_html(_SPECIAL.sub(r"\\\1", one_line(text)))


def answer_markdown(answer: Answer) -> str:
    """The answer with ``[^n]`` footnotes, the verification line, and what is not covered."""
    labels = {citation.id: f"^{citation.n}" for citation in answer.citations}
    body = print_markers(answer.plain, answer.pointers, labels=labels, sentences=answer.sentence_spans)
    parts = [_harmless(printable(body))]
    if answer.abstained and answer.reason:
        parts.append(f"*{escaped(answer.reason)}*")
        parts += [
            f"- {escaped(one.document.title or one.chunk_id)}: {escaped(one.preview)}"
            for one in answer.snippets
        ]
    if answer.citations:
        parts.append("\n".join(_footnote(citation, answer.language) for citation in answer.citations))
    parts += [_disagreement(conflict, answer.language) for conflict in answer.conflicts]
    if answer.uncovered_aspects and not answer.abstained:
        aspects = "\n".join(f"> - {escaped(aspect)}" for aspect in answer.uncovered_aspects)
        heading = phrase("heading.not_covered_by_sources", answer.language)
        parts.append(f"> **{heading}**\n>\n{aspects}")
    parts += [escaped(in_language(note, answer.language)) for note in answer.notes]
    counts = answer.metrics
    if counts.verified + counts.unverified:
        parts.append(f"*{verified_of(answer)} · {confidence_of(answer)}*")
    return "\n\n".join(parts)


def _without_html(text: str) -> str:
    """Tags do not become HTML."""
    return text.replace("<", "&lt;")


def _harmless(text: str) -> str:
    """Markdown that a model or a document wrote stays, without tags, pictures, footnotes, and links that are no web links.

    A picture would be fetched from wherever the text says as soon as the answer is shown; a footnote would pass for
    one of ours.
    """
    text = _without_html(text).replace("![", "!\\[")
    return _OTHER_LINK.sub(r"]\\(", _OTHER_TARGET.sub(r"]\\:", _FOOTNOTE.sub(r"\1\\:", text)))


def _footnote(citation: Citation, language: str | None) -> str:
    document = citation.document
    place = [escaped(document.title or document.doc_id)]
    if page := page_of(citation, language):
        place.append(escaped(page))
    if citation.section and citation.section not in PLACEHOLDER_SECTIONS:
        place.append("§ " + escaped(" > ".join(citation.section)))
    place += map(escaped, cell_of(citation, language))
    if document.published_date:
        place.append(escaped(document.published_date))
    link = f" <{document.url}>" if _SAFE_URL.match(document.url) else ""
    return f"[^{citation.n}]: {', '.join(place)}: “{escaped(citation.quote)}” ({status_word(citation.status, language)}){link}"


def _disagreement(conflict: Conflict, language: str | None) -> str:
    return f"> **{phrase('disagree', language)}:** {escaped(in_language(conflict.reason, language))}"


def report_markdown(report: Report) -> str:
    """A table of the sentences with what was found for each."""
    rows = ["| # | sentence | result | source says |", "|---|---|---|---|"]
    for sentence in report.sentences:
        checks = sentence.verdict.checks
        marks = ", ".join(
            f"{'✓' if check.status in GOOD else '✗'} {escaped(report.shown_id(check.citation_id))} {check.status}"
            for check in checks
        )
        cited = {citation.id: citation for citation in report.citations}
        said = " / ".join(
            escaped(shorten(places_about(sentence.text, cited[check.citation_id].exact, check), 120))
            for check in checks
            if check.citation_id in cited
        )
        rows.append(
            f"| {sentence.index + 1} | {escaped(sentence.text)} | {marks or sentence.support} | {said} |"
        )
    disagreements = [line for one in report.conflicts for line in (_disagreement(one, None), "")]
    counts = report.metrics
    head = "**All citations hold.**" if report.ok else f"**{_failed(len(report.failed))}**"
    figures = (
        f"coverage {figure(counts.citation_coverage)}, citation_accuracy {figure(counts.citation_accuracy)}"
    )
    return "\n".join([head, "", *rows, "", *disagreements, figures])


def _failed(number: int) -> str:
    return "1 sentence does not hold." if number == 1 else f"{number} sentences do not hold."
