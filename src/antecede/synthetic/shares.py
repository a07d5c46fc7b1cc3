"""The writing of a collection, shared out: a few patents at a time, in this process or in several."""

from __future__ import annotations

import gc
import signal
from collections import Counter, deque
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import TYPE_CHECKING, NamedTuple

from antecede.errors import AntecedeError
from antecede.synthetic.composition import compose
from antecede.synthetic.draws import Draws
from antecede.synthetic.forms import FORMS, Written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from antecede.synthetic.document import SyntheticPatent
    from antecede.synthetic.plan import Plan

AT_ONCE = 256
"""Patents in a share. It decides where the frames of a packed file end, so a change of it changes bytes."""
AHEAD = 4
"""Shares given out for each worker before the first is taken back: what bounds memory."""
GRADES = {"X": 3, "Y": 2, "A": 1}


class Task(NamedTuple):
    """What all shares need to know."""

    plan: Plan
    folder: Path
    form: str
    lengths: tuple[int, ...]


class Topic(NamedTuple):
    """A topic, where it is, and what is relevant to it."""

    topic_id: str
    language: str
    path: str
    priority: int
    relevant: list[tuple[str, int]]


class Share(NamedTuple):
    """What became of a share."""

    written: Written
    languages: Counter[str]
    topics: list[Topic]


def shares(task: Task, workers: int) -> Iterator[Share]:
    """Write all patents, topics last; shares come back in order, whoever wrote them."""
    rows = [
        (first, min(first + AT_ONCE, last))
        for start, last in ((0, task.plan.patents), (task.plan.patents, task.plan.patents + task.plan.topics))
        for first in range(start, last, AT_ONCE)
    ]
    if workers == 1:
        with without_collecting():
            yield from (write_share(task, *each) for each in rows)
        return
    pending: deque[Future[Share]] = deque()
    with ProcessPoolExecutor(workers, get_context("spawn"), set_up, (task,)) as pool:
        try:
            for each in rows:
                pending.append(pool.submit(write_own_share, *each))
                if len(pending) >= workers * AHEAD:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        except BrokenExecutor:
            raise AntecedeError("a worker was ended from outside; try again, with fewer --workers") from None
        finally:
            for future in pending:
                future.cancel()


def write_share(task: Task, first: int, last: int) -> Share:
    """Write the patents of some rows of the plan; all of them topics, or none."""
    form, plan, draws = FORMS[task.form], task.plan, Draws(task.plan.seed)
    languages: Counter[str] = Counter()
    topics: list[Topic] = []

    def patents() -> Iterator[SyntheticPatent]:
        for row in range(first, last):
            patent = compose(plan, row, draws.stream(row), task.lengths)
            languages[patent.language] += 1
            if row >= plan.patents:
                topics.append(topic(patent, form.path(patent)))
            yield patent

    folder = task.folder / ("topics" if first >= plan.patents else "collection")
    return Share(form.write(folder, patents()), languages, topics)


def topic(patent: SyntheticPatent, path: str) -> Topic:
    """A patent as a topic: what it cites in the collection is relevant, by its category."""
    relevant = [(each.doc_id, GRADES[each.category[0]]) for each in patent.citations if each.row >= 0]
    return Topic(patent.doc_id, patent.language, f"topics/{path}", patent.priority, sorted(relevant))


@contextmanager
def without_collecting() -> Iterator[None]:
    """Without the garbage collector, which would look through all word lists again and again and find nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


_task: list[Task] = []
"""In a worker: its task."""


def set_up(task: Task) -> None:
    """Begin as a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who asked for the work is told, and ends it
    _task[:] = [task]
    gc.disable()


def write_own_share(first: int, last: int) -> Share:
    return write_share(_task[0], first, last)
