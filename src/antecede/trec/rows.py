"""What was read from any input, in the form that the rest works on: a row for each line that counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from antecede.trec.ordering import topics_of
from antecede.trec.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from antecede.trec.columns import Columns
    from antecede.trec.layout import Layout
    from antecede.trec.ordering import Topics


class Rows(NamedTuple):
    """The rows of a run or of qrels, in the order of the file, and what was odd on the way."""

    topics: Topics
    docs: Texts
    numbers: NDArray[np.number[Any]]
    """The scores or the relevance."""
    line_of: Callable[[int], int | None]
    """The line of the file that a row stands on."""
    odd: dict[str, int]
    rank: pl.Series | None = None
    """The column `rank` as it stands there, where it is asked for."""

    def place(self, row: int) -> tuple[str, str, int | None]:
        """The topic, the document and the line of a row."""
        return self.topics.names[self.topics.of_row[row]], self.docs[row], self.line_of(row)


def rows_of(columns: Columns, layout: Layout) -> Rows:
    """Rows from the columns of a frame."""
    frame = columns.frame
    return Rows(
        topics_of(frame["topic_id"]),
        Texts.of_series(frame["doc_id"]),
        frame[layout.value].to_numpy(),
        columns.line_of,
        columns.odd,
        frame["rank"] if "rank" in frame.columns else None,
    )
