"""Votes of screeners: what settles a record, who may see what, κ, and the counts of PRISMA."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from antecede.errors import AntecedeError, UsageError
from antecede.review.agreement import Agreement, measure_agreement
from antecede.review.marks import WITHDRAWN
from antecede.review.prisma import count_flow, describe_methods
from antecede.review.votes import (
    ABSTRACT,
    EXCLUDE,
    FULL_TEXT,
    INCLUDE,
    MAYBE,
    PRIOR,
    REASONS,
    RESOLUTION,
    STAGES,
    UNAVAILABLE,
    VERDICTS,
    Protocol,
    Vote,
    Votes,
)

PAIR = Protocol(("ann", "ben"), sources={"embase.ris": 40, "pubmed.nbib": 12}, duplicates=10, unreadable=2)


def vote(doc_id: str, verdict: str, user: str = "ann", stage: str = ABSTRACT, **more: str) -> Vote:
    return Vote(doc_id, stage, verdict, user=user, **more)


def test_one_screener_settles_a_record_alone_and_may_change_it() -> None:
    votes = Votes(1, [vote("a", EXCLUDE, reason="wrong outcome"), vote("b", MAYBE), vote("a", INCLUDE)])
    assert {name: outcome.verdict for name, outcome in votes.outcomes(ABSTRACT).items()} == {"a": INCLUDE, "b": MAYBE}
    assert len(votes) == 3
    votes.add(vote("a", WITHDRAWN))
    assert [*votes.outcomes(ABSTRACT)] == ["b"]


def test_two_screeners_must_agree() -> None:
    votes = Votes(2, [vote("a", INCLUDE), vote("b", INCLUDE), vote("c", EXCLUDE), vote("d", EXCLUDE)])
    assert votes.outcomes(ABSTRACT) == {} == {ballot.doc_id: 0 for ballot in votes.conflicts(ABSTRACT)}
    assert votes.waiting(ABSTRACT, "ben") == ["a", "b", "c", "d"]
    assert votes.waiting(ABSTRACT, "ann") == []
    for doc_id, verdict in (("a", MAYBE), ("b", EXCLUDE), ("c", EXCLUDE)):
        votes.add(vote(doc_id, verdict, "ben"))
    assert {name: outcome.verdict for name, outcome in votes.outcomes(ABSTRACT).items()} == {"a": MAYBE, "c": EXCLUDE}
    assert votes.outcomes(ABSTRACT)["c"].by == ("ann", "ben")
    assert [ballot.doc_id for ballot in votes.conflicts(ABSTRACT)] == ["b"]
    assert votes.undecided(ABSTRACT) == ["b", "d"]
    votes.add(vote("b", EXCLUDE, "cleo", kind=RESOLUTION))
    assert votes.conflicts(ABSTRACT) == []
    assert votes.outcomes(ABSTRACT)["b"].by == ("cleo",)
    assert votes.outcomes(ABSTRACT)["b"].kind == RESOLUTION


def test_reasons_decide_at_the_full_text_only() -> None:
    for stage, conflicts in ((ABSTRACT, 0), (FULL_TEXT, 1)):
        reasons = zip(("ann", "ben"), REASONS, strict=False)
        votes = Votes(2, [vote("a", EXCLUDE, user, stage, reason=reason) for user, reason in reasons])
        assert len(votes.conflicts(stage)) == conflicts
    assert votes.reasons(FULL_TEXT) == {}


def test_kappa_is_of_the_votes_before_either_saw_the_others() -> None:
    votes = Votes(2, [vote("a", INCLUDE), vote("a", EXCLUDE), vote("a", INCLUDE, "ben"), vote("a", INCLUDE)])
    [pair] = measure_agreement(votes).pairs
    assert pair.screeners == ("ann", "ben")
    assert pair.counts == ((0, 1), (0, 0))


@pytest.mark.parametrize(
    ("counts", "kappa"),
    [
        (((15, 10), (5, 20)), 0.40),  # the example of two readers of grant proposals that every textbook has
        (((40, 9), (6, 45)), 0.6995),
        (((118, 5), (2, 0)), None),
    ],
)
def test_kappa_is_that_of_scikit_learn(counts: tuple[tuple[int, int], tuple[int, int]], kappa: float | None) -> None:
    pair = Agreement(ABSTRACT, ("ann", "ben"), counts)
    first = [row for row in (0, 1) for column in (0, 1) for _ in range(counts[row][column])]
    second = [column for row in (0, 1) for column in (0, 1) for _ in range(counts[row][column])]
    assert pair.kappa == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)
    if kappa is not None:
        assert pair.kappa == pytest.approx(kappa, abs=1e-3)


def standard_error(counts: np.ndarray) -> float:
    """The large-sample standard error of κ (Fleiss, Cohen & Everitt 1969, as in Fleiss 1981, formula 13.15)."""
    n = counts.sum()
    shares = counts / n
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    observed, expected = np.trace(shares), float(rows @ columns)
    kappa = (observed - expected) / (1 - expected)
    diagonal = sum(shares[i, i] * (1 - (rows[i] + columns[i]) * (1 - kappa)) ** 2 for i in range(2))
    rest = (1 - kappa) ** 2 * sum(
        shares[i, j] * (columns[i] + rows[j]) ** 2 for i in range(2) for j in range(2) if i != j
    )
    last = (kappa - expected * (1 - kappa)) ** 2
    return float(np.sqrt(diagonal + rest - last) / ((1 - expected) * np.sqrt(n)))


@pytest.mark.parametrize("counts", [((400, 90), (60, 450)), ((1500, 60), (40, 400))])
def test_the_interval_of_kappa_is_the_one_of_large_samples(counts: tuple[tuple[int, int], tuple[int, int]]) -> None:
    pair = Agreement(ABSTRACT, ("ann", "ben"), counts)
    half = 1.96 * standard_error(np.array(counts))
    assert pair.kappa is not None
    assert pair.interval() == pytest.approx((pair.kappa - half, pair.kappa + half), abs=0.01)


@pytest.mark.parametrize("shares", [(0.85, 0.05, 0.04, 0.06), (0.45, 0.05, 0.1, 0.4), (0.93, 0.02, 0.02, 0.03)])
@pytest.mark.parametrize("records", [60, 400])
def test_the_interval_of_kappa_covers(shares: tuple[float, ...], records: int) -> None:
    random = np.random.default_rng(7)
    true = shares[0] + shares[3]
    chance = (shares[0] + shares[1]) * (shares[0] + shares[2]) + (shares[2] + shares[3]) * (shares[1] + shares[3])
    kappa = (true - chance) / (1 - chance)
    held = []
    for drawn in random.multinomial(records, shares, size=120).tolist():
        low, high = Agreement(ABSTRACT, ("ann", "ben"), ((drawn[0], drawn[1]), (drawn[2], drawn[3]))).interval()
        held.append(low <= kappa <= high)
    assert np.mean(held) >= 0.9


def test_two_who_never_differ_have_an_interval_all_the_same() -> None:
    low, high = Agreement(ABSTRACT, ("ann", "ben"), ((20, 0), (0, 3))).interval()
    assert low < 0.9
    assert high == 1


VOTES = st.lists(
    st.builds(
        lambda doc, stage, verdict, user, reason, kind: Vote(
            f"r{doc}", stage, VERDICTS[stage][verdict] if verdict < 3 else WITHDRAWN, kind,
            reason if VERDICTS[stage][verdict % 3] == EXCLUDE and verdict < 3 else "", user=user,
        ),
        st.integers(0, 11), st.sampled_from([*STAGES]), st.integers(0, 3), st.sampled_from(["ann", "ben", "cleo"]),
        st.sampled_from(["", *REASONS[:2]]), st.sampled_from(["vote"] * 6 + [PRIOR, RESOLUTION]),
    ),
    max_size=80,
)  # fmt: skip


@given(VOTES, st.integers(1, 2))
def test_the_counts_add_up_whatever_is_voted(log: list[Vote], required: int) -> None:
    records = [f"r{number}" for number in range(12)]
    votes = Votes(required, log)
    flow = count_flow(Protocol(sources={"a": 10, "b": 7}, duplicates=4, unreadable=1), records, votes)
    assert flow.check() == []
    assert flow.identified == 17
    assert flow.identified - 5 == flow.unscreened + flow.undecided + flow.excluded + flow.sought
    assert flow.sought == flow.unretrieved + flow.unassessed + sum(flow.reasons.values()) + flow.included
    assert min(count for _, _, count in flow.rows()) >= 0


def test_the_flow_of_a_finished_screening() -> None:
    votes = Votes(2)
    for number in range(30):
        verdict = INCLUDE if number < 9 else EXCLUDE
        other = EXCLUDE if number in (7, 8) else verdict
        votes.add(vote(f"r{number}", verdict))
        votes.add(vote(f"r{number}", other, "ben"))
    votes.add(vote("r7", INCLUDE, "cleo", kind=RESOLUTION))
    votes.add(vote("r8", EXCLUDE, "cleo", kind=RESOLUTION))
    for number, verdict in enumerate((INCLUDE, INCLUDE, INCLUDE, EXCLUDE, EXCLUDE, EXCLUDE, UNAVAILABLE)):
        for user in ("ann", "ben"):
            reason = REASONS[number % 2] if verdict == EXCLUDE else ""
            votes.add(vote(f"r{number}", verdict, user, FULL_TEXT, reason=reason))
    flow = count_flow(PAIR, [f"r{number}" for number in range(40)], votes)
    assert flow.check() == []
    assert (flow.identified, flow.unscreened, flow.screened, flow.excluded, flow.sought) == (52, 10, 30, 22, 8)
    assert (flow.unretrieved, flow.unassessed, flow.assessed, flow.included) == (1, 1, 6, 3)
    assert flow.reasons == {REASONS[1]: 2, REASONS[0]: 1}
    assert not flow.complete
    said = describe_methods(flow, PAIR, votes, "nothing since rank 20; stop")
    assert said.startswith("52 records were read from 2 exports of databases. 10 duplicates and 2 records")
    assert "30 of 40 records were screened by title and abstract by two reviewers independently" in said
    assert "Stopping rule: nothing since rank 20; stop." in said
    assert "2 conflicts were resolved by cleo." in said
    assert "1 decision still to be made." in said


def test_what_a_protocol_refuses() -> None:
    with pytest.raises(UsageError, match="distinct"):
        Protocol(("ann", "ann"))
    with pytest.raises(UsageError, match="is not of the team"):
        PAIR.check_screener("bne")
    assert PAIR.find_reason("2") == REASONS[1]
    assert PAIR.find_reason("wrong study") == "wrong study design"
    with pytest.raises(UsageError, match="not one reason"):
        PAIR.find_reason("wrong")
    with pytest.raises(AntecedeError, match="not a decision"):
        vote("a", UNAVAILABLE)
    with pytest.raises(AntecedeError, match="reason for exclusion, but"):
        vote("a", INCLUDE, reason="wrong outcome")
    assert Protocol.from_dict(PAIR.to_dict()) == PAIR
