"""What runs are called: the name that tables, figures and options know each of them by."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from antecede.errors import UsageError
from antecede.trec.content import plain_name
from antecede.trec.runs import Run

if TYPE_CHECKING:
    from collections.abc import Sequence


def name_runs(runs: object) -> dict[str, object]:
    """Each run with the name that tables give it: its file's name, with folders where names alone would clash."""
    if isinstance(runs, Mapping) and all(not isinstance(r, Mapping) or is_run_dict(r) for r in runs.values()):
        named: dict[str, object] = {str(name): given for name, given in runs.items()}
        if len(named) < len(runs):
            raise UsageError("two runs have the same name; give each its own")
    else:
        given = list(runs) if isinstance(runs, list | tuple) else [runs]
        named = dict(zip(distinct_names(given), given, strict=True))
    if not named:
        raise UsageError("no run is given; name one or more")
    return named


def is_run_dict(given: object) -> bool:
    """Whether a dict is a whole run {topic: {document: score}}, rather than one topic {document: score}."""
    return isinstance(given, Mapping) and all(isinstance(topic, Mapping) for topic in given.values())


def distinct_names(given: Sequence[object]) -> list[str]:
    """A name for each input, taking in as many folders as it needs to tell them apart."""
    paths = [str(each) for each in given if isinstance(each, str | Path)]
    files = [Path(path).absolute() for path in paths]  # ./a.run is a.run
    twice = next((path for at, path in enumerate(paths) if files[at] in files[:at]), None)
    if twice is not None:
        raise UsageError(f"{twice}: given twice; name each run once")
    for folders in range(max((len(Path(path).parts) for path in paths), default=1)):
        names = [one_name(each, at, folders) for at, each in enumerate(given)]
        if len({*names}) == len(names):
            return names
    return [f"{one_name(each, at, 0)}#{at + 1}" for at, each in enumerate(given)]


def one_name(given: object, at: int, folders: int) -> str:
    if isinstance(given, Run):
        return given.name
    if not isinstance(given, str | Path):
        return f"run{at + 1}"
    if str(given) == "-":
        return "stdin"
    parts = Path(given).parts
    return "/".join((*parts[max(0, len(parts) - 1 - folders) : -1], plain_name(parts[-1] if parts else "run")))
