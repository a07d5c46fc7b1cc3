"""Documents that share an IPC code with a topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from antecede.index.documents import DocumentStore
    from antecede.index.filters import Filters
    from antecede.index.index import Index

    Ints = NDArray[np.int64]


def match_group(code: str) -> tuple[str, tuple[str, ...]]:
    """Documents of the same group: `H04L 12/56`."""
    return "attributes WHERE field = 'ipc' AND value = ?", (code,)


def match_main_group(code: str) -> tuple[str, tuple[str, ...]]:
    """Documents of the same main group: `H04L 12/`."""
    return match_prefix(code.partition("/")[0] + "/" if "/" in code else code)


def match_subclass(code: str) -> tuple[str, tuple[str, ...]]:
    """Documents of the same subclass: `H04L`."""
    return match_prefix(code[:4])


def match_prefix(prefix: str) -> tuple[str, tuple[str, ...]]:
    return "attributes WHERE field = 'ipc' AND value >= ? AND value < ?", (prefix, prefix + "\U0010ffff")


LEVELS: dict[str, Callable[[str], tuple[str, tuple[str, ...]]]] = {
    "group": match_group,
    "main": match_main_group,
    "subclass": match_subclass,
}
"""From narrow to wide: the SQL condition for a code."""


@dataclass(frozen=True)
class ClassQuestion:
    """Which documents are sought: those that share codes, have text in a language, and pass filters."""

    codes: tuple[str, ...]
    language: str
    filters: Filters
    level: str = "group"
    fewest: int = 50
    """The level is widened until so many are found."""
    most: int = 2000
    """Of more than that, those that share most codes are taken, then the latest, then the first of the index."""

    @property
    def levels(self) -> list[str]:
        """The levels from the one given to the widest."""
        levels = list(LEVELS)
        return levels[levels.index(self.level) :]


def find_same_class(index: Index, asked: ClassQuestion) -> list[Ints]:
    """For each matrix of the language, the rows of non-empty documents that share a code, ascending."""
    rows: list[Ints] = []
    shared: list[Ints] = []
    for name in asked.levels:
        rows, shared = find_sharing(index, asked, name)
        if sum(map(len, rows)) >= max(asked.fewest, 1):
            break
    return choose_nearest(index, asked, rows, shared) if sum(map(len, rows)) > asked.most else rows


def find_sharing(index: Index, asked: ClassQuestion, level: str) -> tuple[list[Ints], list[Ints]]:
    """For each matrix, the rows of documents that share a code at a level, and the number of shared codes."""
    questions = dict.fromkeys(LEVELS[level](code) for code in asked.codes)
    rows, shared = [], []
    for segment, matrix in index.matrices(asked.language):
        numbers, times = count_matches(segment.store, questions)
        found = matrix.rows_of(numbers)
        kept = (found >= 0) & (matrix.lengths[found] > 0)
        allowed = asked.filters.allowed(segment)
        if allowed is not None:
            kept &= allowed[numbers]
        rows.append(found[kept])
        shared.append(times[kept])
    return rows, shared


def count_matches(store: DocumentStore, questions: Iterable[tuple[str, tuple[str, ...]]]) -> tuple[Ints, Ints]:
    """The documents that meet at least one condition, ascending, and the number of conditions that each meets."""
    found = [store.numbers(condition, values) for condition, values in questions]
    numbers, times = np.unique(np.concatenate(found), return_counts=True)
    return numbers.astype(np.int64), times.astype(np.int64)


def choose_nearest(index: Index, asked: ClassQuestion, rows: Sequence[Ints], shared: Sequence[Ints]) -> list[Ints]:
    """The first `most` rows by number of shared codes, then by later date, then by order in the index."""
    days = [
        segment.days[matrix.documents[each]]
        for (segment, matrix), each in zip(index.matrices(asked.language), rows, strict=True)
    ]
    of = np.repeat(np.arange(len(rows)), [len(each) for each in rows])
    every = np.concatenate(rows)
    order = np.lexsort((every, of, -np.concatenate(days).astype(np.int64), -np.concatenate(shared)))[: asked.most]
    return [np.sort(every[order][of[order] == place]) for place in range(len(rows))]
