"""Vectors of documents for active learning: tf-idf, each of length 1, from an index or from texts.

The weight of a term is (1 + log n) · log((N + 1) / df). Documents of several languages share one matrix: a term of one
language is another column than the same word of another language.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from antecede.errors import InputError, UsageError
from antecede.results import concise_repr

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.patent import Patent
    from antecede.review.reading import Floats, Ints

    Topic = Mapping[str, Sequence[str]]
    """The terms of a topic by language, as often as they occur."""

MOST_TERMS = 250
"""Terms that are kept per document, those of the largest weight. The others change no ranking noticeably, and a long
description has a thousand of them."""
PLAIN = ""
"""The language of texts that are not of an index."""


@dataclass(frozen=True, eq=False)
class DocumentVectors:
    """Documents × terms, one row of length 1 per document; a document without text has an empty row."""

    __repr__ = concise_repr

    doc_ids: tuple[str, ...]
    matrix: sparse.csr_matrix
    """float32, rows in the order of `doc_ids`."""
    look_up: Callable[[Topic], sparse.csr_matrix] | None = field(default=None, repr=False)
    """The row of other text, from its terms by language; None where only the vectors are known."""
    analyze: Callable[[str, str], Topic] | None = field(default=None, repr=False)
    """The terms of a text by language, given its language; of one whose language is "", in every language."""

    def __post_init__(self) -> None:
        if self.matrix.shape[0] != len(self.doc_ids):
            raise UsageError(f"there are {len(self.doc_ids)} documents, but {self.matrix.shape[0]} rows of vectors")

    def __len__(self) -> int:
        return len(self.doc_ids)

    @cached_property
    def places(self) -> dict[str, int]:
        """The row of each document."""
        return {doc_id: at for at, doc_id in enumerate(self.doc_ids)}

    def rows_of(self, doc_ids: Sequence[str]) -> Ints:
        """The rows of documents; one that has no vector is refused."""
        places = self.places
        missing = next((each for each in doc_ids if each not in places), None)
        if missing is not None:
            raise InputError("has no vector", doc_id=missing, remedy="take vectors of the documents that are ranked")
        return np.array([places[each] for each in doc_ids], np.int64)

    def of_texts(self, texts: Mapping[str, str]) -> sparse.csr_matrix | None:
        """The row of what is sought, given in words by language; None where vectors were given as such.

        A text whose language is not known has the key "".
        """
        if self.look_up is None or self.analyze is None:
            return None
        terms: dict[str, list[str]] = {}
        for language, text in texts.items():
            for each, found in self.analyze(text, language).items():
                terms.setdefault(each, []).extend(found)
        return self.look_up(terms)


def vectors_of_matrix(doc_ids: Sequence[str], matrix: Any) -> DocumentVectors:
    """Vectors that were computed elsewhere, such as embeddings, normalised to length 1.

    Args:
        doc_ids: The documents.
        matrix: A dense or sparse matrix with one row per document.
    """
    if not sparse.issparse(matrix):
        matrix = np.asarray(matrix, np.float64)
        if matrix.ndim != 2:
            raise UsageError(f"vectors must be a matrix with one row per document, not an array of {[*matrix.shape]}")
    rows = sparse.csr_matrix(matrix, dtype=np.float64)
    if not np.isfinite(rows.data).all():
        raise UsageError("a vector has a number that is not finite")
    return DocumentVectors(tuple(doc_ids), normalize_rows(rows))


def vectors_of_texts(texts: Mapping[str, str], language: str = "en", *, terms: int = MOST_TERMS) -> DocumentVectors:
    """Vectors of texts that are in no index, such as titles and abstracts of a systematic review.

    Args:
        texts: Document → text.
        language: The language whose stop words and stems are used.
        terms: The number of terms that are kept per document.
    """
    from antecede.text.analyzer import Analyzer

    analyzer = Analyzer(language)
    counts = [Counter(analyzer.terms(text)) for text in texts.values()]
    names = {term: at for at, term in enumerate(sorted({term for each in counts for term in each}))}
    raw = matrix_of_counts([{names[term]: n for term, n in each.items()} for each in counts], len(names))
    idf = inverse_frequencies(np.bincount(raw.indices, minlength=len(names)), len(texts))

    def look_up(topic: Topic) -> sparse.csr_matrix:
        found = Counter(names[term] for terms in topic.values() for term in terms if term in names)
        return normalize_rows(weigh(matrix_of_counts([found], len(names)), idf))

    vectors = normalize_rows(keep_heaviest(weigh(raw, idf), terms))
    return DocumentVectors(tuple(texts), vectors, look_up, lambda text, _: {PLAIN: analyzer.terms(text)})


def vectors_of_index(index: Index, doc_ids: Sequence[str] | None = None, *, terms: int = MOST_TERMS) -> DocumentVectors:
    """Vectors of documents of an index, decoded once.

    Args:
        index: The index, from `open_index`.
        doc_ids: The documents; by default all.
        terms: The number of terms that are kept per document.
    """
    if doc_ids is None:
        doc_ids = all_documents(index)
    located = index.locate(doc_ids)
    missing = next((name for name, place in zip(doc_ids, located, strict=True) if place is None), None)
    if missing is not None:
        raise InputError("is not in the index", source=str(index.folder), doc_id=missing)
    by_segment: dict[str, tuple[list[int], list[int]]] = {}
    for row, place in enumerate(located):
        if place is not None:
            numbers, rows = by_segment.setdefault(place[0].name, ([], []))
            numbers.append(place[1])
            rows.append(row)
    parts = [LanguagePart(index, language, by_segment, len(doc_ids)) for language in index.languages]
    none = sparse.csr_matrix((len(doc_ids), 0))
    whole = sparse.hstack([none, *(part.matrix for part in parts)], format="csr")

    def look_up(topic: Topic) -> sparse.csr_matrix:
        return normalize_rows(sparse.hstack([each.look_up(topic) for each in parts], format="csr"))

    def analyze(text: str, language: str) -> Topic:
        languages = [each.language for each in parts if language in (PLAIN, each.language)]
        return {each: index.analyzer(each).terms(text) for each in languages}

    return DocumentVectors(tuple(doc_ids), normalize_rows(keep_heaviest(whole, terms)), look_up, analyze)


def all_documents(index: Index) -> list[str]:
    """Every document of an index that can be retrieved, in the order of the names."""
    from antecede.index.filters import Filters

    return sorted(index.list_documents(Filters(), (), index.documents))


def texts_of_patent(index: Index, patent: Patent) -> dict[str, str]:
    """The text of a patent in each language of an index, for `DocumentVectors.of_texts`."""
    from antecede.query.topic import patent_text

    texts = {language: patent_text(patent, language) for language in index.languages}
    return {language: text for language, text in texts.items() if text}


class LanguagePart:
    """The columns of one language: the weighted terms of the documents with text in it."""

    def __init__(
        self, index: Index, language: str, by_segment: Mapping[str, tuple[list[int], list[int]]], size: int
    ) -> None:
        from antecede.query.material import gather_vectors

        self.language = language
        filed = index.filed_matrices(language)
        self.matrices = [matrix for _, matrix in filed]
        wanted, targets = [], [np.zeros(0, np.int64)]
        for segment, matrix in filed:
            numbers, rows = by_segment.get(segment.name, ([], []))
            places = matrix.rows_of(np.array(numbers, np.int64))
            used = np.flatnonzero(places >= 0)
            used = used[matrix.lengths[places[used]] > 0]
            wanted.append(places[used])
            targets.append(np.array(rows, np.int64)[used])
        found = gather_vectors(self.matrices, wanted, [np.zeros(0, np.int64) for _ in filed])
        self.vocabulary = found.vocabulary
        statistics = index.filed_statistics(language)
        df = statistics.frequencies_of(found.vocabulary.numbers).documents
        self.idf = inverse_frequencies(df, statistics.documents)
        place = np.concatenate(targets)
        lengths = np.zeros(size, np.int64)
        lengths[place] = np.diff(found.ptr)
        raw = sparse.csr_matrix((found.counts, found.terms, found.ptr), shape=(len(place), len(found.vocabulary)))
        raw = raw[np.argsort(place, kind="stable")]
        ptr = np.concatenate(([0], np.cumsum(lengths)))
        spread = sparse.csr_matrix((raw.data, raw.indices, ptr), shape=(size, len(found.vocabulary)))
        self.matrix = weigh(spread, self.idf)

    def look_up(self, topic: Topic) -> sparse.csr_matrix:
        """The weighted terms of a topic that occur in the documents."""
        counts = Counter(topic.get(self.language, ()))
        names = sorted(counts)
        places = self.vocabulary.find([matrix.find(names) for matrix in self.matrices]) if names else np.zeros(0)
        found = {int(at): counts[name] for name, at in zip(names, places.tolist(), strict=True) if at >= 0}
        return weigh(matrix_of_counts([found], len(self.vocabulary)), self.idf)


# Arithmetic


def matrix_of_counts(rows: Sequence[Mapping[int, int]], columns: int) -> sparse.csr_matrix:
    """Counts by column, one mapping per row."""
    ptr = np.concatenate(([0], np.cumsum([len(each) for each in rows]))).astype(np.int64)
    items = np.array([at for each in rows for at in sorted(each)], np.int64)
    data = np.array([each[at] for each in rows for at in sorted(each)], np.float64)
    return sparse.csr_matrix((data, items, ptr), shape=(len(rows), columns))


def inverse_frequencies(df: NDArray[Any], documents: int) -> Floats:
    """log((N + 1) / df); 0 for a term that occurs nowhere."""
    return np.asarray(np.log((documents + 1) / np.maximum(df, 1)) * (df > 0), np.float64)


def weigh(counts: sparse.csr_matrix, idf: Floats) -> sparse.csr_matrix:
    """(1 + log n) · idf of each entry."""
    data = (1 + np.log(counts.data)) * idf[counts.indices]
    return sparse.csr_matrix((data, counts.indices, counts.indptr), shape=counts.shape)


def keep_heaviest(matrix: sparse.csr_matrix, most: int) -> sparse.csr_matrix:
    """The `most` largest entries of each row; of equal ones, those of the first columns."""
    sizes = np.diff(matrix.indptr)
    if not len(sizes) or sizes.max(initial=0) <= most:
        return matrix
    row = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((matrix.indices, -matrix.data, row))
    place = np.arange(len(row)) - np.repeat(matrix.indptr[:-1], sizes)
    kept = np.sort(order[place < most])
    ptr = np.concatenate(([0], np.cumsum(np.minimum(sizes, most))))
    return sparse.csr_matrix((matrix.data[kept], matrix.indices[kept], ptr), shape=matrix.shape)


def normalize_rows(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """Rows of length 1, in 32 bits; an empty row stays empty."""
    sizes = np.diff(matrix.indptr)
    row = np.repeat(np.arange(len(sizes)), sizes)
    lengths = np.sqrt(np.bincount(row, weights=matrix.data.astype(np.float64) ** 2, minlength=len(sizes)))
    data = matrix.data / np.maximum(lengths[row], np.finfo(np.float64).tiny)
    return sparse.csr_matrix((data.astype(np.float32), matrix.indices, matrix.indptr), shape=matrix.shape)
