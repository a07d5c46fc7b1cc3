"""Randomised Tukey HSD agrees with the enumeration of all permutations; the normal one with SciPy and statsmodels."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
import scipy.stats as stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

import antecede as ac
from antecede.comparison import TopicValues
from antecede.comparison.tukey import compare_ranges, draw_ranges
from tests.comparison.test_equivalence import make_values


def test_sampled_permutations_agree_with_all_of_them() -> None:
    values = np.random.default_rng(3).uniform(0, 1, (3, 4)) + np.array([[0.0], [0.2], [0.5]])
    columns = [[*permutations(column)] for column in values.T]
    ranges = np.array([np.ptp(np.mean(chosen, axis=0)) for chosen in product(*columns)])
    differences = np.array([np.ptp(values.mean(axis=1)), 0.2, 0.0])
    exact = [(ranges >= difference - 1e-12).mean() for difference in differences]
    assert compare_ranges(differences, draw_ranges(values, 20_000, 0)) == pytest.approx(exact, abs=0.012)


def test_p_is_never_0_and_counts_equal_ranges() -> None:
    assert compare_ranges(np.array([0.5, -0.3, 9.0]), np.array([0.1, 0.3, 0.5])).tolist() == [0.5, 0.75, 0.25]


def test_the_normal_test_equals_statsmodels_and_scipy() -> None:
    values = make_values()
    scores = values.by_measure["AP"]
    frame = pd.DataFrame(
        {"y": scores.ravel(), "run": np.repeat(["a", "b", "c"], 40), "topic": np.tile(np.arange(40), 3)}
    )
    error = anova_lm(ols("y ~ C(run) + C(topic)", frame).fit()).loc["Residual"]
    difference = np.array([scores[i].mean() - scores[j].mean() for i, j in ((0, 1), (0, 2), (1, 2))])
    q = np.abs(difference) / np.sqrt(error["mean_sq"] / 40)
    result = ac.study.tukey(values, method="normal")
    assert result.column("AP", "p") == pytest.approx(stats.studentized_range.sf(q, 3, error["df"]), abs=1e-9)
    against = ac.study.tukey(values, method="normal", baseline="b")
    assert against.column("AP", "p") == pytest.approx(result.column("AP", "p")[[0, 2]], abs=1e-12)


def test_topics_that_a_run_lacks_are_left_out_and_counted() -> None:
    scores = make_values().by_measure["AP"].copy()
    scores[0, :3] = np.nan
    with_gaps = ac.study.tukey(TopicValues({"AP": scores}, ["a", "b", "c"]), samples=200)
    without = ac.study.tukey(TopicValues({"AP": scores[:, 3:]}, ["a", "b", "c"]), samples=200)
    assert with_gaps.column("AP", "p").tolist() == without.column("AP", "p").tolist()
    assert "3 topics that not every run has are left out" in str(with_gaps)
