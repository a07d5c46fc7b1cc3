"""A chunk: consecutive documents of the input, read and counted by one worker; the unit of a build that is resumed.

How the input is cut into chunks depends on the input alone, so any number of workers makes the same chunks.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.corpus.collection import read_document
from antecede.corpus.document import RawDocument, Rejected
from antecede.corpus.merge import identity, merge
from antecede.index.arrays import pointers
from antecede.index.documents import pack, row_of
from antecede.index.sections import write_sections
from antecede.index.transposing import transpose
from antecede.text.bulk import BulkAnalyzer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.patent import Patent
    from antecede.text.profiles import Profile

CHUNK_BYTES = 1 << 24
CHUNK_DOCUMENTS = 4096
FIELDS = ("title", "abstract", "claims", "description")
LARGEST_TABLES = 400 << 20
"""A worker whose tables of words have grown beyond this begins new ones."""


@dataclass(frozen=True)
class Settings:
    """What the index keeps of how it was built."""

    profile: Profile
    fields: tuple[str, ...] = FIELDS
    names: Mapping[str, str] = field(default_factory=dict)
    """What a JSON source calls our fields."""


def chunks(items: Iterable[RawDocument | Rejected]) -> Iterator[list[RawDocument | Rejected]]:
    """The input in chunks of at most so many bytes and documents."""
    chunk: list[RawDocument | Rejected] = []
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


class ChunkMaker:
    """Makes chunks, one after the other; keeps its tables of words from one to the next."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.analyzers: dict[str, BulkAnalyzer] = {}

    def make(self, items: Sequence[RawDocument | Rejected], path: Path) -> dict[str, Any]:
        """Read documents, merge neighbours of one patent, count their terms, write the chunk; its facts."""
        rejected: list[Rejected] = []
        documents: list[Patent] = []
        for item in items:
            found = read_document(item, self.settings.names) if isinstance(item, RawDocument) else item
            (rejected if isinstance(found, Rejected) else documents).append(found)  # type: ignore[arg-type]
        groups = [list(group) for _, group in groupby(documents, key=identity)]
        return self.write(groups, path, read=len(items), rejected=rejected)

    def write(
        self, groups: Sequence[Sequence[Patent]], path: Path, *, read: int, rejected: Sequence[Rejected] = ()
    ) -> dict[str, Any]:
        """Write a chunk of patents, each given as its documents."""
        patents = [merge(group) for group in groups]
        rows = [row_of(patent) for patent in patents]
        blobs = [
            [row[-1], *(map(pack, group) if len(group) > 1 else ())] for row, group in zip(rows, groups, strict=True)
        ]
        arrays: dict[str, NDArray[Any]] = {
            "columns": np.frombuffer(json.dumps([row[:-1] for row in rows], ensure_ascii=False).encode(), np.uint8),
            "identities": np.array([fingerprint(row[1]) for row in rows], np.uint64),
            "blobs": np.frombuffer(b"".join(blob for group in blobs for blob in group), np.uint8),
            "blobs_ptr": pointers(len(blob) for group in blobs for blob in group),
            "patents_ptr": pointers(len(group) for group in blobs),
        }
        languages = sorted({language for patent in patents for language in self.languages_of(patent)})
        for language in languages:
            arrays.update(self.matrix(language, patents))
        facts = {
            "read": read,
            "patents": len(patents),
            "merged": sum(map(len, groups)) - len(groups),
            "rejected": [each.to_dict() for each in rejected],
            "languages": languages,
        }
        write_sections(path, facts, arrays)
        return facts

    def matrix(self, language: str, patents: Sequence[Patent]) -> dict[str, NDArray[Any]]:
        """The counted terms of the patents that have text in a language, in both directions."""
        texts = {at: text for at, patent in enumerate(patents) if (text := self.text_of(patent, language))}
        analyzer = self.analyzer(language)
        batch = analyzer.add(list(texts.values()))
        used = np.flatnonzero(np.bincount(batch.terms))
        vocabulary = analyzer.vocabulary()
        known = [vocabulary[number].encode() for number in used.tolist()]
        order = sorted(range(len(used)), key=known.__getitem__)
        place = np.zeros(int(used[-1]) + 1 if len(used) else 0, np.uint32)
        place[used[order]] = np.arange(len(used), dtype=np.uint32)
        term_ptr, rows, counts = transpose(batch.ptr, place[batch.terms], batch.counts, len(used))
        row_ptr, terms, row_counts = transpose(term_ptr, rows, counts, len(texts))
        terms_in_order = [known[at] for at in order]
        return {
            f"{language}.documents": np.array(list(texts), np.uint32),
            f"{language}.lengths": batch.lengths,
            f"{language}.terms": np.frombuffer(b"".join(terms_in_order), np.uint8),
            f"{language}.terms_ptr": pointers(map(len, terms_in_order)),
            f"{language}.by_term_ptr": term_ptr,
            f"{language}.by_term_rows": rows,
            f"{language}.by_term_counts": counts,
            f"{language}.by_row_ptr": row_ptr,
            f"{language}.by_row_terms": terms,
            f"{language}.by_row_counts": row_counts,
        }

    def languages_of(self, patent: Patent) -> set[str]:
        """The languages it has text in that is indexed, `""` among them where nobody knows."""
        return {language for name in self.settings.fields for language in getattr(patent, name)}

    def text_of(self, patent: Patent, language: str) -> bytes:
        """The text of a patent in a language that is indexed."""
        parts = (getattr(patent, name).get(language, "") for name in self.settings.fields)
        return "\n".join(part if isinstance(part, str) else "\n".join(part) for part in parts if part).encode()

    def analyzer(self, language: str) -> BulkAnalyzer:
        """The analyser of a language; a new one where the tables of the old one have grown too large."""
        if sum(each.nbytes for each in self.analyzers.values()) > LARGEST_TABLES:
            self.analyzers.clear()
        if language not in self.analyzers:
            self.analyzers[language] = BulkAnalyzer(language, self.settings.profile)
        return self.analyzers[language]


def fingerprint(text: str) -> int:
    """64 bits that tell texts apart, but for one pair in billions."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
