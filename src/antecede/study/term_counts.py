"""Number of query terms: scores as a function of the number of terms (Queries, figures 1–3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import UsageError
from antecede.evaluation import evaluate, rank_table
from antecede.measures import parse_measures
from antecede.plots import PlotMixin
from antecede.ranges import TERMS
from antecede.results import by_name, to_json
from antecede.tables import Table, Tabled, Value, best_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from antecede.comparison.inputs import Floats

MEASURES = ("PRES@1000", "AP@1000", "R@100")
COUNTS = (5, 10, 20, 30, 45, 60, 75, 100, 150, 200, 300)
ENOUGH = 0.99
"""The share of the best score at which a number of terms is called enough."""


@dataclass(frozen=True, eq=False, repr=False)
class TermCounts(Tabled, PlotMixin):
    """Scores of M measures and Q query methods with C numbers of terms."""

    measures: tuple[str, ...]
    methods: tuple[str, ...]
    at: tuple[int, ...]
    """The numbers of terms, ascending."""
    scores: Floats
    """float64[M, Q, C]."""
    topics: int
    failed: Mapping[str, str] = field(default_factory=dict)
    """Topics that could not be searched for, with the reason."""

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> TermCounts:
        """The result that `to_dict` wrote."""
        measures, methods, at = document["measures"], document["methods"], document["at"]
        scores = [[[method["scores"][m][str(n)] for n in at] for method in methods] for m in measures]
        values = np.array(scores, np.float64)  # null, an undefined score, becomes NaN
        names = tuple(method["name"] for method in methods)
        return cls(tuple(measures), names, tuple(at), values, document["topics"])

    def sufficient_terms(self, measure: int, method: int) -> int:
        """The smallest number of terms that reaches 99 % of the best score."""
        curve = self.scores[measure, method]
        return self.at[int(np.argmax(curve >= ENOUGH * curve.max()))]

    def table(self) -> Table:
        """One row per measure and method, one column per number of terms; the best number is marked."""
        rows: list[tuple[Value, ...]] = []
        best: set[tuple[int, int]] = set()
        for m, measure in enumerate(self.measures):
            for q, method in enumerate(self.methods):
                curve = self.scores[m, q].tolist()
                best |= {(len(rows), 2 + place) for place, _ in best_of([curve], ["higher"], first=0)}
                rows.append((measure, method, *curve, self.sufficient_terms(m, q)))
        columns = ("measure", "method", *map(str, self.at), "enough")
        note = (
            f"{self.topics} topics. Enough: the smallest number that reaches {ENOUGH:.0%} of the best score in the row."
        )
        return Table(columns, tuple(rows), title="Scores by number of terms", notes=(note,), best=frozenset(best))

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        methods = []
        for q, method in enumerate(self.methods):
            scores = by_name(self.scores[:, q], self.measures, self.at)
            enough = {measure: self.sufficient_terms(m, q) for m, measure in enumerate(self.measures)}
            methods.append({"name": method, "scores": scores, "enough": enough})
        document = {"topics": self.topics, "measures": self.measures, "at": self.at, "methods": methods}
        return dict(to_json(document))


def term_counts(
    qrels: object,
    rankings: Callable[[str, int], Mapping[str, Mapping[str, float]]],
    methods: Sequence[str],
    *,
    at: Iterable[int] = COUNTS,
    measures: str | Sequence[str] = MEASURES,
    progress: Callable[[int, int], None] | None = None,
) -> TermCounts:
    """Score the rankings of query methods with different numbers of query terms.

    Args:
        qrels: The relevance judgements, as for `rank_table`.
        rankings: Called with a method and a number of terms; returns topic → document → score, so that this study does
            not depend on a search engine.
        methods: The query methods.
        at: The numbers of terms.
        measures: The measures.
        progress: Called with (done, total).
    """
    counts = tuple(sorted({*at}))
    if not counts or not all(count in TERMS for count in counts):
        raise UsageError("numbers of terms must be 1 or more; give at least one")
    if not methods:
        raise UsageError("no query method is named; give at least one")
    chosen = parse_measures(measures)
    scores = np.zeros((len(chosen), len(methods), len(counts)))
    topics = 0
    for q, method in enumerate(methods):
        for c, count in enumerate(counts):
            evaluated = evaluate(rank_table(qrels, {method: rankings(method, count)}), chosen)
            scores[:, q, c], topics = evaluated.totals[:, 0], len(evaluated.topics)
            if progress is not None:
                progress(q * len(counts) + c + 1, len(methods) * len(counts))
    return TermCounts(tuple(map(str, chosen)), tuple(methods), counts, scores, topics)
