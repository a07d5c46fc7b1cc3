"""FULL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.query.methods.registry import method

if TYPE_CHECKING:
    from antecede.query.material import Floats, Terms


@method("full", cite="Xue & Croft, SIGIR 2009; the baseline of Zhou et al., NLPCC 2013", cut=False)
def full(at: Terms) -> Floats:
    """The whole text: every term with its frequency.

        w = n(t)

    The baseline. It retrieves many relevant documents, but ranks them among others that merely share common words.
    """
    return at.counts
