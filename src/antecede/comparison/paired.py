"""What paired significance tests share: what they take, what they return, and the rules for edge cases.

A test takes `differences`, float64[pairs, topics], first run minus second, NaN where a topic is left out of a pair,
and returns a `Significance`. All p-values are two-sided. Where every difference is zero, p is 1 by definition.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.comparison.pairs import Ints
    from antecede.comparison.ranks import Floats

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Sampling:
    """How a test that draws at random does so; the same seed gives the same p-values."""

    samples: int = 10_000
    seed: int = 0


DEFAULT_SAMPLING = Sampling()


@dataclass(frozen=True, eq=False)
class Significance:
    """What a test says of each pair."""

    statistic: Floats
    """Positive where the first run is ahead, in the eyes of this test."""
    p: Floats
    """Two-sided; NaN for a pair with fewer than two topics."""
    topics: Ints
    """Topics both runs have a score for."""
    identical: Flags
    """Every difference is zero: p is 1 by definition, not by calculation."""
    smallest: Floats
    """The smallest p this test could have given for this pair; 0 where nothing bounds it."""
    tied: Floats
    """Share of the topics that a ranking test could not tell apart (no difference, or the same as elsewhere)."""
    sampled: Flags
    """p was estimated from random draws, not calculated."""


def joined(parts: Sequence[Significance]) -> Significance:
    """What was tested in several goes, as one."""
    names = [each.name for each in fields(Significance)]
    return Significance(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


class PairedTest(Protocol):
    """The shape of a test; one that does not draw ignores `sampling`."""

    def __call__(self, differences: Floats, sampling: Sampling, /) -> Significance: ...


def settle(
    differences: Floats,
    statistic: Floats,
    p: Floats,
    *,
    smallest: Floats | None = None,
    tied: Floats | None = None,
    sampled: Flags | None = None,
) -> Significance:
    """A test's figures, with the rules all tests share: all differences zero, and too few topics."""
    topics = np.count_nonzero(~np.isnan(differences), axis=1)
    identical = (topics > 0) & ~np.any(np.nan_to_num(differences) != 0, axis=1)
    zeros = np.zeros(len(differences))
    return Significance(
        statistic=np.where(topics < 2, np.nan, np.where(identical, 0.0, statistic)),
        p=np.where(topics < 2, np.nan, np.where(identical, 1.0, p)),
        topics=topics,
        identical=identical,
        smallest=zeros if smallest is None else smallest,
        tied=zeros if tied is None else tied,
        sampled=zeros.astype(bool) if sampled is None else sampled,
    )


def verdicts(significance: Significance, significant: Flags, direction: int = 1) -> Ints:
    """For each pair +1 where the first run is significantly better, −1 where the second is, 0 where neither.

    `direction` is −1 for a measure where less is better.
    """
    return np.where(significant, np.sign(np.nan_to_num(significance.statistic)) * direction, 0).astype(np.int64)
