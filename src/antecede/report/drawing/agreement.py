"""How often measures agree on pairs of runs, and how many pairs each can tell apart (PRES, figure 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import PercentFormatter

from antecede.report.drawing.names import labels
from antecede.report.drawing.style import (
    BLUE,
    COLUMN,
    GREY,
    ORANGE,
    PALE,
    SKY,
    SMALL,
    THIN_SPACE,
    Drawing,
    counted,
    heading,
    percent,
    sheet,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from antecede.comparison.agreement import Agreement

BAR = 0.19
"""Inches from bar to bar."""


def agreement(result: Agreement) -> Drawing:
    """Bars: the pairs by what the measures say of them; below, the pairs that each measure tells apart."""
    said, told = result.categories(), result.count_told_apart()
    figure = sheet(COLUMN, 0.95 + BAR * (len(said) + len(told)))
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[len(said), len(told)])
    colours = [BLUE, *[SKY] * len(result.stands_apart), ORANGE]
    bars(upper, result, said, colours, ["", *[""] * len(result.stands_apart), "////"])
    bars(lower, result, told, [PALE] * len(told), [""] * len(told))
    heading(upper, f"What {counted(len(told), 'measure')} say of {counted(result.pairs, 'pair')} of runs")
    heading(lower, f"What each tells apart; {counted(len(result.contradictions), 'contradiction')}")
    upper.tick_params(axis="x", bottom=False, labelbottom=False)
    upper.spines["bottom"].set_visible(False)
    figure.supxlabel(f"Share of pairs ({result.plan})", size=SMALL)
    lower.xaxis.set_major_formatter(PercentFormatter(1.0, symbol=f"{THIN_SPACE}%", decimals=0))
    lower.set_xlim(0, 1)
    return figure


def bars(axes: Axes, result: Agreement, counts: dict[str, int], colours: Sequence[str], hatches: Sequence[str]) -> None:
    """A bar for each count, with the count and its share printed beside it, or in it where there is no room."""
    shares = [result.share(count) for count in counts.values()]
    drawn = axes.barh(range(len(counts)), shares, height=0.72, color=colours)
    for bar, hatch, count, share, colour in zip(drawn, hatches, counts.values(), shares, colours, strict=True):
        bar.set(hatch=hatch, edgecolor="white" if hatch else colour, linewidth=0)
        inside = share > 0.6
        axes.annotate(
            f"{count:,} ({percent(share, 1)})",
            xy=(share, bar.get_y() + bar.get_height() / 2),
            xytext=(-3 if inside else 3, 0),
            textcoords="offset points",
            ha="right" if inside else "left",
            va="center_baseline",
            size=SMALL,
            color="white" if inside and colour == BLUE else "black",
        )
    axes.set_yticks(range(len(counts)), labels([*counts], 40))
    axes.set_ylim(len(counts) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_color(GREY)
