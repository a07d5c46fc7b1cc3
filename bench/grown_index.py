"""An index of any size, grown from a smaller one: as many rows as are wanted, with the words that patents have.

    python -P bench/grown_index.py SOURCE OUT DOCUMENTS SEED

A grown document has each term of a random patent with a chance of 1/2, of a neighbour of that patent by class with 0.3,
and of any other with 0.2; its class is that of the first, its day is random. Texts are not made, only counted terms: a
million documents take minutes. Every 25th patent of the source has no part in it, so that queries can be made from it
(`topic_rows`). Terms keep their share of the documents, so searches do the work that they would do in as many real
patents; the vocabulary does not grow.
"""

from __future__ import annotations

import json
import shutil
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
import numpy as np

from antecede.arrays import pointers_from_sizes
from antecede.embedded.engine import EmbeddedEngine
from antecede.engine import split_values
from antecede.index.build import Writer, with_segment
from antecede.index.chunk import ChunkPart, Sections, fingerprints, join_blobs, narrow, write_sections
from antecede.index.codec import Lists, tally, transpose
from antecede.index.commit import commit, write_lock
from antecede.index.documents import columns_of
from antecede.index.manifest import IndexSettings, Manifest
from antecede.index.records import Packer
from antecede.parallel import resources_for
from antecede.patent import Patent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.index.index import Segment
    from antecede.index.matrix import Matrix

A_CHUNK = 20_000
EVERY = 25
"""One patent in so many is a topic."""
SHARES = (0.5, 0.3, 0.2)
NEAR = 10
"""How far a neighbour is, at most."""
LANGUAGE = "en"


def topic_rows(matrix: Matrix) -> NDArray[np.int64]:
    """The rows of the source that queries are made from."""
    return np.arange(0, matrix.rows, EVERY)


def mix(  # noqa: C901
    seed: int,
    parents: NDArray[np.int64],
    ptr: NDArray[np.int64],
    items: NDArray[np.uint32],
    counts: NDArray[np.uint32],
    shares: NDArray[np.float64],
    out_ptr: NDArray[np.int64],
    out_items: NDArray[np.uint32],
    out_counts: NDArray[np.uint32],
) -> int:
    """Draw the terms of each document from those of its parents: a merge of ascending lists."""
    np.random.seed(seed)  # noqa: NPY002  numba has no other
    at = 0
    for n in range(len(parents)):
        out_ptr[n] = at
        a, b, c = ptr[parents[n, 0]], ptr[parents[n, 1]], ptr[parents[n, 2]]
        a_end, b_end, c_end = ptr[parents[n, 0] + 1], ptr[parents[n, 1] + 1], ptr[parents[n, 2] + 1]
        while a < a_end or b < b_end or c < c_end:
            first = np.int64(1) << 40
            if a < a_end:
                first = min(first, np.int64(items[a]))
            if b < b_end:
                first = min(first, np.int64(items[b]))
            if c < c_end:
                first = min(first, np.int64(items[c]))
            count = 0
            if a < a_end and items[a] == first:
                if np.random.random() < shares[0]:  # noqa: NPY002
                    count += counts[a]
                a += 1
            if b < b_end and items[b] == first:
                if np.random.random() < shares[1]:  # noqa: NPY002
                    count += counts[b]
                b += 1
            if c < c_end and items[c] == first:
                if np.random.random() < shares[2]:  # noqa: NPY002
                    count += counts[c]
                c += 1
            if count:
                out_items[at] = first
                out_counts[at] = count
                at += 1
    out_ptr[len(parents)] = at
    return at


fast_mix: Any = numba.njit(mix)


def class_order(segment: Segment, matrix: Matrix) -> tuple[NDArray[np.int64], list[str]]:
    """The rows of the source by class, without the topics, and the class of each document."""
    rows = segment.store.rows("SELECT ipc, cpc FROM documents ORDER BY number")
    classes = [next(iter(split_values(ipc or cpc)), "") for ipc, cpc in rows]
    _, ranks = np.unique(classes, return_inverse=True)
    order = matrix.rows_of(np.lexsort((segment.days, ranks)))
    return order[(order >= 0) & ~np.isin(order, topic_rows(matrix))], classes


def write_chunk(
    path: Path,
    number: int,
    seed: int,
    documents: int,
    source: tuple[Segment, Matrix],
    order: NDArray[np.int64],
    classes: list[str],
) -> None:
    """Write a chunk as the build of an index does."""
    _, matrix = source
    random = np.random.default_rng([seed, number])
    every = matrix.vectors_of(np.arange(matrix.rows))
    place = random.integers(0, len(order), documents)
    near = np.clip(place + random.integers(-NEAR, NEAR + 1, documents), 0, len(order) - 1)
    parents = order[np.stack([place, near, random.integers(0, len(order), documents)], axis=1)]
    room = int(np.diff(every.ptr)[parents].sum())
    ptr, items, counts = np.empty(documents + 1, np.int64), np.empty(room, np.uint32), np.empty(room, np.uint32)
    shares = np.array(SHARES)
    used = fast_mix(
        int(random.integers(2**31)), parents, every.ptr, every.items, every.counts, shares, ptr, items, counts
    )
    items, counts = items[:used], counts[:used]
    sizes = tally(items, matrix.terms)
    there = np.flatnonzero(sizes)
    by_term = transpose(Lists(ptr, items, counts), there, sizes, np.arange(documents, dtype=np.uint32))
    arena, places = matrix.vocabulary
    lengths = np.diff(places)[there]
    marks = np.zeros(matrix.terms, np.bool_)
    marks[there] = True
    patents = [
        Patent(
            doc_id=f"US{10_000_000 + number * A_CHUNK + at}",
            language=LANGUAGE,
            publication_date=date(1980, 1, 1) + timedelta(days=int(day)),
            ipc=(classes[int(matrix.documents[row])],) if classes[int(matrix.documents[row])] else (),
        )
        for at, (row, day) in enumerate(zip(parents[:, 0], random.integers(0, 16_000, documents), strict=True))
    ]
    packer, columns = Packer(), [columns_of(patent) for patent in patents]
    arrays: dict[str, NDArray[Any]] = {
        "columns": np.frombuffer(json.dumps(columns).encode(), np.uint8),
        "identities": fingerprints(row[1] for row in columns),
        "names": fingerprints(row[0] for row in columns),
        **join_blobs("records", [packer.pack(patent) for patent in patents]),
        **join_blobs("sources", []),
        "sources_of": np.zeros(documents + 1, np.int64),
        f"{LANGUAGE}.documents": np.arange(documents, dtype=np.uint32),
        f"{LANGUAGE}.terms": arena[np.repeat(marks, np.diff(places))],
        f"{LANGUAGE}.terms_ptr": pointers_from_sizes(lengths),
        f"{LANGUAGE}.ptr": by_term[0],
        f"{LANGUAGE}.rows": narrow(by_term[1]),
        f"{LANGUAGE}.counts": narrow(by_term[2]),
    }
    facts = {"read": documents, "rejected": [], "patents": documents, "languages": [LANGUAGE]}
    write_sections(path, facts, arrays)


def grow(source: Path, out: Path, documents: int, seed: int) -> None:
    """Build the index."""
    index = EmbeddedEngine.open(source)
    pair = index.matrices(LANGUAGE)[0]
    order, classes = class_order(*pair)
    work = out.with_name(out.name + ".chunks")
    work.mkdir(parents=True)
    try:
        paths = []
        for number in range(-(-documents // A_CHUNK)):
            paths.append(work / f"{number:05d}")
            size = min(A_CHUNK, documents - number * A_CHUNK)
            write_chunk(paths[-1], number, seed, size, pair, order, classes)
            print(f"chunk {number}", file=sys.stderr, flush=True)
        parts = [ChunkPart(Sections(path)) for path in paths]
        counts = {"read": documents, "indexed": documents, "merged": 0, "rejected": 0, "replaced": 0}
        writer = Writer(out, resources_for(2 << 30, 2), lambda step: print(step, file=sys.stderr, flush=True))
        with write_lock(out):
            settings: IndexSettings = {**index.manifest.settings, "positions": False}
            commit(out, with_segment(writer, Manifest(settings, generation=1), [], parts, counts))
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    grow(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
