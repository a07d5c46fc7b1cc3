"""Estimators against closed forms, brute force and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from antecede.errors import UsageError
from antecede.review.distributions import (
    clopper_pearson,
    expected_left,
    hypergeometric_cdf,
    largest_unseen,
    poisson_quantile,
)
from antecede.review.estimators import Estimate, estimate
from antecede.review.reading import Reading

# Distributions


def test_clopper_pearson_is_the_inversion_of_the_binomial_test() -> None:
    for found, drawn in ((0, 1), (0, 59), (1, 10), (7, 20), (20, 20)):
        low, high = clopper_pearson(found, drawn, 0.95)
        if found:
            assert stats.binom.sf(found - 1, drawn, low) == pytest.approx(0.025)
        if found < drawn:
            assert stats.binom.cdf(found, drawn, high) == pytest.approx(0.025)
    assert clopper_pearson(0, 59, 0.9)[1] == pytest.approx(1 - 0.05 ** (1 / 59))  # the rule of three, exactly


def test_quantiles_of_the_poisson_distribution() -> None:
    for mean in (1e-6, 0.01, 0.5, 1.0, 2.925, 17.0, 400.0, 1e5):
        for probability in (0.025, 0.05, 0.5, 0.95, 0.975):
            assert poisson_quantile(mean, probability) == stats.poisson.ppf(probability, mean)


def test_the_hypergeometric_distribution() -> None:
    random = np.random.default_rng(1)
    documents = random.integers(1, 300, 200)
    relevant = random.integers(0, documents + 1)
    drawn = random.integers(0, documents + 1)
    found = random.integers(0, 20, 200)
    ours = hypergeometric_cdf(found, relevant, drawn, documents)
    np.testing.assert_allclose(ours, stats.hypergeom.cdf(found, documents, relevant, drawn), atol=1e-9)


def test_how_many_stay_unseen() -> None:
    assert 0.9 ** largest_unseen(0.1, 0.95) == pytest.approx(0.025)
    assert largest_unseen(0.0, 0.95) == math.inf
    assert largest_unseen(1.0, 0.95) == 0


# Chapman


def test_chapman_by_hand() -> None:
    """Two queries find 30 and 20 relevant documents, 10 of them in common: 31·21/11 − 1 = 58.18."""
    both, one, other = 10, 20, 10
    found_by = np.zeros((2, both + one + other + 5), bool)
    found_by[0, : both + one] = True
    found_by[1, :both] = found_by[1, both + one : both + one + other] = True
    relevant = np.ones(found_by.shape[1], bool)
    relevant[-5:] = False
    answer = estimate("chapman", Reading(relevant, 1000, found_by=found_by))
    assert answer.total == pytest.approx(31 * 21 / 11 - 1)
    variance = 31 * 21 * 20 * 10 / (11**2 * 12)
    missed = answer.total - 40
    factor = math.exp(1.959963985 * math.sqrt(math.log(1 + variance / missed**2)))
    assert answer.low == pytest.approx(40 + missed / factor)
    assert answer.high == pytest.approx(40 + missed * factor)


def test_chapman_with_more_than_two_queries_groups_them() -> None:
    three = np.array([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]], bool)
    two = np.array([[1, 0, 1, 1], [0, 1, 0, 1]], bool)
    one, other = (estimate("chapman", Reading([1] * 4, 99, found_by=found_by)) for found_by in (three, two))
    assert one == other


def test_chapman_needs_two_queries() -> None:
    for reading in (Reading([True], 9), Reading([True], 9, found_by=[[True]])):
        with pytest.raises(UsageError, match="two or more queries"):
            estimate("chapman", reading)


# Audit and Horvitz–Thompson


def test_the_audit_covers_whatever_the_ranking_does() -> None:
    """Exact and conservative: at least 95 % of intervals contain the truth, for a good ranking and for a bad one."""
    random = np.random.default_rng(4)
    for good in (True, False):
        hits = 0
        for _ in range(300):
            truth = np.zeros(1000, bool)
            truth[:40] = True
            if not good:
                random.shuffle(truth)
            sample = random.choice(np.arange(100, 1000), 120, replace=False)
            order = np.concatenate([np.arange(100), sample])
            answer = estimate("audit", Reading(truth[order], 1000, audited=np.arange(220) >= 100))
            hits += answer.low <= 40 <= answer.high
        assert hits / 300 >= 0.95


def test_an_audit_before_the_ranking_counts_where_the_ranking_has_not_arrived() -> None:
    # Ranks 1 … 4 are read; of the sample at ranks 3, 7 and 9, the one at 3 was passed by the ranking.
    reading = Reading(
        [True, False, True, True, False, False],
        documents=20,
        audited=[True, True, True, False, False, False],
        ranks=[3, 7, 9, 1, 2, 4],
    )
    assert reading.reached.tolist() == [True, False, False, True, True, True]
    answer = estimate("audit", reading)
    assert answer.total == pytest.approx(2 + 16 * 1 / 2)


def test_horvitz_thompson_by_hand() -> None:
    answer = estimate("horvitz_thompson", Reading([1, 0, 1, 1], 100, probabilities=[1.0, 0.5, 0.5, 0.2]))
    assert answer.total == pytest.approx(1 + 2 + 5)
    deviation = math.sqrt(0 + 0.5 / 0.25 + 0.8 / 0.04)
    assert answer.high == pytest.approx(8 + 1.959963985 * deviation)


# Poisson processes

RATES = {
    "power": lambda x, p: x ** (p[0] - 1),
    "exponential": lambda x, p: np.exp(-p[0] * x),
    "hyperbolic": lambda x, p: (1 + p[0] * x) ** -p[1],
}


def likelihood(rate: str, parameters: tuple[float, ...], finds: np.ndarray, end: float) -> float:
    mass = integrate.quad(lambda x: RATES[rate](x, parameters), 0, end, limit=200)[0]
    return float(np.log(RATES[rate](finds, parameters)).sum() - len(finds) * math.log(mass))


FINDS, END = np.array([1.0, 2, 3, 5, 8, 13, 21, 34, 60, 88]), 100


def left_by(rate: str, parameters: tuple[float, ...]) -> float:
    """The finds left of 1,000 documents, by quadrature."""
    inside, rest = (
        integrate.quad(lambda x: RATES[rate](x, parameters), low, high, limit=500)[0]
        for low, high in ((0, END), (END, 1000))
    )
    return float(len(FINDS) * rest / inside)


@pytest.mark.parametrize("rate", ["power", "exponential"])
def test_the_fit_maximises_the_likelihood(rate: str) -> None:
    """The rest as predicted is that of the best parameter, found by a general optimiser and by quadrature."""
    bounds = {"power": (0.01, 1.0), "exponential": (1e-6, 1.0)}[rate]
    best = optimize.minimize_scalar(
        lambda p: -likelihood(rate, (p,), FINDS, END), bounds=bounds, method="bounded", options={"xatol": 1e-10}
    ).x
    assert expected_left(FINDS, END, 1000, rate) == pytest.approx(left_by(rate, (best,)), rel=1e-4)  # type: ignore[arg-type]


def test_the_hyperbola_is_as_likely_as_any_on_a_finer_grid() -> None:
    best = max(
        (likelihood("hyperbolic", (scale, exponent), FINDS, END), scale, exponent)
        for scale in np.geomspace(1e-5, 100, 400)
        for exponent in (1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
    )
    assert expected_left(FINDS, END, 1000, "hyperbolic") == pytest.approx(left_by("hyperbolic", best[1:]), rel=0.02)


@pytest.mark.parametrize("rate", ["power", "exponential", "hyperbolic"])
def test_the_right_process_is_recovered(rate: str) -> None:
    random = np.random.default_rng(6)
    x = np.arange(1, 5001)
    parameters = {"power": (0.5,), "exponential": (0.002,), "hyperbolic": (0.01, 2.0)}[rate]
    shape = RATES[rate](x, parameters)
    ratios = []
    for _ in range(30):
        relevant = random.random(5000) < 200 * shape / shape.sum()
        reading = Reading(relevant, 5000).up_to(1500)
        ratios.append(estimate(f"poisson(rate={rate})", reading).total / relevant.sum())
    assert np.median(ratios) == pytest.approx(1, abs=0.08)


def test_with_nothing_found_the_rest_is_no_richer_than_what_was_read() -> None:
    answer = estimate("poisson", Reading(np.zeros(100, bool), 1000))
    assert answer.total == 0
    assert answer.high == pytest.approx(900 * (1 - 0.025 ** (1 / 100)))


def test_an_estimate_states_what_it_promises_and_no_more() -> None:
    answer = estimate("poisson", Reading([False, False], documents=1000))
    assert (answer.total, answer.recall_low) == (0, 0)
    assert str(answer) == "0 to 841 relevant documents, recall at least 0 %"
    nearly = Estimate(200.0, 199.6, 200.4, 0.95, "made up", 200)
    assert str(nearly) == "199 to 201 relevant documents, recall at least 99 %"
    certain = Estimate(200.0, 200.0, 200.0, 0.95, "made up", 200)
    assert "100 %" not in str(certain) + certain.as_dict()["statement"]
    assert not {"total", "recall"} & {*answer.as_dict()}


def test_a_complete_reading_needs_no_estimate() -> None:
    answer = estimate("poisson", Reading([True, False], 2))
    assert (answer.total, answer.low, answer.high, answer.recall_low) == (1, 1, 1, 1)
    assert set(answer.as_dict()) >= {"low", "high", "level", "assumption", "recall_low"}


def test_a_sample_that_was_read_first_is_one_of_all_documents() -> None:
    """Active learning never shows the sample again, so that what it has not shown is no random sample of the rest."""
    random, covered = np.random.default_rng(4), 0
    for _ in range(200):
        relevant = np.zeros(400, bool)
        relevant[:30] = True  # a ranking that puts all relevant documents first
        sample = random.permutation(400)[:100]
        rest = np.setdiff1d(np.arange(400), sample)[:100]
        order = np.concatenate([sample, rest])
        answer = estimate("audit", Reading(relevant[order], 400, audited=np.arange(200) < 100))
        covered += answer.low <= 30 <= answer.high
    assert covered >= 190
