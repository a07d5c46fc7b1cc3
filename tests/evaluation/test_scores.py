"""Scores: what counts in a mean, what is left out and said so, and the forms they come in."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import polars as pl
import pytest

import antecede as ac
from antecede import MeasureError, RankTable, Scores, UsageError, compare, evaluate, rank_table

JUDGED = {
    "1": {"a": 1, "b": 2, "n": 0},
    "2": {"a": 1},
    "3": {"a": 1, "b": 1},
    "4": {"n": 0},  # nothing relevant
}
RUNS = {
    "full": {"1": {"b": 9.0, "a": 8.0}, "2": {"x": 2.0, "a": 1.0}, "3": {"a": 2.0, "b": 1.0}, "4": {"n": 1.0}},
    "part": {"1": {"a": 9.0, "x": 8.0}, "4": {"n": 1.0}, "99": {"a": 1.0}},
}


@pytest.fixture(scope="module")
def table() -> RankTable:
    return rank_table(JUDGED, RUNS)


def totals(scores: Scores) -> dict[str, dict[str, float | None]]:
    return {run["name"]: run["scores"] for run in scores.to_dict()["runs"]}


def test_a_topic_without_results_scores_0_or_is_left_out_of_that_run(table: RankTable) -> None:
    zero, skip = evaluate(table, "R@10"), evaluate(table, "R@10", missing="skip")
    assert totals(zero) == {"full": {"R@10": 1.0}, "part": {"R@10": pytest.approx(0.5 / 3)}}
    assert totals(skip) == {"full": {"R@10": 1.0}, "part": {"R@10": 0.5}}
    assert np.isnan(skip.of("R@10")).tolist() == [[False] * 3, [False, True, True]]
    assert [run["counts"]["topics_missing"] for run in zero.to_dict()["runs"]] == [0, 2]
    assert "part (2): topics without results score 0" in zero.table().notes
    line = "part (1 of 3): mean over the topics with results only, not comparable with a mean over all topics"
    assert line in skip.table().notes
    assert [run.get("topics") for run in skip.to_dict()["runs"]] == [None, 1]
    per_topic = skip.to_dict(per_topic=True)["runs"]
    assert [list(run["per_topic"]) for run in per_topic] == [["1", "2", "3"], ["1"]]


def test_a_topic_without_a_relevant_document_is_left_out_or_scores_0(table: RankTable) -> None:
    skip, zero = evaluate(table, "R@10"), evaluate(table, "R@10", no_relevant="zero")
    assert (skip.topics, zero.topics) == (("1", "2", "3"), ("1", "2", "3", "4"))
    assert totals(zero)["full"] == {"R@10": 0.75}
    assert skip.to_dict()["topics_without_relevant"] == 1
    assert "1 topics of the qrels have no relevant document and are left out" in skip.table().notes
    assert "1 topics of the qrels have no relevant document and score 0" in zero.table().notes
    assert "99" not in str(skip), "a topic without qrels is counted, and nothing else"
    assert skip.to_dict()["runs"][1]["counts"]["topics_unjudged"] == 1


def test_measures_that_look_further_than_the_runs_hold_documents_are_named_once() -> None:
    def run(*lengths: int) -> dict[str, dict[str, float]]:
        return {str(topic): {f"d{at}": -at for at in range(length)} for topic, length in enumerate(lengths)}

    qrels = {str(topic): {"d0": 1} for topic in range(3)}
    note = "runs hold 5 documents a topic; PRES@10, P@6 treat the rest as not found"
    scores = evaluate(rank_table(qrels, {"a": run(5, 5, 5), "b": run(5, 5, 5)}), "PRES@10,P@5,P@6,AP,Judged@10")
    assert scores.caveats() == (note,)
    assert scores.notes() == ("3 topics", note)
    assert [text for text in compare(scores).advice if "not found" in text] == [note]
    scores = evaluate(rank_table(qrels, {"long": run(10, 10, 3), "short": run(3, 8, 12)}), "P@10")
    assert scores.caveats() == ("short holds a median of 8 documents a topic; P@10 treats the rest as not found",)
    assert evaluate(rank_table(qrels, {"most": run(10, 10, 3), "none": run(10, 10)}), "P@10").caveats() == (
        "none (1): topics without results score 0",
    )


def test_a_higher_level_of_relevance_leaves_out_more_and_says_so(table: RankTable) -> None:
    scores = evaluate(table, ["R@10", "R(rel=2)@10"])
    # Only topic 1 has a document of relevance 2.
    assert scores.left_out() == scores.to_dict()["topics_left_out"] == {"R(rel=2)@10": 2}
    assert totals(scores)["part"] == {"R@10": pytest.approx(0.5 / 3), "R(rel=2)@10": 0.0}
    assert "2 topics have no document relevant enough for R(rel=2)@10" in scores.table().notes
    assert evaluate(table, "R(rel=2)@10", no_relevant="zero").left_out() == {}


def test_a_level_that_nothing_reaches_has_no_score_rather_than_0(table: RankTable) -> None:
    scores = evaluate(table, "R(rel=5)@10")
    assert totals(scores) == {"full": {"R(rel=5)@10": None}, "part": {"R(rel=5)@10": None}}
    assert scores.to_polars()["R(rel=5)@10"].null_count() == 2
    assert "–" in str(scores.table())


def test_effort_that_is_never_enough_is_said_and_not_averaged_away(table: RankTable) -> None:
    scores = evaluate(table, ["Effort@100", "R@10"])
    # `part` finds one of two in topic 1, and nothing in 2 and 3.
    assert scores.never().tolist() == [[0, 3], [0, 0]]
    full, part = scores.to_dict()["runs"]
    assert full["scores"]["Effort@100"] == 2.0
    assert "never" not in full
    assert (part["scores"]["Effort@100"], part["never"]) == (None, {"Effort@100": 3})
    assert scores.table().rows[1][1] == "never: 3"
    assert scores.to_polars()["Effort@100"].to_list() == [2.0, math.inf]
    assert (0, 1) in scores.table().best, "a lower effort is better, and a finite one best"


def test_an_aggregate_has_no_value_for_a_topic(table: RankTable) -> None:
    scores = evaluate(table, ["GMAP", "AP"])
    assert all(row[2] is None for row in scores.per_topic().rows)
    assert "GMAP: defined for a set of topics only" in scores.per_topic().notes
    for run in scores.to_dict(per_topic=True)["runs"]:
        assert {topic["GMAP"] for topic in run["per_topic"].values()} == {None}
    ap = [1.0, 0.5, 1.0]
    assert totals(scores)["full"]["GMAP"] == pytest.approx(math.prod(ap) ** (1 / 3))


@pytest.mark.parametrize("per_topic", [True, False])
@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_it_is_json_without_nan_and_infinity(table: RankTable, per_topic: bool, missing: Any) -> None:
    measures = ["Effort@100", "R(rel=5)@10", "GMAP", "AP", "Bpref", "NumRet"]
    document = evaluate(table, measures, missing=missing).to_dict(per_topic=per_topic)
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert (document["measures"], document["topics"]) == (measures, 3)
    assert ("per_topic" in document["runs"][0]) == per_topic


def test_the_forms_agree_with_each_other(table: RankTable) -> None:
    scores = evaluate(table, ["AP", "P@1"])
    frame, per_topic = scores.to_polars(), scores.to_polars(per_topic=True)
    assert frame.columns == ["run", "AP", "P@1"]
    assert frame.rows() == [(run, values["AP"], values["P@1"]) for run, values in totals(scores).items()]
    assert per_topic.columns == ["run", "topic_id", "AP", "P@1"]
    assert per_topic.height == 2 * 3
    means = per_topic.group_by("run", maintain_order=True).agg(pl.col("AP", "P@1").mean())
    for ours, theirs in zip(means.rows(), frame.rows(), strict=True):
        assert ours == pytest.approx(theirs)
    assert scores.per_topic().rows == tuple(per_topic.rows())
    assert scores.of("AP").tolist() == [[1.0, 0.5, 1.0], [0.5, 0.0, 0.0]]


def test_runs_are_sorted_best_first_by_any_name_of_the_measure(table: RankTable) -> None:
    scores = evaluate(table, ["map", "Effort@100", "NumRet"])
    names = [row[0] for row in scores.sorted_by("AP").table().rows]
    assert names == [row[0] for row in scores.sorted_by("map").table().rows] == ["full", "part"]
    assert [row[0] for row in scores.sorted_by("Effort@100").table().rows] == ["full", "part"], "lower is better"
    assert scores.sorted_by("AP").table().best == {(0, 1), (0, 2)}
    back = evaluate(rank_table(JUDGED, dict(reversed(RUNS.items()))), ["AP", "NumRet"])
    assert back.table().best == {(1, 1)}, "more documents are neither better nor worse"
    assert back.sorted_by("AP").table().best == {(0, 1)}, "the mark moves with its row"
    assert [row[0] for row in back.sorted_by("AP").table().rows] == ["full", "part"]
    with pytest.raises(UsageError, match=r"P@5 was not evaluated; there are AP, Effort@100, NumRet"):
        scores.sorted_by("P@5").table()
    with pytest.raises(MeasureError):
        scores.of("nonsense")


def test_a_run_without_a_score_is_sorted_last() -> None:
    # Topic 2 alone has a document of relevance 2, and only one run has topic 2.
    judged = {"1": {"a": 1}, "2": {"b": 2}}
    found = {"none": {"1": {"a": 1.0}}, "some": {"2": {"x": 1.0}}, "best": {"2": {"b": 1.0}}}
    scores = evaluate(rank_table(judged, found), "R(rel=2)@10", missing="skip")
    assert [row[0] for row in scores.sorted_by("R(rel=2)@10").table().rows] == ["best", "some", "none"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"missing": "one"}, "missing must be one of 'zero', 'skip', not the text 'one'"),
        ({"no_relevant": "one"}, "no_relevant"),
        ({"table": pl.DataFrame()}, r"evaluate: table must be a rank table \(from rank_table\), not a DataFrame"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(table: RankTable, call: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        evaluate(**{"table": table, "measures": "AP", **call})


def test_frames_name_topics_alike(table: RankTable) -> None:
    pytest.importorskip("pandas")
    scores = evaluate(table, "AP")
    for frame in (scores.to_pandas(per_topic=True), scores.per_topic().to_pandas(), scores.to_polars(per_topic=True)):
        assert [*frame.columns][:2] == ["run", "topic_id"]


MEASURES = ["AP@100", "R@10", "P@2"]
LONG = {str(topic): {"a": 1, "b": 0, "c": 1} for topic in range(1, 13)}
SHORT_RUNS = {
    "x": {topic: {"a": 2.0, "c" if topic < "3" else "b": 1.0} for topic in LONG},
    "y": {topic: {"b": 2.0, "a": 1.0} for topic in LONG},
}


@pytest.mark.parametrize(
    "notes",
    [
        lambda table: ac.evaluate(table, MEASURES).notes(),
        lambda table: ac.evaluate(table, MEASURES).table().notes,
        lambda table: ac.compare(ac.evaluate(table, MEASURES)).table().notes,
        lambda table: ac.study.correlation(ac.evaluate(table, MEASURES)).table().notes,
        lambda table: ac.study.agreement(ac.evaluate(table, MEASURES)).table().notes,
        lambda table: ac.anova(ac.evaluate(table, MEASURES)).table().notes,
        lambda table: ac.study.robustness(table, MEASURES, samples=2).table().notes,
        lambda table: ac.study.measures(table, MEASURES, samples=2).table().notes,
        lambda table: ac.study.cutoffs(table, "AP", at=[100]).table().notes,
        lambda _: ac.study.judges(LONG, LONG, SHORT_RUNS, MEASURES, samples=10).advice,
    ],
)
def test_a_cutoff_beyond_the_runs_is_noted_once_wherever_scores_are_shown(notes: Any) -> None:
    said = [note for note in notes(ac.rank_table(LONG, SHORT_RUNS)) if "as not found" in note]
    assert len(said) == 1
    assert "2 documents a topic" in said[0]
    assert "AP@100" in said[0]


def test_a_gate_notes_it_of_each_side() -> None:
    gate = ac.gate(LONG, SHORT_RUNS["x"], SHORT_RUNS["y"], MEASURES)
    said = [note for note in gate.table().notes if "as not found" in note]
    rest = "holds 2 documents a topic; AP@100, R@10 treat the rest as not found."
    assert said == [f"Note: baseline {rest}", f"Note: run {rest}"]


def test_means_over_different_topics_have_no_best() -> None:
    table = rank_table(
        {"1": {"a": 1}, "2": {"b": 1}}, {"both": {"1": {"x": 2.0}, "2": {"b": 1.0}}, "one": {"1": {"a": 1.0}}}
    )
    zero, skip = (evaluate(table, "R@10", missing=missing) for missing in ("zero", "skip"))
    assert zero.totals.tolist() == [[0.5, 0.5]]
    assert skip.totals.tolist() == [[0.5, 1.0]]
    assert skip.table().best == frozenset()
    assert evaluate(table.select_topics(["1"]), "R@10", missing="skip").table().best == {(1, 1)}


def test_a_comparison_of_means_over_different_topics_has_no_best() -> None:
    qrels = {str(topic): {"a": 1} for topic in range(1, 7)}
    found = {topic: {"a": 1.0} for topic in qrels}
    poor = {topic: {"x": 2.0, "a": 1.0} for topic in qrels}
    part = {topic: poor[topic] for topic in [*qrels][:4]}
    assert compare(evaluate(rank_table(qrels, {"a": found, "b": poor}), "P@1", missing="skip")).table().best == {(0, 2)}
    uneven = compare(evaluate(rank_table(qrels, {"a": found, "b": part}), "P@1", missing="skip"))
    assert uneven.uneven == {"P@1"}
    assert uneven.table().best == frozenset()
