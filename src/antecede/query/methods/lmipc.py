"""LMIPC."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from antecede.errors import shown
from antecede.index.filters import ClassQuestion
from antecede.query.methods.lm import lm
from antecede.query.methods.registry import WeightedTerms, method
from antecede.query.vectors import gather_vectors
from antecede.ranges import Range
from antecede.registry import Count, Share

if TYPE_CHECKING:
    from antecede.query.material import Floats, Material
    from antecede.query.vectors import Vectors

Rounds = Annotated[int, Range(0, 1000)]


@method("lmipc", cite="Mahdabi et al., SIGIR 2012; in Zhou et al., NLPCC 2013", cut=True)
def lmipc(
    at: Material,
    *,
    lambda_: Share = 0.5,
    level: Literal["group", "main", "subclass"] = "group",
    fewest: int = 50,
    most: Count = 2000,
    rounds: Rounds = 2,
    smoothing: Share = 0.1,
) -> WeightedTerms | Floats:
    """The language model of the topic mixed with that of its IPC class, which adds words that the topic lacks.

        w = (1 − λ)·P(t|Θ) + λ·P(t|q)

    P(t|q) are the weights of lm, Θ is the model of the documents D that share an IPC code with the topic. The paper
    defines P(t|Θ) and P(d|Θ) in terms of each other; here they are computed by fixed-point iteration. P(d) is uniform
    over D at first; then both are updated `rounds` times:

        P(t|Θ) = Σ_d P(t|d)·P(d),
        P(d) ∝ max(0, Σ_t P(t|d)·log(P(t|Θ) / P(t|C)))

    lambda: the share of the topic, from 0 to 1; level: `group` (H04L 12/56), `main` (H04L 12) or `subclass` (H04L),
    widened step by step until at least `fewest` documents share a code; if more than `most` do, those that share the
    most codes are used, then the latest; smoothing: λ of lm. D never contains the topic, its family or later documents.
    For a topic without IPC codes, lmipc is identical to lm.
    """
    own = lm(at, lambda_=smoothing)
    asked = ClassQuestion(tuple(at.topic.patent.ipc), at.topic.language, at.filters, level, fewest, most)
    rows = at.index.same_class(asked) if asked.codes else []
    if not sum(map(len, rows)):
        why = "no earlier document shares its IPC" if at.topic.patent.ipc else "has no IPC code"
        at.notes.append(f"topic {shown(at.topic.patent.doc_id)}: {why}; lmipc is lm here")
        return own
    vectors = gather_vectors(at.others.matrices, rows, at.numbers)
    weights = (1 - lambda_) * estimate_class_model(at, vectors, rounds)
    weights[vectors.vocabulary.find(at.numbers)] += lambda_ * own
    return WeightedTerms(vectors.vocabulary, weights)


def estimate_class_model(at: Material, vectors: Vectors, rounds: int) -> Floats:
    """P(t|Θ) of each term of the vectors."""
    background = at.others.frequencies_of(vectors.vocabulary.numbers).occurrences / at.tokens
    model = vectors.by_term(np.full(len(vectors), 1 / len(vectors)))
    for _ in range(rounds):
        # A term of documents with probability 0 only has probability 0: its log is −∞, so they keep probability 0.
        worth = np.maximum(vectors.by_document(np.log(model / background)), 0.0)
        total = worth.sum()
        if total <= 0:  # the class does not differ from the collection: all its documents keep equal probability
            break
        model = vectors.by_term(worth / total)
    return model
