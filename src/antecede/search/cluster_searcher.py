"""Exact rankings from a cluster: its BM25 finds candidates, this side scores them, and a bound certifies the result.

Lucene rounds the length of a document down when it computes BM25, so its score, times k1 + 1, is never below the exact
one. The cluster returns somewhat more than k documents in the order of its own scores. They are scored exactly, from
their term counts, by the same arithmetic as on one machine. No document that was not returned can score more than the
bound of the last one that was; if the exact k-th score is above that bound, the k best documents are certain. If not,
twice as many are fetched. Where the cluster has no more documents with a term of the query, all of them are known.

For BM25 with other parameters the bound is scaled by the largest possible ratio of the two formulas. For other models
there is no bound: they are exact where every document with a term of the query can be scored, and refused where there
are too many, unless an approximate ranking is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import UsageError
from antecede.index.filters import Filters
from antecede.opensearch.conditions import clause_of
from antecede.opensearch.documents import Lookup
from antecede.opensearch.layout import K1, MOST_DOCUMENTS, B, field_of
from antecede.ranges import DOCUMENTS
from antecede.ranking.vectors import find_matches
from antecede.search.hits import Certificate, Hits
from antecede.search.models import CollectionFacts, Postings, parse_model

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.opensearch.cluster_index import ClusterIndex
    from antecede.opensearch.matrix import ClusterMatrix, ClusterStatistics
    from antecede.query import Query
    from antecede.search.models import Model

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

NO_FILTERS = Filters()
FACTOR_KEY = "factor of candidates"
MARGIN, PLUS = 1.06, 40
"""Candidates for k documents: k · 1.06 + 40."""
MOST_SCORED = 20_000
"""Documents that are scored at most where a model has no bound."""
ROUNDING, TERM_ROUNDING = 1e-5, 2.5e-7
"""What 32-bit sums may differ by, relative to the score: in all, and for each term."""


@dataclass(frozen=True)
class ResolvedQuery:
    """The terms of a query that some document has, with what scoring needs."""

    language: str
    terms: tuple[str, ...]
    weights: Floats
    numbers: Ints
    df: Ints
    cf: Ints
    weight_sum: np.float32
    unmatched: tuple[str, ...]


class ClusterSearcher:
    """Searches an index on a cluster with one ranking model; may be used from several threads.

    Args:
        index: The index, from `open_index`.
        model: The ranking model, such as `bm25(k1=0.9,b=0.4)`.
        approximate: Whether a model without a bound ranks the best candidates of BM25 where there are too many.
    """

    def __init__(self, index: ClusterIndex, model: Model | str = "bm25", *, approximate: bool = False) -> None:
        self.index = index
        model = parse_model(model) if isinstance(model, str) else model
        self.model = replace(model, parameters=dict(model.parameters))
        self.approximate = approximate

    def search(self, query: Query, k: int = 100, filters: Filters = NO_FILTERS) -> Hits:
        """The k best documents for a query, each with at least one of its terms; ties are broken by name."""
        return self.search_scored(query, k, filters)[0]

    def search_scored(
        self, query: Query, k: int, filters: Filters, *, keep_scores: bool = False
    ) -> tuple[Hits, list[Any]]:
        """The k best documents, and if wanted the score of any other when it is asked for."""
        DOCUMENTS.check(k, "k")
        resolved = self.resolve(query)
        segment = self.index.only
        rows, scores, certificate = self.find(resolved, k, filters)
        order = np.lexsort((segment.order[rows], -scores))[:k] if len(rows) else np.zeros(0, np.int64)
        places = np.stack([np.zeros(len(order), np.int64), rows[order]], axis=1)
        hits = Hits(scores[order], places, rows[order], [segment], resolved.unmatched, certificate=certificate)
        kept = Lookup(lambda numbers: self.score(resolved, np.array(numbers, np.int64)).tolist(), np.float32)
        return hits, [kept] if keep_scores else []

    def resolve(self, query: Query) -> ResolvedQuery:
        """The terms of a query that contribute to scores."""
        matrix = self.matrix(query.language)
        numbers = matrix.find(query.terms)
        found = self.statistics(query.language).frequencies_of([numbers])
        weights = query.weights.astype(np.float32)
        unmatched = tuple(compress(query.terms, (found.documents == 0).tolist()))
        used = np.flatnonzero((found.documents > 0) & (weights != 0))
        return ResolvedQuery(
            query.language,
            tuple(query.terms[at] for at in used.tolist()),
            weights[used],
            numbers[used],
            found.documents[used],
            found.occurrences[used],
            np.float32(query.weights.sum()),
            unmatched,
        )

    def matrix(self, language: str) -> ClusterMatrix:
        """The term counts of a language."""
        found: Any = self.index.matrices(language)
        if not found:
            known = ", ".join(each or "unknown" for each in self.index.languages)
            raise UsageError(f"the index has no documents in language {language!r}; it has {known}")
        matrix: ClusterMatrix = found[0][1]
        return matrix

    def statistics(self, language: str) -> ClusterStatistics:
        """The statistics of a language."""
        found: Any = self.index.statistics(language)
        statistics: ClusterStatistics = found
        return statistics

    # Candidates

    def find(self, resolved: ResolvedQuery, k: int, filters: Filters) -> tuple[Ints, Floats, Certificate]:
        """Candidates with their exact scores, among which the k best documents are."""
        scale = self.bound(resolved)
        if not len(resolved.terms):
            return np.zeros(0, np.int64), np.zeros(0, np.float32), Certificate(k, 0, 0, exact=True)
        size = int(k * MARGIN) + PLUS if scale is not None else max(MOST_SCORED, int(k * MARGIN) + PLUS)
        widened = 0
        while True:
            size = min(size, MOST_DOCUMENTS)
            rows, found = self.candidates(resolved, size, filters)
            scores = self.score(resolved, rows)
            if len(rows) < size:
                return rows, scores, Certificate(k, len(rows), widened, exact=True)
            if scale is not None:
                kth = float(np.partition(scores, len(scores) - k)[len(scores) - k])
                if kth > float(found[-1]) * scale / self.included_factor(resolved, rows, found):
                    return rows, scores, Certificate(k, len(rows), widened, exact=True)
            elif self.approximate:
                return rows, scores, Certificate(k, len(rows), widened, exact=False)
            if scale is None or size == MOST_DOCUMENTS:
                raise UsageError(
                    f"{self.model} is not exact on a cluster where more than {size} documents have a term of it; "
                    "use bm25, narrow the search with filters, or accept --approximate"
                )
            size, widened = 2 * size, widened + 1

    def candidates(self, resolved: ResolvedQuery, size: int, filters: Filters) -> tuple[Ints, Floats]:
        """The documents that the cluster ranks first, with its scores."""
        field = field_of("t", resolved.language)
        boosts = np.maximum(resolved.weights.astype(np.float64), 0.0) * self.rarity_ratio(resolved)
        clauses = [
            {"term": {field: {"value": term, "boost": boost}}}
            for term, boost in zip(resolved.terms, boosts.tolist(), strict=True)
        ]
        body: dict[str, Any] = {
            "size": size,
            "query": {"bool": {"should": clauses}},
            "track_total_hits": False,
            "stored_fields": "_none_",
            "docvalue_fields": ["n"],
        }
        # As a post filter: a filter in the query would keep statistics of shards without a match from being counted.
        if (clause := clause_of(filters, self.index.only)) is not None:
            body["post_filter"] = clause
        name = self.index.generation.name
        found = self.index.cluster.search(name, body, search_type="dfs_query_then_fetch")["hits"]["hits"]
        rows = np.array([each["fields"]["n"][0] for each in found], np.int64)
        return rows, np.array([each["_score"] for each in found], np.float32)

    def rarity_ratio(self, resolved: ResolvedQuery) -> NDArray[np.float64]:
        """Our inverse document frequency of each term, divided by that of the cluster, which counts no empty texts."""
        documents, _ = self.statistics(resolved.language).candidate_totals
        df, own = resolved.df.astype(np.float64), self.statistics(resolved.language).documents
        theirs = np.log(1 + (np.maximum(documents, df) - df + 0.5) / (df + 0.5))
        return np.asarray(np.log(1 + (np.maximum(own, df) - df + 0.5) / (df + 0.5)) / theirs)

    def included_factor(self, resolved: ResolvedQuery, rows: Ints, found: Floats) -> float:
        """K1 + 1 where the cluster's scores have this factor, as up to OpenSearch 2, else 1; seen from a document.

        Rounding the length of a document changes a score by less than a seventh, the factor more than doubles it.
        """
        known: float | None = self.index.cache.get(FACTOR_KEY)
        if known is None:
            exact = float(self.score(resolved, rows[:1], parse_model("bm25"))[0])
            if float(resolved.weights.min()) < 0 or exact <= 0:
                return 1.0  # not known from this query: the larger bound is right in any case
            known = K1 + 1 if float(found[0]) > 0.75 * exact else 1.0
            self.index.cache[FACTOR_KEY] = known
        return known

    def bound(self, resolved: ResolvedQuery) -> float | None:
        """The factor by which the cluster's scores bound those of the model; None where there is no bound."""
        if self.model.definition.name != "bm25":
            return None
        values = {"k1": K1, "b": B, **self.model.parameters}
        k1, b = float(values["k1"]), float(values["b"])
        statistics = self.statistics(resolved.language)
        documents, tokens = statistics.candidate_totals
        # An average that is smaller than ours would make the cluster's scores smaller, too.
        average = statistics.average_length / (tokens / documents) if documents and tokens else 1.0
        ratio = (k1 + 1) * max(1.0, average)
        if (k1, b) != (K1, B):
            # The ratio of (n + K1·(1 − B + B·x)) and (n + k1·(1 − b + b·x)) is extreme at the ends of n and x.
            ends = [(n, x) for n in (1.0, np.inf) for x in (0.0, np.inf)]
            ratio *= max(norm_ratio(n, x, k1, b) for n, x in ends)
        found = ratio * (1 + ROUNDING + TERM_ROUNDING * len(resolved.terms))
        return found if np.isfinite(found) else None

    # Scores

    def score(self, resolved: ResolvedQuery, rows: Ints, model: Model | None = None) -> Floats:
        """The exact scores of documents: 32-bit sums in the order of the query, as on one machine."""
        scores = np.zeros(len(rows), np.float32)
        if not len(rows) or not len(resolved.terms):
            return scores
        matrix = self.matrix(resolved.language)
        lists = matrix.vectors_of(rows)
        lengths = matrix.lengths[rows].astype(np.float64)
        slots = np.full(matrix.terms, -1, np.int32)
        slots[resolved.numbers] = np.arange(len(resolved.numbers))
        starts, ends = np.ascontiguousarray(lists.ptr[:-1]), np.ascontiguousarray(lists.ptr[1:])
        most = min(len(rows) * len(resolved.terms), len(lists.items)) + 1
        owners, terms, counts, sizes = find_matches(
            np.arange(len(rows)), starts, ends, lists.items, lists.counts, slots, lengths, most
        )
        chosen = model or self.model
        impacts = self.impacts(resolved, counts, sizes, terms, chosen)
        order = np.argsort(terms, kind="stable")
        np.add.at(scores, owners[order], (resolved.weights[terms] * impacts)[order])
        document = chosen.document(lengths)
        if document is not None:
            scores += document * resolved.weight_sum
        return scores + np.float32(0)

    def impacts(self, resolved: ResolvedQuery, counts: Any, lengths: Any, terms: Ints, model: Model) -> Floats:
        """The impact of each occurrence of a term."""
        statistics = self.statistics(resolved.language)
        facts = CollectionFacts(statistics.documents, statistics.tokens, statistics.average_length)
        df, cf = (each.astype(np.float64)[terms] for each in (resolved.df, resolved.cf))
        return model.impacts(Postings(counts, lengths, df, cf), facts)

    def impacts_of_row(self, query: Query, at: int, row: int) -> tuple[Ints, Floats, np.float32 | None]:  # noqa: ARG002
        """The positions of the query terms that a row has, the impact of each, and what the row alone is worth."""
        resolved = self.resolve(query)
        matrix = self.matrix(query.language)
        items, counts = matrix.vectors([row])[0]
        known = dict(zip(items.tolist(), counts.tolist(), strict=True))
        there = [(place, known[number]) for place, number in enumerate(resolved.numbers.tolist()) if number in known]
        terms = np.array([place for place, _ in there], np.int64)
        lengths = np.full(len(terms), float(matrix.lengths[row]))
        counted = np.array([count for _, count in there], np.float64)
        impacts = self.impacts(resolved, counted, lengths, terms, self.model)
        place = {term: number for number, term in enumerate(query.terms)}
        positions = np.array([place[resolved.terms[each]] for each in terms.tolist()], np.int64)
        document = self.model.document(np.array([float(matrix.lengths[row])]))
        return positions, impacts, document[0] if document is not None else None

    def allowed_documents(self, language: str, filters: Filters = NO_FILTERS) -> int:
        """The number of documents of a language that pass the filters."""
        there: dict[str, Any] = {"exists": {"field": field_of("length", language)}}
        clause = clause_of(filters, self.index.only)
        return self.index.cluster.count(
            self.index.generation.name, {"bool": {"filter": [there] if clause is None else [there, clause]}}
        )


def norm_ratio(n: float, x: float, k1: float, b: float) -> float:
    """(n + K1·(1 − B + B·x)) / (n + k1·(1 − b + b·x)), also where n or x is infinite."""
    if n == np.inf and x == 0:
        return 1.0
    if n == np.inf or x == np.inf:  # of the two, x grows no faster: the extremes are 1 and the ratio of the slopes
        return max(1.0, K1 * B / (k1 * b) if k1 * b else np.inf)
    return (n + K1 * (1 - B + B * x)) / (n + k1 * (1 - b + b * x))
