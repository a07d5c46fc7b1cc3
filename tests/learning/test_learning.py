"""Learning the weights of a ranking: the loss, blocks by date, and weights that find a planted signal."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import InputError
from antecede.learning import learn_ranking
from antecede.learning.examples import Example, Examples
from antecede.learning.learned_ranking import (
    blocks_by_date,
    draw_sample,
    fit,
    fit_linear,
    fit_trees,
    fit_weights,
    learning_curve,
    loss,
    relevant_ranks,
    score_ranks,
)
from antecede.measures import score
from antecede.ranking.features import parse_feature
from antecede.ranking.weights import parse_ranking, parse_weights, read_trees, read_weights

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from antecede.learning.learned_ranking import Sample

FEATURES = ("bm25", "cosine", "jelinek_mercer")
DEFAULT = np.array([1.0, 0.0, 1.0])
NONE = np.zeros(0, np.int32)


def example(number: int, seed: int = 0, signal: float = 3.0, candidates: int = 60) -> Example:
    """A topic in which `cosine` tells the two relevant documents from the others, `bm25` a little."""
    random = np.random.default_rng([seed, number])
    values = random.random((candidates, 3)).astype(np.float32)
    truth = values @ np.array([signal / 6, signal, 0]) + random.gumbel(size=candidates) / 4
    relevant = np.zeros(candidates, np.bool_)
    relevant[np.argsort(-truth)[:2]] = True
    return Example(f"t{number:03}", date(2000, 1, 1) + timedelta(number // 2), values, relevant, 3, NONE)


def examples(topics: int = 40) -> Examples:
    return Examples(FEATURES, DEFAULT, tuple(example(at) for at in range(topics)), {})


def sample_of(topics: Sequence[tuple[Any, Any]], default: Any) -> Sample:
    """The sample of topics, given by the values of their candidates and which of these are relevant."""
    made = tuple(Example("t", None, values, relevant, 1, NONE) for values, relevant in topics)
    return draw_sample(Examples((), default, made, {}))


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.1, 1.0]))
def test_the_gradient_is_the_slope_of_the_loss(seed: int, strength: float) -> None:
    random = np.random.default_rng(seed)
    sample = draw_sample(Examples(FEATURES, np.ones(3), tuple(example(at, seed) for at in range(3)), {}))
    at, centre, step = random.random(4) * 3 - 1, random.random(3), 1e-5
    _, gradient = loss(at, sample, centre, strength)
    for number, slope in enumerate(gradient):
        aside = np.zeros(4)
        aside[number] = step
        rise = loss(at + aside, sample, centre, strength)[0] - loss(at - aside, sample, centre, strength)[0]
        assert slope == pytest.approx(rise / (2 * step), abs=1e-6)


def test_the_loss_of_a_worked_example() -> None:
    sample = sample_of([(np.array([[1.0], [0.0], [0.5]]), np.array([True, False, False]))], np.ones(1))
    logs = np.log1p(np.exp(-1.5)), np.log1p(np.exp(-0.5)), np.log1p(np.exp(0.5))
    expected = logs[0] + (logs[1] + logs[2]) / 2 + 0.1 / 2 * (2 - 1) ** 2
    assert loss(np.array([2.0, -0.5]), sample, np.ones(1), 0.1)[0] == pytest.approx(expected)


def test_every_topic_counts_the_same() -> None:
    topics = [(np.ones((2, 1)), np.array([True, False])), (np.ones((400, 1)), np.arange(400) < 3)]
    sample = sample_of(topics, np.ones(1))
    assert sample.importance[sample.signs > 0].sum() == pytest.approx(1)
    assert sample.importance[sample.signs < 0].sum() == pytest.approx(1)
    assert sample.importance[0] == pytest.approx(0.5)


def test_topics_without_a_contrast_change_nothing() -> None:
    values = np.ones((2, 2), np.float32)
    nothing = sample_of([(values, np.ones(2, np.bool_)), (values, np.zeros(2, np.bool_))], np.ones(2))
    assert len(nothing.signs) == 0
    assert fit_weights(nothing, np.array([1.0, 2.0]), 0.1).tolist() == [0.5, 1]


def test_a_strong_penalty_leaves_the_default_as_it_is() -> None:
    default = np.array([1.0, 1.0, 0.5])
    sample = draw_sample(replace(examples(10), fixed=default))
    assert fit_weights(sample, default, 1e6) == pytest.approx(default, abs=1e-3)
    assert fit_weights(sample, default, 1e-6)[2] < 0.4


def test_weights_that_no_topic_can_change_stay_in_proportion() -> None:
    default = np.array([1.0, 1.0, 1.0, 0.5])
    topics = examples(30).topics
    sample = sample_of([(np.pad(topic.values, ((0, 0), (0, 1))), topic.relevant) for topic in topics], default)
    assert fit_weights(sample, default, 0.03)[3] > 0


def test_a_planted_signal_is_found() -> None:
    found = examples(200)
    named = dict(zip(FEATURES, fit(found, 0.001), strict=True))
    assert named["cosine"] == 1  # although the default does not use it at all
    assert named["bm25"] < 0.5
    assert named["jelinek_mercer"] < 0.3
    weights, _ = fit_linear(found)
    assert weights[1] == 1
    assert (weights >= 0).all()


def test_ranks_and_scores_are_those_of_the_measures() -> None:
    topic = example(1)
    scores = topic.values[:, 1]
    ranks = relevant_ranks(topic, scores)
    by_hand = sorted(1 + int((scores > scores[at]).sum()) for at in np.flatnonzero(topic.relevant))
    assert ranks.tolist() == by_hand
    found = score_ranks([topic], [[ranks], [NONE]])
    for row, measure in zip(found, ("R@100", "AP@1000", "PRES@1000"), strict=True):
        assert row[0, 0] == pytest.approx(score(measure, by_hand, 3, retrieved=1000))
        assert row[1, 0] == 0


@given(st.lists(st.integers(0, 12), min_size=1, max_size=40), st.integers(2, 6))
def test_nothing_is_learned_from_the_future(days: list[int], blocks: int) -> None:
    topics = tuple(
        Example(
            str(at), date(2000, 1, 1) + timedelta(day), np.zeros((1, 1), np.float32), np.zeros(1, np.bool_), 1, NONE
        )
        for at, day in enumerate(sorted(days))
    )
    found = blocks_by_date(Examples(("bm25",), np.ones(1), topics, {}), blocks)
    tested = [at for _, later in found for at in later]
    assert tested == sorted({*tested})
    for earlier, later in found:
        assert max(topics[at].day or date.max for at in earlier) < min(topics[at].day or date.min for at in later)


def test_learned_weights_are_written_and_read_back(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="4 topics are too few"):
        learn_ranking(examples(4))
    learned = learn_ranking(examples())
    assert str(learn_ranking(examples(), worth=False).weights) == str(learned.weights)
    learned.write(tmp_path / "weights.json")
    assert read_weights(tmp_path / "weights.json").features == learned.weights.features
    about = json.loads((tmp_path / "weights.json").read_text())["learned"]
    assert (about["topics"], about["days"]) == (40, ["2000-01-01", "2000-01-20"])
    assert learned.comparison is not None
    means = learned.comparison.scores["AP@1000"]
    assert means[2] > means[1]
    assert learned.worth["cosine"][1] > learned.worth["jelinek_mercer"][1]
    assert [row[0] for row in learned.table().rows] == [*FEATURES]


def test_a_learning_curve_ends_with_all_earlier_topics() -> None:
    rows = learning_curve(examples(), sizes=(5, 10), draws=2).rows
    assert [row[0] for row in rows] == ["classic", "fixed weights", "5 topics", "10 topics", "24 topics"]


@pytest.mark.slow
def test_trees_are_written_and_read_back_and_their_shares_add_up(tmp_path: Path) -> None:
    pytest.importorskip("lightgbm")
    learned = learn_ranking(examples(), kind="trees", worth=False)
    assert learned.comparison is not None
    assert learned.comparison.runs == ("classic", "fixed weights", "learned weights", "learned trees")
    learned.write(tmp_path / "trees.json")
    written = parse_ranking(str(tmp_path / "trees.json"))
    found = parse_weights(written)
    assert learned.trees is not None
    assert found.trees is not None
    assert [str(feature) for feature, _ in found.features] == [*FEATURES]
    values = example(99).values
    assert found.trees.score(values).tolist() == learned.trees.score(values).tolist()
    constant = found.trees.score(values) - found.trees.shares(values).sum(axis=0)
    assert np.ptp(constant) < 1e-4
    (tmp_path / "trees.json").write_text((tmp_path / "trees.json").read_text().replace("leaf", "fael"))
    read_trees.cache_clear()
    with pytest.raises(InputError, match="has changed since the ranking was chosen"):
        parse_weights(written)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"features": ["bm25", "nonsense"]}, "nonsense"),
        ({"features": None}, "trees without features"),
        ({"trees": 5}, "trees without features"),
        ({"trees": "no tree at all\nfeature_names=bm25\n"}, "its trees cannot be read"),
    ],
)
def test_a_wrong_file_of_trees_is_refused(changes: dict[str, object], why: str, tmp_path: Path) -> None:
    pytest.importorskip("lightgbm")
    whole = {"format": "antecede ranking", "version": 1, "features": ["bm25"], "trees": "tree"}
    (tmp_path / "t.json").write_text(json.dumps({**whole, **changes}))

    def score_by_file() -> None:
        trees = parse_weights(parse_ranking(str(tmp_path / "t.json"))).trees
        assert trees is not None
        trees.score(np.zeros((1, 1), np.float32))

    with pytest.raises(InputError, match=why):
        score_by_file()


@pytest.mark.parametrize(
    "features",
    [
        ["cosine", "bm25", "jelinek_mercer"],
        ["bm25", "cosine", "jelinek_mercer(lambda=0.5)"],
        ["bm25", "cosine", "jelinek_mercer", "title"],
    ],
)
def test_trees_refuse_other_features_than_they_were_learned_from(features: list[str], tmp_path: Path) -> None:
    """A file that names other features, or the same in another order, would score the wrong columns."""
    pytest.importorskip("lightgbm")
    learned = learn_ranking(examples(10), kind="trees", worth=False)
    learned.write(tmp_path / "trees.json")
    whole = json.loads((tmp_path / "trees.json").read_text())
    assert parse_weights(parse_ranking(str(tmp_path / "trees.json"))).trees is not None
    (tmp_path / "other.json").write_text(json.dumps({**whole, "features": features}))
    with pytest.raises(InputError, match="not learned from the features it names, in this order"):
        parse_ranking(str(tmp_path / "other.json"))


def test_trees_keep_the_names_of_features_with_parameters(tmp_path: Path) -> None:
    pytest.importorskip("lightgbm")
    names = ("bm25(k1=0.9,b=0.4)", "cosine", "jelinek_mercer(lambda=0.5,terms=100)")
    trees = fit_trees(replace(examples(10), features=names))
    whole = {"format": "antecede ranking", "version": 1, "features": [*names], "trees": trees.text}
    (tmp_path / "t.json").write_text(json.dumps(whole))
    assert [str(each) for each, _ in read_weights(tmp_path / "t.json").features] == [
        str(parse_feature(name)) for name in names
    ]
