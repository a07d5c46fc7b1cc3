"""The index: a sparse matrix on disk, documents × terms in both directions, a language at a time."""

from antecede.index.builder import Progress
from antecede.index.index import Index, open_index
from antecede.index.keeping import Built, Merged, add_to_index, build_index, merge_index
from antecede.index.verifying import Verified, verify_index

__all__ = [
    "Built",
    "Index",
    "Merged",
    "Progress",
    "Verified",
    "add_to_index",
    "build_index",
    "merge_index",
    "open_index",
    "verify_index",
]
