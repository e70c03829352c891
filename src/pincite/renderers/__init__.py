"""Answers and reports as text, Markdown and JSON, ours and in other shapes (``profiles``). Pure functions; every one treats source text as untrusted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from pincite.answer import Answer, Report
from pincite.errors import ConfigError, did_you_mean
from pincite.renderers.html import answer_fragment, answer_html, report_fragment, report_html
from pincite.renderers.json import answer_json, report_json
from pincite.renderers.markdown import answer_markdown, report_markdown
from pincite.renderers.profiles import PROFILES, profile_json
from pincite.renderers.references import answer_annotations, answer_csl
from pincite.renderers.text import answer_text, report_lines, report_text

T = TypeVar("T")

ANSWER_FORMS: dict[str, Callable[[Answer], str]] = {
    "text": answer_text,
    "markdown": answer_markdown,
    "json": answer_json,
    "html": answer_html,
    "csl-json": answer_csl,
    "webannotation": answer_annotations,
    **{name: profile_json(name) for name in PROFILES},
}

REPORT_FORMS: dict[str, Callable[[Report], str]] = {
    "text": report_text,
    "lines": report_lines,
    "markdown": report_markdown,
    "json": report_json,
    "html": report_html,
}


def render_answer(answer: Answer, form: str) -> str:
    """``answer`` in the form of that name. Raises ``ConfigError`` when there is none."""
    return _chosen(ANSWER_FORMS, form)(answer)


def render_report(report: Report, form: str) -> str:
    """``report`` in the form of that name. Raises ``ConfigError`` when there is none."""
    return _chosen(REPORT_FORMS, form)(report)


def html_fragment(shown: Answer | Report) -> str:
    """What a notebook shows: one element, with its own style."""
    return answer_fragment(shown) if isinstance(shown, Answer) else report_fragment(shown)


def _chosen(forms: Mapping[str, Callable[[T], str]], form: str) -> Callable[[T], str]:
    if form not in forms:
        hint = did_you_mean(form, forms, f"choose from {', '.join(forms)}")
        raise ConfigError(f"unknown format {form!r}", hint=hint)
    return forms[form]
