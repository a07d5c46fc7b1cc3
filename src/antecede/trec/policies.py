"""What to do with input that is not clean. The defaults are strict: nothing is corrected silently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from antecede.errors import UsageError, shown

Duplicates = Literal["error", "first", "last", "keep"]
Malformed = Literal["error", "skip"]
Ties = Literal["docid", "input", "rank"]
Order = Literal["score", "rank", "input"]

LARGEST_RANK = 2**31 - 1
"""The largest rank that a rank table holds."""


@dataclass(frozen=True)
class Policies:
    """How irregular runs and qrels are treated."""

    duplicates: Duplicates = "error"
    """A document twice in a topic: refuse the file, use its first or last line, or count each copy as a document."""
    malformed: Malformed = "error"
    """A line that cannot be read: refuse the file, or leave the line out and count it."""
    ties: Ties = "docid"
    """Equal scores: by document id descending (as in trec_eval), in the order of the file, or by the rank column."""
    depth: int | None = None
    """Read only the first `depth` documents of each topic (trec_eval's -M)."""
    order: Order = "score"
    """What a ranking is ordered by: the scores (as in trec_eval), the rank column, or the order of the file."""

    def __post_init__(self) -> None:
        for name, kind in {"duplicates": Duplicates, "malformed": Malformed, "ties": Ties, "order": Order}.items():
            choices, value = get_args(kind), getattr(self, name)
            if value not in choices:
                raise UsageError(f"{name}: there is no {value!r}; choose one of {', '.join(choices)}")
        if self.depth is not None and not 1 <= self.depth <= LARGEST_RANK:
            raise UsageError(f"depth: {shown(str(self.depth), 30)} is out of range; give 1 to {LARGEST_RANK}")
        if self.order != "score" and self.ties != "docid":
            raise UsageError(
                f"ties: equal scores matter only where documents are ordered by score; leave it out with {self.order}"
            )
