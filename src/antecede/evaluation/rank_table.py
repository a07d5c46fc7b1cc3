"""The rank table: for every run and every judged document, the rank at which the run put it.

Built once from the files; every measure, cut-off, sample and study is arithmetic on it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import InputError, UsageError, shown, suggest_names
from antecede.measures.ranks import Ranks
from antecede.plots import PlotMixin
from antecede.results import list_public_names, make_pandas
from antecede.trec.rows import Texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    import polars as pl
    from numpy.typing import NDArray

    from antecede.trec.runs import OtherOrder


CHECKSUM = "checksum"
"""Beside the counts of a run: a number that equals that of another run with the same documents at the same ranks."""


@dataclass(frozen=True, eq=False)
class RankTable(PlotMixin):
    """Runs × judged pairs, with the names of both and counts of irregularities in the input."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    docs: Texts | pl.Series
    """The document of each judged pair; `ranks.offsets` gives its topic."""
    ranks: Ranks
    counts: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    """Counts of irregularities, one number per run: see `antecede.evaluation.audit`; and `CHECKSUM`."""
    qrels_counts: dict[str, int] = field(default_factory=dict)
    other_orders: dict[str, OtherOrder] = field(default_factory=dict)
    """Runs whose scores contradict their rank column, or are equal: the ranks of the judged pairs in the other
    reading. Not saved with the table."""
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """What else each run may be called: its path, its file's name, its tag."""

    @cached_property
    def doc_ids(self) -> pl.Series:
        """The document of each judged pair, as a polars series."""
        return self.docs.to_series() if isinstance(self.docs, Texts) else self.docs

    def __repr__(self) -> str:
        pairs = len(self.docs)
        return f"RankTable({len(self.runs)} runs × {len(self.topics)} topics, {pairs} judged pairs)"

    @property
    def missing(self) -> NDArray[np.bool_]:
        """bool[runs, topics]: topics of the qrels for which a run has no document."""
        return np.equal(self.ranks.retrieved, 0)

    @property
    def without_relevant(self) -> NDArray[np.bool_]:
        """bool[topics]: topics without a relevant document, which no measure can score."""
        return np.isnan(self.ranks.relevant().n)

    def relevant_per_topic(self) -> tuple[Sequence[str], NDArray[np.int64]]:
        """The topics, and the number of relevant documents of each."""
        return self.topics, np.nan_to_num(self.ranks.relevant().n).astype(np.int64)

    def find_run(self, name: str | Path, role: str = "run") -> str:
        """The run that a name, a path as it was given, or a tag denotes; one that fits several runs is refused."""
        text = str(name)
        if text in self.runs:
            return text
        exact = [run for run, labels in self.labels.items() if text in labels]
        found = exact or [
            run
            for run, labels in self.labels.items()
            if any(Path(label).absolute() == Path(text).absolute() for label in labels)
        ]
        if len(found) > 1:
            several = " or ".join(map(shown, found))
            raise UsageError(f"the {role} '{shown(text)}' could be {several}; give one of these names")
        if not found:
            near = suggest_names(text, self.runs)
            few = f"; the runs are {', '.join(map(shown, self.runs))}" if len(self.runs) <= 10 else ""
            raise UsageError(f"the {role} '{shown(text)}' is not among the runs{near or few}")
        return found[0]

    def select(self, names: list[str] | tuple[str, ...]) -> RankTable:
        """The same table for a selection of the runs, in the order given."""
        names = [self.find_run(name) for name in names]
        at = [self.runs.index(name) for name in names]
        ranks = Ranks(
            self.ranks.ranks[at],
            self.ranks.relevance,
            self.ranks.offsets,
            self.ranks.retrieved[at],
            self.ranks.copies,
            topic_ids=self.ranks.topic_ids,
        )
        counts = {key: values[at] for key, values in self.counts.items()}
        others = {name: other for name, other in self.other_orders.items() if name in names}
        labels = {name: labels for name, labels in self.labels.items() if name in names}
        return RankTable(tuple(names), self.topics, self.docs, ranks, counts, self.qrels_counts, others, labels)

    def select_topics(self, topics: Sequence[str] | None = None, without: Sequence[str] = ()) -> RankTable:
        """The same table for some of the topics, in the order of the table; those left out are counted."""
        unknown = [name for name in (*(topics or ()), *without) if name not in self.topics]
        if unknown:
            near = suggest_names(unknown[0], self.topics)
            raise UsageError(f"the qrels have no topic {shown(unknown[0])!r}{near}; name topics of the qrels")
        chosen = {*(self.topics if topics is None else topics)} - {*without}
        if not chosen:
            raise UsageError("no topic is left; name fewer topics to leave out")
        at = [place for place, name in enumerate(self.topics) if name in chosen]
        pairs = np.flatnonzero(np.isin(self.ranks.topic, at))
        names = tuple(self.topics[place] for place in at)
        ranks = Ranks(
            self.ranks.ranks[:, pairs],
            self.ranks.relevance[pairs],
            np.concatenate(([0], np.cumsum(np.diff(self.ranks.offsets)[at]))),
            self.ranks.retrieved[:, at],
            None if self.ranks.copies is None else self.ranks.copies[pairs],
            topic_ids=names,
        )
        left_out = self.qrels_counts.get("topics_left_out", 0) + len(self.topics) - len(names)
        others = {name: other._replace(ranks=other.ranks[pairs]) for name, other in self.other_orders.items()}
        return replace(
            self,
            topics=names,
            docs=self.docs.gather(pairs),
            ranks=ranks,
            qrels_counts={**self.qrels_counts, "topics_left_out": left_out},
            other_orders=others,
        )

    def in_other_order(self, run: str) -> RankTable:
        """The table of one run as its rank column, or the order of its file, ranks it: see `other_orders`."""
        only = self.select((run,))
        ranks = only.ranks
        other = Ranks(self.other_orders[run].ranks[None], ranks.relevance, ranks.offsets, ranks.retrieved)
        other = replace(other, topic_ids=self.topics)
        return RankTable(only.runs, self.topics, self.docs, other, only.counts, self.qrels_counts)

    def to_polars(self) -> pl.DataFrame:
        """run, topic_id, doc_id, relevance and rank (null = not retrieved), one row per run and judged pair."""
        import polars as pl

        pairs = pl.DataFrame(
            {
                "topic_id": pl.Series(self.topics, dtype=pl.String).gather(self.ranks.topic),
                "doc_id": self.doc_ids,
                "relevance": self.ranks.relevance,
            }
        )
        parts = [
            pairs.select(pl.lit(run).alias("run"), pl.all(), rank=pl.Series(row).replace(0, None))
            for run, row in zip(self.runs, self.ranks.ranks, strict=True)
        ]
        return pl.concat(parts)

    def to_pandas(self) -> pd.DataFrame:
        """The same as a pandas frame, which must be installed."""
        return make_pandas(self.to_polars().to_dict(as_series=False))

    __dir__ = list_public_names

    def save(self, path: str | Path) -> None:
        """Write the table to a file (.npz, no pickle), completely or not at all."""
        from antecede.evaluation.storage import save_table

        save_table(self, path)

    @classmethod
    def load(cls, path: str | Path) -> RankTable:
        """Read a table that `save` wrote; refuse a file that is not one, or is damaged."""
        from antecede.evaluation.storage import load_table

        return load_table(path)


def require_table(table: object, function: str) -> None:
    """Refuse what is not a rank table, such as a frame or the qrels, and say what to pass."""
    if not isinstance(table, RankTable):
        raise UsageError(
            f"{function}: a {type(table).__name__} is not a rank table; pass rank_table(qrels, runs), which takes "
            "files, frames and dicts"
        )


def check_usable(table: RankTable, source: str) -> None:
    """Refuse qrels in which no topic has a relevant document."""
    if table.without_relevant.all():
        raise InputError("no topic has a relevant document", source=source, remedy="check that these are the qrels")
