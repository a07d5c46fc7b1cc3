"""The rank table: for every run and every judged document, the rank at which the run put it.

Built once from the files; every measure, cut-off, sample and study is arithmetic on it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, get_args

import numpy as np

from antecede.errors import InputError, UsageError, describe_given, printable, suggest_names
from antecede.measures.ranks import Ranks
from antecede.operations import READING, Help, operation
from antecede.plots import PlotMixin
from antecede.results import list_public_names, make_pandas
from antecede.trec.content import read_content, strip_compression_suffix
from antecede.trec.qrels import Qrels, read_qrels
from antecede.trec.reader import GivenPolicies, Policies
from antecede.trec.rows import RowTopics, hash_pairs
from antecede.trec.run_names import choose_names, name_runs
from antecede.trec.runs import OtherOrder, Run, read_run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    import polars as pl
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from antecede.operations import Progress


def _list_names(names: object, argument: str) -> list[str]:
    """Names of runs or topics; one alone stands for a list of it."""
    if isinstance(names, str):
        return [names]
    if not isinstance(names, Iterable):
        raise UsageError(f"{argument} must be a list of names, not {describe_given(names)}")
    return [*names]


CHECKSUM = "checksum"
"""Beside the counts of a run: a number that equals that of another run with the same documents at the same ranks."""


@dataclass(frozen=True, eq=False)
class RankTable(PlotMixin):
    """Runs × judged pairs, with the names of both and counts of irregularities in the input."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    docs: tuple[str, ...]
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
        import polars as pl

        return pl.Series("doc_id", self.docs, dtype=pl.String)

    def __repr__(self) -> str:
        return f"RankTable({len(self.runs)} runs × {len(self.topics)} topics, {len(self.docs)} judged pairs)"

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
        path = Path(text).absolute()
        found = exact or [
            run for run, labels in self.labels.items() if path in [Path(one).absolute() for one in labels]
        ]
        if len(found) > 1:
            several = " or ".join(map(printable, found))
            raise UsageError(f"the {role} '{printable(text)}' could be {several}; give one of these names")
        if not found:
            raise unknown_run(text, self.runs, role)
        return found[0]

    def select(self, names: str | list[str] | tuple[str, ...]) -> RankTable:
        """The same table for a selection of the runs, in the order given."""
        names = [self.find_run(name) for name in _list_names(names, "names")]
        at = [self.runs.index(name) for name in names]
        return replace(
            self,
            runs=tuple(names),
            ranks=replace(self.ranks, ranks=self.ranks.ranks[at], retrieved=self.ranks.retrieved[at], _selections={}),
            counts={key: values[at] for key, values in self.counts.items()},
            other_orders={name: other for name, other in self.other_orders.items() if name in names},
            labels={name: labels for name, labels in self.labels.items() if name in names},
        )

    def select_topics(self, topics: Sequence[str] | None = None, without: Sequence[str] = ()) -> RankTable:
        """The same table for some of the topics, in the order of the table; those left out are counted."""
        topics, without = None if topics is None else _list_names(topics, "topics"), _list_names(without, "without")
        unknown = [name for name in (*(topics or ()), *without) if name not in self.topics]
        if unknown:
            near = suggest_names(unknown[0], self.topics)
            raise UsageError(f"the qrels have no topic {printable(unknown[0])!r}{near}; name topics of the qrels")
        chosen = {*(self.topics if topics is None else topics)} - {*without}
        if not chosen:
            raise UsageError("no topic is left; name fewer topics to leave out")
        at = [place for place, name in enumerate(self.topics) if name in chosen]
        pairs = np.flatnonzero(np.isin(self.ranks.topic, at))
        names = tuple(self.topics[place] for place in at)
        left_out = self.qrels_counts.get("topics_left_out", 0) + len(self.topics) - len(names)
        return replace(
            self,
            topics=names,
            docs=tuple(self.docs[pair] for pair in pairs.tolist()),
            ranks=replace(
                self.ranks.select(pairs),
                offsets=np.concatenate(([0], np.cumsum(np.diff(self.ranks.offsets)[at]))),
                retrieved=self.ranks.retrieved[:, at],
                topic_ids=names,
            ),
            qrels_counts={**self.qrels_counts, "topics_left_out": left_out},
            other_orders={name: of._replace(ranks=of.ranks[pairs]) for name, of in self.other_orders.items()},
        )

    def in_other_order(self, run: str) -> RankTable:
        """The table of one run as its rank column, or the order of its file, ranks it: see `other_orders`."""
        only = self.select((run,))
        ranks = replace(only.ranks, ranks=self.other_orders[run].ranks[None], topic_ids=self.topics, _selections={})
        return replace(only, ranks=ranks, other_orders={}, labels={})

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


def unknown_run(name: str, runs: Sequence[str], role: str) -> UsageError:
    """The error for a name that no run has."""
    few = f"; the runs are {', '.join(map(printable, runs))}" if len(runs) <= 10 else ""
    return UsageError(f"the {role} '{printable(name)}' is not among the runs{suggest_names(name, runs) or few}")


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


# Reading qrels and runs into a table


LARGEST_CHECKSUM = 2**62 - 1
"""Checksums are saved among the counts of a rank table, which are smaller than 2⁶²."""
Names = Literal["file", "tag"]
"""What runs are named after."""


def list_topics(given: str) -> list[str]:
    """The topics of a list separated by commas, or of a file with one per line."""
    if not Path(given).is_file():
        return [topic.strip() for topic in given.split(",") if topic.strip()]
    lines = read_content(given).data.decode("utf-8", "replace").splitlines()
    return [words[0] for line in lines if (words := line.split()) and not words[0].startswith("#")]


class TableRow(NamedTuple):
    """One run of the table."""

    ranks: NDArray[np.int32]
    retrieved: NDArray[np.int32]
    copies: list[tuple[int, int]]
    """(judged pair, rank) for each further copy of a document that the run returned more than once."""
    counts: dict[str, int]
    other: OtherOrder | None
    tag: str | None


@dataclass(frozen=True)
class Reading(Policies):
    """How runs and qrels are read, what runs are named after, and which topics count."""

    names: Annotated[
        Names, Help("Name runs after their files, or after the tags in them; NAME=PATH names one run.", heading=READING)
    ] = "file"
    topics: Annotated[
        Sequence[str] | None,
        Help(
            "Evaluate only these topics: a list, or a file with one per line.",
            metavar="T,T,…|FILE",
            heading=READING,
            parse=list_topics,
            path=True,
        ),
    ] = None
    without_topics: Annotated[
        Sequence[str],
        Help(
            "Leave these topics out, given in the same way.",
            metavar="T,T,…|FILE",
            heading=READING,
            parse=list_topics,
            path=True,
        ),
    ] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.names not in get_args(Names):
            there = f"there is no {printable(str(self.names))!r}"
            raise UsageError(f"names: {there}; choose one of {', '.join(get_args(Names))}")

    @property
    def policies(self) -> Policies:
        return Policies(self.duplicates, self.malformed, self.ties, self.depth, self.order)


class GivenReading(GivenPolicies, total=False):
    """The same as keyword arguments, for type checkers."""

    names: Names
    topics: Sequence[str] | None
    without_topics: Sequence[str]


@operation
def rank_table(
    qrels: Annotated[
        object,
        Help(
            "Judgements, in any form, or a saved rank table; - for standard input.",
            argument="QRELS",
            path=True,
        ),
    ],
    runs: Annotated[object, Help("Runs, in any form; NAME=PATH gives one a name.", argument="[RUN...]", path=True)],
    *,
    unreadable: dict[str, str] | None = None,
    progress: Progress | None = None,
    reading: Reading = Reading(),
    **_given: Unpack[GivenReading],
) -> RankTable:
    """Read qrels and runs into a rank table, from which every measure is computed.

    Runs are read in parallel, one per core, and released at once: memory use does not grow with their number.

    Args:
        qrels: A path (TREC, CSV, TSV or Parquet, plain or compressed), `-`, a frame, a dict {topic: {document:
            relevance}}, or qrels of ranx or ir_measures.
        runs: A run, a list of runs, or a dict {name: run}; a run is given like qrels, with scores.
        unreadable: Takes up the runs that cannot be read, by name with the reason, and the others are read. Without it,
            or where no run can be read, such a run is refused.
        progress: Called with (done, total).
        reading: All of the following as one value.
    """
    policies = reading.policies
    judged = read_qrels(qrels, policies)
    named = name_runs(runs)
    matcher = Matcher(judged)
    rows: list[TableRow] = []

    def read(name: str, given: object) -> TableRow:
        return _build_row(read_run(given, policies, name=name), judged, matcher)

    workers = min(len(named), os.cpu_count() or 1)
    with ThreadPoolExecutor(workers) as pool:
        waiting = [pool.submit(read, name, given) for name, given in named.items()]
        try:
            for done, (name, future) in enumerate(zip([*named], waiting, strict=True), 1):
                try:
                    rows.append(future.result())
                except InputError as error:
                    if unreadable is None or len(waiting) == 1:
                        raise
                    unreadable[name] = str(error)
                    del named[name]
                if progress is not None:
                    progress(done, len(waiting))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    if not rows:
        raise InputError(f"no run can be read: {'; '.join((unreadable or {}).values())}")
    chosen = tuple(named) if reading.names == "file" else _name_by_tags(named, rows)
    labels = map(_label_run, named, named.values(), [row.tag for row in rows])
    table = replace(_assemble_table(chosen, judged, rows), labels=dict(zip(chosen, labels, strict=True)))
    check_usable(table, judged.source)
    if reading.topics is None and not reading.without_topics:
        return table
    return table.select_topics(reading.topics, reading.without_topics)


def _label_run(name: str, given: object, tag: str | None) -> tuple[str, ...]:
    """What else a run may be called: its path as it was given, its file's name, its tag."""
    of_file: tuple[str, ...] = ()
    if isinstance(given, str | Path) and str(given) != "-":
        file = Path(given).name
        of_file = (str(given), file, strip_compression_suffix(file))
    return tuple(dict.fromkeys((name, *of_file, *([tag] if tag else []))))


def _name_by_tags(named: Mapping[str, object], rows: Sequence[TableRow]) -> tuple[str, ...]:
    """Each run named after its tag, but one that was given a name; two runs of one tag are refused."""
    files = choose_names([*named.values()])
    chosen = [row.tag or name if name in files else name for name, row in zip(named, rows, strict=True)]
    twice = next((at for at, name in enumerate(chosen) if name in chosen[:at]), None)
    if twice is not None:
        both = " and ".join(printable(name) for name, tag in zip(named, chosen, strict=True) if tag == chosen[twice])
        raise UsageError(
            f"{both} have the same tag, {printable(chosen[twice])}; name them with NAME=PATH, or by their files"
        )
    return tuple(chosen)


class Matcher:
    """Judged pairs, prepared once to be looked up in many runs: the one step that touches every row of every run.

    Each pair has a 64-bit key. They are sorted, and a table leads from the upper bits of a key to the first pair that
    has them: for nearly all rows that are not judged there is none, at the cost of one memory access. Pairs of equal
    keys are compared as texts.
    """

    def __init__(self, qrels: Qrels) -> None:
        self.qrels = qrels
        self.topic_at = {name: at for at, name in enumerate(qrels.topics)}
        self.topic = qrels.topic
        keys = hash_pairs(RowTopics(qrels.topics, self.topic), qrels.doc_ids)
        self.order = np.argsort(keys)  # pairs of equal keys may be in any order
        self.keys = keys[self.order]
        bits = int(np.clip(np.ceil(np.log2(len(keys) + 1)) + 7, 16, 22))
        self.shift = np.uint64(64 - bits)
        slots = (self.keys >> self.shift).view(np.int64)
        self.first = np.full(1 << bits, -1, np.int32)
        self.first[slots[::-1]] = np.arange(len(keys), dtype=np.int32)[::-1]
        self.used = self.first >= 0
        self.continued = np.append(slots[1:] == slots[:-1], False)

    def match(self, run: Run) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
        """The judged pairs found in a run, the row of each, and for each topic of the run its index in the qrels.

        Pairs are indexes into the qrels; one that a run returned twice appears twice. A topic that the qrels do not
        have is −1.
        """
        topic_of = np.fromiter((self.topic_at.get(name, -1) for name in run.topics), np.int32, len(run.topics))
        rows = np.flatnonzero(self.used.take((run.keys >> self.shift).view(np.int64)))
        keys = run.keys[rows]
        places = self.first.take((keys >> self.shift).view(np.int64))
        same_key = [(rows[:0], places[:0])]
        while len(rows):
            same = self.keys[places] == keys
            same_key.append((rows[same], places[same]))
            left = np.flatnonzero(self.continued[places])
            rows, keys, places = rows[left], keys[left], places[left] + 1
        rows, places = (np.concatenate(parts) for parts in zip(*same_key, strict=True))
        pairs = self.order[places]
        alike = (run.doc_ids.gather(rows) == self.qrels.doc_ids.gather(pairs)).to_numpy()
        alike = alike & (topic_of[run.topic[rows]] == self.topic[pairs])
        return pairs[alike], rows[alike], topic_of


def _build_row(run: Run, qrels: Qrels, matcher: Matcher) -> TableRow:
    pairs, rows, topic_of = matcher.match(run)
    known = topic_of >= 0
    if not known.any():
        theirs, ours = printable(", ".join(run.topics[:3]), 40), printable(", ".join(qrels.topics[:3]), 40)
        raise InputError(
            f"no topic in common with the qrels (its topics: {theirs} …; theirs: {ours} …)",
            source=run.source,
            remedy="check that they belong together",
        )
    retrieved = np.zeros(len(qrels.topics), np.int32)
    retrieved[topic_of[known]] = run.lengths[known]
    ranks = np.zeros(len(qrels), np.int32)
    found = run.ranks[rows]
    ranks[pairs] = found
    copies = _separate_copies(pairs, found, ranks) if np.count_nonzero(ranks) < len(pairs) else []
    counts = {
        **run.odd,
        "lines": len(run),
        "topics": len(run.topics),
        "topics_unjudged": int((~known).sum()),
        "ties": _count_tied_groups(run, rows[qrels.relevance[pairs] >= 0]),
        # The same for the same documents at the same ranks, whatever the order of the lines.
        CHECKSUM: int(np.dot(run.keys, run.ranks.astype(np.uint64))) & LARGEST_CHECKSUM,
    }
    other = None
    if run.other is not None and not copies:
        by_column = np.zeros_like(ranks)
        by_column[pairs] = run.other.ranks[rows]
        other = OtherOrder(run.other.order, by_column)
    return TableRow(ranks, retrieved, copies, counts, other, run.tag)


def _separate_copies(
    pairs: NDArray[np.int64], found: NDArray[np.int32], ranks: NDArray[np.int32]
) -> list[tuple[int, int]]:
    """Put the best copy of each document into `ranks`, and return the others as (judged pair, rank)."""
    best_first = np.argsort(found, kind="stable")
    pairs, found = pairs[best_first], found[best_first]
    _, first = np.unique(pairs, return_index=True)
    ranks[pairs[first]] = found[first]
    again = np.setdiff1d(np.arange(len(pairs)), first)
    return list(zip(pairs[again].tolist(), found[again].tolist(), strict=True))


def _count_tied_groups(run: Run, judged_rows: NDArray[np.int64]) -> int:
    """How many groups of documents with equal scores contain a judged one, so that the policy for ties matters."""
    if run.tied is None:
        return 0
    touched = judged_rows[run.tied[judged_rows]]
    touched = touched[np.lexsort((run.ranks[touched], run.topic[touched]))]
    topic, score = run.topic[touched], run.scores[touched]
    return int(np.count_nonzero((topic[1:] != topic[:-1]) | (score[1:] != score[:-1]))) + bool(len(touched))


def _assemble_table(names: tuple[str, ...], qrels: Qrels, rows: Sequence[TableRow]) -> RankTable:
    """Stack the rows; copies of documents get columns of their own."""
    ranks = np.array([row.ranks for row in rows])
    keys = dict.fromkeys(key for row in rows for key in row.counts)
    counts = {key: np.array([row.counts.get(key, 0) for row in rows], np.int64) for key in keys}
    retrieved = np.array([row.retrieved for row in rows])
    table = Ranks(ranks, qrels.relevance, qrels.offsets, retrieved, topic_ids=qrels.topics)
    docs = tuple(qrels.doc_ids.to_list())
    others = {name: row.other for name, row in zip(names, rows, strict=True) if row.other is not None}
    if any(row.copies for row in rows):
        table, docs = _add_copy_columns(table, docs, [row.copies for row in rows])
        others = {}
    return RankTable(names, qrels.topics, docs, table, counts, dict(qrels.odd), others)


def _add_copy_columns(
    table: Ranks, docs: tuple[str, ...], copies: list[list[tuple[int, int]]]
) -> tuple[Ranks, tuple[str, ...]]:
    """Add a column for the second, third, … copy of each judged document that any run returned more than once."""
    columns: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for run, found in enumerate(copies):
        seen: dict[int, int] = {}
        for pair, rank in found:
            seen[pair] = seen.get(pair, 0) + 1
            columns.setdefault((pair, seen[pair]), []).append((run, rank))
    of = np.array([pair for pair, _ in columns])
    extra = np.zeros((table.runs, len(columns)), np.int32)
    for at, places in enumerate(columns.values()):
        for run, rank in places:
            extra[run, at] = rank
    origin = np.concatenate((np.arange(len(docs)), of))
    order = np.argsort(origin, kind="stable")
    topic = table.topic[origin[order]]
    return (
        Ranks(
            np.hstack((table.ranks, extra))[:, order],
            table.relevance[origin[order]],
            np.searchsorted(topic, np.arange(table.topics + 1)),
            table.retrieved,
            order >= len(docs),
            topic_ids=table.topic_ids,
        ),
        tuple(docs[pair] for pair in origin[order].tolist()),
    )
