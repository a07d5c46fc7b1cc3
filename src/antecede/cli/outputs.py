"""Checks of the outputs of verbs: never over an input, and over another file only with --overwrite.

Every option that names a path is marked `Input()` or `Output()` where it is declared, and `verb` has all of them
checked before anything is read.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.errors import UsageError, printable
from antecede.files import cannot_write, input_at, is_stream, mode_of, refuse_special

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True)
class Input:
    """Marks an option whose value is read; one that may be no path, such as a patent number, counts if it exists."""

    writes: tuple[str, ...] = ()
    """Files inside the folder that the verb itself writes there."""
    renewed_by: str = ""
    """The output that may replace it with its next version, once it has been read."""


@dataclass(frozen=True)
class Output:
    """Marks an option whose value is written: a file, or a folder, whose files the verb checks itself."""

    folder: bool = False
    figure: bool = False
    """Whether it is a figure, whose format must be one that can be drawn."""


def check_outputs(marks: Mapping[str, Input | Output], given: Mapping[str, Any], *, overwrite: bool) -> None:
    """Refuse outputs that would destroy an input, one another, or a file that is there; nothing has been read yet."""
    outputs = {name: (Path(given[name]), mark) for name, mark in marks.items()
               if isinstance(mark, Output) and given.get(name) is not None}  # fmt: skip
    inputs = {name: mark for name, mark in marks.items() if isinstance(mark, Input)}
    for name, (path, output) in outputs.items():
        for read, mark in inputs.items():
            if mark.renewed_by != name:
                check_apart(path, paths_of(given.get(read)), mark.writes)
        for other, (place, _) in outputs.items():
            if other != name:
                _check_distinct(path, place)
        if not output.folder:
            check_file(path, overwrite=overwrite)
        if output.figure:
            from antecede.report.figures import resolve_format

            resolve_format(path)


def paths_of(value: Any) -> list[Path]:
    """The paths that an option names; `-` is the file that standard input is redirected from."""
    paths: list[Path] = []
    for given in value if isinstance(value, list | tuple) else [value] if value is not None else []:
        name, _, path = str(given).partition("=")  # a run may be given as NAME=PATH
        paths += [Path("/dev/stdin" if given == "-" else given), *([Path(path)] if name and path else [])]
    return paths


def check_apart(path: Path, inputs: Iterable[Path], allowed: Iterable[str] = ()) -> None:
    """Refuse an output that is an input, by whatever name, or lies inside one."""
    for given in inputs:
        place = input_at(path, [given])
        if place is None:
            continue
        if not place.is_dir():
            raise UsageError(f"{_show_path(path)}: is read by this call, so it cannot be written; name another file")
        if not any(_same_place(path, place / name) for name in allowed):
            raise UsageError(
                f"{_show_path(path)}: lies inside {_show_path(place)}, which is read; name a place outside of it"
            )


def _check_distinct(path: Path, other: Path) -> None:
    """Refuse two outputs in one place, or one inside the other."""
    if _same_place(path, other):
        if not is_stream(mode_of(path)):
            raise UsageError(f"{_show_path(path)}: two outputs cannot go to one file; name another one")
    elif any(_same_place(parent, other) for parent in path.absolute().parents):
        raise UsageError(
            f"{_show_path(path)}: lies inside {_show_path(other)}, which is also written; name another place"
        )


def _same_place(path: Path, other: Path) -> bool:
    try:
        return path.resolve() == other.resolve() or (path.exists() and other.exists() and path.samefile(other))
    except (OSError, RuntimeError):
        return False


def check_file(path: Path, *, overwrite: bool, remedy: str = "--overwrite replaces it") -> None:
    """Refuse a place where a file cannot be written, or where one is that may not be replaced."""
    try:
        target = path.resolve()
        mode = mode_of(target)
        if is_stream(mode):
            return
        refuse_special(path, mode)
        _check_writable(target)
        if overwrite or mode is None or not target.stat().st_size:
            return
    except (OSError, RuntimeError) as error:
        raise cannot_write(path, error) from None
    raise UsageError(f"{_show_path(path)}: exists already; {remedy}, or name another file")


def check_folder_files(folder: Path, names: Iterable[str], inputs: Iterable[str | Path], *, overwrite: bool) -> None:
    """Check the files that a verb writes into a folder; a new folder is made later."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{_show_path(folder)}: is a file; name a folder with --out")
    read = paths_of([*inputs])
    for name in names if folder.is_dir() else ():
        check_apart(folder / name, read)
        check_file(folder / name, overwrite=overwrite)


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error, "cannot be made") from None


def _check_writable(target: Path) -> None:
    """Raise the error that writing would end in, as far as it can be foreseen."""
    os.scandir(target.parent).close()
    for place in (target.parent, *([target] if target.exists() else [])):
        if not os.access(place, os.W_OK):
            raise PermissionError(13, "Permission denied")


def _show_path(path: Path) -> str:
    return printable(str(path), 1000)
