"""Steps that are made once: each leaves a stamp of its dependencies and outputs, and is kept while they hold."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from antecede.errors import shown
from antecede.experiment.digests import PREFIX, Digests, digest, without_digest
from antecede.experiment.settings import to_json
from antecede.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Executor
    from pathlib import Path

MADE, KEPT, RESUMED, PENDING = "made", "kept", "resumed", "to be made"
FIRST, UNFINISHED = "not made before", "begun before, but not finished"
MOST_CHANGES, LONGEST_VALUE = 3, 60
"""How many changes a reason lists, and how long a value may be to be shown."""
STAMPS, LOG = "steps", "log.jsonl"


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
    seconds: float = 0.0
    when: str = ""

    @property
    def digest(self) -> str:
        """The checksum of the outputs."""
        return digest(dict(self.outputs))


class PendingStep(Exception):  # noqa: N818 - not an error: it ends a dry run
    """The next steps of a dry run depend on a step that has not been made."""


class StepRunner:
    """Makes the steps of one experiment in its folder, or keeps them."""

    def __init__(self, folder: Path, log: Callable[[StepEvent], None], *, dry: bool = False) -> None:
        """In a dry run nothing is made: the events tell what would be."""
        self.folder, self.log, self.dry = folder, log, dry
        self.total: int | None = None
        """The number of steps of the experiment; None until it is known."""
        self.digests = Digests(folder / STAMPS / "digests.json")
        self.done: dict[str, Stamp] = {}
        self.events: list[StepEvent] = []

    def run(
        self,
        name: str,
        depends: Mapping[str, Any],
        make: Callable[[bool], StepResult],
        *,
        is_intact: Callable[[], bool] = lambda: True,
    ) -> Stamp | None:
        """Make a step unless it is up to date; None in a dry run if it would be made.

        `make` is passed whether the same step was interrupted before; `is_intact` checks more than the outputs.
        """
        return self.begin(name, depends, make, is_intact=is_intact)()

    def begin(
        self,
        name: str,
        depends: Mapping[str, Any],
        make: Callable[[bool], StepResult],
        *,
        is_intact: Callable[[], bool] = lambda: True,
        pool: Executor | None = None,
    ) -> Callable[[], Stamp | None]:
        """Begin a step in a process of the pool, for which `make` must be picklable; without a pool, make it.

        The function that is returned waits for the step and returns its stamp as `run` does.
        """
        begun = time.monotonic()
        wanted = {**to_json(depends), "antecede": version("antecede")}
        old = self.read_stamp(name)
        why = self.find_reason(old, wanted, is_intact)
        if self.dry and why is not None:
            self.report(StepEvent(name, PENDING, why))
            return lambda: None
        if why is not None or old is None:
            end = self.begin_making(name, wanted, why or FIRST, make, pool)
            if pool is not None:
                return end
            old = end()
        else:
            self.done[name] = old
            self.report(StepEvent(name, KEPT, seconds=time.monotonic() - begun))
            if not self.dry:
                self.digests.save()
        return lambda: old

    def begin_making(
        self,
        name: str,
        wanted: Mapping[str, Any],
        why: str,
        make: Callable[[bool], StepResult],
        pool: Executor | None,
    ) -> Callable[[], Stamp]:
        """Begin to make a step. Until it is made, a marker keeps its dependencies, in case it is interrupted."""
        marker = self.stamp_path(name).with_suffix(".begun")
        interrupted = read_json(marker) == wanted
        if interrupted:
            why = UNFINISHED if why == FIRST else f"{why}; {UNFINISHED}"
        write_whole(marker, json.dumps(wanted).encode())
        making = pool.submit(_measure, make, interrupted) if pool is not None else None

        def end() -> Stamp:
            result, seconds = making.result() if making is not None else _measure(make, interrupted)
            stamp = Stamp(
                name,
                wanted,
                {each.relative_to(self.folder).as_posix(): self.digests.of_file(each) for each in result.outputs},
                to_json(result.facts),
                round(seconds, 3),
                datetime.now(UTC).isoformat(timespec="seconds"),
            )
            data = asdict(stamp)
            write_whole(
                self.stamp_path(name), json.dumps({"sha256": digest(data), **data}, ensure_ascii=False).encode()
            )
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
            facts = {"step": event.step, "state": event.state, "why": event.why, "seconds": round(event.seconds, 3)}
            self.write_line(facts)
        self.log(event)

    def write_line(self, line: Mapping[str, Any]) -> None:
        """Append a line to the log."""
        stamped = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), **line}
        with (self.folder / LOG).open("a", encoding="utf-8") as out:
            out.write(json.dumps(stamped, ensure_ascii=False) + "\n")

    def stamp_path(self, name: str) -> Path:
        """The file of the stamp of a step."""
        return self.folder / STAMPS / f"{name.replace('/', '~').replace(' ', '-')}.json"

    def read_stamp(self, name: str) -> Stamp | None:
        """The stamp of a step that was completed; None if it is damaged, or that of another step."""
        found = read_json(self.stamp_path(name))
        if not isinstance(found, dict) or found.get("step") != name:
            return None
        if found.get("sha256") != digest(without_digest(found)):
            return None
        try:
            return Stamp(**without_digest(found))
        except TypeError:  # of another version
            return None

    def find_reason(self, old: Stamp | None, wanted: Mapping[str, Any], is_intact: Callable[[], bool]) -> str | None:
        """Why a step must be made; None if it is up to date."""
        if old is None:
            return FIRST
        if changes := list_changes(old.depends, wanted):
            more = f"; and {len(changes) - MOST_CHANGES} more" if len(changes) > MOST_CHANGES else ""
            return "; ".join(changes[:MOST_CHANGES]) + more
        for name, known in old.outputs.items():
            file = self.folder / name
            if not file.is_file():
                return f"{name} is missing"
            if self.digests.of_file(file) != known:
                return f"{name} was modified"
        return None if is_intact() else "its output is damaged"


def _measure(make: Callable[[bool], StepResult], interrupted: bool) -> tuple[StepResult, float]:
    """The result of a step, and the seconds that it took."""
    begun = time.monotonic()
    result = make(interrupted)
    return result, time.monotonic() - begun


def read_json(file: Path) -> Any:
    """The contents of a JSON file; None if it cannot be read."""
    try:
        return json.loads(file.read_bytes())
    except (OSError, ValueError):
        return None


def list_changes(old: Mapping[str, Any], new: Mapping[str, Any], prefix: str = "") -> list[str]:
    """The differences between two sets of dependencies, in words."""
    found: list[str] = []
    for key in {**old, **new}:
        name, before, after = f"{prefix}{key}", old.get(key), new.get(key)
        if before == after:
            continue
        if isinstance(before, dict) and isinstance(after, dict):
            found += list_changes(before, after, f"{name}.")
        else:
            found.append(describe_change(name, before, after))
    return found


def describe_change(name: str, old: Any, new: Any) -> str:
    """One change, with both values if they are short."""
    hashed = any(isinstance(each, str) and each.startswith(PREFIX) for each in (old, new))
    values = [json.dumps(each, ensure_ascii=False) for each in (old, new)]
    if hashed or max(map(len, values)) > LONGEST_VALUE:
        return f"{name} changed"
    return f"{name}: {' → '.join(map(shown, values))}"
