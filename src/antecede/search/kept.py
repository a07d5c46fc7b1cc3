"""Answers kept while a batch runs: a line of JSON each, so that a batch that was stopped can go on."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

from antecede.errors import UsageError
from antecede.search.plan import Answer

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import IO, Self


class Kept:
    """The answers of a batch so far, in a file. Its first line says what they depend on."""

    def __init__(self, path: Path, fingerprint: str, *, resume: bool) -> None:
        """Take over the answers that are there, if `resume` is wanted and they are of the same batch."""
        self.path, self.fingerprint = path, fingerprint
        self.known = dict(self.read()) if resume else {}
        self.used = 0
        self.lock = threading.Lock()
        self.file: IO[str] | None = None

    def read(self) -> list[tuple[str, Answer]]:
        """The answers in the file; a line that was cut off is left out, another batch's file is not looked at."""
        try:
            lines = self.path.read_text("utf-8", errors="replace").splitlines()
        except OSError:
            return []
        if not lines or lines[0] != self.fingerprint:
            return []
        found = []
        for line in lines[1:]:
            try:
                mark, whole = json.loads(line)
                found.append((mark, Answer.from_dict(whole)))
            except (ValueError, TypeError, KeyError):
                continue
        return found

    def __enter__(self) -> Self:
        try:
            # What is known stays where it is; a line break ends a last line that was cut off.
            self.file = self.path.open("a" if self.known else "w", encoding="utf-8")
            self.file.write("\n" if self.known else f"{self.fingerprint}\n")
            self.file.flush()
        except OSError as error:
            raise UsageError(f"{self.path}: cannot be written ({error.strerror}); choose another place") from None
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.file is not None:
            self.file.close()

    def answer(self, mark: str) -> Answer | None:
        """The answer to a topic, if an earlier batch had it."""
        found = self.known.get(mark)
        if found is not None:
            with self.lock:
                self.used += 1
        return found

    def put(self, mark: str, answer: Answer) -> Answer:
        """Write an answer down."""
        with self.lock:
            if self.file is not None:
                self.file.write(json.dumps([mark, answer.to_dict()]) + "\n")
                self.file.flush()
        return answer

    def remove(self) -> None:
        """The batch is done: nothing is left to go on with."""
        self.path.unlink(missing_ok=True)
