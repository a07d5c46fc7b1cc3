"""Success: whether any relevant document was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.registry import Cutoff, Level, measure

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores


@measure("Success", at="cutoff", cite="Buckley & Voorhees, SIGIR 2000", trec_eval={"success_{cutoff}": {}})
def success(ranks: Ranks, *, cutoff: Cutoff, rel: Level = 1) -> Scores:
    """Success: whether any relevant document is among the first N.

    1 if k ≥ 1, otherwise 0. Its mean is the share of topics with at least one hit.

    >>> score("Success@5", found=[4, 9], relevant=3)
    1.0
    """
    return (ranks.relevant(rel).found(cutoff) > 0).astype(np.float64)
