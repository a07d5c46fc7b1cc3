"""Wanted items of encoded lists against decoding whole lists, and damage that both must notice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antecede.index.codec import (
    EncodedLists,
    Lists,
    Matches,
    decode,
    encode,
    match_encoded,
    match_encoded_into,
    match_lists,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

LIMIT = 1 << 22
TABLE = np.zeros(LIMIT, np.uint32)


def random_lists(seed: int, number: int, largest: int) -> Lists:
    random = np.random.default_rng(seed)
    items = [
        np.unique(random.integers(0, LIMIT >> random.integers(0, 20), random.integers(0, 40))) for _ in range(number)
    ]
    ptr = np.concatenate([[0], np.cumsum([len(each) for each in items])]).astype(np.int64)
    whole = np.concatenate([np.zeros(0, np.int64), *items]).astype(np.uint32)
    counts = np.exp(random.uniform(0, np.log(largest), len(whole))).astype(np.uint32)
    return Lists(ptr, whole, np.maximum(counts, 1))


def match(
    encoded: EncodedLists, data: NDArray[np.uint8], lengths: NDArray[np.int64], wanted: NDArray[np.int64]
) -> Matches | None:
    """The matches; the table is as before afterwards, whether or not a list is damaged."""
    given = encoded.ptr[:-1], encoded.ptr[1:], lengths, LIMIT, encoded.sums, encoded.totals, wanted, TABLE
    found = match_encoded(data, *given)
    assert not TABLE.any()
    return found


@given(st.integers(0, 10**6), st.integers(0, 8), st.sampled_from([1, 3, 300, 1 << 31]), st.integers(0, 60))
def test_wanted_items_are_those_of_whole_lists(seed: int, number: int, largest: int, many: int) -> None:
    lists = random_lists(seed, number, largest)
    random = np.random.default_rng(seed)
    some = random.permutation(lists.items)[:many].astype(np.int64)
    wanted = np.unique(np.concatenate([some, random.integers(0, LIMIT, many // 2)]))
    encoded = encode(lists)
    found = match(encoded, encoded.data, np.diff(lists.ptr), wanted)
    plain = match_lists(lists, wanted)
    assert found is not None
    for one, other in ((found.ptr, plain.ptr), (found.places, plain.places), (found.counts, plain.counts)):
        assert one.tolist() == other.tolist()
    for n in range(number):
        items = lists.items[lists.ptr[n] : lists.ptr[n + 1]]
        here = slice(plain.ptr[n], plain.ptr[n + 1])
        assert wanted[plain.places[here]].tolist() == np.intersect1d(items, wanted).tolist()


@given(st.integers(0, 10**6), st.sampled_from([1, 3, 300]))
def test_damage_is_noticed_as_by_decoding(seed: int, largest: int) -> None:
    lists = random_lists(seed, 4, largest)
    encoded = encode(lists)
    if not len(encoded.data):
        return
    random = np.random.default_rng(seed)
    data = encoded.data.copy()
    data[random.integers(len(data))] ^= np.uint8(1 << random.integers(8))
    lengths = np.diff(lists.ptr)
    whole = decode(data, encoded.ptr[:-1], encoded.ptr[1:], lengths, LIMIT, encoded.sums, encoded.totals)
    assert whole is None
    assert match(encoded, data, lengths, np.arange(5)) is None


@given(st.integers(0, 10**6), st.sampled_from([1, 3, 300]))
def test_a_list_with_more_items_than_stated_is_damaged_and_nothing_is_written_past_the_end(
    seed: int, largest: int
) -> None:
    lists = random_lists(seed, 3, largest)
    encoded, wanted = encode(lists), np.unique(lists.items).astype(np.int64)
    lengths = np.diff(lists.ptr) // 2
    places, counts = np.full(len(wanted) * 3 + 1, -7), np.full(len(wanted) * 3 + 1, 7, np.uint32)
    room = int(np.minimum(lengths, len(wanted)).sum()) + 1
    damaged = match_encoded_into(
        encoded.data, encoded.ptr[:-1], encoded.ptr[1:], lengths, np.uint64(LIMIT), encoded.sums, encoded.totals,
        wanted, TABLE, np.zeros(4, np.int64), places, counts,
    )  # fmt: skip
    assert damaged == next((n for n in range(3) if np.diff(lists.ptr)[n]), -1)
    assert (places[room:] == -7).all()
    assert (counts[room:] == 7).all()
    assert not TABLE.any()
