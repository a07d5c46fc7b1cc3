"""Linear weights by coordinate ascent: the measures themselves are raised, one weight at a time.

    Metzler, Croft: Linear feature-based models for information retrieval, Information Retrieval 10(3), 2007.

The objective is the mean over topics of R@100 + AP@1000 + PRES@1000. From a start, each weight in turn takes the value
of a grid that raises the objective most, until a round over all weights raises it by less than `least`. A value is only
taken if it gains at least `least`, so that weights that make no difference stay where they are: few topics change
little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.learning.learned_ranking import DEPTH, score_ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.learning.examples import Examples

    Floats = NDArray[np.float64]

GRID = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5)
"""Values that a weight may take; that of one feature stays 1, since only proportions matter."""
LEAST = 0.002
"""What a change must gain in the objective, the sum of three measures."""
ROUNDS = 10


class Pools:
    """The candidates of all topics in one table, to rank the relevant ones by many weights."""

    def __init__(self, examples: Examples) -> None:
        self.examples = examples
        topics = examples.topics
        self.values = np.ascontiguousarray(np.concatenate([each.values for each in topics]).T)
        """float32[features, candidates]."""
        self.ptr = np.concatenate(([0], np.cumsum([len(each.relevant) for each in topics]))).astype(np.int64)
        self.relevant = np.flatnonzero(np.concatenate([each.relevant for each in topics])).astype(np.int64)
        self.topic = np.searchsorted(self.ptr, self.relevant, side="right") - 1
        self.cuts = np.searchsorted(self.relevant, self.ptr)

    def scores(self, weights: Floats) -> NDArray[np.float32]:
        """The score of every candidate."""
        total = np.zeros(self.values.shape[1], np.float32)
        for weight, row in zip(weights.astype(np.float32), self.values, strict=True):
            if weight:
                total += weight * row
        return total

    def measure(self, systems: Sequence[NDArray[np.float32]]) -> Floats:
        """float64[measures, systems, topics] of scores of all candidates."""
        ranked = []
        for scores in systems:
            ranks = count_better(scores, self.ptr, self.relevant, self.topic)
            parts = (np.sort(ranks[start:end]) for start, end in zip(self.cuts, self.cuts[1:], strict=False))
            ranked.append([each[each <= DEPTH] for each in parts])
        return score_ranks(self.examples.topics, ranked)


def ascend(
    examples: Examples,
    start: Floats,
    *,
    grid: Sequence[float] = GRID,
    least: float = LEAST,
    fixed: Sequence[int] = (),
) -> Floats:
    """The weights that coordinate ascent finds from a start; those of the features in `fixed` stay as they are."""
    pools, weights = Pools(examples), start.astype(np.float64)
    free = [at for at in range(len(weights)) if at not in fixed and pools.values[at].any()]
    scores = pools.scores(weights)
    best = objective(pools.measure([scores]))[0]
    for _ in range(ROUNDS):
        before = best
        for at in free:
            others = [each for each in grid if each != weights[at]]
            changed = [scores + np.float32(each - weights[at]) * pools.values[at] for each in others]
            found = objective(pools.measure(changed))
            top = int(np.argmax(found))
            if found[top] >= best + least:
                weights[at] = others[top]
                scores = pools.scores(weights)
                best = objective(pools.measure([scores]))[0]
        if best < before + least:
            break
    return weights


def objective(measures: Floats) -> Floats:
    """The mean over topics of the sum of the measures, for each system."""
    found: Floats = measures.sum(axis=0).mean(axis=1)
    return found


def count_better(
    scores: NDArray[np.float32], ptr: NDArray[np.int64], relevant: NDArray[np.int64], topic: NDArray[np.int64]
) -> NDArray[np.int32]:
    """The rank of each relevant candidate within its topic; equal scores in the order of the candidates."""
    ranks = np.empty(len(relevant), np.int32)
    for at, place in enumerate(relevant):
        first, last = ptr[topic[at]], ptr[topic[at] + 1]
        own = scores[place]
        better = np.count_nonzero(scores[first:place] >= own) + np.count_nonzero(scores[place + 1 : last] > own)
        ranks[at] = better + 1
    return ranks
