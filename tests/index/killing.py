"""Kill a build, an add or a merge at one file operation after the other, and see what is left.

    python -m tests.index.killing FOLDER OPERATION EVERY

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


def kill_at(count: int, folder: Path) -> None:
    """Kill this process at the so manieth operation on a file in a folder."""
    left = count

    def watch(event: str, given: tuple[Any, ...]) -> None:
        nonlocal left
        if event in WATCHED and given and str(folder) in str(given[0]):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)


def in_a_child(work: Callable[[], object], count: int = 0, folder: Path = Path()) -> int:
    """Do something in a child, killed at an operation if that is asked for; its exit code, negative for a signal."""
    child = os.fork()
    if child == 0:
        if count:
            kill_at(count, folder)
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
    "relearn": ("index", "space", "add"),
}
"""What is done before each; `tiers` is an add that takes in the segment which is there."""


def attempts(folder: Path, name: str, every: int) -> dict[str, Any]:
    """Kill an operation at each so manieth file operation, go on with it, and compare."""
    known, index, before = operations(folder), folder / "index", folder / "before"
    for each in BEFORE[name]:
        known[each]()
    if index.exists():
        shutil.copytree(index, before)
    old = all_bytes(index) if index.exists() else {}
    known[name]()  # here, so that no child has to load the compiled code again
    new = all_bytes(index)
    found: dict[str, Any] = {"kills": 0, "old": 0, "new": 0, "none": 0, "wrong": []}
    for count in range(1, 10000, every):
        shutil.rmtree(index, ignore_errors=True)
        if before.exists():
            shutil.copytree(before, index)
        if in_a_child(known[name], count, index) >= 0:
            break  # it came to its end before
        found["kills"] += 1
        found["wrong"] += [f"{name} {count}: {problem}" for problem in look(index, old, new, found)]
        if all_bytes(index) == new:
            continue  # it was killed when nothing was left to do
        code = in_a_child(lambda: known[name](resume=True))
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
    folder, name, every = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    with chunks_of(4):
        print(json.dumps(attempts(folder, name, every)))


if __name__ == "__main__":
    main()
