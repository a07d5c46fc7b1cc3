"""Measures of reproducibility: worked by hand, by their definitions, and equal to what repro_eval gives for these runs.

The figures of `REPRO_EVAL` are those of repro_eval 0.5.0 (`KTU`, `RBO` to depth 40, `RMSE`, `nRMSE`, `ttest`, `ER`,
`DRI`) for the runs of `make_runs`, with the scores of trec_eval.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import antecede as ac
from antecede.study.reproducibility import EFFECTS, overlap, tau_union

TOPICS, DOCUMENTS = 12, 40
Runs = dict[str, dict[str, dict[str, float]]]


def make_runs(seed: int, noise: float) -> Runs:
    """A baseline and an advanced run: documents by their relevance and noise of their own."""
    runs: Runs = {"base": {}, "advanced": {}}
    for topic in range(TOPICS):
        common, own = np.random.default_rng(topic), np.random.default_rng([seed, topic])
        quality = common.normal(size=DOCUMENTS) - np.arange(DOCUMENTS) / 20
        for name, gain in (("base", 0.3), ("advanced", 0.8)):
            scores = gain * quality + common.normal(size=DOCUMENTS) + noise * own.normal(size=DOCUMENTS)
            runs[name][f"t{topic}"] = {f"d{d:02}": float(round(score, 6)) for d, score in enumerate(scores)}
    return runs


QRELS = {f"t{topic}": {f"d{d:02}": int(d < 4 + topic % 5) for d in range(30)} for topic in range(TOPICS)}
REPRO_EVAL: dict[str, Any] = {
    "orders": {
        "base": (0.10555555555555668, 0.7794062500803407),
        "advanced": (0.14957264957264835, 0.8146135291878455),
    },
    "AP": {
        "base": {"p": 0.6389788226418858, "RMSE": 0.04982304045666456, "nRMSE": 0.06573217120396464},
        "advanced": {
            "p": 0.6867412635978004,
            "RMSE": 0.035347633340152444,
            "nRMSE": 0.049097658017674274,
            "effect ratio": 1.0551956870683437,
            "ΔRI": -0.01804768123908468,
        },
    },
    "P@10": {
        "base": {"p": 0.4627244947100458, "RMSE": 0.1118033988749895, "nRMSE": 0.1364200199246001},
        "advanced": {
            "p": 0.3388006961962017,
            "RMSE": 0.05773502691896258,
            "nRMSE": 0.07332355751067665,
            "effect ratio": 1.25,
            "ΔRI": -0.08133971291866052,
        },
    },
}
REPLICATED = {
    "AP": {"base": (0.8164959108042902,), "advanced": (0.9367279393740169, 1.0551956870683437, -0.01804768123908468)},
    "P@10": {"base": (0.4880076826699522,), "advanced": (0.6847763492327346, 1.25, -0.08133971291866052)},
}


def study(**options: Any) -> Any:
    runs = {"qrels": QRELS, "runs": make_runs(1, 0.5), "original": make_runs(0, 0.0)}
    return ac.study.reproducibility(**{**runs, "measures": ["AP", "P@10"], "baseline": "base", **options})


def test_it_equals_repro_eval() -> None:
    result = study()
    for run in ("base", "advanced"):
        assert result.orders[run] == pytest.approx(REPRO_EVAL["orders"][run], abs=1e-12)
        for measure in ("AP", "P@10"):
            ours = dict(zip(EFFECTS, result.scores[measure][run], strict=True))
            theirs = REPRO_EVAL[measure][run]
            assert {name: ours[name] for name in theirs} == pytest.approx(theirs, abs=1e-9), (measure, run)
    assert np.isnan(result.scores["AP"]["base"][-2:]).all()


def rename(topics: dict[str, Any]) -> dict[str, Any]:
    return {f"u{name}": of for name, of in topics.items()}


def test_on_other_topics_it_is_replicated() -> None:
    old = {name: rename(run) for name, run in make_runs(0, 0.0).items()}
    result = study(original=old, original_qrels=rename(QRELS))
    for measure, of_run in REPLICATED.items():
        for run, expected in of_run.items():
            values = result.scores[measure][run]
            assert values[4 : 4 + len(expected)] == pytest.approx(expected, abs=1e-9)
            assert np.isnan(values[2:4]).all()
    assert result.orders == {}
    assert len(result.tables()) == 1
    assert "Replicated: 12 topics, 12 of the originals" in str(result)


def test_a_run_reproduces_itself() -> None:
    result = study(runs=make_runs(0, 0.0))
    assert result.orders["base"] == pytest.approx((1.0, 1.0))
    original, reproduced, error, share, p, ratio, relative = result.scores["AP"]["advanced"]
    assert (original, error, share, p, ratio, relative) == (reproduced, 0, 0, 1, 1, 0)
    assert result.to_dict()["runs"][1]["measures"]["AP"]["effect_ratio"] == 1


def test_orders_worked_by_hand() -> None:
    # The union is a b c d: places 0 1 2 against 1 0 3. Of three pairs of ranks, two agree.
    assert tau_union(["a", "b", "c"], ["b", "a", "d"]) == pytest.approx(1 / 3)
    assert np.isnan(tau_union(["a"], ["a"]))
    # In common at depths 1, 2, 3: none, both, both.
    weights = np.array([1, 0.5, 0.25])
    assert overlap(["a", "b", "c"], ["b", "a", "d"], 3, 0.5) == pytest.approx((weights * [0, 1, 2 / 3]).sum() / 1.75)
    assert overlap(["a"], ["b"], 10, 0.9) == 0


def test_each_run_needs_an_original_and_the_baseline_is_a_run() -> None:
    with pytest.raises(ac.UsageError, match="original: there are 2 runs and 1 originals; name one for each"):
        study(original=[make_runs(0, 0.0)["base"]])
    with pytest.raises(ac.UsageError, match="the baseline 'nosuch' is not among the runs"):
        study(baseline="nosuch")
