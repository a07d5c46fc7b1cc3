"""Decimals are read bit for bit as `float` reads them, or not at all."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.trec.scanner import parse_decimals

PLAIN = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)")


def read(texts: list[str], *, dots: bool = True) -> list[str | None]:
    """Each number as its bits; None where it is left to others."""
    data = b"7" * 33 + " ".join(texts).encode() + b" "
    lengths = np.array([len(text) for text in texts])
    begins = 33 + np.cumsum(lengths + 1) - lengths - 1
    values, unread = parse_decimals(np.frombuffer(data, np.uint8), begins, lengths, dots=dots)
    return [None if at in unread else float(value).hex() for at, value in enumerate(values)]


digits = st.text(st.sampled_from("0123456789"), max_size=18)
signs = st.text(st.sampled_from("0123456789.-+eE_x:/"), min_size=1, max_size=18)
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
def test_what_is_read_is_what_float_reads(texts: list[str]) -> None:
    for text, found in zip(texts, read(texts), strict=True):
        if found is not None:
            assert PLAIN.fullmatch(text)
            assert found == float(text).hex()
        else:  # only what is long or odd is left to others
            digits = text.lstrip("-").replace(".", "")
            assert not PLAIN.fullmatch(text) or len(digits) > 16 or int(digits) > 2**53


@given(
    seed=st.integers(0, 10**6),
    places=st.integers(0, 14),
    largest=st.sampled_from([1, 10, 1000, 10**8]),
    negative=st.booleans(),
)
def test_a_column_with_as_many_digits_everywhere(seed: int, places: int, largest: int, negative: bool) -> None:
    drawn = np.random.default_rng(seed).random(50) * largest
    texts = [f"{-x if negative else x:.{places}f}" for x in drawn]
    expected = [float(text).hex() if len(text.strip("-").replace(".", "")) <= 15 else None for text in texts]
    assert [found for found, value in zip(read(texts), expected, strict=True) if value] == [v for v in expected if v]


def test_forms_that_are_read_and_forms_that_are_left_to_others() -> None:
    for text in ("0.1", "-0.0", "-0", "00.10", "5.", ".5", "-.5", "9007199254740992", "0.123456789012345"):
        assert read([text]) == [float(text).hex()]
        assert read(["12.5", text, "7", "-8.25"])[1] == float(text).hex()
    for text in (".", "-", "-.", "--1", "1-", "1.2.3", "..", "1e5", "+1", "9007199254740993", "1" * 17):
        assert read([text]) == [None]
        assert read(["12.5", text, "7", "-8.25"]) == [(12.5).hex(), None, (7.0).hex(), (-8.25).hex()]


def test_a_dot_in_front_of_a_number_is_none_of_its_own() -> None:
    # All have a dot in the same place from the end; the second begins behind it.
    data = b"7" * 33 + b"1.25 9.47 8.50 "
    values, unread = parse_decimals(np.frombuffer(data, np.uint8), np.array([33, 40, 43]), np.array([4, 2, 4]))
    assert (values.tolist(), unread.tolist()) == ([1.25, 47, 8.5], [])


@pytest.mark.parametrize(
    "odd", ["-1.25", "+1.25", "1.5", "125", "1.250", ".25", "1e-2", "12.5e", "1.2.5", "123456789.25", "1-.25"]
)
@pytest.mark.parametrize("at", [0, 1, 99])
def test_one_number_of_another_form_among_many_of_one(odd: str, at: int) -> None:
    texts = [f"{n}.{n % 100:02}" for n in range(100)]
    texts[at] = odd
    expected = [float(text).hex() if PLAIN.fullmatch(text) else None for text in texts]
    assert read(texts) == expected
