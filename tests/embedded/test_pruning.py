"""Searches over compact layers find what the exhaustive kernel finds: the same documents with the same scores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede import arrays, parallel
from antecede.embedded import pruning
from antecede.embedded import searcher as searchers
from antecede.embedded.layers import SegmentTerms
from antecede.embedded.pruning import QueryWeights, levels_of
from antecede.embedded.searcher import Searcher
from antecede.embedded.selection import MaskSelection
from antecede.models import MODELS
from antecede.query.query import HEAVIEST, Query
from antecede.search.explain import Share, explain, sum_shares
from tests.search.worlds import NO_FILTERS, WITH_PARAMETERS, Document, collections, memory_index, queries, search

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.embedded.engine import EmbeddedEngine
    from antecede.index.index import Segment
    from antecede.search.hits import Ranking

LARGE = 70_000
"""More rows than a page has."""
NO_PLANES = 2.0
"""No term occurs in twice as many rows as there are."""


class ByChance(MaskSelection):
    """A share of the documents, by chance."""

    def __init__(self, engine: EmbeddedEngine, share: float) -> None:
        super().__init__(engine, NO_FILTERS)
        self.share = share

    def mask(self, segment: Segment) -> NDArray[np.bool_]:
        chosen: NDArray[np.bool_] = np.random.default_rng(segment.documents).random(segment.documents) < self.share
        return chosen & segment.live


def searcher_of(index: EmbeddedEngine, model: str, *, compact_from: int) -> Searcher:
    searcher = Searcher(index, model)
    searcher.compact_from = compact_from
    return searcher


def same(found: Ranking, wanted: Ranking) -> None:
    assert found.doc_ids == wanted.doc_ids
    assert np.asarray(found.scores).tobytes() == np.asarray(wanted.scores).tobytes()
    assert found.numbers.tolist() == wanted.numbers.tolist()


def compare(index: EmbeddedEngine, model: str, query: Query, k: int, share: float | None = None) -> Ranking:
    """Search exhaustively, then over compact layers in each way, with planes and without; return the last hits."""
    among = NO_FILTERS if share is None else ByChance(index, share)
    wanted = search(searcher_of(index, model, compact_from=10**9), query, k, among)
    found = wanted
    for plane in (NO_PLANES, pruning.PLANE):
        searcher = searcher_of(index, model, compact_from=1)
        for may_pay in (pruning.PrunedSearch.may_pay, property(lambda _: True), property(lambda _: False)):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(pruning, "PLANE", plane)
                patch.setattr(pruning.PrunedSearch, "may_pay", may_pay)
                found = search(searcher, query, k, among)
                same(found, wanted)
    return found


@pytest.mark.slow
@given(
    segments=collections,
    terms=queries,
    k=st.sampled_from([1, 2, 10, 1000]),
    model=st.sampled_from(WITH_PARAMETERS),
)
def test_small_collections_give_the_same_ranking(
    segments: list[list[Document]], terms: dict[str, float], k: int, model: str
) -> None:
    compare(memory_index(*segments), model, Query.from_terms(terms, "en"), k)


def world(seed: int, documents: int, terms: int, segments: int = 1) -> EmbeddedEngine:
    """Documents whose neighbours share words, in several segments; later ones replace some of the earlier."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(segments):
        numbers = random.permutation(documents * segments)[:documents]
        topics = np.sort(random.integers(0, 12, documents))
        every = []
        for number, topic in zip(numbers.tolist(), topics.tolist(), strict=True):
            near = (topic * 3 + random.integers(0, 5, random.integers(1, 12))) % terms
            far = random.integers(0, terms, random.integers(1, 8))
            every.append(Document(f"EP{number}", tuple(f"t{each:03d}" for each in [*near, *far, 0])))
        made.append(every)
    return memory_index(*made)


@pytest.fixture(scope="module")
def several() -> EmbeddedEngine:
    """Three segments of a few groups, one term in all rows; many documents are replaced, many scores are equal."""
    return world(1, 900, 40, 3)


@pytest.mark.parametrize("lightest", [1e-30, 1.0, 1e30])
def test_the_heaviest_weights_give_the_same_ranking(several: EmbeddedEngine, lightest: float) -> None:
    """The bounds of levels assume that no sum overflows; a query refuses heavier weights than these."""
    heaviest = {"t000": HEAVIEST, "t003": HEAVIEST, "t004": HEAVIEST / 2}
    hits = compare(several, "bm25", Query.from_terms({**heaviest, "t017": lightest, "t021": lightest}, "en"), 10)
    assert np.isfinite(hits.scores).all()


@pytest.mark.slow
@pytest.mark.parametrize("model", [*MODELS])
@pytest.mark.parametrize("k", [1, 10, 1000, 5000])
def test_every_model_gives_the_same_ranking(several: EmbeddedEngine, model: str, k: int) -> None:
    random = np.random.default_rng(k)
    for count, spread in ((1, 0), (6, 1), (25, 3), (40, 6)):
        names = random.permutation(40)[:count].tolist()
        weights = 10.0 ** random.uniform(-spread, spread, count)
        query = Query.from_terms(
            {f"t{name:03d}": weight for name, weight in zip(names, weights.tolist(), strict=True)}, "en"
        )
        for share in (None, 0.5, 0.005):
            compare(several, model, query, k, share)


def test_ties_are_broken_by_name() -> None:
    index = memory_index([Document(f"EP{number * 7919 % 3000}", ("same",)) for number in range(3000)])
    found = compare(index, "bm25", Query.from_terms({"same": 1.0}, "en"), 100)
    assert len(set(np.asarray(found.scores).tolist())) == 1
    assert [*found.doc_ids] == sorted(f"EP{number}" for number in range(3000))[:100]


@pytest.mark.parametrize("documents", [1, 63, 64, 65, 255, 256, 257, 512])
def test_blocks_and_groups_at_their_edges(documents: int) -> None:
    compare(world(documents, documents, 9), "bm25", Query.from_terms({"t000": 1.0, "t004": 2.5, "t008": 0.1}, "en"), 10)


def test_a_page_at_its_edges() -> None:
    """70,000 rows: frequent and rare terms on both sides of the end of a page."""
    random = np.random.default_rng(3)
    documents = []
    for number in range(LARGE):
        own = [f"t{each:02d}" for each in np.flatnonzero(random.random(12) < 0.5 ** np.arange(12)).tolist()]
        documents.append(Document(f"EP{number}", (*own, *(["edge"] if 65_530 <= number <= 65_540 else []))))
    index: Any = memory_index(documents)
    terms = {"t00": 1.0, "t05": 2.0, "t09": 3.0, "t11": 0.5, "edge": 0.2}
    for names in (terms, {"edge": 1.0}, {"t11": 1.0, "edge": 1.0}):
        found = compare(index, "bm25", Query.from_terms({name: terms[name] for name in names}, "en"), 20)
        assert len(found) > 10


@pytest.mark.slow
def test_negative_weights_and_impacts_are_left_to_the_exhaustive_way(several: EmbeddedEngine) -> None:
    searcher = searcher_of(several, "bm25", compact_from=1)
    search(searcher, Query.from_terms({"t001": 1.0}, "en"), 1000)
    assert not searcher.layers
    search(searcher, Query.from_terms({"t001": 1.0, "t002": -1.0}, "en"), 1000)
    assert len(searcher.layers) == 3
    negative = searcher_of(several, "pl2(c=0.01)", compact_from=1)
    search(negative, Query.from_terms({"t000": 1.0}, "en"), 1000)
    assert len(negative.layers) == 3


def shares_by(searcher: Searcher, query: Query, number: int) -> list[Share]:
    """The shares of the terms, as a searcher has them."""
    searcher.index.cache[searchers.CACHE_KEY] = {str(searcher.model): searcher}
    return explain(searcher.index, query, number, searcher.model)


def test_scores_of_all_rows_and_explanations_are_exact(several: EmbeddedEngine) -> None:
    query = Query.from_terms({"t000": 1.0, "t005": 2.0, "t021": 0.3}, "en")
    exhaustive = searcher_of(several, "bm25", compact_from=10**9)
    searcher = searcher_of(several, "bm25", compact_from=1)
    wanted, hits = (search(each, query, 50, keep_scores=True) for each in (exhaustive, searcher))
    same(hits, wanted)
    every = several.all_numbers()
    assert hits.scores_of(every).tobytes() == wanted.scores_of(every).tobytes()
    for rank in (1, 17, 50):
        shares = shares_by(searcher, query, int(hits.numbers[rank - 1]))
        assert shares == shares_by(exhaustive, query, int(hits.numbers[rank - 1]))
        assert np.float32(sum_shares(shares)) == hits.scores[rank - 1]


def test_pruning_adds_few_postings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two terms, the rare one decides: the frequent one is looked up for the documents of the rare one only."""
    topics = np.repeat(np.arange(20), 512)
    index: Any = memory_index([Document(f"EP{at}", (f"t{topic}", "all")) for at, topic in enumerate(topics.tolist())])
    searcher = searcher_of(index, "bm25", compact_from=1)
    terms = SegmentTerms.of(searcher.resolve(Query.from_terms({"t3": 1.0, "all": 0.1}, "en")), 0)
    layer = searcher.compact_layer("en", 0)
    assert layer.locate(terms.numbers, terms.df, terms.cf)
    monkeypatch.setattr(pruning, "LOOK_UP_COST", 0.01)  # in an index of this size, adding a plane is cheaper
    search = pruning.PrunedSearch(layer, terms, 10, None)
    search.prune()
    positions, _ = search.candidates()
    assert len(positions) == 512  # all of the topic have the same score
    assert search.added == 2 * 512


def test_arrays_are_in_a_file_unless_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shapes: list[Any] = [((3, 5), np.uint8), ((0, 7), np.uint16), ((4,), np.uint32)]
    monkeypatch.setattr(arrays, "memory_limit", lambda: 0)
    for in_file in (True, False):
        made = arrays.allocate_arrays(shapes, tmp_path)
        assert [(each.shape, each.dtype) for each in made] == shapes
        assert (made[0].base is not None) is in_file
        made[2][:] = 7
        made[0][:] = 1
        assert made[2].tolist() == [7] * 4
        assert [*tmp_path.iterdir()] == []
        monkeypatch.setattr("os.posix_fallocate", fail)


def test_the_memory_of_a_control_group_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = parallel.memory_limit()
    measure = parallel.memory_limit.__wrapped__
    monkeypatch.setattr(parallel, "CGROUPS", tmp_path)
    for name, file in (("memory", "memory.limit_in_bytes"), ("unified", "memory.max")):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_text("max\n")
    assert measure() >= whole
    (tmp_path / "memory" / "memory.limit_in_bytes").write_text("1000000\n")
    lines = Path("/proc/self/cgroup").read_text().splitlines() if Path("/proc/self/cgroup").exists() else []
    if any("memory" in line.split(":")[1].split(",") for line in lines):
        assert measure() == 1_000_000


def test_layers_are_compact_only_where_exact_impacts_take_much_of_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    index = world(5, 300, 20)
    matrix = index.matrices("en")[0][1]
    searcher = Searcher(index)
    monkeypatch.setattr(searchers, "COMPACT_ROWS", 300)
    for limit, compact_layer in ((matrix.postings * 32, False), (matrix.postings * 32 - 4, True)):
        monkeypatch.setattr(searchers, "memory_limit", lambda limit=limit: limit)
        assert searcher.is_compact("en", 0) is compact_layer
    monkeypatch.setattr(searchers, "COMPACT_ROWS", 301)
    assert not searcher.is_compact("en", 0)
    assert not Searcher(index, "lm_dirichlet").is_compact("en", 0)


def fail(*_: int) -> None:
    raise OSError(28, "No space left on device")


def test_arrays_in_a_file_give_the_same_ranking(
    several: EmbeddedEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrays, "memory_limit", lambda: 0)
    for segment, matrix in several.matrices("en"):
        monkeypatch.setattr(matrix, "folder", tmp_path)
        assert segment is not None
    compare(several, "bm25", Query.from_terms({"t000": 1.0, "t005": 2.0, "t021": 0.3}, "en"), 50)


def test_pruning_is_chosen_where_it_is_faster(several: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a segment of 900 rows, for few documents."""
    monkeypatch.setattr(searchers, "PRUNED_ROWS", 900)
    monkeypatch.setattr(searchers, "ROWS_PER_HIT", 30)
    searcher, query = Searcher(several, "bm25"), Query.from_terms({"t000": 1.0, "t005": 2.0}, "en")
    assert [searcher.is_pruned("en", 0, k) for k in (1, 30, 31)] == [True, True, False]
    assert not Searcher(several, "lm_dirichlet").is_pruned("en", 0, 1)
    same(search(searcher, query, 20), search(searcher_of(several, "bm25", compact_from=10**9), query, 20))
    assert searcher.compact_layers
    hits = search(searcher, query, 20)
    for number, score in zip(hits.numbers.tolist(), hits.scores.tolist(), strict=True):
        assert sum_shares(shares_by(searcher, query, number)) == score
    assert not searcher.layers


@pytest.mark.parametrize("model", ["bm25", "lm_dirichlet"])
def test_a_document_is_explained_by_an_engine_that_searched_for_nothing(several: EmbeddedEngine, model: str) -> None:
    query = Query.from_terms({"t000": 1.0, "t005": 2.0}, "en")
    hits = search(Searcher(several, model), query, 20)
    for number, score in zip(hits.numbers.tolist(), hits.scores.tolist(), strict=True):
        assert sum_shares(shares_by(Searcher(several, model), query, number)) == score


def test_a_query_with_too_many_terms_for_sums_of_levels_is_scored_in_full(
    several: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = Query.from_terms({f"t{number:03d}": 1.0 + number for number in range(1, 12)}, "en")
    wanted = searcher_of(several, "bm25", compact_from=10**9)
    monkeypatch.setattr(pruning, "MAX_TERMS", 10)
    found = searcher_of(several, "bm25", compact_from=1)
    for among in (NO_FILTERS, ByChance(several, 0.3)):
        hits = search(found, query, 50, among)
        same(hits, search(wanted, query, 50, among))
    assert not found.layers


floats = st.floats(2.0**-60, 2.0**60, width=32)


@given(
    weights=st.lists(floats, min_size=1, max_size=40),
    seed=st.integers(0, 10**6),
    spread=st.floats(0.01, 20),
)
def test_sums_of_levels_bound_the_float_scores(weights: list[float], seed: int, spread: float) -> None:
    """For rows of random impacts: r ≤ unit · s, and no row of the k best is below the threshold."""
    random = np.random.default_rng(seed)
    rows, terms = 60, len(weights)
    impacts = np.exp(random.uniform(-spread, 0, (terms, rows))).astype(np.float32)
    present = random.random((terms, rows)) < 0.6
    present[:, 0] = True
    levels = np.zeros((terms, rows), np.int64)
    scales = np.zeros(terms)
    for term in range(terms):
        scales[term] = float(impacts[term].max()) / 255 * pruning.ROUND_UP
        levels[term] = levels_of(impacts[term], scales[term])
    assert (levels * scales[:, None] >= impacts * (1 - 1e-12)).all()
    assert ((levels - 1) * scales[:, None] <= impacts * (1 + 1e-12)).all()
    query = QueryWeights.of(np.array(weights, np.float32), scales)
    assert int(query.most.sum()) < 1 << 16
    many = np.resize(np.array(weights, np.float32), pruning.MAX_TERMS)
    assert QueryWeights.of(many, np.resize(scales, len(many))).most.sum() < 1 << 16
    factors, shifts = query.factors.astype(np.int64)[:, None], query.shifts.astype(np.int64)[:, None]
    assert (factors * 255 + (1 << shifts) - 1 < 1 << 16).all(), "no step exceeds 16 bits"
    added = (levels * factors + (1 << shifts) - 1) >> shifts
    assert (added > 0).all(), "a row with a term has a sum"
    sums = (added * present).sum(0)
    exact = (np.array(weights, np.float32).astype(np.float64)[:, None] * impacts * present).sum(0)
    assert (exact <= query.unit * sums * (1 + 1e-12)).all()
    scores = np.zeros(rows, np.float32)
    for term, weight in enumerate(weights):
        scores += np.float32(weight) * np.where(present[term], impacts[term], np.float32(0))
    for k in (1, 3, 10, rows):
        best = (scores >= np.sort(scores)[-k]) & present.any(0)
        assert (sums[best] >= query.least_sum(float(np.sort(scores)[-k]))).all()
