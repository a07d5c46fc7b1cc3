"""Numbers are read bit for bit as `float` reads them, or line by line."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.trec.layout import RUN
from antecede.trec.text import scan_clean

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def read(texts: list[str]) -> list[str] | None:
    """Each number as its bits; None where one of them is left to the careful reader."""
    rows = scan_clean("".join(f"1 Q0 d{at} 1 {text} t\n" for at, text in enumerate(texts)).encode(), RUN)
    return None if rows is None else [number.hex() for number in rows.numbers.tolist()]


digits = st.text(st.sampled_from("0123456789"), max_size=25)
signs = st.text(st.sampled_from("0123456789.-+eE_x:/naif"), min_size=1, max_size=18)
parts = st.tuples(st.sampled_from(["", "", "-"]), digits, st.sampled_from(["", "."]), digits)
numbers = st.one_of(
    parts.map("".join),
    st.floats(0, 1e6).map(lambda x: f"{x:.6f}"),
    st.floats(-100, 100).map(lambda x: f"{x:g}"),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(2**54), 2**54).map(str),
)


@pytest.mark.slow
@given(texts=st.lists(st.one_of(numbers, signs).filter(len), min_size=1, max_size=12))
def test_what_is_scanned_is_what_float_reads(texts: list[str]) -> None:
    scanned = read(texts)
    if scanned is None:  # by far not every number; but none is wrong
        assert not all(NUMBER.fullmatch(text) and abs(float(text)) < float("inf") for text in texts)
    else:
        assert all(NUMBER.fullmatch(text) for text in texts)
        assert scanned == [float(text).hex() for text in texts]


@pytest.mark.parametrize(
    "text",
    ["0.1", "-0.0", "-0", "+3", "00.10", "5.", ".5", "-.5", "1e5", "-1E+2", "9007199254740993", "1" * 40, "1e-400"],
)
def test_forms_of_numbers(text: str) -> None:
    assert read(["12.5", text, "7"]) == [(12.5).hex(), float(text).hex(), (7.0).hex()]


@pytest.mark.parametrize(
    "text", [".", "-", "-.", "--1", "1-", "1.2.3", "1e", "e5", "1_0", "0x1", "nan", "inf", "1e999"]
)
def test_what_is_no_number_is_left_to_the_careful_reader(text: str) -> None:
    assert read(["12.5", text, "7"]) is None
