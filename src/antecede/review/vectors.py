"""Vectors of documents for active learning: tf-idf, each of length 1, from an index or from texts.

Of an index, a column is a term of one language, with the weight (1 + log n) · log((N + 1) / df). Of texts, a column is
a word or a pair of adjacent words.
"""

from __future__ import annotations

import hashlib
import io
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from scipy import sparse

from antecede.errors import InputError, UsageError
from antecede.files import write_whole
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


MAX_KEPT = 100_000
"""Documents of an index up to which the vectors of all are kept."""
KEPT_FORMAT = "antecede vectors 1"


@dataclass(frozen=True, eq=False)
class DocumentVectors:
    """Documents × terms, one row of length 1 per document; a document without text has an empty row."""

    __repr__ = concise_repr

    doc_ids: tuple[str, ...]
    matrix: sparse.csr_matrix
    """float32, rows in the order of `doc_ids`."""
    make_row: Callable[[Texts], sparse.csr_matrix] | None = field(default=None, repr=False)
    """The row of other texts; None where only the vectors are known."""
    own: Floats | None = field(default=None, repr=False)
    """float64[documents]: the squared length of what only that document has, which `matrix` leaves out; None for 0."""
    words: Callable[[], Mapping[str, int]] | None = field(default=None, repr=False)
    """The column of each single word that more than one document has; None where the columns have no names."""

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


_WORD = re.compile(r"\b\w\w+\b")
COMMON = 0.95
"""The share of the documents above which a word or pair is left out."""


def vectors_of_texts(texts: Mapping[str, str]) -> DocumentVectors:
    """Vectors of the words and word pairs of texts that are in no index, such as titles and abstracts of references.

    The weight is (1 + log n) · (log((N + 1) / (df + 1)) + 1). Words have two characters or more; there are neither
    stems nor stop words, so that any language will do.

    Args:
        texts: Document → text.
    """
    places: defaultdict[str, int] = defaultdict()
    places.default_factory = places.__len__
    words = [np.fromiter(map(places.__getitem__, _WORD.findall(text.lower())), np.int64) for text in texts.values()]
    known, pairs, terms = dict(places), *_join_pairs(words, len(places))
    sizes = np.array([len(each) for each in terms], np.int64)
    rows, columns = np.repeat(np.arange(len(terms)), sizes), np.concatenate([np.zeros(0, np.int64), *terms])
    width = len(known) + len(pairs)
    entries, counts = np.unique(rows * max(width, 1) + columns, return_counts=True)
    rows, columns = np.divmod(entries, max(width, 1))
    df = np.bincount(columns, minlength=width)
    idf = np.where(df <= COMMON * len(texts), np.log((len(texts) + 1) / (df + 1)) + 1, 0.0)
    data = (1 + np.log(counts)) * idf[columns]
    ptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(texts)))))
    complete = normalize_rows(sparse.csr_matrix((data, columns, ptr), shape=(len(texts), width)))
    # What a single document has compares it with nothing: its length is kept, the columns are not.
    shared = (df > 1) & (idf > 0)
    kept = shared[complete.indices]
    own = np.bincount(rows, np.where(kept, 0.0, complete.data.astype(np.float64) ** 2), minlength=len(texts))
    numbers = np.cumsum(shared) - 1
    ptr = np.concatenate(([0], np.cumsum(np.bincount(rows, kept, minlength=len(texts))))).astype(np.int64)
    matrix = sparse.csr_matrix(
        (complete.data[kept], numbers[complete.indices[kept]].astype(np.int32), ptr), shape=(len(texts), shared.sum())
    )

    def make_row(topic: Texts) -> sparse.csr_matrix:
        found: Counter[int] = Counter()
        for text in topic.values():
            sought = np.array([known.get(word, -1) for word in _WORD.findall(text.lower())], np.int64)
            both = (sought[:-1] >= 0) & (sought[1:] >= 0)
            keys = (sought[:-1] * len(known) + sought[1:])[both]
            spots = np.searchsorted(pairs, keys)
            hits = pairs[np.minimum(spots, len(pairs) - 1)] == keys if len(pairs) else np.zeros(0, np.bool_)
            found.update([*sought[sought >= 0].tolist(), *(len(known) + spots[hits]).tolist()])
        usable = {int(numbers[at]): n for at, n in found.items() if shared[at]}
        return normalize_rows(weigh(matrix_of_counts([usable], matrix.shape[1]), idf[shared]))

    def name_columns() -> dict[str, int]:
        return {word: int(numbers[at]) for word, at in known.items() if shared[at]}

    return DocumentVectors(tuple(texts), matrix, make_row, own.astype(np.float64), name_columns)


def split_words(text: str) -> list[str]:
    """The words of a text, as its vector counts them."""
    return _WORD.findall(text.lower())


def _join_pairs(words: Sequence[Ints], vocabulary: int) -> tuple[Ints, list[Ints]]:
    """The pairs of adjacent words, as sorted keys; and the words and pairs of each text, as columns."""
    keys = [each[:-1] * vocabulary + each[1:] for each in words]
    pairs, places = np.unique(np.concatenate([np.zeros(0, np.int64), *keys]), return_inverse=True)
    parts = np.split(places + vocabulary, np.cumsum([len(each) for each in keys])[:-1]) if keys else []
    return pairs, [np.concatenate(each) for each in zip(words, parts, strict=True)]


def vectors_of_index(index: Engine, doc_ids: Sequence[str] | None = None) -> DocumentVectors:
    """Vectors of documents of an index.

    They are decoded once and kept beside the index: `NAME.vectors` beside `NAME.index`, for its present state. Of an
    index with more than 100,000 documents, only those that were last asked for are kept; of one on a cluster, none.

    Args:
        index: The index, from `open_index`.
        doc_ids: The documents; by default all.
    """
    complete = doc_ids is None or index.documents <= MAX_KEPT
    key = _digest(KEPT_FORMAT, index.state, *(() if complete else doc_ids or ()))
    path = Path(index.where).with_suffix(".vectors") if Path(index.where).is_dir() else None
    kept = None if path is None else _read_kept(path, key)
    if kept is None:
        kept = _decode(index, all_documents(index) if complete else doc_ids or ())
        if path is not None:
            _write_kept(path, key, kept)
    vectors = DocumentVectors(kept.doc_ids, kept.matrix, partial(_make_row, index, kept.columns))
    if doc_ids is None or tuple(doc_ids) == vectors.doc_ids:
        return vectors
    missing = next((doc_id for doc_id in doc_ids if doc_id not in vectors.places), None)
    if missing is not None:
        raise InputError("is not in the index", source=index.where, doc_id=missing)
    return replace(vectors, doc_ids=tuple(doc_ids), matrix=vectors.matrix[vectors.rows_of(doc_ids)])


def all_documents(index: Engine) -> list[str]:
    """Every document of an index that can be retrieved, in the order of the names."""
    from antecede.conditions.filters import Filters

    return sorted(index.select(Filters()).names((), index.documents))


def texts_of_patent(index: Engine, patent: Patent) -> dict[str, str]:
    """The text of a patent in each language of an index, for `DocumentVectors.of_texts`."""
    from antecede.query.topic import patent_text

    texts = {language: patent_text(patent, language) for language in index.languages}
    return {language: text for language, text in texts.items() if text}


# Vectors of an index, and the file in which they are kept


class Columns(NamedTuple):
    """The columns of one language: its terms, in alphabetical order, and their inverse document frequencies."""

    language: str
    terms: list[str]
    idf: Floats


class KeptVectors(NamedTuple):
    """The vectors of an index as they are kept."""

    doc_ids: tuple[str, ...]
    matrix: sparse.csr_matrix
    columns: list[Columns]


def _decode(index: Engine, doc_ids: Sequence[str]) -> KeptVectors:
    """The vectors of documents, from the index."""
    numbers = index.numbers(doc_ids)
    if (missing := np.flatnonzero(numbers < 0)).size:
        raise InputError("is not in the index", source=index.where, doc_id=doc_ids[missing[0]])
    parts, columns = [sparse.csr_matrix((len(doc_ids), 0))], []
    for language in index.languages:
        used = np.flatnonzero(index.lengths(numbers, language, assumed=False) > 0)
        vectors = index.vectors(numbers[used], language, assumed=False)
        vocabulary, statistics = vectors.vocabulary, index.statistics(language, assumed=False)
        idf = inverse_frequencies(statistics.frequencies_in(vocabulary).documents, statistics.documents)
        row_of = np.repeat(used, np.diff(vectors.ptr))
        shape = len(numbers), len(vocabulary)
        parts.append(weigh(sparse.csr_matrix((vectors.counts, (row_of, vectors.terms)), shape=shape), idf))
        columns.append(Columns(language, [vocabulary[at] for at in range(len(vocabulary))], idf))
    matrix = normalize_rows(keep_heaviest(sparse.hstack(parts, format="csr"), MOST_TERMS))
    return KeptVectors(tuple(doc_ids), matrix, columns)


def _make_row(index: Engine, columns: Sequence[Columns], topic: Texts) -> sparse.csr_matrix:
    """The row of other texts, each in its language; one whose language is not known in all."""
    parts = []
    for language, terms, idf in columns:
        texts = (text for given, text in topic.items() if given in ("", language))
        counts = Counter(term for text in texts for term in index.analyzer(language).terms(text))
        places = {term: bisect_left(terms, term) for term in counts}
        row = {at: counts[term] for term, at in places.items() if at < len(terms) and terms[at] == term}
        parts.append(weigh(matrix_of_counts([row], len(terms)), idf))
    return normalize_rows(sparse.hstack(parts, format="csr"))


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def _write_kept(path: Path, key: str, kept: KeptVectors) -> None:
    """Keep vectors; where the folder cannot be written, the next process decodes them again."""
    arrays = {
        "key": np.frombuffer(key.encode(), np.uint8),
        "names": _join(kept.doc_ids),
        "languages": _join([columns.language for columns in kept.columns]),
        "data": kept.matrix.data.astype(np.float32),
        "indices": kept.matrix.indices.astype(np.int32),
        "indptr": kept.matrix.indptr.astype(np.int64),
    }
    for at, columns in enumerate(kept.columns):
        arrays |= {f"terms{at}": _join(columns.terms), f"idf{at}": columns.idf}
    file = io.BytesIO()
    np.savez(file, **arrays)
    with suppress(UsageError, OSError):
        write_whole(path, file.getvalue())


def _read_kept(path: Path, key: str) -> KeptVectors | None:
    """The vectors of a file; None where there is none, or where it is damaged or of another state of the index."""
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            if file["key"].tobytes() != key.encode():
                return None
            doc_ids = _split(file["names"])
            languages = _split(file["languages"])
            columns = [Columns(name, _split(file[f"terms{at}"]), file[f"idf{at}"]) for at, name in enumerate(languages)]
            width = sum(len(each.terms) for each in columns)
            parts = file["data"], file["indices"], file["indptr"]
            matrix = sparse.csr_matrix(parts, shape=(len(doc_ids), width), copy=False)
            matrix.check_format(full_check=True)
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None
    if any(len(each.terms) != len(each.idf) for each in columns):
        return None
    return KeptVectors(tuple(doc_ids), matrix, columns)


def _join(texts: Sequence[str]) -> NDArray[np.uint8]:
    """Texts as bytes, each ended by a line break, which no name and no term has."""
    return np.frombuffer("".join(f"{text}\n" for text in texts).encode(), np.uint8)


def _split(data: NDArray[np.uint8]) -> list[str]:
    return data.tobytes().decode().split("\n")[:-1]


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
    kept = np.ones(matrix.nnz, np.bool_)
    for row in np.flatnonzero(np.diff(matrix.indptr) > most).tolist():
        start, end = matrix.indptr[row : row + 2]
        order = np.lexsort((matrix.indices[start:end], -matrix.data[start:end]))
        kept[start + order[most:]] = False
    ptr = np.concatenate(([0], np.cumsum(np.minimum(np.diff(matrix.indptr), most))))
    return sparse.csr_matrix((matrix.data[kept], matrix.indices[kept], ptr), shape=matrix.shape)


def normalize_rows(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """Rows of length 1, in 32 bits; an empty row stays empty."""
    sizes = np.diff(matrix.indptr)
    row = np.repeat(np.arange(len(sizes)), sizes)
    lengths = np.sqrt(np.bincount(row, weights=matrix.data.astype(np.float64) ** 2, minlength=len(sizes)))
    data = matrix.data / np.maximum(lengths[row], np.finfo(np.float64).tiny)
    return sparse.csr_matrix((data.astype(np.float32), matrix.indices, matrix.indptr), shape=matrix.shape)
