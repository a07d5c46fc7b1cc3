"""The engines of `search_peers.py` that are programs in Python: each in a process of its own, answering commands.

    python -P bench/search_engines.py queries INDEX TOPICS.jsonl NUMBER OUT.tsv
    python -P bench/search_engines.py serve ENGINE FOLDER QUERIES.tsv

INDEX is one of antecede. The commands on standard input are those of `java/EngineServer.java`: `warm KIND K
SECONDS`, `time KIND K`, `rate KIND K THREADS`, `answer KIND K`.
"""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from bench.impact_indexes import BMP_WEIGHT, PLAIN, Asked, open_pisa, read_queries  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

Answer = list[tuple[str, float]]
PISA_WEIGHT = 20
"""The heaviest term of a query: PISA is given a term as often as it weighs."""
PISA_ALGORITHM = "maxscore"


class Engine(Protocol):
    """A search engine."""

    def prepare(self, asked: Asked) -> Any:
        """A query as the engine's own object; not part of the time."""

    def search(self, query: Any, k: int) -> Any:
        """The best k documents."""

    def answer(self, query: Any, k: int) -> Answer:
        """The names and scores of the best k documents."""


class Antecede:
    """Ours."""

    def __init__(self, folder: Path) -> None:
        from antecede.search import open_index

        self.index = open_index(folder)

    def prepare(self, asked: Asked) -> Any:
        from antecede.query.query import Query

        return Query.from_terms(asked, "en")

    def search(self, query: Any, k: int) -> Any:
        return self.index.retrieve(query, k)

    def answer(self, query: Any, k: int) -> Answer:
        found = self.index.retrieve(query, k)
        return list(zip(self.index.names(found.numbers), found.scores.tolist(), strict=True))


class AntecedeIndex(Antecede):
    """Ours as a person has it who tries it from Python: `index.search`, with its settings and its result."""

    def search(self, query: Any, k: int) -> Any:
        return self.index.search(query, k=k)

    def answer(self, query: Any, k: int) -> Answer:
        found = self.search(query, k)
        return list(zip(found.doc_ids, found.scores, strict=True))


class Tantivy:
    """tantivy, with boosted term queries, as its users would write weights."""

    def __init__(self, folder: Path) -> None:
        import tantivy

        self.tantivy = tantivy
        index = tantivy.Index.open(str(folder))
        index.reload()
        self.schema, self.searcher = index.schema, index.searcher()

    def prepare(self, asked: Asked) -> Any:
        of = self.tantivy.Query
        terms = (
            of.boost_query(of.term_query(self.schema, "text", term, index_option="freq"), weight)
            for term, weight in asked.items()
        )
        return of.boolean_query([(self.tantivy.Occur.Should, each) for each in terms])

    def search(self, query: Any, k: int) -> Any:
        return self.searcher.search(query, limit=k, count=False).hits

    def answer(self, query: Any, k: int) -> Answer:
        return [(self.searcher.doc(place)["doc_id"][0], score) for score, place in self.search(query, k)]


class Bm25s:
    """bm25s, compiled by numba. It has no query weights: each term counts once."""

    def __init__(self, folder: Path) -> None:
        import bm25s

        self.names = (folder / "names.txt").read_text().split()
        self.engine = bm25s.BM25(k1=1.2, b=0.75, method="lucene", backend="numba")
        arrays = {each: np.load(folder / f"{each}.npy") for each in ("data", "indices", "indptr")}
        self.engine.scores = {**arrays, "num_docs": len(self.names)}
        self.engine.nonoccurrence_array = None
        terms = (folder / "terms.txt").read_text().split("\n")[:-1]
        self.engine.vocab_dict = {term: at for at, term in enumerate(terms)}
        self.engine.unique_token_ids_set = set(range(len(terms)))

    def prepare(self, asked: Asked) -> Any:
        return [list(asked)]

    def search(self, query: Any, k: int) -> Any:
        few = min(k, len(self.names))
        return self.engine.retrieve(query, k=few, show_progress=False, n_threads=1, backend_selection="numba")

    def answer(self, query: Any, k: int) -> Answer:
        found = self.search(query, k)
        pairs = zip(found.documents[0].tolist(), found.scores[0].tolist(), strict=True)
        return [(self.names[at], score) for at, score in pairs if score > 0]


class Bmp:
    """Block-max pruning, by its authors; exact with alpha = beta = 1, but for the eight bits."""

    def __init__(self, folder: Path) -> None:
        import bmp

        self.searcher = bmp.Searcher(str(folder / "index"))

    def prepare(self, asked: Asked) -> Any:
        heaviest = max(asked.values())
        return {term: float(np.ceil(BMP_WEIGHT * weight / heaviest)) for term, weight in asked.items()}

    def search(self, query: Any, k: int) -> Any:
        return self.searcher.search(query, k=k, alpha=1.0, beta=1.0)

    def answer(self, query: Any, k: int) -> Answer:
        return list(zip(*self.search(query, k), strict=True))


class Pisa:
    """PISA, from the wheel of pyterrier-pisa without PyTerrier around it."""

    def __init__(self, folder: Path) -> None:
        self.pisa, self.context = open_pisa(folder)

    def prepare(self, asked: Asked) -> Any:
        heaviest = max(asked.values())
        return [(0, {term: float(max(1, round(PISA_WEIGHT * each / heaviest))) for term, each in asked.items()})]

    def retrieve(self, query: Any, k: int) -> tuple[NDArray[np.object_], NDArray[np.float32]]:
        numbers, ranks = np.zeros(k, np.int32), np.zeros(k, np.int32)
        names, scores = np.zeros(k, np.object_), np.zeros(k, np.float32)
        weighted, threads, analysed = 1, 1, 1
        found = self.pisa.retrieve(
            self.context, PISA_ALGORITHM, query, k, threads, analysed, weighted, numbers, names, ranks, scores
        )
        return names[:found], scores[:found]

    def search(self, query: Any, k: int) -> Any:
        return self.retrieve(query, k)

    def answer(self, query: Any, k: int) -> Answer:
        names, scores = self.retrieve(query, k)
        return list(zip(names.tolist(), scores.tolist(), strict=True))


ENGINES: dict[str, Callable[[Path], Engine]] = {
    "antecede": Antecede, "index.search": AntecedeIndex, "tantivy": Tantivy, "bm25s": Bm25s, "bmp": Bmp, "pisa": Pisa,
}  # fmt: skip


def write_queries(index: str, topics: str, number: int, out: Path) -> None:
    """The queries of `search_contest.py`, and the same without weights for who has none."""
    from bench.search_contest import queries

    with out.open("w", encoding="utf-8") as file:
        for kind, several in queries(index, topics, number).items():
            for query in several:
                pairs = list(zip(query.terms, query.weights.tolist(), strict=True))
                file.write(f"{kind}\t{' '.join(f'{term}:{weight!r}' for term, weight in pairs)}\n")
                file.write(f"{kind}{PLAIN}\t{' '.join(f'{term}:1.0' for term, _ in pairs)}\n")


def serve(engine: Engine, queries: dict[str, list[Asked]]) -> None:
    """Answer commands until the input ends."""
    prepared = {kind: [engine.prepare(query) for query in several] for kind, several in queries.items()}
    print("ready", flush=True)
    for line in sys.stdin:
        command, kind, *numbers = line.split()
        asked, k = prepared[kind], int(numbers[0])
        if command == "warm":
            warm_up(engine, asked, k, float(numbers[1]))
            print("warm", flush=True)
        elif command == "time":
            print(*(f"{seconds(engine, query, k):.9f}" for query in asked), flush=True)
        elif command == "rate":
            print(rate(engine, asked, k, int(numbers[1])), flush=True)
        else:
            for query in asked:
                print(*(f"{name}:{score!r}" for name, score in engine.answer(query, k)), flush=True)


def warm_up(engine: Engine, asked: Sequence[Any], k: int, seconds: float) -> None:
    """Search for so long, once at least: what is compiled or decoded when it is first needed then is."""
    end = time.process_time() + seconds
    for query in asked:
        engine.search(query, k)
    while time.process_time() < end:
        for query in asked:
            engine.search(query, k)


def seconds(engine: Engine, query: Any, k: int) -> float:
    """The processor time of a search, whichever thread does it: others may be busy on the machine."""
    begin = time.process_time()
    engine.search(query, k)
    return time.process_time() - begin


def rate(engine: Engine, asked: Sequence[Any], k: int, threads: int) -> float:
    """Queries a second."""
    with ThreadPoolExecutor(threads) as pool:
        begin = time.perf_counter()
        for _ in pool.map(lambda query: engine.search(query, k), asked):
            pass
        return len(asked) / (time.perf_counter() - begin)


def main(step: str, *words: str) -> None:
    if step == "queries":
        write_queries(words[0], words[1], int(words[2]), Path(words[3]))
        json.dump({"kinds": sorted(read_queries(Path(words[3])))}, sys.stdout)
    else:
        serve(ENGINES[words[0]](Path(words[1])), read_queries(Path(words[2])))


if __name__ == "__main__":
    main(*sys.argv[1:])
