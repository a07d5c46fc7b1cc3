"""Random streams are the same on every machine: these numbers are part of what a seed means."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antecede.synthetic.random_streams import RandomStreams, draw_integers, mix, scale_below


def test_the_stream_of_a_seed_never_changes() -> None:
    draw = RandomStreams(1).open_stream(0)
    assert [draw() for _ in range(4)] == [1969390303, 1303814779, 3133017647, 3645176323]
    assert draw_integers(1, 2, (3,)).tolist() == [1328497427, 1533115363, 158503751]
    assert mix(1, 2, 3) == 19705061


def test_a_stream_does_not_depend_on_earlier_streams() -> None:
    streams = RandomStreams(7)
    draw = streams.open_stream(3)
    first = [draw() for _ in range(1000)]
    other = streams.open_stream(4)
    assert [other() for _ in range(5)] != first[:5]
    again = RandomStreams(7).open_stream(3)
    assert [again() for _ in range(1000)] == first
    assert len(set(first)) > 990


@given(st.integers(1, 10**6), st.integers(0, 2**63 - 1))
def test_scaled_numbers_stay_below_the_limit(limit: int, seed: int) -> None:
    drawn = scale_below(draw_integers(seed, 1, (50,)), limit)
    assert drawn.min() >= 0
    assert drawn.max() < limit


def test_scaled_numbers_are_uniform() -> None:
    counts = np.bincount(scale_below(draw_integers(5, 1, (60_000,)), 6), minlength=6)
    assert np.all(np.abs(counts - 10_000) < 500)
