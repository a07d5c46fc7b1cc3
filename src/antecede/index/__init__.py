"""The index: a sparse matrix on disk, documents × terms in both directions, one per language.

Each name is imported on first use: searching loads nothing, and compiles nothing, that only building needs.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from antecede.index.builder import Progress
    from antecede.index.index import Index, open_index
    from antecede.index.maintenance import (
        BuildReport,
        MergeReport,
        SpaceReport,
        add_to_index,
        build_index,
        learn_space,
        merge_index,
    )
    from antecede.index.spaces.maintenance import SpacePlan
    from antecede.index.verification import VerificationReport, verify_index

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


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'antecede.index' has no attribute {name!r}")
    if name in ("Index", "open_index"):
        from antecede.index import index

        found: object = getattr(index, name)
    elif name in ("VerificationReport", "verify_index"):
        from antecede.index import verification

        found = getattr(verification, name)
    elif name == "Progress":
        from antecede.index import builder

        found = getattr(builder, name)
    elif name == "SpacePlan":
        from antecede.index.spaces import maintenance as spaces

        found = spaces.SpacePlan
    else:
        from antecede.index import maintenance

        found = getattr(maintenance, name)
    globals()[name] = found
    return found
