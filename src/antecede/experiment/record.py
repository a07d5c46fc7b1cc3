"""The record of an experiment: what a stranger needs to run it again, and to see that it came out the same."""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.experiment.digests import digest, files_in
from antecede.experiment.folder import FORMAT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from antecede.experiment.digests import Digests
    from antecede.experiment.settings import Settings
    from antecede.experiment.steps import Steps

PACKAGES = ("numpy", "scipy", "polars", "numba", "lxml", "PyStemmer", "matplotlib")
MOST_FILES = 1000
"""Files of an input that are named one by one; of more, one checksum of all."""


def record_of(
    settings: Settings, steps: Steps, parts: Iterable[Mapping[str, Any]], begun: str, ended: str
) -> dict[str, Any]:
    """The record; `parts` say which runs each has, and what is known of them."""
    outputs = {name: each for stamp in steps.done.values() for name, each in stamp.outputs.items()}
    record = {
        **FORMAT,
        "title": settings.title,
        "antecede": version("antecede"),
        "python": platform.python_version(),
        "machine": machine(),
        "packages": packages(),
        "begun": begun,
        "ended": ended,
        "file": settings.file.name,
        "options": settings.options(),
        "seeds": seeds(settings),
        "inputs": inputs(settings, steps.digests),
        "outputs": outputs,
        "parts": [*parts],
        "steps": [
            {"step": each.step, "state": each.state, "why": each.why, "seconds": round(each.seconds, 3)}
            for each in steps.events
        ],
    }
    return {**record, "sha256": digest(json.loads(json.dumps(record)))}


def machine() -> dict[str, Any]:
    """What kind of machine it was; nothing that names it."""
    return {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()}


def packages() -> dict[str, str]:
    """The versions of what numbers may depend on."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def seeds(settings: Settings) -> dict[str, int]:
    """All that chance starts from."""
    synthetic = settings.collection.synthetic if settings.collection is not None else None
    return {
        **({"collection": synthetic.seed} if synthetic is not None else {}),
        "evaluation": settings.evaluation.seed,
        **{name: int(each.get("seed", 0)) for name, each in settings.studies.items() if name in DRAWS},
    }


DRAWS = ("robustness", "agreement")


def inputs(settings: Settings, digests: Digests) -> dict[str, Any]:
    """Every file that came from outside, as the experiment names it, with its checksum."""
    paths = [settings.file]
    paths += [*settings.collection.paths] if settings.collection is not None else []
    paths += [*settings.topics.paths, *(each.path for each in settings.runs)]
    paths += [settings.qrels] if settings.qrels is not None else []
    found: dict[str, Any] = {}
    for path in dict.fromkeys(paths):
        files = [*files_in(path)]
        if len(files) > MOST_FILES:
            found[named(path, settings)] = {"files": len(files), "sha256": digests.of_paths([path])}
        else:
            found |= {named(file, settings): digests.of_file(file) for _, file in files}
    if settings.index.path is not None:
        manifest = settings.index.path / "manifest.json"
        found[named(manifest, settings)] = digests.of_file(manifest)
    return found


def named(path: Path, settings: Settings) -> str:
    """A path as seen from the experiment file."""
    return Path(os.path.relpath(path, settings.file.parent)).as_posix()
