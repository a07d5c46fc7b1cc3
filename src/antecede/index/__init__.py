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
    from antecede.index.space_learning import SpacePlan
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
    "Progress": "build",
    "SpacePlan": "space_learning",
    "VerificationReport": "verify",
    "open_index": "index",
    "verify_index": "verify",
}
"""Where names are defined that are not in `maintain`."""


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'antecede.index' has no attribute {name!r}")
    return getattr(import_module(f"antecede.index.{_MODULES.get(name, 'maintain')}"), name)
