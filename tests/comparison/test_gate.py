"""The gate: it fails exactly where a measure fell significantly, and counts the topics that only one side has."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from antecede import compare, evaluate, rank_table
from antecede.comparison.gate import FELL, OPEN, ROSE, SAME, WITHIN, gate, read_saved, scores_of
from antecede.errors import AntecedeError, InputError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.comparison.significance import Test

TOPICS = [f"t{at:02d}" for at in range(20)]
QRELS = {topic: {"a": 1, "b": 1, "c": 2} for topic in TOPICS}
Run = dict[str, dict[str, float]]


def ranked(*orders: str) -> Run:
    """A run that gives each topic one of the orders, in turn."""
    return {
        topic: {doc: float(-at) for at, doc in enumerate(orders[place % len(orders)])}
        for place, topic in enumerate(TOPICS)
    }


GOOD, POOR = ranked("abcxyz", "abxcyz"), ranked("xyzabc", "xyaybzc", "axybzc")


def verdicts(*given: Any, **how: Any) -> dict[str, str]:
    return {each.measure: each.verdict for each in gate(QRELS, *given, **how).verdicts}


def test_it_fails_where_a_measure_fell_and_passes_where_it_rose_or_nothing_changed() -> None:
    assert verdicts(POOR, GOOD, "AP") == {"AP": FELL}
    assert verdicts(GOOD, POOR, "AP") == {"AP": ROSE}
    assert verdicts(GOOD, GOOD, ["AP", "R@3"]) == {"AP": SAME, "R@3": SAME}
    assert not gate(QRELS, POOR, GOOD).passed
    assert gate(QRELS, GOOD, POOR).passed
    # More is a fall where less is better.
    assert [*verdicts(POOR, GOOD, "Effort@100(docs=10)").values()] == [FELL]
    assert [*verdicts(GOOD, POOR, "Effort@100(docs=10)").values()] == [ROSE]


def test_a_fall_that_chance_explains_or_that_is_allowed_passes() -> None:
    one_worse = {**GOOD, TOPICS[0]: POOR[TOPICS[0]]}
    found = gate(QRELS, one_worse, GOOD, "AP")
    assert (found.verdicts[0].verdict, found.passed) == (OPEN, True)
    assert found.verdicts[0].difference < 0
    fell = gate(QRELS, POOR, GOOD, "AP").verdicts[0]
    assert gate(QRELS, POOR, GOOD, "AP", drop=-fell.difference).verdicts[0].verdict == WITHIN
    assert gate(QRELS, POOR, GOOD, "AP", drop=-fell.difference - 1e-9).verdicts[0].verdict == FELL


@pytest.mark.parametrize("test", ["t", "wilcoxon", "randomization"])
def test_its_figures_are_those_of_a_comparison(test: Test) -> None:
    found = gate(QRELS, POOR, GOOD, ["AP", "nDCG"], test=test, correction="bonferroni")
    beside = compare(evaluate(rank_table(QRELS, {"now": POOR, "old": GOOD}), ["AP", "nDCG"]), baseline="old", test=test)
    for verdict in found.verdicts:
        theirs = beside.by_measure[verdict.measure]
        assert verdict.p == pytest.approx(theirs.p[0])
        assert verdict.adjusted == pytest.approx(min(1.0, 2 * theirs.p[0]))
        assert (verdict.difference, verdict.low, verdict.high) == pytest.approx(
            (theirs.difference[0], theirs.low[0], theirs.high[0])
        )
    by_topic = evaluate(rank_table(QRELS, {"now": POOR, "old": GOOD}), "AP").of("AP")
    if test == "t":
        assert found.verdicts[0].p == pytest.approx(stats.ttest_rel(*by_topic).pvalue)


def test_saved_scores_serve_as_well_as_the_run(tmp_path: Path) -> None:
    scores_of(QRELS, GOOD, ["AP", "R@3"]).save(tmp_path / "base.json")
    saved, fresh = (gate(QRELS, POOR, baseline) for baseline in (tmp_path / "base.json", GOOD))
    assert [each.measure for each in saved.verdicts] == ["AP", "R@3"]
    again = gate(QRELS, POOR, GOOD, ["AP", "R@3"])
    assert saved.to_dict() == again.to_dict()
    assert len(fresh.verdicts) == 6
    with pytest.raises(UsageError, match="has no PRES@10; it has AP, R@3"):
        gate(QRELS, POOR, tmp_path / "base.json", "PRES@10")


def test_topics_of_one_side_are_counted_and_left_out(tmp_path: Path) -> None:
    scores_of({topic: QRELS[topic] for topic in TOPICS[:15]}, GOOD, "AP").save(tmp_path / "base.json")
    found = gate({topic: QRELS[topic] for topic in TOPICS[3:]}, POOR, tmp_path / "base.json")
    whole = found.to_dict()
    assert (whole["topics"], whole["only_in_baseline"], whole["only_in_run"]) == (12, TOPICS[:3], TOPICS[15:])
    text = str(found)
    assert "3 topics (t00, t01, t02) scored only for the baseline: left out." in text
    assert "5 topics (t15, t16, t17, …)" in text
    assert "different qrels" in text


def test_a_topic_without_results_scores_nothing_and_is_said() -> None:
    lacking = {topic: documents for topic, documents in GOOD.items() if topic not in TOPICS[:6]}
    found = gate(QRELS, lacking, GOOD, "AP")
    assert found.verdicts[0].now == pytest.approx(found.verdicts[0].baseline * 14 / 20, rel=0.02)
    assert "6 topics (t00, t01, t02, …) without results in this run" in str(found)
    assert "only 4 topics" in str(gate({topic: QRELS[topic] for topic in TOPICS[:4]}, POOR, GOOD, "AP"))
    assert found.to_dict()["unanswered"] == {"baseline": [], "run": TOPICS[:6]}


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"test": "z"}, "unknown test 'z'"),
        ({"alpha": 2.0}, "alpha must lie"),
        ({"drop": -0.1}, "drop must be 0 or more"),
        ({"measures": "GMAP"}, "defined for a set of topics only"),
        ({"measures": "Effort@100"}, "never gets there"),
        ({"qrels": {TOPICS[0]: QRELS[TOPICS[0]]}}, "have 1 topics in common"),
    ],
)
def test_what_cannot_be_tested_is_refused(how: dict[str, Any], message: str) -> None:
    poor = ranked("xyz", "abx")
    with pytest.raises(AntecedeError, match=message):
        gate(**{"qrels": QRELS, "run": poor, "baseline": GOOD, **how})


good_file = json.dumps(scores_of(QRELS, GOOD, ["AP", "R@3"]).to_dict())


@given(st.binary(max_size=40) | st.integers(0, len(good_file) - 1).map(lambda cut: good_file[:cut].encode()))
def test_a_damaged_file_is_refused_and_never_read_in_part(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.mktemp("gate") / "base.json"
    path.write_bytes(data)
    with pytest.raises(InputError):
        read_saved(path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("scores", {"AP": {"t": "x"}}),
        ("measures", [3]),
        ("version", 2),
        ("scores", {"AP": {"t00": 1.25}, "R@3": {"t00": 1.0}}),
        ("scores", {"AP": {"t00": True}, "R@3": {"t00": 1.0}}),
        ("scores", {"AP": {"t00": 10**400}, "R@3": {"t00": 1.0}}),
        ("scores", {"AP": {"t00": 0.5}, "R@3": {"t00": 1.0}, "P@3": {"t00": 1.0}}),
        ("measures", ["AP", "map"]),
        ("unanswered", "t00"),
        ("unanswered", ["t00", "t00"]),
        ("run", 7),
    ],
)
def test_a_file_of_the_wrong_shape_is_refused(tmp_path: Path, key: str, value: object) -> None:
    path = tmp_path / "base.json"
    path.write_text(json.dumps({**json.loads(good_file), key: value}))
    with pytest.raises(AntecedeError):
        read_saved(path)
    path.write_text(good_file.replace('"t00": ', '"t00": 0.125, "t00": ', 1))
    with pytest.raises(InputError, match="a name occurs twice"):
        read_saved(path)
