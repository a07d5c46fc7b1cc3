"""The made-up collection of an experiment."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

from antecede.errors import UsageError, shown
from antecede.experiment.digests import files_in
from antecede.experiment.steps import Written
from antecede.synthetic import synthesize
from antecede.synthetic.collection import DEFAULT_LENGTH

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from antecede.experiment.settings import Synthetic
    from antecede.experiment.steps import Steps

UNFINISHED = re.compile(r"\.collection-[0-9a-f]{8}\.partial")
"""What `synthesize` calls a collection until it is complete."""


def synthesized(asked: Synthetic, place: Path, steps: Steps, progress: Callable[[int, int], None]) -> Written:
    """Write the collection, in place of one that this experiment made before."""
    remove_own(place, steps)
    for left in place.parent.iterdir():
        if UNFINISHED.fullmatch(left.name) and left.is_dir() and not left.is_symlink():  # of one that was killed
            shutil.rmtree(left)
    done = synthesize(
        *(place, asked.patents, asked.seed),
        topics=asked.topics,
        form="jsonl",
        length=asked.length or DEFAULT_LENGTH,
        progress=progress,
    )
    facts = {name: each for name, each in done.to_dict().items() if name not in ("folder", "seconds")}
    return Written([file for _, file in files_in(place)], facts)


def remove_own(place: Path, steps: Steps) -> None:
    """Remove a collection that this experiment made; one that holds anything else is left alone."""
    if not place.exists():
        return
    old = steps.stamp("collection")
    known = dict(old.outputs) if old is not None else {}
    every = sorted(place.rglob("*"), reverse=True) if place.is_dir() and not place.is_symlink() else [place]
    for each in every:
        name = each.relative_to(place.parent).as_posix()
        own = each.is_file() and not each.is_symlink() and steps.digests.of_file(each) == known.get(name)
        if not own and not (each.is_dir() and not each.is_symlink() and any(each.iterdir())):
            raise UsageError(f"{place}: {shown(name)} was not made by this experiment; move it, then run again")
    for each in every:
        each.rmdir() if each.is_dir() else each.unlink()
    place.rmdir()
