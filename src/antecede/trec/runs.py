"""Runs: read in any form, checked, ranked by score; fused into one; and written in the TREC format."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from antecede.errors import InputError, UsageError, describe_given, printable, spell
from antecede.fusion import DEFAULT_FUSION, find_fusion, fuse_scores
from antecede.operations import Help, operation
from antecede.ranges import DOCUMENTS, RRF_K, WEIGHT
from antecede.results import list_public_names, make_pandas
from antecede.trec.layout import RUN
from antecede.trec.reader import GivenPolicies, Policies, load
from antecede.trec.rows import RowTopics, choose_dropped_rows, count_self_retrieved, find_duplicates, hash_pairs
from antecede.trec.run_names import name_runs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd
    import polars as pl
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from antecede.fusion import FusionName
    from antecede.trec.reader import Order, Ties

    Column = NDArray[np.float64]
    """The rank column of a file."""
    Rowwise = NDArray[np.int64]
    """Rows, each once."""


class OtherOrder(NamedTuple):
    """How a run would be ranked by its rank column, or in the order of its file."""

    order: Order
    ranks: NDArray[np.int32]


@dataclass(frozen=True)
class Run:
    """The rankings of one system: one row per document, topic by topic in the order of the file, with its rank."""

    name: str
    source: str
    topics: tuple[str, ...]
    topic: NDArray[np.int32]
    """The topic of each row, as an index into `topics`."""
    lengths: NDArray[np.int64]
    """The number of rows of each topic."""
    doc_ids: pl.Series
    """The document of each row."""
    keys: NDArray[np.uint64]
    """The key of each (topic, document): see `hash_pairs`."""
    scores: NDArray[np.float64]
    ranks: NDArray[np.int32]
    tied: NDArray[np.bool_] | None
    """Rows that share their score with another row of the topic; None where there are none."""
    odd: dict[str, int] = field(default_factory=dict)
    """Counts of irregularities in the file, such as `duplicates`, `malformed` and `unsorted_topics`."""
    order: Order = "score"
    """What it is ordered by: the scores, the rank column, or the order of the file."""
    other: OtherOrder | None = None
    """The other reading of a run whose scores do not give its order: they contradict the rank column, or are equal."""
    tag: str | None = None
    """The name that the file gives to the run."""

    def __repr__(self) -> str:
        return f"Run({self.name!r}, {len(self.topics)} topics, {len(self)} documents)"

    def __len__(self) -> int:
        return len(self.scores)

    def to_polars(self) -> pl.DataFrame:
        """topic_id, doc_id, rank and score, best first."""
        import polars as pl

        names = pl.Series("topic_id", self.topics, dtype=pl.String).gather(self.topic)
        frame = pl.DataFrame(
            {"topic_id": names, "doc_id": self.doc_ids, "rank": self.ranks, "score": self.scores, "at": self.topic}
        )
        return frame.sort("at", "rank").drop("at")

    def to_pandas(self) -> pd.DataFrame:
        """The same as a pandas frame, which must be installed."""
        return make_pandas(self.to_polars().to_dict(as_series=False))

    __dir__ = list_public_names


def read_run(
    given: object, policies: Policies | None = None, *, name: str | None = None, order: Order | None = None
) -> Run:
    """Read a run.

    Args:
        given: A path (TREC, CSV, TSV or Parquet, plain or compressed), `-`, a frame, a dict {topic: {document: score}},
            a `Run` of ranx, or a list of `ScoredDoc` of ir_measures.
        policies: How irregular input is treated; strict by default.
        name: The name of the run; by default that of the file.
        order: What a ranking is ordered by: its scores, its rank column, or the order of the file (`score`, `rank`,
            `input`); by default that of the policies.
    """
    policies = policies or Policies()
    policies = policies if order is None else replace(policies, order=order)
    if isinstance(given, Run):
        if policies.order != given.order:
            raise UsageError(
                f"order: {printable(given.name)} was read by {given.order}; choose {policies.order} where it is read"
            )
        return given if policies.depth is None else cut_run(given, policies.depth)
    with_ranks = "rank" in (policies.ties, policies.order)
    source, own_name, rows = load(given, RUN, policies.malformed, name, with_ranks=with_ranks)
    rows = rows.group()
    topics, docs, scores = rows.topics, rows.docs, rows.numbers.astype(np.float64, copy=False)
    keys = hash_pairs(topics, docs)
    duplicates = find_duplicates(keys, topics.of_row, docs)
    dropped = choose_dropped_rows(rows, duplicates, policies.duplicates, source)
    odd = {**rows.odd, "duplicates": sum(len(copies) - 1 for copies in duplicates)}
    odd["self_retrieved"] = count_self_retrieved(topics, docs, keys)
    column = rows.ranks if rows.ranks is not None and np.isfinite(rows.ranks).all() else None
    if with_ranks and column is None:
        option = spell("order" if policies.order == "rank" else "ties")
        raise InputError("its rank column is not all numbers", source=source, remedy=f"choose another {option}")
    # With duplicates: without them there are gaps. A column that is not all numbers gives no order to any topic.
    odd_ranks = 0 if rows.ranks is None else len(topics.names)
    odd |= {"odd_ranks": odd_ranks, "swapped_columns": 0} if column is None else _inspect_ranks(topics, scores, column)
    if policies.order == "input":
        odd["swapped_columns"] = 0  # neither column is used
    if len(dropped):
        keep = np.delete(np.arange(len(docs)), dropped)
        topics = RowTopics(topics.names, topics.of_row[keep])
        docs, scores, keys = docs.gather(keep), scores[keep], keys[keep]
        column = None if column is None else column[keep]
    by_score, tied, unsorted = _order_by_score(topics, scores, docs, column, policies.ties)
    conflicts = _find_conflicts(topics, scores, column, by_score)
    odd |= {"unsorted_topics": unsorted, **conflicts}
    ranks, other = _count_places(topics, by_score), None
    if policies.order != "score":
        ranks, tied = _order_as_asked(topics, docs, column, policies.order, source), None
        odd[f"ordered_by_{policies.order}"] = len(topics.names)
    elif any(conflicts.values()):
        other = _find_other_order(topics, ranks, column)
    run = Run(
        *(own_name, source, topics.names, topics.of_row, topics.lengths, docs, keys, scores, ranks, tied),
        odd,
        policies.order,
        other,
        rows.tag,
    )
    return run if policies.depth is None else cut_run(run, policies.depth)


# From here on the rows of each topic are consecutive, and the topics in the order of their codes.


def _count_places(topics: RowTopics, order: Rowwise | None = None) -> NDArray[np.int32]:
    """The place of each row in its topic, in the order of the file or in that given for all rows."""
    places = np.arange(1, len(topics.of_row) + 1, dtype=np.int32)
    places -= np.repeat(topics.starts.astype(np.int32), topics.lengths)
    if order is None:
        return places
    ranks = np.empty_like(places)
    ranks[order] = places
    return ranks


def _is_within_topic(topics: RowTopics) -> NDArray[np.bool_]:
    """For each row but the first: whether it has the topic of the row before."""
    same = np.ones(len(topics.of_row) - 1, bool)
    same[topics.starts[1:] - 1] = False
    return same


def _order_by_score(
    topics: RowTopics, scores: NDArray[np.float64], docs: pl.Series, column: Column | None, ties: Ties
) -> tuple[Rowwise | None, NDArray[np.bool_] | None, int]:
    """Order the rows of each topic by score descending, then as `ties` says; a rank column never overrides scores.

    Returns the rows in that order, None where they are so in the file; which rows share their score with another of
    the topic, None where none does; and how many topics the file does not list by falling scores.
    """
    within = _is_within_topic(topics)
    if not (within & ~(scores[1:] < scores[:-1])).any():
        return None, None, 0
    order = np.arange(len(scores))
    rising = np.flatnonzero(within & (scores[1:] > scores[:-1]))
    unsorted = np.flatnonzero(np.bincount(topics.of_row[rising]))
    if len(unsorted):
        scores = scores.copy()
    for begin, length in zip(topics.starts[unsorted].tolist(), topics.lengths[unsorted].tolist(), strict=True):
        rows = slice(begin, begin + length)
        order[rows] = begin + np.argsort(-scores[rows], kind="stable")
        scores[rows] = scores[order[rows]]
    alike = within & (scores[1:] == scores[:-1])
    if not alike.any():
        return order, None, len(unsorted)
    places = np.flatnonzero(np.concatenate((alike, [False])) | np.concatenate(([False], alike)))
    tied_rows = order[places]
    tied = np.zeros(len(scores), bool)
    tied[tied_rows] = True
    keys: list[NDArray[Any]] = []
    if ties == "docid":
        keys = [docs.gather(tied_rows).rank("dense", descending=True).to_numpy()]
    elif ties == "rank" and column is not None:
        keys = [column[tied_rows]]
    group = np.cumsum(np.concatenate(([True], ~alike)))[places]
    order[places] = tied_rows[np.lexsort((*keys, group))]
    return order, tied, len(unsorted)


def _inspect_ranks(topics: RowTopics, scores: NDArray[np.float64], column: Column) -> dict[str, int]:
    """In how many topics the ranks are not 1, 2, 3 …, and in how many rank and score appear to be swapped."""
    starts, lengths = topics.starts, topics.lengths
    if (column[starts] == 1).all() and ((column[1:] - column[:-1] == 1) | ~_is_within_topic(topics)).all():
        return {"odd_ranks": 0, "swapped_columns": 0}
    first = np.minimum.reduceat(column, starts)
    steps = column - np.repeat(first, lengths)
    places = np.minimum(steps, len(column)).astype(np.int64)
    counted = (places == steps) & (places < np.repeat(lengths, lengths))
    taken = np.zeros(len(column), bool)
    taken[(places + np.repeat(starts, lengths))[counted]] = True
    gapless = np.logical_and.reduceat(taken, starts)
    odd = ~(gapless & (first == 1))
    swapped = 0
    for at in np.flatnonzero(odd & ~(gapless & (first == 0))).tolist():
        rows = slice(starts[at], starts[at] + lengths[at])
        swapped += _are_swapped(column[rows], scores[rows])
    return {"odd_ranks": int(odd.sum()), "swapped_columns": swapped}


def _are_swapped(ranks: Column, scores: NDArray[np.float64]) -> bool:
    """Whether the scores of a topic are ranks: whole beside fractions, or 1, 2, 3 … down the file as ranks fall."""
    if (scores % 1 == 0).all() and (ranks % 1 != 0).any():
        return True
    counted = scores[0] in (0, 1) and (scores == scores[0] + np.arange(len(scores))).all()
    return bool(counted and (ranks[1:] <= ranks[:-1]).all() and ranks[0] > ranks[-1])


def _find_conflicts(
    topics: RowTopics, scores: NDArray[np.float64], column: Column | None, order: Rowwise | None
) -> dict[str, int]:
    """In how many topics the scores contradict the rank column, and in how many they are all equal.

    A document that is ranked above another should not score less. Ranks may fall within a group of equal scores, but
    not from one group to the next.
    """
    first, last = topics.starts, topics.starts + topics.lengths - 1
    if order is not None:
        first, last = order[first], order[last]
    equal = int(np.count_nonzero((scores[first] == scores[last]) & (topics.lengths > 1)))
    within, conflicts = _is_within_topic(topics), 0
    # Where ranks rise and scores fall down the file, there is no need to look at the groups.
    if column is not None and (within & ((column[1:] < column[:-1]) | (scores[1:] > scores[:-1]))).any():
        if order is not None:
            scores, column = scores[order], column[order]
        groups = np.flatnonzero(np.concatenate(([True], ~within | (scores[1:] != scores[:-1]))))
        highest, lowest = np.maximum.reduceat(column, groups), np.minimum.reduceat(column, groups)
        below = groups[1:][(lowest[1:] < highest[:-1]) & within[groups[1:] - 1]]
        conflicts = int(np.count_nonzero(np.bincount(topics.of_row[below])))
    return {"rank_conflicts": conflicts, "equal_scores": equal}


def _order_by_column(topics: RowTopics, column: Column) -> tuple[Rowwise, int | None]:
    """The rows by their ranks; and a row whose rank another document of its topic has too, if any."""
    order = np.lexsort((column, topics.of_row))
    rank = column[order]
    twice = np.flatnonzero(_is_within_topic(topics) & (rank[1:] == rank[:-1]))
    return order, int(order[twice[0] + 1]) if len(twice) else None


def _find_other_order(topics: RowTopics, ranks: NDArray[np.int32], column: Column | None) -> OtherOrder | None:
    """The ranking by the rank column, or where that is of no use, in the order of the file; None if it is the same."""
    order, twice = (None, None) if column is None else _order_by_column(topics, column)
    usable = order is not None and twice is None
    other = OtherOrder("rank" if usable else "input", _count_places(topics, order if usable else None))
    return None if (other.ranks == ranks).all() else other


def _order_as_asked(
    topics: RowTopics, docs: pl.Series, column: Column | None, order: Order, source: str
) -> NDArray[np.int32]:
    """The place of each row by the rank column, which must give each document of a topic its own, or as in the file."""
    if order == "input" or column is None:
        return _count_places(topics)
    rows, twice = _order_by_column(topics, column)
    if twice is not None:
        raise InputError(
            f"another document of the topic has its rank ({float(column[twice]):g}) too, so the rank column gives no "
            "order",
            source=source,
            topic_id=topics.names[topics.of_row[twice]],
            doc_id=docs[twice],
            remedy=f"choose {spell('order', 'score')} or {spell('order', 'input')}",
        )
    return _count_places(topics, rows)


def cut_run(run: Run, depth: int) -> Run:
    """The first `depth` documents of each topic."""
    kept = np.flatnonzero(run.ranks <= depth)
    return replace(
        run,
        topic=run.topic[kept],
        lengths=np.minimum(run.lengths, depth),
        doc_ids=run.doc_ids.gather(kept),
        keys=run.keys[kept],
        scores=run.scores[kept],
        ranks=run.ranks[kept],
        tied=None if run.tied is None else run.tied[kept],
        other=None,
    )


def write_run(run: Run, path: str | Path, *, tag: str | None = None) -> None:
    """Write a run as TREC text, best first, completely or not at all.

    Scores keep all their digits, so that the file gives the same ranks when it is read again.

    Args:
        run: The run.
        path: The file; it is compressed if its name ends in `.gz` or a similar suffix.
        tag: The last column; by default the name of the run.
    """
    from antecede.trec.output import write_columns

    write_columns(lay_out_run(run, tag or run.name), path)


def lay_out_run(run: Run, tag: str) -> pl.DataFrame:
    """The columns of a run as TREC has them."""
    import polars as pl

    return run.to_polars().select("topic_id", pl.lit("Q0"), "doc_id", "rank", "score", pl.lit(tag).alias("tag"))


# Fusion, topic by topic; the arithmetic is that of `antecede.fusion`.


@operation
def fuse(
    runs: Annotated[object, Help("Runs, in any form.", argument="RUN...", path=True)],
    by: Annotated[FusionName, Help("The method of fusion.")] = DEFAULT_FUSION,
    *,
    k: Annotated[int, DOCUMENTS, Help("The number of documents per topic.", flags="-k")] = 1000,
    rrf_k: Annotated[int | None, RRF_K, Help("The constant that rrf adds to ranks.", default="60")] = None,
    weights: Annotated[
        Sequence[float] | None,
        Help("A weight for each run, in their order.", metavar="W,W,…", default="1 for each"),
    ] = None,
    policies: Policies = Policies(),
    **_given: Unpack[GivenPolicies],
) -> Run:
    """Fuse runs of the same topics into one. A topic that only some of the runs have is fused from those.

    Args:
        runs: Two runs or more, as for `rank_table`: a list, or a dict {name: run}.
        policies: How irregular input is treated, as one value.
    """
    find_fusion(by)
    DOCUMENTS.check(k, "k")
    check_rrf_k(rrf_k, by)
    named = name_runs(runs)
    if len(named) < 2:
        raise UsageError(f"runs: a fusion needs at least two runs, but got 1 ({describe_given(runs)}); add another run")
    weights = [1.0] * len(named) if weights is None else check_weights(weights, len(named))
    by_topic: dict[str, list[tuple[list[str], NDArray[np.float64], float]]] = {}
    for (name, given), weight in zip(named.items(), weights, strict=True):
        run = given if isinstance(given, Run) else read_run(given, policies, name=name)
        for topic, docs, scores in _list_rankings(run):
            by_topic.setdefault(topic, []).append((docs, scores, weight))
    fused: dict[str, dict[str, Any]] = {}
    for topic, rankings in by_topic.items():
        index: dict[str, int] = {}
        group = np.array([index.setdefault(doc, len(index)) for docs, _, _ in rankings for doc in docs], np.int64)
        votes = [scores for _, scores, _ in rankings]
        weighing = [weight for _, _, weight in rankings]
        scores = fuse_scores(by, votes, group, len(index), rrf_k=rrf_k, weights=weighing)
        fused[topic] = _keep_best([*index], scores, k)
    return read_run(fused, name=by)


def check_rrf_k(rrf_k: int | None, by: str) -> None:
    """Refuse a constant of RRF that is out of range, or given for another fusion."""
    if rrf_k is not None:
        RRF_K.check(rrf_k, "rrf_k")
        if by != "rrf":
            raise UsageError(f"rrf_k is the constant of rrf, and {by} has none; leave it out, or fuse by rrf")


def check_weights(weights: Sequence[float], runs: int) -> list[float]:
    """The weights of runs; refuse those that are none, or of another number of runs."""
    if len(weights) != runs:
        raise UsageError(f"a fusion of {runs} runs needs {runs} weights, but got {len(weights)}")
    for weight in weights:
        WEIGHT.check(weight, "weights")
    return [*weights]


def _list_rankings(run: Run) -> list[tuple[str, list[str], NDArray[np.float64]]]:
    """For each topic of a run its documents, best first, and their scores.

    A run that was not ordered by score has none that fit its order: its scores are then the negative ranks.
    """
    if run.odd.get("duplicates") and len(np.unique(run.keys)) < len(run):
        raise UsageError(
            f"{printable(run.name)}: a document appears twice in a topic; keep its first or last line only"
        )
    order = np.lexsort((run.ranks, run.topic))
    scores = run.scores if run.order == "score" else -run.ranks.astype(np.float64)
    starts = np.cumsum(run.lengths) - run.lengths
    doc_ids = run.doc_ids.gather(order).to_list()
    return [
        (name, doc_ids[begin : begin + length], scores[order[begin : begin + length]])
        for name, begin, length in zip(run.topics, starts.tolist(), run.lengths.tolist(), strict=True)
        if length
    ]


def _keep_best(docs: list[str], scores: NDArray[np.float64], k: int) -> dict[str, float]:
    """The k best documents; equal scores by document id descending, as runs are ranked."""
    best = sorted(zip(scores.tolist(), (doc.encode() for doc in docs), docs, strict=True), reverse=True)[:k]
    return {doc: score for score, _, doc in best}
