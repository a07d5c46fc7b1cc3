"""Reading patents: formats, archives, and test collections made from citations.

Each name is imported on first use: searching an index loads nothing that only reading files needs.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from antecede.corpus.collection import Collection, Ledger
    from antecede.corpus.topics import Topics, make_topics

__all__ = ["Collection", "Ledger", "Topics", "make_topics"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'antecede.corpus' has no attribute {name!r}")
    if name in ("Collection", "Ledger"):
        from antecede.corpus import collection

        entry: object = getattr(collection, name)
    else:
        from antecede.corpus import topics

        entry = getattr(topics, name)
    globals()[name] = entry
    return entry
