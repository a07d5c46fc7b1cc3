"""Reads a rank table, and lists of numbers, from the arguments of the command line."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from antecede.cli.bundles import ReadOptions, ScoreOptions
from antecede.cli.output import progress
from antecede.errors import UsageError, shown
from antecede.ranges import check_size

if TYPE_CHECKING:
    from antecede.evaluation import RankTable
    from antecede.ranges import Range


def table_from(reading: ReadOptions) -> RankTable:
    """Read qrels and runs, or a saved rank table given in place of both."""
    from antecede.evaluation import RankTable, rank_table
    from antecede.evaluation.storage import is_rank_table

    qrels, runs = reading.qrels, reading.runs
    if is_rank_table(qrels) or (not runs and qrels.endswith(".npz")):
        if runs:
            raise UsageError(f"{qrels}: is a rank table, which already contains its runs; give it alone")
        if reading != ReadOptions(qrels, runs, quiet=reading.quiet):
            raise UsageError(
                f"{qrels}: is a saved rank table; give --duplicates, --malformed, --ties and --depth when it is saved"
            )
        return RankTable.load(qrels)
    if not runs:
        raise UsageError("no run is given; name one or more after the qrels")
    if [qrels, *runs].count("-") > 1:
        raise UsageError("standard input can only be read once; give - for one file")
    keep_freed_memory()
    with progress("reading runs", quiet=reading.quiet) as report:
        return rank_table(
            qrels,
            runs,
            duplicates=reading.duplicates.value,
            malformed=reading.malformed.value,
            ties=reading.ties.value,
            depth=reading.depth,
            progress=report,
        )


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
