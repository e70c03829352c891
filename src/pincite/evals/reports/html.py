"""A report as one HTML file that needs nothing else: no script, no other file, nothing from the web.

Everything that was asked, answered or cited is escaped, and shown in its own direction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from pincite.evals.reports import facts
from pincite.evals.reports.facts import Change, Told
from pincite.evals.reports.markdown import run_facts
from pincite.evals.reports.plots import Plot, plots
from pincite.evals.values import EvalReport, ItemResult
from pincite.renderers.text import one_line
from pincite.types import shorten

MAX_ITEMS = 500
"""Items that are shown in a section; the JSON report has all."""
MAX_CHARS = 2_000
"""Of a question, a sentence or a quotation."""

STYLE = """
:root{color-scheme:light dark;--ground:light-dark(#fbfaf7,#16181b);--paper:light-dark(#fff,#1f2226);--ink:light-dark(#1c1f23,#e8e6e1);--quiet:light-dark(#565b63,#a9adb4);--line:light-dark(#d9d6cf,#3a3f46);--accent:light-dark(#1d4f7c,#8fc1ef);--good:light-dark(#1c6b3a,#7fd3a0);--bad:light-dark(#a3201d,#ff9c96);--s0:light-dark(#0b5c94,#6cb8ee);--s1:light-dark(#a84300,#f0a45a);--s2:light-dark(#0a6b4f,#4fcf9f);--s3:light-dark(#7b3f8f,#d49be6);font:16px/1.55 system-ui,-apple-system,"Segoe UI","Noto Sans",sans-serif}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink)}
main{max-inline-size:60rem;margin-inline:auto;padding:1rem}
h1,h2,h3{line-height:1.25;text-wrap:balance}
h1{font-size:1.5rem}h2{font-size:1.2rem;margin-block:2rem .5rem}h3{font-size:1rem;margin-block:.5rem}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.verdict{border:2px solid currentColor;border-radius:8px;padding:.75rem 1rem;font-weight:600;background:var(--paper)}
.good{color:var(--good)}.bad{color:var(--bad)}.quiet{color:var(--quiet);font-size:.9rem}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;padding:0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;min-inline-size:60%;font-size:.92rem}
caption{text-align:start;color:var(--quiet)}
th,td{text-align:start;padding:.35rem .75rem .35rem 0;border-block-end:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
thead th{overflow-wrap:normal}
td.n,th.n{text-align:end;font-variant-numeric:tabular-nums;white-space:nowrap}
details{border:1px solid var(--line);border-radius:8px;background:var(--paper);padding:.5rem 1rem;margin-block:.6rem}
summary{cursor:pointer;min-block-size:1.5rem}
.sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr));gap:1rem}
.side{min-inline-size:0;border-block-start:3px solid var(--line);padding-block-start:.25rem}
.side.good{border-color:var(--good);color:inherit}.side.bad{border-color:var(--bad);color:inherit}
.side p,.side dd,blockquote,.question{overflow-wrap:anywhere;white-space:pre-line}
blockquote{margin:.3rem 0;padding-inline-start:.75rem;border-inline-start:3px solid var(--line)}
.word{display:inline-block;font-size:.85rem;font-weight:600;border:1px solid currentColor;border-radius:1rem;padding-inline:.5rem}
.word.supported{color:var(--good)}.word.contradicted,.word.unsupported{color:var(--bad);border-style:dashed}
figure{margin:1rem 0}
svg{display:block;background:var(--paper);border:1px solid var(--line);border-radius:8px;direction:ltr}
svg text{font:12px system-ui,sans-serif;fill:var(--ink)}
.grid{stroke:var(--line)}.bar{fill:var(--s0)}.bar.missed{fill:var(--s1)}
.interval{stroke:var(--ink);stroke-width:2}.target{stroke:var(--ink);stroke-width:3}
.ideal{stroke:var(--quiet);stroke-dasharray:5 4}.line{fill:none;stroke-width:2;stroke:var(--s0)}
.s0{fill:var(--s0)}.s1{fill:var(--s1)}.s2{fill:var(--s2)}.s3{fill:var(--s3)}.line.s0{fill:none}
.w0{stroke:var(--s0)}.w1{stroke:var(--s1)}.w2{stroke:var(--s2)}.w3{stroke:var(--s3)}
.rating{stroke:var(--paper)}.rating.r1{fill:#9b2226}.rating.r2{fill:#c05a1c}.rating.r3{fill:#6b6f76}.rating.r4{fill:#2a76a8}.rating.r5{fill:#0d4a73}
svg text.on{fill:#fff}
@media(forced-colors:active){.bar,.s0,.s1,.s2,.s3{forced-color-adjust:none}}
@media print{details:not([open])>*{display:block}details{break-inside:avoid}}
"""


def report_html(report: EvalReport) -> str:
    """Verdict, gate, metrics, plots with their tables, items that flipped with claim beside evidence, failed items,
    slices, settings and run. At most ``MAX_ITEMS`` of a kind are shown."""
    sections = [
        section
        for section in (
            ("gate", "Gate", _gate(report)),
            ("metrics", "Metrics", _metrics(report)),
            ("changed", "Items that changed", _changes(report)),
            ("aside", "Items about something else now", _aside(report)),
            ("failed", "Items that failed", _failed(report)),
            ("plots", "Plots", "".join(map(_figure, plots(report)))),
            ("close", "Too close to count", _close(report)),
            ("errors", "Without a result", _errors(report)),
            ("judges", "Agreement of the judges", _agreement(report)),
            ("settings", "Settings that differ", _settings(report)),
            ("run", "Run", _table(("", ""), run_facts(report))),
        )
        if section[2]
    ]
    links = "".join(f'<li><a href="#{name}">{title}</a></li>' for name, title, _ in sections)
    bodies = "".join(
        f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{title}</h2>{body}</section>'
        for name, title, body in sections
    )
    sign = facts.sign(report)
    tone = {"✓ ": "good", "✗ ": "bad"}.get(sign, "")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>Evaluation {_text(report.run.id)}</title><style>{STYLE}</style></head><body><main>"
        f'<h1>Evaluation {_text(report.run.id)}</h1><p class="verdict {tone}">{sign}{_text(facts.verdict(report))}</p>'
        f'<nav aria-label="Contents"><ul>{links}</ul></nav>{bodies}</main></body></html>\n'
    )


# --- figures ------------------------------------------------------------------------------------


def _gate(report: EvalReport) -> str:
    if report.gate is None:
        return ""
    broken = [rule for rule in report.gate.rules if not rule.passed]
    held = [rule for rule in report.gate.rules if rule.passed]
    heads = ("metric", "rule")
    parts = [
        _table(heads, ((f"✗ {rule.metric}", facts.rule_text(rule)) for rule in broken)) if broken else ""
    ]
    if held:
        rows = _table(heads, ((f"✓ {rule.metric}", facts.rule_text(rule)) for rule in held))
        words = f"✓ {facts.plural(len(held), 'rule')} {'holds' if len(held) == 1 else 'hold'}"
        parts.append(f"<details><summary>{words}</summary>{rows}</details>")
    return "".join(parts)


def _metrics(report: EvalReport) -> str:
    if not report.metrics:
        return ""
    return _table(
        facts.metric_heads(report),
        facts.metric_rows(report),
        numbers=(1, 2, 3),
    )


def _figure(plot: Plot) -> str:
    return (
        f"<figure><figcaption><h3>{_text(plot.title)}</h3><p>{_text(plot.about)}</p></figcaption>"
        f'<div class="scroll" tabindex="0" role="group" aria-label="{_text(plot.title)}">{plot.svg}</div>'
        f"<details><summary>Figures of “{_text(plot.title)}” as a table</summary>"
        f"{_table(plot.heads, plot.rows, numbers=range(1, len(plot.heads)))}</details></figure>"
    )


# --- items --------------------------------------------------------------------------------------


def _changes(report: EvalReport) -> str:
    if report.baseline is None:
        return ""
    found = facts.changes(report)
    return (
        f"<p>{facts.changed_text(found)}</p>" + "".join(map(_change, found[:MAX_ITEMS])) + _more(len(found))
    )


def _aside(report: EvalReport) -> str:
    found = facts.set_aside(report)
    if not found:
        return ""
    shown = "".join(_change(change) + f"<p>({_text(why)})</p>" for change, why in found[:MAX_ITEMS])
    return f"<p>{_text(facts.aside_text(report))}</p>{shown}{_more(len(found))}"


_TONES = {"became wrong": "bad", "became right": "good", "changed": ""}


def _change(change: Change) -> str:
    either = change.now or change.before
    sign, tone = facts.SIGNS[change.way], _TONES[change.way]
    question = "" if either is None else f" {_bdi(either.question, 200)}"
    metrics = f'<p class="quiet">In {_text(", ".join(change.metrics))}.</p>' if change.metrics else ""
    return (
        f'<details{" open" if change.worse else ""}><summary><strong class="{tone}">{sign} {_text(change.id)} {change.way}</strong>'
        f'{question}</summary>{metrics}<div class="sides">{_side("Before", change.before)}{_side("Now", change.now)}</div></details>'
    )


def _side(run: str, item: ItemResult | None) -> str:
    if item is None:
        return f'<div role="group" class="side" aria-label="{run}"><h3>{run}</h3><p class="quiet">Not kept.</p></div>'
    tone, word = ("good", "✓ right") if item.passed else ("bad", "✗ wrong")
    told = "".join(map(_told, facts.told(item.answer))) or '<p class="quiet">No answer was kept.</p>'
    return (
        f'<div role="group" class="side {tone}" aria-label="{run}"><h3>{run}: <span class="{tone}">{word}</span></h3>'
        f"{_reasons(item)}{told}</div>"
    )


def _told(told: Told) -> str:
    word = f'<span class="word {_class(told.support)}">{_text(told.support)}</span>' if told.support else ""
    why = f" {_bdi(told.reason)}" if told.reason else ""
    quotes = "".join(
        f'<blockquote dir="auto">{_kept(quote)}<br><cite class="quiet">{_text(title)}</cite></blockquote>'
        for title, quote in told.evidence
    )
    return f'<p dir="auto">{_kept(told.claim)}</p><p>{word}{why}</p>{quotes}'


def _failed(report: EvalReport) -> str:
    found = facts.failed(report)
    parts = [
        f"<details><summary><strong>{_text(item.id)}</strong> {_bdi(item.question, 200)}</summary>{_side('Answer', item)}</details>"
        for item in found[:MAX_ITEMS]
    ]
    return "".join(parts) + _more(len(found))


def _reasons(item: ItemResult) -> str:
    if not item.reasons:
        return ""
    return "<ul>" + "".join(f'<li dir="auto">{_kept(reason)}</li>' for reason in item.reasons) + "</ul>"


def _close(report: EvalReport) -> str:
    found = facts.close_calls(report)
    if not found:
        return ""
    about = "<p>On another machine these may be decided otherwise; the gate leaves them out.</p>"
    return about + _table(("item", "decided"), found[:MAX_ITEMS]) + _more(len(found))


def _errors(report: EvalReport) -> str:
    if not report.errors:
        return ""
    rows = ((error.id, error.stage, error.detail) for error in report.errors[:MAX_ITEMS])
    return _table(("item", "step", "error"), rows) + _more(len(report.errors))


def _more(number: int) -> str:
    return f"<p>… and {number - MAX_ITEMS:,} more in the JSON report.</p>" if number > MAX_ITEMS else ""


# --- the rest -----------------------------------------------------------------------------------


def _agreement(report: EvalReport) -> str:
    rows = [(name, "–" if value is None else f"{value:.3f}") for name, value in report.agreement.items()]
    return _table(("of", "agreement"), rows, numbers=(1,)) if rows else ""


def _settings(report: EvalReport) -> str:
    rows = [
        (name, *("not set" if value is None else value for value in values))
        for name, values in report.config_diff.items()
    ]
    return _table(("setting", "before", "now"), rows) if rows else ""


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[int] = ()) -> str:
    def cells(row: Sequence[str]) -> Iterator[str]:
        for at, cell in enumerate(row):
            kind = ' class="n"' if at in numbers else ""
            name = "th" if at == 0 else "td"
            yield f'<{name}{kind}{" scope=row" if at == 0 else ""} dir="auto">{_text(cell)}</{name}>'

    head = ""
    if any(heads):
        names = (
            f"<th{' class=n' if at in numbers else ''} scope=col>{_text(one)}</th>"
            for at, one in enumerate(heads)
        )
        head = f"<thead><tr>{''.join(names)}</tr></thead>"
    body = "".join(f"<tr>{''.join(cells(row))}</tr>" for row in rows)
    return f'<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>{head}<tbody>{body}</tbody></table></div>'


def _bdi(text: str, max_chars: int = MAX_CHARS) -> str:
    return f"<bdi>{_text(text, max_chars)}</bdi>"


def _kept(text: str) -> str:
    """The text as it stands, its lines among it: ``white-space`` of the style shows them."""
    lines = (one_line(line) for line in shorten(text, MAX_CHARS).splitlines())
    return escape("\n".join(lines))


def _text(text: str, max_chars: int = MAX_CHARS) -> str:
    return escape(shorten(one_line(text), max_chars))


def _class(word: str) -> str:
    return word if word.isascii() and word.isalpha() else ""
