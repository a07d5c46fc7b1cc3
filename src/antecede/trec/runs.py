"""Runs: read in any form, checked, ranked by score; and written in the TREC format."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from antecede.errors import InputError, UsageError, shown
from antecede.results import list_public_names, make_pandas
from antecede.trec.policies import Policies
from antecede.trec.reader import RUN, load
from antecede.trec.rows import choose_dropped_rows, find_duplicates, hash_pairs, hash_topics

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    import polars as pl
    from numpy.typing import NDArray

    from antecede.trec.policies import Order, Ties
    from antecede.trec.rows import Texts, Topics

    Column = NDArray[np.number[Any]]
    """The rank column of a file."""


class OtherOrder(NamedTuple):
    """How a run would be ranked by its rank column, or in the order of its file."""

    order: Order
    ranks: NDArray[np.int32]


@dataclass(frozen=True)
class Run:
    """The rankings of one system: one row per document, in the order of the file, with its rank by score."""

    name: str
    source: str
    topics: tuple[str, ...]
    topic: NDArray[np.int32]
    """The topic of each row, as an index into `topics`."""
    lengths: NDArray[np.int64]
    """The number of rows of each topic."""
    docs: Texts
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

    @cached_property
    def doc_ids(self) -> pl.Series:
        """The document of each row."""
        return self.docs.to_series()

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
        given: A path (TREC, CSV, TSV or Parquet, plain or compressed), `-`, a frame or a dict {topic: {document:
            score}}.
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
                f"order: {shown(given.name)} was read by {given.order}; choose {policies.order} where it is read"
            )
        return given if policies.depth is None else cut_run(given, policies.depth)
    with_ranks = "rank" in (policies.ties, policies.order)
    source, own_name, rows, tag = load(given, RUN, policies.malformed, name, with_ranks=with_ranks)
    topics, docs, scores = rows.topics, rows.docs, rows.numbers.astype(np.float64, copy=False)
    keys = hash_pairs(topics, docs)
    duplicates = find_duplicates(keys, topics.of_row, docs)
    dropped = choose_dropped_rows(duplicates, policies.duplicates, source, rows.locate)
    odd = {**rows.odd, "duplicates": sum(len(copies) - 1 for copies in duplicates)}
    odd["self_retrieved"] = _count_self_retrieved(topics, docs)
    column = rows.ranks if rows.ranks is not None and np.isfinite(rows.ranks).all() else None
    if with_ranks and column is None:
        option = "--order" if policies.order == "rank" else "--ties"
        raise InputError("its rank column is not all numbers", source=source, remedy=f"choose another {option}")
    # With duplicates: without them there are gaps. A column that is not all numbers gives no order to any topic.
    odd_ranks = 0 if rows.ranks is None else len(topics.names)
    odd |= {"odd_ranks": odd_ranks, "swapped_columns": 0} if column is None else _inspect_ranks(topics, scores, column)
    if policies.order == "input":
        odd["swapped_columns"] = 0  # neither column is used
    if len(dropped):
        keep = np.delete(np.arange(len(docs)), dropped)
        topics, docs, scores, keys = topics.gather(keep), docs.gather(keep), scores[keep], keys[keep]
        column = None if column is None else column[keep]
    ranking = _rank_rows(topics, scores, docs, column, policies.ties)
    conflicts = _find_conflicts(ranking, column)
    odd |= {"unsorted_topics": ranking.unsorted_topics, **conflicts}
    ranks, tied, other = ranking.ranks, ranking.tied, None
    if policies.order != "score":
        ranks, tied = _order_as_asked(topics, docs, column, policies.order, source), None
        odd[f"ordered_by_{policies.order}"] = len(topics.names)
    elif any(conflicts.values()):
        other = _find_other_order(topics, ranks, column)
    run = Run(
        *(own_name, source, topics.names, topics.of_row, topics.counts, docs, keys, scores, ranks, tied),
        odd,
        policies.order,
        other,
        tag,
    )
    return run if policies.depth is None else cut_run(run, policies.depth)


class _Ranking(NamedTuple):
    """The rows of a run, ranked by score."""

    order: NDArray[np.int64] | None
    """The rows topic by topic, best first; None where they are so in the file."""
    starts: NDArray[np.int64]
    """The first place of each topic in that order."""
    lengths: NDArray[np.int64]
    scores: NDArray[np.float64]
    """In that order."""
    ranks: NDArray[np.int32]
    """The rank of each row, in the order of the file."""
    tied: NDArray[np.bool_] | None
    """Rows that share their score with another row of the topic; None where there are none."""
    unsorted_topics: int


def _rank_rows(topics: Topics, scores: NDArray[np.float64], docs: Texts, column: Column | None, ties: Ties) -> _Ranking:
    """Rank the rows of each topic: by score descending, then as `ties` says. A rank column never overrides scores."""
    order = None
    if not topics.contiguous:
        order = np.argsort(topics.of_row, kind="stable")
        topics, scores = topics.gather(order), scores[order]
    starts, lengths, count = topics.starts, topics.lengths, len(scores)
    places = np.arange(1, count + 1, dtype=np.int32)
    places -= np.repeat(starts.astype(np.int32), lengths)
    same_topic = np.ones(count - 1, bool)
    same_topic[starts[1:] - 1] = False
    tied, unsorted = None, np.empty(0, np.int64)
    if (same_topic & ~(scores[1:] < scores[:-1])).any():
        order = np.arange(count) if order is None else order
        rising = np.flatnonzero(same_topic & (scores[1:] > scores[:-1]))
        unsorted = np.unique(np.searchsorted(starts, rising, "right") - 1)
        scores = scores.copy() if len(unsorted) else scores
        for begin, end in zip(starts[unsorted].tolist(), (starts + lengths)[unsorted].tolist(), strict=True):
            best_first = np.argsort(-scores[begin:end])
            order[begin:end] = order[begin:end][best_first]
            scores[begin:end] = scores[begin:end][best_first]
        alike = same_topic & (scores[1:] == scores[:-1])
        if alike.any():
            tied_places = _sort_ties(order, alike, docs, column, ties)
            tied = np.zeros(count, bool)
            tied[order[tied_places]] = True
    ranks = places
    if order is not None:
        ranks = np.empty_like(places)
        ranks[order] = places
    return _Ranking(order, starts, lengths, scores, ranks, tied, len(unsorted))


def _sort_ties(
    order: NDArray[np.int64], alike: NDArray[np.bool_], docs: Texts, column: Column | None, ties: Ties
) -> NDArray[np.int64]:
    """Sort rows with equal scores within the places that they have in `order`, and return these places.

    `alike` says which row has the same score as the row after it.
    """
    places = np.flatnonzero(np.concatenate((alike, [False])) | np.concatenate(([False], alike)))
    group = np.cumsum(np.concatenate(([True], ~alike)))[places]
    rows = order[places]
    keys: list[NDArray[Any]] = []
    if ties == "docid":
        keys = [~key for key in docs.gather(rows).sort_keys()]
    elif ties == "rank" and column is not None:
        keys = [column[rows]]
    order[places] = rows[np.lexsort((rows, *keys, group))]
    return places


def _inspect_ranks(topics: Topics, scores: NDArray[np.float64], column: Column) -> dict[str, int]:
    """In how many topics the ranks are not 1, 2, 3 …, and in how many rank and score appear to be swapped."""
    if not topics.contiguous:
        grouped = np.argsort(topics.of_row, kind="stable")
        topics, scores, column = topics.gather(grouped), scores[grouped], column[grouped]
    starts, lengths = topics.starts, topics.lengths
    rising_by_one = column[1:] - column[:-1] == 1
    rising_by_one[starts[1:] - 1] = True
    other = np.unique(np.searchsorted(starts, np.flatnonzero(~rising_by_one), "right") - 1)
    odd, swapped = int(np.count_nonzero(np.delete(column[starts], other) != 1)), 0
    for at in other.tolist():
        rows = slice(starts[at], starts[at] + lengths[at])
        counted_from = np.sort(column[rows]) - np.arange(lengths[at])
        if (counted_from == 1).all():
            continue
        odd += 1
        swapped += not (counted_from == 0).all() and _are_swapped(column[rows], scores[rows])
    return {"odd_ranks": odd, "swapped_columns": swapped}


def _are_swapped(ranks: Column, scores: NDArray[np.float64]) -> bool:
    """Whether the scores of a topic are ranks: whole beside fractions, or 1, 2, 3 … down the file as ranks fall."""
    if (scores % 1 == 0).all() and (ranks % 1 != 0).any():
        return True
    counted = scores[0] in (0, 1) and (scores == scores[0] + np.arange(len(scores))).all()
    return bool(counted and (ranks[1:] <= ranks[:-1]).all() and ranks[0] > ranks[-1])


def _find_conflicts(ranking: _Ranking, column: Column | None) -> dict[str, int]:
    """In how many topics the scores contradict the rank column, and in how many they are all equal.

    A document that is ranked above another should not score less. Ranks may fall within a group of equal scores, but
    not from one group to the next.
    """
    starts, scores = ranking.starts, ranking.scores
    last = starts + ranking.lengths - 1
    equal = int(np.count_nonzero((scores[starts] == scores[last]) & (ranking.lengths > 1)))
    conflicts = 0
    if column is not None:
        column = column if ranking.order is None else column[ranking.order]
        falls = column[1:] < column[:-1]
        falls[starts[1:] - 1] = False
        if falls.any():
            new_topic = np.zeros(len(scores), bool)
            new_topic[starts] = True
            groups = np.flatnonzero(new_topic | np.concatenate(([True], scores[1:] != scores[:-1])))
            highest, lowest = np.maximum.reduceat(column, groups), np.minimum.reduceat(column, groups)
            below = groups[1:][(lowest[1:] < highest[:-1]) & ~new_topic[groups[1:]]]
            conflicts = len(np.unique(np.searchsorted(starts, below, "right")))
    return {"rank_conflicts": conflicts, "equal_scores": equal}


def _find_other_order(topics: Topics, ranks: NDArray[np.int32], column: Column | None) -> OtherOrder | None:
    """The ranking by the rank column, or where that is of no use, in the order of the file; None if it is the same."""
    usable = column is not None and _find_equal_rank(topics, column) is None
    other = (
        OtherOrder("rank", _order_rows(topics, column)) if usable else OtherOrder("input", _order_rows(topics, None))
    )
    return None if (other.ranks == ranks).all() else other


def _order_rows(topics: Topics, column: Column | None) -> NDArray[np.int32]:
    """The place of each row in its topic, by the rank column or in the order of the file."""
    of_row = topics.of_row
    order = np.argsort(of_row, kind="stable") if column is None else np.lexsort((column, of_row))
    places = np.empty(len(of_row), np.int32)
    first = np.cumsum(topics.counts) - topics.counts
    places[order] = np.arange(1, len(of_row) + 1) - first[of_row[order]]
    return places


def _find_equal_rank(topics: Topics, column: Column) -> int | None:
    """A row whose rank another document of its topic has too, if any."""
    order = np.lexsort((column, topics.of_row))
    topic, rank = topics.of_row[order], column[order]
    twice = np.flatnonzero((topic[1:] == topic[:-1]) & (rank[1:] == rank[:-1]))
    return int(order[twice[0] + 1]) if len(twice) else None


def _order_as_asked(topics: Topics, docs: Texts, column: Column | None, order: Order, source: str) -> NDArray[np.int32]:
    """The place of each row by the rank column, which must give each document of a topic its own, or as in the file."""
    column = column if order == "rank" else None
    row = None if column is None else _find_equal_rank(topics, column)
    if column is not None and row is not None:
        rank = float(column[row])
        raise InputError(
            f"another document of the topic has its rank ({rank:g}) too, so the rank column gives no order",
            source=source,
            topic_id=topics.names[topics.of_row[row]],
            doc_id=docs[row],
            remedy="choose --order score or --order input",
        )
    return _order_rows(topics, column)


def _count_self_retrieved(topics: Topics, docs: Texts) -> int:
    """How many topics are retrieved as their own document."""
    alike = np.flatnonzero(docs.hashes == topics.spread(hash_topics(topics.names)))
    found = {(topics.names[topics.of_row[row]], docs[row]) for row in alike.tolist()}
    return sum(topic_id == doc_id for topic_id, doc_id in found)


def cut_run(run: Run, depth: int) -> Run:
    """The first `depth` documents of each topic."""
    kept = np.flatnonzero(run.ranks <= depth)
    return Run(
        run.name,
        run.source,
        run.topics,
        run.topic[kept],
        np.minimum(run.lengths, depth),
        run.docs.gather(kept),
        run.keys[kept],
        run.scores[kept],
        run.ranks[kept],
        None if run.tied is None else run.tied[kept],
        run.odd,
        run.order,
        tag=run.tag,
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
