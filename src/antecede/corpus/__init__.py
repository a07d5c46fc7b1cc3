"""Reading patents: formats, archives, and test collections made from citations.

Each name is imported on first use: searching an index loads nothing that only reading files needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from antecede.corpus.collection import Collection, Ledger
    from antecede.corpus.topics import Topics, make_topics

__all__ = ["Collection", "Ledger", "Topics", "make_topics"]


_MODULES = {"Collection": "collection", "Ledger": "collection", "Topics": "topics", "make_topics": "topics"}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'antecede.corpus' has no attribute {name!r}")
    entry: object = getattr(import_module(f"antecede.corpus.{_MODULES[name]}"), name)
    globals()[name] = entry
    return entry
