"""Coordinate ascent: it ranks as sorting does, and finds a planted signal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from bench.ascent import LEAST, Pools, ascend, objective
from hypothesis import given, settings
from hypothesis import strategies as st

from antecede.learning import Examples
from antecede.learning.learned_ranking import relevant_ranks, score_ranks, weigh_candidates
from tests.learning.test_learning import DEFAULT, FEATURES, example, examples


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_ranks_of_the_ascent_are_those_of_sorting(seed: int) -> None:
    random = np.random.default_rng(seed)
    topics = []
    for number in range(5):
        each = example(number, seed)
        coarse = (np.round(each.values * 4) / 4).astype(np.float32)  # ties, and sums without rounding
        relevant = random.random(len(coarse)) < 0.1
        topics.append(replace(each, values=coarse, relevant=relevant, total=int(relevant.sum()) + 1))
    weights = random.integers(0, 3, 3).astype(np.float64)
    pools = Pools(Examples(FEATURES, DEFAULT, tuple(topics), {}))
    found = pools.measure([pools.scores(weights)])
    wanted = score_ranks(topics, [[relevant_ranks(each, weigh_candidates(each.values, weights)) for each in topics]])
    assert np.array_equal(found, wanted)


def test_the_ascent_finds_a_planted_signal_and_leaves_fixed_weights() -> None:
    found = ascend(examples(), np.array([1.0, 0.0, 1.0]), fixed=(0,))
    assert found[0] == 1
    assert found[1] >= 1
    assert found[2] < 0.5
    before, after = (
        objective(pools.measure([pools.scores(each)]))[0] for pools in [Pools(examples())] for each in (DEFAULT, found)
    )
    assert after > before + LEAST


def test_an_ascent_without_a_gain_stays_where_it_is() -> None:
    start = np.array([1.0, 0.3, 0.7])
    assert ascend(examples(), start, least=10.0).tolist() == start.tolist()
