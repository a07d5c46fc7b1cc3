"""Stopping rules against decisions computed by hand."""

from __future__ import annotations

import math
from itertools import islice

import numpy as np
import pytest
from scipy import stats

from antecede.errors import UsageError
from antecede.review.judged_topics import JudgedReading
from antecede.review.reading import Reading, missable, required
from antecede.review.simulation import draw_by_rank, rank_chances, sample_first, simulate
from antecede.review.stopping import STOPPING_RULES, decide, fewest_positives, parse_rule, required_finds, slope_ratio


def head(finds: int, read: int, documents: int) -> Reading:
    """A reading whose first documents are relevant and all others not."""
    return Reading(np.arange(read) < finds, documents)


def test_targets_in_exact_arithmetic() -> None:
    assert [required(n, 0.95) for n in (1, 19, 20, 21, 40, 100)] == [1, 19, 19, 20, 38, 95]
    assert [missable(n, 0.95) for n in (0, 1, 18, 19, 38, 57)] == [0, 0, 0, 1, 2, 3]
    for target in (0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0):
        for found in range(300):
            most = missable(found, target)
            assert found >= required(found + most, target)
            assert found < required(found + most + 1, target)


@pytest.mark.parametrize(
    ("rule", "finds", "documents", "stop"),
    [
        ("knee", 10, 1000, 156),  # the ratio is 1 / (1/(s − 10)) = s − 10, and 156 − 10 = 146 is required
        ("knee(least=1)", 160, 1000, 166),  # 150 finds or more require a ratio of 6 alone
        ("knee(least=400)", 160, 1000, 400),
        ("budget", 20, 1000, 500),  # 10·1000/20
        ("budget", 0, 1000, 750),
        ("budget(most=0.4)", 20, 1000, 400),
        ("misses", 7, 1000, 207),
        ("misses(n=50)", 7, 1000, 57),
        ("share_without_find", 7, 1000, 107),
        ("share_without_find(share=0.25)", 0, 1000, 250),
        ("depth", 7, 1000, 100),
        ("quasi_sampling", 20, 100, 82),  # n misses of 80: if 2 were left, (80 − n)(79 − n)/(80·79) < .05 from 62 on
        ("quasi_sampling", 0, 100, 96),  # one document must be ruled out: (100 − n)/100 < .05 from n = 96 on
    ],
)
def test_rules_stop_where_computed_by_hand(rule: str, finds: int, documents: int, stop: int) -> None:
    """All finds come at once; the rule is asked after every document."""
    asked = (n for n in range(1, documents + 1) if decide(rule, head(finds, n, documents), 0.95).stop)
    assert next(asked) == stop


def test_the_knee_is_where_the_curve_is_farthest_above_its_chord() -> None:
    assert slope_ratio(head(10, 110, 1000)) == (100, 10)
    relevant = np.random.default_rng(1).random(300) < np.geomspace(0.5, 0.005, 300)
    counts = np.concatenate([[0], np.cumsum(relevant)])
    knee = max(range(1, 300), key=lambda i: (counts[i] * 300 - i * counts[300], -i))
    ratio = (counts[knee] / knee) / ((1 + counts[300] - counts[knee]) / (300 - knee))
    assert slope_ratio(Reading(relevant, 1000)) == pytest.approx((ratio, knee))


def test_poisson_by_hand() -> None:
    """20 finds at the top of 80 read of 100: c = 20/(20 ln 80 − ln 20!) = .4415, Λ = 20(1.25^c − 1) = 2.07, q = 5."""
    decision = decide("poisson", head(20, 80, 100))
    assert decision == (False, "20 found; at most 5 left at confidence 0.95, and 1 may be left")
    c = 20 / (20 * math.log(80) - math.lgamma(21))
    assert stats.poisson.ppf(0.95, 20 * (1.25**c - 1)) == 5
    assert decide("poisson", head(20, 80, 100), target=0.8).stop  # 5 may be left then
    assert decide("poisson", head(4, 99, 100)) == (False, "4 found; a fit requires 5")


def test_quasi_sampling_takes_the_best_of_all_starts() -> None:
    random = np.random.default_rng(7)
    for _ in range(40):
        documents = int(random.integers(20, 200))
        relevant = random.random(documents) < np.geomspace(0.6, 0.01, documents)
        reading = Reading(relevant, documents).up_to(int(random.integers(1, documents)))
        counts = np.concatenate([[0], np.cumsum(reading.relevant)])
        hidden = missable(reading.found, 0.9) + 1
        p = min(
            (
                stats.hypergeom.cdf(
                    reading.found - counts[s], documents - s, reading.found - counts[s] + hidden, reading.read - s
                )
                for s in range(reading.read)
                if reading.found - counts[s] + hidden <= documents - s
            ),
            default=0.0,
        )
        assert decide("quasi_sampling", reading, 0.9).stop == (p < 0.05)


def test_target_and_qbcb_by_hand() -> None:
    assert fewest_positives(0.95, 0.95) == 59  # 1 − .95^59 = .9515
    assert fewest_positives(0.8, 0.95) == 14  # 1 − .8^14 = .956
    assert fewest_positives(1.0, 0.95) is None
    for size, target in ((59, 0.95), (100, 0.95), (20, 0.8), (40, 0.8)):
        needed = required_finds(size, target, 0.95)
        assert needed is not None
        assert stats.binom.cdf(needed - 1, size, target) >= 0.95 > stats.binom.cdf(needed - 2, size, target)
    assert required_finds(58, 0.95, 0.95) is None
    # A sample with relevant documents at ranks 2 and 5: the ranking is read until it has found both.
    reading = Reading([1, 1, 0, 0, 1], 10, audited=[1, 1, 0, 0, 0], ranks=[5, 2, 1, 3, 4])
    assert [decide("target(n=2)", reading.up_to(n)).stop for n in range(1, 6)] == [False] * 4 + [True]
    assert "2 can" in decide("qbcb(n=1)", reading, 0.22).reason
    assert "100 %" in decide("qbcb", reading, 1.0).reason


def test_autostop_by_hand() -> None:
    """Two finds with π = 1 and one with π = .8: N = 3.25, s = √(.2/.64) = .559."""
    reading = Reading([1, 1, 1, 0], 50, probabilities=[1.0, 1.0, 0.8, 0.5])
    assert decide("autostop(deviations=0)", reading, 0.9).stop  # 3 ≥ .9·3.25 = 2.925
    assert not decide("autostop(deviations=0)", reading, 0.95).stop  # 3 < 3.0875
    assert decide("autostop", reading, 0.78).stop  # 3 ≥ .78·3.809 = 2.971
    assert not decide("autostop", reading, 0.8).stop
    assert not decide("autostop", Reading([0], 9, probabilities=[0.5])).stop


def test_rules_that_need_more_than_a_ranking_say_so() -> None:
    with pytest.raises(UsageError, match="the stopping rule qbcb needs documents drawn at random"):
        decide("qbcb", head(1, 5, 10))
    with pytest.raises(UsageError, match="the stopping rule autostop needs the inclusion probabilities"):
        decide("autostop", head(1, 5, 10))
    with pytest.raises(UsageError, match=r"target must be between 0.01 and 1, not 1\.5"):
        decide("knee", head(1, 5, 10), 1.5)
    with pytest.raises(UsageError, match="did you mean knee"):
        parse_rule("kneee")


# Simulated readers


def test_a_simulation_stops_where_the_rule_says() -> None:
    judged = JudgedReading("t", head(10, 1000, 1000), total=12)
    outcome = simulate(judged, parse_rule("depth(n=40)"))
    assert (outcome.read, outcome.found, outcome.recall, outcome.reached) == (40, 10, 10 / 12, False)
    whole = simulate(judged, parse_rule("depth(n=5000)"))
    assert (whole.read, whole.effort, whole.reason) == (1000, 1.0, "all 1000 documents are read")


def test_a_sample_is_not_read_twice() -> None:
    complete = Reading(np.arange(50) % 5 == 0, 50)
    order, size = sample_first(complete, 3, seed=1)
    assert order.relevant[:size].sum() == 3
    assert order.relevant[size - 1]
    assert order.ranks is not None
    assert sorted(order.ranks.tolist()) == list(range(1, 51))
    assert order.found == complete.found
    assert sample_first(complete, 99, seed=1)[1] == 50


def test_inclusion_probabilities_are_those_of_the_draws() -> None:
    """Over many readers, a document is read as often as its inclusion probability says."""
    place = 6
    complete = Reading(np.arange(40) == place, 40)
    draws = 1 + 2 + 3 + 4  # of the first four batches
    expected = 1 - (1 - rank_chances(40)[place]) ** draws
    found = 0
    for seed in range(2000):
        reading = list(islice(draw_by_rank(complete, seed), 4))[-1]
        found += reading.found
        if reading.found:
            assert reading.probabilities is not None
            assert reading.probabilities[reading.relevant][0] == pytest.approx(expected)
    assert found / 2000 == pytest.approx(expected, abs=3 * math.sqrt(expected / 2000))


@pytest.mark.parametrize("rule", [name for name in STOPPING_RULES if name != "calibrated"])
def test_simulations_repeat(rule: str) -> None:
    random = np.random.default_rng(9)
    judged = JudgedReading("t", Reading(random.random(300) < np.geomspace(0.8, 0.01, 300), 300), total=60)
    one, two = (simulate(judged, parse_rule(rule), seed=3) for _ in range(2))
    assert one == two
    assert 0 < one.read <= 300


def test_a_single_document_is_not_several() -> None:
    reading = Reading([True], documents=1)
    assert parse_rule("depth(n=1)").decide(reading).reason == "the only document is read"
    assert parse_rule("depth(n=2)").decide(Reading([True], documents=9)).reason == "1 document is read, 2 were planned"
