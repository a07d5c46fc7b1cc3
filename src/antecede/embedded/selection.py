"""Which documents of an index in a folder pass filters: a mask over the documents of each segment."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from antecede.conditions.filters import DATE, DROP, NO_TEXT, UNKNOWN_DATE, Coverage
from antecede.embedded.evaluation import DateBounds, find_documents
from antecede.parallel import counting_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from antecede.arrays import Ints, Mask
    from antecede.conditions.filters import Filters
    from antecede.embedded.engine import EmbeddedEngine
    from antecede.engine import Selection
    from antecede.index.index import Segment


class MaskSelection:
    """The documents that pass filters; each segment is looked at when it is first asked for."""

    def __init__(self, engine: EmbeddedEngine, filters: Filters) -> None:
        self.engine, self.filters = engine, filters
        self._masks: dict[str, Mask | None] = {}
        self._rows: dict[tuple[str, int], Mask | None] = {}

    def mask(self, segment: Segment) -> Mask | None:
        """Which documents of a segment pass, by their numbers in it; None if all do."""
        if segment.name not in self._masks:
            all_pass = not self.filters.conditions and not len(segment.deleted)
            self._masks[segment.name] = None if all_pass else self.apply(segment, Counter())
        return self._masks[segment.name]

    def rows(self, language: str, at: int) -> Mask | None:
        """Which rows of a matrix of a language pass; None if all do."""
        key = language, at
        if key not in self._rows:
            segment, matrix = self.engine.matrices(language)[at]
            mask = self.mask(segment)
            is_same = mask is None or matrix.rows == segment.documents
            self._rows[key] = mask if is_same or mask is None else mask[matrix.documents]
        return self._rows[key]

    def apply(self, segment: Segment, excluded: Counter[str]) -> Mask:
        """The documents of a segment that pass; the others are counted by the first condition that excludes them."""
        left = segment.live.copy()
        for name, mask in self.stages(segment):
            before = int(left.sum())
            left &= mask
            excluded[name] += before - int(left.sum())
        return left

    def stages(self, segment: Segment) -> Iterator[tuple[str, Mask]]:
        """Each condition by name, with the documents of a segment that meet it, whatever the others say."""
        for condition in self.filters.conditions:
            if condition.name == DATE:  # what is within the bounds or of unknown date, at once
                yield condition.name, self._bounds(segment).passed
            elif condition.name == UNKNOWN_DATE:
                yield condition.name, ~self._bounds(segment).unknown
            else:
                with counting_time(self.engine.prepare):
                    mask = find_documents(self.engine, segment, condition.node)
                yield condition.name, mask

    def _bounds(self, segment: Segment) -> DateBounds:
        return DateBounds(segment, self.filters.before, self.filters.after)

    def contains(self, numbers: Ints) -> Mask:
        met = np.ones(len(numbers), np.bool_)
        for here, segment, own in self.engine.split(numbers):
            mask = self.mask(segment)
            if mask is not None:
                met[here] = mask[own]
        return met

    def count(self, language: str) -> int:
        masks = (self.rows(language, at) for at in range(len(self.engine.matrices(language))))
        rows = (matrix.rows for _, matrix in self.engine.matrices(language))
        return sum(size if mask is None else int(mask.sum()) for mask, size in zip(masks, rows, strict=True))

    def names(self, without: Iterable[str], most: int) -> list[str]:
        excluded, names = {*without}, list[str]()
        for segment in self.engine.segments if most > 0 else ():
            mask = self.mask(segment)
            live = np.flatnonzero(segment.live if mask is None else mask).astype(np.int64)
            names += (name for name in segment.doc_ids(live) if name not in excluded)
        return sorted(names)[: max(0, most)]

    def coverage(self, languages: Sequence[str]) -> Coverage:
        passed, elsewhere, undated, by_year = 0, 0, 0, 0
        by_language, excluded = Counter[str](), Counter[str]()
        for segment in self.engine.segments:
            left = self.apply(segment, excluded)
            passed += int(left.sum())
            if self.filters.dated:
                bounds = self._bounds(segment)
                by_year += bounds.by_year
                undated += int((left & bounds.unknown).sum()) if self.filters.undated != DROP else 0
            for language in languages:
                for owner, matrix in self.engine.matrices(language):
                    if owner is segment:
                        left[matrix.documents] = False
            elsewhere += int(left.sum())
            if left.any():
                by_language.update(
                    {language: int(left[matrix.documents].sum()) for language, matrix in segment.matrices.items()}
                )
                for matrix in segment.matrices.values():
                    left[matrix.documents] = False
                by_language[NO_TEXT] += int(left.sum())
        known = {language: count for language, count in by_language.most_common() if count}
        return Coverage(tuple(languages), passed - elsewhere, elsewhere, known, dict(+excluded), undated, by_year)


def of_engine(selection: Selection) -> MaskSelection:
    """A selection as this engine made it."""
    if not isinstance(selection, MaskSelection):
        raise TypeError("the selection is one of another engine")
    return selection
