"""Figures of an index: the collection statistics of a language, and what `antecede info` shows.

Replaced documents are subtracted, so that a collection that was added in parts has the same statistics, and therefore
the same rankings, as one that was indexed as a whole.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.engine import Frequencies
from antecede.index.manifest import describe_space
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.arrays import U32, Ints
    from antecede.index.index import StoredIndex
    from antecede.index.matrix import Matrix


class Statistics:
    """The statistics of one language over all segments."""

    def __init__(self, language: str, matrices: Sequence[Matrix]) -> None:
        self.language, self.matrices = language, matrices

    @cached_property
    def documents(self) -> int:
        """Number of documents with text in this language."""
        return sum(matrix.rows - len(matrix.deleted) for matrix in self.matrices)

    @cached_property
    def tokens(self) -> int:
        """Number of tokens of all these documents."""
        total = sum(int(matrix.lengths.sum(dtype=np.int64)) for matrix in self.matrices)
        return total - sum(int(matrix.lengths[matrix.deleted].sum(dtype=np.int64)) for matrix in self.matrices)

    @property
    def average_length(self) -> float:
        """Mean number of tokens per document."""
        return self.tokens / self.documents if self.documents else 0.0

    def frequencies(self, terms: Sequence[str]) -> Frequencies:
        """The frequencies of these terms."""
        if not self.matrices:
            return Frequencies(np.zeros(len(terms), np.int64), np.zeros(len(terms), np.int64))
        return self.frequencies_of([matrix.find(terms) for matrix in self.matrices])

    def frequencies_of(self, numbers: Sequence[Ints]) -> Frequencies:
        """The frequencies of terms given by their numbers in each matrix, −1 where a matrix lacks a term."""
        size = len(numbers[0]) if numbers else 0
        df, cf = np.zeros(size, np.int64), np.zeros(size, np.int64)
        for matrix, term_numbers in zip(self.matrices, numbers, strict=True):
            there = np.flatnonzero(term_numbers >= 0)
            terms = term_numbers[there]
            df[there] += matrix.df[terms].astype(np.int64)
            cf[there] += matrix.cf[terms].astype(np.int64)
            if len(matrix.deleted):
                deleted_df, deleted_cf = matrix.deleted_counts
                df[there] -= deleted_df[terms]
                cf[there] -= deleted_cf[terms]
        return Frequencies(df, cf)

    def frequencies_in(self, vocabulary: Any) -> Frequencies:
        """The frequencies of the terms of a vocabulary of the same language."""
        return self.frequencies_of(vocabulary.numbers)


class StatisticsWithout(Statistics):
    """The statistics of a language as if some documents, given by their rows in each matrix, were not there."""

    def __init__(self, whole: Statistics, rows: Sequence[Ints]) -> None:
        super().__init__(whole.language, whole.matrices)
        self.whole, self.rows = whole, rows

    @cached_property
    def documents(self) -> int:
        return self.whole.documents - sum(len(own) for own in self.rows)

    @cached_property
    def tokens(self) -> int:
        own = (int(matrix.lengths[rows].sum()) for matrix, rows in zip(self.matrices, self.rows, strict=True))
        return self.whole.tokens - sum(own)

    def frequencies_of(self, numbers: Sequence[Ints]) -> Frequencies:
        all_documents = self.whole.frequencies_of(numbers)
        df, cf = all_documents.documents.copy(), all_documents.occurrences.copy()
        for (terms, documents, occurrences), here in zip(self._own_counts, numbers, strict=True):
            there = np.flatnonzero(here >= 0)
            if not len(terms):
                continue
            place = np.minimum(np.searchsorted(terms, here[there]), len(terms) - 1)
            is_own = terms[place] == here[there]
            df[there] -= np.where(is_own, documents[place], 0)
            cf[there] -= np.where(is_own, occurrences[place], 0)
        return Frequencies(df, cf)

    @cached_property
    def _own_counts(self) -> list[tuple[U32, Ints, Ints]]:
        """For each matrix, the terms of the documents left out, how many of these have each, and how often."""
        counts = []
        for matrix, rows in zip(self.matrices, self.rows, strict=True):
            vectors = matrix.vectors_of(rows)
            terms, place = np.unique(vectors.items, return_inverse=True)
            occurrences = np.bincount(place, weights=vectors.counts, minlength=len(terms)).astype(np.int64)
            counts.append((terms, np.bincount(place, minlength=len(terms)).astype(np.int64), occurrences))
        return counts


def describe_index(index: StoredIndex) -> dict[str, Any]:
    """Documents, terms and postings per language, sizes and settings.

    Args:
        index: The index, or its folder.
    """
    manifest = index.manifest
    sizes = {f"{entry.name}/{name}": file.size for entry in manifest.segments for name, file in entry.files.items()}
    spaces = sum(file.size for entry in manifest.spaces for file in entry.all_files().values())
    languages: dict[str, dict[str, Any]] = {}
    for language in index.languages:
        statistics = index.filed_statistics(language)
        matrices = statistics.matrices
        distinct = {term for matrix in matrices for term in matrix.all_terms()} if len(matrices) > 1 else ()
        languages[language or "unknown"] = {
            "documents": statistics.documents,
            "tokens": statistics.tokens,
            "average_length": round(statistics.average_length, 1),
            "terms": len(distinct) or matrices[0].terms,
            "postings": sum(matrix.postings for matrix in matrices),
        }
    return {
        "documents": index.documents,
        **manifest.counts,
        "segments": len(manifest.segments),
        "generation": manifest.generation,
        "languages": languages,
        "bytes": {
            "total": sum(sizes.values()) + spaces,
            "documents": sum(size for name, size in sizes.items() if "/documents.sqlite" in name),
            "records": sum(size for name, size in sizes.items() if "/records" in name),
            "by_term": sum(size for name, size in sizes.items() if "/by_term" in name),
            "by_row": sum(size for name, size in sizes.items() if "/by_row" in name),
            "places": sum(size for name, size in sizes.items() if "/places" in name or "/word" in name),
            **({"spaces": spaces} if spaces else {}),
        },
        **({"spaces": [describe_space(entry) for entry in manifest.spaces]} if spaces else {}),
        "settings": {
            "profile": index.settings["profile"]["name"],
            "fields": index.settings["fields"],
            "positions": index.settings["positions"],
            "versions": index.settings["versions"],
        },
    }


SHOWN = (
    "address", "index", "health", "shards", "replicas", "documents", "read", "merged", "rejected", "replaced",
    "segments", "deleted",
)  # fmt: skip
"""The facts of an index that a table has lines of, where they are known."""


def info_tables(facts: dict[str, Any]) -> list[Table]:
    """The figures as tables, also those of an index on a cluster."""
    rows = (
        *((name, facts[name]) for name in SHOWN if name in facts),
        ("profile", facts["settings"]["profile"]),
        ("fields", ", ".join(facts["settings"]["fields"])),
        *((f"MB, {name}", f"{size / 1e6:.1f}") for name, size in facts["bytes"].items()),
    )
    columns = tuple(next(iter(facts["languages"].values()), ("documents", "tokens", "average_length")))
    languages = tuple((language, *each.values()) for language, each in facts["languages"].items())
    tables = [Table(("index", ""), rows), Table(("language", *columns), languages, digits=1)]
    return [*tables, space_table(facts["spaces"])] if "spaces" in facts else tables


def space_table(spaces: Sequence[dict[str, Any]]) -> Table:
    """Latent spaces, one per line."""
    columns = ("kind", "language", "dimensions", "terms", "learned_from")
    rows = tuple((*(each[name] for name in columns), f"{each['bytes'] / 1e6:.1f}") for each in spaces)
    return Table(("space", *columns[1:], "MB"), rows)
