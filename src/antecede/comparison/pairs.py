"""Pairs of runs, and how they differ topic by topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from antecede.comparison.ranks import Floats

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pair i sets run `first[i]` against run `second[i]`, both given by their row."""

    first: Ints
    second: Ints

    def __len__(self) -> int:
        return len(self.first)

    def differences(self, values: Floats) -> Floats:
        """float64[pairs, topics]: first minus second; NaN where either run has no score."""
        return values[self.first] - values[self.second]


def all_pairs(runs: int) -> Pairs:
    """Each run with each later one: 48 runs make 1,128 pairs."""
    first, second = np.triu_indices(runs, k=1)
    return Pairs(first.astype(np.int64), second.astype(np.int64))


def against_baseline(runs: int, baseline: int) -> Pairs:
    """Each other run with the baseline, in the order of the runs."""
    others = np.delete(np.arange(runs, dtype=np.int64), baseline)
    return Pairs(others, np.full(len(others), baseline, dtype=np.int64))
