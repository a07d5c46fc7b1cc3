"""Decides which segments `add` merges, so that there are few of them however often documents are added.

The tier of a segment is the order of magnitude of its number of documents: 1–9, 10–99, 100–999 … A new segment absorbs
the segments before it that are of a lower tier, and all up to its own tier once there are ten of them; the rule is then
applied again to the result. Tiers therefore never increase from older to newer segments, no tier has ten segments, and
n documents are in at most 9 · (1 + log₁₀ n) segments; replaced documents make segments smaller, not more numerous. A
document is written once when it is added, and again only when its tier increases: at most 1 + log₁₀ n times (after
O'Neil et al., The log-structured merge-tree, Acta Informatica 1996).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH = 10


def tier_of(documents: int) -> int:
    """The tier of a number of documents; −1 for a segment all of whose documents were replaced."""
    return len(str(documents)) - 1 if documents else -1


def first_to_merge(sizes: Sequence[int]) -> int:
    """The first of the segments to merge with the newest; the newest itself where there is nothing to merge.

    `sizes` are the numbers of live documents of each segment, oldest first.
    """
    first = len(sizes) - 1
    size = sizes[first]
    while True:
        begin = first
        while begin and tier_of(sizes[begin - 1]) < tier_of(size):
            begin -= 1
            size += sizes[begin]
        same = begin
        while same and tier_of(sizes[same - 1]) <= tier_of(
            size
        ):  # a segment that lost documents may be of a lower tier
            same -= 1
        if begin - same + 1 >= WIDTH:
            size += sum(sizes[same:begin])
            begin = same
        if begin == first:
            return first
        first = begin
