"""Exact rankings from a cluster: its BM25 finds candidates, this side scores them, and a bound certifies the result.

Lucene rounds the length of a document down when it computes BM25, so its score, times k1 + 1, is never below the exact
one. The cluster returns somewhat more than k documents in the order of its own scores. They are scored exactly, from
their term counts, by the same arithmetic as on one machine. No document that was not returned can score more than the
bound of the last one that was; if the exact k-th score is above that bound, the k best documents are certain. If not,
every document whose bound reaches the exact k-th score is fetched. Where the cluster has no more documents with a term
of the query, all of them are known.

For BM25 with other parameters, and for other models, the cluster ranks by a script of the model. The cluster's BM25 of
one term is a function of the number of its occurrences n and of the length of the document, rounded down to fit one
byte. The exact length is a doc value, the rounding is known, so n follows from the score. A 32-bit score leaves several
n possible where a document has thousands of occurrences: the largest impact of all counts. So the sum over the terms is
the score of the model but for rounding, and never less than that allows. A model of another package may have no script:
it is exact where every document with a term of the query can be scored, and refused where there are too many, unless an
approximate ranking is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.engine import Certificate, Hits, Impacts
from antecede.errors import UsageError, spell
from antecede.models import CollectionFacts, Postings, keep_by_model, model_of
from antecede.opensearch.answers import LONGEST
from antecede.opensearch.cluster import values_of
from antecede.opensearch.layout import K1, MOST_DOCUMENTS, B, field_of
from antecede.ranges import DOCUMENTS
from antecede.term_matches import resolve_query

if TYPE_CHECKING:
    from antecede.arrays import F32, Floats, Ints
    from antecede.engine import QueryTerms
    from antecede.models import Model
    from antecede.opensearch.engine import ClusterEngine
    from antecede.opensearch.terms import ClusterStatistics
    from antecede.term_matches import ResolvedQuery

    Clause = dict[str, Any]

EXACT_LENGTHS = 24
"""Lengths below this are stored as they are; of those above, less this, four bits."""
SHARE_ROUNDING = 1e-6
"""What the share n / (n + norm), from a 32-bit score, may be wrong by."""
SOURCE = """
double impact(double n, double length, double df, double cf) {{
{constants}
{impact}
}}
double length = doc['{lengths}'].value;
long rest = (long) length - {exact}L;
if (rest > 15L) {{
  int shift = 60 - Long.numberOfLeadingZeros(rest);
  rest = (rest >> shift) << shift;
}}
double norm = {k1} * (1 - {b} + {b} * ({exact}L + rest) / {average});
double share = _score / params.top;
double left = Math.max(1 - share, 1e-9);
double guess = share / left * norm;
double slack = 0.1 + {rounding} * norm / (left * left);
double n = Math.max(1, Math.ceil(guess - slack));
double most = Math.min(length, Math.floor(guess + slack));
double best = {sign} * impact(n, length, params.df, params.cf);
for (n = n + 1; n <= most; n = n + 1) {{
  best = Math.max(best, {sign} * impact(n, length, params.df, params.cf));
}}
return Math.max(0, best);
"""
DOCUMENT_SOURCE = """
double document(double length) {{
{constants}
{document}
}}
return Math.max(0, _score + params.weight * document(doc['{lengths}'].value) + params.offset);
"""
RANKINGS_KEY = "rankings"
FACTOR_KEY, LONGEST_KEY = "factor of candidates", "length of the longest document"
MARGIN, PLUS = 1.06, 40
"""Candidates for k documents: k · 1.06 + 40."""
FEW_TERMS = 8
"""Up to so many terms, the cluster skips documents that cannot be among the best; with more, that takes longer than
scoring every document does."""
MAX_SCORED = 20_000
"""Documents that are scored at most where a model has no bound."""
ROUNDING, TERM_ROUNDING = 1e-5, 2.5e-7
"""What 32-bit sums may differ by, relative to the score: in all, and for each term."""


def _literal(value: float) -> str:
    """A number as a script writes it."""
    return f"{float(value)!r}D" if value >= 0 else f"({float(value)!r}D)"


@dataclass(frozen=True)
class Way:
    """How a cluster finds candidates, and what its scores say of those of the model."""

    clause: dict[str, Any]
    scale: float | None
    """A score of the cluster times this is never below that of the model, but for the offset; None: no such bound."""
    offset: float = 0.0
    """What the scores of the cluster are larger by."""
    exhaustive: bool = False
    """Whether the cluster scores every document, and does not look for those that it may skip."""

    def bounds(self, scores: F32) -> Floats:
        """The largest scores by the model that these scores of the cluster allow."""
        return scores.astype(np.float64) * (self.scale or np.inf) - self.offset

    def least(self, score: float) -> float:
        """The score of the cluster below which no document scores this much by the model."""
        return (score + self.offset) / (self.scale or np.inf) * (1 - ROUNDING)


class ClusterRanking:
    """Ranks the documents of an index on a cluster by one model; may be used from several threads.

    Args:
        engine: The index.
        model: The ranking model.
        approximate: Whether a model without a bound ranks the best candidates of BM25 where there are too many.
    """

    def __init__(self, engine: ClusterEngine, model: Model, *, approximate: bool = False) -> None:
        self.engine, self.approximate = engine, approximate
        self.model = model
        values = {**self.model.definition.defaults, **self.model.parameters}
        self.plain = self.model.definition.name == "bm25" and values == {"k1": K1, "b": B}
        """Whether the model is the cluster's own."""

    def search(self, query: QueryTerms, k: int, selected: Clause | None, *, keep_scores: bool = False) -> Hits:
        """The k best documents for a query, each with at least one of its terms; ties are broken by name.

        With `keep_scores` the hits know the score of any other document, too: it is computed when it is asked for.
        """
        DOCUMENTS.check(k, "k")
        resolved = self.resolve(query)
        numbers, scores, certificate = self.find(resolved, k, selected)
        order = np.lexsort((self.engine.name_ranks(numbers), -scores))[:k] if len(numbers) else np.zeros(0, np.int64)
        return Hits(
            numbers[order],
            scores[order],
            resolved.language,
            resolved.unmatched,
            certificate,
            partial(self.score, resolved) if keep_scores else None,
        )

    def resolve(self, query: QueryTerms) -> ResolvedQuery:
        numbers = self.engine.known_counts(query.language).table.find(query.terms)
        often = self.statistics(query.language).frequencies_of(numbers)
        return resolve_query(query, often.documents, often.occurrences, numbers)

    def statistics(self, language: str) -> ClusterStatistics:
        return self.engine.statistics(language)

    def facts(self, language: str) -> CollectionFacts:
        statistics = self.statistics(language)
        return CollectionFacts(statistics.documents, statistics.tokens, statistics.average_length)

    # Candidates

    def find(self, resolved: ResolvedQuery, k: int, selected: Clause | None) -> tuple[Ints, F32, Certificate]:
        """Candidates with their exact scores, among which the k best documents are."""
        if not len(resolved.terms):
            return np.zeros(0, np.int64), np.zeros(0, np.float32), Certificate(k, 0, 0, exact=True)
        way = self.choose_way(resolved)
        bounded = way.scale is not None
        size = int(k * MARGIN) + PLUS if bounded else max(MAX_SCORED, int(k * MARGIN) + PLUS)
        widened, least = 0, None
        while True:
            size = min(size, MOST_DOCUMENTS)
            rows, upper = self.candidates(way, size, selected, least)
            scores = self.score(resolved, rows)
            if bounded and (scores > way.bounds(upper)).any():
                raise self.engine.cluster.error("was changed while it was searched", "repeat the search")
            if len(rows) < size:
                return rows, scores, Certificate(k, len(rows), widened, exact=True)
            last = float(np.partition(scores, len(scores) - k)[len(scores) - k])
            if bounded and last > way.bounds(upper[-1:])[0]:
                return rows, scores, Certificate(k, len(rows), widened, exact=True)
            if not bounded and self.approximate:
                return rows, scores, Certificate(k, len(rows), widened, exact=False)
            if not bounded:
                raise UsageError(
                    f"{self.model} has no script, and more than {size} documents have a term of the query; use a model "
                    f"of antecede, narrow the search with filters, or accept {spell('approximate', True)}"
                )
            if size == MOST_DOCUMENTS:
                raise UsageError(f"more than {size} documents score alike; search with more terms, or with filters")
            size, widened, least = 2 * size, widened + 1, way.least(last)

    def candidates(self, way: Way, size: int, selected: Clause | None, least: float | None = None) -> tuple[Ints, F32]:
        """The documents that the cluster ranks first, with its scores; only those with at least the score `least`."""
        body = {"size": size, "query": way.clause, "track_total_hits": way.exhaustive, **values_of(["n"])}
        # As a post filter: a filter in the query would keep statistics of shards without a match from being counted.
        if selected is not None:
            body["post_filter"] = selected
        if least is not None and least > 0:
            body["min_score"] = least
        name = self.engine.generation.name
        hits = self.engine.cluster.search(name, body, search_type="dfs_query_then_fetch")["hits"]["hits"]
        rows = np.array([hit["fields"]["n"][0] for hit in hits], np.int64)
        scores = [hit.get("_score") for hit in hits]
        if not all(isinstance(score, float | int) and abs(score) < np.inf for score in scores) or (
            len(rows) and (rows.max() >= self.engine.size or len(np.unique(rows)) < len(rows))
        ):
            raise self.engine.cluster.misunderstood("a hit has no score, or is no document of the index")
        return rows, np.array(scores, np.float32)

    def choose_way(self, resolved: ResolvedQuery) -> Way:
        """How candidates are found: by BM25 as the cluster has it, or by a script of the model."""
        rounding = ROUNDING + TERM_ROUNDING * len(resolved.terms)
        if self.plain:
            # An average that is smaller than ours would make the cluster's scores smaller, too.
            average = max(1.0, self.statistics(resolved.language).average_length / self.candidate_average(resolved))
            scale = (K1 + 1) * average / self.factor(resolved) * (1 + rounding)
            return Way(self.plain_clause(resolved), scale, exhaustive=len(resolved.terms) > FEW_TERMS)
        if self.model.definition.script is None:
            return Way(self.plain_clause(resolved), None)
        return self.scripted_way(resolved, rounding)

    def plain_clause(self, resolved: ResolvedQuery) -> dict[str, Any]:
        """A query that the cluster ranks by its BM25, with our inverse document frequencies."""
        field = field_of("t", resolved.language)
        own = self.statistics(resolved.language).documents
        ratio = _inverse_df(resolved.df, own) / _inverse_df(resolved.df, self.candidate_totals(resolved)[0])
        boosts = np.maximum(resolved.weights.astype(np.float64), 0.0) * ratio
        boosted = zip(resolved.terms, boosts.tolist(), strict=True)
        return {"bool": {"should": [{"term": {field: {"value": term, "boost": boost}}} for term, boost in boosted]}}

    def scripted_way(self, resolved: ResolvedQuery, rounding: float) -> Way:
        """A query that the cluster ranks by a script of the model of the search."""
        definition, facts = self.model.definition, self.facts(resolved.language)
        values = {"documents": facts.documents, "tokens": facts.tokens, "average": facts.average_length}
        declared = {**values, **definition.defaults, **self.model.parameters}
        common = {
            "constants": "\n".join(f"double {name} = {_literal(value)};" for name, value in declared.items()),
            "lengths": field_of("length", resolved.language),
        }
        numbers = {"k1": K1, "b": B, "average": self.candidate_average(resolved), "rounding": SHARE_ROUNDING}
        sources = {  # of the impact of a term, and of its negative, where its weight is negative
            sign: SOURCE.format(
                **common,
                impact=definition.script,
                exact=EXACT_LENGTHS,
                **{name: _literal(value) for name, value in {**numbers, "sign": sign}.items()},
            )
            for sign in (1, -1)
        }
        # The limit of the cluster's score of each term, for a document with infinitely many occurrences.
        tops = _inverse_df(resolved.df, self.candidate_totals(resolved)[0]) * self.factor(resolved)
        columns = (resolved.weights, resolved.df.astype(np.float64), resolved.cf.astype(np.float64), tops)
        clauses: list[Clause] = []
        for name, weight, df, cf, top in zip(resolved.terms, *(column.tolist() for column in columns), strict=True):
            script = {"source": sources[-1 if weight < 0 else 1], "params": {"df": df, "cf": cf, "top": top}}
            query = {"term": {field_of("t", resolved.language): {"value": name}}}
            clauses.append({"script_score": {"query": query, "script": script, "boost": abs(weight)}})
        every: Clause = {"bool": {"should": clauses}}
        if definition.document_script is None:
            return Way(every, 1 + rounding, exhaustive=True)
        weight_sum = float(resolved.weight_sum)
        parts = self.model.document(np.array([1.0, float(self.longest(resolved.language))]))
        least = float((parts.astype(np.float64) * weight_sum).min()) if parts is not None else 0.0
        offset = max(0.0, -least)  # keeps the part that depends on the document alone from being negative
        source = DOCUMENT_SOURCE.format(**common, document=definition.document_script)
        script = {"source": source, "params": {"weight": weight_sum, "offset": offset}}
        return Way({"script_score": {"query": every, "script": script}}, 1 + rounding, offset, exhaustive=True)

    def candidate_totals(self, resolved: ResolvedQuery) -> tuple[int, int]:
        """Documents and tokens of the language as the cluster's BM25 counts them: without empty texts."""
        documents, tokens = self.engine.known_counts(resolved.language).candidate_totals
        return max(documents, 1), max(tokens, 1)

    def candidate_average(self, resolved: ResolvedQuery) -> float:
        """The average length of a document as the cluster's BM25 counts it."""
        documents, tokens = self.candidate_totals(resolved)
        return float(np.float32(tokens / documents))

    def longest(self, language: str) -> int:
        known: dict[str, int] = self.engine.cache.setdefault(LONGEST_KEY, {})
        if language not in known:
            body = {"size": 0, "aggs": {"longest": {"max": {"field": field_of("length", language)}}}}
            answer = self.engine.cluster.search(self.engine.generation.name, body, LONGEST)["aggregations"]
            known[language] = int(answer["longest"]["value"] or 1)
        return known[language]

    def factor(self, resolved: ResolvedQuery) -> float:
        """K1 + 1 where the cluster's scores have this factor, as up to OpenSearch 2, else 1; seen from a document.

        Rounding the length of a document changes a score by less than a seventh, the factor more than doubles it.
        """
        known: float | None = self.engine.cache.get(FACTOR_KEY)
        if known is None:
            cut = {name: getattr(resolved, name)[:1] for name in ("used", "df", "cf")}
            first = replace(resolved, **cut, numbers=(resolved.numbers[0][:1],), weights=np.ones(1, np.float32))
            rows, upper = self.candidates(Way(self.plain_clause(first), None), 1, None)
            if not len(rows):
                raise self.engine.cluster.error(
                    f"no document has {first.terms[0]!r}, which statistics count in {first.df[0]}",
                    "antecede merge removes the documents that were replaced",
                )
            exact = float(self.score(first, rows, model_of("bm25"))[0])
            known = self.engine.cache[FACTOR_KEY] = K1 + 1 if float(upper[0]) > 0.75 * exact else 1.0
        return known

    # Scores

    def score(self, resolved: ResolvedQuery, rows: Ints, model: Model | None = None) -> F32:
        """The exact scores of documents: 32-bit sums in the order of the query, as on one machine."""
        scores = np.zeros(len(rows), np.float32)
        if not len(rows) or not len(resolved.terms):
            return scores
        counts = self.engine.known_counts(resolved.language)
        lengths = counts.lengths(rows).astype(np.float64)
        matches = counts.match(resolved.numbers[0], rows)
        owners, terms = np.repeat(matches.documents, np.diff(matches.ptr)), matches.terms.astype(np.int64)
        chosen = model or self.model
        impacts = self.compute_impacts(resolved, matches.counts.astype(np.float64), lengths[owners], terms, chosen)
        order = np.argsort(terms, kind="stable")
        np.add.at(scores, owners[order], (resolved.weights[terms] * impacts)[order])
        document = chosen.document(lengths)
        if document is not None:
            scores += document * resolved.weight_sum
        return scores + np.float32(0)

    def compute_impacts(self, resolved: ResolvedQuery, counts: Any, lengths: Any, terms: Ints, model: Model) -> F32:
        df, cf = (each.astype(np.float64)[terms] for each in (resolved.df, resolved.cf))
        return model.impacts(Postings(counts, lengths, df, cf), self.facts(resolved.language))

    def impacts(self, query: QueryTerms, number: int) -> Impacts:
        resolved, only = self.resolve(query), np.array([number], np.int64)
        counts = self.engine.known_counts(query.language)
        matches = counts.match(resolved.numbers[0], only)
        order = np.argsort(matches.terms, kind="stable")
        terms, counted = matches.terms[order].astype(np.int64), matches.counts[order].astype(np.float64)
        lengths = counts.lengths(only).astype(np.float64)
        impacts = self.compute_impacts(resolved, counted, np.repeat(lengths, len(terms)), terms, self.model)
        document = self.model.document(lengths)
        return Impacts(resolved.used[terms], impacts, document[0] if document is not None else None)


def ranking_for(engine: ClusterEngine, model: Model | str, *, approximate: bool = False) -> ClusterRanking:
    """The ranking of an index by a model; that of an earlier search where there is one."""
    kept: dict[str, ClusterRanking] = engine.cache.setdefault(f"{RANKINGS_KEY} {approximate}", {})
    return keep_by_model(kept, model, partial(ClusterRanking, engine, approximate=approximate))


def _inverse_df(df: Ints, documents: int) -> Floats:
    often = df.astype(np.float64)
    return np.asarray(np.log(1 + (np.maximum(documents, often) - often + 0.5) / (often + 0.5)))
