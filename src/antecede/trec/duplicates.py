"""Find documents that stand twice in one topic, and apply the policy for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import DuplicateDocumentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from antecede.trec.policies import Duplicates
    from antecede.trec.texts import Texts


def repeated_rows(keys: NDArray[np.uint64], topic: NDArray[np.int32], docs: Texts) -> list[NDArray[np.int64]]:
    """For each (topic, document) that stands more than once: its rows, in the order of the file.

    Sorting keys finds candidates in a few milliseconds per million rows; only those are compared as texts.
    """
    ordered = np.sort(keys)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(twice):
        return []
    import polars as pl

    rows = np.flatnonzero(np.isin(keys, twice))
    frame = pl.DataFrame({"row": rows, "topic": topic[rows], "doc": docs.gather(rows).to_series()})
    groups = frame.group_by("topic", "doc", maintain_order=True).agg("row").filter(pl.col("row").list.len() > 1)
    return [group.to_numpy() for group in groups["row"]]


def rows_to_drop(
    repeated: list[NDArray[np.int64]],
    policy: Duplicates,
    source: str,
    place: Callable[[int], tuple[str, str, int | None]],
) -> NDArray[np.int64]:
    """The rows that the policy drops; with `error`, the first document that repeats is reported instead.

    `place` tells the topic, the document and the line of a row.
    """
    if not repeated or policy == "keep":
        return np.empty(0, np.int64)
    if policy == "error":
        first = min(repeated, key=lambda rows: int(rows[1]))
        topic_id, doc_id, line = place(int(first[1]))
        before = place(int(first[0]))[2]
        more = len(repeated) - 1
        raise DuplicateDocumentError(
            f"stands twice (first on line {before})" + (f", and {more} more documents do" if more else ""),
            source=source,
            line=line,
            topic_id=topic_id,
            doc_id=doc_id,
            remedy="remove one, or pass --duplicates first or last",
        )
    kept = slice(1, None) if policy == "first" else slice(None, -1)
    return np.concatenate([rows[kept] for rows in repeated])
