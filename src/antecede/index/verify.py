"""Verifies an index: first the checksums of all files, then everything inside them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.arrays import split_spans
from antecede.errors import AntecedeError, printable
from antecede.index.documents import DAY, DOC_ID, columns_of, day_number
from antecede.index.files import (
    DAYS,
    METADATA,
    NAMES,
    RECORDS,
    REJECTS,
    SEGMENTS,
    check_folder,
    file_of,
    folder_of,
    unreadable,
)
from antecede.index.index import StoredIndex
from antecede.index.manifest import DENSE, NAME, read_manifest
from antecede.index.places import NO_TERM, row_bits_of
from antecede.patent.texts import FIELDS, indexed_languages, indexed_text
from antecede.results import concise_repr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from antecede.arrays import U32, U64, Ints
    from antecede.index.files import File
    from antecede.index.index import Segment
    from antecede.index.manifest import SpaceEntry
    from antecede.index.matrix import Matrix
    from antecede.index.places import Places
    from antecede.text.analyzer import Analyzer


BATCH_POSTINGS = 1 << 21
"""Postings that are decoded at a time."""


@dataclass(frozen=True)
class VerificationReport:
    """The problems found in an index, if any."""

    __repr__ = concise_repr

    files: int
    problems: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no problem was found."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """The result in a JSON-compatible form."""
        return {"ok": self.ok, "files": self.files, "problems": list(self.problems)}


def verify_index(index: str | Path, progress: Callable[[int, int], None] | None = None) -> VerificationReport:
    """Check every file of an index against the manifest, then the consistency of its content.

    Checksums show only that a file is unchanged, so every list, record and table is read and compared as well. A path
    without an index is an error.

    Args:
        index: The folder of the index.
        progress: Called with the number of bytes checked and the total.
    """
    folder = Path(index)
    try:
        manifest = read_manifest(folder)
        inner = {path.partition("/")[0] for path in manifest.files() if "/" in path}
        for inner_folder in (folder / SEGMENTS, *(folder / SEGMENTS / name for name in sorted(inner))):
            if inner_folder.is_symlink():  # all files of an index are in its own folder: nothing is read through a link
                check_folder(inner_folder)
    except AntecedeError as error:
        if not (folder / NAME).is_file():
            raise
        return VerificationReport(1, (str(error),))
    files = manifest.files()
    total, done = sum(file.size for file in files.values()), 0
    problems: list[str] = []
    for name, file in files.items():
        problems += check_file(folder / SEGMENTS / name, name, file)
        done += file.size
        if progress is not None:
            progress(done, total)
    if not problems:
        try:
            problems += _find_disagreements(StoredIndex.open(folder))
        except AntecedeError as error:
            problems.append(str(error))
    return VerificationReport(len(files) + 1, tuple(problems))


def check_file(path: Path, name: str, file: File) -> Iterator[str]:
    """The problem with a file, if any."""
    try:
        actual = file_of(path)
    except OSError as error:
        if isinstance(problem := unreadable(path, error), MemoryError):
            raise problem from None
        yield f"{name}: cannot be read ({error.strerror})"
        return
    if actual.size != file.size:
        yield f"{name}: has {actual.size} bytes, {file.size} were written"
    elif actual != file:
        yield f"{name}: is damaged, its checksum does not match"


def _find_disagreements(index: StoredIndex) -> Iterator[str]:
    """The contradictions inside an index whose files are all as they were written."""
    for language in index.languages:
        index.analyzer(language)
    checks: list[tuple[str, Iterator[str]]] = []
    for segment in index.segments:
        of_segment = [_verify_documents(index, segment)]
        of_segment += [_verify_matrix(index, segment, language) for language in segment.languages]
        checks += [(f"{segment.name}/", check) for check in of_segment]
    checks += [
        ("", _find_duplicate_names(index)),
        *(("", _verify_space(index, space)) for space in index.manifest.spaces),
    ]
    for where, check in checks:
        try:
            yield from (f"{where}{problem}" for problem in check)
        except AntecedeError as error:
            yield str(error)


def _find_duplicate_names(index: StoredIndex) -> Iterator[str]:
    """Documents that are live in two segments; within one segment, `Segment.order` shows that names are unique."""
    if len(index.segments) < 2:
        return
    seen: set[str] = set()
    for segment in index.segments:
        names = segment.doc_ids(np.flatnonzero(segment.live))
        if twice := seen.intersection(names):
            yield f"{segment.name}: document {printable(min(twice))} is in an earlier segment too"
        seen.update(names)


def _verify_documents(index: StoredIndex, segment: Segment) -> Iterator[str]:
    """Differences between the records, the table made from them, the arrays beside it, and the list of rejects."""
    store = segment.store
    names, days = segment.doc_ids(np.arange(segment.documents)), segment.days
    _ = segment.order  # reading it compares it with the names
    has_text = {language: {*matrix.documents.tolist()} for language, matrix in segment.matrices.items()}
    for number, row in enumerate(store.all_rows()):
        patent = store.record(number)
        store.release_pages(number)
        if columns_of(patent) != row:
            yield f"{RECORDS}: record {number} is not the document in {METADATA}"
        if names[number] != row[DOC_ID] or int(days[number]) != day_number(row[DAY]):
            yield f"{METADATA}: name or day of document {number} is not that in {NAMES} and {DAYS}"
        fields = index.settings["fields"]
        languages = {
            language for language in indexed_languages(patent, fields) if indexed_text(patent, language, fields)
        }
        if languages != {language for language, numbers in has_text.items() if number in numbers}:
            yield f"{RECORDS}: document {number} has text in other languages than it is indexed in"
    yield from (f"{METADATA}: {problem}" for problem in store.problems())
    lines, rejected = sum(1 for _ in segment.rejects()), segment.entry.counts["rejected"]
    if lines != rejected:
        yield f"{REJECTS}: has {lines} lines, {rejected} documents were rejected"


def _verify_matrix(index: StoredIndex, segment: Segment, language: str) -> Iterator[str]:
    """Decode both directions of a matrix and compare them.

    Decoding a list checks its items, its length (the document frequency of a term), the sum of its counts (the length
    of a document, the collection frequency of a term) and its checksum; opening has compared their number, and how many
    postings they make, with the manifest.
    """
    matrix, folder = segment.matrices[language], folder_of(language)
    matrix.all_terms()
    _ = matrix.lengths
    by_row, by_term = _fingerprints(matrix)
    if (differing := np.flatnonzero(by_row != by_term)).size:
        yield f"{folder}: row {differing[0]} has other terms by row than by term"
        return
    if matrix.places is not None:
        yield from (
            f"{folder}: {problem}" for problem in _verify_places(matrix, matrix.places, index.analyzer(language))
        )


def _verify_places(matrix: Matrix, held: Places, analyzer: Analyzer) -> Iterator[str]:
    """Compare words with their terms, and the places of the words of each term with its postings.

    Those of words without a term are compared with the bits of rows of frequent ones.
    """
    terms = analyzer.resolve(held.all_words())
    numbers = iter(matrix.find([term for term in terms if term is not None]).tolist())
    expected = [int(NO_TERM) if term is None else next(numbers) for term in terms]
    if expected != held.term_of.tolist():
        yield "a word has another term than the one that it is analysed to"
        return
    of_terms = held.term_of != NO_TERM
    totals = np.bincount(held.term_of[of_terms], held.counts[of_terms].sum(axis=1), matrix.terms)
    if not np.array_equal(totals, matrix.cf):
        yield "the words of a term have other places in all than the term"
        return
    for first, last in split_spans(matrix.cf.astype(np.int64), BATCH_POSTINGS):
        words = held.words_of(first, last)
        ranked: list[Ints] = []
        for field in range(len(FIELDS)):
            ptr, places = held.lists(words * len(FIELDS) + field)
            of_words = np.repeat(held.term_of[words].astype(np.int64) - first, np.diff(ptr))
            ranked.append(of_words * matrix.rows + np.searchsorted(held.bounds[field], places, "right") - 1)
        pairs, counts = np.unique(np.concatenate(ranked), return_counts=True)
        lists = matrix.postings_of(np.arange(first, last))
        posted = np.repeat(np.arange(last - first), np.diff(lists.ptr)) * matrix.rows + lists.items
        if not np.array_equal(pairs, posted) or not np.array_equal(counts, lists.counts):
            yield f"a word between terms {first} and {last} is in other rows than its term"
            return
        held.release_pages()
    others = np.flatnonzero(~of_terms)
    for first, last in split_spans(held.counts[others].sum(axis=1), BATCH_POSTINGS):
        for field in range(len(FIELDS)):
            held.lists(others[first:last] * len(FIELDS) + field)
    for word, bits in zip(*held.row_bits, strict=True):
        ptr, places = held.lists(np.arange(word * len(FIELDS), (word + 1) * len(FIELDS)))
        if not np.array_equal(row_bits_of(ptr, places, held.texts), bits):
            yield f"word {word} is in other rows than its bits say"
        held.release_pages()


def _fingerprints(matrix: Matrix) -> tuple[U64, U64]:
    """Of each row, the sum of hashes of its terms and counts: as the matrix has them by row, and by term.

    The factors are random, so that no file can be made for two different rows to have the same sum.
    """
    factors = np.frombuffer(os.urandom(24), np.uint64) | np.uint64(1)

    def hash_pairs(terms: U32, counts: U32) -> U64:
        mixed: U64 = terms.astype(np.uint64) * factors[0] + counts.astype(np.uint64) * factors[1]
        mixed ^= mixed >> np.uint64(32)
        mixed *= factors[2]
        mixed ^= mixed >> np.uint64(29)
        return mixed

    by_row, by_term = np.zeros(matrix.rows, np.uint64), np.zeros(matrix.rows, np.uint64)
    for first, lists in matrix.by_row.walk(BATCH_POSTINGS):
        sums = np.append(np.uint64(0), np.cumsum(hash_pairs(lists.items, lists.counts), dtype=np.uint64))[lists.ptr]
        by_row[first : first + len(sums) - 1] = np.diff(sums)
    for first, lists in matrix.by_term.walk(BATCH_POSTINGS):
        terms = np.repeat(np.arange(first, first + len(lists.ptr) - 1, dtype=np.uint32), np.diff(lists.ptr))
        np.add.at(by_term, lists.items, hash_pairs(terms, lists.counts))
    return by_row, by_term


TOLERANCE = 1e-3
"""What a component may differ by for another machine's arithmetic; the vectors of other texts differ by far more."""


def _verify_space(index: StoredIndex, entry: SpaceEntry) -> Iterator[str]:
    """The first document of each segment whose vector is not the one that the basis gives."""
    space = index.stored_space(entry.language, entry.kind)
    if space is None:
        return
    if entry.kind == DENSE:  # only the model could tell; that the vectors have unit length is checked
        for at in range(len(space.matrices)):
            space.vectors(at)
        return
    for at, (segment, matrix) in enumerate(space.matrices):
        if segment.name not in entry.segments or matrix not in segment.matrices.values():
            continue
        first, stored = 0, space.vectors(at)
        for part in space.basis.fold_matrix(matrix):
            apart = np.abs(stored[first : first + len(part)] - part).max(axis=1, initial=0) > TOLERANCE
            if apart.any():
                row = first + int(apart.argmax())
                path = index.folder / SEGMENTS / entry.vectors_path(segment.name)
                yield f"{path}: row {row} is not the vector of its document"
                break
            first += len(part)
