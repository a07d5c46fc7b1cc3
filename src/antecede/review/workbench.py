"""An index and a case store that are open together, with what is looked up in them again and again."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.engine import find_patent, read_headers, read_record
from antecede.errors import InputError, UsageError, printable
from antecede.patent.bibliography import Bibliography
from antecede.search.facets import CollectionCoverage, cover_collection

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.engine import DocumentHeader, Engine
    from antecede.patent import Patent
    from antecede.review.store import CaseStore
    from antecede.search.results import SearchResult

    Ints = NDArray[np.int64]

KEPT_RANKINGS = 64
UNKNOWN, ALONE = -1, -2
"""A document whose family was not looked up yet, and the first of those without one."""


class MissingDocumentError(UsageError):
    """A document is not in the index."""


@dataclass(eq=False)
class Workbench:
    """An index and a case store, with the rankings of recent searches."""

    index: Engine
    store: CaseStore
    calibration: Path | None = None
    """A file that `antecede review calibrate` wrote for this index, for estimates and advice."""
    calibration_note: str = ""
    """What is said of a calibration that is being made in the background, or could not be made."""
    rankings: dict[str, SearchResult] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def _families(self) -> Ints:
        """The number of the family of each document, as far as it was looked up."""
        return np.full(self.index.size, UNKNOWN, np.int64)

    @cached_property
    def _codes(self) -> dict[str, int]:
        """The numbers of families, by what the index calls them."""
        return {}

    @cached_property
    def coverage(self) -> CollectionCoverage:
        """What the index contains; counted once, since a server has one state of the index."""
        return cover_collection(self.index)

    def ranking(self, key: str, make: Callable[[], SearchResult]) -> SearchResult:
        """A ranking from memory, or made again."""
        with self.lock:
            known = self.rankings.pop(key, None)
        ranking = known if known is not None else make()
        with self.lock:
            self.rankings[key] = ranking  # as the latest
            if len(self.rankings) > KEPT_RANKINGS:
                del self.rankings[next(iter(self.rankings))]
        return ranking

    def families(self, numbers: Ints) -> Ints:
        """A number for the family of each document; one without a family is a family of its own."""
        with self.lock:
            unknown = numbers[self._families[numbers] == UNKNOWN]
            names = self.index.columns(unknown, "family_id")
            for number, (name,) in zip(unknown.tolist(), names, strict=True):
                self._families[number] = self._codes.setdefault(name, len(self._codes)) if name else ALONE - number
            return self._families[numbers]

    def patent(self, doc_id: str) -> Patent:
        try:
            return find_patent(self.index, doc_id)
        except InputError as error:
            raise MissingDocumentError(f"document {printable(doc_id)}: {error.what}") from None

    def header(self, doc_id: str) -> DocumentHeader | None:
        """What a list shows of a document of exactly this name; None where it is not in the index."""
        numbers = self.index.numbers_of(doc_id)[:1]
        return read_headers(self.index, numbers)[0] if len(numbers) else None

    def record(self, doc_id: str) -> Patent | None:
        numbers = self.index.numbers_of(doc_id)
        return read_record(self.index, int(numbers[0])) if len(numbers) else None

    def name_document(self, doc_id: str) -> dict[str, Any]:
        """A document as lists name it, also one that is not in the index any more."""
        numbers = self.index.numbers_of(doc_id)[:1]
        if not len(numbers):
            return {"doc_id": doc_id, "title": "", "date": None, "language": ""}
        names = ("doc_id", "title", "date", "language")
        ((*values, published),) = self.index.columns(numbers, "doc_id", "title", "day", "language", "published")
        kind = "publication" if published else kind_of_date(self.record(doc_id)) if values[2] else ""
        return {**dict(zip(names, values, strict=True)), "date_is": kind}


def kind_of_date(dated: Patent | Bibliography | None) -> str:
    """Which of the dates of a document is shown as its date: the one from which on it is prior art."""
    known = dated.values.get if isinstance(dated, Bibliography) else partial(getattr, dated)
    return next((kind for kind in ("publication", "filing", "priority") if known(f"{kind}_date", None)), "")
