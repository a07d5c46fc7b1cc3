"""Documents that share an IPC code with a topic, none of them later than it or of its family."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.query.collection_view import rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from antecede.index.documents import DocumentStore
    from antecede.query.material import Material

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


def find_same_class(at: Material, level: str, fewest: int, most: int) -> list[Ints]:
    """For each matrix, the rows of non-empty documents that share a code with the topic, ascending.

    The level is widened until `fewest` are found. If there are more than `most`, those that share most codes are taken;
    ties are broken by the later date, then by the order in the index.
    """
    levels = list(LEVELS)
    rows: list[Ints] = []
    shared: list[Ints] = []
    for name in levels[levels.index(level) :]:
        rows, shared = find_sharing(at, name)
        if sum(map(len, rows)) >= max(fewest, 1):
            break
    return choose_nearest(at, rows, shared, most) if sum(map(len, rows)) > most else rows


def find_sharing(at: Material, level: str) -> tuple[list[Ints], list[Ints]]:
    """For each matrix, the rows of documents that share a code at a level, and the number of shared codes."""
    questions = dict.fromkeys(LEVELS[level](code) for code in at.topic.patent.ipc)
    rows, shared = [], []
    for segment, matrix in at.index.matrices(at.topic.language):
        numbers, times = count_matches(segment.store, questions)
        found = rows_of(matrix, numbers)
        kept = (found >= 0) & (matrix.lengths[found] > 0)
        allowed = at.filters.allowed(segment)
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


def choose_nearest(at: Material, rows: Sequence[Ints], shared: Sequence[Ints], most: int) -> list[Ints]:
    """The first `most` rows by number of shared codes, then by later date, then by order in the index."""
    days = [
        segment.days[matrix.documents[each]]
        for (segment, matrix), each in zip(at.index.matrices(at.topic.language), rows, strict=True)
    ]
    of = np.repeat(np.arange(len(rows)), [len(each) for each in rows])
    every = np.concatenate(rows)
    order = np.lexsort((every, of, -np.concatenate(days).astype(np.int64), -np.concatenate(shared)))[:most]
    return [np.sort(every[order][of[order] == place]) for place in range(len(rows))]
