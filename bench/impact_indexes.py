"""The indexes of engines that score by impacts known beforehand: bm25s, BMP and PISA are given those of antecede.

    python -P bench/impact_indexes.py bm25s|bmp|pisa OUT INDEX QUERIES.tsv

INDEX is one of antecede. bm25s takes impacts as they are, the others in eight bits, so all have the same lengths and
the same weights of rare terms.
"""

from __future__ import annotations

import ctypes
import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

HERE = Path(__file__).resolve().parent
PISA = HERE.parent / ".venv" / "pisa"
"""The environment that `make bench` installs PISA into; its requirements are too old for any other."""

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

Asked = dict[str, float]
"""Terms → weights."""
PLAIN = "-plain"
"""The end of the names of the kinds of queries without weights."""
LEVELS = 255
"""Of an impact in eight bits."""
BMP_WEIGHT, BMP_BOUND, BMP_TERMS, BMP_BLOCK = 32, 2**16 - 1, 2**16, 32
"""BMP's heaviest term, its highest bound of a block and its number of terms; and the documents in a block."""


def read_queries(file: Path) -> dict[str, list[Asked]]:
    """The queries of each kind."""
    found: dict[str, list[Asked]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        kind, pairs = line.split("\t")
        split = (pair.rpartition(":") for pair in pairs.split(" "))
        found.setdefault(kind, []).append({term: float(weight) for term, _, weight in split})
    return found


def load_pisa() -> Any:
    """The compiled module alone: the package around it needs PyTerrier."""
    ctypes.CDLL(str(PISA / "lib" / "libtbb.so.2"), mode=ctypes.RTLD_GLOBAL)
    (file,) = PISA.glob("lib/python3*/site-packages/pyterrier_pisa/_pisathon*.so")
    loader = ExtensionFileLoader("_pisathon", str(file))
    spec = spec_from_loader("_pisathon", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


class Impacts:
    """The impacts of an index of antecede, term by term."""

    def __init__(self, folder: Path) -> None:
        from antecede.embedded.engine import EmbeddedEngine

        index = EmbeddedEngine.open(folder)
        ((segment, self.matrix),) = index.matrices("en")
        self.statistics = index.statistics("en")
        self.names = segment.doc_ids(self.matrix.documents)
        self.terms = self.matrix.all_terms()
        self.norm = 1.2 * (0.25 + 0.75 * self.matrix.lengths / self.statistics.average_length)

    def walk(self, most: int = 5_000_000) -> Iterator[tuple[int, Any, NDArray[np.float64]]]:
        """The number of a first term, its postings and those of the next ones, and their impacts."""
        for first, lists in self.matrix.by_term.walk(most):
            sizes = np.diff(lists.ptr)
            df = np.repeat(sizes, sizes)
            idf = np.log(1 + (self.statistics.documents - df + 0.5) / (df + 0.5))
            yield first, lists, idf * 2.2 * lists.counts / (lists.counts + self.norm[lists.items])

    def largest(self) -> NDArray[np.float64]:
        """The largest impact of each term."""
        found = np.zeros(len(self.terms))
        for first, lists, impacts in self.walk():
            found[first : first + len(lists.ptr) - 1] = np.maximum.reduceat(impacts, lists.ptr[:-1])
        return found


def quantise(impacts: NDArray[np.float64], scale: float) -> NDArray[np.uint32]:
    """Impacts in eight bits, none of them 0."""
    return np.clip(np.rint(impacts * scale), 1, LEVELS).astype(np.uint32)


def build_bm25s(out: Path, given: Impacts, _: dict[str, list[Asked]]) -> None:
    """The matrix that bm25s makes of a collection: columns of scores, one for each term."""
    postings = given.matrix.postings
    data = np.lib.format.open_memmap(out / "data.npy", "w+", np.float32, (postings,))
    indices = np.lib.format.open_memmap(out / "indices.npy", "w+", np.int32, (postings,))
    done = 0
    for _first, lists, impacts in given.walk():
        data[done : done + len(impacts)], indices[done : done + len(impacts)] = impacts, lists.items
        done += len(impacts)
    np.save(out / "indptr.npy", np.concatenate(([0], np.cumsum(given.matrix.df))).astype(np.int64))
    (out / "names.txt").write_text("\n".join(given.names))
    (out / "terms.txt").write_text("".join(f"{term}\n" for term in given.terms))


def build_bmp(out: Path, given: Impacts, queries: dict[str, list[Asked]]) -> None:
    """BMP numbers terms in 16 bits: it is given those of the queries, and the most frequent of the others."""
    import bmp

    numbers = {term: at for at, term in enumerate(given.terms)}
    weighted = [query for kind, several in queries.items() if not kind.endswith(PLAIN) for query in several]
    asked = {numbers[term] for query in weighted for term in query}
    frequent = np.argsort(-given.matrix.df.astype(np.int64), kind="stable")[:BMP_TERMS].tolist()
    kept = np.array(sorted(asked | set(frequent[: max(0, BMP_TERMS - len(asked))])), np.int64)
    number_of = np.full(len(given.terms), -1, np.int64)
    number_of[kept] = np.arange(len(kept))
    largest = given.largest()
    # The bound of a block is a number of 16 bits: impacts are as fine as the heaviest query allows.
    bounds = [
        sum(
            np.ceil(BMP_WEIGHT * weight / max(query.values())) * largest[numbers[term]]
            for term, weight in query.items()
        )
        for query in weighted
    ]
    scale = min(LEVELS / largest[kept].max(), BMP_BOUND / max(bounds))
    indexer = bmp.InvertedIndexer(str(out / "index"), BMP_BLOCK, False)
    vectors: list[list[NDArray[Any]]] = [[], [], []]
    for first, lists, impacts in given.walk():
        levels = quantise(impacts, scale)
        for at, (begin, end) in enumerate(zip(lists.ptr[:-1].tolist(), lists.ptr[1:].tolist(), strict=True), first):
            if number_of[at] >= 0:
                rows, own = lists.items[begin:end], levels[begin:end]
                indexer.add_term(given.terms[at], list(zip(rows.tolist(), own.tolist(), strict=True)))
                for part, values in zip(vectors, (rows, np.full(end - begin, number_of[at]), own), strict=True):
                    part.append(values.astype(np.uint32))
    rows, terms, scores = (np.concatenate(each) for each in vectors)
    order = np.argsort(rows, kind="stable")
    ends = np.cumsum(np.bincount(rows, minlength=len(given.names))).tolist()
    begin = 0
    for name, end in zip(given.names, ends, strict=True):
        places = order[begin:end]
        indexer.add_document(name, list(zip(terms[places].tolist(), scores[places].tolist(), strict=True)))
        begin = end
    indexer.finish()


def build_pisa(out: Path, given: Impacts, _: dict[str, list[Asked]]) -> None:
    """PISA's own files of an inverted index, with impacts where frequencies are; it compresses them when it opens."""
    pisa = load_pisa()
    scale, sums = LEVELS / given.largest().max(), np.zeros(len(given.names), np.int64)
    with (out / "inv.docs").open("wb") as docs, (out / "inv.freqs").open("wb") as freqs:
        docs.write(np.array([1, len(given.names)], np.uint32).tobytes())
        for _first, lists, impacts in given.walk():
            levels = quantise(impacts, scale)
            sums += np.bincount(lists.items, levels, len(given.names)).astype(np.int64)
            sizes = np.diff(lists.ptr)
            for file, values in ((docs, lists.items), (freqs, levels)):
                file.write(np.insert(values, lists.ptr[:-1], sizes).astype(np.uint32).tobytes())
    (out / "inv.sizes").write_bytes(np.concatenate(([len(sums)], sums)).astype(np.uint32).tobytes())
    for what, lines in (("terms", given.terms), ("documents", given.names)):
        (out / f"fwd.{what}").write_text("".join(f"{line}\n" for line in lines))
    pisa.build_binlex(str(out / "fwd.documents"), str(out / "fwd.doclex"))
    pisa.build_binlex(str(out / "fwd.terms"), str(out / "fwd.termlex"))
    open_pisa(out)


BUILDERS = {"bm25s": build_bm25s, "bmp": build_bmp, "pisa": build_pisa}


def open_pisa(folder: Path) -> tuple[Any, Any]:
    """PISA's module, and an index of it that is open; it is compressed the first time."""
    pisa = load_pisa()
    context = pisa.RetrievalContext()
    how = {"encoding": "block_simdbp", "scorer_name": "quantized", "stemmer": "", "block_size": 64, "quantize": 0}
    pisa.prepare_index(context, str(folder), **how)
    return pisa, context


if __name__ == "__main__":
    engine, out, index, queries = sys.argv[1:]
    BUILDERS[engine](Path(out), Impacts(Path(index)), read_queries(Path(queries)))
