"""What a study of robustness returns, as tables and as data."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.comparison.comparison import finite
from antecede.comparison.scored import DIGITS
from antecede.plots import Plotted
from antecede.study.losses import way_called
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from antecede.tables import Value

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

BAND = 0.95
"""The share of the samples that lies between `low` and `high`."""


@dataclass(frozen=True, eq=False)
class Robustness(Tabled, Plotted):
    """M measures, L levels of loss, S samples of each, R runs."""

    figure = "robustness"

    measures: tuple[str, ...]
    runs: tuple[str, ...]
    lose: str
    """The way of losing judgements: random, group, depth or late."""
    keep: tuple[float, ...]
    """One number a level: the share of relevant documents kept (random, late), the depth of the pool (depth), or the
    mean share that is left (group)."""
    levels: tuple[str, ...]
    """What to call each level: 0.2, 0.4, …; 10, 20, …; `all but one group`."""
    tau: Floats
    """float64[M, L, S]: Kendall's τ-b of the totals against those under all judgements; NaN where all runs tie."""
    full: Floats
    """float64[M, R]: the totals under all judgements."""
    totals: Floats
    """float64[M, L, S, R]: the totals under each sample of the judgements."""
    kept: Ints
    """int64[L, S]: how many relevant documents are left, of `relevant`."""
    relevant: int
    topics: int
    """Topics with a relevant document under all judgements."""
    topics_lost: Ints
    """int64[L, S]: topics that lost their last relevant document and are left out of the totals."""
    sample_names: tuple[str, ...] = ()
    """group: the group that each sample does without. Empty for the other ways."""
    groups: tuple[str, ...] = ()
    """group: the group of each run. Empty for the other ways."""
    better: tuple[str | None, ...] = ()
    """For each measure which totals are better: higher, lower, or neither."""
    seed: int = 0

    @property
    def samples(self) -> int:
        return int(self.tau.shape[2])

    @property
    def share(self) -> Floats:
        """float64[L]: the mean share of all relevant documents that is left: the x axis of a figure."""
        return np.asarray(self.kept.mean(axis=1) / self.relevant)

    @property
    def mean(self) -> Floats:
        """float64[M, L]."""
        return over_samples(np.nanmean, self.tau)

    @property
    def worst(self) -> Floats:
        """float64[M, L]: the lowest τ of any sample, as in figures 3 and 4 of the paper."""
        return over_samples(np.nanmin, self.tau)

    @property
    def low(self) -> Floats:
        """float64[M, L]: the lower end of the band that holds 95 % of the samples (their 2.5 % quantile)."""
        return over_samples(np.nanquantile, self.tau, q=(1 - BAND) / 2)

    @property
    def high(self) -> Floats:
        """float64[M, L]: the upper end of the band (their 97.5 % quantile)."""
        return over_samples(np.nanquantile, self.tau, q=(1 + BAND) / 2)

    @property
    def falls(self) -> Ints:
        """int64[M, S], group: how many places the worst hit run of the left-out group loses among all runs."""
        sign = np.array([-1.0 if better == "lower" else 1.0 for better in self.better])
        member = np.array([[group == name for group in self.groups] for name in self.sample_names])
        moved = places(sign[:, None, None] * self.totals[:, 0]) - places(sign[:, None] * self.full)[:, None, :]
        return np.asarray(np.where(member, moved, -len(self.runs)).max(axis=2))

    def table(self) -> Table:
        """τ for each level and measure: mean, worst and band over the samples; the most robust measure is marked."""
        rows: list[tuple[Value, ...]] = []
        best: set[tuple[int, int]] = set()
        mean, worst, low, high = self.mean, self.worst, self.low, self.high
        for at, level in enumerate(self.levels):
            for name, values in (("mean", mean), ("worst", worst))[: min(2, self.samples)]:
                best |= {(len(rows), 2 + m) for m in highest(values[:, at])}
                rows.append((level if name == "mean" else "", name, *map(float, values[:, at])))
            if self.samples > 2:
                ends = zip(low[:, at], high[:, at], strict=True)
                rows.append(("", f"{100 * BAND:g} %", *(f"{down:.3f}–{up:.3f}" for down, up in ends)))
        return Table(
            ("depth" if self.lose == "depth" else "kept", "τ", *self.measures),
            tuple(rows),
            title="Robustness: Kendall's τ against the order under all judgements",
            notes=self.notes(),
            best=frozenset(best),
            digits=3,
        )

    def groups_table(self) -> Table:
        """group: a row for each group left out, with what is lost, τ, and how far the group's own runs fall."""
        falls = self.falls
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (
                name,
                self.groups.count(name),
                self.relevant - int(self.kept[0, at]),
                *map(float, self.tau[:, 0, at]),
                *map(int, falls[:, at]),
            )
            for at, name in enumerate(self.sample_names)
        )
        heads = [*(f"τ {measure}" for measure in self.measures), *(f"fall {measure}" for measure in self.measures)]
        return Table(
            ("without", "runs", "relevant lost", *heads),
            rows,
            title="Without the finds of one group",
            notes=("fall: how many places among all runs the group's worst hit run loses.",),
            digits=3,
        )

    def notes(self) -> tuple[str, ...]:
        """What a reader of the table must know."""
        drawn = f"{self.samples} sample{'s' * (self.samples > 1)} a level"
        counts = f"{len(self.runs)} runs, {self.topics} topics, {self.relevant:,} relevant documents; {drawn}"
        left = ", ".join(f"{level}: {100 * share:.1f} %" for level, share in zip(self.levels, self.share, strict=True))
        lost = [f"{level}: {int(most)}" for level, most in zip(self.levels, self.topics_lost.max(axis=1), strict=True)]
        return (
            f"{counts}{f', seed {self.seed}' if self.lose in {'random', 'late'} else ''}.",
            f"{self.lose}: {way_called(self.lose).summary} Relevant documents left: {left}.",
            *([f"Topics left out, without a relevant document: {', '.join(lost)}."] if self.topics_lost.any() else []),
            *([f"{100 * BAND:g} %: that share of the samples lies between the two."] if self.samples > 2 else []),
        )

    def to_dict(self) -> dict[str, Any]:
        """For `--json`; None where τ is not defined since all runs tie."""
        shown_figures = {"mean": self.mean, "worst": self.worst, "low": self.low, "high": self.high}
        tau = {
            measure: {
                level: {
                    **{name: finite(figure[m, at]) for name, figure in shown_figures.items()},
                    "values": [finite(value) for value in self.tau[m, at]],
                }
                for at, level in enumerate(self.levels)
            }
            for m, measure in enumerate(self.measures)
        }
        document: dict[str, Any] = {
            "lose": self.lose,
            "keep": list(self.keep),
            "samples": self.samples,
            "seed": self.seed,
            "runs": len(self.runs),
            "topics": self.topics,
            "relevant": self.relevant,
            "relevant_left": {level: self.kept[at].tolist() for at, level in enumerate(self.levels)},
            "topics_lost": {level: self.topics_lost[at].tolist() for at, level in enumerate(self.levels)},
            "measures": list(self.measures),
            "full": {
                measure: dict(zip(self.runs, map(finite, totals), strict=True))
                for measure, totals in zip(self.measures, self.full, strict=True)
            },
            "tau": tau,
        }
        if self.sample_names:
            falls = dict(zip(self.measures, self.falls.tolist(), strict=True))
            document |= {"groups": list(self.sample_names), "falls": falls}
        return document


def over_samples(figure: Callable[..., Any], tau: Floats, **parameters: float) -> Floats:
    """A figure of the samples for which τ is defined; NaN where it is for none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # NumPy warns where no sample is left, and gives NaN
        return np.asarray(figure(tau, axis=2, **parameters))


def places(totals: Floats) -> Ints:
    """The place of each run on the last axis: 1 more than the number of runs ahead of it."""
    rounded = np.round(totals, DIGITS)
    ahead = rounded[..., None, :] > rounded[..., :, None]
    return np.asarray(1 + ahead.sum(axis=-1))


def highest(values: Floats) -> list[int]:
    """Where the highest value stands, unless all are the same."""
    known = values[~np.isnan(values)]
    if len(known) < 2 or known.max() == known.min():
        return []
    return [int(at) for at in np.flatnonzero(values == known.max())]
