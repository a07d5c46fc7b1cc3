"""How many documents there are of each year, office, language, applicant and class, under the filters of a search.

Each facet counts the documents that pass all filters but its own, so that it shows what another choice would give; and
those of them that a ranking retrieved.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.conditions.filters import Filters, parse_class_prefix
from antecede.index.documents import LATEST_DAY, name_key, split_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.index.index import Segment

CACHE_KEY = "facets"
MOST_APPLICANTS = 50
LEVELS = ("section", "class", "subclass", "group", "subgroup")
CLASSIFICATIONS = ("ipc", "cpc")
NO_FILTERS = Filters()
OWN_FILTERS = {
    "years": ("date", "undated"),
    "offices": ("country",),
    "languages": ("language",),
    "applicants": ("applicant",),
    "ipc": ("ipc",),
    "cpc": ("cpc",),
}
"""The filters that a facet sets, which it disregards."""
_LOCK = threading.Lock()
_by_value = attrgetter("value")


def _by_size(count: Count) -> tuple[int, str]:
    return -count.documents, count.value


@dataclass(frozen=True)
class Count:
    """The number of documents of one value of a facet."""

    value: str
    documents: int
    results: int
    """Among the documents that a ranking retrieved."""


@dataclass(frozen=True)
class ClassCount(Count):
    """The number of documents of a class."""

    level: str
    children: bool
    """Whether it has subclasses."""


@dataclass(frozen=True)
class Facets:
    """The counts of a search."""

    documents: int
    """Documents that pass all filters."""
    results: int
    years: tuple[Count, ...]
    offices: tuple[Count, ...]
    languages: tuple[Count, ...]
    """Languages of the proceedings."""
    undated: Count
    """Documents with neither a date nor a year in their number."""
    applicants: tuple[Count, ...]
    """The most frequent ones."""
    ipc: tuple[ClassCount, ...]
    """The classes below one node of the tree."""
    cpc: tuple[ClassCount, ...]


@dataclass(frozen=True)
class FacetTotals:
    """What an engine counts."""

    documents: int
    results: int
    totals: dict[str, tuple[Counter[str], Counter[str]]]
    """Facet → documents, and documents among the results, by value; a year 0 counts documents without one."""
    written: Mapping[str, str]
    """How the name of each applicant is written most often, by its key."""


def empty_totals() -> dict[str, tuple[Counter[str], Counter[str]]]:
    return {name: (Counter(), Counter()) for name in OWN_FILTERS}


class FacetColumn:
    """The values of one attribute of the documents of a segment: pairs of document and value."""

    def __init__(self, lists: Iterable[Sequence[str]]) -> None:
        known: dict[str, int] = {}
        numbers: list[int] = []
        values: list[int] = []
        for number, each in enumerate(lists):
            for value in each:
                numbers.append(number)
                values.append(known.setdefault(value, len(known)))
        self.names = tuple(known)
        self.numbers, self.values = np.array(numbers, np.int64), np.array(values, np.int64)

    def count(self, mask: NDArray[np.bool_], groups: Sequence[str | None] | None = None) -> Counter[str]:
        """Value → documents of a mask that have it; with `groups`, a name for each value, by name, None for none."""
        chosen = mask[self.numbers]
        numbers, values, names = self.numbers[chosen], self.values[chosen], self.names
        if groups is not None:
            names = tuple(dict.fromkeys(group for group in groups if group is not None))
            place = {name: at for at, name in enumerate(names)}
            nodes = np.array([place.get(group or "", -1) for group in groups], np.int64)[values]
            inside = nodes >= 0
            values = np.unique(numbers[inside] * len(names) + nodes[inside]) % max(1, len(names))
        found = np.bincount(values, minlength=len(names))
        return Counter({names[at]: int(found[at]) for at in np.flatnonzero(found).tolist()})


class SegmentColumns:
    """The attributes of the documents of a segment that facets count, loaded once."""

    def __init__(self, segment: Segment) -> None:
        columns = "number, country, language, ipc, cpc, applicants"
        rows = segment.store.rows(f"SELECT {columns} FROM documents ORDER BY number")  # noqa: S608
        self.offices = FacetColumn([(row[1],) if row[1] else ("unknown",) for row in rows])
        self.languages = FacetColumn([(row[2],) if row[2] else ("unknown",) for row in rows])
        self.ipc = FacetColumn([split_values(row[3]) for row in rows])
        self.cpc = FacetColumn([split_values(row[4]) for row in rows])
        written: dict[str, Counter[str]] = {}
        keys: list[list[str]] = []
        for row in rows:
            names = {name_key(name): name for name in split_values(row[5])}
            for key, name in names.items():
                written.setdefault(key, Counter())[name] += 1
            keys.append(list(names))
        self.applicants = FacetColumn(keys)
        self.written = {key: min(each, key=lambda name: (-each[name], name)) for key, each in written.items()}
        """How the name of each applicant is written most often."""
        self.years = years_of(segment)


def years_of(segment: Segment) -> NDArray[np.int64]:
    """The year from which each document is prior art, else the year in its number, else 0."""
    days = segment.first_days.astype("datetime64[D]")
    years = days.astype("datetime64[Y]").astype(np.int64) + 1970
    years[segment.last_days == LATEST_DAY] = 0
    return years


def _columns_of(index: Index, segment: Segment) -> SegmentColumns:
    with _LOCK:
        known: dict[str, SegmentColumns] = index.cache.setdefault(CACHE_KEY, {})
        if segment.name not in known:
            known[segment.name] = SegmentColumns(segment)
        return known[segment.name]


def count_facets(
    index: Index,
    filters: Filters = NO_FILTERS,
    *,
    languages: Sequence[str] | None = None,
    retrieved: Iterable[str] = (),
    ipc: str = "",
    cpc: str = "",
    applicant: str = "",
) -> Facets:
    """Count the documents of each value of every facet.

    Args:
        index: The index, from `open_index`.
        filters: The filters of the search.
        languages: Only documents with text in these languages; by default all.
        retrieved: The documents that a ranking retrieved.
        ipc: The node of the IPC tree whose children are counted; by default the root.
        cpc: The same for the CPC tree.
        applicant: Only applicants whose names contain this.
    """
    nodes = {"ipc": _check_node(ipc), "cpc": _check_node(cpc)}
    engine: Any = index  # a cluster counts itself
    count = engine.count_facets if index.on_cluster else partial(_count_segments, index)
    found: FacetTotals = count(filters, languages, tuple(retrieved), nodes)
    counts = {
        name: sorted((Count(value, number, results[value]) for value, number in documents.items()), key=_by_value)
        for name, (documents, results) in found.totals.items()
    }
    undated = next((year for year in counts["years"] if year.value == "0"), Count("0", 0, 0))
    applicants = [replace(count, value=found.written[count.value]) for count in counts["applicants"]]
    applicants = [count for count in applicants if applicant.casefold() in count.value.casefold()]
    return Facets(
        documents=found.documents,
        results=found.results,
        years=tuple(sorted((year for year in counts["years"] if year != undated), key=lambda year: int(year.value))),
        undated=Count("undated", undated.documents, undated.results),
        offices=tuple(sorted(counts["offices"], key=_by_size)),
        languages=tuple(sorted(counts["languages"], key=_by_size)),
        applicants=tuple(sorted(applicants, key=_by_size)[:MOST_APPLICANTS]),
        ipc=tuple(map(_class_count, counts["ipc"])),
        cpc=tuple(map(_class_count, counts["cpc"])),
    )


def _count_segments(
    index: Index,
    filters: Filters,
    languages: Sequence[str] | None,
    retrieved: tuple[str, ...],
    nodes: Mapping[str, str],
) -> FacetTotals:
    totals = empty_totals()
    sums = [0, 0]
    written: dict[str, str] = {}
    for segment in index.segments:
        columns = _columns_of(index, segment)
        base = segment.live & _searched_documents(index, segment, languages)
        stages = list(filters.stages(segment))
        found = np.zeros(segment.documents, np.bool_)
        found[segment.store.numbers_with("doc_id", *retrieved)] = True
        passed = base.copy()
        for _, mask in stages:
            passed &= mask
        sums[0] += int(passed.sum())
        sums[1] += int((passed & found).sum())
        for name, own in OWN_FILTERS.items():
            mask = base.copy()
            for stage, each in stages:
                if stage not in own:
                    mask &= each
            for counter, chosen in zip(totals[name], (mask, mask & found), strict=True):
                counter.update(_count_values(columns, name, chosen, nodes.get(name, "")))
        written |= {key: name for key, name in columns.written.items() if key not in written}
    return FacetTotals(sums[0], sums[1], totals, written)


def _count_values(columns: SegmentColumns, name: str, mask: NDArray[np.bool_], node: str) -> Counter[str]:
    if name == "years":
        years, found = np.unique(columns.years[mask], return_counts=True)
        return Counter(dict(zip(map(str, years.tolist()), found.tolist(), strict=True)))
    column: FacetColumn = getattr(columns, name)
    if name in CLASSIFICATIONS:
        return column.count(mask, [child_of(node, code) for code in column.names])
    return column.count(mask)


def _searched_documents(index: Index, segment: Segment, languages: Sequence[str] | None) -> NDArray[np.bool_]:
    if languages is None:
        return np.ones(segment.documents, np.bool_)
    mask = np.zeros(segment.documents, np.bool_)
    for matrix in (matrix for each in languages for owner, matrix in index.matrices(each) if owner is segment):
        mask[matrix.documents] = True
    return mask


def _check_node(text: str) -> str:
    """A node of a class tree in normal form; the root is empty."""
    return parse_class_prefix(text).rstrip("/") if text.strip() else ""


def levels_of(code: str) -> tuple[str, ...]:
    """The nodes above a code, and the code itself: `H`, `H04`, `H04L`, `H04L 12`, `H04L 12/56`."""
    subclass, _, rest = code.partition(" ")
    group = f"{subclass} {rest.partition('/')[0]}" if rest else ""
    nodes = (code[:1], code[:3], subclass, group, code)
    return tuple(dict.fromkeys(node for node in nodes if node))


def level_of(node: str) -> str:
    if "/" in node:
        return LEVELS[4]
    return LEVELS[3] if " " in node else {1: LEVELS[0], 3: LEVELS[1]}.get(len(node), LEVELS[2])


def _class_count(count: Count) -> ClassCount:
    level = level_of(count.value)
    return ClassCount(count.value, count.documents, count.results, level, level != LEVELS[-1])


def child_of(node: str, code: str) -> str | None:
    """The child of a node that a code lies in; None where it does not lie in the node."""
    above = ("", *levels_of(code))
    if node not in above:
        return None
    at = above.index(node) + 1
    return above[at] if at < len(above) else None


@dataclass(frozen=True)
class CollectionCoverage:
    """What an index contains, and so what it does not."""

    documents: int
    dated: int
    by_year_in_number: int
    """Documents without a date but with a year in their number; they are not among `dated`."""
    undated: int
    """Documents with neither."""
    years: dict[str, int]
    offices: dict[str, int]
    proceedings: dict[str, int]
    """Language of the proceedings → documents."""
    languages: dict[str, int]
    """Language → documents with text in it; one with text in several counts in each."""

    def to_dict(self) -> dict[str, Any]:
        return dict(self.__dict__)


def cover_collection(index: Index) -> CollectionCoverage:
    """Count what an index contains by year, office and language."""
    facets = count_facets(index)
    unknown = index.without_day
    return CollectionCoverage(
        documents=facets.documents,
        dated=facets.documents - unknown,
        by_year_in_number=unknown - facets.undated.documents,
        undated=facets.undated.documents,
        years={each.value: each.documents for each in facets.years},
        offices={each.value: each.documents for each in facets.offices},
        proceedings={each.value: each.documents for each in facets.languages},
        languages={language or "unknown": index.documents_in(language) for language in index.languages},
    )
