"""The gate: it fails where a measure fell, a loss is not excluded or an answer is lost, and says what it tested."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from antecede import compare, evaluate, rank_table
from antecede.comparison.gate import FELL, NOT_EXCLUDED, OPEN, ROSE, SAME, WITHIN, gate, read_saved, scores_of
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
    scores_of(QRELS, {"baseline": GOOD}, ["AP", "R@3"]).save(tmp_path / "base.json")
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


def test_an_answer_that_only_the_baseline_has_fails_unless_it_is_permitted(tmp_path: Path) -> None:
    """One topic of twenty: far from significant, but its results are gone."""
    lacking = {topic: documents for topic, documents in GOOD.items() if topic != TOPICS[7]}
    found = gate(QRELS, lacking, GOOD, "AP")
    assert (found.verdicts[0].verdict, found.passed, found.lost) == (OPEN, False, (TOPICS[7],))
    assert found.failures == ("1 topic (t07) answered by the baseline only",)
    assert "Gate: failed, 1 topic (t07) answered by the baseline only." in str(found)
    permitted = gate(QRELS, lacking, GOOD, "AP", allow_lost=1)
    assert (permitted.passed, permitted.lost) == (True, (TOPICS[7],))
    assert "whether more than 1 answers are lost" in str(permitted)
    assert gate(QRELS, GOOD, lacking, "AP").passed  # an answer that is new
    scores_of(QRELS, lacking, "AP").save(tmp_path / "base.json")
    assert gate(QRELS, lacking, tmp_path / "base.json").passed  # the baseline had none either


def test_further_measures_let_no_fall_pass() -> None:
    """With a correction, a measure fails alone and passes in company."""
    worse = {**GOOD, **{topic: POOR[topic] for topic in TOPICS[:5]}}
    alone = gate(QRELS, worse, GOOD, "AP").verdicts[0]
    measures = ["AP", "R@1", "R@2", "R@3", "nDCG", "P@5"]
    assert gate(QRELS, worse, GOOD, measures).verdicts[0] == alone
    assert alone.verdict == FELL
    assert alone.p < 0.05 < gate(QRELS, worse, GOOD, measures, correction="bonferroni").verdicts[0].adjusted


def test_a_margin_fails_what_the_interval_does_not_exclude() -> None:
    one_worse = {**GOOD, TOPICS[0]: POOR[TOPICS[0]]}
    found = gate(QRELS, one_worse, GOOD, "AP").verdicts[0]
    assert (found.verdict, found.loss) == (OPEN, -found.low)
    for margin, verdict in ((found.loss, NOT_EXCLUDED), (found.loss + 1e-9, OPEN)):
        again = gate(QRELS, one_worse, GOOD, "AP", margin=margin)
        assert (again.verdicts[0].verdict, again.passed) == (verdict, verdict == OPEN)
    assert gate(QRELS, GOOD, GOOD, "AP", margin=1e-9).verdicts[0].verdict == SAME
    assert gate(QRELS, POOR, GOOD, "AP", margin=1e-9).verdicts[0].verdict == FELL
    # A permitted drop passes the test, but its loss is not excluded; where less is better, a loss is a rise.
    assert gate(QRELS, POOR, GOOD, "AP", margin=0.01, drop=1).verdicts[0].verdict == NOT_EXCLUDED
    effort = gate(QRELS, one_worse, GOOD, "Effort@100(docs=10)", margin=0.01).verdicts[0]
    assert (effort.verdict, effort.loss) == (NOT_EXCLUDED, effort.high)


def test_what_was_tested_and_what_not_is_said(tmp_path: Path) -> None:
    scores_of(QRELS, GOOD, ["AP", "R@3"]).save(tmp_path / "base.json")
    one_worse = {**GOOD, TOPICS[0]: POOR[TOPICS[0]]}
    text = str(gate(QRELS, one_worse, tmp_path / "base.json", "AP"))
    assert "Tested: whether a measure fell (p: t test, two-sided, each measure alone, α = 0.05)" in text
    assert "Not tested: how large a loss may be; the intervals leave up to 0.1542 (AP) open (margin=)" in text
    assert "R@3, which the baseline has (measures=)." in text
    whole = gate(QRELS, one_worse, tmp_path / "base.json", margin=0.5, drop=0.1)
    assert whole.untested == ()
    assert "by more than 0.1 (p:" in str(whole)
    assert "whether the 95 % interval excludes a loss of 0.5" in str(whole)
    assert "Not tested" not in str(whole)


def test_the_order_of_topics_changes_no_verdict() -> None:
    worse = {**GOOD, **{topic: POOR[topic] for topic in TOPICS[:5]}}
    turned = dict(reversed(QRELS.items()))
    assert gate(QRELS, worse, GOOD, "AP").verdicts == gate(turned, worse, GOOD, "AP").verdicts


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"test": "z"}, "unknown test 'z'"),
        ({"alpha": 2.0}, "alpha must lie"),
        ({"drop": -0.1}, "drop, the permitted decrease of the mean, must be 0 or more"),
        ({"margin": 0.0}, "margin, the loss that has to be excluded, must be more than 0"),
        ({"allow_lost": -1}, "the number of topics that may be lost must be 0 or more"),
        ({"measures": "AP(rel=3),AP"}, r"AP\(rel=3\): no topic has a document of relevance 3 or more"),
        ({"measures": "GMAP"}, "defined for a set of topics only"),
        ({"measures": "Effort@100"}, "never gets there"),
        ({"qrels": {TOPICS[0]: QRELS[TOPICS[0]]}}, "have 1 topic in common"),
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
