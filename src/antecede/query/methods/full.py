"""FULL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.query.methods.registry import method

if TYPE_CHECKING:
    from antecede.query.material import Floats, Terms


@method("full", cite="Xue & Croft, SIGIR 2009; the baseline of Zhou et al., NLPCC 2013", cut=False)
def full(at: Terms) -> Floats:
    """The whole text: every term as often as it occurs.

    n(t). The baseline: it finds much, and what it finds is lost among what common words bring up.
    """
    return at.counts
