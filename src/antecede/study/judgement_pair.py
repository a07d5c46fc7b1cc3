"""Two sets of judgements of the same topics, aligned document by document."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from antecede.errors import InputError, UsageError, shown, suggest_names
from antecede.trec.qrels import read_qrels, sort_topics

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from antecede.comparison.inputs import Flags, Ints
    from antecede.evaluation.rank_table import RankTable
    from antecede.measures.ranks import Ranks
    from antecede.trec.policies import Policies
    from antecede.trec.qrels import Qrels

Unjudged = Literal["skip", "nonrelevant"]
NOT_JUDGED = -(2**31)
"""The grade of a document that an assessor did not see."""


@dataclass(frozen=True, eq=False)
class JudgementPair:
    """The judgements of two assessors on the topics that both judged."""

    names: tuple[str, str]
    topics: tuple[str, ...]
    only: tuple[tuple[str, ...], tuple[str, ...]]
    """Topics that only the first or only the second judged; they are left out."""
    frame: pl.DataFrame
    """topic_id, doc_id, first, second: the grade by each, null where an assessor did not see the document."""

    def grades(self) -> tuple[Ints, Ints, Ints]:
        """The topic of each document, as an index into `topics`, and its grades; `NOT_JUDGED` where there is none."""
        place = {name: at for at, name in enumerate(self.topics)}
        topic = np.array([place[name] for name in self.frame["topic_id"]], np.int64)
        first, second = (
            self.frame[name].fill_null(NOT_JUDGED).to_numpy().astype(np.int64) for name in ("first", "second")
        )
        return topic, first, second

    def united(self) -> Qrels:
        """Every document that either judged, with the higher of the two grades: for one rank table of both."""
        import polars as pl

        return read_qrels(
            self.frame.select("topic_id", "doc_id", relevance=pl.max_horizontal("first", "second").cast(pl.Int32))
        )

    def split(self, table: RankTable) -> tuple[Ranks, Ranks]:
        """The ranks of a table of the united judgements, under the judgements of each."""
        import polars as pl

        pairs = pl.DataFrame(
            {
                "topic_id": pl.Series(table.topics, dtype=pl.String).gather(table.ranks.topic),
                "doc_id": table.doc_ids,
            }
        )
        both = pairs.join(self.frame, on=["topic_id", "doc_id"], how="left", maintain_order="left")
        first, second = (both[name].fill_null(NOT_JUDGED).to_numpy().astype(np.int64) for name in ("first", "second"))
        return select_judged(table.ranks, first), select_judged(table.ranks, second)


def select_judged(ranks: Ranks, grades: Ints) -> Ranks:
    """The ranks of the documents that one assessor judged, with the grades given."""
    chosen = np.flatnonzero(grades != NOT_JUDGED)
    return replace(
        ranks,
        ranks=np.ascontiguousarray(ranks.ranks[:, chosen]),
        relevance=grades[chosen].astype(np.int32),
        offsets=np.searchsorted(chosen, ranks.offsets),
        copies=None if ranks.copies is None else ranks.copies[chosen],
        _selections={},
    )


def pair_judgements(
    first: object,
    second: object,
    *,
    policies: Policies | None = None,
    topics: Sequence[str] | None = None,
    without: Sequence[str] = (),
) -> JudgementPair:
    """Read two sets of judgements and align them; refuse two that have no topic in common."""
    read = [read_qrels(each, policies) for each in (first, second)]
    names = name_sources(first, second)
    common = {*read[0].topics} & {*read[1].topics}
    if not common:
        some = [shown(", ".join(each.topics[:3]), 40) for each in read]
        raise InputError(
            f"no topic in common with {read[1].source} (its topics: {some[0]} …; theirs: {some[1]} …)",
            source=read[0].source,
            remedy="give two sets of judgements of the same topics",
        )
    chosen = choose_topics(common, topics, without)
    frames = [each.to_polars() for each in read]
    joined = join_frames(frames, chosen)
    only = tuple(tuple(name for name in each.topics if name not in common) for each in read)
    return JudgementPair(names, tuple(sort_topics(tuple(chosen))), (only[0], only[1]), joined)


def choose_topics(common: set[str], topics: Sequence[str] | None, without: Sequence[str]) -> set[str]:
    """The common topics that are wanted."""
    unknown = next((name for name in (*(topics or ()), *without) if name not in common), None)
    if unknown is not None:
        near = suggest_names(unknown, common)
        raise UsageError(f"topic {shown(unknown)!r} is not judged by both{near}; name topics of both qrels")
    chosen = {*(common if topics is None else topics)} - {*without}
    if not chosen:
        raise UsageError("no topic is left; name fewer topics to leave out")
    return chosen


def join_frames(frames: Sequence[pl.DataFrame], topics: set[str]) -> pl.DataFrame:
    """The judgements of both side by side, sorted by topic and document."""
    import polars as pl

    sides = [
        each.filter(pl.col("topic_id").is_in([*topics])).rename({"relevance": name})
        for each, name in zip(frames, ("first", "second"), strict=True)
    ]
    joined = sides[0].join(sides[1], on=["topic_id", "doc_id"], how="full", coalesce=True)
    return joined.sort("topic_id", "doc_id")


def name_sources(first: object, second: object) -> tuple[str, str]:
    """What the two are called: their file names, or A and B."""
    from pathlib import Path

    names: list[Any] = [Path(each).name if isinstance(each, str | Path) and str(each) != "-" else None
                        for each in (first, second)]  # fmt: skip
    if None in names:
        return "A", "B"
    if names[0] == names[1]:
        names = [str(first), str(second)]
    return str(names[0]), str(names[1])


def choose_judged(first: Ints, second: Ints, unjudged: str) -> tuple[Flags, Ints, Ints]:
    """The documents whose grades are compared, and the grades: judged by both, or by either where the rest is 0."""
    if unjudged not in get_args(Unjudged):
        raise UsageError(f"unjudged: there is no {shown(str(unjudged))!r}; choose one of skip, nonrelevant")
    seen = np.stack([first >= 0, second >= 0])
    if unjudged == "skip":
        used: Flags = np.asarray(seen.all(axis=0))
        return used, first[used], second[used]
    used = np.asarray(seen.any(axis=0))
    return used, np.maximum(first[used], 0), np.maximum(second[used], 0)
