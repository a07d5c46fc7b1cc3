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
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError, UsageError, shown
from antecede.experiment.settings import to_json
from antecede.files import acquire_lock, cannot_write, clear_temporary, stamp_of, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor

    Depends = Mapping[str, Any]
    """What a step depends on: settings, and checksums of its inputs."""
    Make = Callable[[bool], "StepResult"]
    """Makes a step; it is passed whether the same step was interrupted before."""
    Check = Callable[[], bool]
    """Checks more of a step than that its outputs are those that were written."""

MADE, KEPT, RESUMED, PENDING = "made", "kept", "resumed", "to be made"
FIRST, UNFINISHED = "not made before", "begun before, but not finished"
MOST_CHANGES, LONGEST_VALUE = 3, 60
"""How many changes a reason lists, and how long a value may be to be shown."""
STAMPS, LOG, MARKER = "steps", "log.jsonl", "experiment.json"
FORMAT = {"format": "antecede experiment", "version": 2}
PREFIX = "sha256:"
SETTLED = 2_000_000_000
"""Nanoseconds after which the times of a file distinguish one content from the next on every file system."""
HAS_CHANGE_TIME = os.name == "posix"
"""Other systems keep no time of change that a user cannot set back: there every file is hashed every time."""


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


def _fail(error: OSError) -> None:
    """A folder that cannot be read is an error: without its files, changed inputs would be taken for unchanged."""
    raise error


def files_in(path: Path) -> list[tuple[str, Path]]:
    """A file, or all files in a folder, links followed, in the order of their names relative to it."""
    if not path.is_dir():
        return [(path.name, path)]
    files: list[Path] = []
    visited: set[tuple[int, int]] = set()
    for folder, inside, names in os.walk(path, onerror=_fail, followlinks=True):
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
        """Save new checksums, with a checksum of their own."""
        if self.changed:
            write_whole(self.path, json.dumps(sign({"files": self.known})).encode())
            self.changed = False

    def of_file(self, file: Path) -> str:
        """The checksum of a file."""
        try:
            facts = file.stat()
            name, stamp = str(file.absolute()), stamp_of(facts)
            known = self.known.get(name)
            if known is not None and known[:-1] == stamp:
                return str(known[-1])
            checksum = hash_file(file)
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror or error})", source=str(file)) from None
        if HAS_CHANGE_TIME and time.time_ns() - max(facts.st_mtime_ns, facts.st_ctime_ns) > SETTLED:
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
        raise UsageError(f"{folder}: is a file; name a folder with --out")
    if folder.is_dir() and any(folder.iterdir()) and not is_experiment(folder):
        raise UsageError(f"{folder}: is neither empty nor an experiment folder; name another folder with --out")


def is_experiment(folder: Path) -> bool:
    """Whether an experiment was begun in a folder."""
    marker = _read_json(folder / STAMPS / MARKER)
    return isinstance(marker, dict) and marker.get("format") == FORMAT["format"]


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Create the folder if necessary, and keep other processes from writing to it."""
    check_folder(folder)
    try:
        (folder / STAMPS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error, "cannot be created") from None
    if not is_experiment(folder):
        write_whole(folder / STAMPS / MARKER, json.dumps(FORMAT).encode())
    try:
        lock = os.open(folder / STAMPS / "lock", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise cannot_write(folder, error) from None
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
        """One line for the terminal."""
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
    """How much of it an earlier, interrupted step had done; empty if nothing."""


@dataclass(frozen=True)
class Stamp:
    """The record of a completed step."""

    step: str
    depends: Mapping[str, Any]
    outputs: Mapping[str, str]
    """File, relative to the folder of the experiment → checksum."""
    facts: Mapping[str, Any] = field(default_factory=dict)

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

    def run(self, name: str, depends: Depends, make: Make, is_intact: Check = lambda: True) -> Stamp | None:
        """Make a step unless it is up to date; None in a dry run if it would be made."""
        return self.begin(name, depends, make, is_intact, parallel=False)()

    def begin(
        self, name: str, depends: Depends, make: Make, is_intact: Check = lambda: True, *, parallel: bool = True
    ) -> Callable[[], Stamp | None]:
        """Begin a step in a process of the pool, for which `make` must be picklable; without a pool, make it.

        The function that is returned waits for the step and returns its stamp as `run` does.
        """
        pool = self.pool if parallel else None
        begun = time.monotonic()
        wanted = {**to_json(depends), "antecede": version("antecede")}
        stamp = self.read_stamp(name)
        why = self._find_reason(stamp, wanted, is_intact)
        if why is not None and self.dry:
            self.report(StepEvent(name, PENDING, why))
            return lambda: None
        if why is not None:
            end = self._make(name, wanted, why, make, pool)
            if pool is not None:
                return end
            stamp = end()
        elif stamp is not None:
            self.done[name] = stamp
            self.report(StepEvent(name, KEPT, seconds=time.monotonic() - begun))
            if not self.dry:
                self.digests.save()
        return lambda: stamp

    def _make(self, name: str, wanted: Depends, why: str, make: Make, pool: Executor | None) -> Callable[[], Stamp]:
        """Begin to make a step. Until it is made, a marker keeps its dependencies, in case it is interrupted."""
        marker = self._stamp_path(name).with_suffix(".begun")
        interrupted = _read_json(marker) == wanted
        if interrupted:
            why = UNFINISHED if why == FIRST else f"{why}; {UNFINISHED}"
        write_whole(marker, json.dumps(wanted).encode())
        making = pool.submit(_measure, make, interrupted) if pool is not None else None

        def end() -> Stamp:
            result, seconds = making.result() if making is not None else _measure(make, interrupted)
            outputs = {path.relative_to(self.folder).as_posix(): self.digests.of_file(path) for path in result.outputs}
            stamp = Stamp(name, wanted, outputs, to_json(result.facts))
            write_whole(self._stamp_path(name), json.dumps(sign(asdict(stamp)), ensure_ascii=False).encode())
            marker.unlink(missing_ok=True)
            self.digests.save()
            self.done[name] = stamp
            reasons = "; ".join(filter(None, (result.resumed, why)))
            self.report(StepEvent(name, RESUMED if result.resumed else MADE, reasons, seconds))
            return stamp

        return end

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
        if stamp is None or stamp.get("step") != name:
            return None
        try:
            return Stamp(**stamp)
        except TypeError:  # of another version
            return None

    def _find_reason(self, old: Stamp | None, wanted: Depends, is_intact: Check) -> str | None:
        """Why a step must be made; None if it is up to date."""
        if old is None:
            return FIRST
        if changes := _list_changes(old.depends, wanted):
            more = f"; and {len(changes) - MOST_CHANGES} more" if len(changes) > MOST_CHANGES else ""
            return "; ".join(changes[:MOST_CHANGES]) + more
        for name, known in old.outputs.items():
            file = self.folder / name
            if not file.is_file():
                return f"{name} is missing"
            if self.digests.of_file(file) != known:
                return f"{name} was modified"
        return None if is_intact() else "its output is damaged"


def _measure(make: Make, interrupted: bool) -> tuple[StepResult, float]:
    """The result of a step, and the seconds that it took."""
    begun = time.monotonic()
    result = make(interrupted)
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
        long = max(map(len, values)) > LONGEST_VALUE
        changes.append(f"{name} changed" if hashed or long else f"{name}: {' → '.join(map(shown, values))}")
    return changes
