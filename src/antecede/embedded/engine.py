"""One number per document: what an opened index knows of documents, and of their terms, by the numbers 0 … n − 1.

The documents of the segments are numbered one after the other, replaced ones included. Segments, matrices and rows stay
below: whoever searches, ranks, explains and reviews speaks of numbers, and of names where a person or a file does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.conditions.filters import Selection, find_same_class
from antecede.corpus.merge import names_of
from antecede.embedded.term_vectors import TermVectors, gather_vectors
from antecede.embedded.vectors import TermCounts
from antecede.errors import InputError, UsageError, shown
from antecede.index.documents import DocumentHeader, split_values
from antecede.index.files import damaged
from antecede.index.index import NAMED, StoredIndex
from antecede.index.matrix import AssumedLanguageMatrix
from antecede.index.statistics import Statistics, StatisticsWithout

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.conditions.filters import Filters
    from antecede.embedded.vectors import TermMatches
    from antecede.index.index import Segment
    from antecede.index.spaces import Space
    from antecede.patent import Patent

    Numbers = NDArray[np.int64]
    Floats = NDArray[np.float64]

NO_NUMBERS = np.zeros(0, np.int64)
HEADER = "doc_id, title, language, day, ipc"
BY_KEY = ("patent_number", "citations")
"""Columns by whose values documents are found together."""


@dataclass(frozen=True, eq=False)
class Days:
    """When documents were published, in days since 1970."""

    day: NDArray[np.int32]
    """From which on each is prior art; the smallest number where that is not known."""
    first: NDArray[np.int32]
    """The first day on which each may have been published, as its date or the year in its number tells; the smallest
    number where neither is known."""
    last: NDArray[np.int32]
    """The last such day; the largest number where neither is known."""


class Index(StoredIndex):
    """An index whose documents are denoted by numbers."""

    # Numbers and names

    @cached_property
    def offsets(self) -> Numbers:
        """The number of the first document of each segment, and after them that of all."""
        return np.cumsum([0, *(segment.documents for segment in self.segments)], dtype=np.int64)

    @property
    def size(self) -> int:
        """How many numbers there are; those of replaced documents count."""
        return int(self.offsets[-1])

    def split(self, numbers: Numbers) -> Iterator[tuple[Numbers, Segment, Numbers]]:
        """For each segment that has some of the documents: which of them, the segment, and their numbers in it."""
        if len(self.segments) == 1:
            if len(numbers):
                yield np.arange(len(numbers)), self.segments[0], numbers
            return
        owners = np.searchsorted(self.offsets, numbers, side="right") - 1
        for at, segment in enumerate(self.segments):
            here = np.flatnonzero(owners == at)
            if len(here):
                yield here, segment, numbers[here] - self.offsets[at]

    def _join(self, parts: Iterable[tuple[int, NDArray[Any]]]) -> Numbers:
        """The numbers of documents that are given by their numbers in each segment."""
        found = [NO_NUMBERS, *(self.offsets[at] + own.astype(np.int64) for at, own in parts)]
        return np.concatenate(found)

    def all_numbers(self) -> Numbers:
        """The numbers of all documents that were not replaced, ascending."""
        return self._join((at, np.flatnonzero(segment.live)) for at, segment in enumerate(self.segments))

    def numbers_of(self, name: str) -> Numbers:
        """The document with exactly this name, or else all documents with the patent number that it denotes."""
        position = {segment.name: at for at, segment in enumerate(self.segments)}
        return self._join((position[segment.name], np.array([own])) for segment, own in self.find_all(name))

    def number_of(self, name: str) -> int | None:
        """The document of a name, or of a patent number in any customary form; None where there is none.

        A number that several documents share is refused: the caller must name one of them.
        """
        numbers = self.numbers_of(name)
        if len(numbers) > 1:
            what = self.explain_no_document(numbers)
            raise InputError(what, source=str(self.folder), doc_id=name, remedy="name one of these")
        return int(numbers[0]) if len(numbers) else None

    def numbers(self, names: Sequence[str]) -> Numbers:
        """What `number_of` finds for each of many names; −1 where there is no document."""
        found = map(self.number_of, names)
        return np.array([-1 if number is None else number for number in found], np.int64)

    def patent(self, name: str) -> Patent:
        """The complete patent, by name or number."""
        number = self.number_of(name)
        if number is None:
            raise InputError("is not in the index", source=str(self.folder), doc_id=name, remedy="check the number")
        return self.record(number)

    def explain_no_document(self, numbers: Numbers) -> str:
        """Why a name does not identify a document: none has it, or several share the patent number that it denotes."""
        if not len(numbers):
            return "is not in the index"
        names = [*map(shown, self.names(numbers[:NAMED]))]
        return f"is the number of {len(numbers)} documents: {', '.join(names)}{' …' if len(numbers) > NAMED else ''}"

    def names(self, numbers: Numbers) -> list[str]:
        """The names of documents."""
        names = np.empty(len(numbers), np.object_)
        for here, segment, own in self.split(numbers):
            names[here] = segment.doc_ids(own)
        found: list[str] = names.tolist()
        return found

    def name_ranks(self, numbers: Numbers) -> Numbers:
        """Numbers that order documents as the bytes of their names do."""
        if len(self.segments) == 1:
            return np.asarray(self.segments[0].order[numbers], np.int64) if len(numbers) else NO_NUMBERS
        names = np.array([name.encode() for name in self.names(numbers)], np.object_)
        return np.argsort(np.argsort(names, kind="stable"), kind="stable")

    def relatives(self, names: Iterable[str], family: str | None) -> Numbers:
        """The documents of some names, or of the patent numbers that these write out, and those of a family."""
        parts = []
        every = [*names]
        for at, segment in enumerate(self.segments):
            own = {number for name in every for number in segment.store.numbers_named(name)}
            if family is not None:
                own.update(segment.store.numbers_with("family_id", family).tolist())
            found = np.array(sorted(own), np.int64)
            parts.append((at, found[segment.live[found]] if len(found) else found))
        return self._join(parts)

    # What is known of documents

    def columns(self, numbers: Numbers, *columns: str) -> list[tuple[Any, ...]]:
        """Columns of documents, as the index stores them: a list as one text, None where nothing is known."""
        rows: list[tuple[Any, ...]] = [()] * len(numbers)
        for here, segment, own in self.split(numbers):
            known = segment.store.by_number(", ".join(columns), own.tolist())
            for at, number in zip(here.tolist(), own.tolist(), strict=True):
                rows[at] = known[number]
        if any(value is not None and type(value) is not str for row in rows for value in row):
            raise damaged(self.segments[0].store.path, f"a column of a document is not a text ({', '.join(columns)})")
        return rows

    def lists(self, numbers: Numbers, column: str) -> list[tuple[str, ...]]:
        """The values of a column with several (`ipc`, `cpc`, `applicants`, `inventors`, `citations`)."""
        return [split_values(value or "") for (value,) in self.columns(numbers, column)]

    def headers(self, numbers: Numbers) -> list[DocumentHeader]:
        """What a list of hits shows of documents."""
        headers: list[Any] = [None] * len(numbers)
        for here, segment, own in self.split(numbers):
            for at, header in zip(here.tolist(), segment.store.headers(own.tolist()), strict=True):
                headers[at] = header
        return headers

    def days(self, numbers: Numbers) -> Days:
        """When documents were published."""
        days = np.zeros((3, len(numbers)), np.int32)
        for here, segment, own in self.split(numbers):
            days[0, here], days[2, here] = segment.days[own], segment.last_days[own]
            days[1, here] = segment.first_days[own]
        return Days(*days)

    def days_of(self, numbers: Numbers) -> Numbers:
        """The day from which on each of some documents is prior art; see `Days`."""
        days = np.zeros(len(numbers), np.int64)
        for here, segment, own in self.split(numbers):
            days[here] = segment.days[own]
        return days

    def last_days_of(self, numbers: Numbers) -> NDArray[np.int32]:
        """The last day on which each of some documents may have been published; see `Days`."""
        days = np.zeros(len(numbers), np.int32)
        for here, segment, own in self.split(numbers):
            days[here] = segment.last_days[own]
        return days

    def having(self, column: str, values: Sequence[str]) -> dict[str, list[int]]:
        """Value → the documents that have it in a column, ascending; a value that none has is left out.

        Columns are `patent_number` and `citations`, whose values are keys of patent numbers, and `family_id`.
        """
        found: dict[str, list[int]] = {}
        for at, segment in enumerate(self.segments):
            store, offset = segment.store, int(self.offsets[at])
            if column == "patent_number":
                own = store.numbers_by_key(values)
            elif column == "citations":
                own = store.citing(values)
            else:
                own = {value: store.numbers_with(column, value).tolist() for value in values}
            for value, numbers in own.items():
                live = [offset + number for number in numbers if segment.live[number]]
                if live:
                    found.setdefault(value, []).extend(live)
        return found

    def have(self, numbers: Numbers, column: str, values: Iterable[str]) -> NDArray[np.bool_]:
        """Which documents have one of some values in a list, names as they are compared."""
        keys, met = [*values], np.zeros(len(numbers), np.bool_)
        for here, segment, own in self.split(numbers):
            with_one = segment.store.with_values(column, keys, own.tolist())
            met[here] = [number in with_one for number in own.tolist()]
        return met

    def has_values(self, *columns: str) -> bool:
        """Whether a document of the index has a value in one of these lists."""
        return any(segment.store.has_values(columns) for segment in self.segments)

    def record(self, number: int) -> Patent:
        """The complete patent of a number."""
        at = int(np.searchsorted(self.offsets, number, side="right")) - 1
        return self.segments[at].store.record(int(number - self.offsets[at]))

    def records(self, numbers: Iterable[int]) -> Iterator[Patent]:
        """The complete patents of some numbers, one after the other; memory is released on the way."""
        for number in numbers:
            yield self.record(number)
            at = int(np.searchsorted(self.offsets, number, side="right")) - 1
            self.segments[at].store.release_pages(number)

    # Conditions

    def select(self, filters: Filters) -> Selection:
        """The documents that pass filters."""
        return Selection(self, filters)

    same_class = find_same_class

    def list_documents(self, filters: Filters, without: Container[str], most: int) -> list[str]:
        """The first documents by name that pass filters, segment by segment."""
        names: list[str] = []
        for segment in self.segments if most > 0 else ():
            mask = filters.allowed(segment)
            live = np.flatnonzero(segment.live if mask is None else mask).astype(np.int64)
            names += sorted(name for name in segment.doc_ids(live) if name not in without)
        return names[: max(0, most)]

    def latest(self, language: str, filters: Filters, most: int) -> Numbers:
        """The latest documents in a language that pass filters, of one day by the order of their names."""
        parts = []
        for at, (segment, matrix) in enumerate(self.matrices(language)):
            mask = filters.allowed(segment)
            rows = np.flatnonzero((segment.live if mask is None else mask)[matrix.documents])
            documents = matrix.documents[rows]
            days, names = segment.days[documents].astype(np.int64), segment.order[documents].astype(np.int64)
            chosen = np.lexsort((names, -days))[:most]
            numbers = self.numbers_of_rows(language, at, rows[chosen])
            parts.append(np.stack([numbers, -days[chosen], names[chosen], np.full(len(chosen), at)]))
        numbers, days, names, at = np.concatenate([np.zeros((4, 0), np.int64), *parts], axis=1)
        latest: Numbers = numbers[np.lexsort((at, names, days))[:most]]
        return latest

    # Spaces

    def neighbours(
        self, space: Space, vector: NDArray[np.float32], k: int, filters: Filters
    ) -> tuple[Numbers, NDArray[np.float32]]:
        """The documents that pass filters with the largest cosines with a vector, best first, and the cosines."""
        matrices = self.matrices(space.language)
        masks = [filters.allowed(segment) for segment, _ in matrices]
        allowed = [
            None if mask is None else mask[matrix.documents] for mask, (_, matrix) in zip(masks, matrices, strict=True)
        ]
        places, scores = space.nearest(vector, k, allowed)
        numbers = np.zeros(len(places), np.int64)
        for at in range(len(matrices)):
            here = np.flatnonzero(places[:, 0] == at)
            if len(here):
                numbers[here] = self.numbers_of_rows(space.language, at, places[here, 1])
        return numbers, scores

    def cosines(self, space: Space, vector: NDArray[np.float32], numbers: Numbers) -> NDArray[np.float32]:
        """The cosine of a vector with each of some documents that have text in the language of the space."""
        return space.scores_at(vector, np.stack(self.locate_rows(numbers, space.language), axis=1))

    # Terms

    def locate_rows(self, numbers: Numbers, language: str, *, assumed: bool = True) -> tuple[Numbers, Numbers]:
        """For each document the position of the matrix of a language that has it, and its row there; −1 for neither.

        `assumed` says whether documents of unknown language are looked at as if they were in the language.
        """
        at, rows = np.full(len(numbers), -1), np.full(len(numbers), -1)
        matrices = self.matrices(language) if assumed else self.filed_matrices(language)
        for here, segment, own in self.split(numbers):
            for position, (owner, matrix) in enumerate(matrices):
                if owner is segment:
                    found = matrix.rows_of(own)
                    there = np.flatnonzero(found >= 0)
                    at[here[there]], rows[here[there]] = position, found[there]
        return at, rows

    def numbers_of_rows(self, language: str, at: int, rows: Numbers) -> Numbers:
        """The documents of rows of the matrix at a position among those of a language."""
        segment, matrix = self.matrices(language)[at]
        return self._join([(self.segments.index(segment), matrix.documents[rows])])

    def lengths(self, numbers: Numbers, language: str, *, assumed: bool = True) -> Numbers:
        """The number of tokens of each document in a language; −1 for one without text in it."""
        lengths = np.full(len(numbers), -1, np.int64)
        where, rows = self.locate_rows(numbers, language, assumed=assumed)
        for at, (_, matrix) in enumerate(self.matrices(language) if assumed else self.filed_matrices(language)):
            here = np.flatnonzero(where == at)
            if len(here):
                lengths[here] = matrix.lengths[rows[here]]
        return lengths

    def are_assumed(self, numbers: Numbers, language: str) -> NDArray[np.bool_]:
        """Which documents are of unknown language, and are found by a search in a language as if they were in it."""
        matrices = self.matrices(language)
        kinds = np.array([*(isinstance(matrix, AssumedLanguageMatrix) for _, matrix in matrices), False], np.bool_)
        return kinds[self.locate_rows(numbers, language)[0]] if kinds.any() else np.zeros(len(numbers), np.bool_)

    def statistics_without(self, language: str, numbers: Numbers) -> Statistics:
        """The statistics of a language as if some documents were not in the index."""
        matrices = [matrix for _, matrix in self.matrices(language)]
        where, rows = self.locate_rows(numbers, language)
        own = [np.sort(rows[where == at]) for at in range(len(matrices))]
        return StatisticsWithout(self.statistics(language), own)

    def vectors(
        self, numbers: Numbers, language: str, also: Sequence[str] = (), *, assumed: bool = True
    ) -> TermVectors:
        """The term counts of documents that have text in a language, over their terms and those of `also`."""
        pairs = self.matrices(language) if assumed else self.filed_matrices(language)
        matrices = [matrix for _, matrix in pairs]
        where, rows = self.locate_rows(numbers, language, assumed=assumed)
        if len(where) and where.min() < 0:
            raise UsageError(f"a document has no text in {language or 'an unknown language'}")
        parts = [np.flatnonzero(where == at) for at in range(len(matrices))]
        vectors = gather_vectors(matrices, [rows[part] for part in parts], [matrix.find(also) for matrix in matrices])
        order = np.concatenate([NO_NUMBERS, *parts])
        return vectors if (order == np.arange(len(order))).all() else vectors.take(np.argsort(order))

    def matches(self, terms: tuple[str, ...], numbers: Numbers, language: str) -> TermMatches:
        """Where terms occur in documents that have text in a language."""
        return TermCounts(self, numbers, language).match(terms)

    def norms(self, numbers: Numbers, language: str) -> Floats:
        """√Σ_t ((1 + log n) · log((N + 1) / df))² of each document, over all of its terms."""
        return TermCounts(self, numbers, language).norms


def relatives_of(index: Index, patent: Patent) -> Numbers:
    """The documents of a patent itself and of its family."""
    return index.relatives(names_of(patent), patent.family_id)


def open_index(folder: str | Path) -> Index:
    """Open an index for reading: `Index.open`."""
    return Index.open(folder)
