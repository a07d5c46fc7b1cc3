"""Intervals of correlations are those of `scipy.stats.bootstrap` with the same draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.stats as stats

import antecede as ac
from antecede.comparison import coefficient
from antecede.comparison.correlation_intervals import tau_ap_of_copies

SCIPY: dict[str, Any] = {"kendall": stats.kendalltau, "spearman": stats.spearmanr}


@pytest.fixture(scope="module")
def scores() -> ac.Scores:
    rng = np.random.default_rng(2)
    qrels = {f"t{t}": {f"d{d}": 1 for d in range(6)} for t in range(8)}
    runs = {
        f"r{r}": {topic: {f"d{d}": rng.normal(0.1 * r * (d < 6)) for d in range(30)} for topic in qrels}
        for r in range(9)
    }
    return ac.evaluate(ac.rank_table(qrels, runs), ["AP", "nDCG", "P@5"])


@pytest.mark.parametrize("method", SCIPY)
def test_runs_are_drawn_as_scipy_draws_them(scores: ac.Scores, method: Any) -> None:
    ours = ac.study.intervals(scores, method, over="runs", samples=200, seed=3).values[method]["AP", "nDCG"]
    theirs = stats.bootstrap(
        *((scores.totals[0], scores.totals[1]), lambda a, b: SCIPY[method](a, b)[0]),
        paired=True,
        vectorized=False,
        n_resamples=200,
        method="percentile",
        rng=np.random.default_rng(3),
    ).confidence_interval
    assert ours[1:] == pytest.approx(tuple(theirs), abs=1e-12)


@pytest.mark.parametrize("method", SCIPY)
def test_topics_are_drawn_as_scipy_draws_them(scores: ac.Scores, method: Any) -> None:
    def correlate(topics: Any) -> float:
        means = [np.round(scores.of(name)[:, topics.astype(int)].mean(axis=1), 12) for name in ("AP", "nDCG")]
        return float(SCIPY[method](*means)[0])

    ours = ac.study.intervals(scores, method, over="topics", samples=200, seed=3).values[method]["AP", "nDCG"]
    how: dict[str, Any] = {"vectorized": False, "n_resamples": 200, "method": "percentile"}
    theirs = stats.bootstrap((np.arange(8.0),), correlate, **how, rng=np.random.default_rng(3)).confidence_interval
    assert ours[1:] == pytest.approx(tuple(theirs), abs=1e-12)


def test_copies_of_a_run_are_not_compared() -> None:
    rng = np.random.default_rng(4)
    first, second = rng.normal(size=(2, 12))
    assert tau_ap_of_copies(first, second, np.arange(12)) == pytest.approx(coefficient(first, second, "tau_ap"))
    chosen = rng.integers(0, 12, 12)
    above = [[j for j in chosen if second[j] > second[i]] for i in chosen]
    shares = [np.mean(first[js] > first[i]) for i, js in zip(chosen, above, strict=True) if js]
    assert tau_ap_of_copies(first, second, chosen) == pytest.approx(2 * np.mean(shares) - 1)
    assert np.isnan(tau_ap_of_copies(first, second, np.zeros(12, np.int64)))


def test_both_together_and_what_is_refused(scores: ac.Scores) -> None:
    result = ac.study.intervals(scores, samples=50)
    assert len(result.table().rows) == 9
    assert all(low <= high for of in result.values.values() for _, low, high in of.values())
    assert result.to_dict()["kendall"]["AP|nDCG"].keys() == {"value", "low", "high"}
    with pytest.raises(ac.UsageError, match="over must be one of 'topics', 'runs', 'both', not the text 'documents'"):
        ac.study.intervals(scores, over="documents")  # type: ignore[arg-type]
    with pytest.raises(ac.UsageError, match="a correlation needs two measures"):
        ac.study.intervals(ac.evaluate(scores.rank_table, "AP"))
