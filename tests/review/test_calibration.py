"""Calibration: it keeps its promise on topics it has not seen, and its file says what it is."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from antecede.errors import InputError, UsageError
from antecede.review.assessment import assess_estimators, assess_rules, calibrate, split_halves, stop_calibrated
from antecede.review.calibration import (
    Calibration,
    critical_values,
    fit_calibration,
    negative_binomial_cdf,
    negative_binomial_quantile,
    read_calibration,
    read_suitable,
    weighted_quantiles,
    write_calibration,
)
from antecede.review.distributions import FEATURES, checkpoints, describe_states, fit_logistic, fit_poisson
from antecede.review.estimators import estimate
from antecede.review.judged_topics import JudgedReading, read_judged
from antecede.review.reading import Reading, required
from antecede.review.stopping import decide
from tests.conftest import call_program
from tests.review.drawn_topics import draw_topics

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def calibration() -> Calibration:
    return fit_calibration(draw_topics(120, 1), method="drawn")


@pytest.fixture(scope="module")
def file(calibration: Calibration, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("calibration") / "c.json"
    write_calibration(calibration, path)
    return path


@pytest.mark.slow
def test_the_promise_is_kept_on_other_topics(calibration: Calibration) -> None:
    """95 % of 200 topics that were not seen reach 95 % recall, with the sampling error of calibration and of test."""
    topics = draw_topics(200, 2)
    for left, low, high in ((0.05, 0.90, 0.995), (0.2, 0.70, 0.90)):
        outcomes = [stop_calibrated(each, calibration, 0.95, [left])[0] for each in topics]
        assert low <= np.mean([each.reached for each in outcomes]) <= high
    assert np.mean([stop_calibrated(each, calibration, 0.95, [0.05])[0].effort for each in topics]) < 0.6


@pytest.mark.slow
def test_intervals_contain_the_truth_as_often_as_they_claim(calibration: Calibration) -> None:
    inside = []
    for each in draw_topics(200, 3):
        for depth in (20, 60, 150):
            reading = each.reading.up_to(depth)
            _, low, high = calibration.estimate(reading)
            inside.append(low <= each.total <= high)
    assert np.mean(inside) >= 0.93


@pytest.mark.slow
def test_the_rule_asked_document_by_document_stops_where_the_assessment_says(calibration: Calibration) -> None:
    for each in draw_topics(3, 4):
        stopped = next(
            n for n in range(1, each.reading.read + 1) if calibration.decide(each.reading.up_to(n), 0.95).stop
        )
        assert stopped == stop_calibrated(each, calibration, 0.95, [0.05])[0].read


def test_critical_values_by_hand() -> None:
    """Topic 0 has scores .1 .7 .4 before its target and .9 after; topic 1 is never wrong; topic 2 is given up."""
    scores = np.array([0.1, 0.7, 0.4, 0.9, 0.3, 0.2])
    topic = np.array([0, 0, 0, 0, 1, 2])
    missed = np.array([True, True, True, False, False, True])
    found = critical_values(scores, topic, missed, np.array([False, False, True]))
    assert found.tolist() == [0.7, -np.inf, np.inf]


def test_the_risk_counts_the_topic_itself(calibration: Calibration) -> None:
    """Above all of m critical values, 1/(m + 1) remains; below all of them, everything."""
    least, most = calibration.model_for(0.95).risks(np.array([np.inf, -np.inf]))
    assert (least >= 1 / 121 - 1e-12, most) == (True, 1)
    assert calibration.smallest_risk() == pytest.approx(1 / 121)


def test_few_topics_stop_at_the_smallest_risk_that_they_can_vouch_for() -> None:
    few = fit_calibration(draw_topics(10, 5))
    complete = draw_topics(1, 6)[0].reading
    verdicts = [few.decide(complete.up_to(n)) for n in range(1, complete.read)]
    stops = [at for at, verdict in enumerate(verdicts, 1) if verdict.stop]
    assert stops
    assert few.risk(complete.up_to(stops[0])) == pytest.approx(1 / 11)
    assert few.risk(complete.up_to(stops[0] - 1)) > 1 / 11
    assert verdicts[stops[0] - 1].reason.endswith(
        "on 10 calibration topics; they can vouch for 0.091 at best, 19 or more for 0.05"
    )
    with pytest.raises(UsageError, match="9 topics with a relevant document are too few"):
        fit_calibration(draw_topics(9, 5))
    with pytest.raises(UsageError, match="too few for two halves"):
        split_halves(draw_topics(19, 5))


def test_nothing_relevant_ends_some_day(calibration: Calibration) -> None:
    """A topic without any relevant document is not read to its end: 99 % of topics have a find long before."""
    empty = Reading(np.zeros(399, bool), 400)
    first = next(n for n in range(1, 400) if calibration.decide(empty.up_to(n)).stop)
    assert first < 100
    assert "nothing is found" in calibration.decide(empty.up_to(first)).reason


def test_a_list_that_never_reaches_the_target_is_a_risk_that_no_score_removes() -> None:
    topics = draw_topics(60, 7)
    worse = [JudgedReading(each.topic_id, each.reading, each.total * 2) for each in topics[:30]]
    made = fit_calibration([*worse, *topics[30:]])
    assert made.model_for(0.95).risks(np.array([1e9]))[0] >= 30 / 61


def test_a_file_is_read_as_it_was_written(calibration: Calibration, file: Path) -> None:
    reading = draw_topics(1, 8)[0].reading.up_to(77)
    again = read_calibration(file)
    assert again.estimate(reading) == calibration.estimate(reading)
    assert again.risk(reading, 0.8) == calibration.risk(reading, 0.8)
    assert decide(f"calibrated(file={file})", reading) == calibration.decide(reading)
    assert estimate(f"calibrated(file={file})", reading).high <= reading.found + reading.unread
    with pytest.raises(UsageError, match=r"has the targets 0\.8, 0\.9, 0\.95, 1, not 0\.7; calibrate again"):
        decide(f"calibrated(file={file})", reading, 0.7)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace('"topics": 120', '"topics": 121'), "is damaged: its checksum does not agree"),
        (lambda text: text.replace('"version": 1', '"version": 2'), "has version 2"),
        (lambda text: text.replace("antecede calibration", "something"), "is not a calibration"),
        (lambda text: text[:100], "is not JSON"),
        (lambda _text: "[]", "is not a calibration"),
    ],
)
def test_a_damaged_file_is_refused(file: Path, tmp_path: Path, change: object, message: str) -> None:
    other = tmp_path / "other.json"
    other.write_text(change(file.read_text()))  # type: ignore[operator]
    with pytest.raises(InputError, match=message):
        read_calibration(other)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("method", "\ud800"), ("method", 3), ("topics", 0), ("topics", 119), ("means", ["nan"] * len(FEATURES)),
        ("means", [0.0]), ("scales", [10**400] * len(FEATURES)), ("scales", [0.0] * len(FEATURES)), ("targets", [1]),
        ("targets", {"1.5": {}}), ("left", None),
    ],
    ids=range(11),
)  # fmt: skip
def test_a_forged_file_is_refused_whatever_its_checksum(file: Path, tmp_path: Path, name: str, value: object) -> None:
    whole = {**json.loads(file.read_text()), name: value}
    del whole["checksum"]
    digest = hashlib.sha256(json.dumps(whole, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    other = tmp_path / "other.json"
    other.write_text(json.dumps({**whole, "checksum": digest.hexdigest()}))
    with pytest.raises(InputError, match=r"other\.json: is not what a calibration gives"):
        read_calibration(other)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="is not a regular file"):
        read_calibration(tmp_path / "pipe")


def test_the_negative_binomial_distribution() -> None:
    size = 1 / 0.7
    for mean in (0.01, 1.0, 30.0):
        share = size / (size + mean)
        counts = np.arange(-1.0, 60.0)
        ours = negative_binomial_cdf(counts, np.full(len(counts), mean), 0.7)
        np.testing.assert_allclose(ours, stats.nbinom.cdf(counts, size, share), atol=1e-12)
        assert negative_binomial_quantile(mean, 0.7, 0.975, 10**6) == stats.nbinom.ppf(0.975, size, share)
    assert weighted_quantiles(np.array([3.0, 1.0, 2.0]), np.ones(3))[[0, 500, 1000]].tolist() == [1, 2, 3]


def test_regressions_recover_their_weights() -> None:
    random = np.random.default_rng(9)
    x = random.normal(size=(20000, 2))
    predictor = 0.5 + x @ np.array([1.0, -2.0])
    labels = (random.random(20000) < 1 / (1 + np.exp(-predictor))).astype(float)
    np.testing.assert_allclose(fit_logistic(x, labels, np.ones(20000), 1e-6), [0.5, 1.0, -2.0], atol=0.1)
    counts = random.poisson(np.exp(0.2 + x @ np.array([0.5, -0.3]))).astype(float)
    np.testing.assert_allclose(fit_poisson(x, counts, np.ones(20000), 1e-6), [0.2, 0.5, -0.3], atol=0.03)


def test_states_look_at_what_was_read_alone() -> None:
    """A state of a longer reading is that of the reading that stops there."""
    complete = draw_topics(1, 10)[0].reading
    depths = checkpoints(400)
    whole = describe_states(complete, depths)
    assert whole.shape == (len(depths), len(FEATURES))
    for at in (0, 5, len(depths) // 2, len(depths) - 1):
        part = describe_states(complete.up_to(int(depths[at])), depths[at : at + 1])
        np.testing.assert_allclose(part[0], whole[at])


def test_each_half_is_decided_by_the_other() -> None:
    topics = draw_topics(40, 11)
    halves = split_halves(topics)
    assert [each.topic_id for each, _ in halves] == [each.topic_id for each in topics]
    calibrations = [calibration for _, calibration in halves]
    assert all(each.topics == 20 for each in calibrations)
    alone = fit_calibration(topics[20:], targets=(0.95,))  # the first half is decided by what the second taught
    np.testing.assert_array_equal(calibrations[0].model_for(0.95).critical, alone.model_for(0.95).critical)


def test_rules_and_estimators_side_by_side() -> None:
    topics = draw_topics(24, 12, documents=120)
    halves = split_halves(topics)
    rules = assess_rules(topics, ["depth(n=120)", "misses(n=20)", "target(n=1)"], halves=halves, seeds=2)
    rows = {row["rule"]: row for row in rules.rows}
    assert rows["depth(n=120)"]["reliability"] == rows["depth(n=120)"]["effort"] == 1
    ideal = [each.reading.finds[required(each.total, 0.95) - 1] / 120 for each in topics]
    assert rules.ideal == pytest.approx(np.mean(ideal))
    assert {*rows} == {"depth(n=120)", "misses(n=20)", "target(n=1)", "calibrated (0.05 left)"}
    estimators = assess_estimators(topics, halves=halves)
    assert all(0 <= row["coverage"] <= 1 and row["error"] >= 0 for row in estimators.rows)
    assert [row["coverage"] for row in estimators.rows if row["estimator"] == "audit"] >= [0.85] * 3
    assert "calibrated" in estimators.points


def test_a_report_counts_what_it_leaves_out() -> None:
    topics = draw_topics(25, 13)
    missing = JudgedReading("none", Reading(np.zeros(400, bool), 400), total=3)
    report = calibrate([*topics, missing], method="drawn", dropped={"it is not searched": 2})
    assert report.dropped == {"it is not searched": 2, "no relevant document is in the list": 1}
    assert report.list_recall == pytest.approx(25 / 26)
    assert json.loads(json.dumps(report.to_dict()))["topics"] == 25
    few = calibrate(topics[:12])
    assert few.reliability is None
    with pytest.raises(UsageError, match="a reliability diagram needs 20 topics or more, not 12"):
        few.plot()


def test_a_run_is_calibrated_from_the_command_line(tmp_path: Path) -> None:
    lines, judgements = [], []
    for each in draw_topics(30, 14, documents=60):
        lines += [f"{each.topic_id} Q0 d{at} {at + 1} {60 - at} t\n" for at in range(60)]
        judgements += [f"{each.topic_id} 0 d{rank - 1} 1\n" for rank in each.reading.finds]
    (tmp_path / "a.run").write_text("".join(lines))
    (tmp_path / "qrels.txt").write_text("".join(judgements))
    out, drawn = tmp_path / "c.json", tmp_path / "reliability.svg"
    given, options = (tmp_path / "qrels.txt", tmp_path / "a.run"), ("--out", out, "--figure", drawn, "--json", "-q")
    done = call_program("review", "calibrate", *given, *options)
    assert done.code == 0, done.err
    assert done.json["topics"] == 30
    assert [row["stated"] for row in done.json["reliability"]["rows"]][-2:] == [0.95, 0.98]
    assert read_calibration(out).method == "run a.run"
    assert drawn.read_text().startswith("<?xml")
    assert len(read_judged(*given)) == 30
    lonely = call_program("review", "calibrate", tmp_path / "qrels.txt", "--out", tmp_path / "lonely.json")
    assert (lonely.code, lonely.err.count("\n")) == (2, 1)
    assert "judgements need a run" in lonely.err


def test_a_review_with_a_calibration_is_estimated_and_stopped_by_it(file: Path, tmp_path: Path) -> None:
    run, marks, review = tmp_path / "a.run", tmp_path / "marks.txt", tmp_path / "r"
    run.write_text("".join(f"1 Q0 d{at:03} {at} {500 - at} a\n" for at in range(1, 401)))
    call_program("review", "start", run, "1", "--out", review, "--calibration", file)
    marks.write_text("".join(f"1 0 d{at:03} {int(at <= 20)}\n" for at in range(1, 301)))
    call_program("review", "mark", review, "--from", marks)
    status = json.loads(call_program("review", "status", review, "--json").out)
    assert next(iter(status["estimates"])) == f"calibrated(file={file})"
    stop = json.loads(call_program("review", "stop", review, "--json").out)
    assert [*stop["rules"]] == [f"calibrated(file={file})"]
    shown = call_program("review", "stop", review).out
    assert f"calibrated(file={file.name})" in shown
    assert str(file.parent) not in shown
    assert stop["stop"]
    (tmp_path / "c.json").write_text("{}")
    refused = call_program("review", "start", run, "1", "--out", tmp_path / "s", "--calibration", tmp_path / "c.json")
    assert refused.code == 2
    assert not (tmp_path / "s").exists()


def test_a_review_has_the_feedback_of_its_calibration(calibration: Calibration, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("".join(f'{{"id": "d{at}", "text": "word{at} valve"}}\n' for at in range(3)))
    call_program("index", tmp_path / "a.jsonl", "--out", tmp_path / "i", "-q")
    for feedback in ("static", "active"):
        write_calibration(replace(calibration, method=f"ranking, {feedback}"), tmp_path / f"{feedback}.json")
        options = ("--text", "valve", "--out", tmp_path / feedback, "--json")
        done = call_program("review", "start", tmp_path / "i", "--calibration", tmp_path / f"{feedback}.json", *options)
        assert done.json["feedback"] == feedback, done.err


def test_a_calibration_of_another_ranking_or_feedback_is_refused(calibration: Calibration, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    write_calibration(replace(calibration, method="tfidf, static"), path)
    assert read_suitable(path, "static", "tfidf").ranking == "tfidf"
    assert read_suitable(path, "static").topics == 120
    for feedback, ranking, message in (
        ("static", "evidence", "was made with the ranking tfidf, but the review has evidence"),
        ("active", "tfidf", "was made with static feedback, but the review has active"),
    ):
        with pytest.raises(InputError, match=message):
            read_suitable(path, feedback, ranking)
    write_calibration(replace(calibration, method="run a, b.run"), path)
    made = read_suitable(path, "static", "evidence")
    assert (made.feedback, made.ranking) == ("static", None)


@pytest.mark.slow
def test_with_confidence_nearly_every_calibration_keeps_the_promise(file: Path) -> None:
    """On average the risk is right; of single calibrations, about half exceed it, and one of five with confidence."""
    others = draw_topics(150, 50)
    kept: dict[float | None, list[bool]] = {None: [], 0.8: []}
    for seed in range(8):
        made = fit_calibration(draw_topics(60, 100 + seed), targets=(0.95,))
        for confidence, seen in kept.items():
            stopped = (stop_calibrated(each, made, 0.95, [0.1], confidence)[0] for each in others)
            seen.append(bool(np.mean([outcome.reached for outcome in stopped]) >= 0.9))
    assert sum(kept[0.8]) >= 6
    assert sum(kept[0.8]) > sum(kept[None])
    reading = Reading([True] * 20 + [False] * 300, documents=400)
    plain, sure = (decide(f"calibrated(file={file},{words}left=0.05)", reading) for words in ("", "confidence=0.8,"))
    assert "with confidence 0.8" in sure.reason
    assert plain.stop >= sure.stop
