"""Facets on a cluster: the counts of `facets.py` by aggregations, of all documents and exact."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, cast

from antecede.conditions.classes import child_of
from antecede.conditions.fields import DAYS, FACETS, UNKNOWN, WORDS, own_conditions
from antecede.conditions.values import name_key
from antecede.engine import EPOCH, FacetTotals
from antecede.errors import InputError
from antecede.index.documents import LISTS
from antecede.opensearch import answers
from antecede.opensearch.clauses import all_of, any_of, none_of
from antecede.opensearch.layout import field_of, key_field, whole_field

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from antecede.conditions.fields import Field
    from antecede.conditions.filters import Filters
    from antecede.opensearch.clauses import Clause
    from antecede.opensearch.engine import ClusterEngine

MAX_NAMES = 50
"""Names that are shown."""
MAX_VALUES = 10_000
"""Values of a facet that are counted exactly; offices and languages are far fewer."""
BATCH_CODES = 10_000
MANY_CODES = 1000
"""Codes from which on a node of a class tree is described by its beginning, if that is exact."""
WRITTEN_FORMS = 200
"""Names that occur with one that is counted, among which its most frequent form is looked for."""
CODES_KEY, YEARS_KEY, WRITTEN_KEY = "facets: codes", "facets: years", "facets: names"
MOST_FREQUENT = [{"_count": "desc"}, {"_key": "asc"}]
NO_YEAR = none_of({"exists": {"field": "day"}}, {"exists": {"field": "year_first"}})


class ClusterFacets:
    def __init__(
        self,
        index: ClusterEngine,
        filters: Filters,
        languages: Sequence[str] | None,
        retrieved: tuple[str, ...],
        nodes: Mapping[str, str],
    ) -> None:
        self.index, self.nodes = index, nodes
        self.name, self.cluster = index.generation.name, index.cluster
        self.base: list[Clause] = []
        if languages is not None:
            self.base.append(any_of({"exists": {"field": field_of("length", language)}} for language in languages))
        self.stages = index.select(filters).stages
        self.retrieved: Clause = {"terms": {"doc_id": list(retrieved)}}

    def count(self) -> FacetTotals:
        facets = {name: self.aggregations(field) for name, field in FACETS.items()}
        filtered = {name: self.both(self.passed(own_conditions(field)), facets[name]) for name, field in FACETS.items()}
        answer = self.aggregate({"everything": self.both(self.passed(()), {}), **filtered}, answers.FACETS)
        totals: dict[str, tuple[Counter[str], Counter[str]]] = {name: (Counter(), Counter()) for name in FACETS}
        written: dict[str, dict[str, str]] = {}
        for name, field in FACETS.items():
            for counter, part in zip(totals[name], (answer[name], answer[name]["retrieved"]), strict=True):
                if missing := facets[name].keys() - part.keys():
                    raise self.cluster.misunderstood(f"{name}: {min(missing)} is missing")
                counter.update(self.read(field, part))
            if field.match == WORDS:
                self.complete_names(field, totals[name])
                written[name] = self.write_names(field, totals[name])
        everything = answer["everything"]
        return FacetTotals(everything["doc_count"], everything["retrieved"]["doc_count"], totals, written)

    def passed(self, own: Iterable[str]) -> Clause:
        return all_of([*self.base, *(clause for name, clause in self.stages if name not in own)])

    def both(self, clause: Clause, inner: dict[str, Any]) -> dict[str, Any]:
        """Aggregations of the documents that meet a condition, and of those of them that were retrieved."""
        return {
            "filter": clause,
            "aggs": {**inner, "retrieved": {"filter": self.retrieved, **({"aggs": inner} if inner else {})}},
        }

    def aggregate(self, aggregations: dict[str, Any], kind: Any) -> dict[str, Any]:
        answer: dict[str, Any] = self.cluster.search(self.name, {"size": 0, "aggs": aggregations}, kind)["aggregations"]
        return answer

    def aggregations(self, field: Field) -> dict[str, Any]:
        if field.match == DAYS:
            first_days = {year: (date(year, 1, 1) - EPOCH).days for year in _years_of(self.index)}
            ranges = [
                {"key": str(year), "from": first, "to": (date(year, 12, 31) - EPOCH).days + 1}
                for year, first in first_days.items()
            ]
            by_number = {"terms": {"field": "year_first", "size": MAX_VALUES}}
            days = {"days": {"range": {"field": "day", "ranges": ranges}}} if ranges else {}
            return {**days, "numbers": by_number, "undated": {"filter": NO_YEAR}}
        if field.tree:
            children = _children_of(_codes_of(self.index, field.column), self.nodes.get(field.facet, ""), field.column)
            return {"values": {"filters": {"filters": children}}} if children else {}
        if field.match == WORDS:
            counted = key_field(field.column)
            return {"values": {"terms": {"field": counted, "size": MAX_VALUES, "order": MOST_FREQUENT}}}
        missing = {} if field.column in LISTS else {"missing": UNKNOWN}
        return {"values": {"terms": {"field": field.column, "size": MAX_VALUES, **missing}}}

    def read(self, field: Field, part: dict[str, Any]) -> Counter[str]:
        if field.match == DAYS:
            return _read_years(part)
        if field.tree:
            classes = part.get("values", {"buckets": {}})["buckets"]
            return +Counter({value: bucket["doc_count"] for value, bucket in classes.items()})
        if field.match != WORDS and part["values"]["sum_other_doc_count"]:
            raise InputError(f"{field.facet}: more than {MAX_VALUES} values", source=self.index.where)
        counts = Counter[str]()
        for bucket in part["values"]["buckets"]:
            counts[bucket["key"] or UNKNOWN] += bucket["doc_count"]
        return counts

    def complete_names(self, field: Field, counts: tuple[Counter[str], Counter[str]]) -> None:
        """Count the names that are shown exactly, where there are more than one answer has."""
        documents, results = counts
        if len(documents) < MAX_VALUES and len(results) < MAX_VALUES:
            return
        chosen = sorted({*results, *documents}, key=lambda key: (-results[key], -documents[key], key))
        keys = chosen[: 2 * MAX_NAMES]
        inner = {"values": {"terms": {"field": key_field(field.column), "size": len(keys), "include": keys}}}
        clause = self.passed(own_conditions(field))
        answer = self.aggregate({"names": self.both(clause, inner)}, answers.NAMES_COUNTED)["names"]
        for counter, part in zip(counts, (answer, answer["retrieved"]), strict=True):
            counter.clear()
            counter.update({each["key"]: each["doc_count"] for each in part["values"]["buckets"]})

    def write_names(self, field: Field, counts: tuple[Counter[str], Counter[str]]) -> dict[str, str]:
        """How the names that are shown are written most often."""
        documents, results = counts
        known: dict[str, str] = self.index.cache.setdefault(f"{WRITTEN_KEY} {field.name}", {})
        shown = sorted(documents, key=lambda key: (-results[key], -documents[key], key))[:MAX_NAMES]
        missing = [key for key in shown if key not in known]
        if missing:
            forms = {
                "forms": {"terms": {"field": whole_field(field.column), "size": WRITTEN_FORMS, "order": MOST_FREQUENT}}
            }
            filters = {str(at): {"term": {key_field(field.column): key}} for at, key in enumerate(missing)}
            request = {"names": {"filters": {"filters": filters}, "aggs": forms}}
            buckets = self.aggregate(request, answers.NAMES)["names"]["buckets"]
            if not buckets.keys() >= filters.keys():
                raise self.cluster.misunderstood("a name is missing")
            for at, key in enumerate(missing):
                names = (bucket["key"] for bucket in buckets[str(at)]["forms"]["buckets"])
                known[key] = next((name for name in names if name_key(name, self.index.profile.names) == key), key)
        return known


def _read_years(part: dict[str, Any]) -> Counter[str]:
    """The documents of each year; those of which none is known count for the year 0."""
    counts = Counter[str]()
    for bucket in part.get("days", {"buckets": ()})["buckets"]:
        counts[bucket["key"]] += bucket["doc_count"]
    for bucket in part["numbers"]["buckets"]:
        counts[str((EPOCH + timedelta(days=bucket["key"])).year)] += bucket["doc_count"]
    counts["0"] += part["undated"]["doc_count"]
    return +counts


def _years_of(index: ClusterEngine) -> range:
    """The years from the first to the last date of a document."""
    if YEARS_KEY not in index.cache:
        body = {"size": 0, "aggs": {name: {name: {"field": "day"}} for name in ("min", "max")}}
        answer = index.cluster.search(index.generation.name, body, answers.RANGE)["aggregations"]
        days = [int(answer[name]["value"]) for name in ("min", "max") if answer[name]["value"] is not None]
        if not all(answers.FIRST_DAY <= day <= answers.LAST_DAY for day in days):
            raise index.cluster.misunderstood("a day is beyond the calendar")
        years = [(EPOCH + timedelta(days=day)).year for day in days]
        index.cache[YEARS_KEY] = range(years[0], years[-1] + 1) if years else range(0)
    return cast("range", index.cache[YEARS_KEY])


def _codes_of(index: ClusterEngine, field: str) -> list[str]:
    """All class codes that a document has, in order; asked for once."""
    known: dict[str, list[str]] = index.cache.setdefault(CODES_KEY, {})
    if field not in known:
        codes: list[str] = []
        after: dict[str, Any] = {}
        while True:
            pages = {"size": BATCH_CODES, "sources": [{"code": {"terms": {"field": field}}}], **after}
            body = {"size": 0, "aggs": {"codes": {"composite": pages}}}
            page = index.cluster.search(index.generation.name, body, answers.CODES)["aggregations"]["codes"]
            more = [each["key"]["code"] for each in page["buckets"]]
            if codes and more and more[0] <= codes[-1]:  # else a page could follow a page forever
                raise index.cluster.misunderstood("codes are not in order")
            codes += more
            if len(more) < BATCH_CODES:
                break
            after = {"after": {"code": codes[-1]}}
        known[field] = codes
    return known[field]


def _children_of(codes: Sequence[str], node: str, field: str) -> dict[str, Clause]:
    """For each child of a node, the condition that a document has a code in it."""
    inside: dict[str, list[str]] = {}
    for code in codes:
        if (child := child_of(node, code)) is not None:
            inside.setdefault(child, []).append(code)
    clauses: dict[str, Clause] = {}
    for child, own in inside.items():
        by_beginning = len(own) > MANY_CODES and len(own) == sum(code.startswith(child) for code in codes)
        clauses[child] = {"prefix": {field: child}} if by_beginning else {"terms": {field: own}}
    return clauses
