"""How well weights rank topics that they were not learned from: scores, folds by date, tests.

Topics are sorted by date and cut into blocks of equal size. Each block but the first is ranked with weights that were
learned from the blocks before it: nobody can learn from the future.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.parse import parse_measure
from antecede.measures.ranks import Ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from antecede.learning.examples import Example, Examples

    Floats = NDArray[np.float64]
    Scorer = Callable[[NDArray[np.float32]], NDArray[np.floating]]
    """The scores of candidates from their features."""
    Learner = Callable[[Examples], Scorer]

MEASURES = ("R@100", "AP@1000", "PRES@1000")
DEPTH = 1000
"""Documents of a ranking that count."""
BLOCKS = 5


def relevant_ranks(example: Example, scores: NDArray[np.floating]) -> NDArray[np.int32]:
    """The ranks of the relevant candidates that are among the best; equal scores by name."""
    order = np.argsort(-scores, kind="stable")[:DEPTH]  # candidates are ordered by name
    return (np.flatnonzero(example.relevant[order]) + 1).astype(np.int32)


def score_ranks(examples: Sequence[Example], systems: Sequence[Sequence[NDArray[np.int32]]]) -> Floats:
    """float64[measures, systems, topics] from the ranks that each system gives to relevant documents of each topic."""
    totals = np.array([each.total for each in examples], np.int64)
    offsets = np.concatenate(([0], np.cumsum(totals)))
    ranks = np.zeros((len(systems), int(offsets[-1])), np.int32)
    for row, system in zip(ranks, systems, strict=True):
        for start, found in zip(offsets, system, strict=False):
            row[start : start + len(found)] = found
    table = Ranks(
        ranks,
        np.ones(len(ranks[0]), np.int32),
        offsets,
        np.full((len(systems), len(examples)), DEPTH, np.int32),
    )
    return np.stack([parse_measure(each).score(table) for each in MEASURES])


def blocks_by_date(examples: Examples, blocks: int = BLOCKS) -> list[tuple[list[int], list[int]]]:
    """For each block of topics but the first: the topics before it, and its own. Topics of one day stay together."""
    days = [each.day for each in examples.topics]
    cuts = [0]
    for part in range(1, blocks):
        at = max(len(days) * part // blocks, cuts[-1])
        while 0 < at < len(days) and days[at] == days[at - 1]:
            at += 1
        cuts.append(at)
    cuts.append(len(days))
    pairs = [([*range(start)], [*range(start, end)]) for start, end in pairwise(cuts[1:])]
    return [pair for pair in pairs if pair[0] and pair[1]]


def validate(examples: Examples, learn: Learner, blocks: int = BLOCKS) -> tuple[list[int], list[NDArray[np.int32]]]:
    """The topics that were tested, and the ranks of their relevant documents by weights learned from earlier topics."""
    tested: list[int] = []
    ranks: list[NDArray[np.int32]] = []
    for earlier, later in blocks_by_date(examples, blocks):
        scorer = learn(examples.take(earlier))
        tested += later
        ranks += [relevant_ranks(each, scorer(each.values)) for each in examples.take(later).topics]
    return tested, ranks
