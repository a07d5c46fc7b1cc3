"""Labels beside the lines they name, moved apart so that none covers another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from antecede.report.drawing.style import GREY, SMALL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEADING = 1.2
"""Height of a line of text, in sizes of type."""
ADVANCE = 0.62
"""Mean width of a sign, in sizes of type."""
HANDLE = 0.42
"""Inches for the key to a text and the space around both."""
LEADER = {"arrowstyle": "-", "lw": 0.4, "color": GREY, "shrinkA": 0, "shrinkB": 3}
"""The line from a label that had to be moved to its point."""


@dataclass(frozen=True)
class Label:
    """A text that belongs to a point of a line."""

    text: str
    x: float
    y: float
    colour: str
    weight: str = "normal"


def spread(wanted: Sequence[float] | Floats, gap: float, low: float, high: float) -> Floats:
    """Places as near as can be to those wanted, at least `gap` apart and between `low` and `high`.

    Least squares: minus i·gap each, "at least a gap apart" is "never falling", which pooling neighbours solves.
    Where there is not enough room, the gap is made smaller.
    """
    places = np.asarray(wanted, dtype=np.float64)
    count = len(places)
    if not count:
        return places
    gap = min(gap, (high - low) / max(count - 1, 1))
    order = np.argsort(places, kind="stable")
    steps = gap * np.arange(count)
    pools: list[tuple[float, int]] = []
    for value in places[order] - steps:
        pools.append((float(value), 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (late, many), (early, few) = pools.pop(), pools.pop()
            pools.append(((late * many + early * few) / (many + few), many + few))
    pooled = np.repeat([value for value, _ in pools], [size for _, size in pools])
    result = np.empty(count)
    result[order] = np.clip(pooled, low, high - steps[-1]) + steps
    return result


def beside(axes: Axes, labels: Sequence[Label], *, size: float = SMALL, side: str = "right", off: float = 6.0) -> None:
    """Write labels `off` points to the right or left of their points, at one line, each near its point's height.

    Call it when the figure has its limits: the height of a line of text depends on the layout.
    """
    if not labels:
        return
    low, high = sorted(axes.get_ylim())
    room = axes.get_window_extent()
    gap = size * LEADING * (high - low) / max(room.height * 72 / axes.figure.dpi, 1.0)
    away = off / max(room.width * 72 / axes.figure.dpi, 1.0)
    places = spread([label.y for label in labels], gap, low, high)
    across = (axes.transData + axes.transAxes.inverted()).transform([(label.x, label.y) for label in labels])[:, 0]
    anchor = across.max() + away if side == "right" else across.min() - away
    for label, place in zip(labels, places, strict=True):
        moved = abs(place - label.y) > gap / 3
        axes.annotate(
            label.text,
            xy=(label.x, label.y),
            xytext=(float(anchor), float(place)),
            textcoords=axes.get_yaxis_transform(),
            ha="left" if side == "right" else "right",
            va="center_baseline",
            size=size,
            color=label.colour,
            weight=label.weight,
            annotation_clip=False,
            arrowprops={**LEADER, "relpos": (0.0 if side == "right" else 1.0, 0.5)} if moved else None,
        )


def text_width(texts: Sequence[str], size: float) -> float:
    """Inches that the longest of some texts takes, roughly."""
    return max((len(text) for text in texts), default=0) * ADVANCE * size / 72


def key_columns(texts: Sequence[str], width: float) -> int:
    """How many keys stand side by side in `width` inches; they are set column by column."""
    wide = [text_width([text], SMALL) + HANDLE for text in texts]
    for columns in range(len(texts), 1, -1):
        deep = -(-len(texts) // columns)
        if sum(max(wide[first : first + deep]) for first in range(0, len(texts), deep)) <= width:
            return -(-len(texts) // deep)
    return 1


def key_height(texts: Sequence[str], width: float) -> float:
    """Inches that the keys take above a chart of that width."""
    return 0.15 * -(-len(texts) // key_columns(texts, width))


def keys(figure: Figure, handles: Mapping[str, Artist]) -> None:
    """The keys of a chart, in rows above it."""
    texts = list(handles)
    columns = key_columns(texts, figure.get_figwidth())
    figure.legend(list(handles.values()), texts, loc="outside upper center", ncols=columns)
