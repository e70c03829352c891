"""For the terminal. Control characters and direction overrides of a source never reach it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import replace

from pincite.answer import GOOD, Answer, Report
from pincite.findings import Citation, CitationCheck, CitationStatus, Difference, Sentence, Support
from pincite.prompts import in_language, phrase
from pincite.text.printing import print_markers, without_stop
from pincite.text.words import content_words, detect_language
from pincite.types import PLACEHOLDER_SECTIONS, Span, shorten

QUOTE_CHARS = 160
SHOWN_DIFFERENCES = 4
CHOSEN_FROM_CHARS = 4_000
"""Of longer quotes no places are chosen: it is done for each sentence, and an answer may have thousands."""
WORD_WIDTH = len("partly supported")
"""The longest word for what was found: what stands behind it is in one column."""

ENDED = ("superseded", "retracted")
"""States of a document that have a sentence of their own."""

LEFT_OUT_CHARS = 60
"""Of a clause that the answer leaves out."""
PLACE_DIGITS = 9
_CLAUSE_ENDS = tuple(",;:.!?()。、，；：！？")

_TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Turn the reading direction: embeddings, overrides, isolates and what ends them."""

_SUPPORT_SIGNS = {
    Support.SUPPORTED: "✓",
    Support.PARTIAL: "~",
    Support.CONTRADICTED: "✗",
    Support.UNSUPPORTED: "✗",
    Support.UNCHECKED: "?",
}
_STATUS_SIGNS = {status: "✓" if status in GOOD else "✗" for status in CitationStatus} | {
    CitationStatus.NOT_CHECKABLE: "?"
}


def printable(text: str) -> str:
    """``text`` without anything that steers a terminal or turns the reading direction. Line breaks and tabs stay.

    >>> printable("red\\x1b[31m \\u202eevil")
    'red[31m evil'
    """
    return "".join(char for char in text if char in "\n\t" or not _steers(char))


def _steers(char: str) -> bool:
    return char in _TURNS or unicodedata.category(char) in ("Cc", "Cs")


def one_line(text: str) -> str:
    """``printable`` text with every run of white space as one blank."""
    return " ".join(printable(text).split())


# --- answers ------------------------------------------------------------------------------------


def answer_text(answer: Answer) -> str:
    """The answer with superscript numbers, its sources by document, what is not covered, and one line of figures."""
    numbers = {citation.id: str(citation.n) for citation in answer.citations}
    body = print_markers(
        answer.plain, answer.pointers, "superscript", labels=numbers, sentences=answer.sentence_spans
    )
    parts = [printable(body)]
    if answer.abstained:
        parts += _declined(answer)
    if answer.citations:
        parts.append("\n".join([phrase("heading.sources", answer.language), *_source_lines(answer)]))
    for conflict in answer.conflicts:
        parts.append("! " + disagreement(conflict.reason, answer.language))
    parts += [printable(in_language(note, answer.language)) for note in answer.notes]
    if answer.uncovered_aspects and not answer.abstained:
        parts.append(
            "\n".join(
                [
                    f"{phrase('heading.not_covered', answer.language)}:",
                    *(f"  {one_line(aspect)}" for aspect in answer.uncovered_aspects),
                ]
            )
        )
    parts += [f"! {one_line(in_language(warning, answer.language))}" for warning in answer.warnings]
    parts.append(_figures(answer))
    return "\n\n".join(parts)


def _declined(answer: Answer) -> list[str]:
    why = phrase("heading.why", answer.language)
    parts = [f"{why}: {one_line(answer.reason)}"] if answer.reason else []
    if answer.snippets:
        lines = [phrase("heading.nearest", answer.language)]
        for snippet in answer.snippets:
            lines.append(
                f"  {one_line(snippet.document.title or snippet.document.doc_id)} · {one_line(snippet.why)}"
            )
            lines.append(f"    “{one_line(snippet.preview)}”")
        parts.append("\n".join(lines))
    return parts


def _source_lines(answer: Answer) -> Iterable[str]:
    by_document: dict[str, list[Citation]] = {}
    for citation in answer.citations:
        by_document.setdefault(citation.doc_id, []).append(citation)
    for group in by_document.values():
        document = group[0].document
        parts = [document.title or document.doc_id, document.url, document.published_date or ""]
        yield "  " + " · ".join(one_line(part) for part in parts if part)
        if document.status != "current":
            yield f"    ! {document_status(document.status, answer.language)}"
        for citation in group:
            yield f"    [{citation.n}] {_place(citation, answer.language)}{status_word(citation.status, answer.language)}"
            yield (
                f"        “{one_line(shorten(citation.exact, QUOTE_CHARS))}”"
                if citation.exact
                else f"        {phrase('place.no_passage', answer.language)}"
            )


def _place(citation: Citation, language: str | None) -> str:
    parts = [page] if (page := page_of(citation, language)) else []
    if citation.section and citation.section not in PLACEHOLDER_SECTIONS:
        parts.append("§ " + " > ".join(citation.section))
    parts += cell_of(citation, language)
    return one_line(", ".join(parts)) + " · " if parts else ""


def page_of(citation: Citation, language: str | None) -> str:
    """The page that is cited; empty without one."""
    if citation.page_index is None:
        return ""
    return phrase("place.page", language).format(number=citation.page_label or citation.page_index + 1)


def status_word(status: CitationStatus, language: str | None) -> str:
    """What was found of a citation, as readers are told.

    >>> status_word(CitationStatus.NOT_CHECKABLE, "en"), status_word(CitationStatus.VERIFIED, "de")
    ('could not be checked', 'bestätigt')
    """
    return phrase(f"status.{status.value}", language)


def document_status(status: str, language: str | None) -> str:
    """That a document does not hold any more."""
    return (
        phrase(f"document.{status}", language) if status in ENDED else f"this document is {one_line(status)}"
    )


def disagreement(reason: str, language: str | None) -> str:
    """That two sources disagree, and how."""
    said = one_line(in_language(reason, language))
    return one_line(f"{phrase('disagree', language)}: {said}")


def confidence_of(answer: Answer) -> str:
    """How sure the answer is, as number and word."""
    label = phrase(f"confidence.{answer.confidence_label}", answer.language)
    return phrase("confidence", answer.language).format(value=f"{answer.confidence:.2f}", label=label)


def verified_of(answer: Answer, form: str = "citations_verified") -> str:
    """How many of its citations were verified; ``form`` is the phrase for it."""
    counts = answer.metrics
    return phrase(form, answer.language).format(good=counts.verified, all=counts.verified + counts.unverified)


def cell_of(citation: Citation, language: str | None) -> list[str]:
    """The cell that is cited, behind the section: without the table's name where the section has just said it.

    Empty when no one cell is cited.
    """
    cell = citation.address
    if not cell:
        return []
    is_said = bool(citation.section) and cell.table == citation.section[-1]
    parts = (
        phrase("place.cell", language).format(cell=cell.cell) if cell.cell else "",
        "" if is_said else cell.table,
        "" if cell.row is None else phrase("place.row", language).format(number=cell.row),
        cell.column,
    )
    return [", ".join(part for part in parts if part)]


def _figures(answer: Answer) -> str:
    counts = answer.metrics
    seconds = sum(answer.timing_ms.values()) / 1000
    cited = (
        f"{verified_of(answer, 'citations_verified.short')} · " if counts.verified + counts.unverified else ""
    )
    sure = "" if answer.abstained else f"{confidence_of(answer)} · "
    return f"{cited}{sure}{seconds:.2f} s · {answer.id}"


# --- reports ------------------------------------------------------------------------------------


def report_lines(report: Report) -> str:
    """A line for each sentence with what was found for each of its citations: what ``print(report)`` shows.

    ``✓ [1] supported   ✗ [2] contradicted: answer says 90 days, source says 30 days``
    """
    lines = []
    for sentence in report.sentences:
        found = [_check_line(report, check) for check in sentence.verdict.checks]
        if sentence.factual and not found:
            sign = "~" if sentence.verdict.backed_by else _SUPPORT_SIGNS[sentence.support]
            found = [f"{sign} uncited: {_numbered(report, one_line(sentence.reason))}"]
        if found:
            lines.append("   ".join(found))
    lines += [
        f"! {one_line(drift)} looks like a citation but is not in a known form"
        for drift in report.format_drift
    ]
    return "\n".join(lines) if lines else "nothing to check: no factual sentence"


def _check_line(report: Report, check: CitationCheck) -> str:
    sign, word = _STATUS_SIGNS[check.status], _status_word(check)
    label = report.shown_id(check.citation_id)
    if check.status is CitationStatus.VERIFIED:
        return f"{sign} [{label}] supported"
    source = _source_of(report, check)
    said = "; ".join(told(difference, source) for difference in check.differences[:SHOWN_DIFFERENCES])
    return f"{sign} [{label}] {word}: {said or _numbered(report, one_line(check.reason))}"


def told(difference: Difference, source: str = "") -> str:
    """What differs, in words: both sides, or what one of them leaves out.

    Args:
        source: The text that ``difference.source_span`` is in; a small word is shown with those beside it.

    >>> told(Difference("date", "8 am.", "9 am."))
    'answer says 8 am, source says 9 am'
    >>> text = "Refunds are paid within 30 days if the ticket is unused."
    >>> told(Difference("condition", "", "if", None, Span(32, 34)), text)
    'answer leaves out “if the ticket is unused”'
    >>> told(Difference("word", "fully", ""))
    '“fully” is not in the source'
    """
    if not difference.source:
        return f"“{_bare(difference.answer)}” is not in the source"
    if difference.answer:
        return f"answer says {_bare(difference.answer)}, source says {_bare(difference.source)}"
    return f"answer leaves out “{_with_words_beside(difference, source)}”"


def _bare(value: str) -> str:
    return without_stop(one_line(value))


def _with_words_beside(difference: Difference, source: str) -> str:
    """A word of the source with the rest of its clause, where it is found there; amounts stand for themselves."""
    span = difference.source_span
    word = difference.source
    if span is None or span.of(source).casefold() != word.casefold() or any(map(str.isdigit, word)):
        return _bare(word)
    end = span.end
    while end < len(source) and end - span.end < LEFT_OUT_CHARS and source[end] not in _CLAUSE_ENDS:
        end += 1
    if end < len(source) and source[end] not in _CLAUSE_ENDS:
        end = max(source.rfind(" ", span.end, end), span.end)
    start = span.start
    if not source[span.end : end].strip():
        # The last word of its clause: what stands before says what it is about.
        start = max(source.rfind(mark, 0, span.start) for mark in (*_CLAUSE_ENDS, "\n")) + 1
        start = max(start, span.start - LEFT_OUT_CHARS)
    return one_line(source[start:end]).strip()


def _source_of(report: Report, check: CitationCheck) -> str:
    """The text of the passage that was checked; empty for one that was never retrieved."""
    number = check.citation_id.removeprefix("c-")
    place = int(number) if number.isdecimal() and number.isascii() and len(number) < PLACE_DIGITS else 0
    return report.hits[place - 1].chunk.text if 0 < place <= len(report.hits) else ""


def _status_word(check: CitationCheck) -> str:
    if check.status is CitationStatus.UNVERIFIED and check.support in (Support.PARTIAL, Support.UNSUPPORTED):
        return "partly supported" if check.support is Support.PARTIAL else "not supported"
    return check.status.value.replace("_", " ")


def _numbered(report: Report, reason: str) -> str:
    """Prompt ids in a reason as the answer wrote them."""
    for number in range(len(report.hits), 0, -1):
        reason = reason.replace(f"c-{number} ", f"[{report.shown_id(f'c-{number}')}] ")
    return reason


def report_text(report: Report) -> str:
    """Every sentence with what was found for it, then the counts."""
    lines = [_summary(report), *([""] if report.sentences else [])]
    for sentence in report.sentences:
        lines += _sentence_block(report, sentence)
    for drift in report.format_drift:
        lines.append(f"  ! {one_line(drift)} looks like a citation but is not in a known form")
    for conflict in report.conflicts:
        lines.append(f"  ! The sources disagree: {one_line(conflict.reason)}")
    lines += ["", _counts(report)]
    return "\n".join(lines)


def _summary(report: Report) -> str:
    checks = [check for sentence in report.sentences for check in sentence.verdict.checks]
    words = [_status_word(check) if check.status not in GOOD else "supported" for check in checks]
    words = ["invented" if word == "invalid" else word for word in words]
    counted = " · ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
    head = f"{_count(len(report.sentences), 'sentence')} · {_count(len(checks), 'citation')}"
    return f"{head}    {counted}" if counted else head


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _sentence_block(report: Report, sentence: Sentence) -> list[str]:
    labels = {check.citation_id: report.shown_id(check.citation_id) for check in sentence.verdict.checks}
    start = sentence.span.start
    pointers = [replace(pointer, at=pointer.at - start) for pointer in sentence.claim.pointers]
    whole = (Span(0, len(sentence.text)),)
    shown = print_markers(sentence.text, pointers, labels=labels, sentences=whole)
    lines = [f"{sentence.index + 1:>3}  {one_line(shown)}"]
    for check in sentence.verdict.checks:
        lines += _check_block(report, check, sentence.text)
    if sentence.factual and not sentence.verdict.checks:
        lines.append(
            f"     {_SUPPORT_SIGNS[sentence.support]} {_numbered(report, one_line(sentence.reason))}"
        )
    return lines


def _check_block(report: Report, check: CitationCheck, sentence: str) -> list[str]:
    sign, label = _STATUS_SIGNS[check.status], report.shown_id(check.citation_id)
    if check.status is CitationStatus.INVALID:
        last = len(report.hits)
        return [f"     {sign} no such source: [{one_line(label)}] was never retrieved (sources are 1–{last})"]
    cited = next((one for one in report.citations if one.id == check.citation_id), None)
    place = one_line(cited.source) if cited else label
    quote = (
        f"“{one_line(shorten(places_about(sentence, cited.exact, check), QUOTE_CHARS))}”"
        if cited and cited.exact
        else "(no matching passage)"
    )
    word = "supported" if check.status in GOOD else _status_word(check)
    lines = [f"     {sign} [{label}] {word:<{WORD_WIDTH}} {place}  {quote}  {_how(check)}".rstrip()]
    source = _source_of(report, check)
    for difference in check.differences[:SHOWN_DIFFERENCES]:
        if not difference.answer or not difference.source:
            lines.append(f"                    {told(difference, source)}")
            continue
        lines.append(f"                    answer  {_bare(difference.answer)}    {difference.kind} differs")
        lines.append(f"                    source  {_bare(difference.source)}")
    if check.status not in GOOD and not check.differences:
        lines.append(f"                    {_numbered(report, one_line(check.reason))}")
    return lines


def places_about(sentence: str, quote: str, check: CitationCheck) -> str:
    """Of the places in a source that sentences rest on together, those that have the most words of this one.

    Many sentences of an answer may cite one source; beside each the reader looks for what is about it: what the check
    found there first. All of them when none has a word of it, such as in another language, or when they are many.
    """
    if " … " not in quote or len(quote) > CHOSEN_FROM_CHARS:
        return quote
    places = quote.split(" … ")
    found = [one.source for one in check.differences if one.source]
    places = [place for place in places if any(one in place for one in found)] or places
    language = detect_language(sentence)
    wanted = {token.term for token in content_words(sentence, language)}
    shared = [len(wanted & {token.term for token in content_words(place, language)}) for place in places]
    most = max(shared)
    return " … ".join(place for place, count in zip(places, shared, strict=True) if count == most)


def _how(check: CitationCheck) -> str:
    quote = {"none": "", "derived": "", "exact": "quote exact"}.get(
        check.quote_match, f"quote {check.quote_match}"
    )
    # Padding: the sentence is supported without it.
    spare = "not needed" if check.necessary is False else ""
    return " · ".join(part for part in (quote, spare) if part)


def _counts(report: Report) -> str:
    counts = report.metrics
    return (
        f"coverage {figure(counts.citation_coverage)} (share of factual sentences that carry a citation)   "
        f"citation_accuracy {figure(counts.citation_accuracy)} (share of citations that hold)   "
        f"grounded {'yes' if counts.grounded else 'no'}"
    )


def figure(value: float | None) -> str:
    """A share with two places; a dash where there was nothing to count."""
    return "–" if value is None else f"{value:.2f}"
