"""The count of a reading: every document is a patent, merged into one, or rejected with its reason."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from antecede.corpus.detection import ATTACHMENTS
from antecede.whole_files import WholeFile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antecede.corpus.document import Rejected

REJECTED_LIMIT = 0.05
"""Rejected beyond this share, the reading counts as failed (exit code 1)."""


@dataclass
class Ledger:
    """How many documents were read and what became of them: read = patents + merged + rejected."""

    read: int = 0
    merged: int = 0
    rejected: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    """Documents by their language, `""` where it is not known."""
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def patents(self) -> int:
        """Patents that came of it."""
        return self.read - self.merged - self.rejected

    @property
    def failed(self) -> bool:
        """Whether more was rejected than a collection may lose."""
        return loses_too_many(self.read, self.rejected, self.reasons)

    def reject(self, rejected: Rejected) -> None:
        """Count a document, or a file, that was not read."""
        self.read += 1
        self.rejected += 1
        self.reasons[rejected.reason] += 1

    def to_dict(self) -> dict[str, Any]:
        """The counts, as JSON knows them."""
        return {
            "read": self.read,
            "patents": self.patents,
            "merged": self.merged,
            "rejected": self.rejected,
            "languages": dict(self.languages.most_common()),
            "reasons": dict(self.reasons.most_common()),
        }


def loses_too_many(read: int, rejected: int, reasons: Mapping[str, int]) -> bool:
    """Whether more was rejected than a collection may lose: all, or too large a share.

    Images, DTDs and what else offices put beside patents are rejected too, but no patent is lost with them.
    """
    beside = sum(count for reason, count in reasons.items() if reason in ATTACHMENTS)
    return rejected - beside > REJECTED_LIMIT * (read - beside) or 0 < rejected == read


class RejectsFile(WholeFile):
    """`rejects.jsonl`: one line per rejected document, with file, place and reason; empty where there is none.

    It takes its name when the reading is complete: a reading that fails leaves a file of an earlier one as it is.
    """

    def __call__(self, rejected: Rejected) -> None:
        line = json.dumps(rejected.to_dict(), ensure_ascii=False)
        self.write(f"{line}\n".encode("utf-8", "backslashreplace"))


def is_rejects_line(line: bytes) -> bool:
    """Whether a line is one of `RejectsFile`."""
    try:
        found = json.loads(line)
    except ValueError:
        return False
    known = {"file", "document", "offset", "doc_id", "reason"}
    return isinstance(found, dict) and {"file", "reason"} <= {*found} <= known
