"""Facets count what reading every document would count, whatever the filters; and so do class trees and coverage."""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from antecede.conditions.classes import child_of
from antecede.conditions.filters import Filters, limit_field
from antecede.conditions.tree import Fact
from antecede.search.facets import count_facets, cover_collection

if TYPE_CHECKING:
    from antecede.embedded.engine import EmbeddedEngine
    from tests.search.worlds import Shelf

CODES = ("H04L 12/56", "H04L 12/28", "H04L 1/00", "H04W 4/00", "F16K 1/00", "A61K")


def document(at: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "doc_id": f"{('EP', 'US', 'WO2004')[at % 3]}{100000 + at}",
        "language": ("en", "de")[at % 2],
        "title": {("en", "de")[at % 2]: f"Valve {at}"},
        "description": {("en", "de")[at % 2]: "a valve and a spring"},
        "ipc": [CODES[at % 6], CODES[at * 5 % 6]],
        "cpc": [CODES[at % 4]] if at % 2 else [],
        "applicants": [("Acme Ltd.", "ACME LTD", "Société X")[at % 3], "Beta"][: 1 + at % 2],
    }
    if at % 4:
        found["publication_date"] = f"{1990 + at % 7}-02-03"
    return found


@pytest.fixture(scope="module")
def index(shelf: Shelf) -> EmbeddedEngine:
    return shelf.index("facets", [*map(document, range(40))], [*map(document, range(30, 60))])  # ten are replaced


def year_of(record: dict[str, Any]) -> str | None:
    if "publication_date" in record:
        return str(record["publication_date"])[:4]
    return "2004" if record["doc_id"].startswith("WO2004") else None


def limited(fields: dict[str, tuple[str, ...]], **dates: Any) -> Filters:
    return Filters(others=tuple(limit_field(name, values) for name, values in fields.items()), **dates)


FILTERS = [
    Filters(),
    limited({"country": ("EP",)}),
    limited({"country": ("EP", "US"), "ipc": ("H04L",)}, before=date(1995, 1, 1)),
    limited({"applicant": ("acme",), "language": ("de",)}, undated="drop", after=date(1991, 1, 1)),
]


def is_acme(name: str) -> bool:
    return name.lower().startswith("acme")


def passes(record: dict[str, Any], filters: Filters, without: str) -> bool:
    """Whether a document passes all filters but one, found by looking at it."""
    limits = {
        each.name: tuple(part.value for part in each.node.walk() if isinstance(part, Fact)) for each in filters.others
    }
    country = record["doc_id"][:2]
    day, year = record.get("publication_date"), year_of(record)
    first, last = (day, day) if day else (f"{year}-01-01", f"{year}-12-31") if year else ("0000", "9999")
    inside = (filters.before is None or first < str(filters.before)) and (
        filters.after is None or last >= str(filters.after)
    )
    certain = day or not (filters.before or filters.after) or (
        year and (filters.before is None or last < str(filters.before))
        and (filters.after is None or first >= str(filters.after))
    )  # fmt: skip
    checks = {
        "offices": "country" not in limits or country in limits["country"],
        "ipc": "ipc" not in limits or any(code.startswith(limits["ipc"]) for code in record["ipc"]),
        "languages": "language" not in limits or record["language"] in limits["language"],
        "applicants": "applicant" not in limits
        or any(name.lower().startswith("acme") for name in record["applicants"]),
        "years": inside and (filters.undated == "keep" or bool(certain)),
    }
    return all(passed for name, passed in checks.items() if name != without)


@pytest.mark.parametrize("filters", FILTERS, ids=range(len(FILTERS)))
def test_facets_count_what_reading_would(index: EmbeddedEngine, filters: Filters) -> None:
    records = [document(at) for at in range(60)]
    retrieved = [record["doc_id"] for record in records[::3]]
    found = count_facets(index, filters, retrieved=retrieved, nodes={"ipc": "H04L", "cpc": "H"})

    def counted(facet: str, values: Any, kept: Any = lambda _: True) -> Counter[str]:
        passed = [record for record in records if passes(record, filters, facet) and kept(record)]
        return Counter(value for record in passed for value in {*values(record)} if value is not None)

    def same(facet: str, counts: Any, values: Any) -> None:
        assert {each.value: each.documents for each in counts} == counted(facet, values)
        among = counted(facet, values, lambda record: record["doc_id"] in retrieved)
        assert {each.value: each.results for each in counts if each.results} == among

    same("offices", found.values["offices"], lambda record: [record["doc_id"][:2]])
    same("languages", found.values["languages"], lambda record: [record["language"]])
    same("years", found.years, lambda record: [year_of(record)])
    same("ipc", found.values["ipc"], lambda record: [child_of("H04L", code) for code in record["ipc"]])
    same("cpc", found.values["cpc"], lambda record: [child_of("H", code) for code in record["cpc"]])
    assert found.undated.documents == sum(year_of(each) is None and passes(each, filters, "years") for each in records)
    assert found.documents == sum(passes(each, filters, "") for each in records)
    acme = [each for each in found.values["applicants"] if is_acme(each.value)]
    assert [each.documents for each in acme] == [
        sum(passes(each, filters, "applicants") and is_acme(each["applicants"][0]) for each in records)
    ]


def test_the_coverage_of_a_collection_adds_up(index: EmbeddedEngine) -> None:
    found = cover_collection(index)
    assert found.documents == 60 == found.dated + found.by_year_in_number + found.undated
    assert found.undated == sum(year_of(document(at)) is None for at in range(60))
    for counts in (found.offices, found.proceedings, found.languages):
        assert sum(counts.values()) == 60
    assert sum(found.years.values()) == 60 - found.undated
