"""Which segments `add` merges, so that there are few of them however often something is added.

A segment's tier is the power of ten of its documents: 1–9, 10–99, 100–999 … What is added takes in the segments before
it that are of a lower tier, and all up to its own tier once there are ten; then the same is asked of what has become of
them. So tiers never rise from older to newer, no tier has ten segments, and n documents are in at most
9 · (1 + log₁₀ n) segments; documents that are replaced make segments smaller, not more. A document is written once when
it is added, and again only when its tier rises: at most 1 + log₁₀ n times (after O'Neil et al., The log-structured
merge-tree, Acta Informatica 1996).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH = 10


def tier_of(documents: int) -> int:
    """The power of ten of a number of documents; −1 for a segment all of whose documents were replaced."""
    return len(str(documents)) - 1 if documents else -1


def first_to_merge(sizes: Sequence[int]) -> int:
    """The first of the segments that become one with the newest; the newest itself where nothing is to be merged.

    `sizes` are the documents of each segment that still count, the oldest first.
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
        ):  # one that lost documents since may be of a lower tier
            same -= 1
        if begin - same + 1 >= WIDTH:
            size += sum(sizes[same:begin])
            begin = same
        if begin == first:
            return first
        first = begin
