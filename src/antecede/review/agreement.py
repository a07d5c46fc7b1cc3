"""How far two screeners agree: Cohen's κ with an interval, per stage, on votes given before either saw the other's."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.comparison.correlation import cohen_kappa
from antecede.results import concise_repr
from antecede.review.votes import STAGES
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from antecede.review.votes import Votes

DRAWS = 20_000
"""Draws from the posterior of the shares; the ends of an interval are then right within about 0.005."""
PRIOR_COUNT = 0.5
"""Added to each cell: Jeffreys' prior. Without it the interval of two who never differed would have no width."""


@dataclass(frozen=True)
class Agreement:
    """The votes of two screeners at one stage."""

    stage: str
    screeners: tuple[str, str]
    counts: tuple[tuple[int, int], tuple[int, int]]
    """Records excluded and included by the first (row) and by the second (column); a maybe is included."""

    @property
    def records(self) -> int:
        """The records that both decided on."""
        return sum(map(sum, self.counts))

    @property
    def agreed(self) -> int:
        return self.counts[0][0] + self.counts[1][1]

    @property
    def kappa(self) -> float | None:
        """Cohen's κ; None where it is undefined, since both gave every record the same vote."""
        value = float(cohen_kappa(np.array(self.counts, np.int64)))
        return value if np.isfinite(value) else None

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The interval of κ, from the posterior of the four shares under Jeffreys' prior; the same at each call.

        It always contains κ: where nobody differed, its upper end is 1.
        """
        shape = np.ravel(self.counts) + PRIOR_COUNT
        shares = np.random.default_rng(0).dirichlet(shape, DRAWS).reshape(-1, 2, 2)
        low, high = np.quantile(cohen_kappa(shares), [(1 - level) / 2, (1 + level) / 2]).tolist()
        kappa = self.kappa if self.kappa is not None else low
        return min(low, kappa), max(high, kappa)

    def to_dict(self) -> dict[str, Any]:
        """The agreement in a JSON-compatible form."""
        return {
            "stage": self.stage,
            "screeners": [*self.screeners],
            "records": self.records,
            "agreed": self.agreed,
            "counts": [[*row] for row in self.counts],
            "kappa": self.kappa,
            "interval": [*self.interval()],
        }


@dataclass(frozen=True, eq=False)
class ScreenerAgreement(Tabled):
    """How far each two screeners of a team agree, per stage."""

    __repr__ = concise_repr

    pairs: tuple[Agreement, ...]

    def to_dict(self) -> list[dict[str, Any]]:
        """The agreement of each pair in a JSON-compatible form."""
        return [pair.to_dict() for pair in self.pairs]

    def tables(self) -> tuple[Table, ...]:
        """One row per stage and pair of screeners."""
        columns = ("stage", "screeners", "records", "both in", "both out", "differ", "agreement", "Cohen's κ", "95 %")
        rows = []
        for pair in self.pairs:
            (out, second), (first, included) = pair.counts
            low, high = pair.interval()
            row = (STAGES[pair.stage], " and ".join(pair.screeners), pair.records, included, out, first + second,
                   pair.agreed / pair.records, pair.kappa, f"{low:.2f} to {high:.2f}")  # fmt: skip
            rows.append(row)
        note = "votes given before either saw the other's; maybe counts as included"
        return (Table(columns, tuple(rows), "Agreement of the screeners", (note,), digits=3),)


def measure_agreement(votes: Votes) -> ScreenerAgreement:
    """The agreement of each two screeners at each stage where both have voted on a record."""
    pairs = []
    for stage in STAGES:
        cells: dict[tuple[str, str], Counter[tuple[bool, bool]]] = {}
        for first, second in votes.pairs(stage):
            cells.setdefault((first.user, second.user), Counter())[first.included, second.included] += 1
        for users, cell in sorted(cells.items()):
            counts = ((cell[False, False], cell[False, True]), (cell[True, False], cell[True, True]))
            pairs.append(Agreement(stage, users, counts))
    return ScreenerAgreement(tuple(pairs))
