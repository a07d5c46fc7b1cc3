"""What the words of the command line denote: topics, runs, numbers, fields of a source, and where an index is."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from antecede.address import is_address
from antecede.cli.output import progress, show_note
from antecede.errors import UsageError, printable
from antecede.ranges import check_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from antecede.corpus.document import Rejected
    from antecede.engine import Engine
    from antecede.evaluation import RankTable
    from antecede.patent import Patent
    from antecede.ranges import Range
    from antecede.search.batch import Answer
    from antecede.trec import Run


def refuse_repeated_input(*given: str | None) -> None:
    if given.count("-") > 1:
        raise UsageError("standard input can only be read once; give - for one file")


def require_folder(index: str | Path, verb: str) -> None:
    """Refuse the address of a cluster where a verb needs an index in a folder."""
    if is_address(index):
        raise UsageError(f"antecede {verb} needs an index in a folder, not on a cluster")


def find_highlights(named: list[str] | None, table: RankTable) -> list[str] | None:
    """The runs to highlight, each found by its name, path or tag."""
    if not named:
        return None
    words = [part for word in named for part in ([word] if word in table.runs else word.split(","))]
    return [table.find_run(word.strip(), "run to highlight") for word in words if word.strip()]


def numbers(text: str, option: str) -> list[float]:
    """The numbers of an option that takes several, separated by commas."""
    values = []
    for part in text.split(","):
        try:
            values.append(float(part))
        except ValueError:
            raise UsageError(
                f"{option}: {printable(part.strip())!r} is not a number; write them as in 10,20,50"
            ) from None
        check_size(values[-1], option)
    return values


def whole_numbers(text: str, option: str, within: Range) -> list[int]:
    """The same for whole numbers within a range."""
    values = numbers(text, option)
    for number in values:
        if not (number.is_integer() and int(number) in within):
            raise UsageError(f"{option}: {number:g} is not {within}")
    return [int(number) for number in values]


# Patents


@contextmanager
def rejects_file(path: Path | None) -> Iterator[Callable[[Rejected], None] | None]:
    """A function that writes rejected documents to the file of `--rejects`; None if there is no such file.

    The file is complete or does not appear.
    """
    if path is None:
        yield None
        return
    from antecede.corpus.collection import RejectsFile

    with RejectsFile(path) as file:
        yield file


def topics_to_search(index: Engine, topics: str, names: dict[str, str], *, quiet: bool) -> list[Patent | Answer]:
    """The topics that an argument denotes, read with progress and notes unless quiet."""
    from antecede.search.topics import read_topics

    on_note = None if quiet else show_note
    with progress("reading topics", quiet=quiet) as report:
        return read_topics(index, topics, names=names, on_note=on_note, progress=report)


# The order of runs


def warn_of_order(table: RankTable) -> None:
    """Report, on standard error, the runs that were read by score although their scores do not give their order."""
    from antecede.evaluation.audit import list_order_conflicts

    runs, why = list_order_conflicts(table)
    if runs:
        orders = dict.fromkeys(table.other_orders[run].order for run in runs if run in table.other_orders)
        where = "" if orders else " where the runs are read"
        show_note(f"{why}; {_describe_readings(len(runs), [*orders] or ['rank'])}{where}")


def warn_of_run_orders(runs: Sequence[Run]) -> None:
    """The same for runs that were read without qrels."""
    from antecede.evaluation.audit import OTHER_TAGS, explain_order_conflicts

    conflicts = {run.name: {**run.odd, "topics": len(run.topics)} for run in runs if run.other is not None}
    if conflicts:
        why = explain_order_conflicts(conflicts, len(runs))
        orders = dict.fromkeys(run.other.order for run in runs if run.other is not None)
        show_note(f"{why}; {_describe_readings(len(conflicts), [*orders])}")
    tagged = [f"{printable(run.name)} ({run.odd['other_tags']})" for run in runs if run.odd.get("other_tags")]
    if tagged:
        show_note(f"{', '.join(tagged)}: {OTHER_TAGS}")
    swapped = [printable(run.name) for run in runs if run.odd.get("swapped_columns")]
    if swapped:
        text = "the rank and the score column appear to be swapped; correct the file, or pass --order input"
        show_note(f"{', '.join(swapped)}: {text}")


def _describe_readings(runs: int, orders: Sequence[str]) -> str:
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
