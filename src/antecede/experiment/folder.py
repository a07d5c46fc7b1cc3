"""The folder of an experiment: it belongs to the experiment, one process writes to it, and it has a record.

record.json  experiment.toml  log.jsonl  report.html
collection/  index/  topics/  tables/
parts/en/    qrels.txt  ranks.npz  titles.json  words.json  runs/  queries/  tables/  figures/  studies/
steps/       the stamps of completed steps
"""

from __future__ import annotations

import json
import os
import platform
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError, UsageError
from antecede.experiment.digests import digest, files_in, without_digest
from antecede.experiment.step_runner import STAMPS
from antecede.files import cannot_write, clear_temporary, write_whole
from antecede.locks import lock_exclusive
from antecede.opensearch.address import is_address, parse_address

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from antecede.experiment.digests import Digests
    from antecede.experiment.settings import Settings
    from antecede.experiment.step_runner import StepRunner
    from antecede.opensearch.engine import ClusterEngine
    from antecede.search.engine import EmbeddedEngine

RECORD, COPY, REPORT = "record.json", "experiment.toml", "report.html"
QRELS, RANKS, TITLES, WORDS = "qrels.txt", "ranks.npz", "titles.json", "words.json"
MARKER = "experiment.json"
FORMAT = {"format": "antecede experiment", "version": 2}
PACKAGES = ("numpy", "scipy", "polars", "numba", "lxml", "PyStemmer", "matplotlib")
RANDOM_STUDIES = ("robustness", "agreement")
MOST_FILES = 1000
"""Files of an input that are recorded one by one; of more files, one checksum is recorded."""


def check_folder(folder: Path) -> None:
    """Refuse a folder with other contents than an experiment."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file; name a folder with --out")
    if folder.is_dir() and any(folder.iterdir()) and not is_experiment(folder):
        raise UsageError(f"{folder}: is neither empty nor an experiment folder; name another folder with --out")


def is_experiment(folder: Path) -> bool:
    """Whether an experiment was begun in a folder."""
    try:
        return bool(json.loads((folder / STAMPS / MARKER).read_bytes())["format"] == FORMAT["format"])
    except (OSError, ValueError, TypeError, LookupError):
        return False


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Create the folder if necessary, and keep other processes from writing to it."""
    check_folder(folder)
    try:
        (folder / STAMPS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error, "cannot be created") from None
    if not is_experiment(folder):
        write_whole(folder / STAMPS / MARKER, json.dumps(FORMAT).encode())
    try:
        lock = os.open(folder / STAMPS / "lock", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise cannot_write(folder, error) from None
    try:
        if not lock_exclusive(lock):
            raise UsageError(f"{folder}: another process is running this experiment; wait until it has finished")
        clear_temporary(*list_folders(folder))
        yield
    finally:
        os.close(lock)


def list_folders(folder: Path) -> list[Path]:
    """The folders that an experiment writes single files to; what killed processes left there is removed."""
    parts = [each for each in (folder / "parts").glob("*") if not each.is_symlink()]
    inside = [part / name for part in parts for name in ("runs", "queries", "tables", "figures", "studies")]
    return [folder, *(folder / name for name in (STAMPS, "topics", "tables")), *parts, *inside]


def make_folder(folder: Path) -> Path:
    """Create a folder inside that of the experiment, unless it exists."""
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_json(path: Path, data: Any) -> Path:
    """Write a JSON file."""
    write_whole(path, json.dumps(data, ensure_ascii=False).encode())
    return path


def read_record(folder: Path) -> dict[str, Any]:
    """The record of a completed experiment."""
    try:
        found = json.loads((folder / RECORD).read_bytes())
    except FileNotFoundError:
        begun = is_experiment(folder)
        what = "this experiment was never finished" if begun else "is not an experiment folder"
        remedy = "run `antecede experiment` again: it resumes" if begun else "name the --out of `antecede experiment`"
        raise InputError(what, source=str(folder), remedy=remedy) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not JSON"
        raise InputError(f"{RECORD} cannot be read ({reason})", source=str(folder), remedy="run it again") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT["format"]:
        raise InputError(f"{RECORD} is not the record of an experiment", source=str(folder), remedy="run it again")
    if found.get("version") != FORMAT["version"] or "sha256" not in found:
        raise InputError(f"{RECORD} is of another version", source=str(folder), remedy="run it again")
    if found["sha256"] != digest(without_digest(found)):
        raise InputError(f"{RECORD} was modified or is damaged", source=str(folder), remedy="run it again")
    return found


def make_record(
    settings: Settings, runner: StepRunner, parts: Iterable[Mapping[str, Any]], begun: str, ended: str
) -> dict[str, Any]:
    """The record: everything needed to repeat the experiment and to verify the results."""
    record = {
        **FORMAT,
        "title": settings.title,
        "antecede": version("antecede"),
        "python": platform.python_version(),
        "machine": {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()},
        "packages": package_versions(),
        "begun": begun,
        "ended": ended,
        "file": settings.file.name,
        "options": settings.options(),
        "seeds": list_seeds(settings),
        "inputs": hash_inputs(settings, runner.digests),
        "outputs": {name: each for stamp in runner.done.values() for name, each in stamp.outputs.items()},
        "parts": [*parts],
        "steps": [
            {"step": each.step, "state": each.state, "why": each.why, "seconds": round(each.seconds, 3)}
            for each in runner.events
        ],
    }
    return {**record, "sha256": digest(json.loads(json.dumps(record)))}


def package_versions() -> dict[str, str]:
    """The versions of the packages that results may depend on."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def list_seeds(settings: Settings) -> dict[str, int]:
    """All random seeds."""
    return {
        **({"collection": settings.synthetic.seed} if settings.synthetic is not None else {}),
        "evaluation": settings.evaluation.seed,
        **{name: int(each.get("seed", 0)) for name, each in settings.studies.items() if name in RANDOM_STUDIES},
    }


def open_existing_index(place: Path) -> EmbeddedEngine | ClusterEngine:
    """The index in a folder or on a cluster. Only an experiment that searches loads what this needs."""
    from antecede.engine import open_index

    return open_index(place)


def find_index_state(place: Path, digests: Digests) -> str:
    """What identifies the content of an existing index: the checksum of its manifest, or its state on a cluster."""
    return open_existing_index(place).state if is_address(place) else digests.of_file(place / "manifest.json")


def hash_inputs(settings: Settings, digests: Digests) -> dict[str, Any]:
    """The checksum of every input file; names are relative to the experiment file."""
    clusters = [index for index in settings.inputs["index"] if is_address(index)]
    manifests = [index / "manifest.json" for index in settings.inputs["index"] if index not in clusters]
    inputs = [path for key, paths in settings.inputs.items() if key != "index" for path in paths]
    found: dict[str, Any] = {str(parse_address(each)): open_existing_index(each).state for each in clusters}
    for path in dict.fromkeys([settings.file, *inputs, *manifests]):
        files = [*files_in(path)]
        if len(files) > MOST_FILES:
            found[relative_name(path, settings)] = {"files": len(files), "sha256": digests.of_paths([path])}
        else:
            found |= {relative_name(file, settings): digests.of_file(file) for _, file in files}
    return found


def relative_name(path: Path, settings: Settings) -> str:
    """A path relative to the experiment file."""
    return Path(os.path.relpath(path, settings.file.parent)).as_posix()
