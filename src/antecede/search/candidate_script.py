"""The score of a ranking model as a query of a cluster: scripts that compute it from what BM25 says of each term.

The cluster's BM25 of one term is a function of the number of its occurrences n and of the length of the document,
rounded down to fit one byte. The exact length is a doc value, the rounding is known, so n follows from the score. A
32-bit score leaves several n possible where a document has thousands of occurrences: the largest impact of all counts.
So the sum over the terms is the score of the model itself but for rounding, and never less than that allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.opensearch.layout import K1, B, field_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.ranking.models import CollectionFacts, Model

    Floats = NDArray[np.float64]
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


@dataclass(frozen=True)
class TermFacts:
    """What the scripts need of the terms of a query, one value per term."""

    names: tuple[str, ...]
    weights: Floats
    df: Floats
    cf: Floats
    tops: Floats
    """The limit of the cluster's score of each term, for a document with infinitely many occurrences."""


@dataclass(frozen=True)
class CandidateScript:
    """Scores documents on a cluster by a ranking model that has a script."""

    model: Model
    language: str
    facts: CollectionFacts
    average: float
    """The average length of a document as the cluster's BM25 counts it."""
    longest: int
    """The length of the longest document."""

    @property
    def constants(self) -> str:
        """The statistics of the collection and the parameters of the model, as declarations."""
        values = {
            "documents": self.facts.documents,
            "tokens": self.facts.tokens,
            "average": self.facts.average_length,
            **self.model.definition.defaults,
            **self.model.parameters,
        }
        return "\n".join(f"double {name} = {literal(value)};" for name, value in values.items())

    def source(self, sign: int) -> str:
        """The script of the impact of a term, or of its negative, where its weight is negative."""
        return SOURCE.format(
            constants=self.constants,
            impact=self.model.definition.script,
            lengths=field_of("length", self.language),
            exact=EXACT_LENGTHS,
            k1=literal(K1),
            b=literal(B),
            average=literal(self.average),
            rounding=literal(SHARE_ROUNDING),
            sign=literal(sign),
        )

    def clause(self, terms: TermFacts, weight_sum: float) -> tuple[Clause, float]:
        """The query, and what its scores are larger by than those of the model, so that none is negative."""
        sources = {sign: self.source(sign) for sign in (1, -1)}
        field = field_of("t", self.language)
        clauses = [
            {
                "script_score": {
                    "query": {"term": {field: {"value": name}}},
                    "script": {
                        "source": sources[-1 if weight < 0 else 1],
                        "params": {"df": df, "cf": cf, "top": top},
                    },
                    "boost": abs(weight),
                }
            }
            for name, weight, df, cf, top in zip(
                terms.names,
                terms.weights.tolist(),
                terms.df.tolist(),
                terms.cf.tolist(),
                terms.tops.tolist(),
                strict=True,
            )
        ]
        every: Clause = {"bool": {"should": clauses}}
        if self.model.definition.document_script is None:
            return every, 0.0
        offset = self.offset(weight_sum)
        source = DOCUMENT_SOURCE.format(
            constants=self.constants,
            document=self.model.definition.document_script,
            lengths=field_of("length", self.language),
        )
        script = {"source": source, "params": {"weight": weight_sum, "offset": offset}}
        return {"script_score": {"query": every, "script": script}}, offset

    def offset(self, weight_sum: float) -> float:
        """What keeps the part of the score that depends on the document alone from being negative."""
        parts = self.model.document(np.array([1.0, float(self.longest)]))
        least = float((parts.astype(np.float64) * weight_sum).min()) if parts is not None else 0.0
        return max(0.0, -least)


def literal(value: float) -> str:
    """A number as a script writes it."""
    return f"{float(value)!r}D" if value >= 0 else f"({float(value)!r}D)"
