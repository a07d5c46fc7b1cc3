"""The output of verbs: tables or one JSON document on standard output, and progress on standard error."""

from __future__ import annotations

import codecs
import io
import json
import sys
import threading
import time
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from antecede.experiment.cache import StepEvent
    from antecede.index import BuildProgress
    from antecede.tables import Table

    StepCallbacks = tuple[Callable[[StepEvent], None], Callable[[str, int, int], None]]

from antecede.address import is_address
from antecede.errors import CONTROLS, UsageError, printable, printable_text

EVERY_SECONDS, SHORTEST_SECONDS = 5.0, 1.0
"""The time between two lines about long work, and between two looks at whether one is due."""


def show_text(text: str, *, error: bool = False, end: str = "\n") -> None:
    """Print one or more lines, to standard error if they are not the result; control characters are escaped."""
    print(printable_text(text), end=end, file=sys.stderr if error else sys.stdout, flush=error)


def show_note(note: str) -> None:
    show_text(f"antecede: {note}", error=True)


@contextmanager
def announced_compilation(index: str | Path, *, quiet: bool = False) -> Iterator[None]:
    """Say, once, that kernels are compiled: in the first search on this machine, or the first with `--where`."""
    if quiet or is_address(index):
        yield
        return
    from antecede.kernels import announced

    with announced(lambda: show_note("compiling search kernels once on this machine (some seconds) …")):
        yield


def show_page(text: str) -> None:
    """Print a page that `report` laid out, with control characters already escaped."""
    sys.stdout.write(text)


def show_json(document: dict[str, Any] | list[Any]) -> None:
    """Print one JSON document; where the output is UTF-8, all characters but control characters as they are."""
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    text = json.dumps(document, ensure_ascii=not utf8, allow_nan=False)
    # The remaining control characters are inside strings, where JSON can escape each of them.
    print(CONTROLS.sub(lambda control: json.dumps(control[0])[1:-1], text))


def show_tables(tables: Sequence[Table], style: str) -> None:
    """Print tables: as one page, one workbook, or separated by empty lines.

    CSV has no place for notes: caveats ("Note: …") go to standard error then, so that no figure is without them.
    """
    from antecede.tables import as_page

    if style.startswith("csv"):
        for caveat in dict.fromkeys(note for table in tables for note in table.notes if note.startswith("Note: ")):
            show_note(caveat.removeprefix("Note: "))
    if style == "xlsx":
        from antecede.workbook import make_workbook

        _write_bytes(make_workbook(tables))
    elif style == "csv-excel":  # Excel takes a file for UTF-8 only with a byte order mark, wherever it is
        lines = "\n".join(table.render("csv") for table in tables).replace("\n", "\r\n")
        _write_bytes(codecs.BOM_UTF8 + lines.encode("utf-8", "backslashreplace"))
    elif style == "html":
        _write_bytes(as_page(tables).encode("utf-8", "backslashreplace"))  # as the page says, whatever the locale
    else:
        for number, table in enumerate(tables):
            if number:
                print()
            if style == "text" and sys.stdout.isatty():
                _show_on_terminal(table)
            else:
                sys.stdout.write(table.render(style))


STYLES_BY_SUFFIX = {
    **{f".{style}": style for style in ("md", "csv", "html", "xlsx", "json")},
    ".txt": "text",
    ".tex": "latex",
}


def choose_style(style: str, out: Path | None) -> str:
    """The format of a table: the one that is asked for, or that of the file it is written to.

    A format that cannot be written here is refused before any work is done.
    """
    if out is not None and style == "text":
        if out.suffix.lower() not in STYLES_BY_SUFFIX:
            known = " ".join(sorted(STYLES_BY_SUFFIX))
            raise UsageError(f"{printable(str(out))}: the suffix is no format of a table; choose one of {known}")
        style = STYLES_BY_SUFFIX[out.suffix.lower()]
    if style == "xlsx" and out is None and sys.stdout.isatty():
        raise UsageError("xlsx is not for a terminal; write it to a file with --out FILE.xlsx")
    return style


@contextmanager
def printed_to(out: Path | None) -> Iterator[None]:
    """Write what is printed to a file, once it is complete; to standard output where there is none."""
    if out is None:
        yield
        return
    from contextlib import redirect_stdout

    import typer

    from antecede.files import write_whole

    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", write_through=True)
    ending: typer.Exit | None = None
    with redirect_stdout(printed):
        try:
            yield
        except typer.Exit as error:  # the table says what the exit code means
            ending = error
    write_whole(out, printed.buffer.getvalue())
    if ending is not None:
        raise ending


def _write_bytes(data: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _show_on_terminal(table: Table) -> None:
    """Print a table as it fits the window, with the best value of each column in bold."""
    from dataclasses import replace

    from rich.console import Console

    from antecede.cli.table_layout import lay_out

    console = Console(highlight=False)
    if console.color_system is None:  # a terminal without bold, such as TERM=dumb: the best values get a star
        stars = {place: f"{table.marks.get(place, '')}*" for place in table.best}
        table = replace(table, marks={**table.marks, **stars})
    for line in lay_out(table, console.width):
        console.print(line, soft_wrap=True)


@contextmanager
def show_line(*, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Show how far long work is: a bar on a terminal, a line every few seconds elsewhere, nothing if quiet.

    The function takes the work in words, none where it has ended, and how much is done of how much, 0 where it is not
    known.
    """
    if quiet:
        yield lambda _line, _done, _total: None
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        words = TextColumn("{task.description}", markup=False)
        columns = (words, BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=None)
            yield lambda line, done, total: bar.update(
                task, description=printable_text(line), completed=done, total=total or None
            )
    else:
        with closing(ProgressLines()) as lines:
            yield lines.show


class ProgressLines:
    """Lines about long work: one every few seconds, also where the work reports nothing more for long."""

    def __init__(self) -> None:
        self.began = self.last = time.monotonic()
        self.before = 0
        self.line = ""
        """What was reported last and is not shown yet."""
        self.lock, self.ended = threading.Lock(), threading.Event()
        self.thread = threading.Thread(target=self._show_overdue, daemon=True, name="antecede-progress")
        self.thread.start()

    def show(self, line: str, done: int, total: int) -> None:
        with self.lock:
            now = time.monotonic()
            self.began, self.before = (now if done < self.before else self.began), done  # less is done of the next step
            self.line = line + describe_rest(done, total, now - self.began) if line else ""
            self._show_due()

    def close(self) -> None:
        self.ended.set()
        self.thread.join()

    def _show_due(self) -> None:
        if self.line and time.monotonic() - self.last >= EVERY_SECONDS:
            show_text(self.line, error=True)
            self.line, self.last = "", time.monotonic()

    def _show_overdue(self) -> None:
        while not self.ended.wait(SHORTEST_SECONDS):
            with self.lock:
                self._show_due()


def describe_rest(done: int, total: int, seconds: float) -> str:
    """The share that is done, and the time left at the same speed."""
    if not (done and total):
        return ""
    left = int(seconds * (total - done) / done)
    return f", {100 * done // total} %, {left // 60}:{left % 60:02d} left"


@contextmanager
def progress(what: str, *, quiet: bool, megabytes: bool = False) -> Iterator[Callable[[int, int], None] | None]:
    """Show the progress of work that reports how much is done of how much; None if quiet."""
    with show_line(quiet=quiet) as show:

        def report(done: int, total: int) -> None:
            amount = f"{done / 1e6:.0f} of {total / 1e6:.0f} MB" if megabytes else f"{done} of {total}"
            show(f"{what}: {amount}", done, total)

        yield None if quiet else report


@contextmanager
def show_build_progress(*, quiet: bool) -> Iterator[Callable[[BuildProgress], None]]:
    """Show the progress of a build, with its speed."""
    started = time.monotonic()

    def describe(at: BuildProgress) -> str:
        if at.step != "reading":
            return f"assembling: {at.step}"
        return f"reading: {at.documents} documents, {at.documents / max(time.monotonic() - started, 0.001):.0f}/s"

    with show_line(quiet=quiet) as show:
        yield lambda at: show(describe(at), at.done, at.total)


@contextmanager
def show_steps(*, quiet: bool) -> Iterator[StepCallbacks]:
    """Callbacks for the steps of an experiment and for the progress of one, on standard error; no output if quiet.

    Each line begins with the share of all steps that is done, as soon as their number is known. Progress names the
    step, and how much of it is done of how much, as far as either is known.
    """
    share = ""

    def log(event: StepEvent) -> None:
        nonlocal share
        share = f"{int(100 * event.share):3} %  " if event.share is not None else ""
        show("", 0, 0)  # the step that was reported has ended
        if not quiet:
            show_text(f"{share}{event.text}", error=True)

    with show_line(quiet=quiet) as show:
        yield log, lambda what, done, total: show(f"{share}{what}" + f": {done}" * (done > total), done, total)
