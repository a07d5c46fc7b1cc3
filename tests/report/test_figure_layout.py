"""Labels that keep apart, names that stay distinct, and looks that do without colour."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.report.display_text import make_labels
from antecede.report.figures.comparisons import format_coefficient, format_p
from antecede.report.figures.layout import (
    LOOKS,
    choose_ink,
    format_percent,
    format_signed,
    spread,
    text_width,
    wrap_notes,
)

PLACES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@given(PLACES, st.floats(0.001, 0.2))
def test_labels_keep_their_distance_order_and_bounds(wanted: list[float], gap: float) -> None:
    places = spread(wanted, gap, 0.0, 1.0)
    room = min(gap, 1 / max(len(wanted) - 1, 1))
    assert np.diff(np.sort(places)) == pytest.approx(np.maximum(np.diff(np.sort(places)), room), abs=1e-9)
    assert places.min() >= -1e-9
    assert places.max() <= 1 + 1e-9
    order = np.argsort(wanted, kind="stable")
    assert (np.diff(places[order]) > 0).all() or len(wanted) == 1


@given(st.lists(st.text(max_size=60), unique=True, max_size=12))
def test_names_that_differ_have_labels_that_differ(names: list[str]) -> None:
    found = make_labels(names, 12)
    assert len({*found}) == len(names)
    assert all(label.isprintable() for label in found)


def test_a_long_name_loses_its_middle_and_a_blank_one_is_said_to_be_one() -> None:
    assert make_labels(["short", "a_very_long_name_of_a_run_v2"], 15) == ["short", "a_very_…_run_v2"]
    assert make_labels(["", "a", "  "]) == ["(no name) [1]", "a", "(no name) [2]"]


def test_no_two_looks_share_a_marker_or_a_colour() -> None:
    for one, other in combinations(LOOKS, 2):
        assert one.marker != other.marker
        assert one.colour != other.colour
        assert (one.line, one.marker) != (other.line, other.marker)


def test_numbers_as_people_read_them() -> None:
    assert format_percent(0.2) == "20\u202f%"
    assert format_signed(-0.25, 1) == "−0.2"
    coefficients = [format_coefficient(value) for value in (1.0, 0.999, 0.5, -0.25, 0.0, float("nan"))]
    assert coefficients == ["1.00", ">.99", ".50", "−.25", ".00", "–"]
    assert [format_p(p) for p in (0.0001, 0.0123, 0.4, 1.0, float("nan"))] == ["<.001", ".012", ".40", "1", "–"]
    assert (choose_ink("#FFFFFF"), choose_ink("#000000"), choose_ink("#0072B2")) == ("black", "white", "white")


def test_notes_are_broken_into_lines_that_fit() -> None:
    notes = wrap_notes(["mark: the mean", "line: its interval", "filled: significant"], 1.2)
    assert " ".join(notes.split()) == "Mark: the mean; line: its interval; filled: significant"
    assert text_width(notes.split("\n"), 7.0) <= 1.2
