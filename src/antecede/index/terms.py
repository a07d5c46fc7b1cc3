"""Terms or words in byte order, concatenated in one array, and compared as numbers, without Python objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.arrays import are_pointers, pointers_from_sizes
from antecede.index.codec import encode_numbers, read_numbers
from antecede.index.files import damaged
from antecede.kernels import kernel, read_only
from antecede.text.vocabulary import Arena

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.arrays import U8, U32, U64, Ints
    from antecede.index.files import SegmentFiles

MAX_TERM_BYTES = 1 << 17
"""More bytes than any term has: a word has at most 1,000 characters, each normalised to at most 18 of four bytes."""
FIRST_BITS, LATER_BYTE = np.uint8(0xC0), np.uint8(0x80)


def read_terms(files: SegmentFiles, name: str, number: int) -> Arena:
    """The sorted terms that `front_code` encoded in the files of a name; damaged ones are refused."""
    sizes = read_numbers(files, f"{name}_sizes.u8", 2)
    terms = decode_terms(files.array(f"{name}.u8"), sizes) if len(sizes) == number else None
    if terms is None or not are_texts(terms):
        raise damaged(files.folder / f"{name}_sizes.u8", f"its {name} are not sorted words")
    return terms


def read_texts(files: SegmentFiles, name: str, ptr_name: str, number: int) -> Arena:
    """Texts, none of them empty, from a file of their bytes and one of their offsets; damaged ones are refused."""
    texts = Arena(files.array(name), files.array(ptr_name, number + 1))
    if not are_pointers(texts.ptr, len(texts.data)) or (np.diff(texts.ptr) == 0).any() or not are_texts(texts):
        raise damaged(files.folder / ptr_name, "its places are not those of texts")
    return texts


def concatenate_texts(texts: Sequence[str]) -> Arena:
    """Texts as one array, and the offset of each."""
    return Arena.join([text.encode("utf-8", "surrogatepass") for text in texts])


@kernel
def _eight_bytes(arena: U8, ptr: Ints, terms: Ints, depth: int, out: U64) -> None:
    """Eight bytes of each term from `depth` on, as one number with the same order; zeros after the end.

    Bounds: `ptr` are checked places in `arena`, `terms` numbers of its terms; nothing at or after the end of a term is
    read.
    """
    for n in range(len(terms)):
        begin = ptr[terms[n]] + depth
        end = ptr[terms[n] + 1]
        value = np.uint64(0)
        for at in range(begin, begin + 8):
            value = (value << np.uint64(8)) | (np.uint64(arena[at]) if at < end else np.uint64(0))
        out[n] = value


def sort_terms(arena: Arena, some: Ints | None = None) -> Ints:
    """The byte order of distinct terms, or of some of them: by the first eight bytes, then by eight more on ties.

    No term has a null byte, so the zeros after its end put it before the terms that it is a prefix of. Ties are sorted
    in any order, which is four times as fast as a stable sort: the following bytes decide.
    """
    order = np.arange(len(arena.ptr) - 1) if some is None else some.copy()
    group = np.zeros(len(order), np.int64)
    open_places = np.arange(len(order))
    depth = 0
    while len(open_places) > 1:
        terms = order[open_places]
        keys = np.empty(len(terms), np.uint64)
        _eight_bytes(read_only(arena.data), arena.ptr, terms, depth, keys)
        place = np.lexsort((keys, group[open_places])) if depth else np.argsort(keys)
        order[open_places] = terms[place]
        keys, groups = keys[place], group[open_places]
        changes = np.ones(len(terms) + 1, np.bool_)
        changes[1:-1] = (keys[1:] != keys[:-1]) | (groups[1:] != groups[:-1])
        group[open_places] = np.cumsum(changes[:-1])
        open_places = open_places[~(changes[:-1] & changes[1:])]
        depth += 8
    return order


@kernel
def _gather_terms(arena: U8, ptr: Ints, order: Ints, out: U8) -> None:
    """Concatenate terms in an order.

    Bounds: `ptr` are checked places in `arena`, and `arrange_terms` makes `out` as long as the terms of `order`.
    """
    to = 0
    for n in range(len(order)):
        for at in range(ptr[order[n]], ptr[order[n] + 1]):
            out[to] = arena[at]
            to += 1


def arrange_terms(arena: Arena, order: Ints) -> Arena:
    sizes = np.diff(arena.ptr)[order]
    out = np.empty(int(sizes.sum()), np.uint8)
    _gather_terms(read_only(arena.data), arena.ptr, order, out)
    return Arena(out, pointers_from_sizes(sizes))


@kernel
def _front_code_into(arena: U8, ptr: Ints, shared: Ints, out: U8) -> int:
    """Write the bytes of each term after the prefix that it shares with the previous one; `shared` is its length.

    Bounds: `ptr` comes from `arrange_terms`, and no more bytes are written than `arena` has, which is as long as `out`.
    """
    to = 0
    for n in range(len(shared)):
        same = 0
        before = ptr[n - 1] if n else ptr[0]
        while before + same < ptr[n] and ptr[n] + same < ptr[n + 1] and arena[before + same] == arena[ptr[n] + same]:
            same += 1
        shared[n] = same
        for at in range(ptr[n] + same, ptr[n + 1]):
            out[to] = arena[at]
            to += 1
    return to


def front_code(arena: Arena) -> tuple[U8, U8]:
    """Front-code sorted terms, which halves their size; return the remaining bytes, and the sizes of both parts.

    `Matrix.vocabulary` reads them.
    """
    shared, out = np.zeros(len(arena.ptr) - 1, np.int64), np.empty(len(arena.data), np.uint8)
    used = _front_code_into(read_only(arena.data), arena.ptr, shared, out)
    return out[:used], encode_numbers(shared, np.diff(arena.ptr) - shared)


def find_terms(arena: Arena, sought: Arena) -> Ints:
    """The place of each wanted term among sorted terms, −1 where it is missing."""
    numbers = np.empty(len(sought.ptr) - 1, np.int64)
    find_terms_into(read_only(arena.data), read_only(arena.ptr), read_only(sought.data), sought.ptr, numbers)
    return numbers


@kernel
def find_terms_into(
    arena: U8,
    ptr: Ints,
    sought: U8,
    sought_ptr: Ints,
    numbers: Ints,
) -> None:
    """Find each wanted term by a binary search over the bytes.

    Bounds: `ptr` comes from `decode_terms`, which checked it; `wanted_ptr` from `find`; `numbers` from `find_terms`.
    """
    for n in range(len(numbers)):
        w = sought_ptr[n]
        length = sought_ptr[n + 1] - w
        low, high = 0, len(ptr) - 1
        numbers[n] = -1
        while low < high:
            middle = (low + high) // 2
            a = ptr[middle]
            size = ptr[middle + 1] - a
            order = 0
            for i in range(min(size, length)):
                if arena[a + i] != sought[w + i]:
                    order = 1 if arena[a + i] > sought[w + i] else -1
                    break
            if order == 0:
                order = 0 if size == length else (1 if size > length else -1)
            if order == 0:
                numbers[n] = middle
                break
            if order < 0:
                low = middle + 1
            else:
                high = middle


@kernel
def _decode_terms_into(ends: U8, sizes: U64, ptr: Ints, out: U8) -> bool:
    """Decode front-coded terms: the prefix that each shares with the previous term, followed by its own end.

    Returns False where terms do not ascend, or the shared prefix is longer than the previous term.
    Bounds: `decode_terms` checks that all sizes are small, that `ptr` is their cumulative sum, and that `ends` has as
    many bytes as the second column says; the first column is guarded in the loop.
    """
    at = 0
    for n in range(len(sizes)):
        shared = np.int64(sizes[n, 0])
        before = ptr[n - 1] if n else ptr[n]
        length = ptr[n] - before
        if shared > length or sizes[n, 1] == 0 or (shared < length and ends[at] <= out[before + shared]):
            return False
        for i in range(shared):
            out[ptr[n] + i] = out[before + i]
        for to in range(ptr[n] + shared, ptr[n + 1]):
            out[to] = ends[at]
            at += 1
    return True


def decode_terms(ends: U8, sizes: U64) -> Arena | None:
    """The terms that `front_code` wrote; None where the data is not valid."""
    if (len(sizes) and int(sizes.max()) > MAX_TERM_BYTES) or int(sizes[:, 1].sum()) != len(ends):
        return None
    ptr = pointers_from_sizes(sizes.sum(axis=1).astype(np.int64))
    out = np.empty(int(ptr[-1]), np.uint8)
    return Arena(out, ptr) if _decode_terms_into(read_only(ends), sizes, ptr, out) else None


def are_texts(arena: Arena) -> bool:
    """Whether all are texts in UTF-8, without null bytes (which sorting relies on)."""
    data = arena.data.tobytes()
    if b"\x00" in data:
        return False
    if data.isascii():
        return True
    if (arena.data[arena.ptr[:-1]] & FIRST_BITS == LATER_BYTE).any():
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_sorted(arena: Arena, order: U32) -> bool:
    """Whether `order` is the rank of each text in byte order, without duplicates."""
    return _are_ranks(*arena, order, np.full(len(order), -1, np.int64))


@kernel
def _are_ranks(arena: U8, ptr: Ints, order: U32, ranked: Ints) -> bool:
    """Whether `order` is the rank of each text. `ranked` becomes the text of each rank; it contains −1 before.

    Bounds: `ptr` are checked places in `arena`, one more than `order` has; `ranked` has as many as `order`, and ranks
    are guarded in the loop.
    """
    number = len(order)
    for n in range(number):
        if np.int64(order[n]) >= number or ranked[order[n]] >= 0:
            return False
        ranked[order[n]] = n
    for rank in range(1, number):
        a, b = ptr[ranked[rank - 1]], ptr[ranked[rank]]
        a_end, b_end = ptr[ranked[rank - 1] + 1], ptr[ranked[rank] + 1]
        while a < a_end and b < b_end and arena[a] == arena[b]:
            a += 1
            b += 1
        if b == b_end or (a < a_end and arena[a] > arena[b]):
            return False
    return True
