"""The index: a sparse matrix on disk, documents × terms in both directions, one per language.

Each name is imported on first use: searching loads nothing, and compiles nothing, that only building needs.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from antecede.index.build import BuildProgress
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
    "BuildProgress",
    "BuildReport",
    "MergeReport",
    "SpacePlan",
    "SpaceReport",
    "VerificationReport",
    "add_to_index",
    "build_index",
    "learn_space",
    "merge_index",
    "verify_index",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'antecede.index' has no attribute {name!r}")
    if name in ("VerificationReport", "verify_index"):
        from antecede.index import verify

        return getattr(verify, name)
    if name == "BuildProgress":
        from antecede.index.build import BuildProgress

        return BuildProgress
    if name == "SpacePlan":
        from antecede.index.space_learning import SpacePlan

        return SpacePlan
    from antecede.index import maintain

    return getattr(maintain, name)
