"""Cohen's κ and Krippendorff's α equal those of scikit-learn and of the krippendorff package; RBO that of rbo."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from antecede.comparison.correlation import (
    cohen_kappa,
    count_grades,
    krippendorff_alpha,
    observed_agreement,
    rank_biased_overlap,
)
from antecede.errors import UsageError

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


def test_rbo_refuses_a_persistence_outside_its_range_and_other_runs() -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        rank_biased_overlap(np.ones(2), np.ones(2), 1.0)
    with pytest.raises(UsageError, match="same runs"):
        rank_biased_overlap(np.ones(2), np.ones(3))
