"""The index: a sparse matrix on disk, documents × terms in both directions, a language at a time."""

from antecede.index.index import Index, open_index
from antecede.index.keeping import Built, add_to_index, build_index, merge_index
from antecede.index.verifying import Verified, verify_index

__all__ = ["Built", "Index", "Verified", "add_to_index", "build_index", "merge_index", "open_index", "verify_index"]
