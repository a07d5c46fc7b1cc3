"""Steps that are made once: each leaves a stamp of its inputs, settings, our version and its outputs.

A step is kept while these hold: by content, not by date. The folder belongs to one experiment, and one process writes
to it.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError, UsageError, printable, spell
from antecede.experiment.settings import to_json
from antecede.files import acquire_lock, cannot_write, clear_temporary, stamp_of, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor

    Depends = Mapping[str, Any]
    """What a step depends on: settings, and checksums of its inputs."""
    Make = Callable[[], "StepResult"]

MADE, KEPT, RESUMED, PENDING = "made", "kept", "resumed", "to be made"
MAX_LISTED_CHANGES, MAX_SHOWN_LENGTH = 3, 60
"""How many changes a reason lists, and how long a value may be to be shown."""
STAMPS, LOG, MARKER = "steps", "log.jsonl", "experiment.json"
PREFIX = "sha256:"
SETTLED = 2_000_000_000
"""Nanoseconds after which the times of a file distinguish one content from the next on every file system."""


# Checksums


def digest(data: Any) -> str:
    """The checksum of JSON-compatible data."""
    return PREFIX + hashlib.sha256(json.dumps(data, sort_keys=True, default=str).encode()).hexdigest()


def hash_file(file: Path) -> str:
    """The checksum of the contents of a file."""
    with file.open("rb") as stream:
        return PREFIX + hashlib.file_digest(stream, "sha256").hexdigest()


def sign(data: Mapping[str, Any]) -> dict[str, Any]:
    """JSON-compatible data with its checksum."""
    return {**data, "sha256": digest(data)}


def verify_signed(data: Any) -> dict[str, Any] | None:
    """Data without its checksum; None if they do not match."""
    if not isinstance(data, dict):
        return None
    unsigned = {name: value for name, value in data.items() if name != "sha256"}
    return unsigned if data.get("sha256") == digest(unsigned) else None


def files_in(path: Path) -> list[tuple[str, Path]]:
    """A file, or all files in a folder, links followed, in the order of their names relative to it."""
    if not path.is_dir():
        return [(path.name, path)]

    def fail(error: OSError) -> None:  # without the files of this folder, changed inputs would be taken for unchanged
        raise error

    files: list[Path] = []
    visited: set[tuple[int, int]] = set()
    for folder, inside, names in os.walk(path, onerror=fail, followlinks=True):
        facts = Path(folder).stat()
        if (facts.st_dev, facts.st_ino) in visited:  # several links to one folder, or a cycle
            inside.clear()
            continue
        visited.add((facts.st_dev, facts.st_ino))
        inside.sort()
        files += [Path(folder, name) for name in names]
    return sorted((file.relative_to(path).as_posix(), file) for file in files if file.is_file())


class Digests:
    """Checksums of files, each remembered with the size, times and inode of the file, so that it is read only once.

    Any change to a file changes the time of its inode, even if the modification time is set back.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[str, list[Any]] = (verify_signed(_read_json(path)) or {}).get("files", {})
        self.changed = False

    def save(self) -> None:
        if self.changed:
            write_whole(self.path, json.dumps(sign({"files": self.known})).encode())

    def of_file(self, file: Path) -> str:
        try:
            facts = file.stat()
            name, stamp = str(file.absolute()), stamp_of(facts)
            known = self.known.get(name)
            if known is not None and known[:-1] == stamp:
                return str(known[-1])
            checksum = hash_file(file)
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror or error})", source=str(file)) from None
        # Only POSIX systems keep a time of change that a user cannot set back: elsewhere every file is hashed again.
        if os.name == "posix" and time.time_ns() - max(facts.st_mtime_ns, facts.st_ctime_ns) > SETTLED:
            self.known[name] = [*stamp, checksum]
            self.changed = True
        return checksum

    def of_existing(self, file: Path) -> str | None:
        """The checksum of a file; None if there is none."""
        return self.of_file(file) if file.exists() else None

    def of_paths(self, paths: Iterable[Path]) -> str:
        """One checksum of files and of all files in folders, including their names."""
        return digest([[name, self.of_file(file)] for path in paths for name, file in files_in(path)])


# The folder


def check_folder(folder: Path) -> None:
    """Refuse a folder with other contents than an experiment."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file; name a folder with {spell('out')}")
    if folder.is_dir() and any(folder.iterdir()) and not is_experiment(folder):
        raise UsageError(
            f"{folder}: is neither empty nor an experiment folder; name another folder with {spell('out')}"
        )


def is_experiment(folder: Path) -> bool:
    """Whether an experiment was begun in a folder."""
    return (folder / STAMPS / MARKER).is_file()


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Create the folder if necessary, and keep other processes from writing to it."""
    check_folder(folder)
    try:
        (folder / STAMPS).mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / STAMPS / MARKER, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise cannot_write(folder, error, "cannot be created") from None
    try:
        if not acquire_lock(lock):
            raise UsageError(f"{folder}: another process is running this experiment; wait until it has finished")
        # Temporary files of killed processes, in all folders that an experiment writes single files to.
        parts = [part for part in (folder / "parts").glob("*") if not part.is_symlink()]
        inside = [part / name for part in parts for name in ("runs", "queries", "tables", "figures", "studies")]
        clear_temporary(folder, *(folder / name for name in (STAMPS, "topics", "tables")), *parts, *inside)
        yield
    finally:
        os.close(lock)


# Steps


@dataclass(frozen=True)
class StepEvent:
    """What happened to a step."""

    step: str
    state: str
    why: str = ""
    seconds: float = 0.0
    share: float | None = None
    """The share of all steps that is done; None as long as their number is not known."""

    @property
    def text(self) -> str:
        why = f"  ({self.why})" if self.why else ""
        return f"{self.state:<8} {self.step:<28} {self.seconds:8.2f} s{why}"

    def to_dict(self) -> dict[str, Any]:
        """The event in the log and in the record."""
        return {"step": self.step, "state": self.state, "why": self.why, "seconds": round(self.seconds, 3)}


@dataclass(frozen=True)
class StepResult:
    """The files that a step wrote, and facts about them."""

    outputs: Sequence[Path] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    resumed: str = ""
    """How much of it an interrupted step had done; empty if nothing."""


@dataclass(frozen=True)
class Stamp:
    """The record of a completed step; in a dry run, also stands for a step that would be made."""

    step: str
    depends: Mapping[str, Any]
    outputs: Mapping[str, str]
    """File, relative to the folder of the experiment → checksum."""
    facts: Mapping[str, Any]
    pending: bool = False

    @property
    def digest(self) -> str:
        """The checksum of the outputs."""
        return digest(dict(self.outputs))


class PendingStep(Exception):  # noqa: N818 - not an error: it ends a dry run
    """The next steps of a dry run depend on a step that has not been made."""


class StepRunner:
    """Makes the steps of one experiment in its folder, or keeps them."""

    def __init__(
        self,
        folder: Path,
        log: Callable[[StepEvent], None] = lambda _: None,
        progress: Callable[[str, int, int], None] = lambda _what, _done, _total: None,
        *,
        threads: int | None = None,
        pool: Executor | None = None,
        dry: bool = False,
    ) -> None:
        """In a dry run nothing is made: the events tell what would be."""
        self.folder, self.log, self.progress = folder, log, progress
        self.threads, self.pool, self.dry = threads, pool, dry
        self.total: int | None = None
        """The number of steps of the experiment; None until it is known."""
        self.digests = Digests(folder / STAMPS / "digests.json")
        self.done: dict[str, Stamp] = {}
        self.events: list[StepEvent] = []

    def count(self, what: str) -> Callable[[int, int], None]:
        """A function that reports the progress of a step: how much is done, of how much."""
        return lambda done, total: self.progress(what, done, total)

    def run(self, name: str, depends: Depends, make: Make) -> Stamp:
        """Make a step unless it is up to date."""
        begun = time.monotonic()
        depends_now = _complete(depends)
        old = self.read_stamp(name)
        why = self._find_reason(old, depends_now)
        if old is not None and not why:
            self.done[name] = old
            self.report(StepEvent(name, KEPT, seconds=time.monotonic() - begun))
            return old
        if self.dry:
            self.report(StepEvent(name, PENDING, why))
            return Stamp(name, depends_now, {}, {}, pending=True)
        self.progress(name, 0, 0)
        return self._finish(name, depends_now, why, *_measure(make))

    def begin(self, name: str, depends: Depends, make: Make) -> Callable[[], Stamp]:
        """Begin a step in a process of the pool, for which `make` must be picklable.

        The function that is returned waits for the step; without a pool, or if it is up to date, it runs the step.
        """
        depends_now = _complete(depends)
        why = self._find_reason(self.read_stamp(name), depends_now) if self.pool is not None else ""
        if self.pool is None or not why:
            return partial(self.run, name, depends, make)
        making = self.pool.submit(_measure, make)

        def end() -> Stamp:
            if not making.done():
                self.progress(name, 0, 0)
            return self._finish(name, depends_now, why, *making.result())

        return end

    def _finish(self, name: str, depends_now: Depends, why: str, result: StepResult, seconds: float) -> Stamp:
        outputs = {path.relative_to(self.folder).as_posix(): self.digests.of_file(path) for path in result.outputs}
        stamp = {"step": name, "depends": depends_now, "outputs": outputs, "facts": to_json(result.facts)}
        write_whole(self._stamp_path(name), json.dumps(sign(stamp), ensure_ascii=False).encode())
        reasons = "; ".join(filter(None, (result.resumed, why)))
        self.report(StepEvent(name, RESUMED if result.resumed else MADE, reasons, seconds))
        self.done[name] = Stamp(**stamp)
        return self.done[name]

    def report(self, event: StepEvent) -> None:
        """Log an event."""
        if self.total:
            event = replace(event, share=(len(self.events) + 1) / self.total)
        self.events.append(event)
        if not self.dry:
            self.write_line(event.to_dict())
        self.log(event)

    def write_line(self, line: Mapping[str, Any]) -> None:
        """Append a line to the log."""
        stamped = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), **line}
        with (self.folder / LOG).open("a", encoding="utf-8") as out:
            out.write(json.dumps(stamped, ensure_ascii=False) + "\n")

    def _stamp_path(self, name: str) -> Path:
        return self.folder / STAMPS / f"{name.replace('/', '~').replace(' ', '-')}.json"

    def read_stamp(self, name: str) -> Stamp | None:
        """The stamp of a step that was completed; None if it is damaged, or that of another step."""
        stamp = verify_signed(_read_json(self._stamp_path(name)))
        return Stamp(**stamp) if stamp is not None and stamp.get("step") == name else None

    def _find_reason(self, old: Stamp | None, depends_now: Depends) -> str:
        """Why a step must be made; empty if it is up to date."""
        if old is None:
            return "not made before"
        if changes := _list_changes(old.depends, depends_now):
            more = f"; and {len(changes) - MAX_LISTED_CHANGES} more" if len(changes) > MAX_LISTED_CHANGES else ""
            return "; ".join(changes[:MAX_LISTED_CHANGES]) + more
        for name, known in old.outputs.items():
            file = self.folder / name
            if not file.is_file():
                return f"{name} is missing"
            if self.digests.of_file(file) != known:
                return f"{name} was modified"
        return ""


def _complete(depends: Depends) -> Depends:
    return {**to_json(depends), "antecede": version("antecede")}


def _measure(make: Make) -> tuple[StepResult, float]:
    begun = time.monotonic()
    result = make()
    return result, time.monotonic() - begun


def _read_json(file: Path) -> Any:
    """The contents of a JSON file; None if it cannot be read."""
    try:
        return json.loads(file.read_bytes())
    except (OSError, ValueError):
        return None


def _list_changes(old: Depends, new: Depends, prefix: str = "") -> list[str]:
    """The differences between two sets of dependencies, in words; values are shown if they are short."""
    changes: list[str] = []
    for key in {**old, **new}:
        name, before, after = f"{prefix}{key}", old.get(key), new.get(key)
        if before == after:
            continue
        if isinstance(before, dict) and isinstance(after, dict):
            changes += _list_changes(before, after, f"{name}.")
            continue
        hashed = any(isinstance(value, str) and value.startswith(PREFIX) for value in (before, after))
        values = [json.dumps(value, ensure_ascii=False) for value in (before, after)]
        long = max(map(len, values)) > MAX_SHOWN_LENGTH
        changes.append(f"{name} changed" if hashed or long else f"{name}: {' → '.join(map(printable, values))}")
    return changes
