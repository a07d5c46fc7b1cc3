"""How often measures agree on pairs of runs, and how many pairs each distinguishes (PRES, figure 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import PercentFormatter

from antecede.report.display_text import count_noun, make_labels
from antecede.report.figures.layout import set_wide_title
from antecede.report.figures.paper import COLUMN, SMALL, figure, new_figure
from antecede.report.figures.style import BLUE, GREY, ORANGE, PALE, SKY, THIN_SPACE, format_percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from antecede.comparison.agreement import Agreement
    from antecede.report.figures.paper import PaperFigure

BAR_HEIGHT = 0.19
"""Inches per bar."""


@figure("agreement", result="Agreement")
def agreement(result: Agreement) -> PaperFigure:
    """How often measures agree on pairs of systems, and how many pairs each distinguishes (PRES, figure 7).

    Above, the pairs by the verdict of the measures; below, the pairs that each measure distinguishes.
    """
    said, told = result.categories(), result.count_told_apart()
    sheet = new_figure(COLUMN, 0.95 + BAR_HEIGHT * (len(said) + len(told)))
    upper, lower = sheet.subplots(2, 1, sharex=True, height_ratios=[len(said), len(told)])
    colours = [BLUE, *[SKY] * len(result.stands_apart), ORANGE]
    draw_bars(upper, result, said, colours, ["", *[""] * len(result.stands_apart), "////"])
    draw_bars(lower, result, told, [PALE] * len(told), [""] * len(told))
    set_wide_title(
        upper, f"Verdicts of {count_noun(len(told), 'measure')} on {count_noun(result.pairs, 'pair')} of runs"
    )
    set_wide_title(lower, f"Pairs that each distinguishes; {count_noun(len(result.contradictions), 'contradiction')}")
    upper.tick_params(axis="x", bottom=False, labelbottom=False)
    upper.spines["bottom"].set_visible(False)
    sheet.supxlabel(f"Share of pairs ({result.plan})", size=SMALL)
    lower.xaxis.set_major_formatter(PercentFormatter(1.0, symbol=f"{THIN_SPACE}%", decimals=0))
    lower.set_xlim(0, 1)
    return sheet


def draw_bars(
    axes: Axes, result: Agreement, counts: dict[str, int], colours: Sequence[str], hatches: Sequence[str]
) -> None:
    """One bar per count, with the count and its share beside it, or inside it where there is no room."""
    shares = [result.share(count) for count in counts.values()]
    bars = axes.barh(range(len(counts)), shares, height=0.72, color=colours)
    for bar, hatch, count, share, colour in zip(bars, hatches, counts.values(), shares, colours, strict=True):
        bar.set(hatch=hatch, edgecolor="white" if hatch else colour, linewidth=0)
        inside = share > 0.6
        axes.annotate(
            f"{count:,} ({format_percent(share, 1)})",
            xy=(share, bar.get_y() + bar.get_height() / 2),
            xytext=(-3 if inside else 3, 0),
            textcoords="offset points",
            ha="right" if inside else "left",
            va="center_baseline",
            size=SMALL,
            color="white" if inside and colour == BLUE else "black",
        )
    axes.set_yticks(range(len(counts)), make_labels([*counts], 40))
    axes.set_ylim(len(counts) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_color(GREY)
