"""Results in a notebook: one line each, frames of pandas, and the names that `dir()` lists."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import antecede as ac
from antecede.adapters.frames import to_pandas
from antecede.results import LONGEST, to_json
from antecede.study import Crossing
from tests.report.sample_results import (
    make_agreement,
    make_comparison,
    make_correlations,
    make_robustness,
    make_scores,
)

if TYPE_CHECKING:
    from collections.abc import Callable

TABLED: dict[str, Callable[[], object]] = {
    "Scores": lambda: make_scores(48),
    "Comparison": lambda: make_comparison(40),
    "Agreement": make_agreement,
    "Correlations": make_correlations,
    "Cutoffs": lambda: ac.study.cutoffs(make_scores(12).rank_table, ("AP",), at=(5, 10)),
    "Robustness": make_robustness,
    "Audit": lambda: ac.audit(make_scores(30).rank_table),
    "Anova": lambda: ac.anova(make_scores(5)),
    "Gate": lambda: ac.gate(
        {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}},
        {"1": {"a": 1.0}, "2": {"x": 1.0}, "3": {"c": 1.0}},
        {"1": {"a": 1.0}, "2": {"b": 1.0}, "3": {"c": 1.0}},
        "R@5",
    ),
    "Table": lambda: make_scores(48).table(),
    "RankTable": lambda: make_scores(48).rank_table,
    "Run": lambda: ac.read_run({"1": {f"d{i}": float(-i) for i in range(2000)}}),
}


@pytest.mark.parametrize("name", TABLED)
def test_results_are_one_line_and_become_frames(name: str) -> None:
    result = TABLED[name]()
    line = repr(result)
    assert line.startswith(f"{name}(")
    assert len(line) <= LONGEST
    assert "\n" not in line
    pytest.importorskip("pandas")
    frame = result.to_pandas()  # type: ignore[attr-defined]
    assert len(frame) > 0
    if name != "Table":
        assert not [each for each in dir(result) if each.startswith("_")]
        assert "to_pandas" in dir(result)


def test_other_results_are_one_line_too() -> None:
    qrels = ac.read_qrels({"1": {f"d{i}": 1 for i in range(5000)}})
    assert len(repr(qrels)) <= LONGEST
    assert len(repr(ac.parse_measure("PRES@100").definition)) <= LONGEST
    assert len(repr(ac.study.published(samples=1))) <= LONGEST


@pytest.mark.parametrize("name", TABLED)
def test_without_pandas_one_line_says_what_to_do_and_that_works(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    result: Any = TABLED[name]()
    for call in (result.to_pandas, partial(to_pandas, result)):
        with pytest.raises(
            ac.UsageError, match=r"pandas is not installed; install it \(pip install pandas\), or use to_polars"
        ):
            call()
    assert len(result.to_polars()) > 0


def test_a_result_becomes_json_without_nan_and_arrays() -> None:
    value = {1: (np.float64("nan"), np.inf, 0.5), "runs": np.array([[1, 2]]), "flag": np.bool_(True), "none": None}
    expected = {"1": [None, None, 0.5], "runs": [[1, 2]], "flag": True, "none": None}
    assert json.loads(json.dumps(to_json(value), allow_nan=False)) == expected
    crossing = Crossing("AP", "a", "b", 3, 5, float("nan"))
    assert to_json([crossing])[0] == {"measure": "AP", "first": "a", "second": "b", "before": 3, "at": 5, "gap": None}
