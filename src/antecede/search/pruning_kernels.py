"""The inner loops of a search over a compact layer. Compiled, and run without the interpreter lock.

All sums are sums of integers (`QueryWeights`), so none is rounded and the order of the additions does not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.text.compiler import compile_kernel
from antecede.text.compiler import types as t

if TYPE_CHECKING:
    from numpy.typing import NDArray

U8, U16, U32, U64, I64, F32 = t.uint8[::1], t.uint16[::1], t.uint32[::1], t.uint64[::1], t.int64[::1], t.float32[::1]
U8_ROWS, U16_ROWS, U32_ROWS = t.uint8[:, ::1], t.uint16[:, ::1], t.uint32[:, ::1]
PAGE_BITS, GROUP_BITS, BLOCK_BITS = 16, 8, 6
GROUPS_IN_PAGE = 1 << (PAGE_BITS - GROUP_BITS)
BLOCKS_IN_GROUP = 1 << (GROUP_BITS - BLOCK_BITS)
LEVELS = 255
PART = 1 << 14
"""Positions whose sums stay in the innermost cache while planes are added to them."""


@compile_kernel(t.void(t.Array(t.uint32, 1, "C", readonly=True), F32, U32, t.float64, U64))
def pack_postings(
    rows: NDArray[np.uint32],
    impacts: NDArray[np.float32],
    positions: NDArray[np.uint32],
    scale: float,
    keys: NDArray[np.uint64],
) -> None:
    """The position and the level of each posting as one number. The level is the least with level · scale ≥ impact.

    Bounds: rows were decoded with the number of rows as their limit (`decode_into`), and `positions` has one for each;
    `impacts` and `keys` are as long as `rows`.
    """
    for j in range(len(rows)):
        level = np.int64(np.ceil(np.float64(impacts[j]) / scale))
        if level * scale < np.float64(impacts[j]):
            level += 1
        level = np.int64(min(max(level, np.int64(1)), np.int64(LEVELS)))
        keys[j] = np.uint64(positions[rows[j]]) << np.uint64(8) | np.uint64(level)


@compile_kernel(t.void(U64, U16, U8, U32, U8, U16))
def unpack_postings(
    keys: NDArray[np.uint64],
    low: NDArray[np.uint16],
    levels: NDArray[np.uint8],
    pages: NDArray[np.uint32],
    maxima: NDArray[np.uint8],
    offsets: NDArray[np.uint16],
) -> None:
    """Write sorted keys as postings, with the start of each page and, for a frequent term, of each group in its page.

    `maxima` and `offsets` are empty for a term that is not frequent; `maxima` is 0 everywhere before.

    Bounds: `pages` has one place more than there are pages, `offsets` one per group and `maxima` one per block, and
    keys come from `pack_postings`, whose positions are below the number of rows.
    """
    page, group, frequent = 0, 0, len(offsets) > 0
    for j in range(len(keys)):
        position = np.int64(keys[j] >> np.uint64(8))
        level = np.uint8(keys[j] & np.uint64(255))
        low[j] = np.uint16(position & 0xFFFF)
        levels[j] = level
        while page <= position >> PAGE_BITS:
            pages[page] = np.uint32(j)
            page += 1
        if frequent:
            block = position >> BLOCK_BITS
            maxima[block] = max(maxima[block], level)
            while group <= position >> GROUP_BITS:
                offsets[group] = np.uint16(j - np.int64(pages[group // GROUPS_IN_PAGE]))
                group += 1
    while page < len(pages):
        pages[page] = np.uint32(len(keys))
        page += 1
    while group < len(offsets):
        offsets[group] = np.uint16(len(keys) - np.int64(pages[group // GROUPS_IN_PAGE]))
        group += 1


@compile_kernel(t.void(U64, U8, U8))
def spread_levels(keys: NDArray[np.uint64], plane: NDArray[np.uint8], maxima: NDArray[np.uint8]) -> None:
    """Write keys as a plane, with the largest level of each block; both are 0 everywhere before.

    Bounds: `plane` has one place per position and `maxima` one per block, and keys come from `pack_postings`, whose
    positions are below the number of rows.
    """
    for j in range(len(keys)):
        position = np.int64(keys[j] >> np.uint64(8))
        level = np.uint8(keys[j] & np.uint64(255))
        plane[position] = level
        maxima[position >> BLOCK_BITS] = max(maxima[position >> BLOCK_BITS], level)


@compile_kernel(t.void(U16, U8, U32_ROWS, U8_ROWS, I64, I64, I64, U32, U32, U32))
def bound_blocks(
    low: NDArray[np.uint16],
    levels: NDArray[np.uint8],
    pages: NDArray[np.uint32],
    maxima: NDArray[np.uint8],
    starts: NDArray[np.int64],
    slots: NDArray[np.int64],
    frequent: NDArray[np.int64],
    weights: NDArray[np.uint32],
    blocks: NDArray[np.uint32],
    groups: NDArray[np.uint32],
) -> None:
    """Add the weighted maximum of each term in each block; then take the largest of the blocks of each group.

    Bounds: as in `add_terms`; `maxima` has as many columns as `blocks` has places, and a group has four blocks.
    """
    for i in range(len(starts)):
        weight = weights[i]
        if frequent[i] >= 0:
            most = maxima[frequent[i]]
            for b in range(len(blocks)):
                blocks[b] += weight * np.uint32(most[b])
            continue
        for page in range(pages.shape[1] - 1):
            j = starts[i] + np.int64(pages[slots[i], page])
            end = starts[i] + np.int64(pages[slots[i], page + 1])
            first = page << (PAGE_BITS - BLOCK_BITS)
            while j < end:
                block = low[j] >> np.uint16(BLOCK_BITS)
                top = levels[j]
                j += 1
                while j < end and low[j] >> np.uint16(BLOCK_BITS) == block:
                    top = max(top, levels[j])
                    j += 1
                blocks[first + np.int64(block)] += weight * np.uint32(top)
    for g in range(len(groups)):
        b = g * BLOCKS_IN_GROUP
        groups[g] = max(max(blocks[b], blocks[b + 1]), max(blocks[b + 2], blocks[b + 3]))


@compile_kernel(t.int64(U16, U8, U32_ROWS, U16_ROWS, U8_ROWS, I64, I64, I64, I64, U32, I64, U32))
def score_groups(  # noqa: C901 - one loop
    low: NDArray[np.uint16],
    levels: NDArray[np.uint8],
    pages: NDArray[np.uint32],
    offsets: NDArray[np.uint16],
    planes: NDArray[np.uint8],
    starts: NDArray[np.int64],
    slots: NDArray[np.int64],
    frequent: NDArray[np.int64],
    plane: NDArray[np.int64],
    weights: NDArray[np.uint32],
    groups: NDArray[np.int64],
    scores: NDArray[np.uint32],
) -> int:
    """Score the positions of some groups, in ascending order; return the number of postings that were added.

    Bounds: as in `add_terms`; `groups` are numbers of groups, and `scores` has 256 places for each.
    """
    added, number = 0, offsets.shape[1]
    for i in range(len(starts)):
        weight = weights[i]
        if plane[i] >= 0:
            for n in range(len(groups)):
                some = scores[n << GROUP_BITS : (n + 1) << GROUP_BITS]
                every = planes[plane[i], groups[n] << GROUP_BITS : (groups[n] + 1) << GROUP_BITS]
                for j in range(len(every)):
                    some[j] += weight * np.uint32(every[j])
            added += len(groups) << GROUP_BITS
            continue
        for n in range(len(groups)):
            group = groups[n]
            page = group // GROUPS_IN_PAGE
            start = starts[i] + np.int64(pages[slots[i], page])
            end = starts[i] + np.int64(pages[slots[i], page + 1])
            if frequent[i] >= 0:
                if (group + 1) % GROUPS_IN_PAGE != 0 and group + 1 < number:
                    end = start + np.int64(offsets[frequent[i], group + 1])
                start += np.int64(offsets[frequent[i], group])
            else:
                first = (group % GROUPS_IN_PAGE) << GROUP_BITS
                high = end
                while start < high:
                    middle = (start + high) // 2
                    if np.int64(low[middle]) < first:
                        start = middle + 1
                    else:
                        high = middle
                high = start
                while high < end and np.int64(low[high]) >> GROUP_BITS == first >> GROUP_BITS:
                    high += 1
                end = high
            some = scores[n << GROUP_BITS : (n + 1) << GROUP_BITS]
            rows, impact = low[start:end], levels[start:end]
            for j in range(len(rows)):
                some[rows[j] & np.uint16(255)] += weight * np.uint32(impact[j])
            added += end - start
    return added


@compile_kernel(t.void(U16, U8, U32_ROWS, U8_ROWS, I64, I64, I64, U32, t.int64, U32))
def add_terms(  # noqa: C901 - one loop over planes, one over postings
    low: NDArray[np.uint16],
    levels: NDArray[np.uint8],
    pages: NDArray[np.uint32],
    planes: NDArray[np.uint8],
    starts: NDArray[np.int64],
    slots: NDArray[np.int64],
    plane: NDArray[np.int64],
    weights: NDArray[np.uint32],
    anew: int,
    scores: NDArray[np.uint32],
) -> None:
    """Add all postings of terms to the sums of their positions, page by page, so that the sums stay in the cache.

    The sums begin at 0 if `anew` is not 0, and as they are otherwise. Terms that are planes come first: four are added
    at a time, which takes half as long as one by one.

    Bounds: `starts`, `slots` and `plane` come from `CompactLayer.locate`; a plane has whole groups, all of them equally
    many; the pages of a slot are the starts of pages in the postings of its term, and `scores` has 65,536 places for
    each.
    """
    first = 0
    while first < len(plane) and plane[first] >= 0:
        first += 1
    for part in range(0, len(scores), PART):
        some = scores[part : part + PART]
        if anew != 0:
            some[:] = 0
        for i in range(0, first & ~3, 4):
            w, x, y, z = weights[i], weights[i + 1], weights[i + 2], weights[i + 3]
            one, two = planes[plane[i], part : part + PART], planes[plane[i + 1], part : part + PART]
            three, four = planes[plane[i + 2], part : part + PART], planes[plane[i + 3], part : part + PART]
            for j in range(len(one)):
                some[j] += (
                    w * np.uint32(one[j]) + x * np.uint32(two[j]) + y * np.uint32(three[j]) + z * np.uint32(four[j])
                )
        for i in range(first & ~3, first):
            weight = weights[i]
            every = planes[plane[i], part : part + PART]
            for j in range(len(every)):
                some[j] += weight * np.uint32(every[j])
    for page in range(pages.shape[1] - 1):
        some = scores[page << PAGE_BITS : (page + 1) << PAGE_BITS]
        for i in range(first, len(starts)):
            weight = weights[i]
            start = starts[i] + np.int64(pages[slots[i], page])
            end = starts[i] + np.int64(pages[slots[i], page + 1])
            row, level = low[start:end], levels[start:end]
            fours = len(row) & ~3
            for j in range(0, fours, 4):
                a, b, c, d = row[j], row[j + 1], row[j + 2], row[j + 3]
                at_a = some[a] + weight * np.uint32(level[j])
                at_b = some[b] + weight * np.uint32(level[j + 1])
                at_c = some[c] + weight * np.uint32(level[j + 2])
                at_d = some[d] + weight * np.uint32(level[j + 3])
                some[a] = np.uint32(at_a)
                some[b] = np.uint32(at_b)
                some[c] = np.uint32(at_c)
                some[d] = np.uint32(at_d)
            for j in range(fours, len(row)):
                some[row[j]] += weight * np.uint32(level[j])


@compile_kernel(t.int64(U16, U8, U32_ROWS, U16_ROWS, U8_ROWS, I64, I64, I64, I64, U32, I64, t.int64, I64, U32, I64))
def look_up_terms(
    low: NDArray[np.uint16],
    levels: NDArray[np.uint8],
    pages: NDArray[np.uint32],
    offsets: NDArray[np.uint16],
    planes: NDArray[np.uint8],
    starts: NDArray[np.int64],
    slots: NDArray[np.int64],
    frequent: NDArray[np.int64],
    plane: NDArray[np.int64],
    weights: NDArray[np.uint32],
    after: NDArray[np.int64],
    threshold: int,
    positions: NDArray[np.int64],
    sums: NDArray[np.uint32],
    looked: NDArray[np.int64],
) -> int:
    """Add further terms to the sums of positions, term by term, and drop those that cannot reach a threshold.

    `after` is what the terms after each can add at most. Returns the number of positions left; `looked[0]` is raised by
    the number of look-ups.

    Bounds: as in `add_terms` and `score_groups`; positions are below the number of rows, and have one sum each.
    """
    found, groups = len(positions), offsets.shape[1]
    for i in range(len(starts)):
        weight = weights[i]
        looked[0] += found
        left = 0
        if plane[i] >= 0:
            every = planes[plane[i]]
            for n in range(found):  # without a branch that depends on the data
                position = positions[n]
                total = np.uint32(sums[n] + weight * np.uint32(every[position]))
                positions[left] = position
                sums[left] = total
                left += int(np.int64(total) + after[i] >= threshold)
            found = left
            continue
        for n in range(found):
            position = positions[n]
            page = position >> PAGE_BITS
            start = starts[i] + np.int64(pages[slots[i], page])
            end = starts[i] + np.int64(pages[slots[i], page + 1])
            if frequent[i] >= 0:
                group = position >> GROUP_BITS
                if (group + 1) % GROUPS_IN_PAGE != 0 and group + 1 < groups:
                    end = start + np.int64(offsets[frequent[i], group + 1])
                start += np.int64(offsets[frequent[i], group])
            wanted = np.uint16(position & 0xFFFF)
            size = end - start
            while size > 0:  # without a branch that depends on the data
                half = (size + 1) >> 1
                start += half * np.int64(low[start + half - 1] < wanted)
                size -= half
            total = sums[n]
            if start < end and low[start] == wanted:
                total = np.uint32(total + weight * np.uint32(levels[start]))
            if np.int64(total) + after[i] >= threshold:
                positions[left] = position
                sums[left] = total
                left += 1
        found = left
    return found


@compile_kernel(t.int64(U32, t.boolean[::1], t.int64, I64))
def collect_positions(
    sums: NDArray[np.uint32], eligible: NDArray[np.bool_], threshold: int, positions: NDArray[np.int64]
) -> int:
    """Collect the eligible positions whose sums reach a threshold, ascending; their number.

    Every position is eligible if `eligible` is empty.

    Bounds: `positions` is as long as `sums`, and so is `eligible` unless it is empty.
    """
    found, every, least = 0, len(eligible) == 0, np.uint32(threshold)
    for position in range(len(sums)):
        if sums[position] >= least and (every or eligible[position]):
            positions[found] = position
            found += 1
    return found


@compile_kernel(t.void(I64, I64, F32, I64, F32, F32, F32))
def add_impacts(
    ptr: NDArray[np.int64],
    found: NDArray[np.int64],
    impacts: NDArray[np.float32],
    order: NDArray[np.int64],
    weights: NDArray[np.float32],
    buffer: NDArray[np.float32],
    scores: NDArray[np.float32],
) -> None:
    """Add impacts, each times its weight, in the order of the query; each product and sum is rounded separately.

    `order` is the place of each query term among the distinct terms that `found` refers to. A term that a row lacks
    adds 0, which changes nothing.

    Bounds: `ptr` and `found` come from `Matrix.matches_of`; `buffer` has one place for each distinct term.
    """
    for n in range(len(ptr) - 1):
        for j in range(ptr[n], ptr[n + 1]):
            buffer[found[j]] = impacts[j]
        score = np.float32(0)
        for i in range(len(order)):
            score += weights[i] * buffer[order[i]]
        scores[n] = score
        for j in range(ptr[n], ptr[n + 1]):
            buffer[found[j]] = np.float32(0)
