"""Where in a run do the judged documents stand? The one step that touches every line of every run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from antecede.trec.keys import pair_keys
from antecede.trec.ordering import Topics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.trec.qrels import Qrels
    from antecede.trec.runs import Run


class Match(NamedTuple):
    """The judged documents of one run."""

    pairs: NDArray[np.int64]
    """Judged pairs found, as indexes into the qrels; one that a run returned twice stands here twice."""
    rows: NDArray[np.int64]
    """The row of the run each of them stands on."""
    topic: NDArray[np.int32]
    """The topic of the qrels of each topic of the run; −1 where the qrels do not have it."""


class Matcher:
    """Judged pairs, prepared once to be looked up in many runs.

    Each pair is a 64-bit key. A table of bits throws out nearly all rows that are not judged at the cost of one
    memory access each; the rest are searched for among the keys, and what is found is compared as text.
    """

    def __init__(self, qrels: Qrels) -> None:
        self.qrels = qrels
        self.topic_at = {name: at for at, name in enumerate(qrels.topics)}
        self.topic = qrels.topic
        codes = np.arange(len(qrels.topics), dtype=np.int32)
        topics = Topics(qrels.topics, codes, np.diff(qrels.offsets))
        keys = pair_keys(topics, qrels.docs)
        self.order = np.argsort(keys)
        self.keys = keys[self.order]
        self.keys_differ = bool((self.keys[1:] != self.keys[:-1]).all())
        bits = int(np.clip(np.ceil(np.log2(len(keys) + 1)) + 7, 16, 24))
        self.shift = np.uint64(64 - bits)
        self.maybe = np.zeros(1 << bits, bool)
        self.maybe[(keys >> self.shift).astype(np.int64)] = True

    def match(self, run: Run) -> Match:
        topic_of = np.fromiter((self.topic_at.get(name, -1) for name in run.topics), np.int32, len(run.topics))
        pairs, rows = self.by_key(run, topic_of) if self.keys_differ else self.by_text(run, topic_of)
        return Match(pairs, rows, topic_of)

    def by_key(self, run: Run, topic_of: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        rows = np.flatnonzero(self.maybe.take((run.keys >> self.shift).view(np.int64)))
        keys = run.keys[rows]
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        same = self.keys[at] == keys
        rows, pairs = rows[same], self.order[at[same]]
        alike = run.docs.gather(rows).equal(self.qrels.docs.gather(pairs))
        alike &= topic_of[run.topic[rows]] == self.topic[pairs]
        return pairs[alike], rows[alike]

    def by_text(self, run: Run, topic_of: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The same by joining texts: for the qrels in whose keys two pairs happen to meet."""
        import polars as pl

        judged = pl.DataFrame({"topic": self.topic, "doc": self.qrels.doc_ids}).with_row_index("pair")
        found = pl.DataFrame({"topic": topic_of[run.topic], "doc": run.doc_ids}).with_row_index("row")
        both = found.join(judged, on=["topic", "doc"], how="inner").sort("row")
        return both["pair"].to_numpy().astype(np.int64), both["row"].to_numpy().astype(np.int64)
