"""An answer or a report as HTML that needs nothing else: no script, no other file. Cards open on hover and focus.

Class names and links are those of source 002: ``a.citation`` with ``href="#source-N"``, ``title`` and ``data-source``.
Text of documents and models is escaped, whatever it holds; links go to the web and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from pincite.answer import GOOD, Answer, Report
from pincite.findings import Citation, CitationStatus, Pointer, Sentence, Support
from pincite.prompts import in_language, phrase
from pincite.renderers.links import open_url, web_url
from pincite.renderers.text import (
    cell_of,
    disagreement,
    one_line,
    page_of,
    printable,
    status_word,
    verified_of,
)
from pincite.text.lexicon import base_language
from pincite.types import PLACEHOLDER_SECTIONS, Span

# Of each status: the sign behind a number. The words for it are fixed phrases.
SIGNS: Mapping[CitationStatus, str] = {
    CitationStatus.VERIFIED: "",
    CitationStatus.PARAPHRASED: "≈",
    CitationStatus.CONTRADICTED: "≠",
    CitationStatus.MISATTRIBUTED: "↷",
    CitationStatus.NOT_CHECKABLE: "?",
    CitationStatus.UNVERIFIED: "⚑",
    CitationStatus.INVALID: "×",
}

_RIGHT_TO_LEFT = ("ar", "fa", "he", "ur")

_STYLE = """
.pincite{color-scheme:light dark;font:1rem/1.6 system-ui,sans-serif;max-width:46rem;margin-inline:auto;overflow-wrap:anywhere}
h1.pincite{font-size:1.5rem;line-height:1.25}
.pincite .citation-group{position:relative}
.pincite sup{line-height:0}
.pincite a.citation{display:inline-block;min-width:1.5rem;line-height:1.5rem;text-align:center;border:1px solid;border-radius:.8rem;padding-inline:.3rem;margin-inline:1px;text-decoration:none;color:light-dark(#1c6b3a,#7fd3a0)}
.pincite a.citation.bad{color:light-dark(#a3201d,#ff9c96);border-style:dashed}
.pincite a.citation.unclear{color:light-dark(#565b63,#a9adb4);border-style:dotted}
.pincite .card{position:absolute;z-index:2;inset-inline-start:0;inset-block-start:1.4em;inline-size:min(26rem,80vw);padding:.7rem .9rem;line-height:1.45;font-size:.9rem;text-align:start;background:light-dark(#fff,#1f2226);color:light-dark(#1c1f23,#e8e6e1);border:1px solid;border-radius:8px;visibility:hidden;opacity:0}
.pincite .citation-group:hover .card,.pincite .citation-group:focus-within .card{visibility:visible;opacity:1}
.pincite .card>*{display:block}
.pincite .state{font-weight:600}
.pincite q,.pincite blockquote{font-style:normal;margin:.3rem 0}
.pincite blockquote{border-inline-start:3px solid;padding-inline-start:.7rem;white-space:pre-line}
.pincite .partial,.pincite .unchecked{text-decoration:underline dotted}
.pincite .contradicted,.pincite .unsupported{text-decoration:underline wavy light-dark(#a3201d,#ff9c96)}
.pincite .uncovered{background:light-dark(#fff6d6,#3a2e05);color:light-dark(#4a3600,#ffeaa8);border:1px solid;border-radius:8px;padding:.6rem 1rem}
.pincite .quiet{color:light-dark(#565b63,#a9adb4);font-size:.9rem}
.pincite li{margin-block:.4rem}
@media print{.pincite .card{display:none}}
"""


def answer_html(answer: Answer) -> str:
    """A whole page."""
    return _page(answer.question, answer.language, answer_fragment(answer))


def report_html(report: Report) -> str:
    """A whole page: the answer that was checked, and its sources."""
    return _page("Checked answer", None, report_fragment(report))


def report_fragment(report: Report) -> str:
    """What stands inside a page."""
    held = "Every citation holds." if report.ok else "Not every citation holds."
    why = "".join(
        f"<li dir=auto>{_line(one.text)} <span class=quiet>{_line(one.reason)}</span></li>"
        for one in report.failed
    )
    parts = [
        f"<p><strong>{held}</strong></p>",
        _prose(report.plain, report.sentences, report.citations, None),
        f"<ul>{why}</ul>" if why else "",
        _sources(report.citations, None),
    ]
    return _wrapped(parts, None)


def answer_fragment(answer: Answer) -> str:
    """What stands inside a page, such as a notebook shows: one element with its own style."""
    parts = [_prose(answer.plain, answer.sentences, answer.citations, answer.language)]
    if answer.abstained:
        if answer.reason:
            parts.append(f"<p>{_line(answer.reason)}</p>")
        if answer.snippets:
            items = (
                f"<li><strong>{_line(one.document.title or one.document.doc_id)}</strong> <span class=quiet>{_line(one.why)}</span>"
                f"<blockquote dir=auto>{_text(one.preview)}</blockquote></li>"
                for one in answer.snippets
            )
            parts.append(
                f"<h3>{_line(phrase('heading.nearest', answer.language))}</h3><ul>{''.join(items)}</ul>"
            )
    elif answer.uncovered_aspects:
        aspects = "".join(f"<li dir=auto>{_line(one)}</li>" for one in answer.uncovered_aspects)
        heading = _line(phrase("heading.not_covered", answer.language))
        parts.append(f"<aside class=uncovered role=note><strong>{heading}</strong><ul>{aspects}</ul></aside>")
    parts += [f"<p class=quiet>{_text(in_language(note, answer.language))}</p>" for note in answer.notes]
    parts += [
        f"<p>{_line(disagreement(conflict.reason, answer.language))}</p>" for conflict in answer.conflicts
    ]
    if answer.citations:
        parts.append(_sources(answer.citations, answer.language))
        parts.append(f"<p class=quiet>{_line(verified_of(answer))}</p>")
    return _wrapped(parts, answer.language)


# --- the text -----------------------------------------------------------------------------------


def _prose(
    plain: str, sentences: Sequence[Sentence], citations: Sequence[Citation], language: str | None
) -> str:
    """The text in paragraphs and lists, each sentence in an element that says how it is supported."""
    by_id = {citation.id: citation for citation in citations}
    blocks = []
    for block in _blocks(plain):
        own = [one for one in sentences if block.start <= one.span.start < block.end]
        at, inside = block.start, ""
        for sentence in own:
            inside += _text(plain[at : sentence.span.start]) + _sentence(plain, sentence, by_id, language)
            at = sentence.span.end
        inside += _text(plain[at : block.end])
        lines = inside.split("\n")
        if all(line.startswith(("- ", "* ", "• ")) for line in lines if line):
            items = "".join(f"<li dir=auto>{line[2:]}</li>" for line in lines if line)
            blocks.append(f"<ul>{items}</ul>")
        else:
            blocks.append(f"<p dir=auto>{'<br>'.join(lines)}</p>")
    return "".join(blocks)


def _blocks(text: str) -> Iterable[Span]:
    at = 0
    for part in text.split("\n\n"):
        if part.strip():
            yield Span(at, at + len(part))
        at += len(part) + 2


def _sentence(plain: str, sentence: Sentence, by_id: Mapping[str, Citation], language: str | None) -> str:
    span, out = sentence.span, ""
    at = span.start
    pointers = sorted(dict.fromkeys((one.at, one.id) for one in sentence.claim.pointers))
    known = {one.id: one for one in sentence.claim.pointers}
    for place, cited in pointers:
        stop = min(max(place, at), span.end)
        out += _text(plain[at:stop])
        at = stop
        out += _marker(known[cited], sentence, by_id, language)
    out += _text(plain[at : span.end])
    support = sentence.support.value if sentence.factual else "plain"
    return f"<span class={support}>{out}</span>"


def _marker(pointer: Pointer, sentence: Sentence, by_id: Mapping[str, Citation], language: str | None) -> str:
    citation = by_id.get(pointer.id)
    if citation is None:
        name = pointer.id.removeprefix("c-")
        label = _line(phrase("place.no_source", language).format(number=name))
        return f"<sup><s aria-label='{label}'>{_line(name)}</s></sup>"
    check = next((one for one in sentence.verdict.checks if one.citation_id == pointer.id), None)
    status = check.status if check else citation.status
    # Green needs both: a good citation and a supported sentence.
    if status in GOOD and sentence.support is not Support.SUPPORTED:
        status = CitationStatus.UNVERIFIED
    sign, word = SIGNS[status], status_word(status, language)
    look = "good" if status in GOOD else "unclear" if status is CitationStatus.NOT_CHECKABLE else "bad"
    place = _place(citation, language)
    title = _line(f"{place}: {citation.quote}")
    label = _line(f"{phrase('place.source', language).format(number=citation.n)}, {place}, {word}")
    return (
        f"<span class=citation-group><sup><bdi><a class='citation {look}' href='#source-{citation.n}' title='{title}' "
        f"data-source='{_line(citation.chunk_id)}' role=doc-noteref aria-label='{label}'>"
        f"{citation.n}{sign}</a></bdi></sup>{_card(citation, place, sign or '✓', word)}</span>"
    )


def _card(citation: Citation, place: str, sign: str, word: str) -> str:
    version = ", ".join(
        part for part in (citation.document.version, citation.document.published_date) if part
    )
    return (
        f"<span class=card role=note><strong>{_line(place)}</strong>"
        f"{f'<span class=quiet>{_line(version)}</span>' if version else ''}"
        f"<span class=state>{sign} {_line(word)}</span><q dir=auto>{_line(citation.quote)}</q></span>"
    )


# --- the sources --------------------------------------------------------------------------------


def _sources(citations: Sequence[Citation], language: str | None) -> str:
    if not citations:
        return ""
    items = "".join(_source(citation, language) for citation in citations)
    heading = phrase("heading.sources", language)
    return f"<section class=sources role=doc-endnotes><h2>{_line(heading)}</h2><ol>{items}</ol></section>"


def _source(citation: Citation, language: str | None) -> str:
    sign, word = SIGNS[citation.status], status_word(citation.status, language)
    address = web_url(open_url(citation.document, citation.page_index, citation.exact))
    name = f"<strong dir=auto>{_line(_place(citation, language))}</strong>"
    shown = _line(citation.document.url)
    link = (
        f" <a href='{escape(address, quote=True)}' rel='noopener noreferrer nofollow'>{shown}</a>"
        if address
        else (f" <span class=quiet>{shown}</span>" if shown else "")
    )
    return (
        f"<li id=source-{citation.n} value={citation.n}>{name}{link} <span class=state>{sign or '✓'} {_line(word)}</span>"
        f"<blockquote dir=auto>{_text(citation.quote)}</blockquote></li>"
    )


def _place(citation: Citation, language: str | None) -> str:
    parts = [citation.document.title or citation.doc_id]
    if citation.section and citation.section not in PLACEHOLDER_SECTIONS:
        parts.append("§ " + " > ".join(citation.section))
    if page := page_of(citation, language):
        parts.append(page)
    parts += cell_of(citation, language)
    return " · ".join(parts)


def _line(text: str) -> str:
    return escape(one_line(text), quote=True)


def _text(text: str) -> str:
    return escape(printable(text), quote=True)


def _wrapped(parts: Iterable[str], language: str | None) -> str:
    code = base_language(language) or ""
    lang = f" lang={code}" if code.isalpha() else ""
    turn = " dir=rtl" if code in _RIGHT_TO_LEFT else ""
    return f"<div class=pincite{lang}{turn}><style>{_STYLE}</style>{''.join(parts)}</div>"


def _page(title: str, language: str | None, body: str) -> str:
    code = base_language(language) or ""
    lang = code if code.isalpha() else "en"
    return (
        f"<!doctype html>\n<html lang={lang}><head><meta charset=utf-8>"
        '<meta name=viewport content="width=device-width,initial-scale=1">'
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{_line(title)}</title></head><body><main><h1 class=pincite dir=auto>{_line(title)}</h1>{body}</main></body></html>\n"
    )
