"""Two judges: known agreement, known effects on the order of the runs, and clear errors where nothing is common."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import antecede as ac
from antecede.errors import InputError, UsageError
from antecede.study.judges import CATEGORIES
from tests.study.worlds import graded_world

Qrels = dict[str, dict[str, int]]


def lower(qrels: Qrels, share: float, seed: int = 1) -> Qrels:
    """A copy in which a share of the relevant documents are not relevant."""
    rng = np.random.default_rng(seed)
    return {t: {d: 0 if g and rng.random() < share else g for d, g in judged.items()} for t, judged in qrels.items()}


def test_a_judge_agrees_completely_with_himself() -> None:
    qrels, runs = graded_world(6, 12, 0.5)
    found = ac.study.judges(qrels, qrels, runs, "AP,RR,P@5,GMAP", samples=50)
    coefficients = found.agreement.coefficients()
    assert set(coefficients.values()) == {1.0}
    for each in found.changes:
        assert (each.tau, each.rbo, each.bias) == pytest.approx((1, 1, 0))
        assert not each.drops.any()
        assert each.reversals == ()
        assert sum(each.categories) == 15
        assert not any(each.categories[2:4])
    assert found.agreement.intervals["Cohen's κ"] == (1.0, 1.0)


def test_the_order_of_the_runs_is_that_of_two_separate_evaluations() -> None:
    qrels, runs = graded_world(6, 12, 0.5)
    other = lower(qrels, 0.5)
    found = ac.study.judges(qrels, other, runs, "AP,PRES@20,nDCG@10,Effort(docs=40)@80", samples=10)
    for each in found.changes:
        totals = [ac.evaluate(ac.rank_table(each_qrels, runs), each.measure).totals[0] for each_qrels in (qrels, other)]
        assert np.allclose(each.totals, totals)
        assert each.tau == pytest.approx(stats.kendalltau(*totals).statistic)
        differences = totals[1] - totals[0]
        assert each.bias == pytest.approx(differences.mean())
        assert each.limits == pytest.approx(
            differences.mean() + np.array([-1.96, 1.96]) * differences.std(ddof=1), rel=1e-4
        )


def test_overlap_by_grade_by_hand() -> None:
    first = {"1": {"a": 2, "b": 1, "c": 0, "d": 0}, "2": {"a": 1, "b": 0}}
    second = {"1": {"a": 1, "b": 1, "c": 2, "d": 0}, "2": {"a": 0, "b": 0}}
    found = ac.study.judges(first, second, samples=10).agreement
    assert found.overlap() == {1: (3, 3, 2), 2: (1, 1, 0)}
    assert found.topic_overlap(1) == pytest.approx((2 / 3 + 0) / 2)
    assert found.counts.tolist() == [[2, 0, 1], [1, 1, 0], [0, 1, 0]]


def test_documents_that_one_judged_are_left_out_or_not_relevant() -> None:
    first, second = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1, "c": 1}}
    found = ac.study.judges(first, second, samples=10).agreement
    assert (found.judged, found.only) == (1, (1, 1))
    united = ac.study.judges(first, second, unjudged="nonrelevant", samples=10).agreement
    assert united.counts.tolist() == [[1, 1], [0, 1]]


def test_a_significant_reversal_is_found() -> None:
    """Each judge finds relevant what only one of the runs ranks first."""
    rng = np.random.default_rng(0)
    topics = [str(topic) for topic in range(20)]
    first = {t: {"a": 1, "b": 0, **{f"x{i}": int(rng.random() < 0.2) for i in range(9)}} for t in topics}
    second = {t: {**judged, "a": 0, "b": 1} for t, judged in first.items()}
    rest = {f"x{i}": 1.0 / (i + 1) for i in range(9)}
    runs = {
        "likes a": {t: {"a": 9.0, **rest} for t in topics},
        "likes b": {t: {"b": 9.0, **rest} for t in topics},
    }
    (each,) = ac.study.judges(first, second, runs, "RR", samples=10).changes
    assert [tuple(["likes a", "likes b"][run] for run in pair) for pair in each.reversals] == [("likes a", "likes b")]
    assert dict(zip(CATEGORIES, each.categories, strict=True))["both significant, opposite"] == 1
    assert (each.tau, int(each.drops.max())) == (-1.0, 1)


def test_a_preference_for_a_group_is_found_and_its_absence_too() -> None:
    rng = np.random.default_rng(3)
    topics = [str(topic) for topic in range(15)]
    first: Qrels = {t: {f"d{d}": int(rng.random() < 0.3) for d in range(30)} for t in topics}
    for judged in first.values():
        judged["d0"] = 1
    second = {t: {**judged, **{f"n{d}": 1 for d in range(4)}} for t, judged in first.items()}
    first = {t: {**judged, **{f"n{d}": 0 for d in range(4)}} for t, judged in first.items()}
    runs = {}
    for r in range(10):
        neural = r % 2 == 0
        runs[f"r{r}"] = {
            t: {d: g + rng.standard_normal() + (3 if neural and d.startswith("n") else 0) for d, g in judged.items()}
            for t, judged in first.items()
        }
    groups = {name: "neural" if int(name[1:]) % 2 == 0 else "lexical" for name in runs}
    (each,) = ac.study.judges(first, second, runs, "AP", groups=groups, samples=2000).changes
    preference = {bias.group: bias for bias in each.groups}
    assert preference["neural"].preference > 0.1
    assert preference["neural"].preference == pytest.approx(-preference["lexical"].preference)
    design = np.column_stack([np.ones(10), each.totals[0], [name.endswith(("0", "2", "4", "6", "8")) for name in runs]])
    slope = np.linalg.lstsq(design, each.totals[1], rcond=None)[0][2]
    assert preference["neural"].preference == pytest.approx(slope)
    assert preference["neural"].p < 0.02
    (same,) = ac.study.judges(first, first, runs, "AP", groups=groups, samples=200).changes
    assert all(bias.p == 1 for bias in same.groups)


def test_nothing_in_common_is_a_clear_error() -> None:
    with pytest.raises(InputError, match=r"no topic in common .*its topics: 1 …; theirs: 2 ….*same topics"):
        ac.study.judges({"1": {"a": 1}}, {"2": {"a": 1}})
    with pytest.raises(InputError, match=r'no document is judged by both, in 1 common topics.*unjudged="nonrelevant"'):
        ac.study.judges({"1": {"a": 1}}, {"1": {"b": 1}})
    runs = {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}}
    with pytest.raises(UsageError, match="no topic has a relevant document under both"):
        ac.study.judges({"1": {"a": 1, "b": 0}}, {"1": {"a": 0, "b": 0}}, runs, "AP")
    with pytest.raises(UsageError, match="at least two"):
        ac.study.judges({"1": {"a": 1}}, {"1": {"a": 1}}, {"x": runs["x"]}, "AP")


def test_topics_of_one_judge_are_counted() -> None:
    found = ac.study.judges({"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1}, "3": {"a": 0}, "4": {"a": 1}}, samples=5)
    assert (found.topics, found.only) == (("1",), (("2",), ("3", "4")))
    assert "3 topics that only one judged are left out." in found.notes()
    with pytest.raises(UsageError, match="'2' is not judged by both"):
        ac.study.judges({"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1}}, topics=["2"])
