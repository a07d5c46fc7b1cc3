"""Corrections of p-values for testing many pairs at once.

Each takes the p-values of one family of tests and returns adjusted ones, in the same order, to be held against
the same α. Test 100 pairs that do not differ at α = 0.05, and about 5 look significant; this is what is corrected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from antecede.comparison.ranks import Floats


def none(p: Floats) -> Floats:
    """The p-values as they are. Fit for one planned comparison, or for counting as in the papers on measures."""
    return p.copy()


def bonferroni(p: Floats) -> Floats:
    """min(1, m·p) for m tests (Dunn, 1961). Bounds the chance of a single false alarm; the most cautious."""
    return np.minimum(1.0, p * p.size)


def holm(p: Floats) -> Floats:
    """Step-down Bonferroni: max over j ≤ i of min(1, (m − j + 1)·p₍ⱼ₎) (Holm, 1979).

    The same promise as Bonferroni's, under the same conditions, and never larger p-values: prefer it.
    """
    order = np.argsort(p, kind="stable")
    stepped = p[order] * np.arange(p.size, 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(stepped))
    return adjusted


def bh(p: Floats) -> Floats:
    """Step-up false discovery rate: min over j ≥ i of min(1, m/j·p₍ⱼ₎) (Benjamini & Hochberg, 1995).

    Bounds the expected share of false alarms among the differences called significant, not the chance of any.
    The bound is proven for independent or positively dependent tests; pairs that share a run need not be either.
    """
    order = np.argsort(p, kind="stable")
    stepped = p[order] * p.size / np.arange(1, p.size + 1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(stepped[::-1])[::-1])
    return adjusted


CORRECTIONS: Mapping[str, Callable[[Floats], Floats]] = {"none": none, "bonferroni": bonferroni, "holm": holm, "bh": bh}
