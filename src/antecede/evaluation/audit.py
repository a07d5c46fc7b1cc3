"""Irregularities of the input: counted whenever files are read, printed by `antecede audit`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from antecede.errors import UsageError, printable, spell
from antecede.evaluation.rank_table import CHECKSUM, RankTable, rank_table
from antecede.measures.counts import judged
from antecede.measures.definition import mean
from antecede.operations import READING, Help
from antecede.ranges import DOCUMENTS
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from antecede.measures.definition import Measure
    from antecede.operations import Progress
    from antecede.trec.reader import Order

DEPTHS = (10, 100, 1000)

RUN_COUNTS = {
    "lines": "documents retrieved",
    "topics": "topics",
    "topics_missing": "topics of the qrels without results",
    "topics_unjudged": "topics without qrels",
    "duplicates": "documents that appear twice in a topic",
    "ties": "groups of equal scores that contain a judged document",
    "unsorted_topics": "topics whose lines are not sorted by score",
    "rank_conflicts": "topics in which the rank column contradicts the scores",
    "odd_ranks": "topics whose ranks are not 1, 2, 3 … up to the number of their documents",
    "swapped_columns": "topics in which the rank and the score column appear to be swapped",
    "equal_scores": "topics in which all scores are equal",
    "ordered_by_rank": "topics ordered by the rank column",
    "ordered_by_input": "topics in the order of the file",
    "bad_scores": "scores that are not numbers, or not finite",
    "malformed": "lines that could not be read",
    "wide": "lines with more columns than a run has",
    "comments": "comment lines",
    "other_tags": "tags besides that of the first line",
    "self_retrieved": "topics retrieved as their own document",
    "identical_runs": "other runs with the same documents at the same ranks",
}
"""The counts of a run, in the order they are shown, and their meaning."""


QRELS_COUNTS = {
    "topics_without_relevant": "topics without a relevant document",
    "unjudged": "in the pool, but not judged",
    "duplicates": "documents judged twice",
    "malformed": "lines that could not be read",
}


@dataclass(frozen=True, repr=False)
class Audit(Tabled):
    """The counts of every run, and of the qrels."""

    runs: tuple[str, ...]
    counts: tuple[dict[str, Any], ...]
    qrels: dict[str, int]
    cutoff: int
    identical: tuple[tuple[str, ...], ...] = ()
    """Groups of runs with the same documents at the same ranks."""
    unreadable: Mapping[str, str] = field(default_factory=dict)
    """Runs that could not be read, with the reason, as `rank_table` collects them."""
    rank_table: RankTable | None = None
    """What was counted."""

    def table(self) -> Table:
        """One row per run and one column per kind of count; kinds that are 0 everywhere are listed below.

        Runs that could not be read follow, with the reason in a column of its own.
        """
        keys = [key for key in self.counts[0] if key not in ALWAYS]
        odd = [key for key in keys if any(count[key] for count in self.counts)]
        clean = [self.explain(key) for key in keys if key not in odd and not key.startswith("ordered_by_")]
        columns = ("run", *ALWAYS, *odd)
        rows = [(run, *map(count.get, columns[1:])) for run, count in zip(self.runs, self.counts, strict=True)]
        if self.unreadable:
            blank = (None,) * (len(columns) - 1)
            rows = [*((*row, "") for row in rows), *((run, *blank, why) for run, why in self.unreadable.items())]
            columns = (*columns, "unreadable")
        notes = [f"{key}: {self.explain(key)}" for key in odd]
        notes += [f"the same ranking: {', '.join(runs)}" for runs in self.identical]
        if clean:
            notes.append(f"none: {'; '.join(clean)}")
        return Table(columns, tuple(rows), title=self.describe_qrels(), notes=tuple(notes), digits=3)

    @property
    def refused(self) -> bool:
        """Whether an evaluation would refuse any of the files by default."""
        strict = ("malformed", "duplicates")
        return bool(self.unreadable) or any(count[key] for count in (*self.counts, self.qrels) for key in strict)

    def describe_qrels(self) -> str:
        """The counts of the qrels in one line."""
        q = self.qrels
        line = f"qrels: {q['topics']} topics, {q['relevant']} relevant of {q['judged']} judged documents"
        return line + "".join(f", {q[key]} {meaning}" for key, meaning in QRELS_COUNTS.items() if q[key])

    def explain(self, key: str) -> str:
        """The meaning of a count."""
        if key.startswith("unjudged@"):
            return f"share of the first {key.partition('@')[2]} documents that are not judged"
        if key.startswith("shorter_than_"):
            return f"topics with fewer than {self.cutoff} documents"
        return RUN_COUNTS[key]

    def to_dict(self) -> dict[str, Any]:
        """What `antecede audit --json` prints."""
        return {
            "qrels": self.qrels,
            "runs": [{"name": r, "counts": c} for r, c in zip(self.runs, self.counts, strict=True)],
            "identical": [[*runs] for runs in self.identical],
            "unreadable": dict(self.unreadable),
        }


ALWAYS = ("lines", "topics")


def audit(
    table: Annotated[
        object,
        Help(
            "Judgements: TREC qrels, CSV, TSV or Parquet, may be compressed (.gz .bz2 .xz .zst); - for stdin.",
            argument="QRELS",
            path=True,
        ),
    ],
    runs: Annotated[object, Help("Runs, each in any of the same forms.", argument="RUN...", path=True)] = None,
    *,
    k: Annotated[int, DOCUMENTS, Help("The number of documents a topic should have.", flags="-k")] = 1000,
    order: Annotated[
        Order,
        Help(
            "What a ranking is ordered by: its scores (as trec_eval), its rank column, or the order of the file.",
            heading=READING,
        ),
    ] = "score",
    progress: Progress | None = None,
) -> Audit:
    """Count irregularities in qrels and runs.

    Args:
        table: The qrels, in any form that `read_qrels` reads; or a rank table, from `rank_table`, whose duplicates and
            malformed lines must have been accepted to be counted.
        runs: The runs, as for `rank_table`; none for a rank table.
        progress: Called with (done, total) while the runs are read.
    """
    DOCUMENTS.check(k, "k")
    unreadable: dict[str, str] = {}
    if runs is not None:
        table = rank_table(
            *(table, runs),
            duplicates="first",
            malformed="skip",
            order=order,
            unreadable=unreadable,
            progress=progress,
        )
    if not isinstance(table, RankTable):
        raise UsageError(f"audit: a {type(table).__name__} is not a rank table; pass the qrels and the runs")
    ranks = table.ranks
    short = ((ranks.retrieved > 0) & (ranks.retrieved < k)).sum(axis=1)
    relevance = ranks.relevance if ranks.copies is None else ranks.relevance[~ranks.copies]
    qrels = {
        "topics": len(table.topics),
        "judged": int((relevance >= 0).sum()),
        "relevant": int((relevance >= 1).sum()),
        "topics_without_relevant": int(table.without_relevant.sum()),
        "unjudged": int((relevance < 0).sum()),
        "duplicates": table.qrels_counts.get("duplicates", 0),
        "malformed": table.qrels_counts.get("malformed", 0),
    }
    counts = tuple(
        {**count, f"shorter_than_{k}": int(short[at])} for at, count in enumerate(count_irregularities(table))
    )
    identical = tuple(runs for runs in _group_identical(table).values() if len(runs) > 1)
    return Audit(table.runs, counts, qrels, k, identical, unreadable, table)


def _group_identical(table: RankTable) -> dict[int, tuple[str, ...]]:
    """The runs by their checksums; none for a table that was saved without them."""
    groups: dict[int, tuple[str, ...]] = {}
    for run, checksum in zip(table.runs, table.counts.get(CHECKSUM, np.zeros(0, np.int64)).tolist(), strict=False):
        groups[checksum] = (*groups.get(checksum, ()), run)
    return groups


def count_irregularities(table: RankTable) -> list[dict[str, Any]]:
    """For each run: every count of `RUN_COUNTS`, and the share of unjudged documents at each of `DEPTHS`."""
    answered = ~table.missing
    unjudged = {depth: 1 - judged(table.ranks, cutoff=depth) for depth in DEPTHS}
    return [
        {**count, **{f"unjudged@{depth}": float(mean(unjudged[depth][run, answered[run]])) for depth in DEPTHS}}
        for run, count in enumerate(_count_by_kind(table))
    ]


def _count_by_kind(table: RankTable) -> list[dict[str, int]]:
    missing = (table.missing & ~table.without_relevant).sum(axis=1)
    identical = {run: len(runs) - 1 for runs in _group_identical(table).values() for run in runs}
    return [
        {key: int(table.counts[key][at]) if key in table.counts else 0 for key in RUN_COUNTS}
        | {"topics_missing": int(missing[at]), "identical_runs": identical.get(run, 0)}
        for at, run in enumerate(table.runs)
    ]


OTHER_TAGS = "tags besides that of the first line; all lines are read as one run"

SCORED_ZERO = "topics without results score 0"
"""What becomes of topics of the qrels that a run lacks, unless they are skipped."""


def list_caveats(
    table: RankTable, missing: str | None = "zero", no_relevant: str = "skip", measures: Sequence[Measure] = ()
) -> tuple[str, ...]:
    """What the input lacks, was left out of it or is doubtful, and what that does to the scores.

    Every result that is computed from a rank table reports these lines: see `list_warnings` for those of `evaluate`.
    With None for `missing`, the caller reports itself which topics have no results. `measures` are those of the scores.
    """
    without = int(table.without_relevant.sum())
    fate = "are left out" if no_relevant == "skip" else "score 0"
    lines = [f"{without} topics of the qrels have no relevant document and {fate}"] if without else []
    if left := table.qrels_counts.get("topics_left_out"):
        lines.append(f"{left} topics of the qrels are left out on request")
    return (
        *lines,
        *(_list_partial_means(table, no_relevant) if missing == "skip" else ()),
        *_count_by_run(
            table,
            **({"topics_missing": SCORED_ZERO} if missing == "zero" else {}),
            topics_unjudged="topics without qrels are left out",
            duplicates="documents appear twice",
            malformed="lines could not be read and are left out",
            other_tags=OTHER_TAGS,
            swapped_columns="topics in which the rank and the score column appear to be swapped; correct the file, "
            f"or pass {spell('order', 'input')}",
        ),
        *list_short_runs(table, measures),
    )


def count_answered(table: RankTable, no_relevant: str) -> NDArray[np.int64]:
    """int64[runs]: of the topics that are evaluated, how many each run has results for."""
    evaluated = ~table.without_relevant | (no_relevant == "zero")
    return np.asarray(np.count_nonzero(~table.missing & evaluated, axis=1))


def _list_partial_means(table: RankTable, no_relevant: str) -> Iterator[str]:
    """A line for the runs whose mean is over fewer topics than are evaluated, since those they lack are skipped."""
    topics = int(np.count_nonzero(~table.without_relevant | (no_relevant == "zero")))
    answered = count_answered(table, no_relevant)
    partial = np.flatnonzero(answered < topics)
    if not len(partial):
        return
    if len(partial) <= LISTED_RUNS:
        named = ", ".join(f"{printable(table.runs[run])} ({answered[run]} of {topics})" for run in partial.tolist())
    else:
        low, high = int(answered[partial].min()), int(answered[partial].max())
        number = f"{low}" if low == high else f"{low} to {high}"
        named = f"{len(partial)} of {len(table.runs)} runs ({number} of {topics})"
    yield f"{named}: mean over the topics with results only, not comparable with a mean over all topics"


def list_short_runs(table: RankTable, measures: Sequence[Measure]) -> Iterator[str]:
    """A line for the runs that hold fewer documents than the cut-off of a measure, for most of their topics."""
    retrieved = table.ranks.retrieved
    measures_by_runs: dict[tuple[int, ...], list[str]] = {}
    for measure in measures:
        cutoff = dict(measure.arguments).get("cutoff")
        if cutoff is not None and measure.definition.name != "Judged":  # it is a share of what was retrieved
            short = 2 * ((retrieved > 0) & (retrieved < cutoff)).sum(axis=1) > (retrieved > 0).sum(axis=1)
            measures_by_runs.setdefault(tuple(np.flatnonzero(short).tolist()), []).append(str(measure))
    for runs, names in measures_by_runs.items():
        if not runs:
            continue
        lengths = retrieved[[*runs]]
        length, longest = (int(of(lengths[lengths > 0])) for of in (np.median, np.max))
        named = ", ".join(printable(table.runs[run]) for run in runs[:LISTED_RUNS])
        who = named if len(runs) <= LISTED_RUNS else f"{len(runs)} of {len(table.runs)} runs"
        who, s = ("runs", "") if 1 < len(runs) == len(table.runs) else (who, "s" * (len(runs) == 1))
        yield (
            f"{who} hold{s} {length if length == longest else f'a median of {length}'} documents a topic; "
            f"{', '.join(names)} treat{'s' * (len(names) == 1)} the rest as not found"
        )


def list_warnings(
    table: RankTable, missing: str, no_relevant: str, measures: Sequence[Measure] = ()
) -> tuple[str, ...]:
    """The lines below a table of scores: only what affects the numbers, and how."""
    return (
        *list_caveats(table, missing, no_relevant, measures),
        *_count_by_run(
            table,
            ordered_by_rank="topics are ordered by the rank column, not by score",
            ordered_by_input="topics are in the order of the file, not by score",
            ties="groups of equal scores contain a judged document; their order depends on the policy "
            f"(see {spell('ties')})",
        ),
    )


def _count_by_run(table: RankTable, **texts: str) -> list[str]:
    """One line for each of these counts that is not 0 for every run."""
    counts = _count_by_kind(table)
    lines = []
    for key, text in texts.items():
        runs = [(run, count[key]) for run, count in zip(table.runs, counts, strict=True) if count[key]]
        if runs:
            lines.append(f"{list_runs(runs, len(table.runs))}: {text}")
    return lines


READINGS = {"rank": "by the rank column", "input": "in the order of the file"}
"""How a message calls the orders other than that by score."""


ORDER_CONFLICTS = {
    "rank_conflicts": "the rank column contradicts the scores",
    "equal_scores": "all scores are equal",
}
"""The counts of topics whose scores do not give their order."""


def list_order_conflicts(table: RankTable) -> tuple[tuple[str, ...], str]:
    """The runs read by score whose scores do not give their order, and what is odd about them, in one sentence."""
    conflicts = {
        run: count
        for run, count in zip(table.runs, _count_by_kind(table), strict=True)
        if not count["ordered_by_rank"]
        and not count["ordered_by_input"]
        and (run in table.other_orders or (count["rank_conflicts"] and not table.other_orders))
    }
    return tuple(conflicts), explain_order_conflicts(conflicts, len(table.runs))


def explain_order_conflicts(conflicts: Mapping[str, Mapping[str, int]], runs: int) -> str:
    """What is odd about the order of some runs, with the number of topics; `conflicts` has the counts of each."""
    names = ", ".join(map(printable, conflicts))
    if len(conflicts) > LISTED_RUNS:
        names = f"{len(conflicts)} of {runs} runs ({', '.join(map(printable, [*conflicts][:LISTED_RUNS]))}, …)"
    topics = sum(count["topics"] for count in conflicts.values())
    reasons = [
        f"{why} in {number} of {topics} topics"
        for key, why in ORDER_CONFLICTS.items()
        if (number := sum(count.get(key, 0) for count in conflicts.values()))
    ]
    return f"{names}: {' and '.join(reasons)}"


LISTED_RUNS = 3
"""So many runs are named in a message, more are counted."""


def list_runs(found: list[tuple[str, int]], runs: int) -> str:
    """`a (3), b (1)`, or the number of runs where there are many."""
    if len(found) <= LISTED_RUNS:
        return ", ".join(f"{run} ({count})" for run, count in found)
    return f"{len(found)} of {runs} runs ({sum(count for _, count in found)} in all)"
