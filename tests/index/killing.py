"""Kill builds, adds and merges at file operations spread over each of them, and see what is left.

    python -m tests.index.killing FOLDER KILLS OPERATION…

A process that has loaded everything forks for each attempt, and the child kills itself at the n-th file operation: what
is left on disk is what a kill at that instant leaves. Prints what it found as JSON.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.errors import AntecedeError
from antecede.index import SpacePlan, add_to_index, build_index, learn_space, merge_index, verify_index
from tests.index.worlds import all_bytes, chunks_of, each_once, random_collection, write

if TYPE_CHECKING:
    from collections.abc import Callable

WATCHED = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "sqlite3.connect", "os.truncate")


class Watch:
    """Counts the operations on files in a folder, and kills this process at one of them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.count, self.last = str(folder), 0, 0
        sys.addaudithook(self.see)

    def see(self, event: str, given: tuple[Any, ...]) -> None:
        if event in WATCHED and given and self.folder in str(given[0]):
            self.count += 1
            if self.count == self.last:
                os.kill(os.getpid(), signal.SIGKILL)

    def counted(self, work: Callable[[], object]) -> int:
        """Do something; how many operations it took."""
        before = self.count
        work()
        return self.count - before

    def in_a_child(self, work: Callable[[], object], last: int = 0) -> int:
        """Do something in a child, killed at an operation if so asked; its exit code, negative for a signal."""
        child = os.fork()
        if child == 0:
            self.count, self.last = 0, last
            try:
                work()
            except AntecedeError as error:
                print(error, file=sys.stderr)
                os._exit(3)
            os._exit(0)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def operations(folder: Path) -> dict[str, Callable[..., object]]:
    """What can be killed; each takes whether it goes on with one that was."""
    first = write(folder / "a.jsonl", random_collection(1, 20, 12))
    second = write(folder / "b.jsonl", each_once(2, 8))
    index = folder / "index"
    return {
        "index": lambda resume=False: build_index(first, index, workers=1, resume=resume),
        "overwrite": lambda resume=False: build_index(second, index, workers=1, resume=resume, overwrite=True),
        "add": lambda resume=False: add_to_index(index, second, workers=1, resume=resume),
        "merge": lambda **_: merge_index(index, workers=1),
        "space": lambda **_: learn_space(index, SpacePlan("lsa", 4), workers=1),
        "small": lambda resume=False: build_index(second, index, workers=1, resume=resume),
        "tiers": lambda resume=False: add_to_index(index, first, workers=1, resume=resume),
        "extend": lambda resume=False: add_to_index(index, second, workers=1, resume=resume),
        "relearn": lambda **_: merge_index(index, workers=1),
    }


BEFORE = {
    "index": (),
    "overwrite": ("index",),
    "add": ("index",),
    "merge": ("index", "add"),
    "tiers": ("small",),
    "space": ("index", "add"),
    "extend": ("index", "space"),
    "relearn": ("index", "space", "extend"),
}
"""What is done before each; `tiers` is an add that takes in the segment which is there."""


class States:
    """The index after one thing was done after the other, each made once, and how to bring it about."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.index = folder, folder / "index"
        self.known, self.watch = operations(folder), Watch(self.index)
        self.operations: dict[tuple[str, ...], int] = {}

    def bring(self, names: tuple[str, ...]) -> None:
        """Let the index be what it is after these."""
        shutil.rmtree(self.index, ignore_errors=True)
        if not names:
            return
        kept = self.folder / f"after {' '.join(names)}"
        if not kept.exists():  # made here, so that no child has to load the compiled code again
            self.bring(names[:-1])
            self.operations[names] = self.watch.counted(self.known[names[-1]])
            self.index.rename(kept)
        shutil.copytree(kept, self.index)

    def bytes_after(self, names: tuple[str, ...]) -> dict[str, bytes]:
        self.bring(names)
        return all_bytes(self.index) if names else {}


def attempts(states: States, name: str, kills: int) -> dict[str, Any]:
    """Kill an operation at file operations as far from each other, the last of all among them; go on, and compare."""
    index, work, before = states.index, states.known[name], BEFORE[name]
    old, new = states.bytes_after(before), states.bytes_after((*before, name))
    total = states.operations[*before, name]
    found: dict[str, Any] = {"kills": 0, "old": 0, "new": 0, "none": 0, "wrong": []}
    for count in sorted({max(1, total * number // kills) for number in range(1, kills + 1)}):
        states.bring(before)
        if states.watch.in_a_child(work, count) >= 0:
            found["wrong"].append(f"{name} {count}: it came to its end before")
            continue
        found["kills"] += 1
        found["wrong"] += [f"{name} {count}: {problem}" for problem in look(index, old, new, found)]
        if (index / "manifest.json").exists() and (index / "manifest.json").read_bytes() == new["manifest.json"]:
            continue  # only removing was left to do, which the next writer does
        code = states.watch.in_a_child(lambda: work(resume=True))
        if code or all_bytes(index) != new:
            found["wrong"].append(f"{name} {count}: going on ended with {code}, not in the same bytes")
    return found


def look(index: Path, old: dict[str, bytes], new: dict[str, bytes], found: dict[str, Any]) -> list[str]:
    """What is wrong with an index after a kill: it must be the old one or the new."""
    manifest = index / "manifest.json"
    if not manifest.exists():
        found["none"] += 1
        return ["the index is gone"] if old else []
    state = "old" if manifest.read_bytes() == old.get("manifest.json") else "new"
    found[state] += 1
    if state == "new" and manifest.read_bytes() != new["manifest.json"]:
        return ["the manifest is neither"]
    return list(verify_index(index).problems)


def main() -> None:
    """Try, and print what was found."""
    setattr(os, "fsync", lambda _: None)  # noqa: B010 - a kill does not take away what the system has
    folder, kills, names = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    with chunks_of(4):
        states = States(folder)
        print(json.dumps({name: attempts(states, name, kills) for name in names}))


if __name__ == "__main__":
    main()
