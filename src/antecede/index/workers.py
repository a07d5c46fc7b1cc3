"""The processes that make chunks: this one, and as many more as cores are to be used.

A worker is started as a program, not forked: it is safe with threads and in notebooks, and a script that builds an
index needs no `if __name__ == "__main__"` guard.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Self

from antecede.corpus.document import RawDocument
from antecede.errors import AntecedeError, UsageError
from antecede.index.chunk import ChunkMaker, describe_items
from antecede.index.worker import receive, send

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from types import TracebackType

    from antecede.index.chunk import Items, Settings

Facts = dict[str, Any]
"""The counts and languages of a chunk."""
Request = tuple[dict[str, Any], list[bytes]]
FAILURES = (AntecedeError, OSError, MemoryError, ValueError)
"""Errors that may occur in a worker, or in the communication with it."""
PIPE = 1 << 20
"""The capacity of a pipe: sixteen times the default, so that two processes wait less for each other."""

START = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from antecede.index.worker import main
main()
"""


class Worker:
    """A process that makes chunks, one at a time."""

    def __init__(self, settings: Settings) -> None:
        words = [sys.executable, "-P", "-c", START, json.dumps(sys.path)]
        self.process = subprocess.Popen(  # noqa: S603
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pipesize=PIPE
        )
        self.settings = settings

    def wait(self) -> None:
        """Wait until the process is ready."""
        self.send_request(self.settings.to_dict(), ())
        self.receive_answer()

    def send_request(self, head: dict[str, Any], data: Sequence[bytes]) -> None:
        """Send a request. A long one blocks until the worker has finished the previous one."""
        if self.process.stdin is None:
            raise RuntimeError("the worker has no pipe")
        try:
            send(self.process.stdin, head, data)
        except BrokenPipeError:
            raise self.describe_exit() from None

    def receive_answer(self) -> dict[str, Any]:
        """The answer to the oldest pending request."""
        if self.process.stdout is None:
            raise RuntimeError("the worker has no pipe")
        if (found := receive(self.process.stdout)) is None:
            raise self.describe_exit()
        return found[0]

    def facts(self) -> Facts:
        """The facts of the oldest requested chunk; an error of the worker is raised here."""
        answer = self.receive_answer()
        if "errno" in answer:
            raise OSError(answer["errno"], answer["error"])
        if "memory" in answer:
            raise MemoryError
        if "refused" in answer:
            raise UsageError(answer["refused"])
        facts: Facts = answer["facts"]
        return facts

    def describe_exit(self) -> UsageError:
        """The error for a worker that exited without an answer."""
        code = self.process.wait()
        how = f"was killed (signal {-code}), perhaps for lack of memory" if code < 0 else f"failed (exit code {code})"
        return UsageError(f"a worker process {how}; --resume continues the build, with fewer --workers if necessary")

    def stop(self) -> None:
        """Kill the process and close its pipes."""
        self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue
        self.process.wait()


@dataclass(frozen=True)
class Task:
    """A chunk to make, in this process or by a worker that receives the request."""

    run: Callable[[], Facts]
    request: Callable[[], Request]
    result: Future[Facts] = field(default_factory=Future)


class Workers:
    """Makes chunks on several cores, in this process and in others."""

    def __init__(self, count: int, settings: Settings) -> None:
        self.count, self.settings = count, settings
        self.maker = ChunkMaker(settings)
        self.waiting: SimpleQueue[Task | None] = SimpleQueue()
        self.others: list[Worker] = []
        self.threads: list[threading.Thread] = []

    def start(self) -> None:
        """Start the other processes."""
        self.others = [Worker(self.settings) for _ in range(self.count - 1)]
        for each in self.others:
            thread = threading.Thread(target=self.serve, args=(each,), daemon=True)
            try:
                thread.start()
            except RuntimeError:  # no memory for its stack
                raise MemoryError from None
            self.threads.append(thread)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for _ in self.others:
            self.waiting.put(None)
        for worker in self.others:
            worker.process.kill()
        for thread in self.threads:
            thread.join()
        for worker in self.others:
            worker.stop()

    def make(self, items: Items, path: Path) -> Future[Facts]:
        """Make a chunk from raw documents."""

        def request() -> Request:
            data = [item.data for item in items if isinstance(item, RawDocument)]
            return {"path": str(path), "items": describe_items(items)}, data

        return self.submit(Task(lambda: self.maker.make(items, path), request))

    def remake(self, patents: Sequence[Sequence[bytes]], path: Path) -> Future[Facts]:
        """Make a chunk from patents, each given as its packed documents."""

        def request() -> Request:
            lengths = [[len(each) for each in patent] for patent in patents]
            return {"path": str(path), "patents": lengths}, [each for patent in patents for each in patent]

        return self.submit(Task(lambda: self.maker.remake(patents, path), request))

    def submit(self, task: Task) -> Future[Facts]:
        """Queue a task for the other processes if fewer tasks are waiting than there are processes; else run it here.

        The processes are started with the second task: a small collection is read faster than they start.
        """
        if self.waiting.qsize() == 1 and not self.others:
            self.start()
        if self.waiting.qsize() < self.count - 1:
            self.waiting.put(task)
        else:
            task.result.set_result(task.run())
        return task.result

    def run_waiting(self) -> None:
        """Run the waiting tasks in this process, once there is nothing else to do."""
        with suppress(Empty):
            while (task := self.waiting.get_nowait()) is not None:
                task.result.set_result(task.run())

    def serve(self, worker: Worker) -> None:
        """Send tasks to another process once it is ready; runs in a thread of its own.

        The next task is sent while the process still works, so that it need not wait; a second thread collects answers.
        """
        with suppress(AntecedeError):  # the next task will report it
            worker.wait()
        sent: SimpleQueue[Task | None] = SimpleQueue()
        collector = threading.Thread(target=self.collect_answers, args=(worker, sent), daemon=True)
        collector.start()
        while (task := self.waiting.get()) is not None:
            try:
                worker.send_request(*task.request())
            except FAILURES as error:
                task.result.set_exception(error)
            else:
                sent.put(task)
        sent.put(None)
        collector.join()

    def collect_answers(self, worker: Worker, sent: SimpleQueue[Task | None]) -> None:
        """Collect the answers of another process."""
        while (task := sent.get()) is not None:
            try:
                task.result.set_result(worker.facts())
            except FAILURES as error:
                task.result.set_exception(error)
