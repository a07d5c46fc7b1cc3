"""How many documents pass filters: by language, by the filter that excludes them, by what is known of their dates."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from antecede.index.filters import DROP, DateBounds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from antecede.index.filters import Filters
    from antecede.index.index import Index
    from antecede.index.segment import Segment


NO_TEXT = "no text at all"
"""What documents without text in any language are counted under, in place of a language."""


@dataclass(frozen=True)
class Tally:
    """Documents that pass filters, and those that do not."""

    passed: int
    elsewhere: int = 0
    """Those of them without text in one of the languages."""
    others: Mapping[str, int] = field(default_factory=dict)
    """The languages of these, most frequent first; one with text in several counts in each."""
    excluded: Mapping[str, int] = field(default_factory=dict)
    """Filter → documents that it leaves out; one that several leave out counts for the first."""
    undated: int = 0
    """Documents that pass the date bounds because their date is not known."""
    by_year: int = 0
    """Documents without a date that the year in their number admits or excludes."""


def count_documents(index: Index, languages: Sequence[str], filters: Filters) -> Tally:
    """The counts of an index on this machine."""
    passed, elsewhere, undated, by_year = 0, 0, 0, 0
    found, excluded = Counter[str](), Counter[str]()
    for segment in index.segments:
        left = apply(filters, segment, excluded)
        passed += int(left.sum())
        if filters.dated:
            bounds = DateBounds(segment, filters.before, filters.after)
            by_year += bounds.by_year
            undated += int((left & bounds.unknown).sum()) if filters.undated != DROP else 0
        for language in languages:
            for each, matrix in index.matrices(language):
                if each is segment:
                    left[matrix.documents] = False
        elsewhere += int(left.sum())
        if left.any():
            found.update({language: int(left[matrix.documents].sum()) for language, matrix in segment.matrices.items()})
            for matrix in segment.matrices.values():
                left[matrix.documents] = False
            found[NO_TEXT] += int(left.sum())
    known = {language: count for language, count in found.most_common() if count}
    return Tally(passed, elsewhere, known, dict(+excluded), undated, by_year)


def apply(filters: Filters, segment: Segment, excluded: Counter[str]) -> NDArray[np.bool_]:
    """The documents of a segment that pass; those that do not are counted by the first filter that excludes them."""
    left = segment.live.copy()
    for name, mask in filters.stages(segment):
        before = int(left.sum())
        left &= mask
        excluded[name] += before - int(left.sum())
    return left
