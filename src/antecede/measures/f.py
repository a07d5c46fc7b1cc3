"""F-scores: recall combined with precision, or with average precision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.ap import ap
from antecede.measures.precision import precision
from antecede.measures.recall import recall
from antecede.measures.registry import Cutoff, Level, Weight, measure

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores


def weighted_harmonic_mean(first: Scores, second: Scores, beta: float) -> Scores:
    """(1 + β²)·a·b / (β²·a + b), and 0 where both are 0."""
    denominator = beta**2 * first + second
    return np.divide(
        (1 + beta**2) * first * second, denominator, out=np.zeros_like(denominator), where=denominator != 0
    )


@measure("F", at="cutoff", cite="van Rijsbergen, Information Retrieval, 1979", trec_eval={"set_F": {}})
def f(ranks: Ranks, *, beta: Weight = 1.0, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """F-score: precision and recall in one number, recall weighted β times as much.

        F = (1 + β²)·P·R / (β²·P + R)

    P is divided by N, or by the length of the list if there is no cut-off.

    At a fixed cut-off only the number of relevant documents matters, not their order within the first N. The parameter
    of trec_eval's set_F is β².

    >>> score("F@100", found=[1], relevant=4)
    0.019230769231
    """
    return weighted_harmonic_mean(precision(ranks, cutoff=cutoff, rel=rel), recall(ranks, cutoff=cutoff, rel=rel), beta)


@measure("Fprime", at="cutoff", cite="Magdy & Jones, SIGIR 2010, equation 1")
def fprime(ranks: Ranks, *, beta: Weight = 1.0, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """F′: average precision and recall in one number, recall weighted β times as much.

        F′ = (1 + β²)·AP·R / (β²·AP + R)

    Like AP it is dominated by the first relevant document; PRES was designed to avoid that.

    >>> score("Fprime(beta=4)@100", found=[1, 98, 99, 100], relevant=4)
    0.864377539865
    """
    return weighted_harmonic_mean(ap(ranks, cutoff=cutoff, rel=rel), recall(ranks, cutoff=cutoff, rel=rel), beta)
