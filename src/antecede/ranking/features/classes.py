"""Shared classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.ranking.attributes import LEVELS, attributes_of, levels_of
from antecede.ranking.features.registry import Absent, feature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.ranking.attributes import NumberLists, TextCache
    from antecede.ranking.evidence import Evidence
    from antecede.ranking.features.registry import Floats

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
    shared, similarity = compare(own, *attributes.classes(at.pool))
    deepest, total = np.zeros(len(at.pool)), np.zeros(len(at.pool))
    for level in range(LEVELS):
        deepest = np.where(shared[level], (level + 1) / LEVELS, deepest)
        total += similarity[level] / LEVELS
    return overlap * total + deepest


def compare(
    codes: Sequence[str], lists: NumberLists, cache: TextCache
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Whether each document shares a code with the topic, and how similar the codes are, rare ones counting more.

    One row per level, one column per document.
    """
    own = levels_of(codes)
    mine = cache.mark(own)
    often = np.bincount(lists.items, minlength=len(mine))
    rarity = np.log((lists.size + 1) / often[lists.items])
    levels = cache.values_of(lambda names: np.array([float(name[0]) for name in names]))[lists.items]
    places = levels.astype(np.int64) * lists.size + lists.owners

    def add_up(values: NDArray[np.float64]) -> NDArray[np.float64]:
        sums = np.bincount(places, values, LEVELS * lists.size).astype(np.float64, copy=False)
        return sums.reshape(LEVELS, lists.size)

    whole = np.zeros(LEVELS)
    for code in own:  # one that no candidate has is as rare as can be
        number = cache.number.get(code, len(often))
        whole[int(code[0])] += np.log((lists.size + 1) / max(often[number] if number < len(often) else 0, 1))
    matched = mine[lists.items]
    product = np.sqrt(whole[:, None] * add_up(rarity))
    similarity = np.divide(
        add_up(np.where(matched, rarity, 0.0)), product, out=np.zeros_like(product), where=product > 0
    )
    return add_up(matched.astype(np.float64)) > 0, similarity
