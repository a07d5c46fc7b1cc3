"""TF."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.query.methods.registry import method

if TYPE_CHECKING:
    from antecede.query.material import Floats, Terms


@method("tf", cite="Zhou et al., NLPCC 2013", cut=True)
def tf(at: Terms) -> Floats:
    """The most frequent terms of the text.

        w = n(t) / max n

    max n is the frequency of the most frequent term.
    """
    weights: Floats = at.counts / at.counts.max(initial=1.0)
    return weights
