"""Reads a rank table, and lists of numbers, from the arguments of the command line."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from antecede.cli.bundles import ReadOptions, ScoreOptions
from antecede.cli.output import progress, show_text
from antecede.errors import UsageError, shown
from antecede.ranges import check_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.evaluation import RankTable
    from antecede.ranges import Range
    from antecede.trec import Run


def table_from(reading: ReadOptions, unreadable: dict[str, str] | None = None) -> RankTable:
    """Read qrels and runs, or a saved rank table given in place of both."""
    from antecede.evaluation import RankTable, rank_table
    from antecede.evaluation.storage import is_rank_table

    qrels, runs = reading.qrels, reading.runs
    if is_rank_table(qrels) or (not runs and qrels.endswith(".npz")):
        if runs:
            raise UsageError(f"{qrels}: is a rank table, which already contains its runs; give it alone")
        if reading != ReadOptions(
            qrels, runs, quiet=reading.quiet, topics=reading.topics, without_topics=reading.without_topics
        ):
            raise UsageError(
                f"{qrels}: is a saved rank table; give --duplicates, --malformed, --ties, --order, --depth and --names "
                "when it is saved"
            )
        return select_topics(RankTable.load(qrels), reading)
    if not runs:
        raise UsageError("no run is given; name one or more after the qrels")
    if [qrels, *runs].count("-") > 1:
        raise UsageError("standard input can only be read once; give - for one file")
    keep_freed_memory()
    with progress("reading runs", quiet=reading.quiet) as report:
        table = rank_table(
            qrels,
            runs,
            duplicates=reading.duplicates.value,
            malformed=reading.malformed.value,
            ties=reading.ties.value,
            order=reading.order.value,
            depth=reading.depth,
            names=reading.names.value,
            unreadable=unreadable,
            progress=report,
        )
    return select_topics(table, reading)


def select_topics(table: RankTable, reading: ReadOptions) -> RankTable:
    """The table without the topics that are not wanted."""
    if reading.topics is None and reading.without_topics is None:
        return table
    only = None if reading.topics is None else list_topics(reading.topics)
    return table.select_topics(only, list_topics(reading.without_topics or ""))


def find_highlights(named: list[str] | None, table: RankTable) -> list[str] | None:
    """The runs to highlight, each found by its name, path or tag."""
    if not named:
        return None
    words = [each for word in named for each in ([word] if word in table.runs else word.split(","))]
    return [table.find_run(word.strip(), "run to highlight") for word in words if word.strip()]


def list_topics(given: str) -> list[str]:
    """The topics of a list separated by commas, or of a file with one per line."""
    if not Path(given).is_file():
        return [topic.strip() for topic in given.split(",") if topic.strip()]
    from antecede.trec.content import read_content

    lines = read_content(given).data.decode("utf-8", "replace").splitlines()
    return [words[0] for line in lines if (words := line.split()) and not words[0].startswith("#")]


def warn_of_order(table: RankTable) -> None:
    """Report, on standard error, the runs that were read by score although their scores do not give their order."""
    from antecede.evaluation.audit import list_order_conflicts

    runs, why = list_order_conflicts(table)
    if runs:
        orders = dict.fromkeys(table.other_orders[run].order for run in runs if run in table.other_orders)
        where = "" if orders else " where the runs are read"
        show_text(f"antecede: {why}; {describe_readings(len(runs), [*orders] or ['rank'])}{where}", error=True)


def warn_of_run_orders(runs: Sequence[Run]) -> None:
    """The same for runs that were read without qrels."""
    from antecede.evaluation.audit import explain_order_conflicts

    conflicts = {run.name: {**run.odd, "topics": len(run.topics)} for run in runs if run.other is not None}
    if conflicts:
        why = explain_order_conflicts(conflicts, len(runs))
        orders = dict.fromkeys(run.other.order for run in runs if run.other is not None)
        show_text(f"antecede: {why}; {describe_readings(len(conflicts), [*orders])}", error=True)
    swapped = [shown(run.name) for run in runs if run.odd.get("swapped_columns")]
    if swapped:
        text = "the rank and the score column appear to be swapped; correct the file, or pass --order input"
        show_text(f"antecede: {', '.join(swapped)}: {text}", error=True)


def describe_readings(runs: int, orders: Sequence[str]) -> str:
    """How runs are read, and how they could be."""
    from antecede.evaluation.audit import READINGS

    others = " or ".join(f"{READINGS[order]} with --order {order}" for order in orders)
    return f"{'it is' if runs == 1 else 'they are'} read by score, as in trec_eval, and {others}"


TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8
"""The glibc constants of these `mallopt` parameters."""
KEEP = 1 << 28


def keep_freed_memory() -> None:
    """Keep freed memory for the next run; otherwise it returns to the system, which hands it out again page by page.

    This saves a tenth of the time with glibc. It affects the whole process, so only the program does it.
    """
    import ctypes

    with suppress(AttributeError, OSError):
        libc = ctypes.CDLL(None)
        libc.mallopt(TRIM_THRESHOLD, KEEP)
        libc.mallopt(MMAP_THRESHOLD, KEEP)
        libc.mallopt(ARENA_MAX, 1)  # one arena for all threads; otherwise each would keep its own


def is_score_table(reading: ReadOptions) -> bool:
    """Whether a file that is given alone must be a table of scores, since it is not a saved rank table."""
    from antecede.evaluation.storage import is_rank_table

    alone = not reading.runs and not reading.qrels.endswith(".npz")
    return alone and not is_rank_table(reading.qrels)


def check_score_table(reading: ReadOptions, scoring: ScoreOptions) -> None:
    """Refuse options that only apply when scores are computed: a table of scores is already scored."""
    if reading != ReadOptions(reading.qrels, reading.runs, quiet=reading.quiet) or scoring != ScoreOptions(
        scoring.measures
    ):
        raise UsageError(
            f"{reading.qrels}: is a table of scores; give options for reading and topics when scores are computed"
        )


def numbers(text: str, option: str) -> list[float]:
    """The numbers of an option that takes several, separated by commas."""
    found = []
    for part in text.split(","):
        try:
            found.append(float(part))
        except ValueError:
            raise UsageError(f"{option}: {shown(part.strip())!r} is not a number; write them as in 10,20,50") from None
        check_size(found[-1], option)
    return found


def whole_numbers(text: str, option: str, within: Range) -> list[int]:
    """The same for whole numbers within a range."""
    found = numbers(text, option)
    for number in found:
        if not (number.is_integer() and int(number) in within):
            raise UsageError(f"{option}: {number:g} is not {within}")
    return [int(number) for number in found]
