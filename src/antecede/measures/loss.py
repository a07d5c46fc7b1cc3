"""The losses of tar_eval: what a review that shows this list has missed, and what it has cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.registry import Cutoff, Documents, Level, measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.measures.ranks import Ranks, Scores

    Numbers = NDArray[np.float64] | NDArray[np.int64]

CITE = "Cormack & Grossman, TREC Total Recall 2015; tar_eval (CLEF TAR 2017)"
EFFORT_OFFSET = 100
"""A reasonable effort is to read n + 100 documents."""


def shown_documents(ranks: Ranks, cutoff: int | None) -> NDArray[np.float64]:
    """float64[R, T]: how many documents of the list are read."""
    shown = ranks.retrieved.astype(np.float64)
    return shown if cutoff is None else np.minimum(shown, cutoff)


def lost_recall(recall: NDArray[np.float64]) -> NDArray[np.float64]:
    """(1 − R)²"""
    lost: NDArray[np.float64] = (1 - recall) ** 2
    return lost


def lost_effort(read: NDArray[np.float64], relevant: Numbers, documents: Numbers | float) -> NDArray[np.float64]:
    """(100 / D)² · (L / (n + 100))², for L of D documents read and n relevant ones."""
    lost: NDArray[np.float64] = (EFFORT_OFFSET / documents * read / (relevant + EFFORT_OFFSET)) ** 2
    return lost


@measure("LossR", at="cutoff", cite=CITE, better="lower", trec_eval={"loss_r": {}})
def loss_r(ranks: Ranks, *, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """Loss of recall: the square of the share of the relevant documents that the list, or its first N, misses.

        LossR = (1 − k / n)²

    As tar_eval's loss_r: the whole list counts as read.

    >>> score("LossR", found=[1, 2, 3], relevant=4)
    0.0625
    """
    relevant = ranks.relevant(rel)
    return lost_recall(relevant.found(cutoff) / relevant.n)


@measure("LossE", at="cutoff", cite=CITE, better=None, bounds=(0.0, float("inf")))
def loss_e(ranks: Ranks, *, docs: Documents, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """Loss of effort: the square of what is read, relative to n + 100 documents and to the size of the collection.

        LossE = (100 / D)² · (L / (n + 100))²

    L is the length of the list, or N if that is less; D is the size of the collection: one number, docs=judged or
    docs=FILE. As tar_eval's loss_e.

    >>> score("LossE(docs=1000)", found=[1, 2], relevant=2, retrieved=510)
    0.25
    """
    size = docs.resolve(ranks, "LossE")
    return lost_effort(shown_documents(ranks, cutoff), ranks.relevant(rel).n, size)


@measure("LossER", at="cutoff", cite=CITE, better="lower", bounds=(0.0, float("inf")))
def loss_er(ranks: Ranks, *, docs: Documents, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """Loss of effort and recall: how far a review is from finding everything with a reasonable effort.

        LossER = (1 − k / n)² + (100 / D)² · (L / (n + 100))²

    LossR + LossE, as tar_eval's loss_er. D is given as in LossE.

    >>> score("LossER(docs=1000)", found=[1], relevant=2, retrieved=510)
    0.5
    """
    return loss_r(ranks, cutoff=cutoff, rel=rel) + loss_e(ranks, docs=docs, cutoff=cutoff, rel=rel)
