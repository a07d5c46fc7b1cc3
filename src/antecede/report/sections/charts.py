"""Two charts that are the page's own: means with their intervals, and the differences topic by topic.

They take their colours from the page, by class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.comparison import bootstrap
from antecede.measures.aggregates import mean
from antecede.report.drawing.names import labels
from antecede.report.sections.inline_svg import Picture
from antecede.report.sections.standings import direction, standing, topic_measures
from antecede.report.sections.texts import name_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.report.results import Part

    Floats = NDArray[np.float64]

PIXELS_PER_REM = 16.0
WIDTH, BEHIND = 480.0, 30.0
"""Pixels: of the chart, and kept free at its right edge."""
SIGN = 6.3
"""Pixels that a sign of a name takes, at the largest type."""
TICKS = 5
DIFFERENCES = 176.0
"""Height of the chart of differences."""


def mean_intervals(part: Part) -> Picture | None:
    """A row a run: the mean of the first measure that is a mean, and its 95 % interval; best first."""
    chosen = next((m for m in topic_measures(part) if is_mean(part, m)), None)
    if chosen is None or len(part.scores.topics) < 2:
        return None
    values, totals = part.scores.values[chosen][:, part.scores.evaluated], part.scores.totals[chosen]
    ends = bootstrap(values)
    order = np.argsort(-direction(part, chosen) * totals, kind="stable")
    baseline = standing(part).baseline
    names = labels([part.scores.runs[run] for run in order])
    pitch = max(9.0, min(17.0, 1000 / len(order)))
    size = min(11.0, pitch - 1)
    left = SIGN * size / 11 * max(map(len, names)) + 12
    shown = np.concatenate([ends.low, ends.high, totals])
    ticks = round_ticks(float(np.nanmin(shown)), float(np.nanmax(shown)))
    scale = (WIDTH - left - BEHIND) / (ticks[-1] - ticks[0])
    base = pitch * len(order) + 4

    def x(value: float) -> str:
        return f"{left + (value - ticks[0]) * scale:.1f}"

    drawn = [f'<path class="grid" d="M{x(tick)} 0V{base:.0f}"/>' for tick in ticks]
    drawn += [text(f"{tick:g}", x(tick), f"{base + 13:.0f}", "middle", 10) for tick in ticks]
    for row, (run, name) in enumerate(zip(order.tolist(), names, strict=True)):
        y = f"{pitch * (row + 0.5):.1f}"
        kind = "base" if run == baseline else "run"
        drawn.append(text(name, f"{left - 8:.1f}", f"{pitch * (row + 0.5) + size * 0.35:.1f}", "end", size, kind))
        if np.isfinite(ends.low[run]):
            drawn.append(f'<path class="{kind} line" d="M{x(ends.low[run])} {y}H{x(ends.high[run])}"/>')
            drawn.append(f'<circle class="{kind}" cx="{x(totals[run])}" cy="{y}" r="{min(3.5, pitch / 3.5):.1f}"/>')
    caption = f"Means of {part.scores.measures[chosen]} with 95 % bootstrap intervals over topics, best first"
    caption += f"; hollow: the baseline, {name_of(part.scores.runs[baseline])}" if baseline is not None else ""
    return chart(drawn, WIDTH, base + 18, caption)


def is_mean(part: Part, measure: int) -> bool:
    """Whether a run's number is the mean of its topics, and all runs have one."""
    definition = part.scores.measures[measure].definition
    return definition.aggregate is mean and bool(np.isfinite(part.scores.totals[measure]).all())


def round_ticks(low: float, high: float) -> list[float]:
    """Four to ten round numbers around the values."""
    span = max(high - low, 1e-6)
    power = 10.0 ** np.floor(np.log10(span / TICKS))
    step = float(next(power * each for each in (1, 2, 5, 10) if span / (power * each) <= TICKS))
    first, last = np.floor(low / step), np.ceil(high / step)
    return [round(float(place * step), 9) for place in np.arange(first, last + 1)]


def topic_differences(part: Part) -> Picture | None:
    """A bar a topic, the largest gain first: the best run minus the baseline, by the first measure topics have."""
    here, measures = standing(part), topic_measures(part)
    if here.baseline is None or here.best == here.baseline or not measures:
        return None
    values = part.scores.values[measures[0]]
    with np.errstate(invalid="ignore"):  # never minus never
        difference = values[here.best] - values[here.baseline]
    ahead = direction(part, measures[0])
    known = difference[np.isfinite(difference)]
    known = known[np.argsort(-ahead * known, kind="stable")]
    if not len(known) or not np.any(known):
        return None
    high, low = max(float(known.max()), 0.0), min(float(known.min()), 0.0)
    width, scale = WIDTH * 1.5, (DIFFERENCES - 12) / (high - low)
    step, zero = (width - 52) / len(known), 6 + high * scale

    def bars(sign: int) -> str:
        thick = step * (0.8 if step > 3 else 1)
        parts = [
            f"M{46 + at * step:.1f} {zero:.1f}v{-value * scale:.1f}h{thick:.2f}V{zero:.1f}z"
            for at, value in enumerate(known.tolist())
            if np.sign(value) == sign
        ]
        return f'<path class="{"won" if sign == ahead else "lost"}" d="{"".join(parts)}"/>' if parts else ""

    drawn = [bars(1), bars(-1), f'<path class="axis" d="M46 {zero:.1f}H{width:.0f}"/>']
    drawn += [
        text(
            f"{value:+.2g}".replace("-", "−") if value else "0",
            "40",
            f"{6 + (high - value) * scale + 4:.1f}",
            "end",
            10,
        )
        for value in (high, 0.0, low)
        if not value or abs(value) * scale > 10
    ]
    names = [name_of(part.scores.runs[run]) for run in (here.best, here.baseline)]
    measure = part.scores.measures[measures[0]]
    return chart(drawn, width, DIFFERENCES, f"{measure}, topic by topic: {names[0]} minus {names[1]}")


def signed_text(value: float) -> str:
    """A difference to three digits, with its sign."""
    return f"{float(f'{value:.3g}'):+.12g}".replace("-", "−") if value else "0"


def text(words: str, x: str, y: str, anchor: str, size: float, kind: str = "") -> str:
    """A text of a chart."""
    name = f' class="{kind}"' if kind else ""
    return f'<text{name} x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size:g}">{escaped(words)}</text>'


def escaped(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def chart(drawn: Sequence[str], width: float, height: float, caption: str) -> Picture:
    """What is drawn, as a picture of the page."""
    head = f'<svg class="chart" viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{escaped(caption)}">'
    return Picture(f"{head}{''.join(drawn)}</svg>", round(width * 1.1 / PIXELS_PER_REM, 2), caption, width > 500)
