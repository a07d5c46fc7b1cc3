"""Small collections for property tests: in memory behind the interface of an index, or built on disk."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from hypothesis import strategies as st

from antecede.conditions.filters import Filters
from antecede.corpus import Collection
from antecede.embedded.engine import EmbeddedEngine
from antecede.embedded.selection import MaskSelection
from antecede.index import add_to_index, build_index, merge_index
from antecede.index.codec import Lists
from antecede.models import MODELS
from antecede.search.hits import Ranking
from tests.index.worlds import match_lists

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.embedded.searcher import Searcher
    from antecede.engine import Engine
    from antecede.index.index import Segment
    from antecede.models import Model
    from antecede.query.query import Query

VOCABULARY = ("axle", "bolt", "cam", "disc", "gear", "hub", "öse")
EVERY_MODEL = [*MODELS]
WITH_PARAMETERS = [
    *EVERY_MODEL,
    "bm25(k1=0,b=1)",
    "bm25(k1=2,b=0)",
    "lm_dirichlet(mu=10)",
    "lm_jelinek_mercer(lambda=0.1)",
    "tfidf(s=1)",
    "pl2(c=5)",
    "inl2(c=0.3)",
]


@dataclass(frozen=True)
class Document:
    """A document as its terms, in any order."""

    name: str
    terms: tuple[str, ...]


class MemoryMatrix:
    """A matrix in memory."""

    def __init__(self, documents: Sequence[Document], deleted: Sequence[int]) -> None:
        self.all = documents
        rows = [(at, each) for at, each in enumerate(documents) if each.terms]
        self.language, self.folder = "en", "memory"
        self.names = sorted({term for _, each in rows for term in each.terms}, key=str.encode)
        self.number = {name: at for at, name in enumerate(self.names)}
        counts = np.zeros((len(rows), len(self.names)), np.int64)
        for row, (_, each) in enumerate(rows):
            for term in each.terms:
                counts[row, self.number[term]] += 1
        self.counts = counts
        self.documents = np.array([at for at, _ in rows], np.uint32)
        self.lengths = counts.sum(1).astype(np.uint32)
        self.df, self.cf = (counts > 0).sum(0).astype(np.uint32), counts.sum(0).astype(np.uint64)
        self.deleted = np.flatnonzero(np.isin(self.documents, deleted)).astype(np.uint32)
        gone = counts[self.deleted]
        self.deleted_counts = (gone > 0).sum(0), gone.sum(0)
        self.rows, self.terms, self.postings = len(rows), len(self.names), int((counts > 0).sum())

    def find(self, terms: Sequence[str]) -> NDArray[np.int64]:
        return np.array([self.number.get(term, -1) for term in terms], np.int64)

    def rows_of(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        rows = np.full(len(self.all), -1)
        rows[self.documents] = np.arange(self.rows)
        return rows[numbers]

    def postings_of(self, terms: NDArray[np.int64]) -> Lists:
        return lists(self.counts[:, terms].T)

    def vectors_of(self, rows: NDArray[np.int64]) -> Lists:
        return lists(self.counts[rows])

    def matches_of(self, rows: NDArray[np.int64], wanted: NDArray[np.int64]) -> Lists:
        return match_lists(self.vectors_of(rows), wanted)


def lists(counts: NDArray[np.int64]) -> Lists:
    """The places above 0 of each row, with what stands there."""
    ptr = np.concatenate([[0], np.cumsum((counts > 0).sum(1))]).astype(np.int64)
    return Lists(ptr, np.nonzero(counts)[1].astype(np.uint32), counts[counts > 0].astype(np.uint32))


class MemorySegment:
    """A segment in memory: names and the order of these; nothing that a filter looks at but what was replaced."""

    def __init__(self, name: str, documents: Sequence[Document], deleted: Sequence[int]) -> None:
        self.name, self.all, self.documents = name, documents, len(documents)
        self.deleted = np.array(deleted, np.uint32)
        matrix = MemoryMatrix(documents, deleted)
        self.matrices = {"en": matrix} if matrix.rows else {}
        names = [each.name.encode() for each in documents]
        self.order = np.argsort(np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)).astype(np.uint32)
        self.live = ~np.isin(np.arange(len(documents)), deleted)

    def doc_ids(self, numbers: NDArray[np.integer[Any]]) -> list[str]:
        return [self.all[number].name for number in numbers.tolist()]


class MemoryIndex(EmbeddedEngine):
    """The engine of a folder over documents in memory; a name that comes again replaces the one that had it before."""

    def __init__(self, *segments: Sequence[Document]) -> None:
        later: set[str] = set()
        made: list[MemorySegment] = []
        for documents in reversed(segments):
            deleted = [at for at, each in enumerate(documents) if each.name in later]
            made.append(MemorySegment(f"s{len(made)}", documents, deleted))
            later.update(each.name for each in documents)
        self.segments = tuple(cast("Segment", each) for each in made[::-1])
        self.languages = ("en",)
        self.cache = {}
        self.live = [
            document
            for each in made[::-1]
            for document, live in zip(each.all, each.live, strict=True)
            if live and document.terms
        ]


NO_FILTERS = Filters()


def memory_index(*segments: Sequence[Document]) -> MemoryIndex:
    """An index in memory, as far as a search needs one."""
    return MemoryIndex(*segments)


def search(
    searcher: Searcher, query: Query, k: int, among: Filters | MaskSelection = NO_FILTERS, *, keep_scores: bool = False
) -> Ranking:
    """What a searcher finds among the documents that pass filters."""
    selection = MaskSelection(searcher.index, among) if isinstance(among, Filters) else among
    return Ranking.of(searcher.search(query, k, selection, keep_scores=keep_scores), searcher.index)


def retrieve(
    index: Engine, query: Query, k: int = 1000, filters: Filters = NO_FILTERS, model: Model | str = "bm25"
) -> Ranking:
    """What an index finds among the documents that pass filters."""
    return Ranking.of(index.retrieve(query, k, index.select(filters), model), index)


terms = st.lists(st.sampled_from(VOCABULARY), max_size=12).map(tuple)
names = st.integers(0, 30).map(lambda number: f"EP{number}")
segment = st.lists(st.builds(Document, names, terms), max_size=8, unique_by=lambda each: each.name)
collections = st.lists(segment, min_size=1, max_size=3).filter(
    lambda segments: any(document.terms for document in segments[-1])
)
weights = st.one_of(
    st.floats(0.01, 100), st.integers(1, 20).map(float), st.sampled_from([0.0, -1.0, -0.25, 1e-30, 1e30])
)
positive = st.floats(0.01, 100)
queries = st.dictionaries(st.sampled_from([*VOCABULARY, "unknown", "ß"]), weights, max_size=8)
usual_queries = st.dictionaries(st.sampled_from(VOCABULARY), positive, min_size=1, max_size=7)


@dataclass
class Shelf:
    """Indexes on disk, each built once: by all documents in one go, and by adding some after the others."""

    folder: Path
    built: dict[str, Path] = field(default_factory=dict)

    def index(self, name: str, *parts: Sequence[dict[str, Any]], merge: bool = False) -> EmbeddedEngine:
        """The index of these documents, every part but the first added to it."""
        if name not in self.built:
            self.built[name] = self.folder / name
            for number, part in enumerate(parts):
                source = self.folder / f"{name}-{number}.jsonl"
                source.write_text("".join(json.dumps(line) + "\n" for line in part))
                make: Callable[..., object] = (
                    build_index if number == 0 else lambda c, i, **how: add_to_index(i, c, **how)
                )
                make(Collection(source), self.built[name], workers=1)
            if merge:
                merge_index(self.built[name])
        return EmbeddedEngine.open(self.built[name])
