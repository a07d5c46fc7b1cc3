"""The losses of judgements by hand, the groups of runs, and many samples scored together as each is alone."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import AntecedeError, UsageError
from antecede.study.judgement_loss import (
    LOSSES,
    Judgements,
    assign_groups,
    read_groups,
)
from tests.study.worlds import drawn_table, table_from

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.study.judgement_loss import LossPlan

FOUR_DOCUMENTS = table_from(
    [
        [(1, (1, 0, 0)), (1, (5, 9, 0)), (0, (0, 0, 20)), (1, (0, 0, 0)), (1, (11, 12, 13))],
        [(1, (0, 30, 0)), (0, (0, 1, 0))],
    ]
)
"""Topic 1: relevant documents found by one run, by two, by none and by all three; topic 2: one, found by b alone."""


def planned(way: str, *keep: float, samples: int = 1, seed: int = 0, groups: tuple[str, ...] = ()) -> LossPlan:
    judged = Judgements.of(FOUR_DOCUMENTS.ranks, rel=1, groups=groups)
    given = judged if LOSSES[way].all_judged else judged.select(judged.relevant)
    return LOSSES[way].plan(given, keep, samples, np.random.default_rng(seed))


def kept(plan: LossPlan) -> list[NDArray[np.bool_]]:
    return list(plan.masks())


def equal_documents(n: int, way: str, share: float, samples: int) -> NDArray[np.bool_]:
    """bool[samples, n]: which of n relevant documents that every run retrieved are kept."""
    judged = Judgements(np.zeros(n, np.int64), np.ones(n, bool), np.ones((2, n), np.int32))
    return np.concatenate(kept(LOSSES[way].plan(judged, (share,), samples, np.random.default_rng(3))))


@given(seed=st.integers(0, 1000), share=st.floats(0.01, 1))
def test_judgements_of_both_kinds_are_lost_and_some_of_each_stay(seed: int, share: float) -> None:
    random = np.random.default_rng(seed)
    topic = np.sort(random.integers(0, 3, 150))
    grades = random.choice([-1, 0, 0, 0, 0, 1], 150)
    given_pairs = Judgements(topic, grades >= 1, np.zeros((2, 150), np.int32), unjudged=grades < 0)
    (mask,) = LOSSES["judgements"].plan(given_pairs, (share,), 1, random).masks()
    for one in range(3):
        for chosen, least in ((grades >= 1, 1), (grades == 0, 10)):
            total = np.count_nonzero(chosen & (topic == one))
            quota = max(least, int(np.floor(share * total + 0.5 + 1e-9)))
            assert np.count_nonzero(mask[0] & chosen & (topic == one)) == min(quota, total)
    assert mask[0][grades < 0].all()  # never judged, so there is no judgement to lose


@pytest.mark.parametrize(
    ("n", "by_share"),
    [
        (3, {0.2: 1, 0.4: 1, 0.6: 2, 0.8: 2, 1.0: 3}),
        (5, {0.2: 1, 0.4: 2, 0.6: 3, 0.8: 4}),
        (1, {0.01: 1, 0.2: 1, 1.0: 1}),
        (10, {0.25: 3, 0.35: 4}),  # a half goes up, also where the product falls short of it by a rounding error
        (100, {0.001: 1}),
    ],
)
def test_shares_are_rounded_to_the_nearest_document_and_one_stays(n: int, by_share: dict[float, int]) -> None:
    assert {share: equal_documents(n, "random", share, 1).sum() for share in by_share} == by_share


@given(seed=st.integers(0, 1000), shares=st.lists(st.floats(0.01, 1), min_size=2, max_size=4, unique=True))
def test_random_keeps_its_quota_of_each_topic_and_smaller_shares_within_larger(seed: int, shares: list[float]) -> None:
    table = drawn_table(seed)
    judged = Judgements.of(table.ranks, rel=1)
    given_ones = judged.select(judged.relevant)
    plan = LOSSES["random"].plan(given_ones, shares, 3, np.random.default_rng(seed))
    n = np.bincount(given_ones.topic)
    for mask in plan.masks():
        left = np.array([np.bincount(given_ones.topic[row], minlength=len(n)) for row in mask])
        quota = np.maximum(np.floor(np.outer(sorted(shares), n) + 0.5 + 1e-9), 1)
        assert (left == quota).all()
        assert (mask[:-1] <= mask[1:]).all()


@pytest.mark.parametrize("way", ["random", "late"])
def test_equal_documents_are_lost_equally_often(way: str) -> None:
    # 5,000 draws of a share of 0.4: a deviation of 0.035 is five standard errors.
    assert np.abs(equal_documents(5, way, 0.4, 5000).mean(axis=0) - 0.4).max() < 0.035


def test_late_loses_what_few_runs_found() -> None:
    (mask,) = kept(planned("late", 0.5, 0.75, 1.0))
    assert mask[0].tolist() == [False, True, False, True, True]  # found by two and by all three; topic 2 keeps its one
    assert mask[1].tolist() == [True, True, False, True, True]
    assert mask[2].all()


def test_depth_keeps_the_pool_relevant_or_not() -> None:
    plan = planned("depth", 20, 10)
    (mask,) = kept(plan)
    assert list(plan.keep) == [10, 20]
    assert mask[0].tolist() == [True, True, False, False, False, False, True]
    assert mask[1].tolist() == [True, True, True, False, True, False, True]


def test_group_loses_what_it_alone_found() -> None:
    plan = planned("group", groups=("x", "x", "y"))
    assert plan.sample_names == ("x", "y")
    without_x, without_y = kept(plan)
    assert without_x[0].tolist() == [False, False, True, True, True, False, False]
    assert without_y[0].tolist() == [True, True, False, True, True, True, True]
    # Of 5 relevant documents 3 are lost without x, none without y.
    assert list(plan.keep) == pytest.approx([(2 / 5 + 1) / 2])


def test_more_samples_begin_with_the_same_ones() -> None:
    few, many = kept(planned("random", 0.5, samples=3)), kept(planned("random", 0.5, samples=8))
    assert all((a == b).all() for a, b in zip(few, many, strict=False))
    assert any((a != b).any() for a, b in pairwise(many))


@pytest.mark.parametrize(
    ("way", "keep", "message"),
    [
        ("random", (0.0,), "0 is not a share"),
        ("late", (-0.2,), "-0.2 is not a share"),
        ("random", (), "no level is given"),
        ("depth", (0.5,), "0.5 is not a depth"),
        ("group", (0.2,), "has no levels"),
    ],
)
def test_levels_that_make_no_sense_are_refused(way: str, keep: tuple[float, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        planned(way, *keep, groups=("x", "x", "y"))
    assert "\n" not in str(caught.value)
    with pytest.raises(UsageError, match="at least two groups, but got 1"):
        planned("group", groups=("x", "x", "x"))


def test_names_may_differ_by_what_all_runs_begin_or_end_with() -> None:
    groups = {"fub99a": "fub", "fub99td": "fub", "ok8": "city"}
    assert assign_groups(["ok8", "fub99a"], groups) == ("city", "fub")
    assert assign_groups(["input.fub99a", "input.ok8"], groups) == ("fub", "city")
    assert assign_groups(["input.fub99a", "input.fub99td"], groups) == ("fub", "fub")  # they share more than the prefix
    assert assign_groups(["fub99a.run", "ok8.run"], groups) == ("fub", "city")
    assert assign_groups(["x/input.ok8.txt", "x/input.fub99a.txt"], groups) == ("city", "fub")
    assert assign_groups(["xa", "xb"], {"xa": "1", "xb": "2", "a": "3", "b": "4"}) == ("1", "2")  # exact names first


def test_a_missing_run_is_named() -> None:
    with pytest.raises(UsageError, match=r"do not name run input\.b; add a line"):
        assign_groups(["input.a", "input.b"], {"a": "1"})
    with pytest.raises(UsageError, match="do not name run a and 1 more; add a line"):
        assign_groups(["a", "b"], {"c": "1"})


def test_reads_blanks_tabs_and_commas(tmp_path: Path) -> None:
    file = tmp_path / "groups"
    file.write_text("# who made what\na  one\nb\ttwo\n\nc,three\nd University of Somewhere\n")
    assert read_groups(file) == {"a": "one", "b": "two", "c": "three", "d": "University of Somewhere"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a one\nb\n", "line 2: 'b' does not name a run and its group"),
        ("a one\na two\n", "line 2: run a is in two groups"),
        ("# nothing\n", "names no run"),
    ],
)
def test_bad_files_are_refused_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "groups"
    file.write_text(text)
    with pytest.raises(AntecedeError, match=message) as caught:
        read_groups(file)
    assert "\n" not in str(caught.value)
