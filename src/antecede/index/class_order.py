"""The order of the documents of a segment by class, then by day.

Neighbours in this order share words. A search cuts it into blocks and skips those that cannot contain a good document
(`search/pruned_search.py`); numbers and names of documents do not depend on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.index.metadata import COLUMNS, SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

CLASSES = (COLUMNS.index("ipc"), COLUMNS.index("cpc"))


def main_class(row: Sequence[Any]) -> str:
    """The first symbol of the IPC, or else of the CPC; empty for a document without classes."""
    return next((str(row[at]).partition(SEPARATOR)[0] for at in CLASSES if row[at]), "")


class MainClasses:
    """The main class of each document, added in the order of their numbers."""

    def __init__(self) -> None:
        self.symbols: dict[str, int] = {}
        self.classes: list[int] = []

    def add(self, row: Sequence[Any]) -> None:
        """Add the next document, given by its metadata columns."""
        self.classes.append(self.symbols.setdefault(main_class(row), len(self.symbols)))

    def order(self, days: Sequence[int]) -> NDArray[np.uint32]:
        """The numbers of the documents in the order of class, day and number."""
        names = [*self.symbols]
        ranks = np.empty(len(names), np.int64)
        ranks[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        return np.lexsort((np.array(days, np.int64), ranks[self.classes])).astype(np.uint32)
