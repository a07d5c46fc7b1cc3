"""The output of a running experiment: a line for each step, and the progress of long steps."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from antecede.cli.output import EVERY_SECONDS, clear_line, show_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from antecede.experiment.cache import StepEvent
    from antecede.experiment.settings import Settings
    from antecede.tables import Table

    StepCallbacks = tuple[Callable[[StepEvent], None], Callable[[str, int, int], None]]


@contextmanager
def show_steps(*, quiet: bool) -> Iterator[StepCallbacks]:
    """Callbacks for the log and for progress, both on standard error; no output if quiet.

    Each line begins with the share of all steps that is done, as soon as their number is known.
    """
    if quiet:
        yield (lambda _: None), (lambda _what, _done, _total: None)
        return
    terminal = sys.stderr.isatty()
    last, share = time.monotonic(), ""

    def log(event: StepEvent) -> None:
        nonlocal share
        share = f"{int(100 * event.share):3} %  " if event.share is not None else ""
        clear_line(terminal)
        show_text(f"{share}{event.text}", error=True)

    def report(what: str, done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last < (0.2 if terminal else EVERY_SECONDS):
            return
        last = time.monotonic()
        far = f"{100 * done // total} %" if total else f"{done}"
        clear_line(terminal)
        show_text(f"{share}{what}: {far}", error=True, end="" if terminal else "\n")

    yield log, report


def plan_tables(settings: Settings, events: Sequence[StepEvent]) -> list[Table]:
    """The plan of an experiment: its runs, and its steps as far as they are known."""
    from antecede.tables import Table

    runs = tuple(
        (
            each.name,
            "+".join(each.settings.method),
            each.settings.model,
            str(each.terms_by_language or each.settings.terms or "default"),
            ",".join(each.settings.fields),
        )
        for each in settings.searches
    )
    given = tuple((each.name, "given", "", "", "") for each in settings.runs)
    steps = tuple((each.step, each.state, each.why) for each in events)
    note = "The states of steps that depend on a step still to be made are not known yet."
    return [
        Table(("run", "method", "model", "terms", "fields"), runs + given, title=settings.title),
        Table(("step", "state", "why"), steps, title=f"Steps in {settings.out}", notes=(note,)),
    ]
