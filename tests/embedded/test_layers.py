"""The compiled loops against plain ones, to the last bit; the best of many scores, against sorting all of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.embedded.layers import (
    LOWEST,
    SAMPLE,
    NameOrder,
    PostingRanges,
    TermCache,
    accumulate,
    select_top,
)
from tests.search.worlds import Document, memory_index

if TYPE_CHECKING:
    from numpy.typing import NDArray


def postings(rows: int, terms: int, seed: int) -> tuple[NDArray[np.uint32], NDArray[np.float32], NDArray[np.int64]]:
    random = np.random.default_rng(seed)
    lists = [np.flatnonzero(random.random(rows) < random.random() ** 2).astype(np.uint32) for _ in range(terms)]
    ptr = np.concatenate([[0], np.cumsum([len(each) for each in lists])]).astype(np.int64)
    whole = np.concatenate([np.zeros(0, np.uint32), *lists])
    return whole, random.standard_normal(len(whole)).astype(np.float32), ptr


@given(rows=st.integers(1, 200), terms=st.integers(0, 12), seed=st.integers(0, 10**6), block=st.integers(1, 250))
def test_scores_are_added_in_the_order_of_the_query(rows: int, terms: int, seed: int, block: int) -> None:
    numbers, impacts, ptr = postings(rows, terms, seed)
    weights = np.random.default_rng(seed).standard_normal(terms).astype(np.float32)
    wanted = np.zeros(rows, np.float32)
    for term in range(terms):
        for at in range(ptr[term], ptr[term + 1]):
            wanted[numbers[at]] = np.float32(wanted[numbers[at]] + np.float32(weights[term] * impacts[at]))
    starts, ends, slots = ptr[:-1].copy(), ptr[1:].copy(), np.full(terms, -1)
    # Every third term has a slot.
    dense = np.zeros((len(slots[::3]), rows), np.float32)
    for slot, term in enumerate(range(0, terms, 3)):
        dense[slot, numbers[ptr[term] : ptr[term + 1]]] = impacts[ptr[term] : ptr[term + 1]]
        slots[term], starts[term], ends[term] = slot, 0, 0
    layer: Any = SimpleNamespace(rows=numbers, impacts=impacts, dense=dense)
    scores = np.zeros(rows, np.float32)
    accumulate(layer, PostingRanges(starts, ends, slots), weights, scores, block)
    assert (scores + 0).tobytes() == (wanted + 0).tobytes()


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


def test_a_term_cache_grows_and_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antecede.embedded.layers.MAX_TERMS", 3000)
    words = [f"w{number}" for number in range(5000)]
    index = memory_index([Document("EP1", tuple(words))])
    cache = TermCache(index.statistics("en"))
    for start in range(0, 5000, 700):
        part = words[start : start + 700]
        assert cache.look_up(part)[2].tolist() == index.matrices("en")[0][1].find(part).tolist()
    assert cache.look_up(words)[0].tolist() == [1] * 5000
