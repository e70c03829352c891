"""A report as Markdown, for a comment or the summary of a build. Whatever was asked, answered or cited stays text.

GitHub looks for names, numbers of issues and addresses in what is shown, also where Markdown was escaped: each of them
is broken by a space of no width.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from pincite.evals.reports import facts
from pincite.evals.reports.facts import Change, Told
from pincite.evals.values import EvalReport, ItemResult, Metric
from pincite.renderers.text import one_line
from pincite.types import shorten

MAX_ITEMS = 40
"""Items that are shown whole in a section; a comment on GitHub holds 65,536 characters."""
MAX_CHARS = 300
"""Of a question, a sentence or a quotation."""
MAX_SENTENCES = 6
MAX_SLICES = 40
MAX_COLUMNS = 6

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;"}
_SPECIAL = re.compile(r"[\\`*\[\]~$]|(?<!\w)_|_(?!\w)|\A[#+=-]|(?<=\A\d)[.)]")
_NO_WIDTH = "\u200b"
_LINKED = re.compile(r"@|#(?=\w)|(?<=\w)#|\bGH-(?=\d)|\bwww(?=\.)|:(?=//)", re.IGNORECASE)
_ZERO_WIDTH = re.compile("[\u200b\u2060\ufeff]")


def escaped(text: str, max_chars: int = MAX_CHARS) -> str:
    """``text`` on one line, as GitHub's Markdown shows it letter by letter, at any place in a line or a cell.

    >>> escaped("# a|b *c* <b> d_e @team")
    '\\\\# a&#124;b \\\\*c\\\\* &lt;b&gt; d_e @\\u200bteam'
    """
    line = shorten(one_line(_ZERO_WIDTH.sub("", text[: 20 * max_chars])), max_chars)
    line = _SPECIAL.sub(lambda found: "\\" + found[0], _LINKED.sub(lambda found: found[0] + _NO_WIDTH, line))
    return "".join(_ENTITIES.get(char, char) for char in line)


def report_markdown(report: EvalReport) -> str:
    """Verdict, gate, metrics with their change, items that flipped with claim beside evidence, failed and close items,
    slices, settings that differ, and how the run came about. At most ``MAX_ITEMS`` of a kind are shown."""
    sections = (
        _head,
        _gate,
        _metrics,
        _changes,
        _aside,
        _failed,
        _close,
        _errors,
        _slices,
        _agreement,
        _settings,
        _run,
    )
    return "\n\n".join(part for section in sections for part in section(report)) + "\n"


def _head(report: EvalReport) -> Iterator[str]:
    yield f"# {facts.sign(report)}{escaped(facts.verdict(report))}"


def _gate(report: EvalReport) -> Iterator[str]:
    if report.gate is None:
        return
    yield "## Gate"
    broken = [rule for rule in report.gate.rules if not rule.passed]
    if broken:
        yield _table(
            ("", "metric", "rule"),
            (("✗", escaped(rule.metric), escaped(facts.rule_text(rule))) for rule in broken),
        )
    held = len(report.gate.rules) - len(broken)
    yield f"{facts.plural(held, 'rule')} {'holds' if held == 1 else 'hold'}."


def _metrics(report: EvalReport) -> Iterator[str]:
    if not report.metrics:
        return
    yield "## Metrics"
    yield _table(
        tuple(map(escaped, facts.metric_heads(report))),
        ((escaped(name), *figures) for name, *figures in facts.metric_rows(report)),
        numbers=(1, 2, 3),
    )


# --- items --------------------------------------------------------------------------------------


def _changes(report: EvalReport) -> Iterator[str]:
    if report.baseline is None:
        return
    found = facts.changes(report)
    yield "## Items that changed"
    yield facts.changed_text(found)
    for change in found[:MAX_ITEMS]:
        yield _change(change)
    yield from _more(len(found))


def _aside(report: EvalReport) -> Iterator[str]:
    found = facts.set_aside(report)
    if not found:
        return
    yield "## Items about something else now"
    yield escaped(facts.aside_text(report), 20 * MAX_CHARS)
    for change, why in found[:MAX_ITEMS]:
        yield f"{_change(change)}\n\n({escaped(why)})"
    yield from _more(len(found))


def _change(change: Change) -> str:
    either = change.now or change.before
    head = f"### {facts.SIGNS[change.way]} {escaped(change.id)} {change.way}"
    lines = [head, ""]
    if either is not None:
        lines += [f"“{escaped(either.question)}”", ""]
    if change.metrics:
        lines += [f"In {', '.join(map(escaped, change.metrics))}.", ""]
    rows = [
        *_told_rows("before", change.before),
        *_told_rows("now", change.now),
    ]
    return "\n".join(lines) + "\n" + _table(("run", "claim", "result", "evidence"), rows)


def _told_rows(run: str, item: ItemResult | None) -> Iterator[tuple[str, ...]]:
    if item is None:
        yield run, "not kept", "–", "–"
        return
    sign = "✓" if item.passed else "✗"
    sentences = facts.told(item.answer)
    for told in sentences[:MAX_SENTENCES]:
        yield f"{sign} {run}", escaped(told.claim), _result(told), _evidence(told)
    if len(sentences) > MAX_SENTENCES:
        yield f"{sign} {run}", f"and {len(sentences) - MAX_SENTENCES} more", "–", "–"
    if not sentences:
        yield f"{sign} {run}", "no answer kept", "–", "–"
    if item.reasons:
        yield f"{sign} {run}", "why", _reasons(item), "–"


def _result(told: Told) -> str:
    support = escaped(told.support) or "–"
    return f"{support}: {escaped(told.reason)}" if told.reason else support


def _evidence(told: Told) -> str:
    return "<br>".join(f"“{escaped(quote)}” ({escaped(title, 80)})" for title, quote in told.evidence) or "–"


def _failed(report: EvalReport) -> Iterator[str]:
    found = facts.failed(report)
    if not found:
        return
    yield f"## Items that failed ({len(found):,})"
    yield _table(
        ("item", "question", "why"),
        ((escaped(item.id), escaped(item.question), _reasons(item)) for item in found[:MAX_ITEMS]),
    )
    yield from _more(len(found))


def _reasons(item: ItemResult) -> str:
    return "<br>".join(escaped(reason) for reason in item.reasons[:MAX_SENTENCES]) or "–"


def _close(report: EvalReport) -> Iterator[str]:
    found = facts.close_calls(report)
    if not found:
        return
    yield "## Too close to count"
    yield "On another machine these may be decided otherwise; the gate leaves them out."
    yield _table(
        ("item", "decided"), ((escaped(item_id), escaped(how)) for item_id, how in found[:MAX_ITEMS])
    )
    yield from _more(len(found))


def _errors(report: EvalReport) -> Iterator[str]:
    if not report.errors:
        return
    yield f"## Without a result ({len(report.errors):,})"
    yield _table(
        ("item", "step", "error"),
        (
            (escaped(error.id), escaped(error.stage), escaped(error.detail))
            for error in report.errors[:MAX_ITEMS]
        ),
    )
    yield from _more(len(report.errors))


def _more(number: int) -> Iterator[str]:
    if number > MAX_ITEMS:
        yield f"… and {number - MAX_ITEMS:,} more in the JSON report."


# --- the rest -----------------------------------------------------------------------------------


def _slices(report: EvalReport) -> Iterator[str]:
    for kind in facts.slice_kinds(report):
        slices = facts.slices_of(report, kind)
        names = metric_names(report.metrics, slices.values(), MAX_COLUMNS)
        yield f"## By {escaped(kind)}"
        yield _table(
            (escaped(kind), "n", *map(escaped, names)),
            (
                (
                    escaped(name),
                    str(max((metric.n for metric in metrics.values()), default=0)),
                    *(facts.shown(metrics[one].value if one in metrics else None) for one in names),
                )
                for name, metrics in list(slices.items())[:MAX_SLICES]
            ),
            numbers=range(1, len(names) + 2),
        )
        if len(slices) > MAX_SLICES:
            yield f"… and {len(slices) - MAX_SLICES:,} more in the JSON report."


def metric_names(
    metrics: Mapping[str, Metric], slices: Iterable[Mapping[str, Metric]], limit: int
) -> tuple[str, ...]:
    """The metrics that slices have, in the order of the report, at most ``limit``."""
    had = {name for one in slices for name in one}
    return tuple([name for name in metrics if name in had] + sorted(had - set(metrics)))[:limit]


def _agreement(report: EvalReport) -> Iterator[str]:
    if report.agreement:
        yield "## Agreement of the judges"
        yield _table(
            ("of", "agreement"),
            (
                (escaped(name), "–" if value is None else f"{value:.3f}")
                for name, value in report.agreement.items()
            ),
            numbers=(1,),
        )


def _settings(report: EvalReport) -> Iterator[str]:
    if report.config_diff:
        yield "## Settings that differ"
        yield _table(
            ("setting", "before", "now"),
            (
                (escaped(name), *("not set" if value is None else escaped(value) for value in values))
                for name, values in report.config_diff.items()
            ),
        )


def _run(report: EvalReport) -> Iterator[str]:
    yield "## Run"
    yield _table(("", ""), ((name, escaped(value)) for name, value in run_facts(report)))


def run_facts(report: EvalReport) -> tuple[tuple[str, str], ...]:
    """How the report came about, as pairs of a name and a text. What was not given is left out."""
    run = report.run
    given = (
        ("run", run.id),
        ("made", run.created_at),
        ("items", f"{run.n:,}"),
        ("only", run.only),
        ("limit", None if run.limit is None else f"{run.limit:,}"),
        ("judge", run.judge),
        ("model", run.model),
        ("commit", run.git_sha),
        ("golden set", run.golden_sha256[:12]),
        ("documents", run.corpus_fingerprint[:12]),
        ("settings", run.config_hash[:12]),
        ("seed", str(run.seed)),
        ("seconds", f"{run.seconds:.1f}"),
    )
    return tuple((name, value) for name, value in given if value)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[int] = ()) -> str:
    line: Callable[[Iterable[str]], str] = lambda cells: "| " + " | ".join(cells) + " |"  # noqa: E731
    rules = ["---:" if at in numbers else "---" for at in range(len(heads))]
    return "\n".join([line(heads), line(rules), *map(line, rows)])
