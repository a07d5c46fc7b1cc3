"""How many documents there are of each year, office, language, applicant and class, under the filters of a search.

Each facet counts the documents that pass all filters but its own, so that it shows what another choice would give; and
those of them that a ranking retrieved.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from antecede.conditions.classes import TREE, level_of
from antecede.conditions.fields import DAYS, FACETS, WORDS
from antecede.conditions.filters import Filters
from antecede.conditions.values import parse_class_prefix

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from antecede.conditions.fields import Field
    from antecede.engine import Engine, FacetTotals

MAX_NAMES = 50
"""Names of people that are shown, the most frequent ones."""
NO_FILTERS = Filters()


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
    undated: Count
    """Documents with neither a date nor a year in their number."""
    values: Mapping[str, tuple[Count, ...]]
    """Facet (`ipc`, `offices`, …) → its values; of names the most frequent, of classes those below one node."""

    def to_dict(self) -> dict[str, Any]:
        """The counts in a JSON-compatible form."""
        plain = asdict(self)
        return {**plain, **plain.pop("values")}


def count_facets(
    engine: Engine,
    filters: Filters = NO_FILTERS,
    *,
    languages: Sequence[str] | None = None,
    retrieved: Iterable[str] = (),
    nodes: Mapping[str, str] | None = None,
    containing: Mapping[str, str] | None = None,
) -> Facets:
    """Count the documents of each value of every facet.

    Args:
        engine: The index, from `open_index`.
        filters: The filters of the search.
        languages: Only documents with text in these languages; by default all.
        retrieved: The documents that a ranking retrieved.
        nodes: Facet → the node of a tree of classes whose children are counted; by default the root.
        containing: Facet → what the names that are counted contain.
    """
    # A node in normal form; the root is empty.
    below = {name: parse_class_prefix(node).rstrip("/") if node.strip() else "" for name, node in (nodes or {}).items()}
    facets = engine.facets(filters, languages, tuple(retrieved), below)
    years = _read_counts(facets, FACETS["years"])
    undated = next((year for year in years if year.value == "0"), Count("0", 0, 0))
    named = containing or {}
    return Facets(
        documents=facets.documents,
        results=facets.results,
        years=tuple(sorted((year for year in years if year != undated), key=lambda year: int(year.value))),
        undated=Count("undated", undated.documents, undated.results),
        values={
            name: _choose(field, _read_counts(facets, field), named.get(name, ""))
            for name, field in FACETS.items()
            if field.match != DAYS
        },
    )


def _read_counts(facets: FacetTotals, field: Field) -> list[Count]:
    documents, results = facets.totals[field.facet]
    written = facets.written.get(field.facet, {})
    counts = (Count(written.get(value, value), number, results[value]) for value, number in documents.items())
    return sorted(counts, key=attrgetter("value"))


def _choose(field: Field, counts: Sequence[Count], containing: str) -> tuple[Count, ...]:
    if field.tree:
        levels = [level_of(count.value) for count in counts]
        return tuple(
            ClassCount(count.value, count.documents, count.results, level, level != TREE[-1])
            for count, level in zip(counts, levels, strict=True)
        )
    most = MAX_NAMES if field.match == WORDS else None
    kept = (count for count in counts if containing.casefold() in count.value.casefold())
    return tuple(sorted(kept, key=lambda count: (-count.documents, count.value))[:most])


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
        return asdict(self)


def cover_collection(index: Engine) -> CollectionCoverage:
    """Count what an index contains by year, office and language."""
    facets = count_facets(index)
    unknown = index.without_day
    return CollectionCoverage(
        documents=facets.documents,
        dated=facets.documents - unknown,
        by_year_in_number=unknown - facets.undated.documents,
        undated=facets.undated.documents,
        years={year.value: year.documents for year in facets.years},
        offices={value.value: value.documents for value in facets.values["offices"]},
        proceedings={value.value: value.documents for value in facets.values["languages"]},
        languages={language or "unknown": index.documents_in(language) for language in index.languages},
    )
