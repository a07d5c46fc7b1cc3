"""Dates of patent files."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.patent.offices import LAST_YEAR
from antecede.patent.record import FIRST_YEAR, parse_date

DAYS = {
    date(2004, 6, 9): ["20040609", "2004-06-09", "2004/06/09", "2004.06.09", " 20040609 ", "2004-06-09T00:00:00Z",
                       "09.06.2004", "9.6.2004", "2004-06-09 12:00"],
    date(1999, 5, 1): ["19990500", "1999-05", "199905", "1999-05-00"],
    date(1999, 1, 1): ["19990000", "1999", "19990101"],
    date(1790, 7, 31): ["17900731"],
}  # fmt: skip


@pytest.mark.parametrize("day", DAYS)
def test_writings_of_a_day(day: date) -> None:
    assert {text: parse_date(text) for text in DAYS[day]} == dict.fromkeys(DAYS[day], day)


@pytest.mark.parametrize(
    "text",
    [None, "", " ", "00000000", "00010101", "99991231", "20040631", "20041301", "06/09/2004", "09-06-2004", "June 2004",
     "200406091", "2004-0609", "16160101", "20500101", "２００４０６０９x"],
)  # fmt: skip
def test_what_is_no_day_is_none(text: str | None) -> None:
    assert parse_date(text) is None


@given(st.dates(date(FIRST_YEAR, 1, 1), date(LAST_YEAR, 12, 31)))
def test_every_day_comes_round(day: date) -> None:
    assert {parse_date(form) for form in (day.isoformat(), f"{day:%Y%m%d}", f"{day:%d.%m.%Y}", f"{day:%Y/%m/%d}")} == {
        day
    }


@given(st.text(max_size=20) | st.text("0123456789-./T", max_size=12))
def test_any_text_is_a_day_or_none(text: str) -> None:
    day = parse_date(text)
    assert day is None or parse_date(day.isoformat()) == day
