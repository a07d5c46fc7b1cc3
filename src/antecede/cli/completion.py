"""What the shell completes: measures, methods, models, features, fields and runs after the options that take them.

Only typer's public way is used: the function that an option or argument is given as `autocompletion`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

REGISTRIES = {
    "estimator": "antecede.review.estimators:ESTIMATORS",
    "features": "antecede.ranking.features:FEATURES",
    "fields": "antecede.query.topic:FIELDS",
    "measures": "antecede.measures:MEASURES",
    "method": "antecede.query.methods:METHODS",
    "methods": "antecede.query.methods:METHODS",
    "model": "antecede.models:MODELS",
    "models": "antecede.models:MODELS",
    "rule": "antecede.review.stopping:STOPPING_RULES",
    "sort": "antecede.measures:MEASURES",
}
"""By the name of an option, where the names that it takes are."""
RUN_SUFFIXES = (".run", ".txt", ".csv", ".tsv", ".parquet", ".npz", ".gz", ".bz2", ".xz", ".zst", ".res")


def complete_names(option: str) -> Callable[[str], list[str]] | None:
    """The function that completes the value of an option; None for one that the shell completes as a file."""
    if option in REGISTRIES:
        module, _, registry = REGISTRIES[option].partition(":")

        def complete(incomplete: str) -> list[str]:
            head, comma, last = incomplete.rpartition(",")
            names = getattr(import_module(module), registry)
            return [f"{head}{comma}{name}" for name in names if name.lower().startswith(last.lower())]

        return complete
    return complete_runs if option in ("runs", "run") else None


def complete_runs(incomplete: str) -> list[str]:
    """Files that may be runs, and folders to look into."""
    folder, prefix = Path(incomplete), ""
    if not incomplete.endswith("/"):
        folder, prefix = Path(incomplete).parent, Path(incomplete).name
    names = sorted(folder.iterdir()) if folder.is_dir() else []
    lead = incomplete[: len(incomplete) - len(prefix)]
    return [
        f"{lead}{path.name}{'/' * path.is_dir()}"
        for path in names
        if path.name.startswith(prefix) and (path.is_dir() or path.suffix in RUN_SUFFIXES)
    ]
