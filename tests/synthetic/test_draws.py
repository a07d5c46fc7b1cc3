"""Chance must be the same everywhere: these numbers are part of what a seed means."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antecede.synthetic.draws import Draws, below, integers, mixed


def test_the_stream_of_a_seed_is_what_it_always_was() -> None:
    draw = Draws(1).stream(0)
    assert [draw() for _ in range(4)] == [1969390303, 1303814779, 3133017647, 3645176323]
    assert integers(1, 2, (3,)).tolist() == [1328497427, 1533115363, 158503751]
    assert mixed(1, 2, 3) == 19705061


def test_a_stream_does_not_depend_on_those_before_it() -> None:
    draws = Draws(7)
    draw = draws.stream(3)
    first = [draw() for _ in range(1000)]
    other = draws.stream(4)
    assert [other() for _ in range(5)] != first[:5]
    again = Draws(7).stream(3)
    assert [again() for _ in range(1000)] == first
    assert len(set(first)) > 990


@given(st.integers(1, 10**6), st.integers(0, 2**63 - 1))
def test_whole_numbers_stay_below_the_limit(limit: int, seed: int) -> None:
    drawn = below(integers(seed, 1, (50,)), limit)
    assert drawn.min() >= 0
    assert drawn.max() < limit


def test_whole_numbers_are_spread_evenly() -> None:
    counts = np.bincount(below(integers(5, 1, (60_000,)), 6), minlength=6)
    assert np.all(np.abs(counts - 10_000) < 500)
