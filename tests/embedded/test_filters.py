"""Filters on an index with dates, classes, offices and families; and every document accounted for: searched, in another
language, or left out for a reason."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from antecede.conditions.filters import Filters, limit_field
from antecede.errors import UsageError
from antecede.query.query import Query
from antecede.search import search_index
from antecede.search.batch import run_topics
from tests.search.worlds import retrieve

if TYPE_CHECKING:
    from antecede.embedded.engine import EmbeddedEngine
    from tests.search.worlds import Shelf

PATENTS: list[dict[str, Any]] = [
    {
        "doc_id": "EP1000001",
        "publication_date": "2000-01-01",
        "ipc": ["H04L 12/56", "G06F 17/30"],
        "family_id": "F1",
        "applicants": ["ACME G.m.b.H.", "Acme GmbH"],
    },
    {
        "doc_id": "EP1000002",
        "publication_date": "2000-01-02",
        "ipc": ["H04L 12/28"],
        "language": "de",
        "cpc": ["H04W 84/18"],
        "applicants": ["Acme, Inc."],
        "inventors": ["Müller, Jörg"],
    },
    {
        "doc_id": "US7000003",
        "publication_date": "2001-06-30",
        "ipc": ["H04L 1/00"],
        "family_id": "F1",
        "cpc": ["Y02D 30/70"],
        "inventors": ["Doe, Jane"],
    },
    {"doc_id": "US7000004", "publication_date": "1960-06-30", "ipc": ["H04W 4/00"]},
    {"doc_id": "WO2000000005", "ipc": ["H05K 7/20"]},
    {"doc_id": "EP1000006", "ipc": ["H04W 8/00"]},
    {"doc_id": "own-name", "filing_date": "1999-12-31", "ipc": ["H04L 120/00"], "family_id": "F2"},
]
ALL = frozenset(each["doc_id"] for each in PATENTS)


def limited(before: date | None = None, without: tuple[str, ...] = (), **fields: tuple[str, ...]) -> Filters:
    others = tuple(limit_field(name, values) for name, values in fields.items())
    return Filters(before, without=without, others=others)


def found(shelf: Shelf, filters: Filters) -> set[str]:
    lines = [
        {"language": "en", **each, "description": {"en": f"hub {'bolt ' * at}"}} for at, each in enumerate(PATENTS)
    ]
    # In two segments, and the second replaces a document of the first.
    old = {**lines[1], "publication_date": "1900-01-01", "ipc": ["A01B 1/00"], "language": "fr"}
    index = shelf.index("filters", [*lines[:1], old, *lines[2:3]], [lines[1], *lines[3:]])
    query = Query.from_terms({"hub": 1.0}, "en")
    ranked = retrieve(index, query, 10, filters)
    assert index.select(filters).count("en") == len(ranked)
    assert {*retrieve(index, query, 2, filters).doc_ids} <= {*ranked.doc_ids}
    return set(ranked.doc_ids)


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        (Filters(), ALL),
        (Filters(before=date(2000, 1, 1)), {"US7000004", "own-name", "EP1000006"}),
        (Filters(before=date(2000, 1, 2)), {"EP1000001", "US7000004", "WO2000000005", "own-name", "EP1000006"}),
        (Filters(before=date(2000, 1, 2), undated="drop"), {"EP1000001", "US7000004", "own-name"}),
        (Filters(before=date(1950, 1, 1), undated="drop"), set()),
        (Filters(undated="drop"), ALL),
        (Filters(after=date(2000, 1, 2)), {"EP1000002", "US7000003", "WO2000000005", "EP1000006"}),
        (Filters(after=date(2000, 1, 2), undated="drop"), {"EP1000002", "US7000003"}),
        (Filters(date(2000, 1, 2), after=date(2000, 1, 1)), {"EP1000001", "WO2000000005", "EP1000006"}),
        (Filters(date(2001, 1, 1), after=date(2000, 1, 1), undated="drop"), {"EP1000001", "EP1000002", "WO2000000005"}),
        (limited(cpc=("H04W 84/18", "Y02D")), {"EP1000002", "US7000003"}),
        (limited(applicant=("ACME gmbh",)), {"EP1000001"}),
        (limited(applicant=("acm",)), set()),
        (limited(inventor=("Muller",), applicant=("acme",)), {"EP1000002"}),
        (limited(ipc=("H",)), ALL),
        (limited(ipc=("H04",)), ALL - {"WO2000000005"}),
        (limited(ipc=("h04l",)), {"EP1000001", "EP1000002", "US7000003", "own-name"}),
        (limited(ipc=("H04L 12",)), {"EP1000001", "EP1000002"}),
        (limited(ipc=("H04L 12/56",)), {"EP1000001"}),
        (limited(ipc=("H04L012/56", "H05K")), {"EP1000001", "WO2000000005"}),
        (limited(country=("ep",)), {"EP1000001", "EP1000002", "EP1000006"}),
        (limited(language=("de",)), {"EP1000002"}),
        (Filters(without=("EP-1000001-B1", "nobody")), ALL - {"EP1000001"}),
        (Filters(without_family="F1"), ALL - {"EP1000001", "US7000003"}),
        (limited(date(2001, 1, 1), ("EP1000002",), ipc=("H04L",), country=("EP",)), {"EP1000001"}),
    ],
)
def test_only_what_meets_all_conditions_is_found(shelf: Shelf, filters: Filters, wanted: set[str]) -> None:
    assert found(shelf, filters) == set(wanted)


def test_one_value_and_a_list_of_it_are_the_same(shelf: Shelf) -> None:
    assert limit_field("ipc", "H04L 12/56") == limit_field("ipc", ["H04L 12/56"])
    assert found(shelf, limited(None, ("EP1000002",), ipc=("H04L 12/56",), country=("EP",))) == {"EP1000001"}
    with pytest.raises(UsageError, match="'X99' is not a prefix"):
        limit_field("ipc", ("H04", "X99"))


DATES = {
    "EP1000001": "2000-01-01",
    "EP1000002": "2001-01-01",
    "EP1000003": "2002-01-01",
    "EP1000004": None,
    "EP1000005": None,
    "WO2000054321": None,
    "WO2001012345": None,
    "WO2002012345": None,
    "JPH13000001": None,
}


@pytest.fixture(scope="module")
def index(shelf: Shelf) -> EmbeddedEngine:
    lines: list[dict[str, Any]] = [
        {
            "doc_id": doc_id,
            "language": "en",
            "description": {"en": f"A hub of {doc_id}"},
            "ipc": ["H04L 12/56"] if doc_id.startswith("EP") else [],
            **({"publication_date": day} if day else {}),
        }
        for doc_id, day in DATES.items()
    ]
    german = {"doc_id": "DE1", "language": "de", "title": {"de": "Nabe"}, "publication_date": "1999-01-01"}
    return shelf.index("coverage", lines[:5], [*lines[5:], german])


@pytest.mark.parametrize(
    ("settings", "searched", "excluded", "undated", "by_year"),
    [
        ({}, 9, {}, 0, 0),
        ({"before": "2001-06-01"}, 7, {"date": 2}, 4, 2),
        ({"before": "2001-06-01", "undated": "drop"}, 3, {"date": 2, "undated": 4}, 0, 2),
        ({"before": "2002-01-01", "ipc": ["H04L"]}, 4, {"date": 2, "ipc": 4}, 2, 4),
        ({"after": "2001-01-01"}, 7, {"date": 3}, 2, 4),
        ({"after": "2000-12-31"}, 8, {"date": 2}, 3, 3),
        ({"after": "2001-01-01", "before": "2001-01-02", "undated": "drop"}, 1, {"date": 5, "undated": 4}, 0, 2),
        ({"undated": "drop"}, 9, {}, 0, 0),
        ({"country": ["EP"]}, 5, {"country": 5}, 0, 0),
        ({"must": ["nothing"]}, 0, {"must": 10}, 0, 0),
    ],
)
def test_searched_and_left_out_add_up(
    index: EmbeddedEngine, settings: dict[str, Any], searched: int, excluded: dict[str, int], undated: int, by_year: int
) -> None:
    found = search_index(index, "hub", k=100, **settings)
    covered = found.coverage
    assert len(found.hits) == covered.searched == searched
    assert covered.searched + covered.unsearched + sum(covered.excluded.values()) == index.documents
    assert (covered.excluded, covered.undated, covered.dated_by_year) == (excluded, undated, by_year)
    said = " ".join(found.notes)
    assert (f"{undated} documents have no known date; they were searched all the same" in said) == bool(undated)
    assert (f"{by_year} documents have no date but a year in the number" in said) == bool(by_year)
    assert ("left out by the filters: " in " ".join(found.table().notes)) == bool(excluded)


def test_the_year_in_a_number_stands_for_a_date_that_is_not_known(index: EmbeddedEngine) -> None:
    found = {hit.doc_id: hit for hit in search_index(index, "hub", k=100).hits}
    assert (found["WO2001012345"].date, found["WO2001012345"].to_dict()["year"]) == (None, 2001)
    assert (found["EP1000001"].date_text, found["EP1000001"].year) == ("2000-01-01", None)
    assert found["EP1000004"].date_text is None


def test_a_run_counts_the_documents_without_a_date(index: EmbeddedEngine) -> None:
    topics = [index.patent(doc_id) for doc_id in ("EP1000002", "EP1000003")]
    notes = run_topics(index, topics, threads=1).notes
    kept = '2 documents of the index have no known date and pass every date bound; undated="drop" leaves them out'
    assert notes[kept] == 2
    assert (
        run_topics(index, topics, threads=1, undated="drop").notes[kept.partition(" and ")[0] + " and are left out"]
        == 2
    )
    assert not any("date" in note for note in run_topics(index, topics, threads=1, before="off").notes)


def test_a_document_without_any_text_is_named_as_such(shelf: Shelf) -> None:
    lines: list[dict[str, Any]] = [
        {"doc_id": "EP1", "language": "en", "title": {"en": "A hub"}},
        {"doc_id": "EP2", "language": "de", "title": {"de": "Eine Nabe"}},
        {"doc_id": "EP3", "language": "en", "publication_date": "2000-01-01"},
    ]
    found = search_index(shelf.index("textless", lines), "hub", language="en").coverage
    assert found.note() == "2 documents have no text in en and were not searched (de 1, no text at all 1)"
    assert sum(found.others.values()) == found.unsearched == 2
