"""Lists come back as they were encoded, damage is noticed, and the wanted items of lists are found."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.arrays import pointers_from_sizes
from antecede.index.codec import (
    EncodedLists,
    Lists,
    decode,
    decode_into,
    decode_numbers,
    encode,
    encode_numbers,
)
from antecede.kernels import update_checksum
from tests.index.worlds import match_lists

if TYPE_CHECKING:
    from numpy.typing import NDArray


LIMIT = 1 << 31
counts = st.one_of(st.just(1), st.integers(1, 300), st.integers(1, 2**32 - 1))
ascending = st.sets(st.one_of(st.integers(0, 200), st.integers(0, LIMIT - 1)), max_size=40).map(sorted)
some_lists = st.lists(
    ascending.flatmap(
        lambda items: st.tuples(st.just(items), st.lists(counts, min_size=len(items), max_size=len(items)))
    ),
    max_size=8,
)


def lists_of(pairs: Any) -> Lists:
    items = [item for items, _ in pairs for item in items]
    numbers = [count for _, counts in pairs for count in counts]
    ptr = pointers_from_sizes(np.array([len(items) for items, _ in pairs], np.int64))
    return Lists(ptr, np.array(items, np.uint32), np.array(numbers, np.uint32))


def totals(lists: Lists) -> Any:
    return np.array([lists.counts[a:b].sum(dtype=np.uint64) for a, b in pairwise(lists.ptr.tolist())], np.uint64)


def decoded(data: Any, ptr: Any, lists: Lists, sums: Any, limit: int = LIMIT) -> Lists | None:
    return decode(data, ptr[:-1].copy(), ptr[1:].copy(), np.diff(lists.ptr), limit, sums, totals(lists))


@given(some_lists)
def test_lists_come_back_as_they_were(pairs: Any) -> None:
    lists = lists_of(pairs)
    data, ptr, sums, _ = encode(lists)
    found = decoded(data, ptr, lists, sums)
    assert found is not None
    assert found.items.tolist() == lists.items.tolist()
    assert found.counts.tolist() == lists.counts.tolist()


@given(some_lists.filter(lambda pairs: any(items for items, _ in pairs)), st.data())
def test_a_changed_byte_and_an_item_beyond_the_limit_are_always_seen(pairs: Any, chance: st.DataObject) -> None:
    lists = lists_of(pairs)
    data, ptr, sums, _ = encode(lists)
    largest = int(lists.items.max())
    assert decoded(data, ptr, lists, sums, largest + 1) is not None
    assert decoded(data, ptr, lists, sums, largest) is None
    data[chance.draw(st.integers(0, len(data) - 1))] ^= chance.draw(st.integers(1, 255))
    assert decoded(data, ptr, lists, sums) is None


@given(st.binary(max_size=60), st.lists(st.tuples(*[st.integers(-3, 70)] * 3), max_size=6))
def test_random_bytes_and_places_are_never_read_beyond_their_end(noise: bytes, places: list[tuple[int, ...]]) -> None:
    # The bytes stand between others that would be noticed: a list that reads on would find items above the limit.
    data = np.frombuffer(noise, np.uint8)
    starts, ends, lengths = (np.array([each[at] for each in places], np.int64) for at in range(3))
    zeros = np.zeros(len(places), np.uint32)
    found = decode(data, starts, ends, lengths, 1 << 20, zeros, zeros.astype(np.uint64))
    if found is not None:
        assert all(0 <= a <= b <= len(data) for a, b, _ in places)
        assert not len(found.items)


@given(st.binary(min_size=1, max_size=40), st.integers(0, 45))
def test_a_list_of_random_bytes_needs_its_checksum_to_be_believed(noise: bytes, length: int) -> None:
    data = np.frombuffer(noise, np.uint8)
    place = np.zeros(1, np.int64), np.array([len(data)]), np.array([length])
    found = decode(data, *place, 1 << 31, np.zeros(1, np.uint32), np.array([length], np.uint64))
    if found is not None:  # then the numbers are what the bytes say
        assert encode(found)[0].tobytes() == noise


@given(st.lists(st.tuples(*[st.integers(0, 2**63 - 1) | st.integers(0, 300)] * 3), max_size=20))
def test_rows_of_numbers_come_back_as_they_were(rows: list[tuple[int, ...]]) -> None:
    data = encode_numbers(*np.array(rows, np.uint64).reshape(-1, 3).T)
    found = decode_numbers(data, 3)
    assert found is not None
    assert found.tolist() == [list(row) for row in rows]
    assert len(data) == sum(max(1, -(-number.bit_length() // 7)) for row in rows for number in row)


@pytest.mark.parametrize("data", [[1], [1, 2, 3, 4], [1, 2, 131], [200], [1, 2, 3, 128]])
def test_numbers_that_are_no_whole_rows_are_refused(data: list[int]) -> None:
    assert decode_numbers(np.array(data, np.uint8), 3) is None


ITEMS = 1 << 22
TABLE = np.zeros(ITEMS, np.uint32)


def random_lists(seed: int, number: int, largest: int) -> Lists:
    random = np.random.default_rng(seed)
    items = [
        np.unique(random.integers(0, ITEMS >> random.integers(0, 20), random.integers(0, 40))) for _ in range(number)
    ]
    ptr = np.concatenate([[0], np.cumsum([len(each) for each in items])]).astype(np.int64)
    whole = np.concatenate([np.zeros(0, np.int64), *items]).astype(np.uint32)
    counts = np.exp(random.uniform(0, np.log(largest), len(whole))).astype(np.uint32)
    return Lists(ptr, whole, np.maximum(counts, 1))


def match(encoded: EncodedLists, lengths: NDArray[np.int64], wanted: NDArray[np.int64]) -> Lists | None:
    """The matches; the table is as before afterwards, whether or not a list is damaged."""
    given = encoded.ptr[:-1], encoded.ptr[1:], lengths, ITEMS, encoded.sums, encoded.totals
    found = decode(encoded.data, *given, wanted=(wanted, TABLE))
    assert not TABLE.any()
    return found


@pytest.mark.slow
@given(st.integers(0, 10**6), st.integers(0, 8), st.sampled_from([1, 3, 300, 1 << 31]), st.integers(0, 60))
def test_wanted_items_are_those_of_whole_lists(seed: int, number: int, largest: int, many: int) -> None:
    lists = random_lists(seed, number, largest)
    random = np.random.default_rng(seed)
    some = random.permutation(lists.items)[:many].astype(np.int64)
    wanted = np.unique(np.concatenate([some, random.integers(0, ITEMS, many // 2)]))
    encoded = encode(lists)
    found = match(encoded, np.diff(lists.ptr), wanted)
    plain = match_lists(lists, wanted)
    assert found is not None
    for one, other in ((found.ptr, plain.ptr), (found.items, plain.items), (found.counts, plain.counts)):
        assert one.tolist() == other.tolist()
    for n in range(number):
        items = lists.items[lists.ptr[n] : lists.ptr[n + 1]]
        here = slice(plain.ptr[n], plain.ptr[n + 1])
        assert wanted[plain.items[here]].tolist() == np.intersect1d(items, wanted).tolist()


@given(st.integers(0, 10**6), st.sampled_from([1, 3, 300]))
def test_damage_is_noticed_where_only_some_items_are_wanted(seed: int, largest: int) -> None:
    lists = random_lists(seed, 4, largest)
    encoded = encode(lists)
    if not len(encoded.data):
        return
    random = np.random.default_rng(seed)
    encoded.data[random.integers(len(encoded.data))] ^= np.uint8(1 << random.integers(8))
    assert match(encoded, np.diff(lists.ptr), np.arange(5)) is None


@given(st.integers(0, 10**6), st.sampled_from([1, 3, 300]))
def test_a_list_with_more_items_than_stated_is_damaged_and_nothing_is_written_past_the_end(
    seed: int, largest: int
) -> None:
    lists = random_lists(seed, 3, largest)
    encoded, wanted = encode(lists), np.unique(lists.items).astype(np.int64)
    lengths = np.diff(lists.ptr) // 2
    items, counts = (np.full(len(wanted) * 3 + 1, 7, np.uint32) for _ in range(2))
    room = int(np.minimum(lengths, len(wanted)).sum()) + 1
    places = np.zeros(ITEMS, np.uint32)
    places[wanted] = np.arange(1, len(wanted) + 1)
    damaged = decode_into(
        encoded.data, encoded.ptr[:-1], encoded.ptr[1:], lengths, np.uint64(ITEMS), encoded.sums, encoded.totals,
        places, np.zeros(4, np.int64), items, counts,
    )  # fmt: skip
    assert damaged == next((n for n in range(3) if np.diff(lists.ptr)[n]), -1)
    assert (items[room:] == 7).all()
    assert (counts[room:] == 7).all()


def test_a_count_beyond_32_bits_is_damage_whatever_the_checksums_say() -> None:
    """A posting with the largest count, and the same with one more: in 32 bits that would be none."""

    def read(numbers: list[int], total: int) -> Lists | None:
        data = encode_numbers(np.array(numbers, np.uint64))
        checksum = np.uint32(0)
        for number in numbers:
            checksum = update_checksum(checksum, np.uint64(number))
        ends = np.array([len(data)], np.int64)
        sums, sums_of_counts = np.array([checksum], np.uint32), np.array([total], np.uint64)
        return decode(data, np.zeros(1, np.int64), ends, np.ones(1, np.int64), LIMIT, sums, sums_of_counts)

    written = decode_numbers(encode(lists_of([([5], [2**32 - 1])])).data, 1)
    assert written is not None
    item, rest = written[:, 0].tolist()
    largest = read([item, rest], 2**32 - 1)
    assert largest is not None
    assert largest.counts.tolist() == [2**32 - 1]
    assert read([item, rest + 1], 2**32) is None
