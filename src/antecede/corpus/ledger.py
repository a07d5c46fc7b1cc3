"""The counts of a reading: every document becomes a patent, is merged into one, or is rejected with a reason."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from antecede.corpus.detection import ATTACHMENTS, detect_format
from antecede.files import WholeFile
from antecede.results import concise_repr
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from antecede.corpus.collection import Collection
    from antecede.corpus.document import Rejected
    from antecede.patent import Patent

_REJECTED_LIMIT = 0.05
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
    return rejected - attachments > _REJECTED_LIMIT * (read - attachments) or 0 < rejected == read


class RejectsFile(WholeFile):
    """`rejects.jsonl`: one line per rejected document, with file, position and reason; empty if there is none.

    The file is replaced when the reading is complete: a reading that fails leaves an earlier file unchanged.
    """

    def __call__(self, rejected: Rejected) -> None:
        line = json.dumps(rejected.to_dict(), ensure_ascii=False)
        self.write(f"{line}\n".encode("utf-8", "backslashreplace"))


# A survey of files: documents, rejections, languages, and the share with a title, claims, citations …

_PARTS: dict[str, Callable[[Patent], object]] = {
    "title": lambda patent: patent.title,
    "abstract": lambda patent: patent.abstract,
    "claims": lambda patent: patent.claims,
    "description": lambda patent: patent.description,
    "IPC": lambda patent: patent.ipc,
    "citations": lambda patent: patent.citations,
    "dates": lambda patent: patent.date,
}
"""The parts of a patent whose presence is counted."""


@dataclass
class Survey:
    """What was found under one path."""

    path: str
    files: int = 0
    formats: Counter[str] = field(default_factory=Counter)
    has: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    """Documents that have text in a language; one may have text in several."""
    ledger: Ledger = field(default_factory=Ledger)

    @property
    def documents(self) -> int:
        """Documents that were read."""
        return self.ledger.read - self.ledger.rejected

    def to_dict(self) -> dict[str, Any]:
        """The counts and shares in a JSON-compatible form."""
        return {
            "path": self.path,
            "files": self.files,
            "documents": self.documents,
            "rejected": self.ledger.rejected,
            "formats": dict(self.formats.most_common()),
            "languages": dict(self.languages.most_common()),
            "shares": {part: self.has[part] / self.documents if self.documents else None for part in _PARTS},
            "reasons": dict(self.ledger.reasons.most_common()),
        }


def survey(collection: Collection) -> Survey:
    """Read a collection and count what it contains."""
    found = Survey(" ".join(str(path) for path in collection.paths))
    files: set[str] = set()
    callback = collection.on_reject

    def on_reject(rejected: Rejected) -> None:
        files.add(rejected.file)
        if callback is not None:
            callback(rejected)

    collection.on_reject = on_reject
    for raw, document in collection.read():
        files.add(raw.file)
        found.formats[detect_format(raw).name] += 1
        found.languages.update(document.languages or ("",))
        found.has.update(part for part, has in _PARTS.items() if has(document))
    collection.on_reject = callback
    found.ledger = collection.ledger
    found.files = len(files)
    return found


def survey_table(surveys: Sequence[Survey]) -> Table:
    """One row per path: what was read, and the parts present in percent of the documents."""
    columns = ("path", "files", "documents", "rejected", "formats", "languages", *(f"{part} %" for part in _PARTS))
    rows = tuple(
        (
            each.path,
            each.files,
            each.documents,
            each.ledger.rejected,
            _write_counts(each.formats),
            _write_counts(each.languages),
            *(round(100 * each.has[part] / each.documents, 1) if each.documents else None for part in _PARTS),
        )
        for each in surveys
    )
    return Table(columns, rows, digits=1)


def reasons_table(surveys: Sequence[Survey], most: int = 30) -> Table:
    """Why documents were rejected, the most frequent reasons of each path first."""
    found = [(each.path, count, reason) for each in surveys for reason, count in each.ledger.reasons.most_common()]
    notes = (f"and {len(found) - most} other reasons; --rejects writes each document's",) if len(found) > most else ()
    return Table(("path", "rejected", "reason"), tuple(found[:most]), notes=notes)


def _write_counts(counts: Counter[str]) -> str:
    """Names with their counts, the most frequent first."""
    return " ".join(f"{name or '?'} {count}" for name, count in counts.most_common())
