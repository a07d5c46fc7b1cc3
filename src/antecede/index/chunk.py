"""A chunk: consecutive documents of the input, read and counted by one worker; the unit in which a build is resumed.

How the input is divided into chunks depends on the input alone, so any number of workers makes the same chunks. A chunk
is a file of several arrays, each of which can be read by itself. A JSON header lists them; their checksums show whether
a file left by a killed build is complete. Arrays are read, not mapped, so that the memory of a build is what it
allocates.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, NotRequired, cast

import numpy as np
from typing_extensions import TypedDict

from antecede.arrays import pointers_from_sizes
from antecede.corpus.collection import read_document
from antecede.corpus.document import RawDocument, Rejected
from antecede.corpus.merge import identity, merge
from antecede.index.codec import Lists, tally, transpose
from antecede.index.documents import DOC_ID, IDENTITY, columns_of
from antecede.index.places import NO_TERM, collect_places
from antecede.index.records import Packer, unpack
from antecede.index.terms import arrange_terms, sort_terms
from antecede.patent.texts import FIELDS, indexed_languages, indexed_texts
from antecede.text.bulk import BulkAnalyzer
from antecede.text.vocabulary import Arena

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.arrays import U32, U64, Ints, Mask
    from antecede.patent import Patent
    from antecede.text.bulk import WordBatch
    from antecede.text.profiles import Profile


CHUNK_BYTES = 1 << 23
CHUNK_DOCUMENTS = 4096
MAX_TABLE_BYTES = 64 << 20

Items = list[RawDocument | Rejected]


@dataclass(frozen=True)
class Settings:
    """How an index is built: the settings that it stores."""

    profile: Profile
    fields: tuple[str, ...] = FIELDS
    names: Mapping[str, str] = field(default_factory=dict)
    """The names that a JSON source uses for the fields."""
    positions: bool = True
    """Whether the places of words are indexed."""
    tables: int = MAX_TABLE_BYTES
    """A worker discards its word tables once they exceed this many bytes; the result is the same."""


def split_chunks(items: Iterable[RawDocument | Rejected]) -> Iterator[Items]:
    """Divide the input into chunks of at most `CHUNK_BYTES` bytes and `CHUNK_DOCUMENTS` documents."""
    chunk: Items = []
    size = 0
    for item in items:
        length = len(item.data) if isinstance(item, RawDocument) else 0
        if chunk and (size + length > CHUNK_BYTES or len(chunk) >= CHUNK_DOCUMENTS):
            yield chunk
            chunk, size = [], 0
        chunk.append(item)
        size += length
    if chunk:
        yield chunk


def signature(items: Items) -> int:
    """A checksum of a chunk's input, by which a resumed build recognises that it is unchanged."""
    total = 0
    for item in items:
        data = item.data if isinstance(item, RawDocument) else str(item).encode()
        total = zlib.crc32(data, zlib.crc32(b"%d " % len(data), total))
    return total


class ChunkMaker:
    """Makes chunks one after the other, and keeps its word tables from one to the next."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.analyzers: dict[str, BulkAnalyzer] = {}
        self.packer = Packer()

    def make(self, items: Items, path: Path) -> ChunkFacts:
        """Read documents, merge adjacent ones of the same patent, count their terms, and write the chunk."""
        rejected: list[Rejected] = []
        documents: list[Patent] = []
        for item in items:
            outcome = read_document(item, self.settings.names) if isinstance(item, RawDocument) else item
            (rejected if isinstance(outcome, Rejected) else documents).append(outcome)  # type: ignore[arg-type]
        groups = [list(group) for _, group in groupby(documents, key=identity)]
        facts = {
            "read": len(items),
            "rejected": [asdict(rejection) for rejection in rejected],
            "input": signature(items),
        }
        return self.write(groups, path, facts)

    def remake(self, patents: Sequence[Sequence[bytes]], path: Path) -> ChunkFacts:
        """Write a late chunk: patents whose documents, given packed, were not adjacent."""
        groups: list[list[Patent]] = []
        for packed in patents:
            apart: dict[str, list[Patent]] = {}
            for document in map(unpack, packed):
                apart.setdefault(identity(document), []).append(document)
            groups += apart.values()
        return self.write(groups, path, {"read": 0, "rejected": []})

    def write(self, groups: Sequence[Sequence[Patent]], path: Path, facts: dict[str, Any]) -> ChunkFacts:
        """Write a chunk of patents, each given as its documents."""
        patents = [merge(group) for group in groups]
        columns = [columns_of(patent) for patent in patents]
        records = [self.packer.pack(patent) for patent in patents]
        sources = [[self.packer.pack(document) for document in group] if len(group) > 1 else [] for group in groups]
        arrays: dict[str, NDArray[Any]] = {
            "columns": np.frombuffer(json.dumps(columns, ensure_ascii=False).encode(), np.uint8),
            "identities": fingerprints(row[IDENTITY] for row in columns),
            "names": fingerprints(row[DOC_ID] for row in columns),
            **join_blobs("records", records),
            **join_blobs("sources", [source for group in sources for source in group]),
            "sources_of": pointers_from_sizes(np.array([*map(len, sources)], np.int64)),
        }
        fields = self.settings.fields
        languages = sorted({language for patent in patents for language in indexed_languages(patent, fields)})
        for language in languages:
            arrays.update(self.matrix(language, patents))
        all_facts = cast("ChunkFacts", {**facts, "patents": len(patents), "languages": languages})
        write_sections(path, all_facts, arrays)
        return all_facts

    def matrix(self, language: str, patents: Sequence[Patent]) -> dict[str, NDArray[Any]]:
        """The term counts of the patents that have text in a language: sorted terms, each with ascending rows."""
        analyzer, fields = self.analyzer(language), self.settings.fields
        texts = {at: parts for at, patent in enumerate(patents) if (parts := indexed_texts(patent, language, fields))}
        if self.settings.positions:
            batch, words = analyzer.add_in_order(*_split_fields(texts.values()))
        else:
            batch, words = analyzer.add([b"\n".join(parts.values()) for parts in texts.values()]), None
        known = analyzer.export_terms()
        sizes = tally(batch.terms, len(known.ptr) - 1)
        order = sort_terms(known, np.flatnonzero(sizes))
        terms, terms_ptr = arrange_terms(known, order)
        numbers = np.arange(len(texts), dtype=np.uint32)
        ptr, rows, counts = transpose(Lists(batch.ptr, batch.terms, batch.counts), order, sizes, numbers)
        arrays: dict[str, NDArray[Any]] = {
            "documents": np.array(list(texts), np.uint32),
            "terms": terms,
            "terms_ptr": terms_ptr,
            "ptr": ptr,
            "rows": narrow(rows),
            "counts": narrow(counts),
        }
        if words is not None:
            arrays |= _invert(words, analyzer.export_words(), order, list(texts.values()))
        return {f"{language}.{name}": array for name, array in arrays.items()}

    def analyzer(self, language: str) -> BulkAnalyzer:
        """The analyser of a language; all are discarded once their tables have grown too large."""
        if sum(analyzer.nbytes for analyzer in self.analyzers.values()) > self.settings.tables:
            self.analyzers.clear()
        if language not in self.analyzers:
            self.analyzers[language] = BulkAnalyzer(language, self.settings.profile)
        return self.analyzers[language]


def _split_fields(texts: Iterable[Mapping[str, bytes]]) -> tuple[list[bytes], Mask]:
    """The texts of documents field by field, and which of them is the last of its document."""
    parts = [[*fields.values()] for fields in texts]
    closing = np.zeros(sum(map(len, parts)), np.bool_)
    closing[np.cumsum([*map(len, parts)], dtype=np.int64) - 1] = True
    return [part for fields in parts for part in fields], closing


def _invert(
    batch: WordBatch, known: Arena, terms: Ints, texts: Sequence[Mapping[str, bytes]]
) -> dict[str, NDArray[Any]]:
    """The places of each word of a batch by field, with sorted words; `terms` are the numbers of the sorted terms."""
    of_texts = np.array([(row, FIELDS.index(name)) for row, fields in enumerate(texts) for name in fields], np.int64)
    row, field = of_texts.reshape(-1, 2).T
    sizes = np.zeros((len(texts), len(FIELDS)), np.uint32)
    sizes[row, field] = batch.sizes
    starts = np.cumsum(sizes, axis=0, dtype=np.int64) - sizes  # where each text begins among those of its field
    before = np.cumsum(batch.sizes) - batch.sizes
    place = np.arange(len(batch.words)) + np.repeat(starts[row, field] - before, batch.sizes)
    lists = np.where(batch.words >= 0, batch.words.astype(np.int64) * len(FIELDS) + np.repeat(field, batch.sizes), -1)
    counts = tally(lists[lists >= 0], len(batch.term_of) * len(FIELDS)).reshape(-1, len(FIELDS))
    order = sort_terms(known, np.flatnonzero(counts.any(axis=1)))
    words, words_ptr = arrange_terms(known, order)
    ptr = pointers_from_sizes(counts[order].reshape(-1))
    cursor = np.zeros(counts.shape, np.int64)
    cursor[order] = ptr[:-1].reshape(-1, len(FIELDS))
    places = np.empty(int(ptr[-1]), np.uint32)
    collect_places(lists, place, cursor.reshape(-1), places)
    rank = np.full(int(terms.max(initial=-1)) + 2, NO_TERM, np.uint32)  # the last, for the term −1, stays as it is
    rank[terms] = np.arange(len(terms), dtype=np.uint32)
    return {
        "words": words,
        "words_ptr": words_ptr,
        "word_terms": rank[batch.term_of[order]],
        "places_ptr": ptr,
        "places": narrow(places),
        "fields": sizes.reshape(-1),
    }


def narrow(numbers: U32) -> NDArray[Any]:
    """The same numbers in the narrowest type that holds them all, to write, read and checksum fewer bytes."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def join_blobs(name: str, blobs: Sequence[bytes]) -> dict[str, NDArray[Any]]:
    """The concatenated blobs, and the offset of each."""
    data, ptr = Arena.join(blobs)
    return {name: data, f"{name}_ptr": ptr}


def fingerprints(texts: Iterable[str]) -> U64:
    """64-bit fingerprints of texts; a collision is possible but improbable."""
    digests = b"".join(hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, "<u8")


START = 20
"""Bytes of the checksum of all that follows it, and of the length of the header."""


def write_sections(path: Path, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write facts and arrays to a file, under a temporary name until it is complete.

    The file is not synced: after a system crash the checksum shows whether it is complete.
    """
    flat = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    ends = np.cumsum([array.nbytes for array in flat.values()]).tolist()
    places = {
        name: (array.dtype.str, end - array.nbytes, len(array))
        for (name, array), end in zip(flat.items(), ends, strict=True)
    }
    head = json.dumps({"facts": facts, "places": places}, ensure_ascii=False).encode()
    parts: list[bytes | memoryview] = [
        b"%12d" % len(head),
        head,
        *(array.view(np.uint8).data for array in flat.values()),
    ]
    checksum = 0
    for part in parts:
        checksum = zlib.crc32(part, checksum)
    passing = path.with_suffix(f".{os.getpid()}")
    with passing.open("wb") as out:
        out.write(b"%8x" % checksum)
        out.writelines(parts)
    passing.replace(path)


class ChunkFacts(TypedDict):
    """The counts of a chunk, and its languages."""

    read: int
    rejected: list[dict[str, Any]]
    """The fields of each rejected document."""
    input: NotRequired[int]
    """A checksum of the input; a late chunk has none."""
    patents: int
    languages: list[str]


class Sections:
    """A file of arrays, for reading; it must be whole (`is_whole`)."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            size = int(file.read(START)[8:])
            header = json.loads(file.read(size))
        self.path, self.start = path, START + size
        self.facts: ChunkFacts = header["facts"]
        self.places: dict[str, tuple[str, int, int]] = header["places"]
        """Of each array: its number type, its offset, and its length."""

    def array(self, name: str, first: int = 0, end: int | None = None) -> NDArray[Any]:
        """An array, or a slice of it."""
        kind, at, length = self.places[name]
        dtype = np.dtype(kind)
        count = (length if end is None else end) - first
        return np.fromfile(self.path, dtype, count, offset=self.start + at + first * dtype.itemsize)


def is_whole(path: Path) -> bool:
    """Whether a file of arrays exists, and is as it was written."""
    try:
        data = memoryview(path.read_bytes())
        return int(bytes(data[:8]), 16) == zlib.crc32(data[8:])
    except (OSError, ValueError):
        return False


class ChunkMatrix:
    """The matrix of a language in a chunk."""

    def __init__(self, sections: Sections, language: str) -> None:
        self.sections, self.language = sections, language
        self.documents = self.array("documents")

    def array(self, name: str, first: int = 0, end: int | None = None) -> NDArray[Any]:
        return self.sections.array(f"{self.language}.{name}", first, end)

    def terms(self) -> Arena:
        """The terms, in byte order."""
        return Arena(self.array("terms"), self.array("terms_ptr"))

    def sizes(self) -> Ints:
        """The number of postings of each term."""
        return np.diff(self.array("ptr"))

    def postings(self, first: int, last: int) -> Lists:
        """The rows of the terms from `first` up to `last`."""
        ptr = self.array("ptr", first, last + 1)
        begin, end = int(ptr[0]), int(ptr[-1])
        rows, counts = (self.array(name, begin, end).astype(np.uint32) for name in ("rows", "counts"))
        return Lists(ptr - begin, rows, counts)

    def words(self) -> Arena:
        """The words as written, in byte order."""
        return Arena(self.array("words"), self.array("words_ptr"))

    def word_terms(self) -> U32:
        """The term of each word, or `NO_TERM`."""
        return self.array("word_terms").astype(np.uint32)

    def place_counts(self) -> Ints:
        """The number of places of each word in each field."""
        return np.diff(self.array("places_ptr")).reshape(-1, len(FIELDS))

    def places(self, first: int, last: int) -> tuple[Ints, Ints]:
        """The places of the words from `first` up to `last`, a list per field: the offset of each, and the lists."""
        ptr = self.array("places_ptr", first * len(FIELDS), last * len(FIELDS) + 1)
        return ptr - ptr[0], self.array("places", int(ptr[0]), int(ptr[-1])).astype(np.int64)

    def field_sizes(self) -> Ints:
        """The number of words of each field of each row."""
        return self.array("fields").astype(np.int64).reshape(-1, len(FIELDS))

    def portions(self) -> Iterator[tuple[int, int]]:
        """Ranges of rows that are read efficiently in one call."""
        yield 0, len(self.documents)

    def vectors(self, first: int, last: int, names: U32) -> Lists:
        """The terms of the rows of such a range, renumbered by `names`; thread-safe."""
        postings = self.postings(0, len(names))
        return transpose(postings, np.arange(first, last), tally(postings.items, last - first), names)


class ChunkPart:
    """A chunk of a build."""

    def __init__(self, sections: Sections) -> None:
        self.sections, self.facts = sections, sections.facts
        self.documents: int = self.facts["patents"]
        self.languages: list[str] = self.facts["languages"]
        self.live = np.ones(self.documents, np.bool_)
        """Which documents are kept."""
        self.names_taken: list[Rejected] = []
        """Documents that were rejected since another patent has their name."""

    def matrix(self, language: str) -> ChunkMatrix:
        return ChunkMatrix(self.sections, language)

    def rows(self) -> Iterator[Sequence[Any]]:
        """The metadata columns of every document, including those that are not kept."""
        yield from json.loads(self.sections.array("columns").tobytes())

    def records(self) -> Iterator[tuple[int, Arena]]:
        """The packed records in batches, each with the number of its first record."""
        yield 0, Arena(self.sections.array("records"), self.sections.array("records_ptr"))

    def rejected(self) -> list[Rejected]:
        return [*(Rejected(**line) for line in self.facts["rejected"]), *self.names_taken]

    def rejects(self) -> Iterator[bytes]:
        """JSON lines that describe the rejected documents."""
        return (json.dumps(rejection.to_dict(), ensure_ascii=False).encode() + b"\n" for rejection in self.rejected())

    def documents_of(self, patent: int) -> Iterator[bytes]:
        """The documents that a patent was merged from, packed."""
        first, end = self.sections.array("sources_of", patent, patent + 2).tolist()
        if first == end:  # it was one document, and is its own record
            yield self.blob("records", patent)
        for at in range(first, end):
            yield self.blob("sources", at)

    def blob(self, name: str, number: int) -> bytes:
        start, end = self.sections.array(f"{name}_ptr", number, number + 2).tolist()
        return self.sections.array(name, start, end).tobytes()
