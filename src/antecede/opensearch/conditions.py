"""Filters as conditions of the cluster's query language, in the order in which `Filters.stages` applies them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antecede.index.documents import EPOCH
from antecede.index.filters import DROP, parse_class_prefix
from antecede.index.metadata import name_key
from antecede.patent import PatentNumber

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

    from antecede.index.filters import Filters
    from antecede.opensearch.documents import ClusterSegment

Clause = dict[str, Any]
NO_DAY: Clause = {"bool": {"must_not": {"exists": {"field": "day"}}}}
NOTHING: Clause = {"match_none": {}}


def any_of(clauses: Iterable[Clause]) -> Clause:
    """At least one of several conditions."""
    return {"bool": {"should": [*clauses], "minimum_should_match": 1}}


def all_of(clauses: Iterable[Clause]) -> Clause:
    """All of several conditions."""
    return {"bool": {"filter": [*clauses]}}


def none_of(*clauses: Clause) -> Clause:
    """None of several conditions."""
    return {"bool": {"must_not": [*clauses]}}


def stages(filters: Filters, segment: ClusterSegment) -> Iterator[tuple[str, Clause]]:
    """Each condition of filters by name, as `Filters.stages` on this machine."""
    if filters.dated:
        yield "date", within(filters.before, filters.after)
        if filters.undated == DROP:
            yield "undated", none_of(date_unknown(filters.before, filters.after))
    yield from unions(filters)
    own = [*map(named, filters.without)]
    if filters.without_family is not None:
        own.append({"term": {"family_id": filters.without_family}})
    if own:
        yield "topic", none_of(*own)
    for condition in filters.conditions:
        met: Any = condition.allowed(segment)
        yield condition.name, met.clause


def unions(filters: Filters) -> Iterator[tuple[str, Clause]]:
    """The conditions with several values, of which a document must have one."""
    for field in ("ipc", "cpc"):
        if codes := getattr(filters, field):
            yield field, any_of({"prefix": {field: parse_class_prefix(code)}} for code in codes)
    for name, field in (("applicant", "applicants"), ("inventor", "inventors")):
        if names := getattr(filters, field):
            yield name, any_of({"match_phrase": {field: name_key(each)}} for each in names)
    if filters.countries:
        yield "country", {"terms": {"country": [*map(str.upper, filters.countries)]}}
    if filters.languages:
        yield "language", {"terms": {"language": [*filters.languages]}}


def clause_of(filters: Filters, segment: ClusterSegment) -> Clause | None:
    """All conditions of filters together; None where there is none."""
    every = [clause for _, clause in stages(filters, segment)]
    return all_of(every) if every else None


def named(name: str) -> Clause:
    """The documents of a name, and those of the patent number that it writes out."""
    number = PatentNumber.parse_name(name)
    exact: Clause = {"term": {"doc_id": name}}
    return exact if number is None else any_of([exact, {"term": {"patent_number": number.key}}])


def days(before: date | None, after: date | None, lower: str = "gte") -> dict[str, int]:
    """Date bounds as numbers of days."""
    found = {}
    if before is not None:
        found["lt"] = (before - EPOCH).days
    if after is not None:
        found[lower] = (after - EPOCH).days
    return found


def within(before: date | None, after: date | None) -> Clause:
    """Documents within date bounds; one without a date passes unless the year in its number excludes it."""
    outside: list[Clause] = []
    if before is not None:
        outside.append({"range": {"year_first": {"gte": (before - EPOCH).days}}})
    if after is not None:
        outside.append({"range": {"year_last": {"lt": (after - EPOCH).days}}})
    return any_of([{"range": {"day": days(before, after)}}, all_of([NO_DAY, none_of(*outside)])])


def year_inside(before: date | None, after: date | None) -> Clause:
    """Documents without a date whose year lies within date bounds."""
    every: list[Clause] = [NO_DAY, {"exists": {"field": "year_first"}}]
    if before is not None:
        every.append({"range": {"year_last": {"lt": (before - EPOCH).days}}})
    if after is not None:
        every.append({"range": {"year_first": {"gte": (after - EPOCH).days}}})
    return all_of(every)


def date_unknown(before: date | None, after: date | None) -> Clause:
    """Documents that pass date bounds because neither their date nor their year decides."""
    return all_of([NO_DAY, within(before, after), none_of(year_inside(before, after))])


def decided_by_year(before: date | None, after: date | None) -> Clause:
    """Documents without a date that the year in their number admits or excludes."""
    return all_of([NO_DAY, any_of([none_of(within(before, after)), year_inside(before, after)])])
