"""The counts of a reading: every document becomes a patent, is merged into one, or is rejected with a reason."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from antecede.corpus.detection import ATTACHMENTS
from antecede.files import WholeFile
from antecede.results import concise_repr

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antecede.corpus.document import Rejected

REJECTED_LIMIT = 0.05
"""The share of rejected documents above which a reading has failed (exit code 1)."""


@dataclass
class Ledger:
    """Counts of the documents read: read = patents + merged + rejected."""

    __repr__ = concise_repr

    read: int = 0
    merged: int = 0
    rejected: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    """Documents per language, `""` where it is unknown."""
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def patents(self) -> int:
        """The number of resulting patents."""
        return self.read - self.merged - self.rejected

    @property
    def failed(self) -> bool:
        """Whether too many documents were rejected."""
        return loses_too_many(self.read, self.rejected, self.reasons)

    def reject(self, rejected: Rejected) -> None:
        """Count a document, or a file, that was not read."""
        self.read += 1
        self.rejected += 1
        self.reasons[rejected.reason] += 1

    def to_dict(self) -> dict[str, Any]:
        """The counts in a JSON-compatible form."""
        return {
            "read": self.read,
            "patents": self.patents,
            "merged": self.merged,
            "rejected": self.rejected,
            "languages": dict(self.languages.most_common()),
            "reasons": dict(self.reasons.most_common()),
        }


def loses_too_many(read: int, rejected: int, reasons: Mapping[str, int]) -> bool:
    """Whether too many documents were rejected: all, or too large a share.

    Images, DTDs and other files that offices distribute with patents are rejected too, but no patent is lost with them.
    """
    attachments = sum(count for reason, count in reasons.items() if reason in ATTACHMENTS)
    return rejected - attachments > REJECTED_LIMIT * (read - attachments) or 0 < rejected == read


class RejectsFile(WholeFile):
    """`rejects.jsonl`: one line per rejected document, with file, position and reason; empty if there is none.

    The file is replaced when the reading is complete: a reading that fails leaves an earlier file unchanged.
    """

    def __call__(self, rejected: Rejected) -> None:
        line = json.dumps(rejected.to_dict(), ensure_ascii=False)
        self.write(f"{line}\n".encode("utf-8", "backslashreplace"))


def is_rejects_line(line: bytes) -> bool:
    """Whether a line was written by `RejectsFile`."""
    try:
        found = json.loads(line)
    except ValueError:
        return False
    known = {"file", "document", "offset", "doc_id", "reason"}
    return isinstance(found, dict) and {"file", "reason"} <= {*found} <= known
