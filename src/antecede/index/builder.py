"""Building: from a collection to the parts of a segment, in parallel, in bounded memory.

The number of workers and the memory allowed change nothing in the result.
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
from antecede.index.sections import Sections

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from antecede.corpus.collection import Collection
    from antecede.index.work_folder import Work
    from antecede.index.workers import Workers

LATE_BYTES, LATE_DOCUMENTS = 1 << 22, 4096
"""Packed bytes, and patents, in one chunk of those whose documents stood apart."""


@dataclass(frozen=True)
class Progress:
    """How far a build is."""

    step: str
    documents: int
    """Documents read so far."""
    done: int
    total: int
    """How far the step is, of how much; in bytes of the input while that is read. 0 where nobody knows."""


class ReadMonitor:
    """Tells of chunks as they are done, and stops a strict reading at the first document that was rejected."""

    def __init__(self, collection: Collection, progress: Callable[[Progress], None]) -> None:
        self.collection = copy.copy(collection)
        self.strict = collection.strict
        self.report = progress
        self.cut = self.read = 0
        """Documents cut out of the input, and those of them that are done."""
        self.place = 0, 0
        self.collection_progress = collection.progress
        self.collection.progress = self.bytes_read

    def bytes_read(self, done: int, total: int) -> None:
        """Bytes of the input were read."""
        self.place = done, total
        if self.collection_progress is not None:
            self.collection_progress(done, total)

    def chunk_done(self, facts: dict[str, Any]) -> None:
        """A chunk is done."""
        self.read += facts["read"]
        if self.strict and facts["rejected"]:
            self.collection.reject(restore_reject(facts["rejected"][0]))
        done, total = self.place
        self.report(Progress("reading", self.read, done * self.read // max(self.cut, self.read, 1), total))


def restore_reject(line: dict[str, Any]) -> Rejected:
    """What was rejected, from its line of JSON."""
    number, offset = line.get("document", 0), line.get("offset", 0)
    return Rejected(line["file"], line["reason"], number, offset, line.get("doc_id"))


def make_chunks(reading: ReadMonitor, work: Work, workers: Workers, *, resume: bool) -> int:
    """Make every chunk of the input that is not there yet; how many there are."""
    number = 0
    waiting: deque[Future[dict[str, Any]]] = deque()
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
    """The chunks, with patents that stand in several places taken out and put into chunks of their own, merged."""
    parts = [ChunkPart(Sections(work.chunk_path(at))) for at in range(1, number + 1)]
    waiting: list[Future[dict[str, Any]]] = []
    for at, patents in enumerate(iterate_late_chunks(parts), 1):
        waiting.append(workers.remake(patents, work.late_path(at)))
    workers.run_waiting()
    for each in waiting:
        each.result()
    parts += [ChunkPart(Sections(work.late_path(at))) for at in range(1, len(waiting) + 1)]
    reject_duplicate_names(parts)
    return parts


def iterate_late_chunks(parts: Sequence[ChunkPart]) -> Iterator[list[list[bytes]]]:
    """The documents of patents that stand in several places, packed, a chunk at a time; they are dropped there.

    A patent of more documents than a chunk may hold is merged here, so that only one of them is in memory at a time.
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
    """The packed documents of the patent at these places; merged where they are more than a chunk may hold."""
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
    """Packed documents merged by patent, one in memory at a time. (Two patents may share a fingerprint.)"""
    mergers: dict[str, Merger] = {}
    for document in map(unpack_source, packed):
        mergers.setdefault(identity(document), Merger()).add(document)
    packer = Packer()
    return [packer.pack(merger.patent()) for merger in mergers.values()]


def starts_of(parts: Sequence[ChunkPart]) -> Any:
    """Where the patents of each part begin, if all are counted through."""
    return np.cumsum([0, *(part.documents for part in parts)])[:-1]


def find_repeated(parts: Sequence[ChunkPart], name: str) -> Iterator[Any]:
    """Where the same fingerprint stands more than once among patents that stay, in order of first appearance."""
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
    """Reject patents that are called as another one before them: a ranking could not tell them apart."""
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
                part.names_taken.append(Rejected(source, reason, doc_id=doc_id).to_dict())
            taken.add(doc_id)
