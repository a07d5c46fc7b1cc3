"""Recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.measures.registry import Cutoff, Level, measure

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores


@measure("R", at="cutoff", cite="Kent et al. 1955", trec_eval={"recall_{cutoff}": {}, "set_recall": {}})
def recall(ranks: Ranks, *, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """Recall: the share of the relevant documents among the first N, or in the whole list.

        R = k / n

    Does not depend on where in the list they are ranked.

    >>> score("R@100", found=[1, 98, 99, 200], relevant=5)
    0.6
    """
    relevant = ranks.relevant(rel)
    return relevant.found(cutoff) / relevant.n
