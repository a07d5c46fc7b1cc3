"""Coefficients: SciPy's, scikit-learn's and those of other packages, the published ones, and τ_AP by its definition."""

from __future__ import annotations

import warnings
from itertools import pairwise, permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from antecede.comparison import CORRELATIONS, ScoreTable, coefficient, correlation
from antecede.comparison.correlation import (
    cohen_kappa,
    count_grades,
    krippendorff_alpha,
    observed_agreement,
    rank_biased_overlap,
)
from antecede.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


SCIPY = {"kendall": stats.kendalltau, "spearman": stats.spearmanr, "pearson": stats.pearsonr}

SCORES = st.lists(st.integers(0, 6), min_size=2, max_size=9)


@pytest.mark.parametrize("name", SCIPY)
@pytest.mark.parametrize("digits", [12, 1])
def test_many_samples_are_scipys_one_by_one(name: str, digits: int) -> None:
    rng = np.random.default_rng(1)
    reference, samples = np.round(rng.random(48), digits), np.round(rng.random((60, 48)), digits)
    samples[:20] += reference
    ours = CORRELATIONS[name](reference, samples)
    assert ours.tolist() == pytest.approx([SCIPY[name](reference, row).statistic for row in samples], abs=1e-12)


@pytest.mark.parametrize("name", SCIPY)
@given(st.data())
def test_any_ties_are_scipys(name: str, data: st.DataObject) -> None:
    first = data.draw(SCORES)
    second = data.draw(st.lists(st.integers(0, 6), min_size=len(first), max_size=len(first)))
    assume(len({*first}) > 1 and len({*second}) > 1)
    assert coefficient(first, second, name) == pytest.approx(SCIPY[name](first, second).statistic, abs=1e-12)


def tau_ap_of_orders(reference: tuple[int, ...], sample: tuple[int, ...]) -> float:
    """The definition, for two orders of the same runs without ties, best first."""
    total = 0.0
    for place in range(1, len(sample)):
        right = sum(reference.index(above) < reference.index(sample[place]) for above in sample[:place])
        total += right / place
    return 2 * total / (len(sample) - 1) - 1


def orders_of(scores: list[int]) -> Iterator[tuple[int, ...]]:
    """All orders, best first, that agree with the scores: one for each way to break the ties."""
    for order in permutations(range(len(scores))):
        if all(scores[a] >= scores[b] for a, b in pairwise(order)):
            yield order


def test_tau_ap_by_hand() -> None:
    """Four runs; the top two swapped cost more than the bottom two."""
    assert coefficient([4, 3, 2, 1], [3, 4, 2, 1], "tau_ap") == pytest.approx(2 / 3 * (0 + 1 + 1) - 1)
    assert coefficient([4, 3, 2, 1], [4, 3, 1, 2], "tau_ap") == pytest.approx(2 / 3 * (1 + 1 + 2 / 3) - 1)
    assert coefficient([4, 3, 2, 1], [1, 2, 3, 4], "tau_ap") == -1.0
    # Not symmetric: the second is the estimate.
    assert coefficient([1, 2, 3, 4], [1, 4, 2, 3], "tau_ap") != coefficient([1, 4, 2, 3], [1, 2, 3, 4], "tau_ap")


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=3, max_size=5))
def test_tau_ap_is_the_mean_over_all_ways_to_break_ties(points: list[tuple[int, int]]) -> None:
    first, second = [a for a, _ in points], [b for _, b in points]
    assume(len({*first}) > 1 and len({*second}) > 1)
    every = [tau_ap_of_orders(one, other) for one in orders_of(first) for other in orders_of(second)]
    assert coefficient(first, second, "tau_ap") == pytest.approx(np.mean(every), abs=1e-12)


@pytest.mark.parametrize("name", CORRELATIONS)
def test_the_same_order_is_one_and_the_reverse_minus_one(name: str) -> None:
    scores = np.random.default_rng(2).random(30)
    assert CORRELATIONS[name](scores, np.stack([scores, -scores])).tolist() == pytest.approx([1.0, -1.0], abs=1e-12)


@pytest.mark.parametrize("name", CORRELATIONS)
def test_where_there_is_no_order_there_is_no_correlation(name: str) -> None:
    reference = np.array([0.1, 0.2, 0.3])
    samples = np.array([[0.1, 0.1, 0.1], [0.1, np.nan, 0.3], [0.1, 0.3, 0.2]])
    assert np.isnan(CORRELATIONS[name](reference, samples)).tolist() == [True, True, False]
    assert np.isnan(CORRELATIONS[name](np.full(3, 0.1), samples)).all()
    assert np.isnan(CORRELATIONS[name](np.array([0.1, np.nan, 0.3]), samples)).all()
    assert np.isnan(CORRELATIONS[name](reference[:1], samples[:, :1])).all()
    assert CORRELATIONS[name](reference, samples[:0]).shape == (0,)


def test_correlate_counts_the_runs_it_leaves_out() -> None:
    scores = {"A": np.array([1.0, 2.0, 3.0, 4.0]), "B": np.array([1.0, np.nan, 2.0, 3.0])}
    found = correlation(ScoreTable(("w", "x", "y", "z"), scores), ["kendall"])
    assert found.left_out == ("x",)
    assert found.to_dict() == {"kendall": {"A|B": 1.0}}
    assert "x" in str(found.table())
    flat = correlation(ScoreTable(("w", "x"), {"A": np.array([1.0, 2.0]), "B": np.array([5.0, 5.0])}))
    assert flat.to_dict()["kendall"] == {"A|B": None}


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ({"A": [1.0, 2.0]}, "needs two measures"),
        ({"A": [1.0], "B": [2.0]}, "at least two runs"),
        ({"A": [1.0, 2.0], "B": [2.0]}, r"B: the scores have shape \(1,\)"),
        ({"A": [1.0, 2.0], "B": [np.nan, 2.0]}, "fewer than two runs have a score"),
    ],
)
def test_scores_that_cannot_be_correlated(scores: dict[str, list[float]], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        correlation(ScoreTable(("x", "y")[: len(scores["A"])], {name: np.array(of) for name, of in scores.items()}))


# Agreement of assessors, and rank-biased overlap


CASES = [(seed, size) for seed in range(4) for size in (2, 3, 5)]


def draw(seed: int, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, size, 200)
    second = np.where(rng.random(200) < 0.6, first, rng.integers(0, size, 200))
    counts = count_grades(first, second, range(size), np.zeros(200, np.int64), 1)[0]
    return first, second, counts


@pytest.mark.parametrize(("seed", "size"), CASES)
@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_kappa_equals_that_of_scikit_learn(seed: int, size: int, weights: str) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    first, second, counts = draw(seed, size)
    theirs = metrics.cohen_kappa_score(first, second, weights=None if weights == "none" else weights)
    assert cohen_kappa(counts, weights) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize(("seed", "size"), CASES)
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_equals_that_of_the_krippendorff_package(seed: int, size: int, level: str) -> None:
    package = pytest.importorskip("krippendorff")
    first, second, counts = draw(seed, size)
    theirs = package.alpha(reliability_data=[first, second], level_of_measurement=level)
    assert krippendorff_alpha(counts, range(size), level) == pytest.approx(theirs, abs=1e-12)


def test_a_small_table_by_hand() -> None:
    counts = np.array([[20, 5], [10, 15]])
    assert observed_agreement(counts) == pytest.approx(0.7)
    assert cohen_kappa(counts) == pytest.approx(0.4)  # expected: 0.5·0.6 + 0.5·0.4 = 0.5
    assert krippendorff_alpha(counts, (0, 1)) == pytest.approx(1 - 99 * 30 / (2 * 55 * 45))


def test_samples_are_computed_together_as_alone() -> None:
    tables = np.stack([draw(seed, 3)[2] for seed in range(5)])
    assert cohen_kappa(tables).tolist() == [float(cohen_kappa(each)) for each in tables]
    together = krippendorff_alpha(tables, range(3), "ordinal")
    assert together.tolist() == [float(krippendorff_alpha(each, range(3), "ordinal")) for each in tables]


def test_agreement_is_undefined_where_all_documents_have_one_grade() -> None:
    counts = np.array([[7, 0], [0, 0]])
    assert np.isnan(cohen_kappa(counts))
    assert np.isnan(krippendorff_alpha(counts, (0, 1)))
    assert np.isnan(observed_agreement(np.zeros((2, 2), np.int64)))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("p", [0.5, 0.9, 0.98])
def test_rbo_equals_that_of_the_rbo_package(seed: int, p: float) -> None:
    package = pytest.importorskip("rbo")
    rng = np.random.default_rng(seed)
    first, second = rng.random(30), rng.random(30)
    order = [np.argsort(-scores).tolist() for scores in (first, second)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = package.RankingSimilarity(*order).rbo_ext(p)
    assert rank_biased_overlap(first, second, p) == pytest.approx(theirs, abs=1e-9)


def test_rbo_of_equal_orders_is_1_and_depends_on_the_top() -> None:
    scores = np.arange(10.0)
    top, bottom = scores.copy(), scores.copy()
    top[[9, 8]], bottom[[0, 1]] = top[[8, 9]], bottom[[1, 0]]
    assert rank_biased_overlap(scores, 2 * scores) == pytest.approx(1)
    assert rank_biased_overlap(scores, top) < rank_biased_overlap(scores, bottom) < 1
    assert np.isnan(rank_biased_overlap(scores, np.where(scores > 3, scores, np.nan)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: coefficient([1, 2], [2, 1], "kendal"), r"unknown correlation 'kendal' \(did you mean kendall"),
        (lambda: coefficient([1, 2], [2, 1, 3]), "they must be equally long"),
        (lambda: rank_biased_overlap(np.ones(2), np.ones(2), 1.0), "between 0 and 1"),
        (lambda: rank_biased_overlap(np.ones(2), np.ones(3)), "same runs"),
    ],
)
def test_wrong_calls(call: Callable[[], float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()
