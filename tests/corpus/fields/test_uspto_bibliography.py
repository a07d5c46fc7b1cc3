"""The front page of US patents."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.corpus.fields.uspto_bibliography import (
    NORMAL,
    choose_applicants,
    earliest_priority,
    ipc_codes,
    phase_of,
    unique_names,
    us_number,
)
from antecede.patent import PatentNumber


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("A61K 31505", ("A61K 31/505",)),
        ("A61K 3144", ("A61K 31/44",)),
        ("C07C24900", ("C07C 249/00",)),
        ("A01B  100", ("A01B 1/00",)),
        ("H04L012/56", ("H04L 12/56",)),
        ("B60R 16/023", ("B60R 16/023",)),
        ("1402", ()),
        ("", ()),
    ],
)
def test_ipc_in_columns(written: str, meant: tuple[str, ...]) -> None:
    assert ipc_codes([written]) == meant


@given(st.integers(1, 999), st.integers(0, 9999), st.sampled_from(["02d", "03d", "04d"]))
def test_every_group_and_subgroup_survives_its_columns(group: int, subgroup: int, width: str) -> None:
    written = f"{subgroup:{width}}"[:4]
    assert ipc_codes([f"H01L{group:3d}{written}"]) == (f"H01L {group}/{written}",)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("cited by examiner", "examination"),
        ("EXAMINER", "examination"),
        ("cited by other", "applicant"),
        (" cited by applicant ", "applicant"),
        ("cited by third party", "third party"),
        ("imported from a related application", "imported from a related application"),
        ("", None),
        (None, None),
    ],
)
def test_who_cited(words: str | None, meant: str | None) -> None:
    assert phase_of(words) == meant


@given(st.from_regex(NORMAL, fullmatch=True))
def test_the_short_way_to_a_number_leads_where_the_long_one_does(written: str) -> None:
    number, _, kind = written.rpartition(" ")
    assert us_number("US", number, kind) == us_number("", number, kind) == PatentNumber.of("US", number, kind or None)


def test_a_number_without_country_is_american() -> None:
    assert us_number("", "06336130", "B1") == PatentNumber("US", "6336130", "B1")
    assert us_number("US", "", "B1") is None


def test_priority_never_after_filing() -> None:
    days = ["20030102", "", "19990500", "nonsense", "20200101"]
    assert earliest_priority(days, date(2004, 1, 1)) == date(1999, 5, 1)
    assert earliest_priority(days, date(1998, 1, 1)) is None
    assert earliest_priority(["20200101"], None) == date(2020, 1, 1)


def test_applicants_are_firms_before_assignees_before_inventors() -> None:
    inventors = ("Fox, A",)
    assert choose_applicants(["Fox, A", "Firm"], True, ["Holding"], inventors) == ("Firm",)
    assert choose_applicants(["Fox, A", "Heir, B"], False, ["Holding"], inventors) == ("Holding", "Heir, B")
    assert choose_applicants(["Fox, A"], False, [], inventors) == inventors


def test_once_keeps_the_first_spelling() -> None:
    assert unique_names(["Acme AG", "ACME AG", "Other"]) == ("Acme AG", "Other")
