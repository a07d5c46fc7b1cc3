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

    from antecede.engine import Engine
    from antecede.patent import Patent
    from antecede.review.reading import Floats, Ints

    Texts = Mapping[str, str]
    """What is sought, in words, by language; a text whose language is not known has the key ""."""

MOST_TERMS = 250
"""Terms that are kept per document, those of the largest weight. The others change no ranking noticeably, and a long
description has a thousand of them."""


@dataclass(frozen=True, eq=False)
class DocumentVectors:
    """Documents × terms, one row of length 1 per document; a document without text has an empty row."""

    __repr__ = concise_repr

    doc_ids: tuple[str, ...]
    matrix: sparse.csr_matrix
    """float32, rows in the order of `doc_ids`."""
    make_row: Callable[[Texts], sparse.csr_matrix] | None = field(default=None, repr=False)
    """The row of other texts; None where only the vectors are known."""

    def __post_init__(self) -> None:
        if self.matrix.shape[0] != len(self.doc_ids):
            raise UsageError(f"there are {len(self.doc_ids)} documents, but {self.matrix.shape[0]} rows of vectors")

    def __len__(self) -> int:
        return len(self.doc_ids)

    @cached_property
    def places(self) -> dict[str, int]:
        return {doc_id: at for at, doc_id in enumerate(self.doc_ids)}

    def rows_of(self, doc_ids: Sequence[str]) -> Ints:
        """The rows of documents; one that has no vector is refused."""
        places = self.places
        missing = next((each for each in doc_ids if each not in places), None)
        if missing is not None:
            raise InputError("has no vector", doc_id=missing, remedy="take vectors of the documents that are ranked")
        return np.array([places[each] for each in doc_ids], np.int64)

    def of_texts(self, texts: Texts) -> sparse.csr_matrix | None:
        """The row of what is sought; None where vectors were given as such."""
        return None if self.make_row is None else self.make_row(texts)


def vectors_of_texts(texts: Mapping[str, str], language: str = "en") -> DocumentVectors:
    """Vectors of texts that are in no index, such as titles and abstracts of a systematic review.

    Args:
        texts: Document → text.
        language: The language whose stop words and stems are used.
    """
    from antecede.text.analyzer import Analyzer

    analyzer = Analyzer(language)
    counts = [Counter(analyzer.terms(text)) for text in texts.values()]
    names = {term: at for at, term in enumerate(sorted({term for each in counts for term in each}))}
    raw = matrix_of_counts([{names[term]: n for term, n in each.items()} for each in counts], len(names))
    idf = inverse_frequencies(np.bincount(raw.indices, minlength=len(names)), len(texts))

    def make_row(topic: Texts) -> sparse.csr_matrix:
        terms = (term for text in topic.values() for term in analyzer.terms(text))
        found = Counter(names[term] for term in terms if term in names)
        return normalize_rows(weigh(matrix_of_counts([found], len(names)), idf))

    return DocumentVectors(tuple(texts), normalize_rows(keep_heaviest(weigh(raw, idf), MOST_TERMS)), make_row)


def vectors_of_index(index: Engine, doc_ids: Sequence[str] | None = None) -> DocumentVectors:
    """Vectors of documents of an index, decoded once.

    Args:
        index: The index, from `open_index`.
        doc_ids: The documents; by default all.
    """
    if doc_ids is None:
        doc_ids = all_documents(index)
    numbers = index.numbers(doc_ids)
    if (missing := np.flatnonzero(numbers < 0)).size:
        raise InputError("is not in the index", source=index.where, doc_id=doc_ids[missing[0]])
    parts = [_vectors_in_language(index, language, numbers) for language in index.languages]
    none = sparse.csr_matrix((len(doc_ids), 0))
    whole = sparse.hstack([none, *(matrix for matrix, _ in parts)], format="csr")

    def make_row(topic: Texts) -> sparse.csr_matrix:
        return normalize_rows(sparse.hstack([make_part(topic) for _, make_part in parts], format="csr"))

    return DocumentVectors(tuple(doc_ids), normalize_rows(keep_heaviest(whole, MOST_TERMS)), make_row)


def all_documents(index: Engine) -> list[str]:
    """Every document of an index that can be retrieved, in the order of the names."""
    from antecede.conditions.filters import Filters

    return sorted(index.select(Filters()).names((), index.documents))


def texts_of_patent(index: Engine, patent: Patent) -> dict[str, str]:
    """The text of a patent in each language of an index, for `DocumentVectors.of_texts`."""
    from antecede.query.topic import patent_text

    texts = {language: patent_text(patent, language) for language in index.languages}
    return {language: text for language, text in texts.items() if text}


def _vectors_in_language(
    index: Engine, language: str, numbers: NDArray[np.int64]
) -> tuple[sparse.csr_matrix, Callable[[Texts], sparse.csr_matrix]]:
    """The columns of one language: the weighted terms of the documents, and a function for those of other texts."""
    used = np.flatnonzero(index.lengths(numbers, language, assumed=False) > 0)
    found = index.vectors(numbers[used], language, assumed=False)
    vocabulary, statistics = found.vocabulary, index.statistics(language, assumed=False)
    idf = inverse_frequencies(statistics.frequencies_in(vocabulary).documents, statistics.documents)
    row_of = np.repeat(used, np.diff(found.ptr))
    counts = sparse.csr_matrix((found.counts, (row_of, found.terms)), shape=(len(numbers), len(vocabulary)))

    def make_part(topic: Texts) -> sparse.csr_matrix:
        texts = (text for given, text in topic.items() if given in ("", language))
        counts = Counter(term for text in texts for term in index.analyzer(language).terms(text))
        names = sorted(counts)
        places = vocabulary.find(names) if names else np.zeros(0)
        row = {int(at): counts[name] for name, at in zip(names, places.tolist(), strict=True) if at >= 0}
        return weigh(matrix_of_counts([row], len(vocabulary)), idf)

    return weigh(counts, idf), make_part


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
