"""The inner loops of a search over a compact layer. Compiled, and run without the interpreter lock.

All sums are sums of integers of 16 bits (`QueryWeights`), so none is rounded and the order of the additions does not
matter. They take half of the memory of 32-bit numbers, and moving them from and to memory is what takes the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

PAGE_BITS, GROUP_BITS, BLOCK_BITS = 16, 8, 6
GROUPS_IN_PAGE = 1 << (PAGE_BITS - GROUP_BITS)
BLOCKS_IN_GROUP = 1 << (GROUP_BITS - BLOCK_BITS)
BLOCK = 1 << BLOCK_BITS
LEVELS = 255
PART = 1 << 14
"""Positions whose sums stay in the innermost cache while planes are added to them."""


@kernel
def weigh(level: np.uint8, factor: np.uint16, shift: np.uint16) -> np.uint16:
    """A level times factor ÷ 2^shift, rounded up, in 16 bits: at least 1 unless the level is 0.

    Bounds: `QueryWeights` chooses factors and shifts so that no step exceeds 16 bits, and shifts below 16. The loops
    are vectorized in 16 bits only because `bits` is visibly below 16.
    """
    bits = np.uint16(shift & np.uint16(15))
    product = np.uint16(np.uint16(level) * factor)
    return np.uint16(np.uint16(product + np.uint16((np.uint16(1) << bits) - np.uint16(1))) >> bits)


@kernel
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


@kernel
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


@kernel
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


@kernel
def bound_blocks(
    low: NDArray[np.uint16],
    levels: NDArray[np.uint8],
    pages: NDArray[np.uint32],
    maxima: NDArray[np.uint8],
    starts: NDArray[np.int64],
    slots: NDArray[np.int64],
    frequent: NDArray[np.int64],
    factors: NDArray[np.uint16],
    shifts: NDArray[np.uint16],
    blocks: NDArray[np.uint16],
    groups: NDArray[np.uint16],
) -> None:
    """Add the weighted maximum of each term in each block; then take the largest of the blocks of each group.

    Bounds: as in `add_terms`; `maxima` has as many columns as `blocks` has places, and a group has four blocks.
    """
    for i in range(len(starts)):
        factor, shift = factors[i], shifts[i]
        if frequent[i] >= 0:
            most = maxima[frequent[i]]
            for b in range(len(blocks)):
                blocks[b] += weigh(most[b], factor, shift)
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
                blocks[first + np.int64(block)] += weigh(top, factor, shift)
    for g in range(len(groups)):
        b = g * BLOCKS_IN_GROUP
        groups[g] = max(max(blocks[b], blocks[b + 1]), max(blocks[b + 2], blocks[b + 3]))


@kernel
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
    factors: NDArray[np.uint16],
    shifts: NDArray[np.uint16],
    groups: NDArray[np.int64],
    scores: NDArray[np.uint16],
) -> int:
    """Score the positions of some groups, in ascending order; return the number of postings that were added.

    Bounds: as in `add_terms`; `groups` are numbers of groups, and `scores` has 256 places for each.
    """
    added, number = 0, offsets.shape[1]
    for i in range(len(starts)):
        factor, shift = factors[i], shifts[i]
        if plane[i] >= 0:
            for n in range(len(groups)):
                some = scores[n << GROUP_BITS : (n + 1) << GROUP_BITS]
                every = planes[plane[i], groups[n] << GROUP_BITS : (groups[n] + 1) << GROUP_BITS]
                for j in range(len(every)):
                    some[j] += weigh(every[j], factor, shift)
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
                some[rows[j] & np.uint16(255)] += weigh(impact[j], factor, shift)
            added += end - start
    return added


@kernel
def add_terms(  # noqa: C901 - one loop over planes, one over postings
    low: NDArray[np.uint16],
    levels: NDArray[np.uint8],
    pages: NDArray[np.uint32],
    planes: NDArray[np.uint8],
    starts: NDArray[np.int64],
    slots: NDArray[np.int64],
    plane: NDArray[np.int64],
    factors: NDArray[np.uint16],
    shifts: NDArray[np.uint16],
    anew: int,
    sums: NDArray[np.uint16],
) -> None:
    """Add all postings of terms to the sums of their positions, page by page, so that the sums stay in the cache.

    The sums begin at 0 if `anew` is not 0, and as they are otherwise. Terms that are planes come first: four are added
    at a time, which takes half as long as one by one.

    Bounds: `starts`, `slots` and `plane` come from `CompactLayer.locate`; a plane has whole groups, all of them equally
    many; the pages of a slot are the starts of pages in the postings of its term, and `sums` has 65,536 places for
    each.
    """
    first = 0
    while first < len(plane) and plane[first] >= 0:
        first += 1
    for page in range(pages.shape[1] - 1):
        for part in range(page << PAGE_BITS, (page + 1) << PAGE_BITS, PART):
            some = sums[part : part + PART]
            if anew != 0:
                some[:] = 0
            for i in range(0, first & ~3, 4):
                w, x, y, z = factors[i], factors[i + 1], factors[i + 2], factors[i + 3]
                by_w, by_x, by_y, by_z = shifts[i], shifts[i + 1], shifts[i + 2], shifts[i + 3]
                one, two = planes[plane[i], part : part + PART], planes[plane[i + 1], part : part + PART]
                three, four = planes[plane[i + 2], part : part + PART], planes[plane[i + 3], part : part + PART]
                for j in range(len(one)):
                    some[j] += (
                        weigh(one[j], w, by_w)
                        + weigh(two[j], x, by_x)
                        + weigh(three[j], y, by_y)
                        + weigh(four[j], z, by_z)
                    )
            for i in range(first & ~3, first):
                factor, shift = factors[i], shifts[i]
                every = planes[plane[i], part : part + PART]
                for j in range(len(every)):
                    some[j] += weigh(every[j], factor, shift)
        whole = sums[page << PAGE_BITS : (page + 1) << PAGE_BITS]
        for i in range(first, len(starts)):
            factor, shift = factors[i], shifts[i]
            start = starts[i] + np.int64(pages[slots[i], page])
            end = starts[i] + np.int64(pages[slots[i], page + 1])
            row, level = low[start:end], levels[start:end]
            fours = len(row) & ~3
            for j in range(0, fours, 4):
                a, b, c, d = row[j], row[j + 1], row[j + 2], row[j + 3]
                at_a = whole[a] + weigh(level[j], factor, shift)
                at_b = whole[b] + weigh(level[j + 1], factor, shift)
                at_c = whole[c] + weigh(level[j + 2], factor, shift)
                at_d = whole[d] + weigh(level[j + 3], factor, shift)
                whole[a] = np.uint16(at_a)
                whole[b] = np.uint16(at_b)
                whole[c] = np.uint16(at_c)
                whole[d] = np.uint16(at_d)
            for j in range(fours, len(row)):
                whole[row[j]] += weigh(level[j], factor, shift)


@kernel
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
    factors: NDArray[np.uint16],
    shifts: NDArray[np.uint16],
    after: NDArray[np.int64],
    threshold: int,
    positions: NDArray[np.int64],
    sums: NDArray[np.uint16],
    looked: NDArray[np.int64],
) -> int:
    """Add further terms to the sums of positions, term by term, and drop those that cannot reach a threshold.

    `after` is what the terms after each can add at most. Returns the number of positions left; `looked[0]` is raised by
    the number of look-ups.

    Bounds: as in `add_terms` and `score_groups`; positions are below the number of rows, and have one sum each.
    """
    found, groups = len(positions), offsets.shape[1]
    for i in range(len(starts)):
        factor, shift = factors[i], shifts[i]
        looked[0] += found
        left = 0
        if plane[i] >= 0:
            every = planes[plane[i]]
            for n in range(found):  # without a branch that depends on the data
                position = positions[n]
                total = np.uint16(sums[n] + weigh(every[position], factor, shift))
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
                total = np.uint16(total + weigh(levels[start], factor, shift))
            if np.int64(total) + after[i] >= threshold:
                positions[left] = position
                sums[left] = total
                left += 1
        found = left
    return found


@kernel
def collect_positions(
    sums: NDArray[np.uint16], eligible: NDArray[np.bool_], threshold: int, positions: NDArray[np.int64]
) -> int:
    """Collect the eligible positions whose sums reach a threshold, ascending; their number.

    Every position is eligible if `eligible` is empty. Most blocks have none: their largest sum shows it.

    Bounds: `positions` is as long as `sums`, and so is `eligible` unless it is empty.
    """
    found, every, least = 0, len(eligible) == 0, np.uint16(threshold)
    for first in range(0, len(sums), BLOCK):
        block = sums[first : first + BLOCK]
        most = np.uint16(0)
        for j in range(len(block)):
            most = max(most, block[j])
        if most >= least:
            for j in range(len(block)):
                if block[j] >= least and (every or eligible[first + j]):
                    positions[found] = first + j
                    found += 1
    return found


@kernel
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
