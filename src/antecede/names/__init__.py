"""The names of `import antecede as ac`, and a namespace for each group of verbs, such as `ac.study`.

A namespace declares its names by imports for type checkers; each is imported when it is first used. What else the
package of the same name has, `antecede.review.marks` for example, is found behind it.
"""

from __future__ import annotations

import sys
import warnings
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

GROUPS = ("index", "learn", "review", "study")
"""The namespaces."""
RENAMED = {
    "add_to_index": "index.add",
    "calibrate": "review.calibrate",
    "compare_judges": "study.judges",
    "correlate": "study.correlation",
    "count_retrievals": "study.retrievability",
    "cutoffs": "study.cutoffs",
    "agreement": "study.agreement",
    "decide": "review.stop",
    "estimate": "review.estimate",
    "export_run": "export",
    "learn_space": "learn.space",
    "make_topics": "topics",
    "merge_index": "index.merge",
    "meta_evaluate": "study.measures",
    "published": "study.published",
    "read_judged": "review.read_judged",
    "retrievability": "study.retrievability",
    "review_status": "review.status",
    "robustness": "study.robustness",
    "run_topics": "run",
    "simulate": "study.simulate",
    "simulate_reviews": "review.simulate",
    "start_review": "review.start",
    "term_counts": "study.query_length",
    "verify_index": "index.verify",
}
"""Names of the release before, and what takes their place; they live one release longer."""
CHANGED = {
    "count_retrievals": "antecede.search.retrieval_counts:count_retrievals",
    "retrievability": "antecede.study.retrievability:retrievability",
    "term_counts": "antecede.study.term_counts:term_counts",
}
"""Those of them whose successor takes other arguments; until then they are what they were."""
OTHERWISE = {
    **{verb: f"index.{verb}" for verb in ("add", "info", "merge", "verify")},
    "experiment": "run_experiment",
    "index": "index.build",
    "query": "make_query",
    "review mark": "Review.add",
    "review next": "Review.next",
    "search": "search_index",
    "show": "Index.patent",
}
"""The functions of verbs that cannot have the name of the verb: a package has it, or the function is a method."""
SHELL_ONLY = (
    "demo", "list", "open", "review agreement", "review conflicts", "review export", "review history", "review import",
    "review list", "review open", "review prisma", "review resolve", "review user", "serve",
)  # fmt: skip
"""Verbs, and groups of verbs, that only make sense where there is a shell."""


def declared_names(module: str) -> Mapping[str, tuple[str, str]]:
    """The names that a module imports for type checkers: the module and the name of each there."""
    from antecede.operations import declare_for_checkers

    imports, renamed = declare_for_checkers(module)
    own = {name: place for name, place in imports.items() if place[0].startswith("antecede.")}
    kept = {name: place for name, place in own.items() if name not in renamed.values()}
    return kept | {name: own[known] for name, known in renamed.items()}


VERBS = "antecede.verbs"
"""The entry points of operations in other packages: `"study.spread" = "my_package:spread"`."""


@cache
def added_operations() -> dict[str, str]:
    """The operations of other packages by name, `study.spread`, as `module:name`."""
    # With 100 packages, importlib.metadata takes 0.1 s, a third of what the help may take; looking for the word 5 ms.
    files = (file for folder in sys.path for file in Path(folder or ".").glob("*-info/entry_points.txt"))
    if not any(VERBS.encode() in file.read_bytes() for file in files):
        return {}
    from importlib.metadata import entry_points

    return {entry.name: entry.value for entry in entry_points(group=VERBS)}


def find_place(module: str, name: str) -> tuple[str, str] | None:
    """The module and name behind a public name; other packages are only looked at for one that is not known here."""
    declared = declared_names(module)
    if name in declared or name.startswith("_"):
        return declared.get(name)
    group = module.rpartition(".")[2]
    home, _, known = added_operations().get(name if group == "antecede" else f"{group}.{name}", "").partition(":")
    return (home, known) if known else None


def public_names() -> list[str]:
    """Every public name, without `antecede.`; those of namespaces with the namespace."""
    own = [name for name in declared_names("antecede") if name not in GROUPS]
    groups = {group: import_module(f"{__name__}.{group}") for group in GROUPS}
    return sorted([*own, *(f"{group}.{name}" for group, module in groups.items() for name in dir(module))])


def find_path(name: str) -> str | None:
    """The function of an operation, `study.correlation` or `compare`, as `module:name`; None if there is none."""
    group, _, last = name.rpartition(".")
    if group and group not in GROUPS:
        return added_operations().get(name)
    module = f"{__name__}.{group}" if group else "antecede"
    import_module(module)
    place = find_place(module, last)
    return None if place is None else ":".join(place)


def function_of(verb: str) -> str | None:
    """The public name of what a verb does, without `antecede.`; None for a verb that is for the shell only."""
    if {verb, verb.partition(" ")[0]} & {*SHELL_ONLY}:
        return None
    return OTHERWISE.get(verb, verb.replace(" ", ".").replace("-", "_"))


def load(name: str, public: str, module: str) -> object:
    """A public name; a function checks its arguments, and is known by its public name."""
    value: object = getattr(import_module(module), name)
    if type(value) is FunctionType:
        from antecede.arguments import check_arguments
        from antecede.operations import complete_docstring

        home, _, last = f"antecede.{public}".rpartition(".")
        documented = complete_docstring(value)
        value = check_arguments(value)
        value.__doc__ = documented
        value.__module__ = home if home == "antecede" else f"antecede.names.{home.partition('.')[2]}"
        value.__name__ = value.__qualname__ = last  # where `pickle` looks for it, and what messages call it
    return value


def offer(module: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a namespace."""
    group = module.rpartition(".")[2]

    def find(name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        place = find_place(module, name)
        if place is not None:
            home, known = place
            value = load(known, f"{group}.{name}", home)
            setattr(sys.modules[module], name, value)
            return value
        if group != "learn":
            package = import_module(f"antecede.{group}")
            if hasattr(package, name):
                return getattr(package, name)
        from antecede.errors import suggest_names

        raise AttributeError(f"antecede.{group} has no attribute {name!r}{suggest_names(name, listed())}")

    def listed() -> list[str]:
        added = [name.partition(".")[2] for name in added_operations() if name.startswith(f"{group}.")]
        return sorted([*declared_names(module), *added])

    return find, listed


def load_renamed(name: str) -> Any:
    """What a name of the release before stands for, with a warning."""
    new = RENAMED[name]
    warnings.warn(f"antecede.{name} is now antecede.{new}; the old name goes with the next release",
                  FutureWarning, stacklevel=3)  # fmt: skip
    if name in CHANGED:
        module, _, known = CHANGED[name].partition(":")
        return load(known, name, module)
    value: Any = import_module("antecede")
    for part in new.split("."):
        value = getattr(value, part)
    return value


class Root(ModuleType):
    """The package `antecede`, whose namespaces stay what they are when the packages of the same names are imported."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in GROUPS and getattr(value, "__name__", "") == f"antecede.{name}":
            return
        super().__setattr__(name, value)
