"""Plots of a report as SVG, each with the table of what it shows.

Drawn by hand: a handful of bars, dots and lines needs no library, and the style sheet of the page gives the colours,
which ``light-dark`` then turns with it. Series differ in shape as well as in colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from pincite.evals.reports import facts
from pincite.evals.reports.markdown import metric_names
from pincite.evals.values import EvalReport, Metric
from pincite.renderers.text import one_line
from pincite.types import shorten

WIDTH = 720
LEFT, RIGHT = 200, 620
"""Pixels between which 0 to 1 is drawn; labels stand before, values behind."""
ROW = 26
SQUARE = 320
"""Side of a plot of two shares."""
PAD = 56
SERIES = 4
"""Metrics in a plot of slices: as many as there are shapes."""
MAX_ROWS = 40
LABEL_CHARS = 26

RATING_WORDS = ("1 unrelated", "2 wrong", "3 in part", "4 good", "5 exact")

Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """``about`` says in a sentence what is to be seen; ``rows`` under ``heads`` are the same figures as a table."""

    title: str
    about: str
    svg: str
    heads: tuple[str, ...]
    rows: Rows


def plots(report: EvalReport) -> tuple[Plot, ...]:
    """Every plot the report has figures for."""
    made = [
        metric_bars(report.metrics),
        *(
            slice_dots(kind, facts.slices_of(report, kind), report.metrics)
            for kind in facts.slice_kinds(report)
        ),
        calibration(report.curves.get("calibration", ())),
        risk_coverage(report.curves.get("risk_coverage", ())),
        rating_bars(facts.ratings(report)),
    ]
    return tuple(plot for plot in made if plot is not None)


# --- shares in rows -----------------------------------------------------------------------------


def metric_bars(metrics: Mapping[str, Metric]) -> Plot | None:
    """A bar for each metric that is a share, with its interval as a line and its target as a mark."""
    drawn = [
        (name, metric, metric.value)
        for name, metric in metrics.items()
        if metric.value is not None and 0 <= metric.value <= 1
    ]
    if not drawn:
        return None
    parts = []
    for at, (name, metric, value) in enumerate(drawn):
        y = 30 + at * ROW
        missed = " missed" if metric.meets_target is False else ""
        parts.append(_label(name, y))
        parts.append(
            f'<rect class="bar{missed}" x="{LEFT}" y="{y - 7}" width="{_n(_x(value) - LEFT)}" height="14"/>'
        )
        parts.append(_whisker(metric, y))
        if metric.target is not None and 0 <= metric.target <= 1:
            x = _n(_x(metric.target))
            parts.append(f'<line class="target" x1="{x}" y1="{y - 11}" x2="{x}" y2="{y + 11}"/>')
        parts.append(_value(facts.shown_target(metric)[0] if missed else "", value, y))
    missed_names = [name for name, metric, _ in drawn if metric.meets_target is False]
    about = (
        f"{facts.plural(len(drawn), 'metric')}, with 95 % intervals (thin lines) and targets (upright marks). "
        + (f"Targets missed: {', '.join(missed_names)}." if missed_names else "No target is missed.")
    )
    rows = tuple(
        (
            name,
            facts.shown(metric.value),
            facts.shown_interval(metric),
            f"{metric.n:,}",
            facts.shown_target(metric),
        )
        for name, metric, _ in drawn
    )
    height = 30 + len(drawn) * ROW + 10
    svg = _svg("Metrics", about, height, [*_scale(height), *parts])
    return Plot("Metrics", about, svg, ("metric", "value", "95 % interval", "n", "target"), rows)


def slice_dots(
    kind: str, slices: Mapping[str, Mapping[str, Metric]], metrics: Mapping[str, Metric]
) -> Plot | None:
    """A row for each slice, a dot for each of the first metrics, with their intervals."""
    names = metric_names(metrics, slices.values(), SERIES)
    drawn = list(slices.items())[:MAX_ROWS]
    if not names or not drawn:
        return None
    gap = 8
    step = gap * len(names) + 12
    parts = _legend(names)
    for at, (name, given) in enumerate(drawn):
        y = 58 + at * step
        parts.append(_label(name, y + gap * (len(names) - 1) / 2))
        for place, one in enumerate(names):
            metric = given.get(one)
            if metric is not None and metric.value is not None and 0 <= metric.value <= 1:
                parts.append(_whisker(metric, y + place * gap, place))
                parts.append(_mark(_x(metric.value), y + place * gap, place))
    title = f"By {kind}"
    about = (
        f"{', '.join(names)} for {facts.plural(len(drawn), 'slice')}, with 95 % intervals where they are known."
        + (f" The first {MAX_ROWS} of {len(slices)} are drawn." if len(slices) > MAX_ROWS else "")
    )
    rows = tuple(
        (
            name,
            str(max((metric.n for metric in given.values()), default=0)),
            *(facts.shown(given[one].value if one in given else None) for one in names),
        )
        for name, given in slices.items()
    )
    height = 58 + len(drawn) * step
    svg = _svg(title, about, height, [*_scale(height, top=40), *parts])
    return Plot(title, about, svg, (kind, "n", *names), rows)


def rating_bars(ratings: Mapping[str, Sequence[int]]) -> Plot | None:
    """For each judge a bar of the shares of its ratings 1 to 5."""
    drawn = {judge: counts for judge, counts in ratings.items() if sum(counts)}
    if not drawn:
        return None
    parts = []
    for place, word in enumerate(RATING_WORDS):
        at_x = LEFT + place * 88
        parts.append(f'<rect class="rating r{place + 1}" x="{at_x}" y="6" width="12" height="12"/>')
        parts.append(f'<text x="{at_x + 16}" y="16">{_text(word)}</text>')
    for at, (judge, counts) in enumerate(drawn.items()):
        y, x = 46 + at * ROW, float(LEFT)
        parts.append(_label(judge, y))
        for place, count in enumerate(counts):
            width = (RIGHT - LEFT) * count / sum(counts)
            parts.append(
                f'<rect class="rating r{place + 1}" x="{_n(x)}" y="{y - 9}" width="{_n(width)}" height="18"/>'
            )
            if width > 26:
                parts.append(
                    f'<text class="on r{place + 1}" x="{_n(x + width / 2)}" y="{y + 4}" text-anchor="middle">{count:,}</text>'
                )
            x += width
        parts.append(f'<text x="{RIGHT + 8}" y="{y + 4}">n = {sum(counts):,}</text>')
    about = "Shares of the citations each judge rated 1 to 5: " + "; ".join(
        f"{judge}: {100 * (counts[3] + counts[4]) / sum(counts):.1f} % rated 4 or 5"
        for judge, counts in drawn.items()
    )
    rows = tuple((judge, *(f"{count:,}" for count in counts)) for judge, counts in drawn.items())
    svg = _svg("Ratings", about, 46 + len(drawn) * ROW, parts)
    return Plot("Ratings", about + ".", svg, ("judge", *RATING_WORDS), rows)


# --- two shares ---------------------------------------------------------------------------------


def calibration(points: Iterable[tuple[float, ...]]) -> Plot | None:
    """How often answers of a confidence were right. Points are (confidence, share right, count)."""
    drawn = [point for point in points if len(point) >= 3 and all(0 <= one <= 1 for one in point[:2])]
    if not drawn:
        return None
    largest = max(point[2] for point in drawn) or 1
    parts = [
        f'<line class="ideal" x1="{PAD}" y1="{_at(0, 1)[1]}" x2="{PAD + SQUARE}" y2="{_at(1, 1)[1]}"/>',
        _path([(point[0], point[1]) for point in drawn], 1),
    ]
    for confidence, right, count, *_ in drawn:
        x, y = _at(right, 1, confidence)
        radius = 4 + 8 * (max(count, 0) / largest) ** 0.5
        parts.append(f'<circle class="s0" cx="{x}" cy="{y}" r="{_n(radius)}"/>')
        parts.append(
            f'<text class="count" x="{x}" y="{_n(float(y) - radius - 4)}" text-anchor="middle">{count:g}</text>'
        )
    about = "How often answers of a confidence were right; on the dashed line they are right as often as they say. Larger dots are of more answers."
    rows = tuple((f"{point[0]:.2f}", facts.shown(point[1]), f"{point[2]:g}") for point in drawn)
    svg = _square("Calibration", about, "confidence", "share right", 1, parts)
    return Plot("Calibration", about, svg, ("confidence", "right", "answers"), rows)


def risk_coverage(points: Iterable[tuple[float, ...]]) -> Plot | None:
    """What share is wrong when only the surest answers are given. Points are (coverage, risk)."""
    drawn = sorted(
        (point[0], point[1])
        for point in points
        if len(point) >= 2 and all(0 <= one <= 1 for one in point[:2])
    )
    if not drawn:
        return None
    highest = max(risk for _, risk in drawn)
    top = next(one for one in (0.05, 0.1, 0.2, 0.5, 1.0) if highest <= one)
    about = "What share of the answers given is wrong when only the surest are given: coverage to the right, risk upwards."
    rows = tuple((facts.shown(coverage), facts.shown(risk)) for coverage, risk in drawn)
    svg = _square(
        "Risk and coverage", about, "share of questions answered", "share wrong", top, [_path(drawn, top)]
    )
    return Plot("Risk and coverage", about, svg, ("coverage", "risk"), rows)


def _square(title: str, about: str, across: str, upwards: str, top: float, parts: Iterable[str]) -> str:
    lines = []
    for step in range(5):
        share = step / 4
        x, y = _at(share * top, top, share)
        lines.append(f'<line class="grid" x1="{PAD}" y1="{y}" x2="{PAD + SQUARE}" y2="{y}"/>')
        lines.append(f'<line class="grid" x1="{x}" y1="{_at(top, top)[1]}" x2="{x}" y2="{_at(0, top)[1]}"/>')
        lines.append(
            f'<text x="{PAD - 6}" y="{_n(float(y) + 4)}" text-anchor="end">{100 * share * top:g}</text>'
        )
        lines.append(f'<text x="{x}" y="{SQUARE + 36}" text-anchor="middle">{100 * share:g}</text>')
    middle = 16 + SQUARE / 2
    lines.append(
        f'<text x="{PAD + SQUARE / 2:g}" y="{SQUARE + 54}" text-anchor="middle">{_text(across)} (%)</text>'
    )
    lines.append(
        f'<text x="14" y="{middle:g}" text-anchor="middle" transform="rotate(-90 14 {middle:g})">{_text(upwards)} (%)</text>'
    )
    return _svg(title, about, SQUARE + 64, [*lines, *parts], width=PAD + SQUARE + 20)


def _at(share: float, top: float, across: float = 0.0) -> tuple[str, str]:
    return _n(PAD + SQUARE * across), _n(16 + SQUARE * (1 - share / top))


def _path(points: Iterable[tuple[float, float]], top: float) -> str:
    places = " ".join(",".join(_at(up, top, across)) for across, up in points)
    return f'<polyline class="line s0" points="{places}"/>'


# --- parts --------------------------------------------------------------------------------------


def _svg(title: str, about: str, height: float, parts: Iterable[str], *, width: int = WIDTH) -> str:
    name = "plot-" + "".join(char if char.isascii() and char.isalnum() else "-" for char in title.lower())
    return (
        f'<svg viewBox="0 0 {width} {height:g}" width="{width}" height="{height:g}" role="img" aria-labelledby="{name}-title {name}-about">'
        f'<title id="{name}-title">{_text(title)}</title><desc id="{name}-about">{_text(about)}</desc>'
        + "".join(parts)
        + "</svg>"
    )


def _scale(height: float, *, top: int = 16) -> list[str]:
    parts = []
    for step in range(5):
        x = _n(_x(step / 4))
        parts.append(f'<line class="grid" x1="{x}" y1="{top}" x2="{x}" y2="{height - 4:g}"/>')
        parts.append(f'<text x="{x}" y="{top - 4}" text-anchor="middle">{25 * step} %</text>')
    return parts


def _legend(names: Sequence[str]) -> list[str]:
    parts = []
    for place, name in enumerate(names):
        x = 16 + place * 176
        parts.append(_mark(x, 12, place))
        parts.append(f'<text x="{x + 12}" y="16">{_text(shorten(one_line(name), 22))}</text>')
    return parts


def _mark(x: float, y: float, place: int) -> str:
    """A circle, a square, a triangle or a diamond: series are told apart without colour."""
    if place == 0:
        return f'<circle class="s0" cx="{_n(x)}" cy="{_n(y)}" r="4.5"/>'
    shapes = {
        1: ((-4, -4), (4, -4), (4, 4), (-4, 4)),
        2: ((0, -5), (5, 4), (-5, 4)),
        3: ((0, -6), (6, 0), (0, 6), (-6, 0)),
    }
    places = " ".join(f"{_n(x + across)},{_n(y + up)}" for across, up in shapes[place])
    return f'<polygon class="s{place}" points="{places}"/>'


def _whisker(metric: Metric, y: float, place: int | None = None) -> str:
    if metric.ci95 is None:
        return ""
    low, high = (_n(_x(min(max(one, 0.0), 1.0))) for one in metric.ci95)
    series = "" if place is None else f" w{place}"
    return f'<line class="interval{series}" x1="{low}" y1="{_n(y)}" x2="{high}" y2="{_n(y)}"/>'


def _label(text: str, y: float) -> str:
    return f'<text x="{LEFT - 8}" y="{_n(y + 4)}" text-anchor="end">{_text(shorten(one_line(text), LABEL_CHARS))}</text>'


def _value(sign: str, value: float, y: float) -> str:
    return f'<text x="{RIGHT + 8}" y="{_n(y + 4)}">{_text(f"{sign} {facts.shown(value)}".strip())}</text>'


def _x(share: float) -> float:
    return LEFT + (RIGHT - LEFT) * share


def _n(number: float) -> str:
    """
    >>> _n(3.14159), _n(2.0)
    ('3.1', '2')
    """
    return f"{number:.1f}".removesuffix(".0")


def _text(text: str) -> str:
    return escape(one_line(text))
