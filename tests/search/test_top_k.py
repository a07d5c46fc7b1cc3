"""The best of many scores, against sorting all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.search.kernel import LOWEST, SAMPLE, NameOrder, select_top, sort_keys

EXTREMES = [0.0, -0.0, 1e-45, -1e-45, 1.1754944e-38, 3.4e38, -3.4e38, 1.0, np.nextafter(np.float32(1), np.float32(2))]
scores_ = st.lists(st.one_of(st.floats(-1e3, 1e3, width=32), st.sampled_from(EXTREMES)), max_size=60)


def by_sorting(scores: np.ndarray, order: np.ndarray, k: int, wanted: np.ndarray, lowest: float) -> list[int]:
    there = np.flatnonzero(wanted & (scores >= lowest))
    found: list[int] = there[np.lexsort((order[there], -scores[there]))][:k].tolist()
    return found


@given(values=scores_, k=st.integers(1, 70), seed=st.integers(0, 2**32 - 1), filtered=st.booleans())
def test_equals_sorting(values: list[float], k: int, seed: int, filtered: bool) -> None:
    random = np.random.default_rng(seed)
    scores, order = np.array(values, np.float32), random.permutation(len(values)).astype(np.uint32)
    wanted = random.random(len(values)) < 0.6 if filtered else np.ones(len(values), np.bool_)
    for lowest in (LOWEST, np.float32(0.5)):
        found = select_top(scores, NameOrder.of_ranks(order), k, wanted if filtered else None, lowest)
        assert found.tolist() == by_sorting(scores, order, k, wanted, float(lowest))


@pytest.mark.parametrize("number", [SAMPLE - 1, SAMPLE, 2 * SAMPLE + 7, 5 * SAMPLE + 1])
@pytest.mark.parametrize("kind", ["random", "ties", "rising", "falling", "equal", "one high", "in steps"])
def test_equals_sorting_where_the_floor_is_guessed(number: int, kind: str) -> None:
    """In steps: the sample sees only every fifth score, and these are the low ones."""
    random = np.random.default_rng(number)
    made = {
        "random": random.gamma(2, 10, number),
        "ties": random.integers(0, 5, number),
        "rising": np.arange(number),
        "falling": -np.arange(number),
        "equal": np.full(number, 3),
        "one high": np.arange(number) == number // 2,
        "in steps": (np.arange(number) % (number // SAMPLE or 1) != 0) * random.random(number),
    }
    scores, order = made[kind].astype(np.float32), random.permutation(number).astype(np.uint32)
    for k in (1, 100, 1000, number):
        for wanted in (None, random.random(number) < 0.5, random.random(number) < 0.0005):
            everything = np.ones(number, np.bool_) if wanted is None else wanted
            assert select_top(scores, NameOrder.of_ranks(order), k, wanted).tolist() == by_sorting(
                scores, order, k, everything, -np.inf
            )


@given(
    values=st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), max_size=40), seed=st.integers(0, 99)
)
def test_keys_order_as_score_and_order_do(values: list[float], seed: int) -> None:
    scores = np.array(values, np.float32)
    order = np.random.default_rng(seed).permutation(len(values)).astype(np.uint32)
    assert np.argsort(sort_keys(scores, order)).tolist() == np.lexsort((order, -scores)).tolist()
