"""Runs: read in any form, checked, ranked by score; and written in the TREC format."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from antecede.errors import InputError, UsageError, shown
from antecede.results import list_public_names, make_pandas
from antecede.trec.layout import RUN
from antecede.trec.policies import Policies
from antecede.trec.rows import choose_dropped_rows, find_duplicates, hash_pairs, hash_topics
from antecede.trec.scanner import parse_rank_keys
from antecede.trec.sources import load

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    import polars as pl
    from numpy.typing import NDArray

    from antecede.trec.policies import Order, Ties
    from antecede.trec.rows import Topics
    from antecede.trec.texts import Texts


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
    odd["self_retrieved"] = count_self_retrieved(topics, docs)
    column = RankColumn(rows.ranks, rows.rank_keys)
    if with_ranks and column.read() is None:
        option = "--order" if policies.order == "rank" else "--ties"
        raise InputError("its rank column is not all numbers", source=source, remedy=f"choose another {option}")
    odd |= inspect_rank_column(topics, scores, column)._asdict()  # with duplicates: without them there are gaps
    if policies.order == "input":
        odd["swapped_columns"] = 0  # neither column is used
    if len(dropped):
        keep = np.delete(np.arange(len(docs)), dropped)
        topics = topics.gather(keep)
        column = column.gather(keep) if column.read() is not None else RankColumn(None, None)
        docs, scores, keys = docs.gather(keep), scores[keep], keys[keep]
    found = rank_rows(topics, scores, docs, column.ranks, policies.ties)
    conflicts = find_conflicts(topics, scores, found, column)
    odd |= {"unsorted_topics": found.unsorted_topics, **conflicts._asdict()}
    other: OtherOrder | None = None
    if policies.order != "score":
        ranks = order_as_asked(topics, docs, column, policies.order, source)
        found = Ranked(ranks, None, found.unsorted_topics)
        odd[f"ordered_by_{policies.order}"] = len(topics.names)
    elif any(conflicts):
        other = find_other_order(topics, found.ranks, column)
    run = Run(
        *(own_name, source, topics.names, topics.of_row, topics.counts, docs, keys, scores, found.ranks, found.tied),
        odd,
        policies.order,
        other,
        tag,
    )
    return run if policies.depth is None else cut_run(run, policies.depth)


class RankColumn(NamedTuple):
    """The rank column of a file, parsed only where it is needed."""

    ranks: NDArray[np.float64] | None
    keys: NDArray[np.unsignedinteger] | None

    def read(self) -> NDArray[np.float64] | None:
        """The ranks; None where there are none, or one is not a number."""
        ranks = parse_rank_keys(self.keys) if self.ranks is None and self.keys is not None else self.ranks
        return ranks if ranks is not None and np.isfinite(ranks).all() else None

    def gather(self, rows: NDArray[np.int64]) -> RankColumn:
        """The column of a selection of rows."""
        return RankColumn(
            None if self.ranks is None else self.ranks[rows], None if self.keys is None else self.keys[rows]
        )


class RankOddities(NamedTuple):
    """In how many topics the ranks are not 1, 2, 3 …, and in how many rank and score appear to be swapped."""

    odd_ranks: int
    swapped_columns: int


def inspect_rank_column(topics: Topics, scores: NDArray[np.float64], column: RankColumn) -> RankOddities:
    """Compare the ranks of each topic with 1, 2, 3 … up to the number of its documents.

    Files whose ranks rise by 1 from line to line, as in nearly every file, are recognized by the first and last ranks.
    """
    if column.ranks is None and column.keys is None:
        return RankOddities(0, 0)
    firsts = _find_consecutive_ranks(topics, column.keys) if column.keys is not None else None
    if firsts is not None:
        return RankOddities(int(np.count_nonzero(firsts != 1)), 0)
    ranks = column.read()
    if ranks is None:
        return RankOddities(len(topics.names), 0)  # a column that is not all numbers gives no order to any topic
    counts, of_row = topics.counts, topics.of_row
    starts = np.cumsum(counts) - counts
    by_topic = np.argsort(of_row, kind="stable")
    place = np.arange(1, len(of_row) + 1) - np.repeat(starts, counts)
    ordered = ranks[np.lexsort((ranks, of_row))]
    odd = np.logical_or.reduceat(ordered != place, starts)
    usual = ~odd | np.logical_and.reduceat(ordered == place - 1, starts)
    swapped = ~usual & _find_swapped_columns(ranks[by_topic], scores[by_topic], place, starts)
    return RankOddities(int(np.count_nonzero(odd)), int(np.count_nonzero(swapped)))


def _find_consecutive_ranks(topics: Topics, keys: NDArray[np.unsignedinteger]) -> NDArray[np.float64] | None:
    """The first rank of each topic, if all ranks rise by 1 from line to line; else None."""
    if not topics.contiguous:
        return None
    starts, lengths = topics.starts, topics.lengths
    rising = keys[1:] > keys[:-1]
    rising[starts[1:] - 1] = True
    if not rising.all():
        return None
    first, last = parse_rank_keys(keys[starts]), parse_rank_keys(keys[starts + lengths - 1])
    return first if (last - first == lengths - 1).all() else None


def _find_swapped_columns(
    ranks: NDArray[np.float64], scores: NDArray[np.float64], place: NDArray[np.int64], starts: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Topics whose scores are ranks: whole numbers beside fractions, or 1, 2, 3 … down the file beside falling numbers.

    The rows of a topic are contiguous; `place` counts them from 1.
    """
    whole = np.logical_and.reduceat(scores % 1 == 0, starts)
    fraction = np.logical_or.reduceat(ranks % 1 != 0, starts)
    lengths = np.diff(starts, append=len(place))
    first = scores[starts]
    counted = np.logical_and.reduceat(scores == np.repeat(first, lengths) + (place - 1), starts)
    never_rises = np.concatenate(([True], ranks[1:] <= ranks[:-1]))
    never_rises[starts] = True
    falling = np.logical_and.reduceat(never_rises, starts) & (ranks[starts] > ranks[starts + lengths - 1])
    along = counted & ((first == 0) | (first == 1)) & falling
    return np.asarray((whole & fraction) | along)


class Conflicts(NamedTuple):
    """In how many topics the scores contradict the rank column, and in how many they are all equal."""

    rank_conflicts: int
    equal_scores: int


def find_conflicts(topics: Topics, scores: NDArray[np.float64], found: Ranked, column: RankColumn) -> Conflicts:
    """Compare the scores with the rank column: a document ranked above another should not score less.

    Files whose scores fall, and whose ranks never fall with them, are recognized without parsing the ranks.
    """
    equal = 0
    if found.tied is not None:
        order = np.argsort(topics.of_row, kind="stable")
        starts = np.cumsum(topics.counts) - topics.counts
        starts = starts[topics.counts > 0]
        by_topic = scores[order]
        same = np.maximum.reduceat(by_topic, starts) == np.minimum.reduceat(by_topic, starts)
        equal = int(np.count_nonzero(same & (topics.counts[topics.counts > 0] > 1)))
    if column.ranks is None and (column.keys is None or not may_contradict(topics, scores, found, column.keys)):
        return Conflicts(0, equal)
    ranks = column.read()
    if ranks is None:
        return Conflicts(0, equal)
    # Among equal ranks the higher score comes first: then a score can rise only where the rank does.
    order = np.lexsort((-scores, ranks, topics.of_row))
    topic, score = topics.of_row[order], scores[order]
    rising = (topic[1:] == topic[:-1]) & (score[1:] > score[:-1])
    return Conflicts(len(np.unique(topic[1:][rising])), equal)


def may_contradict(
    topics: Topics, scores: NDArray[np.float64], found: Ranked, keys: NDArray[np.unsignedinteger]
) -> bool:
    """Whether the rank column could contradict the scores, from its keys."""
    if found.unsorted_topics or not topics.contiguous:
        return True
    new_topic = np.zeros(len(scores), bool)
    new_topic[topics.starts] = True
    if not ((keys[1:] < keys[:-1]) & ~new_topic[1:]).any():
        return False
    # Ranks may fall within a group of equal scores, but not from one group to the next.
    groups = np.flatnonzero(new_topic | np.concatenate(([True], scores[1:] != scores[:-1])))
    highest, lowest = np.maximum.reduceat(keys, groups), np.minimum.reduceat(keys, groups)
    return bool(((lowest[1:] < highest[:-1]) & ~new_topic[groups[1:]]).any())


def find_other_order(topics: Topics, ranks: NDArray[np.int32], column: RankColumn) -> OtherOrder | None:
    """The ranking by the rank column, or where that is of no use, in the order of the file; None if it is the same."""
    given = column.read()
    usable = given is not None and find_equal_rank(topics, given) is None
    other = OtherOrder("rank", order_rows(topics, given)) if usable else OtherOrder("input", order_rows(topics, None))
    return None if (other.ranks == ranks).all() else other


def order_rows(topics: Topics, ranks: NDArray[np.float64] | None) -> NDArray[np.int32]:
    """The place of each row in its topic, by the rank column or in the order of the file."""
    of_row = topics.of_row
    order = np.argsort(of_row, kind="stable") if ranks is None else np.lexsort((ranks, of_row))
    places = np.empty(len(of_row), np.int32)
    first = np.cumsum(topics.counts) - topics.counts
    places[order] = np.arange(1, len(of_row) + 1) - first[of_row[order]]
    return places


def find_equal_rank(topics: Topics, ranks: NDArray[np.float64]) -> int | None:
    """A row whose rank another document of its topic has too, if any."""
    order = np.lexsort((ranks, topics.of_row))
    topic, rank = topics.of_row[order], ranks[order]
    twice = np.flatnonzero((topic[1:] == topic[:-1]) & (rank[1:] == rank[:-1]))
    return int(order[twice[0] + 1]) if len(twice) else None


def order_as_asked(topics: Topics, docs: Texts, column: RankColumn, order: Order, source: str) -> NDArray[np.int32]:
    """The place of each row by the rank column, which must give each document of a topic its own, or as in the file."""
    ranks = column.read() if order == "rank" else None
    row = None if ranks is None else find_equal_rank(topics, ranks)
    if ranks is not None and row is not None:
        raise InputError(
            f"another document of the topic has its rank ({ranks[row]:g}) too, so the rank column gives no order",
            source=source,
            topic_id=topics.names[topics.of_row[row]],
            doc_id=docs[row],
            remedy="choose --order score or --order input",
        )
    return order_rows(topics, ranks)


def count_self_retrieved(topics: Topics, docs: Texts) -> int:
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


class Ranked(NamedTuple):
    """The rank of each row in its topic, and irregularities of the order in the file."""

    ranks: NDArray[np.int32]
    tied: NDArray[np.bool_] | None
    """Rows that share their score with another row of the topic; None where there are none."""
    unsorted_topics: int


def rank_rows(
    topics: Topics, scores: NDArray[np.float64], docs: Texts, ranks: NDArray[np.float64] | None, ties: Ties
) -> Ranked:
    """Rank the rows of each topic: by score descending, then as `ties` says. A rank column never overrides scores."""
    if not topics.contiguous:
        return rank_interleaved_rows(topics, scores, docs, ranks, ties)
    starts, count = topics.starts, len(scores)
    positions = np.arange(1, count + 1, dtype=np.int32)
    positions -= np.repeat(starts.astype(np.int32), topics.lengths)
    same = np.ones(count - 1, bool)
    same[starts[1:] - 1] = False
    not_falling = same & ~(scores[1:] < scores[:-1])
    if not not_falling.any():
        return Ranked(positions, None, 0)
    # Stretches are numbered in the order of the file, which topic codes are not: sorting by them keeps topics in place.
    stretch = np.repeat(np.arange(len(starts), dtype=np.int32), topics.lengths)
    rising = same & (scores[1:] > scores[:-1])
    unsorted_topics = len(np.unique(stretch[1:][rising]))
    affected = np.zeros(len(starts), bool)
    affected[stretch[1:][not_falling]] = True
    rows = np.flatnonzero(affected[stretch])
    tied = np.zeros(count, bool)
    by_rank, equal = sort_rows(rows, stretch, scores, docs, ranks, ties)
    # The rows of a topic are contiguous, so the i-th sorted row takes the i-th position of the stretch.
    positions[by_rank] = positions[rows]
    tied[by_rank] = equal
    return Ranked(positions, tied if equal.any() else None, unsorted_topics)


def rank_interleaved_rows(
    topics: Topics, scores: NDArray[np.float64], docs: Texts, ranks: NDArray[np.float64] | None, ties: Ties
) -> Ranked:
    """The same for interleaved topics: group the rows by topic, rank them, and restore the order of the file."""
    grouped = np.argsort(topics.of_row, kind="stable")
    moved_ranks = None if ranks is None else ranks[grouped]
    found = rank_rows(topics.gather(grouped), scores[grouped], docs.gather(grouped), moved_ranks, ties)
    back = np.empty_like(grouped)
    back[grouped] = np.arange(len(grouped))
    tied = None if found.tied is None else found.tied[back]
    return Ranked(found.ranks[back], tied, found.unsorted_topics)


def sort_rows(
    rows: NDArray[np.int64],
    stretch: NDArray[np.int32],
    scores: NDArray[np.float64],
    docs: Texts,
    ranks: NDArray[np.float64] | None,
    ties: Ties,
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """`rows`, sorted within each stretch, and which of them share their score with an adjacent row."""
    rows, score, of = rows.copy(), scores[rows], stretch[rows]
    if ((score[1:] > score[:-1]) & (of[1:] == of[:-1])).any():
        by_score = np.lexsort((-score, of))
        rows, score, of = rows[by_score], score[by_score], of[by_score]
    alike = (score[1:] == score[:-1]) & (of[1:] == of[:-1])
    tied = np.concatenate((alike, [False])) | np.concatenate(([False], alike))
    # Only rows with equal scores are sorted further, each group within its places.
    places = np.flatnonzero(tied)
    group = np.cumsum(np.concatenate(([True], ~alike)))[places]
    again = rows[places]
    if ties == "docid" and len(again):
        falling = [~key for key in docs.gather(again).sort_keys()]
        rows[places] = again[np.lexsort((*falling, group))]
    elif ties == "rank" and ranks is not None:
        rows[places] = again[np.lexsort((ranks[again], group))]
    return rows, tied


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
