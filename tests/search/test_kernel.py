"""The compiled loops against plain ones, to the last bit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antecede.search.kernel import accumulate, find_row, mark_rows
from antecede.search.layers import PostingRanges

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


@given(rows=st.integers(1, 60), terms=st.integers(0, 8), seed=st.integers(0, 10**6))
def test_rows_with_a_term_are_marked(rows: int, terms: int, seed: int) -> None:
    numbers, _, ptr = postings(rows, terms, seed)
    starts, ends, slots = ptr[:-1].copy(), ptr[1:].copy(), np.full(terms, -1)
    dense = np.zeros((min(terms, 1), rows), np.float32)
    if terms:
        dense[0, numbers[: ptr[1]]] = -1
        slots[0], starts[0], ends[0] = 0, 0, 0
    marked = np.zeros(rows, np.bool_)
    mark_rows(numbers, starts, ends, dense, slots, marked)
    assert np.flatnonzero(marked).tolist() == sorted(set(numbers.tolist()))


@given(rows=st.integers(1, 60), terms=st.integers(0, 8), seed=st.integers(0, 10**6), wanted=st.integers(0, 70))
def test_a_row_is_found_where_it_would_stand(rows: int, terms: int, seed: int, wanted: int) -> None:
    numbers, _, ptr = postings(rows, terms, seed)
    found = np.empty(terms, np.int64)
    find_row(numbers, ptr[:-1].copy(), ptr[1:].copy(), wanted, found)
    slices = [numbers[ptr[at] : ptr[at + 1]] for at in range(terms)]
    assert found.tolist() == [int(ptr[at] + np.searchsorted(part, wanted)) for at, part in enumerate(slices)]
