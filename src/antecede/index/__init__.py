"""The index: a sparse matrix on disk, documents × terms in both directions, one per language.

Each name is imported on first use: searching loads nothing, and compiles nothing, that only building needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from antecede.index.build import Progress
    from antecede.index.index import Index, open_index
    from antecede.index.maintain import (
        BuildReport,
        MergeReport,
        SpaceReport,
        add_to_index,
        build_index,
        learn_space,
        merge_index,
    )
    from antecede.index.spaces.learning import SpacePlan
    from antecede.index.verify import VerificationReport, verify_index

__all__ = [
    "BuildReport",
    "Index",
    "MergeReport",
    "Progress",
    "SpacePlan",
    "SpaceReport",
    "VerificationReport",
    "add_to_index",
    "build_index",
    "learn_space",
    "merge_index",
    "open_index",
    "verify_index",
]
_MODULES = {
    "Index": "index",
    "open_index": "index",
    "Progress": "build",
    "SpacePlan": "spaces.learning",
    "VerificationReport": "verify",
    "verify_index": "verify",
}
"""Where a name is defined; all others are in `maintain`."""


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'antecede.index' has no attribute {name!r}")
    module = import_module(f"antecede.index.{_MODULES.get(name, 'maintain')}")
    globals()[name] = value = getattr(module, name)
    return value
