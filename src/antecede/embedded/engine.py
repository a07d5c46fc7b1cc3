"""The embedded engine: an index in a folder of this machine, by the numbers of its documents.

The documents of the segments are numbered one after the other, replaced ones included. Segments, matrices and rows stay
below: those of a language are its own matrices and, for the documents of unknown language, those that are analysed as
if they were in it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.conditions.classes import beginning_of
from antecede.conditions.filters import Filters
from antecede.embedded.evaluation import prepare
from antecede.embedded.facets import count_facets
from antecede.embedded.searcher import searcher_for
from antecede.embedded.selection import MaskSelection, of_engine
from antecede.embedded.spaces import EmbeddedSpace
from antecede.embedded.term_vectors import gather_vectors
from antecede.embedded.vectors import TermCounts
from antecede.engine import LATEST_DAY, UNKNOWN_DAY, Capability, Days, Searchable, Selection, number_of
from antecede.errors import UsageError
from antecede.index.documents import NEVER_NULL
from antecede.index.files import damaged
from antecede.index.index import StoredIndex
from antecede.index.matrix import AssumedLanguageMatrix
from antecede.index.statistics import Statistics, StatisticsWithout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from antecede.arrays import Floats, Ints, Mask
    from antecede.conditions.classes import ClassQuestion
    from antecede.engine import FacetTotals, Hits, Impacts, QueryTerms, TermVectors
    from antecede.index.index import Segment
    from antecede.index.matrix import Matrix
    from antecede.models import Model
    from antecede.patent import Patent
    from antecede.term_matches import TermMatches


NO_NUMBERS = np.zeros(0, np.int64)
NO_FILTERS = Filters()
EVERY_CAPABILITY = frozenset(Capability)


class EmbeddedEngine(StoredIndex, Searchable):
    """One state of an index in a folder. `open_index` opens one."""

    kind = "embedded"
    capabilities = EVERY_CAPABILITY
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        languages = ", ".join(language or "unknown" for language in self.languages)
        return f"<Index {self.folder}: {self.documents} documents in {languages or 'no language'}>"

    # Ints and names

    @cached_property
    def offsets(self) -> Ints:
        """The number of the first document of each segment, and after them that of all."""
        return np.cumsum([0, *(segment.documents for segment in self.segments)], dtype=np.int64)

    @property
    def size(self) -> int:
        return int(self.offsets[-1])

    def split(self, numbers: Ints) -> Iterator[tuple[Ints, Segment, Ints]]:
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

    def _join(self, parts: Iterable[tuple[int, NDArray[Any]]]) -> Ints:
        """The numbers of documents that are given by their numbers in each segment."""
        return np.concatenate([NO_NUMBERS, *(self.offsets[at] + own.astype(np.int64) for at, own in parts)])

    def all_numbers(self) -> Ints:
        return self._join((at, np.flatnonzero(segment.live)) for at, segment in enumerate(self.segments))

    def numbers_of(self, name: str) -> Ints:
        for at in range(len(self.segments) - 1, -1, -1):
            segment = self.segments[at]
            number = segment.store.number_of(name)
            if number is not None and segment.live[number]:
                return self._join([(at, np.array([number]))])
        every = ((at, np.array(each.store.numbers_of_patent(name), np.int64)) for at, each in enumerate(self.segments))
        return self._join((at, numbers[self.segments[at].live[numbers]]) for at, numbers in every)

    def numbers(self, names: Sequence[str]) -> Ints:
        numbers = (number_of(self, name) for name in names)
        return np.array([-1 if number is None else number for number in numbers], np.int64)

    def names(self, numbers: Ints) -> list[str]:
        if len(self.segments) == 1:
            return self.segments[0].doc_ids(numbers)
        texts = np.empty(len(numbers), np.object_)
        for here, segment, own in self.split(numbers):
            texts[here] = segment.doc_ids(own)
        listed: list[str] = texts.tolist()
        return listed

    def name_ranks(self, numbers: Ints) -> Ints:
        if len(self.segments) == 1:
            return self.segments[0].order[numbers].astype(np.int64)
        names = np.array([name.encode() for name in self.names(numbers)], np.object_)
        return np.argsort(np.argsort(names, kind="stable"), kind="stable")

    # What is known of documents

    def columns(self, numbers: Ints, *columns: str) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = [()] * len(numbers)
        for here, segment, own in self.split(numbers):
            known = segment.store.by_number(columns, own.tolist())
            for at, number in zip(here.tolist(), own.tolist(), strict=True):
                rows[at] = known[number]
            for name, values in zip(columns, zip(*known.values(), strict=True), strict=True):
                kinds = {*map(type, values)}
                if not kinds <= ({str} if name in NEVER_NULL else {str, type(None)}):
                    raise damaged(segment.store.path, f"a column of a document is not a text ({name})")
        return rows

    def days(self, numbers: Ints) -> Days:
        days, last = np.zeros(len(numbers), np.int32), np.zeros(len(numbers), np.int32)
        for here, segment, own in self.split(numbers):
            days[here], last[here] = segment.days[own], segment.last_days[own]
        return Days(days, last)

    def having(self, column: str, values: Sequence[str]) -> dict[str, list[int]]:
        owners: dict[str, list[int]] = {}
        for at, segment in enumerate(self.segments):
            offset = int(self.offsets[at])
            if column == "number":  # in any customary form
                known = {value: segment.store.numbers_of_patent(value) for value in values}
            else:
                known = segment.store.numbers_by(column, values)
            for value, numbers in known.items():
                if live := [offset + number for number in numbers if segment.live[number]]:
                    owners.setdefault(value, []).extend(live)
        return owners

    def have(self, numbers: Ints, column: str, values: Iterable[str]) -> Mask:
        sought, met = [*values], np.zeros(len(numbers), np.bool_)
        for here, segment, own in self.split(numbers):
            having = segment.store.with_values(column, sought, own.tolist())
            met[here] = [number in having for number in own.tolist()]
        return met

    def has_values(self, *columns: str) -> bool:
        return any(segment.store.has_values(columns) for segment in self.segments)

    def records(self, numbers: Iterable[int]) -> Iterator[Patent]:
        for number in numbers:
            at = int(np.searchsorted(self.offsets, number, side="right")) - 1
            own, store = int(number - self.offsets[at]), self.segments[at].store
            yield store.record(own)
            store.release_pages(own)

    @cached_property
    def undated(self) -> int:
        return sum(int((segment.live & (segment.last_days == LATEST_DAY)).sum()) for segment in self.segments)

    @cached_property
    def without_day(self) -> int:
        return sum(int((segment.live & (segment.days == UNKNOWN_DAY)).sum()) for segment in self.segments)

    # Conditions

    def select(self, filters: Filters) -> MaskSelection:
        """The documents that pass filters; several steps of a search ask for those of the same."""
        known: MaskSelection | None = self.cache.get("selection")
        if known is None or known.filters is not filters:
            known = self.cache["selection"] = MaskSelection(self, filters)
        return known

    def prepare(self) -> None:
        prepare(self)

    def facets(
        self, filters: Filters, languages: Sequence[str] | None, retrieved: Sequence[str], nodes: Mapping[str, str]
    ) -> FacetTotals:
        return count_facets(self, filters, languages, retrieved, nodes)

    def latest(self, language: str, selection: Selection, most: int) -> Ints:
        parts, allowed = [NO_NUMBERS], of_engine(selection)
        for at, (segment, matrix) in enumerate(self.matrices(language)):
            mask = allowed.mask(segment)
            rows = np.flatnonzero((segment.live if mask is None else mask)[matrix.documents])
            documents = matrix.documents[rows]
            chosen = np.lexsort((segment.order[documents], -segment.days[documents].astype(np.int64)))[:most]
            parts.append(self.numbers_of_rows(language, at, rows[chosen]))
        numbers = np.concatenate(parts)
        return numbers[np.lexsort((self.name_ranks(numbers), -self.days(numbers).day.astype(np.int64)))[:most]]

    def same_class(self, question: ClassQuestion) -> Ints:
        """Those of unknown language come last; of too many, the nearest are taken."""
        numbers, shared = NO_NUMBERS, NO_NUMBERS
        for level in question.levels:
            numbers, shared = self._find_sharing(question, level)
            if len(numbers) >= max(question.fewest, 1):
                break
        if len(numbers) <= question.most:
            return numbers
        order = np.lexsort((np.arange(len(numbers)), -self.days(numbers).day.astype(np.int64), -shared))
        return numbers[np.sort(order[: question.most])]

    def _find_sharing(self, question: ClassQuestion, level: str) -> tuple[Ints, Ints]:
        """The documents that share a code at a level, and the number of shared codes."""
        numbers, shared = [NO_NUMBERS], [NO_NUMBERS]
        sought = dict.fromkeys(beginning_of(code, level) for code in question.codes)
        for at, (segment, matrix) in enumerate(self.matrices(question.language)):
            store = segment.store
            if level == "group":
                known = store.numbers_by("ipc", [*sought])
                matches = [np.array(known.get(code, ()), np.int64) for code in sought]
            else:
                matches = [store.numbers_with_prefix("ipc", beginning).astype(np.int64) for beginning in sought]
            documents, times = np.unique(np.concatenate([NO_NUMBERS, *matches]), return_counts=True)
            rows = matrix.rows_of(documents)
            kept = (rows >= 0) & (matrix.lengths[rows] > 0)
            sharing = self.numbers_of_rows(question.language, at, rows[kept])
            allowed = of_engine(question.selection).contains(sharing)
            numbers.append(sharing[allowed])
            shared.append(times[kept][allowed])
        return np.concatenate(numbers), np.concatenate(shared)

    # Terms

    def statistics(self, language: str, *, assumed: bool = True, without: Ints | None = None) -> Statistics:
        if not assumed:
            return Statistics(language, [matrix for _, matrix in self.filed_matrices(language)])
        searched = self.searched_statistics(language)
        if without is None:
            return searched
        where, rows = self.locate_rows(without, language)
        return StatisticsWithout(searched, [np.sort(rows[where == at]) for at in range(len(searched.matrices))])

    def locate_rows(self, numbers: Ints, language: str, *, assumed: bool = True) -> tuple[Ints, Ints]:
        """For each document the position of the matrix of a language that has it, and its row there; −1 for neither."""
        at, rows = np.full(len(numbers), -1), np.full(len(numbers), -1)
        matrices = self._matrices_of(language, assumed)
        for here, segment, own in self.split(numbers):
            for position, (owner, matrix) in enumerate(matrices):
                if owner is segment:
                    own_rows = matrix.rows_of(own)
                    there = np.flatnonzero(own_rows >= 0)
                    at[here[there]], rows[here[there]] = position, own_rows[there]
        return at, rows

    def _matrices_of(self, language: str, assumed: bool) -> list[tuple[Segment, Matrix]]:
        return self.matrices(language) if assumed else self.filed_matrices(language)

    def numbers_of_rows(self, language: str, at: int, rows: Ints) -> Ints:
        """The documents of rows of the matrix at a position among those of a language."""
        segment, matrix = self.matrices(language)[at]
        return self._join([(self.segments.index(segment), matrix.documents[rows])])

    def lengths(self, numbers: Ints, language: str, *, assumed: bool = True) -> Ints:
        lengths = np.full(len(numbers), -1, np.int64)
        where, rows = self.locate_rows(numbers, language, assumed=assumed)
        for at, (_, matrix) in enumerate(self._matrices_of(language, assumed)):
            here = np.flatnonzero(where == at)
            if len(here):
                lengths[here] = matrix.lengths[rows[here]]
        return lengths

    def are_assumed(self, numbers: Ints, language: str) -> Mask:
        kinds = np.array([*(isinstance(each, AssumedLanguageMatrix) for _, each in self.matrices(language)), False])
        return kinds[self.locate_rows(numbers, language)[0]] if kinds.any() else np.zeros(len(numbers), np.bool_)

    def vectors(self, numbers: Ints, language: str, also: Sequence[str] = (), *, assumed: bool = True) -> TermVectors:
        matrices = [matrix for _, matrix in self._matrices_of(language, assumed)]
        where, rows = self.locate_rows(numbers, language, assumed=assumed)
        if len(where) and where.min() < 0:
            raise UsageError(f"a document has no text in {language or 'an unknown language'}")
        parts = [np.flatnonzero(where == at) for at in range(len(matrices))]
        vectors = gather_vectors(matrices, [rows[part] for part in parts], [matrix.find(also) for matrix in matrices])
        order = np.concatenate([NO_NUMBERS, *parts])
        return vectors if (order == np.arange(len(order))).all() else vectors.take(np.argsort(order))

    def matches(self, terms: tuple[str, ...], numbers: Ints, language: str) -> TermMatches:
        return TermCounts(self, numbers, language).match(terms)

    def norms(self, numbers: Ints, language: str) -> Floats:
        return TermCounts(self, numbers, language).norms

    def fullest_document(self, language: str, term: str) -> int | None:
        """The document that has a term most often, of the first segment in which one has it that was not replaced."""
        for at, (_, matrix) in enumerate(self.matrices(language)):
            number = matrix.find([term])
            if number[0] >= 0:
                postings = matrix.postings_of(number)
                rows = postings.items.astype(np.int64)
                counts = np.where(np.isin(rows, matrix.deleted), 0, postings.counts)
                if counts.any():
                    return int(self.numbers_of_rows(language, at, rows[[np.argmax(counts)]])[0])
        return None

    # Ranking

    def retrieve(
        self,
        query: QueryTerms,
        k: int,
        selection: Selection | None = None,
        model: Model | str = "bm25",
        *,
        approximate: bool = False,  # noqa: ARG002 - every model is exact here
        keep_scores: bool = False,
    ) -> Hits:
        chosen = self.select(NO_FILTERS) if selection is None else of_engine(selection)
        return searcher_for(self, model).search(query, k, chosen, keep_scores=keep_scores)

    def impacts(self, query: QueryTerms, number: int, model: Model | str = "bm25") -> Impacts:
        return searcher_for(self, model).impacts(query, number)

    # Spaces

    def space(self, language: str, kind: str) -> EmbeddedSpace | None:
        stored = self.stored_space(language, kind)
        return None if stored is None else EmbeddedSpace(self, stored)
