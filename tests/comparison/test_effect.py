"""Effect sizes: figures by hand, and the edges where there is no spread."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from antecede.comparison import cohen_d, mean_difference


def test_figures_by_hand() -> None:
    differences = np.array([[0.1, 0.3, 0.2, np.nan], [-0.2, 0.2, 0.0, 0.4]])
    assert mean_difference(differences) == pytest.approx([0.2, 0.1])
    assert cohen_d(differences) == pytest.approx([2.0, 0.1 / np.sqrt(0.2 / 3)])


def test_it_is_t_over_the_root_of_n() -> None:
    differences = np.random.default_rng(0).normal(0.1, 0.3, (20, 37))
    assert cohen_d(differences) == pytest.approx(stats.ttest_1samp(differences, 0, axis=1).statistic / np.sqrt(37))


def test_no_spread() -> None:
    # 0.3 − 0.2 and 0.1 differ by rounding only.
    even = np.array([[0.3 - 0.2, 0.1, 0.1], [0.0, 0.0, 0.0], [-0.1, -0.1, -0.1], [0.1, np.nan, np.nan], [np.nan] * 3])
    assert cohen_d(even)[:3].tolist() == [np.inf, 0.0, -np.inf]
    assert np.isnan(cohen_d(even)[3:]).all()
    assert np.isnan(mean_difference(even)).tolist() == [False, False, False, False, True]
