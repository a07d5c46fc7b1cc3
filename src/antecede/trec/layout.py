"""The columns of a run and of qrels, as TREC lays them out."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Layout:
    """The columns of a kind of file."""

    kind: str
    fields: tuple[str, ...]
    """All columns in order; a line may have fewer, down to `fewest`, from the end."""
    fewest: int
    wider: bool
    """Whether a line may have more columns than `fields`, which are then ignored."""
    value: str
    """The column that holds the number."""
    number: re.Pattern[bytes]
    limit: float
    """Numbers lie between −limit and limit."""
    whole: bool
    """Whether they are whole numbers."""
    number_is: str

    @property
    def called(self) -> str:
        """Its kind in a sentence: «a run», «qrels»."""
        return self.kind if self.kind.endswith("s") else f"a {self.kind}"

    @property
    def written(self) -> str:
        return " ".join(self.fields[: self.fewest])


RUN = Layout(
    kind="run",
    fields=("topic_id", "Q0", "doc_id", "rank", "score", "tag"),
    fewest=6,
    wider=True,
    value="score",
    number=re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"),
    limit=float("inf"),
    whole=False,
    number_is="a finite number",
)
QRELS = Layout(
    kind="qrels",
    fields=("topic_id", "iteration", "doc_id", "relevance", "note"),
    fewest=4,
    wider=False,
    value="relevance",
    number=re.compile(rb"[+-]?\d+"),
    limit=1e9,
    whole=True,
    number_is="a whole number of at most nine digits",
)
