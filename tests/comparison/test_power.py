"""Power and the number of topics equal statsmodels; a simulation of normal differences agrees with the formula."""

from __future__ import annotations

from math import ceil

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

import antecede as ac
from antecede.comparison.power import power_of_t, simulate_power, topics_needed
from tests.comparison.test_equivalence import make_values

EFFECTS = [0.05, 0.1, 0.2, 0.5, 0.8, 2.0]


@pytest.mark.parametrize("effect", EFFECTS)
def test_power_and_topics_equal_statsmodels(effect: float) -> None:
    theirs = TTestPower()
    for topics in (2, 5, 10, 50, 500):
        expected = np.nan_to_num(theirs.power(effect, topics, 0.05), nan=1.0)
        assert power_of_t(np.array([effect]), np.array([topics]), 0.05)[0] == pytest.approx(expected, abs=1e-12)
    for target in (0.5, 0.8, 0.95):
        needed = float(np.ravel(theirs.solve_power(effect, None, 0.05, target))[0])
        assert topics_needed(np.array([effect]), 0.05, target)[0] == max(2, ceil(needed))


def test_extremes() -> None:
    assert topics_needed(np.array([1e-4, np.inf, 50.0]), 0.05, 0.8).tolist() == [0, 2, 2]
    assert power_of_t(np.array([np.inf]), np.array([2]), 0.05).tolist() == [1]


def test_a_simulation_of_normal_differences_agrees_with_the_formula() -> None:
    rng = np.random.default_rng(0)
    differences = rng.normal(0, 1, 20_000)
    differences /= differences.std()
    for topics in (10, 40):
        share = simulate_power(differences, 0.5, 0.05, 4_000, np.random.default_rng(1), topics)
        assert share == pytest.approx(power_of_t(np.array([0.5]), np.array([topics]), 0.05)[0], abs=0.025)


def test_the_table_has_both() -> None:
    result = ac.study.power(make_values(), difference=0.01, baseline="a", samples=500)
    by_formula, simulated = result.column("AP", "power"), result.column("AP", "by simulation")
    assert simulated == pytest.approx(by_formula, abs=0.1)
    assert result.table().columns[3:] == ("topics", "spread", "d", "power", "by simulation", "topics needed")
    assert result.table().rows[0][3] == 40
    assert "more than 1,000,000" in str(ac.study.power(make_values(), difference=1e-6, samples=2))
