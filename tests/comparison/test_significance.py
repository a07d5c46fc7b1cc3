"""Tests are SciPy's pair by pair, or plain enumeration; corrections have worked figures and an order between them."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from antecede.comparison import CORRECTIONS, TESTS
from antecede.comparison.significance import (
    SignificancePlan,
    all_pairs,
    baseline_pairs,
    randomization,
    run_tests,
    t,
    wilcoxon,
)
from antecede.errors import UsageError

if TYPE_CHECKING:
    from antecede.comparison.inputs import Floats
    from antecede.comparison.significance import Test


TOPICS = [2, 3, 5, 9, 12, 13, 14, 20, 49, 50, 51, 120]
"""Both sides of each place where SciPy changes its way (13/14 with ties, 50/51 without)."""


def scores(topics: int, digits: int, *, seed: int = 3) -> Floats:
    """Seven runs that differ a little; few digits make ties and zeros."""
    rng = np.random.default_rng(seed + topics)
    return np.asarray(np.round(rng.beta(0.7, 1.5, topics) + rng.normal(0.02, 0.2, (7, topics)), digits))


def brute_force(differences: Floats) -> float:
    """The randomisation test, one sign pattern after another."""
    moving = differences[differences != 0]
    observed = abs(moving.sum())
    sums = [abs(np.dot(signs, moving)) for signs in product((1, -1), repeat=len(moving))]
    return float(np.mean([value >= observed - 1e-9 for value in sums]))


@pytest.mark.slow
@pytest.mark.parametrize("digits", [9, 1])
@pytest.mark.parametrize("topics", TOPICS)
def test_t_and_wilcoxon_are_scipys_for_each_pair_alone(topics: int, digits: int) -> None:
    values, pairs = scores(topics, digits), all_pairs(7)
    differences = pairs.differences(values)
    moving = differences.any(axis=1)
    ours_t, ours_w = t(differences), wilcoxon(differences)
    # SciPy takes over a second for each tied pair of a dozen topics.
    slow = digits == 1 and 9 <= topics <= 13
    for i in np.flatnonzero(moving)[: 1 if slow else None]:
        first, second = values[pairs.first[i]], values[pairs.second[i]]
        if np.ptp(differences[i]) > 1e-9:
            assert ours_t.p[i] == pytest.approx(stats.ttest_rel(first, second).pvalue, abs=1e-12)
            assert ours_t.statistic[i] == pytest.approx(stats.ttest_rel(first, second).statistic, rel=1e-9)
        theirs = stats.wilcoxon(first, second)
        assert ours_w.p[i] == pytest.approx(theirs.pvalue, abs=1e-12)
        sum_of_ranks = np.count_nonzero(differences[i]) * (np.count_nonzero(differences[i]) + 1) / 2
        assert (sum_of_ranks - abs(ours_w.statistic[i])) / 2 == pytest.approx(theirs.statistic, abs=1e-9)


@pytest.mark.slow
@given(st.lists(st.integers(-6, 6), min_size=2, max_size=9).filter(any))
def test_wilcoxon_with_any_ties_and_zeros_is_scipys(whole: list[int]) -> None:
    differences = np.array([whole], dtype=np.float64)
    assert wilcoxon(differences).p[0] == pytest.approx(stats.wilcoxon(differences[0]).pvalue, abs=1e-12)


@pytest.mark.parametrize("name", TESTS)
@pytest.mark.parametrize("topics", [11, 30, 70])
def test_a_topic_left_out_is_as_if_it_were_not_there(name: str, topics: int) -> None:
    differences = all_pairs(7).differences(scores(topics, 2))
    holes = differences.copy()
    holes[:, [1, 4]] = np.nan
    without, with_holes = (TESTS[name](d, 4000, 1) for d in (np.delete(differences, [1, 4], 1), holes))
    # Beyond the exact range the draws differ, so the randomisation test agrees up to its sampling error.
    slack = 0.03 if with_holes.sampled.any() else 1e-12
    assert with_holes.p == pytest.approx(without.p, abs=slack)
    assert (with_holes.topics == topics - 2).all()


def test_pairs_may_leave_out_different_topics() -> None:
    values = scores(25, 9)
    values[2, 3] = values[4, 7] = values[4, 8] = np.nan
    pairs = baseline_pairs(7, 0)
    result = wilcoxon(pairs.differences(values))
    assert result.topics.tolist() == [25, 24, 25, 23, 25, 25]
    for i, run in enumerate(pairs.first):
        both = ~np.isnan(values[run])
        assert result.p[i] == pytest.approx(stats.wilcoxon(values[run][both], values[0][both]).pvalue, abs=1e-12)


@pytest.mark.parametrize("name", TESTS)
def test_one_topic_or_none_is_no_test_and_equal_runs_have_p_one(name: str) -> None:
    differences = np.array([[0.2, np.nan, np.nan], [np.nan] * 3, [0.1, 0.2, 0.4], [0.0, np.nan, 0.0]])
    result = TESTS[name](differences, 500, 0)
    assert np.isnan(result.p).tolist() == [True, True, False, False]
    assert result.topics.tolist() == [1, 0, 3, 2]
    assert result.identical.tolist() == [False, False, False, True]
    assert (result.p[3], result.statistic[3]) == (1.0, 0.0)
    assert TESTS[name](np.empty((0, 5)), 10, 0).p.shape == (0,)


@pytest.mark.parametrize("name", TESTS)
def test_swapping_the_runs_turns_the_statistic_and_keeps_p(name: str) -> None:
    differences = all_pairs(7).differences(scores(40, 2))
    there, back = TESTS[name](differences, 999, 0), TESTS[name](-differences, 999, 0)
    assert there.p == pytest.approx(back.p, abs=1e-12)
    assert there.statistic == pytest.approx(-back.statistic)


@pytest.mark.parametrize("name", TESTS)
def test_false_alarms_come_as_often_as_promised(name: str) -> None:
    differences = np.random.default_rng(8).normal(0, 0.1, (3000, 40))
    p = TESTS[name](differences, 2000, 0).p
    assert 0.04 < (p <= 0.05).mean() < 0.06
    assert 0.17 < (p <= 0.2).mean() < 0.23


def test_wilcoxon_says_how_small_p_could_have_been() -> None:
    """With n clean topics all on one side, p is 2/2ⁿ, and that is the least."""
    result = wilcoxon(np.array([[0.1, 0.2, 0.3, 0.4, 0.5], [0.1, 0.1, 0.3, 0.4, 0.0]]))
    assert result.p.tolist() == pytest.approx([2 / 32, 2 / 16])
    assert result.smallest.tolist() == pytest.approx([2 / 32, 2 / 16])
    assert result.tied.tolist() == pytest.approx([0.0, 3 / 5])


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=10).filter(any))
def test_randomization_is_exact_for_few_topics(tenths: list[int]) -> None:
    """Differences such as 0.1 + 0.2 and 0.3 must tie, though their floating sums differ."""
    differences = np.array([tenths], dtype=np.float64) * 0.1
    assert randomization(differences).p[0] == pytest.approx(brute_force(differences[0]), abs=1e-12)


def test_sampled_randomization_is_near_the_exact_one() -> None:
    """17 topics are just beyond enumeration: 131,072 patterns, counted here in one go."""
    rng = np.random.default_rng(11)
    differences = rng.normal(0.06, 0.2, (6, 17))
    result = randomization(differences, 20_000, 5)
    signs = 1 - 2 * ((np.arange(2**17)[:, None] >> np.arange(17)) & 1)
    exact = (np.abs(differences @ signs.T) >= np.abs(differences.sum(axis=1))[:, None] - 1e-9).mean(axis=1)
    assert result.sampled.all()
    assert np.abs(result.p - exact).max() < 4 * np.sqrt(0.25 / 20_000)
    # (1 + hits) / (1 + samples): a whole number of hits.
    hits = result.p * 20_001 - 1
    assert hits == pytest.approx(np.rint(hits), abs=1e-6)
    never = randomization(np.full((1, 40), 0.3) + np.linspace(0, 0.1, 40), 99, 0)
    assert never.p[0] == 1 / 100 == never.smallest[0]


def test_sampled_randomization_depends_on_the_seed_and_not_on_other_pairs() -> None:
    differences = np.random.default_rng(4).normal(0.05, 0.2, (40, 30))
    together = randomization(differences, 3000, 1).p
    alone = np.array([randomization(row[None, :], 3000, 1).p[0] for row in differences])
    assert together.tolist() == alone.tolist()
    assert together.tolist() == randomization(differences, 3000, 1).p.tolist()
    assert together.tolist() != randomization(differences, 3000, 2).p.tolist()


def test_many_pairs_are_ranked_in_blocks_without_a_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    differences = all_pairs(7).differences(scores(20, 2))
    whole = wilcoxon(differences)
    monkeypatch.setattr("antecede.comparison.significance.WILCOXON_BLOCK", 50)
    parts = wilcoxon(differences)
    assert parts.p.tolist() == whole.p.tolist()
    assert parts.statistic.tolist() == whole.statistic.tolist()


@pytest.mark.parametrize(("alpha", "verdict"), [(0.0625, 1), (np.nextafter(0.0625, 0), 0)])
def test_a_p_of_exactly_alpha_is_significant(alpha: float, verdict: int) -> None:
    """Five topics on one side: Wilcoxon's p is exactly 2/32."""
    values = np.array([[0.1, 0.2, 0.3, 0.4, 0.5], [0.0] * 5])
    plan = SignificancePlan("wilcoxon", "none", alpha)
    tests = run_tests("AP", values, all_pairs(2), ["a", "b"], plan)
    assert tests.adjusted.tolist() == [0.0625]
    assert tests.significant.tolist() == [bool(verdict)]
    assert tests.verdicts.tolist() == [verdict]


@pytest.mark.parametrize("name", TESTS)
def test_two_topics_in_common_are_enough_and_one_is_not(name: str) -> None:
    values = np.array([[0.1, 0.5, np.nan], [0.2, 0.9, 0.3]])
    tests = run_tests("AP", values, all_pairs(2), ["a", "b"], SignificancePlan(cast("Test", name)))
    assert tests.significance.topics.tolist() == [2]
    # t of −0.1 and −0.4 with one degree of freedom; of the four sign patterns two are as extreme.
    assert tests.adjusted[0] == pytest.approx(stats.ttest_rel(*values[:, :2]).pvalue if name == "t" else 0.5)
    values[0, 1] = np.nan
    with pytest.raises(UsageError, match="AP: runs a and b have 1 topic in common; a paired test needs two"):
        run_tests("AP", values, all_pairs(2), ["a", "b"], SignificancePlan(cast("Test", name)))


# Corrections


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
