"""The index: a sparse matrix on disk, documents × terms in both directions, a language at a time.

Each name is imported when it is first used: who only searches need not load, let alone compile, what builds.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

FILES = ("index", "verifying", "builder", "keeping")


def __getattr__(name: str) -> object:
    if name in __all__:
        for file in FILES:
            module = import_module(f"antecede.index.{file}")
            if name in vars(module):
                found: object = getattr(module, name)
                globals()[name] = found
                return found
    raise AttributeError(f"module 'antecede.index' has no attribute {name!r}")
