"""The analysis of variance against its definition by least squares, and Tukey's test against SciPy and the t test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import f as f_distribution
from scipy.stats import studentized_range

from antecede.comparison.anova import anova
from antecede.errors import UsageError
from tests.comparison.values import anova_of_values, compare_values
from tests.report.sample_results import make_scores


def test_a_worked_example() -> None:
    """Three runs on four topics; the means are .5, .6 and .3, and those of the topics .3, .5, .5 and .5667."""
    table = np.array([[0.3, 0.5, 0.5, 0.7], [0.5, 0.7, 0.5, 0.7], [0.1, 0.3, 0.5, 0.3]])
    found = anova_of_values({"AP": table}, ["a", "b", "c"]).by_measure["AP"]
    # Systems: 4 · (.0333² + .1333² + .1667²) = .18667; topics: 3 · (.1667² + 3 · … ) = .12; error: what is left.
    assert found.squares == pytest.approx((0.186667, 0.12, 0.08), abs=1e-6)
    assert found.freedom == (2, 3, 6)
    assert found.f(0) == pytest.approx(7.0)  # .093333 / .013333
    assert found.p_of_f(0) == pytest.approx(0.027, abs=5e-4)
    assert found.difference.tolist() == pytest.approx([-0.1, 0.2, 0.3])
    # Honestly significant difference: q(.95; 3, 6) = 4.339, times √(.013333 / 4) = .25052.
    assert (found.high - found.difference).tolist() == pytest.approx([0.2505] * 3, abs=2e-4)
    assert [p <= 0.05 for p in found.p] == [False, False, True]


@pytest.mark.parametrize("seed", range(5))
def test_sums_of_squares_are_those_of_least_squares(seed: int) -> None:
    random = np.random.default_rng(seed)
    runs, topics = int(random.integers(2, 7)), int(random.integers(3, 15))
    table = random.random((runs, topics)) + random.random((runs, 1)) + random.random((1, topics))
    found = anova_of_values({"m": table}, [f"r{i}" for i in range(runs)]).by_measure["m"]
    run, topic = np.divmod(np.arange(runs * topics), topics)
    one, of_run, of_topic = np.ones((runs * topics, 1)), np.eye(runs)[run], np.eye(topics)[topic]

    def residual(*parts: np.ndarray) -> float:
        model = np.hstack(parts)
        fitted = model @ np.linalg.lstsq(model, table.ravel(), rcond=None)[0]
        return float(((table.ravel() - fitted) ** 2).sum())

    error = residual(one, of_run, of_topic)
    expected = (residual(one, of_topic) - error, residual(one, of_run) - error, error)
    assert found.squares == pytest.approx(expected, rel=1e-8)
    assert found.p_of_f(0) == pytest.approx(f_distribution.sf(found.f(0), found.freedom[0], found.freedom[2]))
    if runs == 2:
        return
    q = np.abs(found.difference) / np.sqrt(found.mean_squares[2] / topics)
    assert found.p.tolist() == pytest.approx(studentized_range.sf(q, runs, found.freedom[2]).tolist())


def test_two_runs_are_the_paired_t_test() -> None:
    random = np.random.default_rng(3)
    table = random.random((2, 20))
    found = anova_of_values({"m": table}, ["a", "b"]).by_measure["m"]
    paired = compare_values({"m": table}, ["a", "b"], correction="none").by_measure["m"]
    assert found.p[0] == pytest.approx(paired.p[0], rel=1e-6)
    assert found.p_of_f(0) == pytest.approx(paired.p[0], rel=1e-9)


def test_runs_that_differ_by_a_constant_and_runs_that_are_equal() -> None:
    base = np.array([0.1, 0.5, 0.9])
    found = anova_of_values({"m": np.array([base, base + 0.05, base])}, list("abc")).by_measure["m"]
    assert found.p.tolist() == [0.0, 1.0, 0.0]
    assert found.p_of_f(0) == 0.0
    same = anova_of_values({"m": np.array([base, base])}, list("ab")).by_measure["m"]
    assert (same.p.tolist(), same.p_of_f(0)) == ([1.0], 1.0)


def test_topics_that_a_run_lacks_are_left_out_and_counted() -> None:
    table = np.array([[0.1, np.nan, 0.4, 0.3], [0.2, 0.3, 0.4, 0.1]])
    result = anova_of_values({"m": table}, list("ab"))
    assert (result.by_measure["m"].topics, result.by_measure["m"].left_out) == (3, 1)
    assert "1 topics that not every run has are left out." in result.table().notes
    with pytest.raises(UsageError, match="at least two topics that all runs have, not 1"):
        anova_of_values({"m": table[:, :2]}, list("ab"))
    with pytest.raises(UsageError, match="the baseline 'z' is not among the runs; the runs are a, b"):
        anova_of_values({"m": table}, list("ab"), baseline="z")


def test_tables_and_json() -> None:
    result = anova(make_scores(5), alpha=0.01)
    assert len(repr(result)) < 200
    assert [row[1] for row in result.table().rows[:3]] == ["systems", "topics", "error"]
    document = result.to_dict()
    first = next(iter(document["measures"].values()))
    assert len(first["tukey"]) == 10
    assert {pair["significant"] for pair in first["tukey"]} <= {True, False}
    with_baseline = anova(make_scores(5), baseline=result.runs[3])
    assert len(with_baseline.shown_pairs()) == 4
    assert len(result.pairs_table(every=True).rows) == 10 * len(result.measures)
