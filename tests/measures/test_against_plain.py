"""Each measure against a plain, slow implementation of its formula, written from the formula alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.measures import parse_measure
from tests.measures.worlds import Topic, scores_of, table_of, topics

if TYPE_CHECKING:
    from collections.abc import Callable

DOCS = 5000


def relevant_ranks(topic: Topic, rel: int = 1) -> tuple[list[int], int]:
    ranks = [at for at, grade in enumerate(topic.ranking, 1) if grade is not None and grade >= rel]
    return ranks, sum(grade >= rel for grade in topic.relevance)


def plain_pres(topic: Topic, cutoff: int) -> float:
    ranks, n = relevant_ranks(topic)
    near = [rank for rank in ranks if rank <= cutoff]
    behind = [cutoff + len(near) + i for i in range(1, n - len(near) + 1)]
    return 1 - ((sum(near) + sum(behind)) / n - (n + 1) / 2) / cutoff


def plain_rnorm(topic: Topic) -> float:
    ranks, n = relevant_ranks(topic)
    everything = ranks + list(range(DOCS, DOCS - (n - len(ranks)), -1))
    return 1 - (sum(everything) - sum(range(1, n + 1))) / (n * (DOCS - n))


def plain_ap(topic: Topic, cutoff: int) -> float:
    ranks, n = relevant_ranks(topic)
    return sum(i / rank for i, rank in enumerate(ranks, 1) if rank <= cutoff) / n


def plain_ndcg(topic: Topic, cutoff: int, gain: str) -> float:
    def value(grade: int) -> float:
        return 2**grade - 1 if gain == "exp" else grade

    def dcg(grades: list[int]) -> float:
        return sum(value(grade) / math.log2(at + 1) for at, grade in enumerate(grades[:cutoff], 1) if grade > 0)

    return dcg([grade or 0 for grade in topic.ranking]) / dcg(sorted(topic.relevance, reverse=True))


def plain_bpref(topic: Topic) -> float:
    n, nonrelevant = (sum(g >= 1 for g in topic.relevance), sum(g == 0 for g in topic.relevance))
    above, total = 0, 0.0
    for grade in topic.ranking:
        if grade == 0:
            above += 1
        elif grade is not None and grade >= 1:
            total += 1 - min(above, n) / min(nonrelevant, n) if above else 1
    return total / n


def plain_infap(topic: Topic) -> float:
    e, total, pooled, judged, relevant = 1e-5, 0.0, 0, 0, 0
    for at, grade in enumerate(topic.ranking):
        if grade is not None and grade >= 1:
            share = pooled / at if at else 0
            total += 1 if at == 0 else 1 / (at + 1) + at / (at + 1) * share * (relevant + e) / (judged + 2 * e)
        pooled += grade is not None
        judged += grade is not None and grade >= 0
        relevant += grade is not None and grade >= 1
    return total / sum(g >= 1 for g in topic.relevance)


def plain_rbp(topic: Topic, p: float) -> float:
    return (1 - p) * sum(p ** (rank - 1) for rank in relevant_ranks(topic)[0])


def plain_residual(topic: Topic, p: float) -> float:
    unjudged = sum(p**at for at, grade in enumerate(topic.ranking) if grade is None or grade < 0)
    return (1 - p) * unjudged + p ** len(topic.ranking)


def plain_effort(topic: Topic, percent: int) -> float:
    ranks, n = relevant_ranks(topic)
    seen = 0
    for at in range(1, len(topic.ranking) + 1):
        seen += at in ranks
        if seen * 100 >= percent * n:
            return at
    return math.inf


def plain_wss(topic: Topic, percent: int) -> float:
    read = plain_effort(topic, percent)
    read = DOCS if math.isinf(read) else read
    return (DOCS - read) / DOCS - (1 - percent / 100)


def plain_tnr(topic: Topic, percent: int) -> float:
    ranks, n = relevant_ranks(topic)
    read = plain_effort(topic, percent)
    if math.isinf(read):
        return 0.0
    useless = read - sum(rank <= read for rank in ranks)
    return (DOCS - n - useless) / (DOCS - n)


def plain_iprec(topic: Topic, recall: float) -> float:
    ranks, n = relevant_ranks(topic)
    least = math.floor(recall * n + 0.5)
    return max((i / rank for i, rank in enumerate(ranks, 1) if i >= least), default=0.0)


PLAIN: dict[str, Callable[[Topic], float]] = {
    "PRES@7": lambda topic: plain_pres(topic, 7),
    "PRES@1000": lambda topic: plain_pres(topic, 1000),
    "PRESest@2": lambda topic: plain_pres(topic, 2) / min(1, 2 / relevant_ranks(topic)[1]),
    f"Rnorm(docs={DOCS})": plain_rnorm,
    "AP@7": lambda topic: plain_ap(topic, 7),
    "AP": lambda topic: plain_ap(topic, 10**6),
    "GMAP": lambda topic: max(plain_ap(topic, 10**6), 1e-5),
    "nDCG@4": lambda topic: plain_ndcg(topic, 4, "linear"),
    "nDCG(gain=exp)": lambda topic: plain_ndcg(topic, 10**6, "exp"),
    "Bpref": plain_bpref,
    "infAP": plain_infap,
    "RBP(p=0.9)": lambda topic: plain_rbp(topic, 0.9),
    "RBPresidual(p=0.9)": lambda topic: plain_residual(topic, 0.9),
    "Effort@95": lambda topic: plain_effort(topic, 95),
    "Effort@50": lambda topic: plain_effort(topic, 50),
    f"WSS(docs={DOCS})@80": lambda topic: plain_wss(topic, 80),
    f"TNR(docs={DOCS})@80": lambda topic: plain_tnr(topic, 80),
    "IPrec@0.3": lambda topic: plain_iprec(topic, 0.3),
    "RR@3": lambda topic: next((1 / rank for rank in relevant_ranks(topic)[0] if rank <= 3), 0.0),
    "RR(rel=3)": lambda topic: next((1 / rank for rank in relevant_ranks(topic, 3)[0]), 0.0),
    "P@4": lambda topic: sum(rank <= 4 for rank in relevant_ranks(topic)[0]) / 4,
    "R(rel=2)@4": lambda topic: sum(r <= 4 for r in relevant_ranks(topic, 2)[0]) / relevant_ranks(topic, 2)[1],
}


MEASURES = {name: parse_measure(name) for name in PLAIN}


@given(world=st.lists(topics(), min_size=1, max_size=8))
def test_equals_the_plain_formula(world: list[Topic]) -> None:
    table = table_of(*world)
    for name, measure in MEASURES.items():
        plain = [PLAIN[name](topic) for topic in world]
        ours = scores_of(measure, table)
        if measure.definition.aggregate_only:
            ours = [float(measure.aggregate(measure.score(table_of(topic)))[0]) for topic in world]
        assert ours == pytest.approx(plain, rel=1e-9, abs=1e-12), name
