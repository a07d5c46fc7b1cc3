"""The name of each run of an evaluation or a fusion: as it was given, or after its file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from antecede.errors import UsageError, printable
from antecede.trec.content import strip_compression_suffix


def _split_alias(given: object) -> tuple[str | None, object]:
    """`name=path` → the name and the path; a path that exists as it is written has no name."""
    if not isinstance(given, str) or "=" not in given or Path(given).exists():
        return None, given
    name, _, path = given.partition("=")
    return (name, path) if name and path and "/" not in name else (None, given)


def name_runs(runs: object) -> dict[str, object]:
    """Each run with the name that tables use: the file name, with folders where file names alone are ambiguous."""
    if isinstance(runs, Mapping) and not _is_run(runs):
        named: dict[str, object] = {str(name): given for name, given in runs.items()}
        if len(named) < len(runs):
            raise UsageError("two runs have the same name; give each a name of its own")
    else:
        split = [_split_alias(run) for run in _list_runs(runs)]
        given = [run for _, run in split]
        names = [alias or name for (alias, _), name in zip(split, choose_names(given), strict=True)]
        twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
        if twice is not None:
            raise UsageError(f"two runs are named {printable(twice)}; give each a name of its own")
        named = dict(zip(names, given, strict=True))
    if not named:
        raise UsageError("no run is given; name one or more")
    return named


def _list_runs(runs: object) -> list[object]:
    """Each run of a list, or the one run that is given; a list of ScoredDoc is one run."""
    if isinstance(runs, str | Path | Mapping) or hasattr(runs, "columns") or not isinstance(runs, Iterable):
        return [runs]
    if isinstance(runs, bytes | bytearray | memoryview) or getattr(runs, "shape", None) == ():
        return [runs]
    several = list(runs)
    return [several] if several and hasattr(several[0], "query_id") else several


def _is_run(given: Mapping[object, object]) -> bool:
    """Whether a dict is one run {topic: {document: score}}, rather than runs by name."""
    inner = [*given.values()]
    if not all(isinstance(documents, Mapping) for documents in inner):
        return False
    numbers = [number for documents in inner if isinstance(documents, Mapping) for number in documents.values()]
    return bool(numbers) and not any(isinstance(number, Mapping) for number in numbers)


def name_one(given: object, name: str) -> object:
    """A single run in memory that has no name of its own, with this one."""
    anonymous = not isinstance(given, str | Path) and own_name(given) is None
    several = isinstance(given, Mapping) and not _is_run(given)
    return {name: given} if anonymous and not several and len(_list_runs(given)) == 1 else given


def own_name(given: object) -> str | None:
    """The name that a run in memory has itself: a Run, of ours or of ranx."""
    name = getattr(given, "name", None)
    return name if name and isinstance(name, str) else None


def choose_names(given: Sequence[object]) -> list[str]:
    """A name for each input, with as many folders as are needed to make the names distinct."""
    paths = [str(source) for source in given if isinstance(source, str | Path)]
    files = [Path(path).absolute() for path in paths]  # ./a.run is a.run
    twice = next((path for at, path in enumerate(paths) if files[at] in files[:at]), None)
    if twice is not None:
        raise UsageError(f"{twice}: given twice; name each run once")

    def name(source: object, at: int, folders: int) -> str:
        if not isinstance(source, str | Path):
            return own_name(source) or f"run{at + 1}"
        if str(source) == "-":
            return "stdin"
        parts = Path(source).parts or ("run",)
        return "/".join((*parts[max(0, len(parts) - 1 - folders) : -1], strip_compression_suffix(parts[-1])))

    for folders in range(max((len(Path(path).parts) for path in paths), default=1)):
        names = [name(source, at, folders) for at, source in enumerate(given)]
        if len({*names}) == len(names):
            return names
    return [f"{name(source, at, 0)}#{at + 1}" for at, source in enumerate(given)]
