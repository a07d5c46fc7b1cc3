"""Properties that hold for every registered measure. A new measure is tested here without another line."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.measures import Measure, Ranks
from tests.measures.worlds import Ranking, Topic, every_measure, scores_of, table_of, topics

MEASURES = every_measure()
DIRECTED = [measure for measure in MEASURES if measure.definition.better]

COUNT_THE_WHOLE_LIST = {"NumRet", "Judged", "Unjudged", "SetAP", "Utility", "Rndcg", "LossE", "LossER", "TotalCost"}
"""These look at how long the list is, so a document more at its end shows."""

PERFECT_IS_NOT_ONE = {"RBP", "ERR", "WSS", "TarWSS"}
"""RBP leaves room for what lies behind the list, and ERR for a reader whom nothing satisfies. WSS depends on the size
of the collection."""

worlds = st.lists(topics(), min_size=1, max_size=8)


def length_matters(measure: Measure) -> bool:
    whole_list = measure.definition.name in {"P", "F", "RelP"} and "cutoff" not in dict(measure.arguments)
    return whole_list or measure.definition.name in COUNT_THE_WHOLE_LIST


def at_least(better: float, worse: float, measure: Measure) -> bool:
    """Whether a score is as good as another, whichever way is better."""
    if measure.definition.better == "lower":
        better, worse = -better, -worse
    return better >= worse - 1e-9 or better == worse


@given(world=worlds)
def test_stays_within_its_bounds(world: list[Topic]) -> None:
    table = table_of(*world)
    for measure in MEASURES:
        low, high = measure.definition.bounds
        assert all(low - 1e-12 <= value <= high + 1e-12 for value in scores_of(measure, table)), measure


@given(world=worlds, data=st.data())
def test_a_better_rank_never_lowers_the_score(world: list[Topic], data: st.DataObject) -> None:
    """Let a document of the highest grade change places with the irrelevant or unjudged one just above it."""
    improved = []
    for topic in world:
        ranking = topic.ranking
        places = [at for at in range(1, len(ranking)) if ranking[at] == 3 and ranking[at - 1] in {None, 0}]
        if places:
            at = data.draw(st.sampled_from(places))
            swapped: Ranking = [*ranking[: at - 1], ranking[at], ranking[at - 1], *ranking[at + 1 :]]
            improved.append(Topic(swapped, topic.unfound))
        else:
            improved.append(topic)
    before, after = table_of(*world), table_of(*improved)
    for measure in DIRECTED:
        for old, new in zip(scores_of(measure, before), scores_of(measure, after), strict=True):
            assert at_least(new, old, measure), measure


@given(world=worlds)
def test_an_unjudged_document_below_the_last_relevant_one_changes_nothing(world: list[Topic]) -> None:
    before = table_of(*world)
    after = table_of(*(Topic([*topic.ranking, None], topic.unfound) for topic in world))
    for measure in MEASURES:
        if not length_matters(measure):
            assert scores_of(measure, after) == scores_of(measure, before), measure


@pytest.mark.slow
@given(world=worlds)
def test_nothing_beats_the_perfect_ranking(world: list[Topic]) -> None:
    """The judged documents in the order of their relevance, and the relevant ones alone: one of these is the best."""
    table = table_of(*world)
    for measure in DIRECTED:
        alone, padded = [], []
        for topic in world:
            judged = sorted((grade for grade in topic.relevance if grade >= 0), reverse=True)
            relevant: Ranking = [grade for grade in judged if grade >= measure.rel]
            rest = [grade for grade in judged if grade < measure.rel]
            alone.append(Topic(relevant, rest))
            padded.append(Topic([*relevant, *rest, *[None] * len(topic.ranking)], []))
        perfect = zip(scores_of(measure, table_of(*alone)), scores_of(measure, table_of(*padded)), strict=True)
        for topic, best, score in zip(world, perfect, scores_of(measure, table), strict=True):
            if measure.definition.name == "infAP" and -1 in topic.relevance:
                continue  # a document that was in the pool and not judged counts as relevant in part
            assert any(at_least(one, score, measure) for one in best), measure


@pytest.mark.parametrize("measure", DIRECTED, ids=str)
def test_a_list_of_all_relevant_documents_and_nothing_else_scores_one(measure: Measure) -> None:
    if measure.definition.better == "lower" or measure.definition.bounds[1] != 1:
        return
    if measure.definition.name in PERFECT_IS_NOT_ONE or dict(measure.arguments).get("cutoff", 5) != 5:
        return
    assert scores_of(measure, table_of(Topic([3] * 5, []))) == pytest.approx([1], abs=1e-5)


@pytest.mark.slow
@given(world=worlds)
def test_a_topic_without_relevant_documents_is_left_out(world: list[Topic]) -> None:
    with_nothing = table_of(*world, Topic([None, 0], [0, -1]))
    alone = table_of(*world)
    for measure in MEASURES:
        assert math.isnan(scores_of(measure, with_nothing)[-1]), measure
        both = [float(measure.aggregate(measure.score(table))[0]) for table in (alone, with_nothing)]
        assert both[0] == pytest.approx(both[1], rel=1e-12, abs=1e-15), measure


@given(world=worlds, seed=st.integers(0, 2**32 - 1))
def test_the_order_of_judged_pairs_does_not_matter(world: list[Topic], seed: int) -> None:
    table = table_of(*world)
    random = np.random.default_rng(seed)
    mixed = np.concatenate(
        [random.permutation(np.arange(a, b)) for a, b in zip(table.offsets, table.offsets[1:], strict=False)]
    )
    other = Ranks(table.ranks[:, mixed], table.relevance[mixed], table.offsets, table.retrieved)
    for measure in MEASURES:
        assert scores_of(measure, other) == pytest.approx(scores_of(measure, table), rel=1e-12), measure


@given(world=worlds, cutoff=st.integers(1, 40))
def test_pres_lies_between_its_bounds(world: list[Topic], cutoff: int) -> None:
    from antecede.measures import parse_measure

    table = table_of(*world)
    pres, recall = (np.array(scores_of(parse_measure(f"{name}@{cutoff}"), table)) for name in ("PRES", "R"))
    n = np.array([sum(grade >= 1 for grade in topic.relevance) for topic in world])
    assert (n * recall**2 / cutoff - 1e-12 <= pres).all()
    assert (pres <= recall + 1e-12).all()
