"""The folder of an experiment: where things are, that it is nobody else's, and that one process writes to it.

record.json  experiment.toml  log.jsonl  report.html
collection/  index/  topics/  tables/
parts/en/    qrels.txt  ranks.npz  titles.json  runs/  queries/  tables/  figures/  studies/
steps/       what was done, from what
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from antecede.errors import InputError, UsageError
from antecede.experiment.digests import digest
from antecede.experiment.steps import STAMPS
from antecede.files import cannot_write, clear_temporary, write_whole
from antecede.locks import lock_exclusive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RECORD, COPY, REPORT = "record.json", "experiment.toml", "report.html"
MARK = "experiment.json"
FORMAT = {"format": "antecede experiment", "version": 2}


def check_folder(folder: Path) -> None:
    """Refuse a folder that holds other things than an experiment."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file; name a folder with --out")
    if folder.is_dir() and any(folder.iterdir()) and not is_experiment(folder):
        raise UsageError(f"{folder}: holds other files, and no experiment; name another folder with --out")


def is_experiment(folder: Path) -> bool:
    """Whether an experiment was begun here."""
    try:
        return bool(json.loads((folder / STAMPS / MARK).read_bytes())["format"] == FORMAT["format"])
    except (OSError, ValueError, TypeError, LookupError):
        return False


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Make the folder ours, and be the only one who writes to it."""
    check_folder(folder)
    try:
        (folder / STAMPS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error, "cannot be made") from None
    if not is_experiment(folder):
        write_whole(folder / STAMPS / MARK, json.dumps(FORMAT).encode())
    try:
        lock = os.open(folder / STAMPS / "lock", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise cannot_write(folder, error) from None
    try:
        take(lock, folder)
        clear_temporary(*folders_of(folder))
        yield
    finally:
        os.close(lock)


def folders_of(folder: Path) -> list[Path]:
    """The folders that an experiment writes single files to: what killed processes left in them is cleared away."""
    parts = [each for each in (folder / "parts").glob("*") if not each.is_symlink()]
    inside = [part / name for part in parts for name in ("runs", "queries", "tables", "figures", "studies")]
    return [folder, *(folder / name for name in (STAMPS, "topics", "tables")), *parts, *inside]


def take(lock: int, folder: Path) -> None:
    """Take the lock, where the system has locks."""
    if not lock_exclusive(lock):
        raise UsageError(f"{folder}: another process is running this experiment; wait until it is done")


def read_record(folder: Path) -> dict[str, object]:
    """The record of an experiment that is done."""
    try:
        found = json.loads((folder / RECORD).read_bytes())
    except FileNotFoundError:
        begun = is_experiment(folder)
        what = "this experiment was never finished" if begun else "is no folder of an experiment"
        remedy = "run `antecede experiment` again: it goes on" if begun else "name the --out of `antecede experiment`"
        raise InputError(what, source=str(folder), remedy=remedy) from None
    except (OSError, ValueError) as error:
        told = getattr(error, "strerror", None) or "it is no JSON"
        raise InputError(f"{RECORD} cannot be read ({told})", source=str(folder), remedy="run it again") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT["format"]:
        raise InputError(f"{RECORD} is not of an experiment", source=str(folder), remedy="run it again")
    if found.get("version") != FORMAT["version"] or "sha256" not in found:
        raise InputError(f"{RECORD} is of another version", source=str(folder), remedy="run it again")
    if found["sha256"] != digest({name: each for name, each in found.items() if name != "sha256"}):
        raise InputError(f"{RECORD} was changed or is damaged", source=str(folder), remedy="run it again")
    return found


def made(folder: Path) -> Path:
    """A folder within ours, there to be written to."""
    folder.mkdir(parents=True, exist_ok=True)
    return folder
