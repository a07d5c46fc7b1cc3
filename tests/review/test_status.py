"""No number without evidence: an estimate is shown only where its interval has proved right."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from antecede.review.calibration import fit_calibration, write_calibration
from antecede.review.case import Review, ReviewPlan
from antecede.review.estimators import ESTIMATORS, parse_estimator, percent_at_least
from antecede.review.reading import Reading
from antecede.review.status import (
    COVERAGE,
    choose_estimates,
    decide_stop,
    describe_record,
    explain_silence,
    extend_reading,
    find_cell,
    further_reading,
    review_status,
)
from antecede.review.status import _measured as measured
from antecede.review.stopping import parse_rule
from tests.review.drawn_topics import draw_topics

if TYPE_CHECKING:
    from pathlib import Path


def reading(read: int, found: int, documents: int = 10_000) -> Reading:
    """The finds are among the first documents, every other one."""
    relevant = np.zeros(read, np.bool_)
    relevant[0 : 2 * found : 2] = True
    return Reading(relevant, documents)


def test_the_rule_is_data_and_every_estimator_was_measured() -> None:
    rule, cells = measured()
    assert (rule.level, rule.least) == (0.95, 0.9)
    assert {name.partition("(")[0] for name in cells} == {*ESTIMATORS}
    assert json.loads(COVERAGE.read_bytes())["fewest"] == rule.fewest == 20
    for by_cell in cells.values():
        assert all(find_cell(rule, *cell) == cell for cell in by_cell)


@pytest.mark.parametrize("read", [0, 1, 19])
def test_too_little_reading_gives_no_number(read: int) -> None:
    evidence = choose_estimates(reading(read, min(read, 1)))
    assert (evidence.shown, evidence.others) == ({}, {})
    assert all("20 documents must be read" in reason for reason in evidence.silent.values())


def test_the_absurd_estimate_is_gone() -> None:
    """12 finds in 29 documents gave "13,486 to 13,945 relevant (95 %)"."""
    evidence = choose_estimates(reading(29, 12, 36_321))
    assert "poisson" in evidence.silent
    for estimate in evidence.shown.values():
        assert 12 <= estimate.low <= estimate.high < 2000


@pytest.mark.parametrize("found", [0, 1, 3, 10])
@pytest.mark.parametrize("read", [20, 50, 100, 300, 1000])
def test_what_is_shown_reached_the_coverage_it_claims_on_every_collection(read: int, found: int) -> None:
    rule, cells = measured()
    evidence = choose_estimates(reading(read, found))
    assert len(evidence.shown) <= 1
    for name in (*evidence.shown, *evidence.others):
        rates = cells[name if "(" in name or name != "poisson" else "poisson(rate=power)"][read, found]
        assert min(held / n for held, n in rates.values() if n >= rule.fewest) >= rule.least
    for name, reason in evidence.silent.items():
        assert reason == explain_silence(parse_estimator(name), reading(read, found))


def test_a_calibration_of_the_own_collection_leads(tmp_path: Path) -> None:
    write_calibration(fit_calibration(draw_topics(40, 1), method="drawn"), tmp_path / "c.json")
    (name,) = choose_estimates(reading(100, 3), str(tmp_path / "c.json")).shown
    assert name.startswith("calibrated(file=")
    assert [*choose_estimates(reading(100, 3)).shown] == ["general"]


def test_a_review_stops_once_its_ranking_has_arrived_at_the_sample(tmp_path: Path) -> None:
    """The ranking does not show a document of the sample again; it has passed it once it has shown the ones before."""
    plan = ReviewPlan("T", audit=("d3", "d50", "d120"))
    with Review.start(tmp_path / "r", plan, [f"d{at}" for at in range(200)]) as review:
        for _ in range(5):
            (document,) = review.next()
            review.mark(document.doc_id, "relevant" if document.doc_id == "d3" else "not")
        early = decide_stop(review, ["target(n=1)"])["target(n=1)"]
        assert (early.stop, early.more) == (False, 1)
        review.mark("d2", "not")
        late = decide_stop(review, ["target(n=1)"])["target(n=1)"]
        assert (late.stop, late.reason[:45]) == (True, "the ranking has found 1 of 1 relevant documen")


def test_go_on_says_about_how_much_further(tmp_path: Path) -> None:
    with Review.start(tmp_path / "r", ReviewPlan("T"), [f"d{at}" for at in range(500)]) as review:
        assert [*decide_stop(review)] == ["quasi_sampling(confidence=0.9)"]
        assert decide_stop(review)["quasi_sampling(confidence=0.9)"].more is None
        for at in range(5):
            review.mark(f"d{at}", "relevant" if at == 1 else "not")
        advice = decide_stop(review, ["misses(n=50)", "misses(n=5)", "depth(n=3)", "depth(n=40)"])
        assert [each.more for each in advice.values()] == [None, 2, None, 35]  # the next find may change the first
        rule, now = parse_rule("quasi_sampling"), review.reading()
        more = further_reading(rule, now, 0.95)
        assert more is not None
        assert rule.decide(extend_reading(now, more)).stop
        assert not rule.decide(extend_reading(now, more // 2)).stop


def test_advice_carries_the_record_of_the_rule() -> None:
    """A rule has its record however its parameters are written, and none for another target or other parameters."""
    record = describe_record(parse_rule("quasi_sampling(confidence=0.9)"), 0.95)
    assert record.startswith("found 95 % in 108 of 108 simulated screenings of 27 public reviews")
    assert describe_record(parse_rule("quasi_sampling(confidence=0.95)"), 0.95) == describe_record(
        parse_rule("quasi_sampling"), 0.95
    )
    assert describe_record(parse_rule("quasi_sampling"), 0.9) == describe_record(parse_rule("misses(n=51)"), 0.95) == ""


def test_a_status_states_an_interval_and_no_point(tmp_path: Path) -> None:
    with Review.start(tmp_path / "r", ReviewPlan("T"), [f"d{at}" for at in range(500)]) as review:
        for at in range(60):
            review.mark(f"d{at}", "relevant" if at in (0, 3, 9) else "not")
        status = review_status(review)
        (estimate,) = status.estimates.values()
        text, told = str(status), status.to_dict()
    assert f"{percent_at_least(estimate.recall_low)}" in text
    assert "3 found of the 500 documents listed" in text
    assert not {"recall", "total"} & {*told["estimates"]["general"]}


def test_what_remains_to_be_read_is_not_extrapolated_beyond_recognition() -> None:
    """A find soon after the beginning of a long list: the rule would want most of the list, which says nothing."""
    rule = parse_rule("quasi_sampling")
    for documents in (500, 30_000):
        early = Reading([True, *[False] * 98, True], documents=documents)
        more = further_reading(rule, early, 0.95)
        assert more is None or more <= min(10 * early.read, early.unread)
    assert further_reading(rule, Reading([True, *[False] * 98, True], documents=30_000), 0.95) is None
