"""The index of a user's own files, in a place of its own: made once, found again, made anew when a file has changed."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.corpus import Collection
from antecede.corpus.document import RawDocument
from antecede.corpus.formats.tabular import CSV_ROW, TSV_ROW, WORKBOOK_ROW
from antecede.corpus.references import REFERENCE
from antecede.errors import InputError, printable
from antecede.files import cannot_write, write_whole
from antecede.index.maintain import build_index, ignore_progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from antecede.index import BuildReport
    from antecede.index.build import BuildProgress

EXPORTED = frozenset((CSV_ROW, TSV_ROW, WORKBOOK_ROW, *REFERENCE.values()))
_SMALL = 8 << 20
"""Bytes of files for which other processes take longer to start than they save."""
_UNSAFE = re.compile(r"[^\w.\-]+")


@dataclass(frozen=True)
class Workspace:
    """Where the index and the cases of some files are."""

    folder: Path
    built: BuildReport | None
    """What was read, if the index was made now; None if it was found."""

    @property
    def index(self) -> Path:
        """The folder of the index."""
        return self.folder / "documents.index"

    @property
    def cases(self) -> Path:
        """The file of the cases, which stays when the index is made anew."""
        return self.folder / "cases.sqlite"


def open_workspace(
    collection: Collection, folder: Path | None = None, *, progress: Callable[[BuildProgress], None] | None = None
) -> Workspace:
    """The workspace of the files of a collection; its index is built if it is missing or a file has changed.

    Args:
        collection: The files, and how they are read.
        folder: The folder of the workspace; by default one in the user's data folder, named by the files.
        progress: As for `build_index`.
    """
    size = sum(file_size for path in collection.paths for _, file_size, _ in _stat(Path(path)))
    workers = 1 if size < _SMALL else None
    paths = [Path(path).absolute() for path in collection.paths]
    folder = folder or data_folder() / _name(paths)
    state, recorded = _state_of(paths, collection.names), folder / "files.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        known = _read_state(recorded) if recorded.is_file() else None
    except OSError as error:
        raise cannot_write(folder, error, "cannot be created") from None
    workspace = Workspace(folder, None)
    if known == state and workspace.index.is_dir():
        return workspace
    recorded.unlink(missing_ok=True)  # a build that fails is not found
    report = progress or ignore_progress
    built = build_index(
        collection, workspace.index, workers=workers, overwrite=workspace.index.exists(), progress=report
    )
    write_whole(recorded, f"{json.dumps(state, indent=1)}\n".encode())
    return Workspace(folder, built)


def is_export(path: str | Path) -> bool:
    """Whether a file is a hit list, a workbook or an export of references, by its first record."""
    first = next(Collection(path).raw(), None) if Path(path).is_file() else None
    return isinstance(first, RawDocument) and first.root in EXPORTED


def data_folder() -> Path:
    """The folder of this user's workspaces."""
    chosen = os.environ.get("XDG_DATA_HOME") or (os.environ.get("LOCALAPPDATA") if sys.platform == "win32" else None)
    below = "Library/Application Support" if sys.platform == "darwin" else ".local/share"
    return Path(chosen or Path(os.path.expanduser("~"), below)) / "antecede"  # noqa: PTH111 - fails without a home


def _name(paths: Sequence[Path]) -> str:
    stem = _UNSAFE.sub("_", paths[0].name.split(".")[0])[:40] or "files"
    return f"{stem}-{sha256(os.fsencode(os.pathsep.join(map(str, paths)))).hexdigest()[:8]}"


def _state_of(paths: Sequence[Path], names: Mapping[str, str]) -> dict[str, Any]:
    """By what a change of the files, or of how they are read, is seen."""
    return {"files": [[*entry] for path in paths for entry in _stat(path)], "names": dict(names)}


def _read_state(recorded: Path) -> dict[str, Any]:
    """The state at the last build. It is written whole, so anything else is a file of somebody else, which stays."""
    try:
        known: Any = json.loads(recorded.read_text("utf-8"))
    except ValueError:
        known = None
    if not (isinstance(known, dict) and known.keys() == {"files", "names"}):
        what = "is not the list of files that antecede open keeps there"
        raise InputError(what, source=printable(str(recorded), 200), remedy="name another folder")
    return known


def _stat(path: Path) -> Iterator[tuple[str, int, int]]:
    try:
        status = path.stat()
    except OSError as error:
        raise InputError(f"cannot be opened: {error.strerror}", source=printable(str(path), 200)) from None
    if path.is_dir():
        for inside in sorted(path.iterdir()):
            yield from _stat(inside)
    else:
        yield str(path), status.st_size, status.st_mtime_ns
