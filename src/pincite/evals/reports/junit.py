"""A report as JUnit XML, which build servers show as tests: an item is a test case, and so is a rule of the gate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from pincite.evals.reports import facts
from pincite.evals.values import EvalReport, GateRule, ItemError, ItemResult
from pincite.renderers.text import one_line
from pincite.types import shorten

MAX_NAME_CHARS = 200
MAX_BODY_CHARS = 4_000
"""Of what stands in a failure; servers hold every file in memory."""

# What is no character of XML 1.0, not even as a reference.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def report_junit(report: EvalReport) -> str:
    """Three suites: ``gate``, ``items`` and ``errors``, of which each is left out when it is empty.

    A failed item that is too close to a decision is skipped: another machine may see it pass. Items that came to no
    result are errors.
    """
    gate = list(map(_rule, report.gate.rules)) if report.gate is not None else []
    suites = [
        _suite("gate", gate),
        _suite("items", [_item(item) for item in report.items], report.run.seconds),
        _suite("errors", [_error(error) for error in report.errors]),
    ]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="pincite eval">\n'
        + "".join(suite for suite in suites if suite)
        + "</testsuites>\n"
    )


def _suite(name: str, cases: list[str], seconds: float = 0.0) -> str:
    if not cases:
        return ""
    counts = {
        kind: sum(f"\n  <{kind} " in case for case in cases) for kind in ("failure", "error", "skipped")
    }
    return (
        f'<testsuite name="{name}" tests="{len(cases)}" failures="{counts["failure"]}" errors="{counts["error"]}" '
        f'skipped="{counts["skipped"]}" time="{seconds:.3f}">\n{"".join(cases)}</testsuite>\n'
    )


def _rule(rule: GateRule) -> str:
    name = f"{rule.metric} {rule.rule} {rule.limit:g}"
    return _case("gate", name, "" if rule.passed else _outcome("failure", facts.rule_text(rule), ""))


def _item(item: ItemResult) -> str:
    name = f"{item.id}: {item.question}"
    if item.passed:
        return _case("items", name, "")
    message = "; ".join(item.reasons) or "did not pass"
    if item.machine_sensitive:
        return _case("items", name, _outcome("skipped", f"too close to count: {message}", None))
    return _case("items", name, _outcome("failure", message, "\n".join(_body(item))))


def _body(item: ItemResult) -> Iterator[str]:
    yield f"question: {one_line(item.question)}"
    for told in facts.told(item.answer):
        yield f"claim: {one_line(told.claim)}"
        if told.support:
            yield f"  {one_line(told.support)}: {one_line(told.reason)}".rstrip(": ")
        for title, quote in told.evidence:
            yield f"  evidence: “{one_line(quote)}” ({one_line(title)})"
    for name, value in item.values.items():
        yield f"{one_line(name)}: {facts.shown(value)}"


def _error(error: ItemError) -> str:
    return _case("errors", f"{error.id} ({error.stage})", _outcome("error", error.detail, ""))


def _case(group: str, name: str, outcome: str) -> str:
    head = f' <testcase classname="pincite.{group}" name={_attribute(name)}'
    return f"{head}>\n{outcome} </testcase>\n" if outcome else f"{head}/>\n"


def _outcome(kind: str, message: str, body: str | None) -> str:
    text = escape(_NOT_XML.sub("", shorten(body, MAX_BODY_CHARS))) if body else ""
    sort = "" if body is None else ' type="pincite"'
    return f"  <{kind} message={_attribute(message)}{sort}>{text}</{kind}>\n"


def _attribute(text: str) -> str:
    return quoteattr(_NOT_XML.sub("", shorten(one_line(text), MAX_NAME_CHARS)))
