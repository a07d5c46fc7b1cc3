"""IPC as a boost: of the documents found, those in the topic's own classes are moved up. A filter loses the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError
from antecede.ranges import BOOST
from antecede.search.fusion import reordered

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from antecede.search.hits import Hits

LEVELS = 3
"""Subclass, main group, group."""


def ipc_boost(hits: Hits, codes: Sequence[str], strength: float) -> Hits:
    """The hits with scores times 1 + strength · nearness, in their new order.

    Nearness is 1 where a document shares a code with the topic, ⅔ for a main group, ⅓ for a subclass, else 0. Without
    codes, or with strength 0, nothing changes. Scores below 0 are refused: they would move down.
    """
    BOOST.check(strength, "the IPC boost")
    if not codes or not strength or not len(hits):
        return hits
    if hits.scores.min() < 0:
        raise UsageError("an IPC boost needs scores above 0, and some lie below; take another model, such as bm25")
    own = [levels(codes, level) for level in range(LEVELS)]
    nearness = np.array([nearest(own, head.ipc) for head in hits.heads()])
    return reordered(hits, hits.scores.astype(np.float64) * (1 + strength * nearness))


def levels(codes: Iterable[str], level: int) -> set[str]:
    """Codes cut to a level: `H04L`, `H04L 12`, `H04L 12/56`."""
    if level == 0:
        return {code[:4] for code in codes}
    whole = (code for code in codes if "/" in code)
    return {code.partition("/")[0] for code in whole} if level == 1 else set(whole)


def nearest(own: Sequence[set[str]], codes: Sequence[str]) -> float:
    """How near codes are to one's own: the share of levels down to which one is the same."""
    return max((level + 1 for level in range(LEVELS) if own[level] & levels(codes, level)), default=0) / LEVELS
