"""Scores by cut-off, and where runs change places."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from antecede.errors import AntecedeError
from antecede.evaluation import evaluate
from antecede.study import Crossing, cutoffs
from antecede.study.cutoffs import find_crossings
from tests.study.worlds import drawn_table, table_from

# Run a has one of two documents at rank 1, run b both at ranks 3 and 4.
TWO = table_from([[(1, (1, 3)), (1, (0, 4))]])


def test_where_recall_changes_places_by_hand() -> None:
    """R: a is ahead at 1 and 2, both have 1/2 at 3, b is ahead from 4 on."""
    result = cutoffs(TWO, "R", at=[1, 3, 5])
    np.testing.assert_allclose(result.scores[0], [[0.5, 0.5, 0.5], [0, 0.5, 1]])
    assert result.crossings == (Crossing("R", "a", "b", 2, 4, 0.5),)
    assert result.grid.tolist() == [1, 2, 3, 4, 5]


def test_scores_are_those_of_an_evaluation() -> None:
    table = drawn_table(4)
    result = cutoffs(table, ["AP", "nDCG(gain=exp)", "PRES(rel=2)"], at=[20, 5, 11, 5])
    assert result.at == (5, 11, 20)
    assert result.measures == ("AP", "nDCG(gain=exp)", "PRES(rel=2)")
    for place, cutoff in enumerate(result.at):
        expected = evaluate(table, [f"AP@{cutoff}", f"nDCG(gain=exp)@{cutoff}", f"PRES(rel=2)@{cutoff}"]).totals
        np.testing.assert_allclose(result.scores[:, :, place], expected, rtol=1e-12)
    np.testing.assert_array_equal(result.curves[:, :, [0, 6, 15]], result.scores)


def test_where_less_is_better_the_lower_one_is_ahead() -> None:
    result = cutoffs(drawn_table(4), "RBPresidual(p=0.8)", at=[1, 12])
    assert result.crossings
    for each in result.crossings:
        first, second = (result.curves[0, result.runs.index(name)] for name in (each.first, each.second))
        assert first[each.before - 1] < second[each.before - 1]
        assert first[each.at - 1] > second[each.at - 1]


@given(
    totals=arrays.arrays(
        np.float64, st.tuples(st.integers(1, 4), st.integers(1, 12)), elements=st.sampled_from([0, 1, 2])
    )
)
def test_crossings_equal_a_walk_along_the_curves(totals: np.ndarray) -> None:
    runs = [f"r{number}" for number in range(len(totals))]
    grid = np.arange(10, 10 + totals.shape[1])
    expected = []
    for i in range(len(runs)):
        for j in range(i + 1, len(runs)):
            ahead, since = None, 0
            for place, cutoff in enumerate(grid.tolist()):
                lead = totals[i, place] - totals[j, place]
                if lead == 0:
                    continue
                now = (runs[i], runs[j]) if lead > 0 else (runs[j], runs[i])
                if ahead is not None and now != ahead:
                    expected.append(Crossing("M", ahead[0], ahead[1], since, cutoff, abs(float(lead))))
                ahead, since = now, cutoff
    assert list(find_crossings("M", runs, totals, grid)) == expected


def test_tables_and_json() -> None:
    result = cutoffs(TWO, "R,PRES", at=[1, 5])
    table = result.table()
    assert table.columns == ("measure", "run", "@1", "@5")
    assert [row[:2] for row in table.rows] == [("R", "a"), ("R", "b"), ("PRES", "a"), ("PRES", "b")]
    assert {(0, 2), (1, 3)} <= table.best
    assert table.notes == ("Pairs of runs that change places between 1 and 5: R: 1 of 1, PRES: 1 of 1.",)
    assert result.crossings_table().rows[0][:5] == ("R", "a", 2, "b", 4)
    assert "1 more are not shown" in result.crossings_table(most=1).notes[1]
    document = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert document["runs"][1]["scores"]["R"] == {"1": 0.0, "5": 1.0}
    assert document["crossings"][0] == {"measure": "R", "first": "a", "second": "b", "before": 2, "at": 4, "gap": 0.5}
    alone = cutoffs(TWO.select(["b"]), "R", at=[3])
    assert (alone.scores.tolist(), alone.crossings, alone.table().notes) == ([[[0.5]]], (), ())


@pytest.mark.parametrize(
    ("measures", "at", "message"),
    [
        ("PRES@100", [10], "without a cut-off here"),
        ("Bpref", [10], "Bpref has no cut-off to vary"),
        ("nonsense", [10], "unknown measure 'nonsense'"),
        ([], [10], "no measure is named"),
        ("R", [], "no cut-off is given"),
        ("R", [0], "0 is not a cut-off"),
        ("R", [1, 10**6], "too many cut-offs"),
        ("R,AP(rel=9)", [1, 10], r"AP\(rel=9\)@1: no topic has a document of relevance 9 or more"),
    ],
)
def test_calls_that_make_no_sense_are_refused_in_one_line(measures: str, at: list[float], message: str) -> None:
    with pytest.raises(AntecedeError, match=message) as caught:
        cutoffs(TWO, measures, at=at)
    assert "\n" not in str(caught.value)
