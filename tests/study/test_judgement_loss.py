"""The losses of judgements by hand, the groups of runs, and many samples scored together as each is alone."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import AntecedeError, UsageError
from antecede.study import judgement_loss
from antecede.study.judgement_loss import (
    LOSSES,
    Judgements,
    JudgementSamples,
    assign_groups,
    find_distinct,
    read_groups,
    rescore,
)
from tests.measures.worlds import every_measure
from tests.study.worlds import drawn_table, keep_only, table_from

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


def counts(n: int, share: float) -> int:
    """How many of n relevant documents are kept."""
    judged = Judgements(np.zeros(n, np.int64), np.ones(n, bool), np.zeros((2, n), np.int32))
    (mask,) = LOSSES["random"].plan(judged, (share,), 1, np.random.default_rng(0)).masks()
    return int(mask.sum())


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


def test_shares_are_rounded_to_the_nearest_document_and_one_stays() -> None:
    assert [counts(3, share) for share in (0.2, 0.4, 0.6, 0.8, 1.0)] == [1, 1, 2, 2, 3]
    assert [counts(5, share) for share in (0.2, 0.4, 0.6, 0.8)] == [1, 2, 3, 4]
    assert [counts(1, share) for share in (0.01, 0.2, 1.0)] == [1, 1, 1]
    assert counts(10, 0.25) == 3  # a half goes up …
    assert counts(10, 0.35) == 4  # … also where the product falls short of it by a rounding error
    assert counts(100, 0.001) == 1


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


def test_random_draws_every_document_equally_often() -> None:
    judged = Judgements(np.zeros(5, np.int64), np.ones(5, bool), np.zeros((2, 5), np.int32))
    masks = LOSSES["random"].plan(judged, (0.4,), 5000, np.random.default_rng(3)).masks()
    share = np.mean([mask[0] for mask in masks], axis=0)
    # 5,000 draws of a share of 0.4: a deviation of 0.035 is five standard errors.
    assert np.abs(share - 0.4).max() < 0.035


def test_late_loses_what_few_runs_found() -> None:
    (mask,) = kept(planned("late", 0.5, 0.75, 1.0))
    assert mask[0].tolist() == [False, True, False, True, True]  # found by two and by all three; topic 2 keeps its one
    assert mask[1].tolist() == [True, True, False, True, True]
    assert mask[2].all()


def test_late_leaves_equals_to_chance() -> None:
    judged = Judgements(np.zeros(2, np.int64), np.ones(2, bool), np.ones((3, 2), np.int32))
    masks = LOSSES["late"].plan(judged, (0.5,), 40, np.random.default_rng(0)).masks()
    assert {tuple(mask[0].tolist()) for mask in masks} == {(True, False), (False, True)}


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
        ("random", (0.5, 1.01), "1.01 is not a share"),
        ("late", (-0.2,), "-0.2 is not a share"),
        ("late", (float("nan"),), "nan is not a share"),
        ("random", (), "no level is given"),
        ("depth", (0.5,), "0.5 is not a depth"),
        ("depth", (0,), "0 is not a depth"),
        ("depth", (float("inf"),), "inf is not a depth"),
        ("group", (0.2,), "has no levels"),
    ],
)
def test_levels_that_make_no_sense_are_refused(way: str, keep: tuple[float, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        planned(way, *keep, groups=("x", "x", "y"))
    assert "\n" not in str(caught.value)


def test_a_group_alone_cannot_be_left_out() -> None:
    with pytest.raises(UsageError, match="at least two groups, but got 1"):
        planned("group", groups=("x", "x", "x"))


def test_every_way_says_what_it_does() -> None:
    assert set(LOSSES) == {"random", "judgements", "late", "depth", "group"}
    assert all(way.summary.endswith(".") for way in LOSSES.values())


def test_names_may_differ_by_what_all_runs_begin_or_end_with() -> None:
    groups = {"fub99a": "fub", "fub99td": "fub", "ok8": "city"}
    assert assign_groups(["ok8", "fub99a"], groups) == ("city", "fub")
    assert assign_groups(["input.fub99a", "input.ok8"], groups) == ("fub", "city")
    assert assign_groups(["input.fub99a", "input.fub99td"], groups) == ("fub", "fub")  # they share more than the prefix
    assert assign_groups(["fub99a.run", "ok8.run"], groups) == ("fub", "city")
    assert assign_groups(["x/input.ok8.txt", "x/input.fub99a.txt"], groups) == ("city", "fub")


def test_exact_names_come_first() -> None:
    assert assign_groups(["xa", "xb"], {"xa": "1", "xb": "2", "a": "3", "b": "4"}) == ("1", "2")


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


# Many samples scored together


MEASURES = every_measure()


@pytest.mark.parametrize("least", [-1, 1, 2], ids=["any is lost", "a relevant one is lost", "a high grade is lost"])
@pytest.mark.parametrize("copies", [False, True])
def test_equals_each_sample_on_its_own(copies: bool, least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many are scored at a time."""
    table = drawn_table(5, copies=copies)
    random = np.random.default_rng(1)
    # A copy goes with its document: the draws are by document.
    of = np.arange(len(table.doc_ids)) if table.ranks.copies is None else np.cumsum(~table.ranks.copies) - 1
    pairs = np.flatnonzero((random.random(len(of)) < 0.6)[of] & (table.ranks.relevance >= least))
    kept = (random.random((8, len(of))) < 0.5)[:, of[pairs]]
    kept[3] = kept[7]
    kept[4] = False
    plain = []
    for sample in kept:
        present = np.ones(len(of), bool)
        present[pairs] = sample
        plain.append(keep_only(table.ranks, present))
    expected = [[measure.aggregate(measure.score(ranks)) for ranks in plain] for measure in MEASURES]
    for cells in (1, 60, 100_000):
        monkeypatch.setattr(judgement_loss, "CELLS", cells)
        together = rescore(JudgementSamples(table.ranks, pairs, kept), MEASURES)
        for found, wanted, measure in zip(together, expected, MEASURES, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14, err_msg=f"{measure}, {cells}")


def test_what_samples_share_is_scored_once() -> None:
    table = drawn_table(2, topics=3)
    pairs = np.flatnonzero(table.ranks.topic == 1)
    kept = np.ones((6, len(pairs)), bool)
    kept[1, 0] = kept[4, 0] = False
    cases = JudgementSamples(table.ranks, pairs, kept).find_cases()
    assert cases.topic.tolist() == [0, 1, 1, 2]
    assert len({*cases.of[:, 1].tolist()}) == 2
    assert cases.of[1].tolist() == cases.of[4].tolist() != cases.of[0].tolist()


def test_rows_are_told_apart_however_wide_they_are() -> None:
    random = np.random.default_rng(0)
    for width in (1, 8, 9, 64, 65, 200):
        rows = random.random((50, width)) < 0.5
        rows[10:20] = rows[0:10]
        first, kind = find_distinct(rows)
        assert (rows[first][kind] == rows).all()
        assert len(first) == len(np.unique(rows, axis=0))


def test_progress_reaches_its_end() -> None:
    table = drawn_table(2)
    kept = np.ones((2, 3), bool)
    told: list[tuple[int, int]] = []
    rescore(
        JudgementSamples(table.ranks, np.arange(3), kept), MEASURES[:1], lambda done, total: told.append((done, total))
    )
    assert told[-1][0] == told[-1][1] > 0
