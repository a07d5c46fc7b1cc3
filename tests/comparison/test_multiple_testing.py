"""Corrections: worked figures, SciPy's false discovery rate, and the order between them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from antecede.comparison import CORRECTIONS

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_worked_figures() -> None:
    p = np.array([0.04, 0.01, 0.03, 0.005])
    assert CORRECTIONS["none"](p).tolist() == p.tolist()
    assert CORRECTIONS["bonferroni"](p) == pytest.approx([0.16, 0.04, 0.12, 0.02])
    assert CORRECTIONS["holm"](p) == pytest.approx([0.06, 0.03, 0.06, 0.02])
    assert CORRECTIONS["bh"](p) == pytest.approx([0.04, 0.02, 0.04, 0.02])


@given(P_VALUES)
def test_bh_is_scipys(given_p: list[float]) -> None:
    p = np.array(given_p)
    assert CORRECTIONS["bh"](p) == pytest.approx(stats.false_discovery_control(p), abs=1e-12)


@given(P_VALUES)
def test_each_is_more_cautious_than_the_last(given_p: list[float]) -> None:
    p = np.array(given_p)
    none, bh, holm, bonferroni = (CORRECTIONS[name](p) for name in ("none", "bh", "holm", "bonferroni"))
    slack = 1e-12
    assert (none <= bh + slack).all()
    assert (bh <= holm + slack).all()
    assert (holm <= bonferroni + slack).all()
    assert bonferroni.max() <= 1


@pytest.mark.parametrize("name", CORRECTIONS)
@given(P_VALUES)
def test_the_order_of_the_tests_does_not_matter(name: str, given_p: list[float]) -> None:
    p = np.array(given_p)
    order = np.random.default_rng(len(p)).permutation(len(p))
    assert CORRECTIONS[name](p)[order] == pytest.approx(CORRECTIONS[name](p[order]), abs=1e-12)
    adjusted = CORRECTIONS[name](p)
    # A smaller p never gets a larger adjusted p.
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= -1e-12).all()


@pytest.mark.parametrize("name", ["bonferroni", "holm"])
def test_the_chance_of_any_false_alarm_stays_below_alpha(name: str) -> None:
    p = np.random.default_rng(1).random((2000, 20))
    alarms = [CORRECTIONS[name](family).min() <= 0.05 for family in p]
    assert np.mean(alarms) < 0.065
