"""The interface of an engine: how the code above uses an index, in a folder or on a cluster.

An opened state of an index numbers its documents 0 … n − 1. Numbers mean something within one opened state only; what
outlives it (a run, a case, an export) holds names. Searching, ranking, explaining and reviewing use what `Engine`
declares and nothing else of an engine: no segments, matrices, shards or SQL.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from antecede.errors import InputError, UsageError, printable, require_type
from antecede.hooks import call as call_hook
from antecede.results import concise_repr

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.arrays import F32, I32, Floats, Ints, Mask
    from antecede.conditions.classes import ClassQuestion
    from antecede.conditions.filters import Coverage, Filters
    from antecede.models import Model
    from antecede.patent import Patent
    from antecede.term_matches import TermMatches
    from antecede.text.analyzer import Analyzer
    from antecede.text.profiles import Profile

    Numbers = Ints

UNKNOWN = ""
"""The language of documents whose language is not known."""
EPOCH = date(1970, 1, 1)
UNKNOWN_DAY, LATEST_DAY = np.iinfo(np.int32).min, np.iinfo(np.int32).max
"""The first and the last day on which a document may have been published of which not even the year is known."""
NAMED = 5
"""Documents that a message names."""


class Capability(Enum):
    """What an engine may lack; callers that need it call `require`."""

    WALK = "reading every document"
    SPACES = "latent spaces"
    TRANSLATION = "a stored table of translations"
    PROCESSES = "searching with several processes"


class QueryTerms(Protocol):
    """The parts of a query that an engine uses."""

    @property
    def terms(self) -> tuple[str, ...]: ...

    @property
    def weights(self) -> Floats: ...

    @property
    def language(self) -> str: ...

    def __len__(self) -> int: ...


# The values that engines return


@dataclass(frozen=True, slots=True)
class DocumentHeader:
    """What a list of hits shows of a document."""

    doc_id: str
    title: str
    language: str
    day: str | None
    """When it was published, or the earliest day known."""
    ipc: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Days:
    """When documents were published, in days since 1970."""

    day: I32
    """The day from which each is prior art; the smallest number where that is not known."""
    last: I32
    """The last day on which each may have been published, as its date or the year in its number tells; the largest
    number where neither is known."""


@dataclass(frozen=True)
class Frequencies:
    """Document frequencies and collection frequencies of terms."""

    documents: Numbers
    occurrences: Numbers


class SortedTerms(Protocol):
    """Terms in alphabetical order; strings are made on access."""

    def __len__(self) -> int: ...

    def __getitem__(self, place: int) -> str: ...

    def find(self, terms: Sequence[str]) -> Numbers:
        """The places of terms; −1 for one that is not there."""


class Statistics(Protocol):
    """The statistics of the documents that a search in a language covers."""

    @property
    def documents(self) -> int: ...

    @property
    def tokens(self) -> int: ...

    @property
    def average_length(self) -> float: ...

    def frequencies(self, terms: Sequence[str]) -> Frequencies: ...

    def frequencies_in(self, vocabulary: Any) -> Frequencies:
        """The frequencies of all terms of a vocabulary of the same language, which this engine gave."""


@dataclass(frozen=True, eq=False)
class TermVectors:
    """Documents × terms; each document has at least one term, and those of document d are at ptr[d] … ptr[d + 1]."""

    ptr: Numbers
    terms: Numbers
    """Places in the vocabulary."""
    counts: Floats
    lengths: Floats
    """|d|, the number of tokens of each document."""
    vocabulary: SortedTerms

    def __len__(self) -> int:
        return len(self.lengths)

    def take(self, which: Numbers) -> TermVectors:
        """The vectors of some of the documents."""
        sizes = np.diff(self.ptr)[which]
        ptr = np.concatenate(([0], np.cumsum(sizes)))
        entries = np.arange(int(ptr[-1])) + np.repeat(self.ptr[:-1][which] - ptr[:-1], sizes)
        return TermVectors(ptr, self.terms[entries], self.counts[entries], self.lengths[which], self.vocabulary)

    def by_term(self, weights: Floats) -> Floats:
        """Σ_d P(t|d) · w(d) for each term, P(t|d) = n(t, d) / |d|: a product with a vector from the left."""
        spread = self._shares * np.repeat(weights, np.diff(self.ptr))
        return np.bincount(self.terms, weights=spread, minlength=len(self.vocabulary)).astype(np.float64, copy=False)

    def by_document(self, weights: Floats) -> Floats:
        """Σ_t P(t|d) · w(t) for each document: a product with a vector from the right."""
        return np.add.reduceat(self._shares * weights[self.terms], self.ptr[:-1])

    @property
    def _shares(self) -> Floats:
        return self.counts / np.repeat(self.lengths, np.diff(self.ptr))


@dataclass(frozen=True)
class Certificate:
    """Evidence that the documents of a search on a cluster are the best ones."""

    k: int
    candidates: int
    """Documents that were scored exactly."""
    widened: int
    """How often further candidates were fetched because the first did not suffice."""
    exact: bool
    """False for an approximate ranking, which must be requested."""


@dataclass(frozen=True, eq=False)
class Hits:
    """The documents that a search found, best first: numbers and scores. Everything else is looked up on demand."""

    __repr__ = concise_repr

    numbers: Numbers
    scores: F32
    language: str
    """The language that was searched."""
    unmatched: tuple[str, ...] = ()
    """Query terms that occur in no document."""
    certificate: Certificate | None = None
    """Of a search on a cluster."""
    score_of: Callable[[Numbers], F32] | None = None
    """Returns the scores of any documents with text in the language, if scores were kept."""

    def __len__(self) -> int:
        return len(self.numbers)

    def scores_of(self, numbers: Numbers) -> F32:
        """The scores of any documents of the language; without kept scores, 0 for one that was not found."""
        if self.score_of is not None:
            return self.score_of(numbers)
        order = np.argsort(self.numbers, kind="stable")
        if not len(order):
            return np.zeros(len(numbers), np.float32)
        place = order[np.minimum(np.searchsorted(self.numbers[order], numbers), len(order) - 1)]
        return np.where(self.numbers[place] == numbers, self.scores[place], np.float32(0))


class Impacts(NamedTuple):
    """What the terms of a query add to the score of one document."""

    terms: Numbers
    """The positions in the query of those that the document has."""
    impacts: F32
    document: np.float32 | None
    """The part of the score that depends on the document alone; None for a model that only adds impacts."""


class Selection(Protocol):
    """The documents that pass filters."""

    def contains(self, numbers: Numbers) -> Mask:
        """Which of these documents are selected."""

    def count(self, language: str) -> int:
        """The number of selected documents with text in a language."""

    def coverage(self, languages: Sequence[str]) -> Coverage:
        """How many there are, how many have text in one of these languages, and how many each condition excludes."""

    def names(self, without: Iterable[str], most: int) -> list[str]:
        """The first `most` of them by name, except those in `without`."""


@dataclass(frozen=True)
class FacetTotals:
    """The number of documents per value of each facet."""

    documents: int
    results: int
    totals: Mapping[str, tuple[Counter[str], Counter[str]]]
    """Facet → documents, and documents among the results, by value; a year 0 counts documents without one."""
    written: Mapping[str, Mapping[str, str]]
    """Facet → how a value that is compared as a name is written most often."""


class Space(Protocol):
    """A vector space of the documents of a language."""

    kind: str
    language: str
    dimensions: int

    def query_vector(self, terms: Sequence[str], counts: Sequence[float] | NDArray[np.floating[Any]]) -> F32:
        """The vector of a text, given its terms and how often each occurs."""

    def patent_vector(self, patent: Patent) -> F32:
        """The vector of a patent, in a space whose vectors a sentence model makes."""

    def cosines(self, vector: F32, numbers: Numbers) -> F32:
        """The cosine of a vector with each document; all must have text in the language."""

    def nearest(self, vector: F32, k: int, selection: Selection | None = None) -> tuple[Numbers, F32]:
        """The k documents with the largest cosine above 0, best first, ties by name, and the cosines."""


# The interface


class Engine(Protocol):
    """One opened state of an index, which may be used from several threads."""

    cache: dict[str, Any]
    """A cache for the layers above: values computed from this state, under a key of their own."""

    # What it is

    @property
    def name(self) -> str:
        """Its name in lists."""

    @property
    def where(self) -> str:
        """The folder or address from which it can be opened again."""

    @property
    def kind(self) -> str:
        """`embedded` or `opensearch`."""

    @property
    def state(self) -> str:
        """Identifies its content."""

    @property
    def size(self) -> int:
        """The number of document numbers, including those of replaced documents."""

    @property
    def documents(self) -> int:
        """The number of documents that can be retrieved."""

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the texts, the one with the most documents first."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """How it was built."""

    @property
    def profile(self) -> Profile: ...

    @property
    def capabilities(self) -> frozenset[Capability]: ...

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user of this state, one line each."""

    @property
    def undated(self) -> int:
        """The number of documents of which neither the date nor the year is known."""

    @property
    def without_day(self) -> int:
        """The number of documents without a known date."""

    # Documents

    def numbers_of(self, name: str) -> Numbers:
        """The document with exactly this name, or else all documents with the patent number that it denotes."""

    def numbers(self, names: Sequence[str]) -> Numbers:
        """The documents of names, in any customary spelling; −1 where there is none. See `number_of`."""

    def names(self, numbers: Numbers) -> list[str]: ...

    def name_ranks(self, numbers: Numbers) -> Numbers:
        """Numbers that order documents as the bytes of their names do."""

    def all_numbers(self) -> Numbers:
        """The numbers of all documents that can be retrieved, ascending; needs `Capability.WALK`."""

    def columns(self, numbers: Numbers, *columns: str) -> list[tuple[Any, ...]]:
        """Columns of documents, as the index stores them: a list as one text, None where nothing is known."""

    def days(self, numbers: Numbers) -> Days: ...

    def having(self, column: str, values: Sequence[str]) -> dict[str, list[int]]:
        """Value → the documents that have it in a column, ascending; a value that none has is left out."""

    def have(self, numbers: Numbers, column: str, values: Iterable[str]) -> Mask:
        """Which documents have one of some values in a list, names as they are compared."""

    def has_values(self, *columns: str) -> bool:
        """Whether a document has a value in one of these lists."""

    def records(self, numbers: Iterable[int]) -> Iterator[Patent]:
        """The complete patents of some numbers, one after the other."""

    # Conditions

    def select(self, filters: Filters) -> Selection:
        """The documents that pass filters, which are evaluated once."""

    def prepare(self) -> None:
        """Compile or load the code that evaluates conditions; otherwise the first condition waits for it."""

    def facets(
        self,
        filters: Filters,
        languages: Sequence[str] | None,
        retrieved: Sequence[str],
        nodes: Mapping[str, str],
    ) -> FacetTotals:
        """Count the values of each facet, of the documents that pass all filters but those of the facet's own field."""

    def latest(self, language: str, selection: Selection, most: int) -> Numbers:
        """The latest documents in a language, of one day by their names."""

    def same_class(self, question: ClassQuestion) -> Numbers:
        """The documents with text that share an IPC code with a topic."""

    # Terms

    def documents_in(self, language: str) -> int:
        """The number of documents filed under a language."""

    def analyzer(self, language: str) -> Analyzer: ...

    def statistics(self, language: str, *, assumed: bool = True, without: Numbers | None = None) -> Statistics:
        """The statistics of a language, as if the documents in `without` were not indexed.

        `assumed` says whether documents of unknown language count, as they do in every search.
        """

    def lengths(self, numbers: Numbers, language: str, *, assumed: bool = True) -> Numbers:
        """The number of tokens of each document in a language; −1 for one without text in it."""

    def are_assumed(self, numbers: Numbers, language: str) -> Mask:
        """Which documents are of unknown language and are searched as if they were in this language."""

    def vectors(
        self, numbers: Numbers, language: str, also: Sequence[str] = (), *, assumed: bool = True
    ) -> TermVectors:
        """The term counts of documents that have text in a language, over their terms and those of `also`."""

    def matches(self, terms: tuple[str, ...], numbers: Numbers, language: str) -> TermMatches:
        """Where terms occur in documents that have text in a language."""

    def norms(self, numbers: Numbers, language: str) -> Floats:
        """√Σ_t ((1 + log n) · log((N + 1) / df))² of each document, over all of its terms."""

    def fullest_document(self, language: str, term: str) -> int | None:
        """The document that has a term most often, or nearly; None where none has it."""

    # Ranking

    def retrieve(
        self,
        query: QueryTerms,
        k: int,
        selection: Selection | None = None,
        model: Model | str = "bm25",
        *,
        approximate: bool = False,
        keep_scores: bool = False,
    ) -> Hits:
        """The k best documents for a query, each with at least one of its terms; ties are broken by name.

        Terms of weight 0 are ignored. With `keep_scores` the hits know the score of any other document, too.
        `approximate` accepts, from an engine that cannot rank by the model exactly, the best candidates of another.
        """

    def impacts(self, query: QueryTerms, number: int, model: Model | str = "bm25") -> Impacts:
        """What the terms of a query add to the score of a document: the same 32-bit numbers that a search adds."""

    # Spaces and tables

    def space(self, language: str, kind: str) -> Space | None:
        """The space of a kind (`lsa`, `words`, `dense`) in a language; None where there is none."""

    @property
    def translation(self) -> bytes | None:
        """The bytes of the table of translations that is stored with the index; None where there is none."""


def require(engine: Engine, capability: Capability) -> None:
    """Refuse what an engine cannot do."""
    if capability not in engine.capabilities:
        raise lacking(capability)


def lacking(capability: Capability) -> UsageError:
    """The error of what an engine cannot do, by name."""
    return UsageError(f"this needs an index in a folder, not on a cluster, for {capability.value}")


# Documents by name


def number_of(engine: Engine, name: str) -> int | None:
    """The document of a name, or of a patent number in any customary form; None where there is none.

    A number that several documents share is refused: the caller must name one of them.
    """
    require_type(name, str, "name", "the name or the number of a document")
    numbers = engine.numbers_of(name)
    if len(numbers) > 1:
        what = explain_no_document(engine, numbers)
        raise InputError(what, source=engine.where, doc_id=name, remedy="name one of these")
    return int(numbers[0]) if len(numbers) else None


def find_patent(engine: Engine, name: str) -> Patent:
    """The complete patent of a name or number; one that is not there is refused."""
    number = number_of(engine, name)
    if number is None:
        raise InputError("is not in the index", source=engine.where, doc_id=name, remedy="check the number")
    return read_record(engine, number)


def explain_no_document(engine: Engine, numbers: Numbers) -> str:
    """Why a name does not identify a document: none has it, or several share the patent number that it denotes."""
    if not len(numbers):
        return "is not in the index"
    names = ", ".join(map(printable, engine.names(numbers[:NAMED])))
    return f"is the number of {len(numbers)} documents: {names}{' …' if len(numbers) > NAMED else ''}"


def read_record(engine: Engine, number: int) -> Patent:
    """The complete patent of a number."""
    return next(iter(engine.records([number])))


def read_headers(engine: Engine, numbers: Numbers) -> list[DocumentHeader]:
    """What a list of hits shows of documents."""
    rows = engine.columns(numbers, "doc_id", "title", "language", "day", "ipc")
    return [
        DocumentHeader(doc_id, title, language, day, split_values(ipc)) for doc_id, title, language, day, ipc in rows
    ]


def read_lists(engine: Engine, numbers: Numbers, column: str) -> list[tuple[str, ...]]:
    """The values of a column with several of each of some documents."""
    return [split_values(value) for (value,) in engine.columns(numbers, column)]


def relatives_of(engine: Engine, names: Iterable[str], family: str | None) -> Numbers:
    """The documents with these names, or with the patent numbers that they denote, and the members of a family."""
    given = [*names]
    exact = engine.having("doc_id", given)
    relatives = {number for numbers in exact.values() for number in numbers}
    relatives.update(number for name in given for number in engine.having("number", [name]).get(name, ()))
    if family is not None:
        relatives.update(engine.having("family_id", [family]).get(family, ()))
    return np.array(sorted(relatives), np.int64)


SEPARATOR = "\n"
"""Between the values of a list in a column."""


def split_values(column: str | None) -> tuple[str, ...]:
    """The values in a column with several."""
    return tuple(column.split(SEPARATOR)) if column else ()


# Opening


class Searchable:
    """The methods of an opened index that do not depend on its engine."""

    def search(self, *arguments: Any, **options: Any) -> Any:
        """Search with a patent, a query or a text: `search_index` of this index, which says what may be given."""
        return call_hook("search", self, *arguments, **options)

    def patent(self: Engine, name: str) -> Patent:
        """The complete patent, by name or number."""
        return find_patent(self, name)


def open_index(where: str | Path) -> Engine:
    """Open an index for searching. This takes milliseconds; any number of processes may read while one writes.

    Args:
        where: The folder of the index, or its address on a cluster: `opensearch://host:9200/name`.
    """
    from antecede.address import is_address, parse_address

    if is_address(where):
        from antecede.opensearch.engine import ClusterEngine

        return ClusterEngine(parse_address(where))
    from antecede.embedded.engine import EmbeddedEngine

    return EmbeddedEngine.open(where)
