"""Steps that are made once: each leaves a stamp of what it depended on and of what it wrote, and is kept by it."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from antecede.errors import shown
from antecede.experiment.digests import MARK, Digests, digest
from antecede.experiment.settings import plain
from antecede.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

MADE, KEPT, RESUMED, AHEAD = "made", "kept", "resumed", "to be made"
FIRST, UNFINISHED = "not made before", "begun before, but not finished"
TOLD, SHORT = 3, 60
"""How many changes a line tells, and how long a value may be to be shown."""
STAMPS, LOG = "steps", "log.jsonl"


@dataclass(frozen=True)
class Event:
    """What became of a step."""

    step: str
    state: str
    why: str = ""
    seconds: float = 0.0

    def told(self) -> str:
        """One line for people."""
        why = f"  ({self.why})" if self.why else ""
        return f"{self.state:<8} {self.step:<28} {self.seconds:8.2f} s{why}"


@dataclass(frozen=True)
class Written:
    """What a step wrote, and what is to be known of it."""

    outputs: Sequence[Path] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    resumed: str = ""
    """How much of it an earlier, stopped one had done; empty where nothing."""


@dataclass(frozen=True)
class Stamp:
    """A step that is done."""

    step: str
    depends: Mapping[str, Any]
    outputs: Mapping[str, str]
    """File, from the folder of the experiment → checksum."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    when: str = ""

    @property
    def digest(self) -> str:
        """What the outputs hold."""
        return digest(dict(self.outputs))


class NotYet(Exception):  # noqa: N818 — no mistake of anybody: a list of steps ends here
    """A step would have to be made before anything can be said of the next ones."""


class Steps:
    """The steps of one experiment, in its folder."""

    def __init__(self, folder: Path, log: Callable[[Event], None], *, dry: bool = False) -> None:
        """`dry`: nothing is made, and the log says what would be."""
        self.folder, self.log, self.dry = folder, log, dry
        self.digests = Digests(folder / STAMPS / "digests.json")
        self.done: dict[str, Stamp] = {}
        self.events: list[Event] = []

    def step(
        self,
        name: str,
        depends: Mapping[str, Any],
        make: Callable[[bool], Written],
        sound: Callable[[], bool] = lambda: True,
    ) -> Stamp | None:
        """Make a step unless it is done. `make` is told whether one like it was interrupted; `sound` looks closer.

        None where nothing is made, since only a list is wanted.
        """
        begun = time.monotonic()
        wanted = plain(depends)
        old = self.stamp(name)
        why = self.reason(old, wanted, sound)
        if why is None and old is not None:
            return self.keep(old, time.monotonic() - begun)
        if self.dry:
            self.tell(Event(name, AHEAD, why or ""))
            return None
        return self.make(name, wanted, why or "", make)

    def make(self, name: str, wanted: Mapping[str, Any], why: str, make: Callable[[bool], Written]) -> Stamp:
        """Make a step; while it is being made a marker says from what, should it be interrupted."""
        begun = time.monotonic()
        marker = self.place(name).with_suffix(".begun")
        interrupted = self.read(marker) == wanted
        if interrupted:
            why = UNFINISHED if why == FIRST else f"{why}; {UNFINISHED}"
        write_whole(marker, json.dumps(wanted).encode())
        written = make(interrupted)
        seconds = time.monotonic() - begun
        made = Stamp(
            name,
            wanted,
            {each.relative_to(self.folder).as_posix(): self.digests.of_file(each) for each in written.outputs},
            plain(written.facts),
            round(seconds, 3),
            datetime.now(UTC).isoformat(timespec="seconds"),
        )
        whole = asdict(made)
        write_whole(self.place(name), json.dumps({"sha256": digest(whole), **whole}, ensure_ascii=False).encode())
        marker.unlink(missing_ok=True)
        self.digests.save()
        self.done[name] = made
        reasons = "; ".join(filter(None, (written.resumed, why)))
        self.tell(Event(name, RESUMED if written.resumed else MADE, reasons, seconds))
        return made

    def keep(self, stamp: Stamp, seconds: float) -> Stamp:
        """A step that is done already."""
        self.done[stamp.step] = stamp
        self.tell(Event(stamp.step, KEPT, seconds=seconds))
        if not self.dry:
            self.digests.save()
        return stamp

    def tell(self, event: Event) -> None:
        """Write down what became of a step, and say it."""
        self.events.append(event)
        if not self.dry:
            self.write_line({**asdict(event), "seconds": round(event.seconds, 3)})
        self.log(event)

    def write_line(self, line: Mapping[str, Any]) -> None:
        """A line of the log."""
        stamped = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), **line}
        with (self.folder / LOG).open("a", encoding="utf-8") as out:
            out.write(json.dumps(stamped, ensure_ascii=False) + "\n")

    def place(self, name: str) -> Path:
        """The file of a step's stamp."""
        return self.folder / STAMPS / f"{name.replace('/', '~').replace(' ', '-')}.json"

    def read(self, file: Path) -> Any:
        try:
            return json.loads(file.read_bytes())
        except (OSError, ValueError):
            return None

    def stamp(self, name: str) -> Stamp | None:
        """The stamp of a step, if it was ever done; a damaged one, or one of another step, is none."""
        found = self.read(self.place(name))
        if not isinstance(found, dict) or found.pop("sha256", None) != digest(found) or found.get("step") != name:
            return None
        try:
            return Stamp(**found)
        except TypeError:  # of another version
            return None

    def reason(self, old: Stamp | None, wanted: Mapping[str, Any], sound: Callable[[], bool]) -> str | None:
        """Why a step must be made; None where it need not."""
        if old is None:
            return FIRST
        if changed := changes(old.depends, wanted):
            more = f"; and {len(changed) - TOLD} more" if len(changed) > TOLD else ""
            return "; ".join(changed[:TOLD]) + more
        for name, known in old.outputs.items():
            file = self.folder / name
            if not file.is_file():
                return f"{name} is missing"
            if self.digests.of_file(file) != known:
                return f"{name} was changed by somebody"
        return None if sound() else "what it made is damaged"


def changes(old: Mapping[str, Any], new: Mapping[str, Any], within: str = "") -> list[str]:
    """What changed, in words."""
    found: list[str] = []
    for key in {**old, **new}:
        name, was, now = f"{within}{key}", old.get(key), new.get(key)
        if was == now:
            continue
        if isinstance(was, dict) and isinstance(now, dict):
            found += changes(was, now, f"{name}.")
        else:
            found.append(change(name, was, now))
    return found


def change(name: str, old: Any, new: Any) -> str:
    """One change: from what to what, where that is short."""
    marked = any(isinstance(each, str) and each.startswith(MARK) for each in (old, new))
    written = [json.dumps(each, ensure_ascii=False) for each in (old, new)]
    return (
        f"{name} changed" if marked or max(map(len, written)) > SHORT else f"{name}: {' → '.join(map(shown, written))}"
    )
