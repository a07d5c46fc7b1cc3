"""Effect sizes by hand and at the edges; bootstrap intervals: coverage, reproducibility, and agreement with SciPy's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

from antecede.comparison import bootstrap, cohen_d
from antecede.comparison.effect_sizes import METHODS
from antecede.errors import UsageError
from antecede.measures.definition import mean

if TYPE_CHECKING:
    from antecede.comparison.inputs import Floats


def drawn(shape: str, size: tuple[int, int], seed: int = 0) -> tuple[Floats, float]:
    """Simulated scores, and their true mean."""
    rng = np.random.default_rng(seed)
    kinds = {"normal": (rng.normal(0.3, 0.2, size), 0.3), "skewed": (rng.beta(0.5, 2, size), 0.2)}
    return kinds[shape]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", ["normal", "skewed"])
@pytest.mark.parametrize(("confidence", "least", "most"), [(0.95, 0.92, 0.97), (0.8, 0.76, 0.84)])
def test_intervals_cover_as_promised(method: str, shape: str, confidence: float, least: float, most: float) -> None:
    values, mean = drawn(shape, (2000, 50))
    found = bootstrap(values, confidence=confidence, resamples=1000, method=method)
    assert least < np.mean((found.low <= mean) & (mean <= found.high)) < most


def test_bca_leans_with_the_skew() -> None:
    """Of the misses, the two sides share more evenly than with plain percentiles."""
    values, mean = drawn("skewed", (4000, 25), seed=3)

    def lopsided(method: str) -> float:
        found = bootstrap(values, resamples=1000, method=method)
        return float(abs(np.mean(found.high < mean) - np.mean(found.low > mean)))

    assert lopsided("bca") < 0.75 * lopsided("percentile")


@pytest.mark.parametrize("method", METHODS)
def test_it_is_near_scipys(method: str) -> None:
    values, _ = drawn("skewed", (3, 40), seed=5)
    found = bootstrap(values, resamples=20_000, method=method)
    for row, low, high in zip(values, found.low, found.high, strict=True):
        name = {"bca": "BCa"}.get(method, method)
        theirs = stats.bootstrap((row,), np.mean, n_resamples=20_000, method=name, random_state=1).confidence_interval
        assert (low, high) == pytest.approx((theirs.low, theirs.high), abs=0.004)


def test_a_row_does_not_depend_on_the_rows_beside_it_and_the_seed_repeats() -> None:
    values, _ = drawn("normal", (6, 20))
    values[2, 5] = np.nan
    together = bootstrap(values, seed=9)
    for i, row in enumerate(values):
        alone = bootstrap(row[None, :], seed=9)
        assert (alone.low[0], alone.high[0]) == pytest.approx((together.low[i], together.high[i]), abs=1e-12)
    kept = bootstrap(np.delete(values[2:3], 5, axis=1), seed=9)
    assert kept.low[0] == pytest.approx(together.low[2])
    assert together.low.tolist() == bootstrap(values, seed=9).low.tolist()
    assert together.low.tolist() != bootstrap(values, seed=10).low.tolist()


@pytest.mark.parametrize("method", METHODS)
def test_edges(method: str) -> None:
    values = np.array([[0.1, 0.1, 0.1], [0.0, 0.0, 0.0], [np.nan] * 3, [0.4, np.nan, np.nan], [0.0, 0.0, 1.0]])
    found = bootstrap(values, method=method)
    assert found.low[[0, 1, 3]] == pytest.approx([0.1, 0.0, 0.4])
    assert found.high[[0, 1, 3]] == pytest.approx([0.1, 0.0, 0.4])
    assert np.isnan([found.low[2], found.high[2]]).all()
    assert found.low[4] < 1 / 3 < found.high[4]


def test_extreme_confidence_on_extreme_skew_stays_within_the_resampled_means() -> None:
    values = np.zeros((1, 60))
    values[0, 0] = 1.0
    found = bootstrap(values, confidence=1 - 1e-12)
    assert 0 <= found.low[0] < 1 / 60 < found.high[0] < 0.3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 1.0}, "alpha must lie between 0 and 1"),
        ({"resamples": 0}, "number of resamples must be between 1"),
        ({"seed": -1}, "seed must be"),
        ({"method": "percentil"}, r"unknown bootstrap interval 'percentil' \(did you mean percentile"),
    ],
)
def test_wrong_calls(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        bootstrap(np.zeros((2, 5)), **options)


def test_it_is_t_over_the_root_of_n() -> None:
    differences = np.random.default_rng(0).normal(0.1, 0.3, (20, 37))
    assert cohen_d(differences) == pytest.approx(stats.ttest_1samp(differences, 0, axis=1).statistic / np.sqrt(37))


def test_no_spread() -> None:
    # 0.3 − 0.2 and 0.1 differ by rounding only.
    even = np.array([[0.3 - 0.2, 0.1, 0.1], [0.0, 0.0, 0.0], [-0.1, -0.1, -0.1], [0.1, np.nan, np.nan], [np.nan] * 3])
    assert cohen_d(even)[:3].tolist() == [np.inf, 0.0, -np.inf]
    assert np.isnan(cohen_d(even)[3:]).all()
    assert np.isnan(mean(even)).tolist() == [False, False, False, False, True]
