"""The answers of a running batch on disk, so that an interrupted batch can be resumed: `FILE.run.partial`.

    antecede unfinished run 4 <fingerprint>
    <checksum> ["<digest of the topic>", {the answer}]
    …

The fingerprint covers everything that answers depend on besides the topic. The checksum covers the fingerprint and the
line, so a line that is damaged, truncated or copied from another file is ignored, and its topic is searched again.
"""

from __future__ import annotations

import hashlib
import json
import threading
from typing import TYPE_CHECKING

from antecede.errors import UsageError
from antecede.files import cannot_write, mode_of, refuse_special
from antecede.search.answers import Answer

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import IO, Self

MAGIC = b"antecede unfinished run "
VERSION = 4


class AnswerCache:
    """The answers of a batch so far, in a file."""

    def __init__(self, path: Path, fingerprint: str, *, resume: bool) -> None:
        """Load the existing answers if `resume` is set and they are of the same batch.

        A file that is not an unfinished run is refused: it belongs to the user.
        """
        self.path = path
        self.header = MAGIC + f"{VERSION} {fingerprint}\n".encode()
        data = self.read()
        self.is_cut_off = not data.endswith(b"\n")
        self.known = self.answers(data) if resume else {}
        self.used = 0
        self.lock = threading.Lock()
        self.file: IO[bytes] | None = None

    def read(self) -> bytes:
        """The content of the file; empty where there is none."""
        try:
            mode = mode_of(self.path)
            refuse_special(self.path, mode)
            data = self.path.read_bytes() if mode is not None else b""
        except OSError as error:
            raise cannot_write(self.path, error) from None
        if data and not data.startswith(MAGIC):
            what = "is not an unfinished run of antecede, or a damaged one"
            raise UsageError(f"{self.path}: {what}; remove it, or write the run to another file")
        return data

    def answers(self, data: bytes) -> dict[str, Answer]:
        """The valid answers, by the digest of their topic."""
        if not data.startswith(self.header):
            return {}
        found: dict[str, Answer] = {}
        for line in data[len(self.header) :].split(b"\n")[:-1]:
            checksum, _, whole = line.partition(b" ")
            if checksum == self.checksum(whole):
                topic_digest, answer = json.loads(whole)
                found[topic_digest] = Answer.from_dict(answer)
        return found

    def checksum(self, line: bytes) -> bytes:
        """The checksum that a line of this batch starts with."""
        return hashlib.sha256(self.header + line).hexdigest()[:32].encode()

    def __enter__(self) -> Self:
        try:
            self.file = self.path.open("ab" if self.known else "wb")
            if not self.known:
                self.file.write(self.header)
            elif self.is_cut_off:
                self.file.write(b"\n")
            self.file.flush()
        except OSError as error:
            raise cannot_write(self.path, error) from None
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.file is not None:
            self.file.close()

    def answer(self, topic_digest: str) -> Answer | None:
        """The answer to a topic, if the interrupted batch had it."""
        found = self.known.get(topic_digest)
        if found is not None:
            with self.lock:
                self.used += 1
        return found

    def put(self, topic_digest: str, answer: Answer) -> None:
        """Append an answer to the file."""
        line = json.dumps([topic_digest, answer.to_dict()]).encode()
        with self.lock:
            if self.file is not None:
                try:
                    self.file.write(self.checksum(line) + b" " + line + b"\n")
                    self.file.flush()
                except OSError as error:
                    raise cannot_write(self.path, error) from None

    def remove(self) -> None:
        """Remove the file, once the batch is complete."""
        self.path.unlink(missing_ok=True)
