"""Places come back as they were encoded, wholly or block by block, and damage is noticed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.arrays import pointers_from_sizes
from antecede.conditions.spans import texts_within
from antecede.errors import InputError
from antecede.index.place_lists import (
    BEFORE,
    BLOCK,
    COUNTS,
    ENDS,
    FEW,
    LAST,
    MAX_WIDTH,
    PADDING,
    STARTS,
    EncodedPlaces,
    _add_up,
    _unpack,
    collect_texts,
    decode_blocks,
    encode_places,
    find_blocks,
    mark_followed,
)
from antecede.kernels import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.index.place_lists import Blocks, StoredLists

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


def stored(encoded: EncodedPlaces, ptr: NDArray[np.int64], limit: int = LIMIT) -> StoredLists:
    bounds, limits = pointers_from_sizes(encoded.sizes), np.array([limit, limit])
    return (
        read_only(encoded.data),
        read_only(bounds),
        read_only(np.diff(ptr)),
        read_only(encoded.sums),
        read_only(limits),
    )


def blocks_of(encoded: EncodedPlaces, ptr: NDArray[np.int64], limit: int = LIMIT) -> Blocks | None:
    numbers = np.arange(len(encoded.sizes))
    fits, blocks = find_blocks(*stored(encoded, ptr, limit), numbers)
    return blocks if fits else None


def places_of(encoded: EncodedPlaces, blocks: Blocks, which: NDArray[np.int64] | None = None) -> list[int] | None:
    places = decode_blocks(read_only(encoded.data), blocks, which)
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
    ends = np.cumsum(blocks[COUNTS])
    chosen = np.array([random.random() < 0.4 for _ in ends], np.bool_)
    wanted = [places[end - size : end] for end, size in zip(ends[chosen], blocks[COUNTS][chosen], strict=True)]
    assert places_of(encoded, blocks, np.flatnonzero(chosen)) == np.concatenate([places[:0], *wanted]).tolist()
    for n, end in enumerate(ends):
        own = places[end - blocks[COUNTS][n] : end]
        assert blocks[BEFORE][n] < own[0]
        assert own[-1] <= blocks[LAST][n] < LIMIT


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
def test_texts_that_have_a_place_are_collected(
    lists: tuple[NDArray[np.int64], NDArray[np.int64]], seed: int, number: int
) -> None:
    ptr, places = lists
    end = int(places.max()) + 1
    texts = texts_within(np.sort(np.append(np.random.default_rng(seed).integers(0, end, number), [0, end])))
    encoded = encode(ptr, places)
    held, every = stored(encoded, ptr, end), np.arange(len(encoded.sizes))
    for chosen in (every, every[np.diff(ptr) <= FEW // len(every)]):  # remembering the texts, and not
        fits, collected = collect_texts(*held, chosen, *texts)
        wanted = np.concatenate([places[:0], *(places[ptr[n] : ptr[n + 1]] for n in chosen)])
        assert fits
        assert len(collected) <= len(wanted)
        assert np.unique(collected).tolist() == np.unique(np.searchsorted(texts.bounds, wanted, "right") - 1).tolist()
    _, collected = collect_texts(*held, every, *texts)
    assert len(np.unique(collected)) == len(collected)
    assert not collect_texts(*stored(encoded, ptr, end + 1), every, *texts)[0]


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
    assert not fits or (
        width + rest_width <= MAX_WIDTH and 0 <= min(numbers_read) <= max(numbers_read) < 1 << MAX_WIDTH
    )


@given(cases, st.integers(0, 10**9), st.integers(1, 255))
def test_a_changed_byte_is_noticed(lists: tuple[NDArray[np.int64], NDArray[np.int64]], at: int, change: int) -> None:
    ptr, places = lists
    encoded = encode(ptr, places)
    encoded.data[at % (len(encoded.data) - PADDING)] ^= change
    blocks = blocks_of(encoded, ptr)
    assert blocks is None or decode_blocks(read_only(encoded.data), blocks) is None


def test_a_place_beyond_its_limit_is_damage() -> None:
    ptr, places = random_lists(1, 50)
    limit = int(places.max())
    encoded = encode(ptr, places)
    blocks = blocks_of(encoded, ptr, limit)
    assert blocks is None or decode_blocks(read_only(encoded.data), blocks) is None
    assert blocks_of(encoded, ptr, limit + 1) is not None


@given(
    st.binary(max_size=900),
    st.lists(st.tuples(*[st.integers(-3, 920)] * 2), max_size=6),
    st.lists(st.integers(-2, 7), max_size=6),
)
def test_random_bytes_are_never_read_beyond_their_end(
    noise: bytes, heads: list[tuple[int, int]], chosen: list[int]
) -> None:
    """Bytes before and after those that are given would change what is found."""
    data = np.frombuffer(noise + bytes(PADDING), np.uint8)
    ptr, counts = np.array([0, *(place for place, _ in heads)]), np.array([count for _, count in heads], np.int64)
    sums, limits = np.zeros(len(heads), np.uint32), np.array([LIMIT])
    arrays = (read_only(data), read_only(ptr), read_only(counts), read_only(sums), read_only(limits))
    fits, blocks = find_blocks(*arrays, np.array(chosen, np.int64))
    if fits:
        assert all(0 <= n < len(heads) and 0 <= ptr[n] <= ptr[n + 1] <= len(noise) for n in chosen)
        starts, ends = blocks[STARTS], blocks[ENDS]
        assert ((starts >= 0) & (ends <= len(noise)) & (blocks[COUNTS] <= ends - starts)).all()
        decode_blocks(read_only(data), blocks)


def test_places_that_do_not_ascend_are_refused() -> None:
    with pytest.raises(InputError, match="do not ascend"):
        encode_places(np.array([0, 2]), np.array([5, 5]))
