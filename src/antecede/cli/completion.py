"""What the shell completes: measures, methods, models, features, fields and runs after the options that take them.

Only typer's public way is used: the function that an option or argument is given as `autocompletion`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def _estimators() -> Iterable[str]:
    from antecede.review.estimators import ESTIMATORS

    return ESTIMATORS


def _features() -> Iterable[str]:
    from antecede.ranking.features import FEATURES

    return FEATURES


def _fields() -> Iterable[str]:
    from antecede.patent.texts import FIELDS

    return FIELDS


def _measures() -> Iterable[str]:
    from antecede.measures import MEASURES

    return MEASURES


def _methods() -> Iterable[str]:
    from antecede.query.methods import METHODS

    return METHODS


def _models() -> Iterable[str]:
    from antecede.models import MODELS

    return MODELS


def _rules() -> Iterable[str]:
    from antecede.review.stopping import STOPPING_RULES

    return STOPPING_RULES


NAMES: dict[str, Callable[[], Iterable[str]]] = {
    "estimators": _estimators,
    "features": _features,
    "fields": _fields,
    "measures": _measures,
    "method": _methods,
    "methods": _methods,
    "model": _models,
    "models": _models,
    "rules": _rules,
    "sort": _measures,
}
"""By the name of an option, what lists the names that it takes. Registries are imported only to complete a word."""
RUN_SUFFIXES = (".run", ".txt", ".csv", ".tsv", ".parquet", ".npz", ".gz", ".bz2", ".xz", ".zst", ".res")


def complete_names(option: str) -> Callable[[str], list[str]] | None:
    """The function that completes the value of an option; None for one that the shell completes as a file."""
    if option in NAMES:
        list_names = NAMES[option]

        def complete(incomplete: str) -> list[str]:
            head, comma, last = incomplete.rpartition(",")
            return [f"{head}{comma}{name}" for name in list_names() if name.lower().startswith(last.lower())]

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
