"""An index opened for reading, and its segments: everything is loaded on first use.

A segment has the documents that were added together. It never changes once written.
"""

from __future__ import annotations

import json
import threading
from functools import cached_property
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from antecede.arrays import are_ascending
from antecede.engine import LATEST_DAY, UNKNOWN, UNKNOWN_DAY
from antecede.errors import InputError, UsageError
from antecede.files import open_regular
from antecede.index.commit import hold_folder
from antecede.index.documents import DocumentStore, days_of_year
from antecede.index.files import (
    DAYS,
    NAMES,
    NAMES_PTR,
    ORDER,
    REJECTS,
    SEGMENTS,
    SegmentFiles,
    check_folder,
    damaged,
    folder_of,
    read_array,
    read_file,
)
from antecede.index.manifest import DENSE, Manifest, read_manifest
from antecede.index.matrix import NOTHING, AssumedLanguageMatrix, Matrix
from antecede.index.spaces import DenseSpace, StoredSpace
from antecede.index.statistics import MatrixStatistics
from antecede.index.terms import is_sorted, read_texts
from antecede.text.analyzer import Analyzer
from antecede.text.profiles import Profile
from antecede.text.vocabulary import Arena

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from antecede.arrays import I32, U32, Ints, Mask
    from antecede.index.manifest import SegmentEntry
    from antecede.text.folding import Folding


class Segment:
    """The matrices and documents of one segment, without those that a later segment replaced."""

    def __init__(self, folder: Path, entry: SegmentEntry, deleted: U32, names: Folding = "none") -> None:
        """`deleted` are the ascending numbers of the replaced documents; `names` is the folding of names."""
        self.folder, self.entry, self.deleted = folder, entry, deleted
        self.name, self.documents, self.languages = entry.name, entry.documents, tuple(entry.languages)
        self.files = SegmentFiles(folder, entry.files)
        self.store = DocumentStore(self.files, self.documents, names)

    @cached_property
    def matrices(self) -> dict[str, Matrix]:
        """The matrix of each language."""
        return {language: self.matrix(language) for language in self.languages}

    def matrix(self, language: str) -> Matrix:
        """The matrix of a language."""
        name = folder_of(language)
        check_folder(self.folder / name)
        start = f"{name}/"
        files = {each.removeprefix(start): file for each, file in self.entry.files.items() if each.startswith(start)}
        counts = self.entry.languages[language]
        return Matrix(SegmentFiles(self.folder / name, files), language, self.documents, counts, self.deleted)

    @cached_property
    def days(self) -> I32:
        """The day from which each document is prior art, since 1970; the smallest number where it is not known."""
        return self.files.array(DAYS, self.documents)

    @cached_property
    def published(self) -> Mask:
        """Which documents `days` dates by their publication, or by no more than the year in their number."""
        published: Mask = self.days == UNKNOWN_DAY
        published[self.store.numbers_known("published")] = True
        return published

    @cached_property
    def first_days(self) -> I32:
        """The first day on which each document may have been published; the smallest number where it is not known."""
        return self._possible_days[0]

    @cached_property
    def last_days(self) -> I32:
        """The last day on which each document may have been published; the largest number where it is not known."""
        return self._possible_days[1]

    @cached_property
    def _possible_days(self) -> tuple[I32, I32]:
        """The day of each document; where it is not known, those on which the year in its number begins and ends."""
        undated = np.flatnonzero(self.days == UNKNOWN_DAY)
        if not len(undated):
            return self.days, self.days
        first, last = self.days.copy(), self.days.copy()
        last[undated] = LATEST_DAY
        for number, (patent_number,) in self.store.by_number(["patent_number"], undated.tolist()).items():
            if (days := days_of_year(patent_number)) is not None:
                first[number], last[number] = days
        return first, last

    @cached_property
    def order(self) -> U32:
        """The rank of each document's name among the sorted names, which breaks ties."""
        order = self.files.array(ORDER, self.documents)
        names, ptr = self.names
        if not is_sorted(Arena(np.frombuffer(names, np.uint8), ptr), order):
            raise damaged(self.folder / ORDER, "it is not the order of the names")
        return order

    @cached_property
    def names(self) -> tuple[bytes, Ints]:
        """The concatenated names, and the offset of each; none is empty."""
        names = read_texts(self.files, NAMES, NAMES_PTR, self.documents)
        return names.data.tobytes(), names.ptr

    def doc_ids(self, numbers: NDArray[np.integer[Any]]) -> list[str]:
        """The names of documents."""
        names, ptr = self.names
        starts, ends = ptr[numbers].tolist(), ptr[numbers + 1].tolist()
        return [names[start:end].decode() for start, end in zip(starts, ends, strict=True)]

    @cached_property
    def live(self) -> Mask:
        """Which documents were not replaced."""
        mask = np.ones(self.documents, np.bool_)
        mask[self.deleted] = False
        return mask

    def rejects(self) -> Iterator[bytes]:
        """The documents that were rejected when the segment was built, as JSON lines."""
        with BufferedReader(open_regular(self.files.checked(REJECTS))) as lines:
            yield from lines


NAMED = 5
"""Documents that a message names."""
TRIES = 100
"""How often the manifest is read again because a writer committed meanwhile; once is nearly always enough."""


class StoredIndex:
    """One state of an index. If another process adds to the index meanwhile, this state does not change. `open_index`
    opens one.

    Args:
        folder: The folder of the index.
        manifest: The manifest of the state to open.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        """Raises `InputError` where a segment does not exist; a missing space is reported when it is used."""
        self.folder, self.manifest, self.settings = folder, manifest, manifest.settings
        if manifest.segments:
            check_folder(folder / SEGMENTS)
        spaces = {name for space in manifest.spaces for name in space.folders()}
        missing = {name for name in spaces if not (folder / SEGMENTS / name).is_dir()}
        for name in sorted(spaces - missing):
            hold_folder(folder / SEGMENTS / name, self)
        self._translation = self._load_translation()
        if (missing or isinstance(self._translation, InputError)) and read_manifest(folder) != manifest:
            raise InputError("was changed while it was opened", source=str(folder), remedy="open it again")
        self.segments = tuple(self.segment(entry) for entry in manifest.segments)
        """The segments, in the order they were added."""
        self.cache: dict[str, Any] = {}
        """A cache for the layers above: values computed from this state, under a key of their own."""
        self._assumed: dict[str, list[tuple[Segment, AssumedLanguageMatrix]]] = {}
        self._spaces: dict[tuple[str, str], StoredSpace] = {}
        self._lock = threading.RLock()

    def segment(self, entry: SegmentEntry) -> Segment:
        """Open a segment, and hold it so that it is not removed."""
        deleted = np.zeros(0, np.uint32)
        if entry.deleted is not None:
            path = self.folder / SEGMENTS / entry.deleted
            deleted = read_array(path, self.manifest.deletions.get(entry.deleted))
            if not are_ascending(deleted, entry.documents):
                raise damaged(path, "its numbers do not ascend, or are not those of documents of its segment")
        segment = Segment(self.folder / SEGMENTS / entry.name, entry, deleted, self.profile.names)
        hold_folder(segment.folder, segment)
        return segment

    @property
    def rejects(self) -> Path:
        """The file that lists what was rejected when documents were added last."""
        return self.segments[-1].folder / REJECTS

    @property
    def documents(self) -> int:
        """The number of patents that can be retrieved."""
        return sum(segment.documents - len(segment.deleted) for segment in self.segments)

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of the texts, the one with the most documents first."""
        known = {language for entry in self.manifest.segments for language in entry.languages}
        rows = {language: self.documents_in(language) for language in known}
        return tuple(sorted(filter(rows.__getitem__, rows), key=lambda language: (-rows[language], language)))

    def documents_in(self, language: str) -> int:
        """Number of documents with text in a language, from the manifest unless some were replaced."""
        counts = [
            segment.entry.languages[language]["rows"] for segment in self.segments if language in segment.languages
        ]
        if not any(len(segment.deleted) for segment in self.segments):
            return sum(counts)
        return self.filed_statistics(language).documents

    def filed_matrices(self, language: str) -> list[tuple[Segment, Matrix]]:
        """The matrix of a language in each segment that has one, without documents of unknown language."""
        return [(segment, segment.matrices[language]) for segment in self.segments if language in segment.matrices]

    def filed_statistics(self, language: str) -> MatrixStatistics:
        """The statistics of the documents filed under a language."""
        return MatrixStatistics(language, [matrix for _, matrix in self.filed_matrices(language)])

    def matrices(self, language: str) -> list[tuple[Segment, Matrix]]:
        """The matrices that a search in a language uses: those of the language, then those of unknown language.

        The latter are analysed as the language that is searched; see `AssumedLanguageMatrix`.
        """
        filed = self.filed_matrices(language)
        if language == UNKNOWN or not filed or UNKNOWN not in self.languages:
            return filed
        with self._lock:
            if language not in self._assumed:
                analyzer, own = self.analyzer(language), {segment.name: matrix.documents for segment, matrix in filed}
                self._assumed[language] = [
                    (segment, AssumedLanguageMatrix(matrix, analyzer, own.get(segment.name, NOTHING)))
                    for segment, matrix in self.filed_matrices(UNKNOWN)
                ]
        return [*filed, *(pair for pair in self._assumed[language] if pair[1].rows)]

    def searched_statistics(self, language: str) -> MatrixStatistics:
        """The statistics, over all segments, of the documents that a search in a language covers."""
        if language not in self._statistics:
            self._statistics[language] = MatrixStatistics(language, [matrix for _, matrix in self.matrices(language)])
        return self._statistics[language]

    def stored_space(self, language: str, kind: str) -> StoredSpace | None:
        """The latent space of a kind (`lsa`, `words`) in a language; None where there is none."""
        entries = {entry.language: entry for entry in self.manifest.spaces if entry.kind == kind}
        if language not in entries:
            return None
        with self._lock:
            if (language, kind) not in self._spaces:
                given = self.folder / SEGMENTS, entries[language], self.matrices(language)
                opened = DenseSpace(*given, entries.get(UNKNOWN)) if kind == DENSE else StoredSpace(*given)
                self._spaces[language, kind] = opened
            return self._spaces[language, kind]

    @property
    def translation(self) -> bytes | None:
        """The bytes of the table of translations that is stored with the index; None where there is none."""
        if isinstance(self._translation, InputError):
            raise self._translation
        return self._translation

    def _load_translation(self) -> bytes | InputError | None:
        """The table as it is when the index is opened; an error of it concerns only who uses it."""
        entry = self.manifest.translation
        if entry is None:
            return None
        try:
            return bytes(read_file(self.folder / SEGMENTS / entry.name, entry.file))
        except InputError as error:
            return error

    @cached_property
    def _statistics(self) -> dict[str, MatrixStatistics]:  # an index on a cluster is not initialised as one in a folder
        return {}

    @cached_property
    def _analyzers(self) -> dict[str, Analyzer]:
        return {}

    def analyzer(self, language: str) -> Analyzer:
        """The analyser of the texts of a language, which is also applied to queries."""
        if language not in self._analyzers:
            try:
                self._analyzers[language] = Analyzer(language, self.profile)
            except UsageError as error:
                raise InputError(f"settings.profile: {error}", source=str(self.folder)) from None
        return self._analyzers[language]

    @cached_property
    def profile(self) -> Profile:
        """How the words of each language were converted to terms."""
        return Profile.from_json(json.dumps(self.settings["profile"]), source=str(self.folder))

    @cached_property
    def state(self) -> str:
        """What identifies the content: the manifest lists every file with its checksum."""
        return self.manifest.digest()

    @property
    def name(self) -> str:
        """What a list calls it."""
        return self.folder.resolve().name

    @property
    def where(self) -> str:
        """The place from which it can be opened again, whatever the working directory."""
        return str(self.folder.absolute())

    @classmethod
    def open(cls, folder: str | Path) -> Self:
        """Open an index for reading. This takes milliseconds; any number of processes may read while one writes."""
        folder = Path(folder)
        manifest = read_manifest(folder)
        for _ in range(TRIES):
            try:
                return cls(folder, manifest)
            except InputError:
                before, manifest = manifest, read_manifest(folder)
                if manifest == before:
                    raise
        return cls(folder, manifest)
