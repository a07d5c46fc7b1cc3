"""Charts that the page draws itself: means with their intervals, and the differences topic by topic.

They are SVG with classes from the page's style sheet, so that they follow its theme; the script of the page replaces
the chart of differences by one for the run and measure that the reader chooses. See `page/pictures.py` for the line
between charts and figures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.comparison import bootstrap
from antecede.measures.definition import mean
from antecede.report.display_text import clean_name, make_labels
from antecede.report.page.pictures import Picture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.report.results import Part

PIXELS_PER_REM = 16.0
WIDTH, RIGHT_MARGIN = 480.0, 30.0
"""Pixels."""
CHARACTER_WIDTH = 6.3
"""Pixels per character of a name at the largest font size."""
MAX_INTERVALS = 5
"""Intervals between ticks."""
DIFFERENCES_HEIGHT = 176.0
LEFT_MARGIN = 46
"""Pixels to the left of the bars of differences."""


def chart_means(part: Part) -> Picture | None:
    """One row per run, best first: the mean by the first measure that is a mean, and its 95 % interval."""
    chosen = next((m for m in part.topic_measures if is_mean(part, m)), None)
    if chosen is None or len(part.scores.topics) < 2:
        return None
    values, totals = part.scores.values[chosen][:, part.scores.evaluated], part.scores.totals[chosen]
    ends = bootstrap(values)
    order = np.argsort(-part.direction(chosen) * totals, kind="stable")
    baseline = part.baseline_run
    names = make_labels([part.scores.runs[run] for run in order])
    pitch = max(9.0, min(17.0, 1000 / len(order)))
    size = min(11.0, pitch - 1)
    left = CHARACTER_WIDTH * size / 11 * max(map(len, names)) + 12
    drawn = np.concatenate([ends.low, ends.high, totals])
    ticks = choose_ticks(float(np.nanmin(drawn)), float(np.nanmax(drawn)))
    scale = (WIDTH - left - RIGHT_MARGIN) / (ticks[-1] - ticks[0])
    base = pitch * len(order) + 4

    def x(value: float) -> str:
        return f"{left + (value - ticks[0]) * scale:.1f}"

    shapes = [f'<path class="grid" d="M{x(tick)} 0V{base:.0f}"/>' for tick in ticks]
    shapes += [make_text(f"{tick:g}", x(tick), f"{base + 13:.0f}", "middle", 10) for tick in ticks]
    for row, (run, name) in enumerate(zip(order.tolist(), names, strict=True)):
        y = f"{pitch * (row + 0.5):.1f}"
        kind = "base" if run == baseline else "run"
        shapes.append(make_text(name, f"{left - 8:.1f}", f"{pitch * (row + 0.5) + size * 0.35:.1f}", "end", size, kind))
        if np.isfinite(ends.low[run]):
            shapes.append(f'<path class="{kind} line" d="M{x(ends.low[run])} {y}H{x(ends.high[run])}"/>')
            shapes.append(f'<circle class="{kind}" cx="{x(totals[run])}" cy="{y}" r="{min(3.5, pitch / 3.5):.1f}"/>')
    caption = f"Means of {part.scores.measures[chosen]} with 95 % bootstrap intervals over topics, best first"
    caption += f"; hollow: the baseline, {clean_name(part.scores.runs[baseline])}" if baseline is not None else ""
    return make_chart(shapes, WIDTH, base + 18, caption)


def is_mean(part: Part, measure: int) -> bool:
    """Whether the score of a run is the mean over its topics, and all runs have one."""
    definition = part.scores.measures[measure].definition
    return definition.aggregate is mean and bool(np.isfinite(part.scores.totals[measure]).all())


def choose_ticks(low: float, high: float) -> list[float]:
    """Round numbers that enclose the range of values."""
    span = max(high - low, 1e-6)
    power = 10.0 ** np.floor(np.log10(span / MAX_INTERVALS))
    step = float(next(power * each for each in (1, 2, 5, 10) if span / (power * each) <= MAX_INTERVALS))
    first, last = np.floor(low / step), np.ceil(high / step)
    return [round(float(place * step), 9) for place in np.arange(first, last + 1)]


def chart_differences(part: Part) -> Picture | None:
    """One bar per topic, the largest gain first: the best run minus the baseline, by the first per-topic measure."""
    best, baseline, measures = part.best_run, part.baseline_run, part.topic_measures
    if baseline is None or best == baseline or not measures:
        return None
    values = part.scores.values[measures[0]]
    with np.errstate(invalid="ignore"):  # ∞ − ∞
        difference = values[best] - values[baseline]
    direction = part.direction(measures[0])
    known = difference[np.isfinite(difference)]
    known = known[np.argsort(-direction * known, kind="stable")]
    if not len(known) or not np.any(known):
        return None
    high, low = max(float(known.max()), 0.0), min(float(known.min()), 0.0)
    width, scale = WIDTH * 1.5, (DIFFERENCES_HEIGHT - 12) / (high - low)
    step, zero = (width - LEFT_MARGIN - 6) / len(known), 6 + high * scale

    def draw_bars(sign: int) -> str:
        thick = step * (0.8 if step > 3 else 1)
        parts = [
            f"M{LEFT_MARGIN + at * step:.1f} {zero:.1f}v{-value * scale:.1f}h{thick:.2f}V{zero:.1f}z"
            for at, value in enumerate(known.tolist())
            if np.sign(value) == sign
        ]
        return f'<path class="{"won" if sign == direction else "lost"}" d="{"".join(parts)}"/>' if parts else ""

    shapes = [draw_bars(1), draw_bars(-1), f'<path class="axis" d="M{LEFT_MARGIN} {zero:.1f}H{width:.0f}"/>']
    for value in (high, 0.0, low):
        if not value or abs(value) * scale > 10:
            text = f"{value:+.2g}".replace("-", "−") if value else "0"
            shapes.append(make_text(text, "40", f"{6 + (high - value) * scale + 4:.1f}", "end", 10))
    names = [clean_name(part.scores.runs[run]) for run in (best, baseline)]
    measure = part.scores.measures[measures[0]]
    return make_chart(shapes, width, DIFFERENCES_HEIGHT, f"{measure}, topic by topic: {names[0]} minus {names[1]}")


def make_text(words: str, x: str, y: str, anchor: str, size: float, kind: str = "") -> str:
    """A text element."""
    name = f' class="{kind}"' if kind else ""
    return f'<text{name} x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size:g}">{escape_text(words)}</text>'


def escape_text(words: str) -> str:
    """Escape the characters that are special in SVG; apostrophes need no escape."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def make_chart(shapes: Sequence[str], width: float, height: float, caption: str) -> Picture:
    """The shapes as a picture of the page."""
    head = f'<svg class="chart" viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{escape_text(caption)}">'
    return Picture(f"{head}{''.join(shapes)}</svg>", round(width * 1.1 / PIXELS_PER_REM, 2), caption, width > 500)
