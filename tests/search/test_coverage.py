"""Every document of an index is accounted for: searched, in another language, or left out for a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from antecede.search import search_index
from antecede.search.batch import run_topics

if TYPE_CHECKING:
    from antecede.index import Index
    from tests.search.worlds import Shelf

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
def index(shelf: Shelf) -> Index:
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
    index: Index, settings: dict[str, Any], searched: int, excluded: dict[str, int], undated: int, by_year: int
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


def test_the_year_in_a_number_stands_for_a_date_that_is_not_known(index: Index) -> None:
    found = {hit.doc_id: hit for hit in search_index(index, "hub", k=100).hits}
    assert (found["WO2001012345"].date, found["WO2001012345"].to_dict()["year"]) == (None, 2001)
    assert (found["EP1000001"].date_text, found["EP1000001"].year) == ("2000-01-01", None)
    assert found["EP1000004"].date_text is None


def test_a_run_counts_the_documents_without_a_date(index: Index) -> None:
    topics = [index.patent(doc_id) for doc_id in ("EP1000002", "EP1000003")]
    notes = run_topics(index, topics, threads=1).notes
    kept = "2 documents of the index have no known date and pass every date bound; --undated drop leaves them out"
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
