"""The ranges of numbers that users give."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import UsageError
from antecede.models import MODELS, Model
from antecede.query.methods import METHODS, Method
from antecede.ranges import ALPHA, DOCUMENTS, LARGEST, SAMPLES, THREADS, WEIGHT, Range, check_size

ENDS = st.floats(-1e6, 1e6)


INSIDE: list[tuple[Range, tuple[Any, ...]]] = [
    (DOCUMENTS, (1, np.int32(5), LARGEST)),
    (ALPHA, (0.05, np.float32(0.5))),
    (WEIGHT, (0,)),
    (SAMPLES, (10_000_000,)),
]
OUTSIDE: list[tuple[Range, tuple[Any, ...]]] = [
    (DOCUMENTS, (LARGEST + 1, 2**70, 0, 1.0, True, "1", None)),
    (ALPHA, (0, 1, math.nan)),
    (WEIGHT, (math.inf, -math.inf, math.nan, 2**1100, -1e-9)),
    (SAMPLES, (10_000_001,)),
]


def test_a_range_holds_finite_numbers_between_its_bounds() -> None:
    assert all(value in within for within, values in INSIDE for value in values)
    for within, values in OUTSIDE:
        for value in values:
            assert value not in within
            with pytest.raises(UsageError, match=r"x must be .*, not "):
                within.check(value, "x")


def test_what_a_value_should_have_been() -> None:
    assert str(THREADS) == "between 1 and 4096"
    assert DOCUMENTS.describe(1.5) == "a whole number, 1 or more"
    assert DOCUMENTS.describe(2**70) == "at most 9223372036854775807"
    assert SAMPLES.bounds == {"min": 1, "max": 10_000_000}


@given(ENDS, ENDS, st.booleans(), st.booleans())
def test_each_end_of_a_range_is_honoured(low: float, high: float, open_low: bool, open_high: bool) -> None:
    low, high = sorted((low, high))
    allowed = Range(low, high, open_low=open_low, open_high=open_high)
    assert (low in allowed) == (not open_low and (low < high or not open_high))
    assert (high in allowed) == (not open_high and (low < high or not open_low))
    assert math.nextafter(low, -math.inf) not in allowed
    assert math.nextafter(high, math.inf) not in allowed
    assert math.nan not in allowed
    assert math.inf not in Range(low)


@pytest.mark.parametrize(
    ("allowed", "words", "formula"),
    [
        (Range(0, 1), "between 0 and 1", "0 ≤ c ≤ 1"),
        (Range(0, 1, open_low=True), "more than 0 and at most 1", "0 < c ≤ 1"),
        (Range(0, 1, open_high=True), "0 or more and less than 1", "0 ≤ c < 1"),
        (Range(0, 1, open_low=True, open_high=True), "between 0 and 1, both excluded", "0 < c < 1"),
        (Range(1), "1 or more", "1 ≤ c"),
        (Range(0, open_low=True), "more than 0", "0 < c"),
    ],
)
def test_a_range_in_words_and_as_a_formula(allowed: Range, words: str, formula: str) -> None:
    assert (str(allowed), allowed.as_inequality("c")) == (words, formula)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 2**63, -(2**63)])
def test_no_option_takes_what_arrays_cannot_count_with(value: float) -> None:
    with pytest.raises(UsageError, match="--k must be"):
        check_size(value, "--k")


def test_the_default_of_every_parameter_is_in_its_range() -> None:
    for definition in (*MODELS.values(), *METHODS.values()):
        for each in definition.parameters:
            assert each.check(each.default, definition.name) == each.default


def test_a_model_or_method_made_by_hand_is_checked_too() -> None:
    with pytest.raises(UsageError, match="b must be between 0 and 1, not 2"):
        Model(MODELS["bm25"], {"b": 2.0})
    with pytest.raises(UsageError, match="lambda must be between 0 and 1, not nan"):
        Method(METHODS["lm"], {"lambda": math.nan})
