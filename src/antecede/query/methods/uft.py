"""UFT."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.query.methods.registry import method

if TYPE_CHECKING:
    from antecede.query.material import Floats, Terms


@method("uft", cite="Zhou et al., NLPCC 2013", cut=False)
def uft(at: Terms) -> Floats:
    """The whole text without unit-frequency terms, that is, those that occur only once.

        w = n(t), n(t) > 1

    A text so short that no term occurs twice is used completely.
    """
    repeated = at.counts > 1
    return np.where(repeated, at.counts, 0.0) if repeated.any() else at.counts
