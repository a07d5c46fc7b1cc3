"""Turns a collection into the parts of a segment, in parallel and in bounded memory.

The result does not depend on the number of workers or on the memory limit.
"""

from __future__ import annotations

import copy
from collections import deque
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.corpus.document import Rejected
from antecede.corpus.merge import Merger, identity
from antecede.index.chunk import signature, split_chunks, unpack_source
from antecede.index.metadata import DOC_ID
from antecede.index.parts import ChunkPart
from antecede.index.records import Packer
from antecede.index.sections import Sections, restore_reject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from antecede.corpus.collection import Collection
    from antecede.index.sections import ChunkFacts
    from antecede.index.work_folder import Work
    from antecede.index.workers import Workers

LATE_BYTES, LATE_DOCUMENTS = 1 << 22, 4096
"""The most packed bytes, and the most patents, in a late chunk: one of patents whose documents were not adjacent."""


@dataclass(frozen=True)
class Progress:
    """The progress of a build."""

    step: str
    documents: int
    """Documents read so far."""
    done: int
    total: int
    """How much of the step is done, of how much; in bytes of the input while it is read. 0 where it is not known."""


class ReadMonitor:
    """Reports chunks as they are done, and stops strict reading at the first rejected document."""

    def __init__(self, collection: Collection, progress: Callable[[Progress], None]) -> None:
        self.collection = copy.copy(collection)
        self.strict = collection.strict
        self.report = progress
        self.cut = self.read = 0
        """Documents taken from the input, and those of them that are done."""
        self.place = 0, 0
        self.collection_progress = collection.progress
        self.collection.progress = self.bytes_read

    def bytes_read(self, done: int, total: int) -> None:
        """Record how many bytes of the input were read."""
        self.place = done, total
        if self.collection_progress is not None:
            self.collection_progress(done, total)

    def chunk_done(self, facts: ChunkFacts) -> None:
        """Record that a chunk is done."""
        self.read += facts["read"]
        if self.strict and facts["rejected"]:
            self.collection.reject(restore_reject(facts["rejected"][0]))
        done, total = self.place
        self.report(Progress("reading", self.read, done * self.read // max(self.cut, self.read, 1), total))


def make_chunks(reading: ReadMonitor, work: Work, workers: Workers, *, resume: bool) -> int:
    """Make every chunk of the input that does not exist yet, and return the number of chunks."""
    number = 0
    waiting: deque[Future[ChunkFacts]] = deque()
    for number, items in enumerate(split_chunks(reading.collection.raw()), 1):
        reading.cut += len(items)
        facts = work.finished_chunk(number, signature(items)) if resume else None
        if facts is not None:
            reading.chunk_done(facts)
            continue
        waiting.append(workers.make(items, work.chunk_path(number)))
        while waiting and waiting[0].done():
            reading.chunk_done(waiting.popleft().result())
    workers.run_waiting()
    while waiting:
        reading.chunk_done(waiting.popleft().result())
    return number


def load_parts(work: Work, number: int, workers: Workers) -> list[ChunkPart]:
    """The chunks; patents that occur in several places are moved to late chunks and merged there."""
    parts = [ChunkPart(Sections(work.chunk_path(at))) for at in range(1, number + 1)]
    waiting: list[Future[ChunkFacts]] = []
    for at, patents in enumerate(iterate_late_chunks(parts), 1):
        waiting.append(workers.remake(patents, work.late_path(at)))
    workers.run_waiting()
    for each in waiting:
        each.result()
    parts += [ChunkPart(Sections(work.late_path(at))) for at in range(1, len(waiting) + 1)]
    reject_duplicate_names(parts)
    return parts


def iterate_late_chunks(parts: Sequence[ChunkPart]) -> Iterator[list[list[bytes]]]:
    """The packed documents of patents that occur in several places, one late chunk at a time; they are dropped there.

    A patent with more documents than a chunk may hold is merged here, with one document in memory at a time.
    """
    starts = starts_of(parts)
    chunk: list[list[bytes]] = []
    size = 0
    for places in find_repeated(parts, "identities"):
        documents = late_documents(parts, starts, places.tolist())
        for place in places.tolist():
            at = int(np.searchsorted(starts, place, "right")) - 1
            parts[at].live[place - starts[at]] = False
        chunk.append(documents)
        size += sum(map(len, documents))
        if size > LATE_BYTES or len(chunk) >= LATE_DOCUMENTS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def late_documents(parts: Sequence[ChunkPart], starts: Any, places: Sequence[int]) -> list[bytes]:
    """The packed documents of the patent at these places, merged if they exceed the size of a chunk."""
    found = documents_at(parts, starts, places)
    documents: list[bytes] = []
    size = 0
    for each in found:
        documents.append(each)
        size += len(each)
        if size > LATE_BYTES:
            return merge_documents(chain(documents, found))
    return documents


def documents_at(parts: Sequence[ChunkPart], starts: Any, places: Sequence[int]) -> Iterator[bytes]:
    """The packed documents of the patents at these places, one after the other."""
    for place in places:
        at = int(np.searchsorted(starts, place, "right")) - 1
        yield from parts[at].documents_of(place - int(starts[at]))


def merge_documents(packed: Iterable[bytes]) -> list[bytes]:
    """Merge packed documents by patent, one in memory at a time. (Two patents may share a fingerprint.)"""
    mergers: dict[str, Merger] = {}
    for document in map(unpack_source, packed):
        mergers.setdefault(identity(document), Merger()).add(document)
    packer = Packer()
    return [packer.pack(merger.patent()) for merger in mergers.values()]


def starts_of(parts: Sequence[ChunkPart]) -> Any:
    """The number of the first patent of each part, if the patents of all parts are numbered consecutively."""
    return np.cumsum([0, *(part.documents for part in parts)])[:-1]


def find_repeated(parts: Sequence[ChunkPart], name: str) -> Iterator[Any]:
    """The places of each fingerprint that occurs more than once among live patents, in order of first occurrence."""
    prints = np.concatenate([part.sections.array(name) for part in parts])
    live = np.concatenate([part.live for part in parts])
    places = np.flatnonzero(live)
    order = places[np.argsort(prints[places], kind="stable")]
    found = prints[order]
    new = np.concatenate([[True], found[1:] != found[:-1], [True]])
    starts = np.flatnonzero(new)
    several = np.flatnonzero(np.diff(starts) > 1)
    for at in several[np.argsort(order[starts[several]], kind="stable")].tolist():
        yield order[starts[at] : starts[at + 1]]


def reject_duplicate_names(parts: Sequence[ChunkPart]) -> None:
    """Reject patents whose doc_id an earlier patent has: a ranking could not distinguish them."""
    starts = starts_of(parts)
    for places in list(find_repeated(parts, "names")):
        taken: set[str] = set()
        for place in places.tolist():
            at = int(np.searchsorted(starts, place, "right")) - 1
            part, patent = parts[at], place - int(starts[at])
            doc_id = list(part.rows())[patent][DOC_ID]
            if doc_id in taken:
                part.live[patent] = False
                source = unpack_source(part.blob("records", patent)).source
                reason = "another patent, with another number, has the same doc_id"
                part.names_taken.append(Rejected(source, reason, doc_id=doc_id))
            taken.add(doc_id)
