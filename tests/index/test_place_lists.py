"""Places come back as they were encoded, wholly or block by block, and damage is noticed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import InputError
from antecede.index.arrays import pointers_from_sizes
from antecede.index.place_lists import (
    BLOCK,
    PADDING,
    WIDEST,
    Blocks,
    EncodedPlaces,
    _add_up,
    _unpack,
    collect_texts,
    decode_blocks,
    encode_places,
    find_blocks,
    mark_followed,
)
from antecede.index.places import texts_within
from antecede.kernels import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIZES = (0, 1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 2 * BLOCK + 1, 5 * BLOCK + 7)
LIMIT = 1 << 40


def random_lists(seed: int, largest_gap: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Offsets and places of lists of all sizes that matter."""
    random = np.random.default_rng(seed)
    sizes = random.permutation(SIZES).astype(np.int64)
    lists = [np.cumsum(random.integers(1, largest_gap, size)) - 1 for size in sizes]
    return pointers_from_sizes(sizes), np.concatenate(lists)


def encode(ptr: NDArray[np.int64], places: NDArray[np.int64]) -> EncodedPlaces:
    """Encoded lists, with the bytes after them that a file has."""
    encoded = encode_places(ptr, places)
    return encoded._replace(data=np.concatenate([encoded.data, np.zeros(PADDING, np.uint8)]))


def blocks_of(encoded: EncodedPlaces, ptr: NDArray[np.int64], limit: int = LIMIT) -> Blocks | None:
    bounds = pointers_from_sizes(encoded.sizes)
    limits = np.full(len(encoded.sizes), limit)
    return find_blocks(encoded.data, bounds[:-1], bounds[1:], np.diff(ptr), limits, encoded.sums)


def places_of(encoded: EncodedPlaces, blocks: Blocks, which: NDArray[np.int64] | None = None) -> list[int] | None:
    places = decode_blocks(encoded.data, blocks, which)
    return None if places is None else places.tolist()


cases = st.builds(random_lists, st.integers(0, 50), st.sampled_from([2, 100, 130, 20_000, 1 << 30]))


@given(cases, st.randoms(use_true_random=False))
def test_lists_come_back_wholly_and_block_by_block(
    lists: tuple[NDArray[np.int64], NDArray[np.int64]], random: np.random.Generator
) -> None:
    ptr, places = lists
    encoded = encode(ptr, places)
    blocks = blocks_of(encoded, ptr)
    assert blocks is not None
    assert places_of(encoded, blocks) == places.tolist()
    ends = np.cumsum(blocks.counts)
    chosen = np.array([random.random() < 0.4 for _ in ends], np.bool_)
    wanted = [places[end - size : end] for end, size in zip(ends[chosen], blocks.counts[chosen], strict=True)]
    assert places_of(encoded, blocks, np.flatnonzero(chosen)) == np.concatenate([places[:0], *wanted]).tolist()
    for n, end in enumerate(ends):
        own = places[end - blocks.counts[n] : end]
        assert blocks.before[n] < own[0]
        assert own[-1] <= blocks.last[n] < LIMIT


@given(cases, st.integers(0, 50), st.integers(-2, 3), st.sampled_from([0.003, 0.1, 1]))
def test_starts_are_marked_that_a_place_of_any_list_follows(
    lists: tuple[NDArray[np.int64], NDArray[np.int64]], seed: int, distance: int, share: float
) -> None:
    ptr, places = lists
    encoded = encode(ptr, places)
    blocks = blocks_of(encoded, ptr)
    assert blocks is not None
    random = np.random.default_rng(seed)
    near = places[random.random(len(places)) < share] - distance + random.integers(-1, 2)
    starts = np.unique(np.concatenate([near, random.integers(0, places.max() + 9, 5)]))
    blocks_ptr, marked = pointers_from_sizes(-(-np.diff(ptr) // BLOCK)), np.zeros(len(starts), np.bool_)
    assert mark_followed(read_only(encoded.data), blocks, blocks_ptr, read_only(starts), np.int64(distance), marked)
    assert marked.tolist() == np.isin(starts + distance, places).tolist()


@given(cases, st.integers(0, 50), st.sampled_from([1, 2, 30, 3000]))
def test_texts_that_have_a_place_are_collected_once(
    lists: tuple[NDArray[np.int64], NDArray[np.int64]], seed: int, number: int
) -> None:
    ptr, places = lists
    end = int(places.max()) + 1
    texts = texts_within(np.sort(np.append(np.random.default_rng(seed).integers(0, end, number), [0, end])))
    encoded = encode(ptr, places)
    blocks = blocks_of(encoded, ptr, end)
    assert blocks is not None
    is_known, collected = np.zeros(number + 1, np.bool_), np.empty(number + 1, np.int64)
    size = collect_texts(read_only(encoded.data), blocks, *texts, is_known, collected)
    expected = np.unique(np.searchsorted(texts.bounds, places, side="right") - 1).tolist()
    assert sorted(collected[:size].tolist()) == expected == np.flatnonzero(is_known).tolist()


@pytest.mark.parametrize("distance", [0, 1, BLOCK - 1])
def test_blocks_with_fewer_places_than_their_table_has_room_for_are_damage(distance: int) -> None:
    """With the right checksum: the last place of the first block would be before the first place of all."""
    ptr = np.array([0, 2 * BLOCK])
    encoded = encode(ptr, np.arange(2 * BLOCK))
    entry = 2 + 1 + 4
    assert encoded.data[[0, 1, entry, entry + 1]].tolist() == [BLOCK, 1] * 2  # LEB128 of the distance, in each entry
    for written, is_read in ((BLOCK, True), (distance, False)):
        encoded.data[:2] = written % 128 + 128, written // 128
        encoded.sums[0] = _add_up(read_only(encoded.data), 0, 2 * entry)
        assert (blocks_of(encoded, ptr) is not None) == is_read


@given(st.integers(0, 50), st.integers(0, 60), st.integers(0, 60), st.integers(0, BLOCK + 9), st.integers(1, BLOCK))
def test_a_block_that_was_never_written_is_read_within_its_bytes(
    seed: int, width: int, rest_width: int, longer: int, count: int
) -> None:
    """Bytes after the block, which must not be read, are other ones the second time."""
    random = np.random.default_rng(seed)
    size = -(-count * width // 8) + longer + -(-longer * rest_width // 8)
    block = np.concatenate([[width, longer, rest_width], random.integers(0, random.choice([1, count, 256]), size)])
    results = []
    for after in ([0] * PADDING, [255] * PADDING):
        numbers = np.zeros(count, np.int64)
        data = np.concatenate([block, after]).astype(np.uint8)
        results.append((bool(_unpack(read_only(data), np.int64(0), np.int64(len(block)), numbers)), numbers.tolist()))
    assert results[0] == results[1]
    fits, numbers_read = results[0]
    assert not fits or (width + rest_width <= WIDEST and 0 <= min(numbers_read) <= max(numbers_read) < 1 << WIDEST)


@given(cases, st.integers(0, 10**9), st.integers(1, 255))
def test_a_changed_byte_is_noticed(lists: tuple[NDArray[np.int64], NDArray[np.int64]], at: int, change: int) -> None:
    ptr, places = lists
    encoded = encode(ptr, places)
    encoded.data[at % (len(encoded.data) - PADDING)] ^= change
    blocks = blocks_of(encoded, ptr)
    assert blocks is None or decode_blocks(encoded.data, blocks) is None


def test_a_place_beyond_its_limit_is_damage() -> None:
    ptr, places = random_lists(1, 50)
    limit = int(places.max())
    encoded = encode(ptr, places)
    blocks = blocks_of(encoded, ptr, limit)
    assert blocks is None or decode_blocks(encoded.data, blocks) is None
    assert blocks_of(encoded, ptr, limit + 1) is not None


@given(st.binary(max_size=900), st.lists(st.tuples(*[st.integers(-3, 920)] * 3), max_size=6))
def test_random_bytes_are_never_read_beyond_their_end(noise: bytes, lists: list[tuple[int, int, int]]) -> None:
    """Bytes before and after those that are given would change what is found."""
    starts, ends, counts = (np.array([each[at] for each in lists], np.int64) for at in range(3))
    sums = np.zeros(len(lists), np.uint32)
    data = np.frombuffer(noise + bytes(PADDING), np.uint8)
    blocks = find_blocks(data, starts, ends, counts, np.full(len(lists), LIMIT), sums)
    if blocks is not None:
        assert all(0 <= a <= b <= len(noise) for a, b, _ in lists)
        assert (
            (blocks.starts >= 0) & (blocks.ends <= len(noise)) & (blocks.counts <= blocks.ends - blocks.starts)
        ).all()
        decode_blocks(data, blocks)


def test_places_that_do_not_ascend_are_refused() -> None:
    with pytest.raises(InputError, match="do not ascend"):
        encode_places(np.array([0, 2]), np.array([5, 5]))
