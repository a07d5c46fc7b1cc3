"""A chunk: consecutive documents of the input, read and counted by one worker; the unit in which a build is resumed.

How the input is divided into chunks depends on the input alone, so any number of workers makes the same chunks.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from antecede.corpus.collection import read_document
from antecede.corpus.document import RawDocument, Rejected
from antecede.corpus.merge import identity, merge
from antecede.errors import UsageError
from antecede.index.arrays import pointers
from antecede.index.indexed_text import languages_of, text_of
from antecede.index.layout import FIELDS
from antecede.index.metadata import DOC_ID, IDENTITY, columns_of
from antecede.index.records import BROKEN, Packer, unpack
from antecede.index.sections import write_sections
from antecede.index.transposition import tally, transpose
from antecede.index.vocabulary import arrange_terms, sort_terms
from antecede.text.bulk import BulkAnalyzer
from antecede.text.profiles import Profile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.index.sections import ChunkFacts
    from antecede.patent import Patent

CHUNK_BYTES = 1 << 23
CHUNK_DOCUMENTS = 4096
LARGEST_TABLES = 64 << 20

Items = list[RawDocument | Rejected]


@dataclass(frozen=True)
class Settings:
    """How an index is built: the settings that it stores."""

    profile: Profile
    fields: tuple[str, ...] = FIELDS
    names: Mapping[str, str] = field(default_factory=dict)
    """The names that a JSON source uses for the fields."""
    tables: int = LARGEST_TABLES
    """A worker discards its word tables once they exceed this many bytes; the result is the same."""

    def to_dict(self) -> dict[str, Any]:
        """The settings in a JSON-compatible form."""
        return {**self.__dict__, "profile": self.profile.to_json(), "names": dict(self.names)}

    @classmethod
    def from_dict(cls, whole: dict[str, Any]) -> Settings:
        """The settings that `to_dict` returned."""
        return cls(**{**whole, "profile": Profile.from_json(whole["profile"]), "fields": tuple(whole["fields"])})


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


def describe_items(items: Items) -> list[list[Any]]:
    """For each document its length in bytes and its attributes; for a rejected one, −1 and all of its fields."""
    return [
        [len(item.data), item.root, item.file, item.number, item.offset]
        if isinstance(item, RawDocument)
        else [-1, *asdict(item).values()]
        for item in items
    ]


def signature(items: Items) -> int:
    """A checksum of a chunk's input, by which a resumed build recognises that it is unchanged."""
    total = zlib.crc32(json.dumps(describe_items(items)).encode())
    for item in items:
        if isinstance(item, RawDocument):
            total = zlib.crc32(item.data, total)
    return total


def restore_items(heads: list[list[Any]], data: bytes) -> Items:
    """The items, from what `describe_items` returned and their concatenated bytes."""
    items: Items = []
    at = 0
    for length, *rest in heads:
        if length < 0:
            items.append(Rejected(*rest))
        else:
            items.append(RawDocument(data[at : at + length], *rest))
            at += length
    return items


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
            found = read_document(item, self.settings.names) if isinstance(item, RawDocument) else item
            (rejected if isinstance(found, Rejected) else documents).append(found)  # type: ignore[arg-type]
        groups = [list(group) for _, group in groupby(documents, key=identity)]
        facts = {
            "read": len(items),
            "rejected": [each.to_dict() for each in rejected],
            "input": signature(items),
        }
        return self.write(groups, path, facts)

    def remake(self, patents: Sequence[Sequence[bytes]], path: Path) -> ChunkFacts:
        """Write a late chunk: patents whose documents, given packed, were not adjacent."""
        groups: list[list[Patent]] = []
        for packed in patents:
            apart: dict[str, list[Patent]] = {}
            for document in map(unpack_source, packed):
                apart.setdefault(identity(document), []).append(document)
            groups += apart.values()
        return self.write(groups, path, {"read": 0, "rejected": []})

    def write(self, groups: Sequence[Sequence[Patent]], path: Path, facts: dict[str, Any]) -> ChunkFacts:
        """Write a chunk of patents, each given as its documents."""
        patents = [merge(group) for group in groups]
        columns = [columns_of(patent) for patent in patents]
        records = [self.packer.pack(patent) for patent in patents]
        sources = [[self.packer.pack(each) for each in group] if len(group) > 1 else [] for group in groups]
        arrays: dict[str, NDArray[Any]] = {
            "columns": np.frombuffer(json.dumps(columns, ensure_ascii=False).encode(), np.uint8),
            "identities": fingerprints(row[IDENTITY] for row in columns),
            "names": fingerprints(row[DOC_ID] for row in columns),
            **join_blobs("records", records),
            **join_blobs("sources", [source for group in sources for source in group]),
            "sources_of": pointers(map(len, sources)),
        }
        fields = self.settings.fields
        languages = sorted({language for patent in patents for language in languages_of(patent, fields)})
        for language in languages:
            arrays.update(self.matrix(language, patents))
        whole = cast("ChunkFacts", {**facts, "patents": len(patents), "languages": languages})
        write_sections(path, whole, arrays)
        return whole

    def matrix(self, language: str, patents: Sequence[Patent]) -> dict[str, NDArray[Any]]:
        """The term counts of the patents that have text in a language: sorted terms, each with ascending rows."""
        fields = self.settings.fields
        texts = {at: text for at, patent in enumerate(patents) if (text := text_of(patent, language, fields))}
        analyzer = self.analyzer(language)
        batch = analyzer.add(list(texts.values()))
        known = analyzer.export_terms()
        sizes = tally(batch.terms, len(known.offsets) - 1)
        order = sort_terms(known.data, known.offsets, np.flatnonzero(sizes))
        terms, terms_ptr = arrange_terms(known.data, known.offsets, order)
        numbers = np.arange(len(texts), dtype=np.uint32)
        ptr, rows, counts = transpose(batch.ptr, batch.terms, batch.counts, order, sizes, numbers)
        found: dict[str, NDArray[Any]] = {
            "documents": np.array(list(texts), np.uint32),
            "terms": terms,
            "terms_ptr": terms_ptr,
            "ptr": ptr,
            "rows": narrow(rows),
            "counts": narrow(counts),
        }
        return {f"{language}.{name}": array for name, array in found.items()}

    def analyzer(self, language: str) -> BulkAnalyzer:
        """The analyser of a language; all are discarded once their tables have grown too large."""
        if sum(each.nbytes for each in self.analyzers.values()) > self.settings.tables:
            self.analyzers.clear()
        if language not in self.analyzers:
            self.analyzers[language] = BulkAnalyzer(language, self.settings.profile)
        return self.analyzers[language]


def unpack_source(data: bytes) -> Patent:
    """Unpack a document of a chunk; it can be unreadable only where an interrupted build left it."""
    try:
        return unpack(data)
    except BROKEN as error:
        raise UsageError(f"the unfinished build is damaged ({error}); delete the folder `work` of the index") from None


def narrow(numbers: NDArray[np.uint32]) -> NDArray[Any]:
    """The same numbers in the narrowest type that holds them all, to write, read and checksum fewer bytes."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def join_blobs(name: str, blobs: Sequence[bytes]) -> dict[str, NDArray[Any]]:
    """The concatenated blobs, and the offset of each."""
    return {name: np.frombuffer(b"".join(blobs), np.uint8), f"{name}_ptr": pointers(map(len, blobs))}


def fingerprints(texts: Iterable[str]) -> NDArray[np.uint64]:
    """64-bit fingerprints of texts; a collision is possible but improbable."""
    digests = b"".join(hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, "<u8")
