"""Paired significance tests, each over many pairs of runs at once: `TESTS` names them.

Student's t stands here; Wilcoxon's and the randomisation test have files of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.comparison.paired import DEFAULT_SAMPLING, PairedTest, Sampling, Significance, settle
from antecede.comparison.randomization import randomization
from antecede.comparison.wilcoxon import wilcoxon

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antecede.comparison.ranks import Floats


def t(differences: Floats, _sampling: Sampling = DEFAULT_SAMPLING, /) -> Significance:
    """Student's paired t (Student, 1908): mean / (s/√n), with n − 1 degrees of freedom.

    Assumes that the mean difference is about normal, which some dozens of topics see to; it compares means.
    Equals `scipy.stats.ttest_rel`. Robust in retrieval practice (Smucker, Allan & Carterette, CIKM 2007).
    """
    from scipy.special import stdtr

    here = ~np.isnan(differences)
    count = here.sum(axis=1)
    known = np.where(here, differences, 0.0)
    mean = known.sum(axis=1) / np.maximum(count, 1)
    squares = np.where(here, known - mean[:, None], 0.0) ** 2
    error = np.sqrt(squares.sum(axis=1) / np.maximum(count - 1, 1) / np.maximum(count, 1))
    statistic = np.divide(mean, error, out=np.copysign(np.inf, mean), where=error > 0)
    p: Floats = 2 * stdtr(np.maximum(count - 1, 1), -np.abs(statistic))
    return settle(differences, statistic, p)


TESTS: Mapping[str, PairedTest] = {"t": t, "wilcoxon": wilcoxon, "randomization": randomization}
