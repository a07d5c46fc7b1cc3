"""The outcome of an experiment, its record, and its results loaded from its folder.

record.json  experiment.toml  log.jsonl  report.html
collection/  index/  topics/  tables/
parts/en/    qrels.txt  ranks.npz  titles.json  words.json  runs/  queries/  tables/  figures/  studies/
steps/       the stamps of completed steps
"""

from __future__ import annotations

import json
import os
import platform
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError
from antecede.experiment.cache import FORMAT, files_in, hash_file, is_experiment, sign, verify_signed
from antecede.experiment.parts import RANKS, TITLES, WORDS, EvaluatedPart, summarize_costs, summarize_scores
from antecede.opensearch.address import is_address, parse_address
from antecede.report.results import Results
from antecede.results import concise_repr
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from antecede.experiment.cache import Digests, StepEvent, StepRunner
    from antecede.experiment.settings import Settings

RECORD, COPY, REPORT = "record.json", "experiment.toml", "report.html"
AGAIN = "run `antecede experiment` again"
PACKAGES = ("numpy", "scipy", "polars", "numba", "lxml", "PyStemmer", "matplotlib")
RANDOM_STUDIES = ("robustness", "agreement")
MOST_FILES = 1000
"""Files of an input that are recorded one by one; of more files, one checksum is recorded."""


@dataclass(frozen=True, eq=False)
class Outcome(Tabled):
    """The outcome of an experiment that was run."""

    __repr__ = concise_repr

    folder: Path
    parts: tuple[EvaluatedPart, ...]
    record: Mapping[str, Any]
    events: tuple[StepEvent, ...]
    """What happened to each step."""

    @cached_property
    def results(self) -> Results:
        """The contents of the report."""
        return make_results(self.parts, self.record)

    @property
    def report(self) -> Path:
        """The path of the report."""
        return self.folder / REPORT

    def tables(self) -> tuple[Table, ...]:
        """Scores with significance marks, and costs, for all parts."""
        tables = (summarize_scores(self.parts), summarize_costs(self.parts))
        return tuple(table for table in tables if table is not None)

    def to_dict(self) -> dict[str, Any]:
        """The outcome in a JSON-compatible form."""
        return {
            "title": self.record["title"],
            "folder": str(self.folder),
            "report": str(self.report),
            "steps": self.record["steps"],
            "parts": [
                {
                    "name": part.name,
                    "title": part.title,
                    **part.scores.to_dict(),
                    "comparison": part.comparison.to_dict() if part.comparison is not None else None,
                    "facts": {name: dict(facts) for name, facts in part.facts.items()},
                    "notes": [*part.notes],
                }
                for part in self.parts
            ],
        }


def make_results(parts: Iterable[EvaluatedPart], record: Mapping[str, Any]) -> Results:
    """The contents of the report."""
    return Results(record["title"], tuple(part.to_report() for part in parts), record)


def load_experiment(folder: str | Path) -> Results:
    """Load the results that an experiment saved: the ranks are read, and everything else is computed from them.

    Args:
        folder: The output folder of the experiment.
    """
    folder = Path(folder)
    record = _read_record(folder)
    _check_outputs(folder, record["outputs"])
    try:
        options = record["options"]
        parts = [
            EvaluatedPart(folder / "parts" / part["name"], part["title"], options, part["runs"], part["notes"])
            for part in record["parts"]
        ]
        return make_results(parts, record)
    except (KeyError, TypeError, ValueError, OSError) as error:
        what = f"its record does not match its files ({type(error).__name__}: {error})"
        raise InputError(what, source=str(folder), remedy=AGAIN) from None


def _check_outputs(folder: Path, outputs: Mapping[str, str]) -> None:
    """Refuse files that are not those that the experiment wrote."""
    for name, known in outputs.items():
        if PurePath(name).name not in (RANKS, TITLES, WORDS) and PurePath(name).parent.name != "queries":
            continue  # not read here
        try:
            checksum = hash_file(folder / name)
        except OSError as error:
            what = f"{name} cannot be read ({error.strerror or error})"
            raise InputError(what, source=str(folder), remedy=AGAIN) from None
        if checksum != known:
            raise InputError(f"{name} was modified or is damaged", source=str(folder), remedy=AGAIN)


def _read_record(folder: Path) -> dict[str, Any]:
    try:
        record = json.loads((folder / RECORD).read_bytes())
    except FileNotFoundError:
        begun = is_experiment(folder)
        what = "this experiment was never finished" if begun else "is not an experiment folder"
        remedy = f"{AGAIN}: it resumes" if begun else "name the --out of `antecede experiment`"
        raise InputError(what, source=str(folder), remedy=remedy) from None
    except (OSError, ValueError) as error:
        what = f"cannot be read ({getattr(error, 'strerror', None) or 'it is not JSON'})"
        raise InputError(f"{RECORD} {what}", source=str(folder), remedy="run it again") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT["format"]:
        what = "is not the record of an experiment"
    elif record.get("version") != FORMAT["version"] or "sha256" not in record:
        what = "is of another version"
    elif verify_signed(record) is None:
        what = "was modified or is damaged"
    else:
        return record
    raise InputError(f"{RECORD} {what}", source=str(folder), remedy="run it again")


def make_record(
    settings: Settings, runner: StepRunner, parts: Iterable[EvaluatedPart], begun: str, ended: str
) -> dict[str, Any]:
    """The record: everything needed to repeat the experiment and to verify the results."""
    random = {name: int(options.get("seed", 0)) for name, options in settings.studies.items() if name in RANDOM_STUDIES}
    synthetic = {"collection": settings.synthetic.seed} if settings.synthetic is not None else {}
    return sign(
        {
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
            "seeds": {**synthetic, "evaluation": settings.evaluation.seed, **random},
            "inputs": _hash_inputs(settings, runner.digests),
            "outputs": {name: known for stamp in runner.done.values() for name, known in stamp.outputs.items()},
            "parts": [part.to_record() for part in parts],
            "steps": [event.to_dict() for event in runner.events],
        }
    )


def package_versions() -> dict[str, str]:
    """The versions of the packages that results may depend on."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def _hash_inputs(settings: Settings, digests: Digests) -> dict[str, Any]:
    """The checksum of every input file; names are relative to the experiment file."""
    inputs = [path for key, paths in settings.inputs.items() if key != "index" for path in paths]
    checksums: dict[str, Any] = {}
    for index in settings.inputs["index"]:
        if is_address(index):
            from antecede.engine import open_index

            checksums[str(parse_address(index))] = open_index(index).state
        else:
            inputs.append(index / "manifest.json")

    def relative(path: Path) -> str:
        return Path(os.path.relpath(path, settings.file.parent)).as_posix()

    for path in dict.fromkeys([settings.file, *inputs]):
        files = [*files_in(path)]
        if len(files) > MOST_FILES:
            checksums[relative(path)] = {"files": len(files), "sha256": digests.of_paths([path])}
        else:
            checksums |= {relative(file): digests.of_file(file) for _, file in files}
    return checksums
