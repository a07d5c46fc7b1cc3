"""The mixed model equals statsmodels; on one topic per collection it is the paired t test of several runs."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

import antecede as ac
from antecede.comparison.mixed_model import fit, read_collections

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.comparison.inputs import Floats, Ints


def make_scores(sizes: tuple[int, ...], between: float) -> tuple[Floats, Ints]:
    rng = np.random.default_rng(len(sizes))
    group = np.repeat(np.arange(len(sizes)), sizes)
    own = rng.normal(0.3, 0.4, len(sizes))[group] + rng.normal(0, 0.1, len(group))
    effects = np.array([[0.0], [0.03], [0.06]]) + rng.normal(0, between, (3, len(sizes)))[:, group]
    return own + effects + rng.normal(0, 0.05, (3, len(group))), group


@pytest.mark.parametrize(("sizes", "between"), [((12, 12, 12, 12), 0.05), ((5, 20, 9, 14, 11), 0.04)])
def test_it_equals_statsmodels(sizes: tuple[int, ...], between: float) -> None:
    scores, group = make_scores(sizes, between)
    rows = {"y": scores.ravel(), "run": np.repeat(range(3), len(group)), "c": np.tile(group, 3)}
    frame = pd.DataFrame(rows | {"t": np.tile(range(len(group)), 3)})
    parts = {"topic": "0 + C(t)", "run": "0 + C(run)"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = smf.mixedlm("y ~ C(run)", frame, groups="c", re_formula="1", vc_formula=parts)
        fits = [model.fit(reml=True, method=method, gtol=1e-12) for method in (["powell", "lbfgs"], "bfgs")]
    theirs = max(fits, key=lambda result: result.llf)  # an optimiser may stop early
    ours = fit(scores, group)
    assert ours.effects[1:] - ours.effects[0] == pytest.approx(theirs.fe_params.to_numpy()[1:], abs=1e-6)
    components = dict(zip(theirs.model.exog_vc.names, theirs.vcomp, strict=True))
    assert [ours.between, ours.within] == pytest.approx([components["run"], theirs.scale], abs=1e-6)
    components["collection"] = float(theirs.cov_re.iloc[0, 0])
    assert ours.error == pytest.approx(error_of_difference(frame, components, ours.within))


def error_of_difference(frame: pd.DataFrame, components: dict[str, float], within: float) -> float:
    """By generalised least squares with whole matrices; `bse_fe` of statsmodels takes the variances as uncertain."""
    same = {name: np.equal.outer(frame[name].to_numpy(), frame[name].to_numpy()) for name in ("c", "t", "run")}
    variance = components["collection"] * same["c"] + components["topic"] * same["t"] + within * np.eye(len(frame))
    variance += components["run"] * (same["c"] & same["run"])
    design = np.stack([np.ones(len(frame)), frame["run"] == 1, frame["run"] == 2], axis=1).astype(float)
    return float(np.sqrt(np.linalg.inv(design.T @ np.linalg.solve(variance, design))[1, 1]))


def test_without_a_variance_between_collections_it_is_the_analysis_of_variance() -> None:
    scores, group = make_scores((8, 8, 8), 0.0)
    means = np.array([scores[:, group == c].mean(axis=1) for c in range(3)]).mean(axis=0)
    scores -= (np.array([scores[:, group == c].mean(axis=1) for c in range(3)]).T - means[:, None])[:, group]
    ours = fit(scores, group)
    centred = scores - scores.mean(axis=0)
    residual = centred - centred.mean(axis=1, keepdims=True)
    assert ours.between == 0
    assert ours.within == pytest.approx((residual**2).sum() / (2 * 23), abs=1e-12)


QRELS = {f"t{n}": {"d": 1} for n in range(12)}
COLLECTIONS = {f"t{n}": "ABC"[n % 3] for n in range(12)}


def evaluate_runs() -> ac.Scores:
    rng = np.random.default_rng(5)
    runs = {
        name: {t: {**{f"x{i}": 1.0 + i for i in range(rng.integers(0, 5))}, "d": 0.5} for t in QRELS} for name in "abc"
    }
    return ac.evaluate(ac.rank_table(QRELS, runs), "RR")


def test_topics_are_pooled_by_their_collection() -> None:
    result = ac.study.mixed(evaluate_runs(), collections=COLLECTIONS, baseline="a")
    assert [row[1:3] for row in result.table().rows] == [("b", "a"), ("c", "a")]
    assert "3 collections, 12 topics" in str(result)
    assert "3 collections tell little" in str(result)
    with pytest.raises(ac.UsageError, match=r"collections: 1 topics have no collection \(t0\)"):
        ac.study.mixed(evaluate_runs(), collections={t: c for t, c in COLLECTIONS.items() if t != "t0"})
    with pytest.raises(ac.UsageError, match="RR: the topics are of 1 collection; a mixed model needs two"):
        ac.study.mixed(evaluate_runs(), collections=dict.fromkeys(QRELS, "A"))


def test_the_file_of_collections(tmp_path: Path) -> None:
    path = tmp_path / "c.txt"
    path.write_text("# topic collection\n1 trec7\n2 trec8\n")
    assert read_collections(str(path)) == {"1": "trec7", "2": "trec8"}
    for text, message in (("1 a b\n", "has 3 columns"), ("1 a\n1 b\n", "names a topic again")):
        path.write_text(text)
        with pytest.raises(ac.InputError, match=f"{message}; write one topic and its collection"):
            read_collections(str(path))
