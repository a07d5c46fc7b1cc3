"""TOST equals statsmodels, the posterior that of the definition, and both say what they were computed with."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats as stats
from statsmodels.stats.weightstats import ttost_paired

import antecede as ac
from antecede.comparison import TopicValues
from antecede.comparison.equivalence import posterior, two_one_sided

DIFFERENCES = np.random.default_rng(0).normal(0.01, 0.05, (30, 40))
RUNS = ["a", "b", "c"]


def make_values(topics: int = 40) -> TopicValues:
    rng = np.random.default_rng(1)
    scores = rng.uniform(0.2, 0.6, (1, topics)) + rng.normal(0, 0.02, (3, topics)) + np.array([[0], [0.001], [0.05]])
    return TopicValues({"AP": scores}, RUNS)


@pytest.mark.parametrize("margin", [0.01, 0.02, 0.05])
def test_tost_equals_statsmodels(margin: float) -> None:
    columns = two_one_sided(DIFFERENCES, margin, 0.05)
    for row, differences in enumerate(DIFFERENCES):
        p, (_, p_low, _), (_, p_high, _) = ttost_paired(differences, np.zeros(40), -margin, margin)
        ours = [columns[name][row] for name in ("p", "p low", "p high")]
        assert ours == pytest.approx([p, p_low, p_high], abs=1e-12)
        interval = stats.ttest_1samp(differences, 0).confidence_interval(0.9)
        assert [columns["low"][row], columns["high"][row]] == pytest.approx([*interval], abs=1e-12)


def test_missing_topics_are_left_out_of_a_pair() -> None:
    some = np.where(np.arange(40) < 25, DIFFERENCES, np.nan)
    for function in (two_one_sided, posterior):
        whole, part = function(some, 0.02), function(DIFFERENCES[:, :25], 0.02)
        assert all(np.allclose(whole[name], part[name], atol=1e-15) for name in whole)


def test_differences_without_spread_are_within_the_margin_or_not() -> None:
    flat = np.array([[0.01] * 5, [0.03] * 5, [-0.03] * 5, [0.0] * 5])
    assert two_one_sided(flat, 0.02)["p"].tolist() == [0, 1, 1, 0]
    assert posterior(flat, 0.02)["same"].tolist() == [1, 0, 0, 1]
    assert posterior(flat, 0.02)["better"].tolist() == [0, 1, 0, 0]


def test_the_posterior_is_the_t_distribution_around_the_mean() -> None:
    columns = posterior(DIFFERENCES, 0.01, 0.95)
    for row, differences in enumerate(DIFFERENCES):
        t = stats.t(39, differences.mean(), stats.sem(differences))
        expected = [t.cdf(-0.01), t.cdf(0.01) - t.cdf(-0.01), t.sf(0.01), *t.interval(0.95)]
        ours = [columns[name][row] for name in ("worse", "same", "better", "low", "high")]
        assert ours == pytest.approx(expected, abs=1e-12)


def test_runs_are_equivalent_where_the_adjusted_p_is_small() -> None:
    result = ac.study.equivalence(make_values(), margin=0.02)
    assert result.column("AP", "equivalent").tolist() == [True, False, False]
    assert result.column("AP", "adjusted p")[0] == pytest.approx(3 * result.column("AP", "p")[0])
    assert "±0.02 (two one-sided t tests, holm correction, α = 0.05)" in str(result)
    assert result.to_dict()["pairs"][0]["AP"]["equivalent"] is True
    against = ac.study.bayes(make_values(), margin=0.02, baseline="a").table()
    assert [row[1:3] for row in against.rows] == [("b", "a"), ("c", "a")]
    assert sum(against.rows[0][-3:]) == pytest.approx(1)  # type: ignore[arg-type]


def test_a_margin_is_needed_and_two_topics() -> None:
    with pytest.raises(ac.UsageError, match="margin must be more than 0, not -1"):
        ac.study.equivalence(make_values(), margin=-1)
    with pytest.raises(ac.UsageError, match="AP: runs a and b share 1 topics; a paired test needs two"):
        ac.study.bayes(make_values(1), margin=0.1)
