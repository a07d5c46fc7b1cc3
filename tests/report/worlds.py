"""Results to draw: small ones for every figure, and what a figure must bear."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from antecede.comparison import agreement_of_values, compare_values, correlate_values
from antecede.evaluation import RankTable, Scores, evaluate
from antecede.measures.ranks import Ranks
from antecede.report import figures
from antecede.study.cutoffs import Crossing, Cutoffs
from antecede.study.published_tables import Published
from antecede.study.robustness import robustness
from antecede.study.term_counts import TermCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure

    from antecede.comparison import Agreement, Comparison, Correlations
    from antecede.study.robustness import Robustness

MEASURES = "AP@100,R@100,PRES@100"
TEN = "PRES@100,AP@100,R@100,P@10,nDCG,RR,Bpref,RBP(p=0.8),Effort@50,NumRelRet"
HOSTILE = (
    "pays$$and$more",
    r"$\frac{1}{0}$",
    "a_b^c%d#e~f",
    "<b>&amp;\"'</b>",
    "x" * 300,
    "x" * 299 + "y",
    "Zürich–Ωμέγα",
    "特許検索の実行",
    "line\nbreak\tand\x00nul",
    "bad\udc80byte",
    "",
    "   ",
)
"""Names that somebody's files may well have."""


@cache
def table(runs: int | tuple[str, ...] = 6, topics: int = 12, *, seed: int = 0) -> RankTable:
    """Made-up runs, each later one a bit worse, with three or more relevant documents a topic."""
    rng = np.random.default_rng(seed)
    names = tuple(f"run{number:02d}" for number in range(runs)) if isinstance(runs, int) else tuple(runs)
    sizes = rng.integers(3, 9, topics)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    ranks = np.zeros((len(names), offsets[-1]), np.int32)
    for run in range(len(names)):
        for start, end in pairwise(offsets):
            ranks[run, start:end] = rng.choice(150 + 20 * run, end - start, replace=False) + 1
    return RankTable(
        names,
        tuple(f"T{number}" for number in range(topics)),
        pl.Series([f"d{number}" for number in range(offsets[-1])]),
        Ranks(ranks, np.ones(offsets[-1], np.int32), offsets, np.full((len(names), topics), 1000, np.int32)),
    )


@cache
def scores(runs: int | tuple[str, ...] = 6, measures: str = MEASURES, topics: int = 12) -> Scores:
    return evaluate(table(runs, topics), measures)


def by_measure(of: Scores) -> dict[str, np.ndarray]:
    return {str(measure): of.of(str(measure)) for measure in of.measures}


@cache
def agreed(runs: int | tuple[str, ...] = 6, measures: str = MEASURES) -> Agreement:
    of = scores(runs, measures)
    return agreement_of_values(by_measure(of), of.runs)


@cache
def compared(runs: int | tuple[str, ...] = 6, measures: str = MEASURES, *, baseline: int | None = 0) -> Comparison:
    of = scores(runs, measures)
    name = None if baseline is None else of.runs[baseline]
    return compare_values(by_measure(of), of.runs, baseline=name, resamples=20)


def correlated(runs: int | tuple[str, ...] = 6, measures: str = MEASURES) -> Correlations:
    of = scores(runs, measures)
    return correlate_values({str(m): of.totals[i] for i, m in enumerate(of.measures)}, of.runs)


def lost(runs: int | tuple[str, ...] = 6, measures: str = f"{MEASURES},AP@10,R@10,nDCG", **how: Any) -> Robustness:
    return robustness(table(runs), measures, **how)


def cut(
    runs: int | tuple[str, ...] = 3, measures: Sequence[str] = ("AP", "R", "PRES"), at: Sequence[int] = (5, 50, 100)
) -> Cutoffs:
    """Curves by hand: every run crosses the next one half-way."""
    names = table(runs).runs
    grid = np.arange(at[0], at[-1] + 1)
    slope = np.linspace(1, 0.5, len(names))[:, None]
    curve = slope * (grid / grid[-1]) ** 0.5 + (1 - slope) * 0.7
    curves = np.stack([curve * (1 - 0.2 * m) for m in range(len(measures))])
    middle = int(grid[len(grid) // 2])
    crossings = tuple(
        Crossing(measure=measure, first=b, second=a, before=middle - 1, at=middle, gap=0.001)
        for measure in measures
        for a, b in pairwise(names)
    )
    places = np.searchsorted(grid, at)
    return Cutoffs(
        measures=tuple(measures),
        runs=names,
        at=tuple(at),
        scores=curves[:, :, places],
        crossings=crossings,
        grid=grid,
        curves=curves,
    )


def swept(methods: Sequence[str] = ("full", "tf", "bm25"), at: Sequence[int] = (5, 20, 75, 200)) -> TermCounts:
    """Curves by hand: each rises, each a bit less than the one before."""
    curve = np.sqrt(np.array(at) / at[-1])
    scores = np.stack([[curve * (1 - 0.1 * q - 0.2 * m) for q in range(len(methods))] for m in range(3)])
    return TermCounts(("AP@1000", "R@100", "PRES@1000"), tuple(methods), tuple(at), scores, 12)


@cache
def papers() -> Published:
    """What `published` returns, with made-up numbers."""
    rng = np.random.default_rng(3)
    study = robustness(table(8), f"{MEASURES},AP@10,R@10,PRES@10", samples=12)
    return Published(
        sections=(),
        robustness=study,
        printed_tau={measure: rng.uniform(0.5, 1, (4, 3)) for measure in study.measures},
        table_4={name: rng.uniform(0, 0.8, 48) for name in ("MAP", "Recall", "PRES")},
    )


DRAWN: dict[str, Callable[..., Figure]] = {
    "systems": lambda path=None: figures.systems(scores(), path, sort="PRES@100"),
    "rank_changes": lambda path=None: figures.rank_changes(scores(), path),
    "agreement": lambda path=None: figures.agreement(agreed(), path),
    "cutoffs": lambda path=None: figures.cutoffs(cut(), path),
    "term_counts": lambda path=None: figures.term_counts(swept(), path),
    "pres_recall": figures.pres_recall,
    "pres_rr": figures.pres_rr,
    "relevant_per_topic": lambda path=None: figures.relevant_per_topic(table(), path),
    "robustness": lambda path=None: figures.robustness(lost(), path),
    "compare": lambda path=None: figures.compare(compared(), path),
    "correlation": lambda path=None: figures.correlation(correlated(), path),
    "published": lambda path=None: figures.published(papers(), path),
}
"""Every figure from a small result."""
