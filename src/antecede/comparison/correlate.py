"""How alike measures order the same systems: every coefficient between every two measures."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from antecede.comparison.correlation import CORRELATIONS
from antecede.comparison.validation import check_runs, find
from antecede.errors import UsageError, shown
from antecede.plots import Plotted
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from antecede.comparison.paired import Flags
    from antecede.tables import Value


@dataclass(frozen=True)
class Correlations(Tabled, Plotted):
    """Coefficients between measures over the same runs."""

    figure = "correlation"

    measures: tuple[str, ...]
    runs: int
    values: Mapping[str, Mapping[tuple[str, str], float]]
    """By coefficient, then by pair of measures; the first of a pair is the reference of τ_AP."""
    left_out: tuple[str, ...] = ()
    """Runs without a score under some measure."""

    def table(self) -> Table:
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (f"{first} – {second}", *(by_pair[first, second] for by_pair in self.values.values()))
            for first, second in combinations(self.measures, 2)
        )
        notes: tuple[str, ...] = (f"{self.runs} runs.",)
        if self.left_out:
            notes += (f"Left out, for want of a score: {', '.join(shown(name) for name in self.left_out)}.",)
        return Table(("measures", *self.values), rows, title="Correlation of measures", notes=notes, digits=3)

    def to_dict(self) -> dict[str, dict[str, float | None]]:
        """By coefficient, then by `first|second`; None where it is not defined."""
        return {
            name: {"|".join(pair): None if np.isnan(value) else value for pair, value in by_pair.items()}
            for name, by_pair in self.values.items()
        }


def correlate_values(
    scores: Mapping[str, npt.ArrayLike], runs: Sequence[str], methods: Sequence[str] = tuple(CORRELATIONS)
) -> Correlations:
    """Every coefficient asked for between every two measures; `scores` holds one figure a run for each measure."""
    check_runs(runs)
    if len(scores) < 2:
        raise UsageError(f"a correlation needs two measures, there is {len(scores)}; name another with -m")
    arrays = {name: np.asarray(values, dtype=np.float64) for name, values in scores.items()}
    for name, values in arrays.items():
        if values.shape != (len(runs),):
            raise UsageError(
                f"{name}: the scores have shape {values.shape}, needed is one for each of {len(runs)} runs"
            )
    used: Flags = ~np.any(np.isnan(np.stack([*arrays.values()])), axis=0)
    if used.sum() < 2:
        raise UsageError("fewer than two runs have a score under every measure; leave out the measure that has none")
    found: dict[str, dict[tuple[str, str], float]] = {}
    for method in methods:
        coefficient = find(CORRELATIONS, method, "correlation")
        found[method] = {
            (first, second): float(coefficient(arrays[first][used], arrays[second][used][None, :])[0])
            for first, second in combinations(arrays, 2)
        }
    left_out = tuple(name for name, kept in zip(runs, used, strict=True) if not kept)
    return Correlations(tuple(arrays), int(used.sum()), found, left_out)
