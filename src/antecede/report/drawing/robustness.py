"""How well measures keep the order of the systems when judgements are lost (Robustness, figures 3 and 4)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator, NullLocator

from antecede.measures.parse import parse_measure
from antecede.measures.registry import Measure
from antecede.report.drawing.labelling import Label, beside, keys, text_width
from antecede.report.drawing.robustness_groups import without_groups
from antecede.report.drawing.style import COLUMN, GREY, PAGE, SMALL, TEXT, Drawing, look, percent, sheet
from antecede.study.robustness import BAND

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from antecede.study.robustness import Robustness

BANDED = 9
"""More samples than this have a band."""
NOTED = 0.02
"""A share left that differs by so much from the share asked for is noted below it."""
ABREAST = 3
"""Panels side by side."""


@dataclass(frozen=True)
class Panel:
    """Some of the measures, by place, with what to call each."""

    title: str
    names: dict[int, str]


def robustness(result: Robustness) -> Drawing:
    """τ against what is kept: the mean as a line, its band, and the worst sample; a panel for each cut-off."""
    if result.lose == "group":
        return without_groups(result)
    panels, looks = panels_of(result.measures), families(result.measures)
    columns = min(ABREAST, len(panels))
    rows = -(-len(panels) // columns)
    figure = sheet(COLUMN if columns == 1 else PAGE, 2.45 * rows + 0.15)
    grid = figure.subplots(rows, columns, squeeze=False, sharey=True, sharex=True)
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    for place, (axes, panel) in enumerate(zip(grid.flat, panels, strict=False)):
        draw_panel(axes, result, panel, looks)
        axes.set_title(panel.title)
        axes.tick_params(labelbottom=place + columns >= len(panels))
        if place % columns == 0:
            axes.set_ylabel("Kendall’s τ")
    figure.supxlabel(what_is_kept(result), size=TEXT)
    explain(figure, result)
    figure.draw_without_rendering()
    make_room(grid.flat[0], result, [name for panel in panels for name in panel.names.values()])
    for axes, panel in zip(grid.flat, panels, strict=False):
        label_lines(axes, result, panel, looks)
    return figure


def family(measure: str) -> tuple[str, int | None]:
    """A measure's name without its cut-off, and the cut-off, if it has one."""
    parsed = parse_measure(measure)
    given = dict(parsed.arguments)
    if parsed.definition.at != "cutoff" or "cutoff" not in given:
        return str(parsed), None
    rest = tuple((name, value) for name, value in parsed.arguments if name != "cutoff")
    return str(Measure(parsed.definition, rest)), int(given["cutoff"])


def families(measures: tuple[str, ...]) -> list[int]:
    """The number of each measure's look: the same measure looks the same at every cut-off."""
    names = [family(measure)[0] for measure in measures]
    known = list(dict.fromkeys(names))
    return [known.index(name) for name in names]


def panels_of(measures: tuple[str, ...]) -> list[Panel]:
    """A panel for each cut-off that measures share, and one for the rest."""
    split = [family(measure) for measure in measures]
    shared = Counter(cutoff for _, cutoff in split)
    cutoffs = [cutoff for cutoff, count in shared.items() if cutoff is not None and count > 1]
    panels = [
        Panel(f"Cut-off {cutoff:,}", {m: name for m, (name, at) in enumerate(split) if at == cutoff})
        for cutoff in cutoffs
    ]
    rest = {m: measure for m, measure in enumerate(measures) if split[m][1] not in cutoffs}
    return [*panels, *([Panel("Other measures" if panels else "", rest)] if rest else [])]


def draw_panel(axes: Axes, result: Robustness, panel: Panel, looks: list[int]) -> None:
    """The lines of one panel: worst, band and mean of each measure."""
    x = np.array(result.keep)
    for measure in panel.names:
        here = look(looks[measure])
        style: dict[str, Any] = {"color": here.colour, "marker": here.marker}
        if result.samples > BANDED:
            axes.fill_between(x, result.low[measure], result.high[measure], color=here.colour, alpha=0.14, lw=0)
        if result.samples > 1:
            hollow: dict[str, Any] = {"markerfacecolor": "white", "markeredgewidth": 0.6, "ms": 2.6 * here.scale}
            axes.plot(x, result.worst[measure], lw=0.7, ls=(0, (1, 1.5)), **hollow, **style)
        axes.plot(x, result.mean[measure], lw=1.3, ls=here.line, ms=3.6 * here.scale, **style)
    if result.lose == "depth":
        axes.set_xscale("log")
        axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(x, level_names(result))
    axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axes.grid(axis="y")


def is_noted(result: Robustness) -> bool:
    """Whether the share of all relevant documents that is left stands below each level: where it is another."""
    return result.lose == "depth" or bool(np.abs(result.share - result.keep).max() >= NOTED)


def level_names(result: Robustness) -> list[str]:
    """What stands below the levels."""
    names = [f"{level:,.0f}" if result.lose == "depth" else percent(level) for level in result.keep]
    shares = [f"\n({percent(share)})" if is_noted(result) else "" for share in result.share]
    return [name + share for name, share in zip(names, shares, strict=True)]


def what_is_kept(result: Robustness) -> str:
    """The name of the axis."""
    if result.lose == "depth":
        return "Depth of the pool (relevant documents left)"
    return "Relevant documents kept, asked for (and left)" if is_noted(result) else "Relevant documents kept"


def label_lines(axes: Axes, result: Robustness, panel: Panel, looks: list[int]) -> None:
    """The names left of the lines, where they lie furthest apart; the axis is made longer to hold them."""
    first = int(np.argmin(result.keep))
    ends = [
        Label(name, result.keep[first], float(result.mean[measure, first]), look(looks[measure]).label)
        for measure, name in panel.names.items()
        if np.isfinite(result.mean[measure, first])
    ]
    beside(axes, ends, side="left")


def make_room(axes: Axes, result: Robustness, names: list[str]) -> None:
    """Begin the axis so far left that the names have room there."""
    width = axes.get_window_extent().width / axes.figure.dpi
    room = min(0.6, (text_width(names, SMALL) + 0.14) / width)
    ends = np.array([min(result.keep), max(result.keep)])
    flat = np.log(ends) if result.lose == "depth" else ends
    span = max(float(flat[1] - flat[0]), 0.1)
    limits = np.array([flat[1] - span - span * 1.08 * room / (1 - room), flat[1] + 0.08 * span])
    axes.set_xlim(*(np.exp(limits) if result.lose == "depth" else limits))


def explain(figure: Drawing, result: Robustness) -> None:
    """What line, band and dots mean, above the chart."""
    if result.samples < 2:
        return
    handles: dict[str, Artist] = {f"mean of {result.samples:,} samples": Line2D([], [], color=GREY, lw=1.3)}
    if result.samples > BANDED:
        handles[f"{percent(BAND)} of them"] = Patch(color=GREY, alpha=0.25, lw=0)
    handles["the worst"] = Line2D([], [], color=GREY, lw=0.7, ls=(0, (1, 1.5)), marker="o", ms=2.6, mfc="white")
    keys(figure, handles)
