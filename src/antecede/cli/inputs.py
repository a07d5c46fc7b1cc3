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
    from antecede.evaluation import RankTable
    from antecede.ranges import Range
    from antecede.trec import Run


def table_from(reading: ReadOptions) -> RankTable:
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
    """Report, on standard error, each run that was read by score although its scores do not give its order."""
    from antecede.evaluation.audit import READINGS, list_order_conflicts

    for run, why in list_order_conflicts(table).items():
        other = table.other_orders.get(run)
        order = "rank" if other is None else other.order
        show_text(
            f"antecede: {shown(run)}: {why}; it is read by score, as in trec_eval, and {READINGS[order]} "
            f"with --order {order}{'' if other is not None else ' where the runs are read'}",
            error=True,
        )


def warn_of_run_order(run: Run) -> None:
    """The same for a run that was read without qrels."""
    from antecede.evaluation.audit import READINGS

    found = [
        f"{why} in {run.odd[key]} of {len(run.topics)} topics"
        for key, why in (
            ("rank_conflicts", "the rank column contradicts the scores"),
            ("equal_scores", "all scores are equal"),
        )
        if run.odd.get(key)
    ]
    if run.other is not None:
        text = f"{' and '.join(found)}; it is read by score, and {READINGS[run.other.order]}"
        show_text(f"antecede: {shown(run.name)}: {text} with --order {run.other.order}", error=True)


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
