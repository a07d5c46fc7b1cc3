"""The rank table: for every run and every judged document, the rank at which the run put it.

Built once from the files; every measure, cut-off, sample and study is arithmetic on it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import InputError, UsageError
from antecede.measures.ranks import Ranks
from antecede.plots import PlotMixin
from antecede.trec.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars as pl
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class RankTable(PlotMixin):
    """Runs × judged pairs, with the names of both and counts of irregularities in the input."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    docs: Texts | pl.Series
    """The document of each judged pair; `ranks.offsets` gives its topic."""
    ranks: Ranks
    counts: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    """Counts of irregularities, one number per run: see `antecede.evaluation.audit`."""
    qrels_counts: dict[str, int] = field(default_factory=dict)

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

    def select(self, names: list[str] | tuple[str, ...]) -> RankTable:
        """The same table for a selection of the runs, in the order given."""
        at = []
        for name in names:
            if name not in self.runs:
                raise UsageError(f"no run is called {name!r}; there are {', '.join(self.runs)}")
            at.append(self.runs.index(name))
        ranks = Ranks(
            self.ranks.ranks[at],
            self.ranks.relevance,
            self.ranks.offsets,
            self.ranks.retrieved[at],
            self.ranks.copies,
        )
        counts = {key: values[at] for key, values in self.counts.items()}
        return RankTable(tuple(names), self.topics, self.docs, ranks, counts, self.qrels_counts)

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

    def save(self, path: str | Path) -> None:
        """Write the table to a file (.npz, no pickle), completely or not at all."""
        from antecede.evaluation.storage import save_table

        save_table(self, path)

    @classmethod
    def load(cls, path: str | Path) -> RankTable:
        """Read a table that `save` wrote; refuse a file that is not one, or is damaged."""
        from antecede.evaluation.storage import load_table

        return load_table(path)


def check_usable(table: RankTable, source: str) -> None:
    """Refuse qrels in which no topic has a relevant document."""
    if table.without_relevant.all():
        raise InputError("no topic has a relevant document", source=source, remedy="check that these are the qrels")
