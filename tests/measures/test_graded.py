"""Graded measures against plain formulas, with copies of documents among them, and against what others compute."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede import evaluate, rank_table, score
from antecede.errors import MeasureError
from antecede.measures import Ranks, parse_measure
from tests.measures.worlds import Topic, scores_of, table_of

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Graded:
    """One topic and what each run retrieved for it: documents by number, a document perhaps more than once."""

    grades: list[int | None]
    """Of each document; None = not in the qrels."""
    rankings: list[list[int]]

    @property
    def best(self) -> list[int]:
        """The positive grades, highest first."""
        return sorted((grade for grade in self.grades if grade is not None and grade > 0), reverse=True)

    def gains(self, run: int) -> list[int]:
        return [max(self.grades[doc] or 0, 0) for doc in self.rankings[run]]

    def lacking(self, run: int) -> int:
        """How many documents with a positive grade the run does not have."""
        return sum((grade or 0) > 0 for doc, grade in enumerate(self.grades) if doc not in self.rankings[run])


def dcg(gains: list[int], upto: int | None = None) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains[:upto], 1))


def plain_bin_g(topic: Graded, run: int) -> float:
    useless, total = 0, 0.0
    for gain in topic.gains(run):
        if gain:
            total += 1 / math.log2(2 + useless)
        else:
            useless += 1
    return total / len(topic.best)


def plain_g(topic: Graded, run: int) -> float:
    cost, seen, total = 0, 0, 0.0
    for place, gain in enumerate(topic.gains(run)):
        cost += max(1, topic.best[place]) if place < len(topic.best) else 1
        seen += gain
        total += gain / math.log2(2 + max(cost - seen, 0))
    return total / sum(topic.best)


def plain_ndcg_rel(topic: Graded, run: int) -> float:
    gains, best = topic.gains(run), topic.best
    total = sum(dcg(gains, rank) / dcg(best, rank) for rank, gain in enumerate(gains, 1) if gain)
    return (total + topic.lacking(run) * dcg(gains) / dcg(best)) / len(best)


def plain_rndcg(topic: Graded, run: int) -> float:
    gains, best = topic.gains(run), topic.best
    places = [place for place in range(1, len(best) + 1) if place == len(best) or best[place] < best[place - 1]]
    shares = [dcg(gains, place) / dcg(best, place) for place in places]
    if len(gains) >= len(best) + 2:
        shares.append(dcg(gains) / dcg(best))
    return sum(shares) / len(shares)


def plain_err(topic: Graded, run: int) -> float:
    unsatisfied, total = 1.0, 0.0
    for rank, gain in enumerate(topic.gains(run)[:7], 1):
        satisfied = (2**gain - 1) / 2**5
        total += unsatisfied * satisfied / rank
        unsatisfied *= 1 - satisfied
    return total


PLAIN: dict[str, Callable[[Graded, int], float]] = {
    "BinG": plain_bin_g,
    "G": plain_g,
    "nDCGrel": plain_ndcg_rel,
    "Rndcg": plain_rndcg,
    "ERR(max=5)@7": plain_err,
}
MEASURES = {name: parse_measure(name) for name in PLAIN}


def graded_topics(*, copies: bool) -> st.SearchStrategy[Graded]:
    """Topics with at least one positive grade, and two rankings of their documents."""
    grades = st.lists(st.sampled_from([None, None, -2, -1, 0, 0, 1, 1, 2, 3, 5]), max_size=20)

    def ranked(found: list[int | None]) -> st.SearchStrategy[Graded]:
        ranking = st.lists(st.integers(0, len(found) - 1), unique=not copies, max_size=25)
        return st.builds(Graded, st.just(found), st.lists(ranking, min_size=2, max_size=2))

    return st.builds(lambda some, one: [*some, one], grades, st.integers(1, 4)).flatmap(ranked)


def table_with_copies(world: list[Graded]) -> Ranks:
    """The ranks of two runs; the second, third … time that a run has a document is a column of its own."""
    columns: list[tuple[int, int]] = []
    relevance: list[int] = []
    copies: list[bool] = []
    offsets = [0]
    for topic in world:
        for doc, grade in enumerate(topic.grades):
            if grade is not None:
                places = [[at for at, found in enumerate(run, 1) if found == doc] for run in topic.rankings]
                for time in range(max(1, *map(len, places))):
                    first, second = (found[time] if time < len(found) else 0 for found in places)
                    columns.append((first, second))
                    relevance.append(grade)
                    copies.append(time > 0)
        offsets.append(len(columns))
    return Ranks(
        np.array(columns, np.int32).reshape(-1, 2).T.copy(),
        np.array(relevance, np.int32),
        np.array(offsets),
        np.array([[len(topic.rankings[run]) for topic in world] for run in (0, 1)], np.int32),
        np.array(copies) if any(copies) else None,
    )


@given(world=st.lists(graded_topics(copies=True), min_size=1, max_size=5))
def test_equals_the_plain_formula_with_copies_or_without(world: list[Graded]) -> None:
    table = table_with_copies(world)
    for name, measure in MEASURES.items():
        plain = [[PLAIN[name](topic, run) for topic in world] for run in (0, 1)]
        assert measure.score(table) == pytest.approx(np.array(plain), rel=1e-12, abs=1e-15), name


@given(world=st.lists(graded_topics(copies=False), min_size=1, max_size=4))
def test_a_topic_scores_the_same_whatever_stands_beside_it(world: list[Graded]) -> None:
    """To the last bit: studies score topics in other company and compare."""
    together = table_with_copies(world)
    for name, measure in MEASURES.items():
        scores = measure.score(together)
        for at, topic in enumerate(world):
            assert scores[:, [at]].tolist() == measure.score(table_with_copies([topic])).tolist(), name


def numbers(world: list[Graded]) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Qrels and the first run, as other tools take them."""
    qrels = {
        str(at): {f"d{doc}": grade for doc, grade in enumerate(topic.grades) if grade is not None}
        for at, topic in enumerate(world)
    }
    run = {
        str(at): {f"d{doc}": float(-rank) for rank, doc in enumerate(topic.rankings[0])}
        for at, topic in enumerate(world)
    }
    return qrels, run


SHARED = {"binG": "BinG", "G": "G", "ndcg_rel": "nDCGrel", "Rndcg": "Rndcg", "utility": "Utility"}


@given(world=st.lists(graded_topics(copies=False), min_size=1, max_size=4))
def test_equals_the_code_of_trec_eval(world: list[Graded]) -> None:
    pytrec_eval: Any = pytest.importorskip("pytrec_eval")
    qrels, run = numbers(world)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {*SHARED}).evaluate({t: docs for t, docs in run.items() if docs})
    table = table_with_copies(world)
    for name, ours in SHARED.items():
        values = scores_of(parse_measure(ours), table)
        for topic, found in theirs.items():
            assert values[int(topic)] == pytest.approx(found[name], rel=1e-12, abs=1e-15), name


def test_err_equals_gdeval_to_the_digits_it_prints() -> None:
    theirs: Any = pytest.importorskip("ir_measures")
    if not theirs.gdeval.is_available():
        pytest.skip("gdeval needs Perl")
    random = Random(7)  # noqa: S311 - made-up topics
    world = []
    for _ in range(60):
        grades = [random.choice([None, -1, 0, 0, 1, 2, 3, 4]) for _ in range(random.randint(1, 30))]
        docs = range(len(grades))
        world.append(Graded(grades, [random.sample(docs, random.randint(1, len(grades))), []]))
    qrels, run = numbers([topic for topic in world if topic.best])
    for cutoff in (1, 5, 20):
        measure = theirs.ERR @ cutoff
        printed = {each.query_id: each.value for each in theirs.gdeval.iter_calc([measure], qrels, run)}
        scores = evaluate(rank_table(qrels, {"run": run}), f"ERR@{cutoff}")
        ours = dict(zip(scores.topics, scores.of(f"ERR@{cutoff}")[0].tolist(), strict=True))
        assert len(ours) > 40
        assert ours == pytest.approx(printed, abs=5.1e-6)


@pytest.mark.parametrize(
    ("written", "worth"),
    [
        ("Utility", 2 - 8),
        ("Utility(found=2, noise=-0.5)", 4 - 4),
        ("Utility(missed=-3)", 2 - 8 - 6),
        ("Utility(rest=0.25, docs=112)", 2 - 8 + 0.25 * 100),
        ("Utility(found=0, noise=0, rest=1, docs=12)", 0),
        ("Utility(rel=2)", 1 - 9),
    ],
)
def test_utility_by_hand(written: str, worth: float) -> None:
    """Ten documents, two relevant ones among them, two more that were missed."""
    assert score(written, found=[3, 7], relevant=4, grades=[2, 1, 1, 1], retrieved=10) == worth


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("Utility(rest=1)", r"rest=1\) requires the size of the collection; set docs=…"),
        ("Utility(rest=1, docs=11)", "has at least 12 documents"),
        ("Utility(found=nan)", "found must be between"),
        ("ERR@10", r"ERR\(max=4\): the qrels have grade 6; set max=6 or more"),
    ],
)
def test_a_collection_that_is_too_small_and_grades_beyond_the_scale_are_refused(written: str, message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        score(written, found=[3, 7], relevant=4, grades=[6, 1, 1, 1], retrieved=10)
    assert score("ERR(max=6)", found=[1], relevant=2, grades=[6, 1]) == 63 / 64


def test_a_topic_with_nothing_to_find_is_worth_what_its_noise_costs() -> None:
    """As in trec_eval, where topics without relevant documents are asked for."""
    table = table_of(Topic([None, 0, None], [0]), Topic([1], []))
    assert parse_measure("Utility").score(table, no_relevant="zero").tolist() == [[-3, 1]]
    empty = table_of(Topic([None, 0], []))
    for measure in MEASURES.values():
        assert measure.score(table, no_relevant="zero")[0, 0] == 0
        assert measure.score(empty, no_relevant="zero").tolist() == [[0]]


@pytest.mark.parametrize("measure", ["nDCG", "nDCG@10", "nDCG(gain=exp)"])
def test_one_relevant_document_at_the_first_rank_is_ideal(measure: str) -> None:
    assert score(measure, found=[1], relevant=1, grades=[1]) == 1
