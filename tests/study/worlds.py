"""Small rank tables for the studies."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from antecede.evaluation import RankTable
from antecede.measures import Ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def table_from(topics: Sequence[Sequence[tuple[int, Sequence[int]]]], runs: Sequence[str] = ()) -> RankTable:
    """A table written out: topics of documents, each with its relevance and its rank in every run (0 = not found)."""
    pairs = [pair for topic in topics for pair in topic]
    ranks = np.array([found for _, found in pairs], np.int32).T
    names = tuple(runs) or tuple("abcdefgh"[: len(ranks)])
    return RankTable(
        names,
        tuple(f"t{number}" for number in range(1, len(topics) + 1)),
        tuple(f"d{number}" for number in range(len(pairs))),
        Ranks(
            np.ascontiguousarray(ranks),
            np.array([relevance for relevance, _ in pairs], np.int32),
            np.cumsum([0, *map(len, topics)]),
            np.full((len(ranks), len(topics)), 100, np.int32),
        ),
    )


def drawn_table(seed: int, *, runs: int = 5, topics: int = 7, copies: bool = False) -> RankTable:
    """A table drawn at random: relevant, graded, irrelevant and unjudged documents, some of them not retrieved."""
    random = np.random.default_rng(seed)
    sizes = random.integers(4, 14, topics)
    relevance = np.concatenate([[2, 1, *random.choice([-1, 0, 0, 1, 2], size - 2)] for size in sizes]).astype(np.int32)
    ranks = np.zeros((runs, len(relevance)), np.int32)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    for run in ranks:
        for begin, end in pairwise(offsets.tolist()):
            places = random.permutation(30)[: end - begin] + 1
            run[begin:end] = np.where(random.random(end - begin) < 0.7, places, 0)
    twice = random.random(len(relevance)) < 0.2 if copies else np.zeros(len(relevance), bool)
    twice[offsets[:-1]] = False  # a copy stands behind its document, and is as relevant
    for column in np.flatnonzero(twice):
        relevance[column] = relevance[column - 1]
    return RankTable(
        tuple("abcdefgh"[:runs]),
        tuple(map(str, range(topics))),
        tuple(f"d{number}" for number in range(len(relevance))),
        Ranks(ranks, relevance, offsets, np.full((runs, topics), 30, np.int32), twice if copies else None),
    )


def keep_only(ranks: Ranks, present: NDArray[np.bool_], *, pooled: bool = False) -> Ranks:
    """The rank table of a sample of the judgements; a lost document is dropped, or stays in the pool unjudged."""
    columns = np.arange(len(present)) if pooled else np.flatnonzero(present)
    return Ranks(
        ranks.ranks[:, columns],
        np.where(present, ranks.relevance, -1)[columns],
        np.searchsorted(columns, ranks.offsets),
        ranks.retrieved,
        None if ranks.copies is None else ranks.copies[columns],
    )


def graded_world(
    runs: int, topics: int, noise: float, seed: int = 0
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Judgements of 40 documents a topic, with grades from 0 to 3, and runs of falling quality."""
    rng = np.random.default_rng(seed)
    qrels = {f"{t}": {f"d{d}": int(rng.choice([0, 0, 0, 1, 2, 3])) for d in range(40)} for t in range(topics)}
    found = {
        f"r{r}": {
            topic: {doc: float(grade + (noise + r) * rng.standard_normal()) for doc, grade in judged.items()}
            for topic, judged in qrels.items()
        }
        for r in range(runs)
    }
    return qrels, found
