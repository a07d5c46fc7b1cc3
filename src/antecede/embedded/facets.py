"""Facets of an index in a folder: how many documents of each segment have each value of a field."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from antecede.conditions.classes import child_of
from antecede.conditions.fields import DAYS, FACETS, UNKNOWN, WORDS, own_conditions
from antecede.engine import LATEST_DAY, FacetTotals, split_values
from antecede.index.documents import LISTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from antecede.arrays import Ints, Mask
    from antecede.conditions.fields import Field
    from antecede.conditions.filters import Filters
    from antecede.embedded.engine import EmbeddedEngine
    from antecede.index.index import Segment

_CACHE_KEY, _WRITTEN_KEY = "facets", "facets: names"
_LOCK = threading.Lock()


class FacetColumn:
    """The values of one attribute of the documents of a segment: pairs of document and value."""

    def __init__(self, lists: Iterable[Sequence[str]]) -> None:
        known: dict[str, int] = {}
        numbers: list[int] = []
        values: list[int] = []
        for number, texts in enumerate(lists):
            for value in texts:
                numbers.append(number)
                values.append(known.setdefault(value, len(known)))
        self.names = tuple(known)
        self.numbers, self.values = np.array(numbers, np.int64), np.array(values, np.int64)

    def count(self, mask: Mask, groups: Sequence[str | None] | None = None) -> Counter[str]:
        """Value → documents of a mask that have it; with `groups`, a name for each value, by name, None for none."""
        chosen = mask[self.numbers]
        numbers, values, names = self.numbers[chosen], self.values[chosen], self.names
        if groups is not None:
            names = tuple(dict.fromkeys(group for group in groups if group is not None))
            place = {name: at for at, name in enumerate(names)}
            nodes = np.array([place.get(group or "", -1) for group in groups], np.int64)[values]
            inside = nodes >= 0
            values = np.unique(numbers[inside] * len(names) + nodes[inside]) % max(1, len(names))
        counts = np.bincount(values, minlength=len(names))
        return Counter({names[at]: int(counts[at]) for at in np.flatnonzero(counts).tolist()})


class SegmentColumns:
    """The fields of the documents of a segment that facets count, loaded once."""

    def __init__(self, segment: Segment) -> None:
        fields = [field for field in FACETS.values() if field.match != DAYS]
        rows = segment.store.rows(f"{segment.store.select(field.column for field in fields)} ORDER BY number")
        self.forms: dict[str, dict[str, Counter[str]]] = {}
        """Facet → value of a name → how it is written, and how often, in documents that were not replaced."""
        self.live, self.name_key = segment.live, segment.store.name_key
        values = zip(*rows, strict=True) if rows else ([] for _ in fields)
        self.columns = {field.facet: self._column(field, [*own]) for field, own in zip(fields, values, strict=True)}
        self.years = years_of(segment)

    def _column(self, field: Field, values: Sequence[str | None]) -> FacetColumn:
        if field.match == WORDS:
            return self._names(field, values)
        if field.column in LISTS:
            return FacetColumn(split_values(value) for value in values)
        return FacetColumn((value or UNKNOWN,) for value in values)

    def _names(self, field: Field, values: Sequence[str | None]) -> FacetColumn:
        forms: dict[str, Counter[str]] = {}
        keys: list[list[str]] = []
        for value, live in zip(values, self.live.tolist(), strict=True):
            names = {self.name_key(name): name for name in split_values(value)}
            for key, name in names.items() if live else ():
                forms.setdefault(key, Counter())[name] += 1
            keys.append([*names])
        self.forms[field.facet] = forms
        return FacetColumn(keys)

    def count(self, field: Field, mask: Mask, node: str) -> Counter[str]:
        """Value → documents of a mask that have it; below a node of a tree."""
        if field.match == DAYS:
            years, counts = np.unique(self.years[mask], return_counts=True)
            return Counter(dict(zip(map(str, years.tolist()), counts.tolist(), strict=True)))
        column = self.columns[field.facet]
        return column.count(mask, [child_of(node, code) for code in column.names] if field.tree else None)


def years_of(segment: Segment) -> Ints:
    """The year from which each document is prior art, else the year in its number, else 0."""
    days = segment.first_days.astype("datetime64[D]")
    years = days.astype("datetime64[Y]").astype(np.int64) + 1970
    years[segment.last_days == LATEST_DAY] = 0
    return years


def _columns_of(engine: EmbeddedEngine, segment: Segment) -> SegmentColumns:
    with _LOCK:
        known: dict[str, SegmentColumns] = engine.cache.setdefault(_CACHE_KEY, {})
        if segment.name not in known:
            known[segment.name] = SegmentColumns(segment)
        return known[segment.name]


def _written_names(engine: EmbeddedEngine) -> dict[str, dict[str, str]]:
    """Facet → how the value of a name is written most often."""
    known: dict[str, dict[str, str]] | None = engine.cache.get(_WRITTEN_KEY)
    if known is None:
        forms: dict[str, dict[str, Counter[str]]] = {}
        for segment in engine.segments:
            for facet, own in _columns_of(engine, segment).forms.items():
                every = forms.setdefault(facet, {})
                for key, written in own.items():
                    every[key] = every[key] + written if key in every else written
        known = engine.cache[_WRITTEN_KEY] = {
            facet: {key: min(each, key=lambda name: (-each[name], name)) for key, each in every.items()}
            for facet, every in forms.items()
        }
    return known


def count_facets(
    engine: EmbeddedEngine,
    filters: Filters,
    languages: Sequence[str] | None,
    retrieved: Sequence[str],
    nodes: Mapping[str, str],
) -> FacetTotals:
    totals: dict[str, tuple[Counter[str], Counter[str]]] = {name: (Counter(), Counter()) for name in FACETS}
    sums = [0, 0]
    selection = engine.select(filters)
    for segment in engine.segments:
        columns = _columns_of(engine, segment)
        base = segment.live & _searched_documents(engine, segment, languages)
        stages = list(selection.stages(segment))
        is_retrieved = np.zeros(segment.documents, np.bool_)
        is_retrieved[segment.store.numbers_with("doc_id", *retrieved)] = True
        passed = base.copy()
        for _, mask in stages:
            passed &= mask
        sums[0] += int(passed.sum())
        sums[1] += int((passed & is_retrieved).sum())
        for name, field in FACETS.items():
            own, mask = own_conditions(field), base.copy()
            for stage, met in stages:
                if stage not in own:
                    mask &= met
            for counter, chosen in zip(totals[name], (mask, mask & is_retrieved), strict=True):
                counter.update(columns.count(field, chosen, nodes.get(name, "")))
    return FacetTotals(sums[0], sums[1], totals, _written_names(engine))


def _searched_documents(engine: EmbeddedEngine, segment: Segment, languages: Sequence[str] | None) -> Mask:
    if languages is None:
        return np.ones(segment.documents, np.bool_)
    mask = np.zeros(segment.documents, np.bool_)
    for matrix in (matrix for language in languages for owner, matrix in engine.matrices(language) if owner is segment):
        mask[matrix.documents] = True
    return mask
