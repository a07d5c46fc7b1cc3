"""Which group made which run: a file of lines `run group`, matched to the names that tables give the runs."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from antecede.errors import InputError, MalformedInputError, UsageError, shown
from antecede.trec.content import read_content

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def read_groups(path: str | Path) -> dict[str, str]:
    """The group of each run in a file; a comma or a tab may stand between the two, and # begins a comment."""
    content = read_content(path)
    groups: dict[str, str] = {}
    for number, line in enumerate(content.data.decode("utf-8", "replace").splitlines(), 1):
        words = line.replace(",", " ").split(maxsplit=1)
        if not words or words[0].startswith("#"):
            continue
        if len(words) < 2:
            raise MalformedInputError(
                f"{shown(line)!r} does not name a run and its group",
                source=content.source,
                line=number,
                remedy="write `run group` on each line",
            )
        run, group = words[0], words[1].strip()
        if groups.setdefault(run, group) != group:
            raise InputError(f"run {shown(run)} is in two groups", source=content.source, line=number)
    if not groups:
        raise InputError("names no run", source=content.source, remedy="write `run group` on each line")
    return groups


def groups_of(runs: Sequence[str], groups: Mapping[str, str]) -> tuple[str, ...]:
    """The group of each run. The names must be the same but for what all runs begin or end with (`input.`, `.run`)."""
    front, back = shared(runs), shared([name[::-1] for name in runs])
    cuts = sorted(
        ((begin, end) for begin in range(front + 1) for end in range(back + 1)), key=lambda cut: (sum(cut), cut)
    )
    fewest: list[str] = list(runs)
    for begin, end in cuts:
        names = [name[begin : len(name) - end] for name in runs]
        missed = [run for run, name in zip(runs, names, strict=True) if name not in groups]
        if not missed:
            return tuple(groups[name] for name in names)
        fewest = min(fewest, missed, key=len)
    more = f" and {len(fewest) - 1} more" if len(fewest) > 1 else ""
    raise UsageError(f"the groups do not name run {shown(fewest[0])}{more}; say which group made it")


def shared(names: Sequence[str]) -> int:
    """How many signs all names begin with."""
    return sum(1 for _ in takewhile(lambda signs: len({*signs}) == 1, zip(*names, strict=False)))
