"""Qrels and runs → the rank table: name the runs, read them, and look up the judged documents in each."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from antecede.errors import InputError, UsageError, shown
from antecede.evaluation.rank_table import CHECKSUM, RankTable, check_usable
from antecede.measures.ranks import Ranks
from antecede.trec.content import strip_compression_suffix
from antecede.trec.policies import Duplicates, Malformed, Order, Policies, Ties
from antecede.trec.qrels import read_qrels
from antecede.trec.rows import Topics, hash_pairs
from antecede.trec.runs import OtherOrder, Run, read_run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from antecede.trec.qrels import Qrels
    from antecede.trec.rows import Texts


LARGEST_CHECKSUM = 2**62 - 1
"""Checksums are saved among the counts of a rank table, which are smaller than 2⁶²."""
Names = Literal["file", "tag"]
"""What runs are named after."""


class TableRow(NamedTuple):
    """One run of the table."""

    ranks: NDArray[np.int32]
    retrieved: NDArray[np.int32]
    copies: list[tuple[int, int]]
    """(judged pair, rank) for each further copy of a document that the run returned more than once."""
    counts: dict[str, int]
    other: OtherOrder | None
    tag: str | None


def rank_table(
    qrels: object,
    runs: object,
    *,
    duplicates: Duplicates = "error",
    malformed: Malformed = "error",
    ties: Ties = "docid",
    depth: int | None = None,
    order: Order = "score",
    names: Names = "file",
    unreadable: dict[str, str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> RankTable:
    """Read qrels and runs into a rank table, from which every measure is computed.

    Runs are read in parallel, one per core, and released at once: memory use does not grow with their number.

    Args:
        qrels: A path (TREC, CSV, TSV or Parquet, plain or compressed), `-`, a frame, or a dict {topic: {document:
            relevance}}.
        runs: A run, a list of runs, or a dict {name: run}; a run is given like qrels, with scores.
        duplicates: A document twice in a topic: `error`; `first` or `last` uses that line; `keep` counts each copy.
        malformed: A line that cannot be read: `error`, or `skip` to leave it out and count it.
        ties: The order of equal scores: `docid` descending, as in trec_eval; `input`, the order of the file; `rank`,
            the rank column.
        depth: Read only the first `depth` documents of each topic.
        order: What a ranking is ordered by: `score`, as in trec_eval; `rank`, the rank column; `input`, the order of
            the file.
        names: What runs are named after: their `file`, or the `tag` in it; a path given as "name=path" names its run.
        unreadable: Takes up the runs that cannot be read, by name with the reason, and the others are read. Without it,
            or where no run can be read, such a run is refused.
        progress: Called with (done, total).
    """
    policies = Policies(duplicates, malformed, ties, depth, order)
    if names not in get_args(Names):
        raise UsageError(f"names: there is no {shown(str(names))!r}; choose one of {', '.join(get_args(Names))}")
    judged = read_qrels(qrels, policies)
    named = name_runs(runs)
    matcher = Matcher(judged)
    rows: list[TableRow] = []

    def read(name: str, given: object) -> TableRow:
        return build_row(read_run(given, policies, name=name), judged, matcher)

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
    labels = label_runs(named, [row.tag for row in rows])
    chosen = tuple(named) if names == "file" else name_by_tags(named, rows)
    table = assemble_table(chosen, judged, rows)
    table = replace(table, labels=dict(zip(chosen, labels, strict=True)))
    check_usable(table, judged.source)
    return table


def label_runs(named: Mapping[str, object], tags: Sequence[str | None]) -> list[tuple[str, ...]]:
    """What else each run may be called: its path as it was given, its file's name, its tag."""
    labels = []
    for (name, given), tag in zip(named.items(), tags, strict=True):
        is_file = isinstance(given, str | Path) and str(given) != "-"
        path = Path(str(given))
        of_file = (str(given), path.name, strip_compression_suffix(path.name)) if is_file else ()
        labels.append(tuple(dict.fromkeys([name, *of_file, *([tag] if tag else [])])))
    return labels


def name_by_tags(named: Mapping[str, object], rows: Sequence[TableRow]) -> tuple[str, ...]:
    """Each run named after its tag, but one that was given a name; two runs of one tag are refused."""
    files = dict(zip(choose_names([*named.values()]), named.values(), strict=True))
    given = [name for name in named if name not in files]
    chosen = [name if name in given else row.tag or name for name, row in zip(named, rows, strict=True)]
    twice = next((at for at, name in enumerate(chosen) if name in chosen[:at]), None)
    if twice is not None:
        both = " and ".join(shown(name) for name, tag in zip(named, chosen, strict=True) if tag == chosen[twice])
        raise UsageError(
            f"{both} have the same tag, {shown(chosen[twice])}; name them with NAME=PATH, or by their files"
        )
    return tuple(chosen)


def split_alias(given: object) -> tuple[str | None, object]:
    """`name=path` → the name and the path; a path that exists as it is written has no name."""
    if not isinstance(given, str) or "=" not in given or Path(given).exists():
        return None, given
    name, _, path = given.partition("=")
    return (name, path) if name and path and "/" not in name else (None, given)


def name_runs(runs: object) -> dict[str, object]:
    """Each run with the name that tables use: the file name, with folders where file names alone are ambiguous."""
    if isinstance(runs, Mapping) and all(not isinstance(r, Mapping) or is_run_dict(r) for r in runs.values()):
        named: dict[str, object] = {str(name): given for name, given in runs.items()}
        if len(named) < len(runs):
            raise UsageError("two runs have the same name; give each a name of its own")
    else:
        split = [split_alias(each) for each in (list(runs) if isinstance(runs, list | tuple) else [runs])]
        given = [each for _, each in split]
        names = [alias or name for (alias, _), name in zip(split, choose_names(given), strict=True)]
        twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
        if twice is not None:
            raise UsageError(f"two runs are named {shown(twice)}; give each a name of its own")
        named = dict(zip(names, given, strict=True))
    if not named:
        raise UsageError("no run is given; name one or more")
    return named


def is_run_dict(given: object) -> bool:
    """Whether a dict is a whole run {topic: {document: score}}, rather than one topic {document: score}."""
    return isinstance(given, Mapping) and all(isinstance(topic, Mapping) for topic in given.values())


def choose_names(given: Sequence[object]) -> list[str]:
    """A name for each input, with as many folders as are needed to make the names distinct."""
    paths = [str(each) for each in given if isinstance(each, str | Path)]
    files = [Path(path).absolute() for path in paths]  # ./a.run is a.run
    twice = next((path for at, path in enumerate(paths) if files[at] in files[:at]), None)
    if twice is not None:
        raise UsageError(f"{twice}: given twice; name each run once")
    for folders in range(max((len(Path(path).parts) for path in paths), default=1)):
        names = [choose_name(each, at, folders) for at, each in enumerate(given)]
        if len({*names}) == len(names):
            return names
    return [f"{choose_name(each, at, 0)}#{at + 1}" for at, each in enumerate(given)]


def choose_name(given: object, at: int, folders: int) -> str:
    """The name of one input, with so many folders."""
    if isinstance(given, Run):
        return given.name
    if not isinstance(given, str | Path):
        return f"run{at + 1}"
    if str(given) == "-":
        return "stdin"
    parts = Path(given).parts
    return "/".join(
        (*parts[max(0, len(parts) - 1 - folders) : -1], strip_compression_suffix(parts[-1] if parts else "run"))
    )


class Match(NamedTuple):
    """The judged documents of one run."""

    pairs: NDArray[np.int64]
    """Judged pairs found, as indexes into the qrels; one that a run returned twice appears twice."""
    rows: NDArray[np.int64]
    """The row of the run of each of them."""
    topic: NDArray[np.int32]
    """For each topic of the run its index in the qrels; −1 where the qrels do not have it."""


class Matcher:
    """Judged pairs, prepared once to be looked up in many runs: the one step that touches every row of every run.

    Each pair has a 64-bit key. A table of flags excludes nearly all rows that are not judged at the cost of one
    memory access each; a table with a slot for every value of a key's upper bits leads the others to their pair. Pairs
    that share a slot are searched for among the keys. What is found is compared as text.
    """

    def __init__(self, qrels: Qrels) -> None:
        self.qrels = qrels
        self.topic_at = {name: at for at, name in enumerate(qrels.topics)}
        self.topic = qrels.topic
        qrels.docs.padded()  # before texts are gathered from it for each run, so that they need not copy its bytes
        codes = np.arange(len(qrels.topics), dtype=np.int32)
        self.keys = hash_pairs(Topics(qrels.topics, codes, np.diff(qrels.offsets)), qrels.docs)
        self.order = np.argsort(self.keys)
        self.sorted_keys = self.keys[self.order]
        self.keys_differ = bool((self.sorted_keys[1:] != self.sorted_keys[:-1]).all())
        bits = int(np.clip(np.ceil(np.log2(len(self.keys) + 1)) + 7, 16, 22))
        self.shift = np.uint64(64 - bits)
        self.slots = np.full(1 << bits, -1, np.int32)
        self.slots[(self.keys >> self.shift).view(np.int64)] = np.arange(len(self.keys), dtype=np.int32)
        self.maybe = self.slots >= 0

    def match(self, run: Run) -> Match:
        """Find the judged documents in a run."""
        topic_of = np.fromiter((self.topic_at.get(name, -1) for name in run.topics), np.int32, len(run.topics))
        pairs, rows = self.match_keys(run, topic_of) if self.keys_differ else self.match_texts(run, topic_of)
        return Match(pairs, rows, topic_of)

    def match_keys(self, run: Run, topic_of: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The judged pairs of a run and their rows, by key."""
        rows = np.flatnonzero(self.maybe.take((run.keys >> self.shift).view(np.int64)))
        keys = run.keys[rows]
        pairs = self.slots.take((keys >> self.shift).view(np.int64)).astype(np.int64)
        other = np.flatnonzero(self.keys[pairs] != keys)  # another pair has this slot
        found = np.searchsorted(self.sorted_keys, keys[other])
        pairs[other] = self.order[np.minimum(found, len(self.keys) - 1)]
        same = self.keys[pairs] == keys
        rows, pairs = rows[same], pairs[same]
        alike = run.docs.gather(rows).equal(self.qrels.docs.gather(pairs))
        alike &= topic_of[run.topic[rows]] == self.topic[pairs]
        return pairs[alike], rows[alike]

    def match_texts(self, run: Run, topic_of: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The same by joining texts: for qrels in which two pairs have the same key."""
        import polars as pl

        judged = pl.DataFrame({"topic": self.topic, "doc": self.qrels.doc_ids}).with_row_index("pair")
        found = pl.DataFrame({"topic": topic_of[run.topic], "doc": run.doc_ids}).with_row_index("row")
        both = found.join(judged, on=["topic", "doc"], how="inner").sort("row")
        return both["pair"].to_numpy().astype(np.int64), both["row"].to_numpy().astype(np.int64)


def build_row(run: Run, qrels: Qrels, matcher: Matcher) -> TableRow:
    """The ranks of the judged documents in a run, and its counts."""
    pairs, rows, topic_of = matcher.match(run)
    known = topic_of >= 0
    if not known.any():
        theirs, ours = shown(", ".join(run.topics[:3]), 40), shown(", ".join(qrels.topics[:3]), 40)
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
    copies = separate_copies(pairs, found, ranks) if np.count_nonzero(ranks) < len(pairs) else []
    counts = {
        **run.odd,
        "lines": len(run),
        "topics": len(run.topics),
        "topics_unjudged": int((~known).sum()),
        "ties": count_tied_groups(run, rows[qrels.relevance[pairs] >= 0]),
        CHECKSUM: sum_up(run),
    }
    other = None
    if run.other is not None and not copies:
        by_column = np.zeros_like(ranks)
        by_column[pairs] = run.other.ranks[rows]
        other = OtherOrder(run.other.order, by_column)
    return TableRow(ranks, retrieved, copies, counts, other, run.tag)


def sum_up(run: Run) -> int:
    """A checksum of the documents of a run and their ranks, whatever the order of the lines."""
    return int(np.dot(run.keys, run.ranks.astype(np.uint64))) & LARGEST_CHECKSUM


def separate_copies(
    pairs: NDArray[np.int64], found: NDArray[np.int32], ranks: NDArray[np.int32]
) -> list[tuple[int, int]]:
    """Put the best copy of each document into `ranks`, and return the others as (judged pair, rank)."""
    best_first = np.argsort(found, kind="stable")
    pairs, found = pairs[best_first], found[best_first]
    _, first = np.unique(pairs, return_index=True)
    ranks[pairs[first]] = found[first]
    again = np.setdiff1d(np.arange(len(pairs)), first)
    return list(zip(pairs[again].tolist(), found[again].tolist(), strict=True))


def count_tied_groups(run: Run, judged_rows: NDArray[np.int64]) -> int:
    """How many groups of documents with equal scores contain a judged one, so that the policy for ties matters."""
    if run.tied is None:
        return 0
    touched = judged_rows[run.tied[judged_rows]]
    touched = touched[np.lexsort((run.ranks[touched], run.topic[touched]))]
    topic, score = run.topic[touched], run.scores[touched]
    return int(np.count_nonzero((topic[1:] != topic[:-1]) | (score[1:] != score[:-1]))) + bool(len(touched))


def assemble_table(names: tuple[str, ...], qrels: Qrels, rows: Sequence[TableRow]) -> RankTable:
    """Stack the rows; copies of documents get columns of their own."""
    ranks = np.array([row.ranks for row in rows])
    keys = dict.fromkeys(key for row in rows for key in row.counts)
    counts = {key: np.array([row.counts.get(key, 0) for row in rows], np.int64) for key in keys}
    retrieved = np.array([row.retrieved for row in rows])
    table = Ranks(ranks, qrels.relevance, qrels.offsets, retrieved, topic_ids=qrels.topics)
    docs = qrels.docs
    if any(row.copies for row in rows):
        table, docs = add_copy_columns(table, docs, [row.copies for row in rows])
    others = {name: row.other for name, row in zip(names, rows, strict=True) if row.other is not None}
    if table.copies is not None:
        others = {}
    return RankTable(names, qrels.topics, docs, table, counts, dict(qrels.odd), others)


def add_copy_columns(table: Ranks, docs: Texts, copies: list[list[tuple[int, int]]]) -> tuple[Ranks, Texts]:
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
        docs.gather(origin[order]),
    )
