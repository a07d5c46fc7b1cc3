"""UFT."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.query.methods.registry import method

if TYPE_CHECKING:
    from antecede.query.material import Floats, Terms


@method("uft", cite="Zhou et al., NLPCC 2013", cut=False)
def uft(at: Terms) -> Floats:
    """The whole text without its unit-frequency terms: those that occur once are left out.

    n(t) where n(t) > 1. A text so short that no term occurs twice is kept whole.
    """
    repeated = at.counts > 1
    return np.where(repeated, at.counts, 0.0) if repeated.any() else at.counts
