"""Shared classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.ranking.attributes import attributes_of, truncate
from antecede.ranking.features.registry import Absent, feature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.ranking.attributes import NumberLists
    from antecede.ranking.evidence import Evidence
    from antecede.ranking.features.registry import Floats

LEVELS = 3
"""Subclass, main group, group."""
NOT_A_PATENT = Absent("the topic is not a patent")
NO_CLASSES = Absent("no document of the index has a class", for_every_topic=True)
NO_CLASS = Absent("the topic has no class")


@feature("classes", kind="classes", cite="Lopez & Romary, CLEF 2009; weights of classes as those of terms")
def classes(at: Evidence, *, overlap: float = 1.0) -> Floats | Absent:
    """IPC and CPC codes that the document shares with the topic, at three levels; rare ones count more.

    Mean over subclass (H04L), main group (H04L 12) and group (H04L 12/56) of Σ r(c) over the shared codes /
    √(Σ r(c) of the topic · Σ r(c) of the document), r(c) = log((P + 1) / p), p of the P candidates having the code.
    A document without a class has score 0: where only some documents have classes, those are favoured. overlap: the
    weight of this beside the deepest level at which a code is shared (⅓, ⅔ or 1).
    """
    if at.task.patent is None:
        return NOT_A_PATENT
    own = [*at.task.patent.ipc, *at.task.patent.cpc]
    attributes = attributes_of(at.index)
    if not attributes.has("ipc", "cpc"):
        return NO_CLASSES
    if not own:
        return NO_CLASS
    deepest, total = np.zeros(len(at.pool)), np.zeros(len(at.pool))
    for level in range(LEVELS):
        shared, similarity = compare(truncate(own, level), attributes.classes(at.pool, level))
        deepest = np.where(shared, (level + 1) / LEVELS, deepest)
        total += similarity / LEVELS
    return overlap * total + deepest


def compare(own: Sequence[str], codes: NumberLists) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Whether each document shares a code with the topic, and how similar the codes are, rare ones counting more."""
    used, items = np.unique(codes.items, return_inverse=True)
    rarity = np.log((codes.size + 1) / np.bincount(items, minlength=len(used)))
    mine = np.isin(used, codes.known(own))
    elsewhere = len({*own}) - int(mine.sum())
    whole = float(rarity[mine].sum()) + elsewhere * float(np.log(codes.size + 1))
    both = codes.add_up(np.where(mine, rarity, 0.0)[items])
    product = np.sqrt(whole * codes.add_up(rarity[items]))
    similarity = np.divide(both, product, out=np.zeros(codes.size), where=product > 0)
    return codes.add_up(mine[items].astype(np.float64)) > 0, similarity
