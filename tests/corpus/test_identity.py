"""Which documents are one patent, and which document a name means: two names are never taken for one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.conditions.filters import prior_art
from antecede.corpus import Collection, make_topics
from antecede.corpus.collection import find_patent
from antecede.corpus.merge import identity, names_of
from antecede.embedded.engine import EmbeddedEngine
from antecede.errors import InputError
from antecede.index import add_to_index, build_index
from antecede.patent import Patent, PatentNumber
from tests.corpus.worlds import write_jsonl

if TYPE_CHECKING:
    from pathlib import Path


GEAR = {"doc_id": "CH1-11", "title": "A gear", "language": "en", "description": "the gear turns the shaft"}
SOAP = {"doc_id": "CH11-1", "title": "A soap", "language": "en", "description": "the soap cleans the shaft"}


def found(index: EmbeddedEngine, patent: Patent) -> set[str]:
    """The documents of an index that may be prior art of a patent."""
    filters = prior_art(patent, "off")
    every = index.all_numbers()
    return {*index.names(every[index.select(filters).contains(every)])}


def test_names_that_look_alike_stay_two_patents(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "c.jsonl", GEAR, SOAP)
    collection = Collection(path)
    assert {each.doc_id: each.title["en"] for each in collection.patents()} == {"CH1-11": "A gear", "CH11-1": "A soap"}
    assert collection.ledger.merged == 0
    assert [find_patent(Collection(path), name).title["en"] for name in ("CH1-11", "CH11-1")] == ["A gear", "A soap"]
    build_index(Collection(path), tmp_path / "i")
    index = EmbeddedEngine.open(tmp_path / "i")
    assert index.documents == 2
    assert [index.patent(name).title["en"] for name in ("CH1-11", "CH11-1")] == ["A gear", "A soap"]
    assert not len(index.numbers_of("CH 111"))
    assert found(index, index.patent("CH1-11")) == {"CH11-1"}


def test_adding_a_name_that_looks_alike_replaces_nothing(tmp_path: Path) -> None:
    build_index(Collection(write_jsonl(tmp_path / "a.jsonl", GEAR)), tmp_path / "i")
    add_to_index(tmp_path / "i", Collection(write_jsonl(tmp_path / "b.jsonl", SOAP)))
    index = EmbeddedEngine.open(tmp_path / "i")
    assert (index.documents, index.manifest.counts["replaced"]) == (2, 0)
    assert [index.patent(name).title["en"] for name in ("CH1-11", "CH11-1")] == ["A gear", "A soap"]
    assert found(index, index.patent("CH1-11")) == {"CH11-1"}
    add_to_index(tmp_path / "i", Collection(write_jsonl(tmp_path / "c.jsonl", {**SOAP, "title": "A new soap"})))
    index = EmbeddedEngine.open(tmp_path / "i")
    assert (index.documents, index.patent("CH11-1").title["en"]) == (2, "A new soap")


def test_lines_of_one_number_are_one_patent(tmp_path: Path) -> None:
    """Where the source gives it: kinds in `doc_id` alone merge nothing."""
    lines: list[dict[str, Any]] = [
        {"doc_id": "a", "number": "EP-1000001-A1", "title": "Press", "publication_date": "2001-01-01"},
        {"doc_id": "b", "number": "EP 1 000 001 B1", "abstract": "A press.", "publication_date": "2003-01-01"},
        {"doc_id": "EP1000002A1", "title": "Valve"},
        {"doc_id": "EP1000002B1", "title": "Valve"},
        {"doc_id": "EP1000002B1", "abstract": "A valve."},
    ]
    collection = Collection(write_jsonl(tmp_path / "c.jsonl", *lines))
    assert [each.doc_id for each in collection.patents()] == ["a", "EP1000002A1", "EP1000002B1"]
    assert collection.ledger.merged == 2


def test_an_exact_name_wins_and_an_ambiguous_number_is_refused(tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = [
        {"doc_id": "EP1000002A1", "title": "Valve", "language": "en"},
        {"doc_id": "EP1000002B1", "title": "Valve, granted", "language": "en"},
        {"doc_id": "EP-1000003", "title": "Pump", "language": "en"},
        {"doc_id": "US5123456", "title": "Cites", "language": "en", "citations": ["EP-1000002-A1", "EP1000003"]},
    ]
    path = write_jsonl(tmp_path / "c.jsonl", *lines)
    build_index(Collection(path), tmp_path / "i")
    index = EmbeddedEngine.open(tmp_path / "i")
    assert index.patent("EP1000002B1").title["en"] == "Valve, granted"
    assert index.patent("EP 1 000 003 A1").doc_id == find_patent(Collection(path), "EP 1000003").doc_id == "EP-1000003"
    told = "document EP 1 000 002: is the number of 2 .*: EP1000002A1, EP1000002B1; name one of these$"
    for ask in (index.patent, lambda name: find_patent(Collection(path), name)):
        with pytest.raises(InputError, match=told):
            ask("EP 1 000 002")
    # both kinds are the patent itself, and both are what a citation of it leads to
    assert found(index, index.patent("EP1000002A1")) == {"EP-1000003", "US5123456"}
    assert make_topics(Collection(path)).relevant == {
        "US5123456": {"EP-1000003": 1, "EP1000002A1": 1, "EP1000002B1": 1}
    }


def test_a_patent_of_json_lines_read_back_merges_as_before(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "c.jsonl", GEAR, SOAP, {"doc_id": "EP-1000002-A1"}, {"doc_id": "EP-1000002-B1"})
    (tmp_path / "again.jsonl").write_text(
        "".join(json.dumps(each.to_dict()) + "\n" for each in Collection(path).patents()), encoding="utf-8"
    )
    names = [each.doc_id for each in Collection(tmp_path / "again.jsonl").patents()]
    assert names == ["CH1-11", "CH11-1", "EP-1000002-A1", "EP-1000002-B1"]


DIGITS = st.text("0123456789", min_size=1, max_size=7)
NAMES = st.builds(
    lambda country, groups, between: country + between.join(groups),
    st.sampled_from(["CH", "EP", "US", "DE", "FR", "SE", "AU", "WO"]),
    st.lists(DIGITS, min_size=1, max_size=4),
    st.sampled_from("-_."),
)


@given(NAMES, NAMES)
def test_only_customary_groups_of_digits_are_a_number(one: str, other: str) -> None:
    """Two names of one number have the same digits and differ in nothing but customary groups and zeros in front."""
    numbers = [PatentNumber.parse_name(name) for name in (one, other)]
    assert (identity(Patent(one)) == identity(Patent(other))) == (one == other)
    for name, number in zip((one, other), numbers, strict=True):
        assert number is None or number == PatentNumber.parse(name)
        assert number is None or PatentNumber.parse_name(number.key) == PatentNumber(number.country, number.number)
        assert names_of(Patent(name))[0] == name


@pytest.mark.parametrize(
    "written",
    ["EP 1 234 567 A1", "EP-A-0 680 812", "US 5,123,456", "US-2001-0033243-A1", "WO98/12345", "DE 35 46 191 A1",
     "DE-10 2004 012 345 A1", "JP-H10-12345-A", "KR 10-2004-0012345"],
)  # fmt: skip
def test_customary_writings_are_numbers(written: str) -> None:
    assert PatentNumber.parse_name(written) == PatentNumber.parse(written) is not None
