"""Continuous active learning: after each batch of marks everything that is not read is ranked again.

AutoTAR (Cormack & Grossman, SIGIR 2015) on tf-idf vectors: a logistic regression separates the documents marked as
relevant from those marked as not relevant and from a random sample of unread documents that are presumed not to be.
Batches grow: 1 document, then a tenth more each time. Two things are added, since a search for prior art has few
relevant documents, which need not resemble one another: the similarity to the nearest relevant document, and the score
of the ranking that the review began with.

    score(d) = c · p(d) + max over relevant r of cos(d, r) + w · s(d)

p(d) is the probability of the classifier, scaled to 0 … 1 over the documents that may be read, and s(d) the score of
the first ranking, scaled likewise. While no relevant document is known, the first ranking decides; without one, the
classifier that takes the topic itself for relevant.

    learner = ActiveLearner(vectors_of_index(index), scores, topic=row)
    learner.rank(relevant=["US1"], irrelevant=["US2"])

Everything is deterministic given the seed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit

from antecede.errors import InputError, UsageError
from antecede.ranges import SEED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from antecede.review.reading import Bools, Floats, Ints
    from antecede.review.vectors import DocumentVectors


NEGATIVES = 100
"""Unread documents that are presumed not to be relevant."""
STRENGTH = 10.0
"""C: the weight of the marks against the penalty on large weights."""
PRIOR, CLASSIFIER = 1.0, 0.25
"""w and c: the weights of the first ranking and of the classifier."""
MOST_NEGATIVES = 1000
"""Documents marked as not relevant that are learned from: the last ones, which were hardest to tell from relevant ones.
More would only take longer."""


class ActiveLearner:
    """Re-ranks documents by what was marked.

    Args:
        vectors: The vectors of the documents that could be read.
        scores: The score of each document in the ranking that the review began with, in the order of the vectors, the
            higher the better; NaN for one that it did not retrieve. None for a review without a first ranking.
        topic: The vector of what is sought, a row; it is the first relevant document.
        among: The rows of the documents that may be read; by default all.
        seed: Of the random sample of documents that are presumed not to be relevant.
    """

    def __init__(
        self,
        vectors: DocumentVectors,
        scores: Sequence[float] | Floats | None = None,
        *,
        topic: Any = None,
        among: Ints | None = None,
        seed: int = 0,
    ) -> None:
        SEED.check(seed, "seed")
        self.vectors = vectors
        self.topic = topic if topic is not None and topic.nnz else None
        self.prior = scale_scores(np.full(len(vectors), np.nan) if scores is None else np.asarray(scores, np.float64))
        if self.prior.shape != (len(vectors),):
            raise UsageError(f"there are {len(vectors)} documents, but {len(self.prior)} scores")
        self.ranked = bool(self.prior.any())
        """Whether there is a first ranking."""
        self.seen: tuple[frozenset[int], Floats] = (frozenset(), np.zeros(len(vectors)))
        """The relevant documents that similarities are known for, and the largest similarity of each document."""
        readable = np.arange(len(vectors)) if among is None else np.sort(among)
        self.order = readable[np.argsort(-self.prior[readable], kind="stable")]
        """The documents that may be read, in the order of the first ranking."""
        chance = np.random.default_rng(seed)
        self.chance = readable[chance.permutation(len(readable))]
        """The order in which documents are presumed not to be relevant."""

    def rank(self, relevant: Iterable[str] = (), irrelevant: Iterable[str] = (), *, k: int | None = None) -> list[str]:
        """The unread documents, the most promising first.

        Args:
            relevant: The documents marked as relevant.
            irrelevant: The documents marked as not relevant.
            k: How many; by default all.
        """
        good = self.vectors.rows_of([*dict.fromkeys(relevant)])
        bad = self.vectors.rows_of([*dict.fromkeys(irrelevant)])
        both = np.intersect1d(good, bad)
        if len(both):
            raise InputError("is marked as relevant and as not relevant", doc_id=self.vectors.doc_ids[int(both[0])])
        order, _ = self.rank_rows(good, bad)
        return [self.vectors.doc_ids[at] for at in order[:k].tolist()]

    def rank_rows(self, relevant: Ints, irrelevant: Ints) -> tuple[Ints, Floats]:
        """The same with rows in place of names; and the score of each."""
        unread = np.ones(len(self.vectors), np.bool_)
        unread[relevant] = unread[irrelevant] = False
        scores = self.score(relevant, irrelevant, unread)
        rest = self.order[unread[self.order]]
        order = rest[np.argsort(-scores[rest], kind="stable")]
        return order, scores[order]

    def score(self, relevant: Ints, irrelevant: Ints, unread: Bools) -> Floats:
        if not len(relevant) and (self.topic is None or self.ranked):
            return self.prior
        scores = PRIOR * self.prior
        if len(relevant):
            scores = scores + self.nearest(relevant)
        return np.asarray(scores + CLASSIFIER * self.classify(relevant, irrelevant, unread), np.float64)

    def nearest(self, relevant: Ints) -> Floats:
        """The cosine of each document with the relevant document that it resembles most.

        Documents that are marked later are added to what is known of the earlier ones.
        """
        known, similarity = self.seen
        if not known <= {*relevant.tolist()}:  # a mark was changed
            known, similarity = frozenset(), np.zeros(len(self.vectors))
        for row in sorted({*relevant.tolist()} - known):
            similarity = np.maximum(similarity, self.vectors.matrix @ self.vectors.matrix[row].toarray()[0])
        self.seen = frozenset(relevant.tolist()), similarity
        return similarity

    def classify(self, relevant: Ints, irrelevant: Ints, unread: Bools) -> Floats:
        """The probability of relevance of each document, scaled to 0 … 1 over those that may be read.

        The topic counts as relevant while no relevant document is known.
        """
        presumed = self.chance[unread[self.chance]][:NEGATIVES]
        negatives = np.concatenate((irrelevant[-MOST_NEGATIVES:], presumed))
        if not len(negatives):
            return np.zeros(len(self.vectors))
        positives: Any = self.vectors.matrix[relevant] if len(relevant) else self.topic
        rows = sparse.vstack([positives, self.vectors.matrix[negatives]], format="csr")
        labels = np.arange(rows.shape[0]) < positives.shape[0]
        coefficients, columns, _ = fit_logistic(rows, labels, STRENGTH)
        whole = np.zeros(self.vectors.matrix.shape[1], np.float32)
        whole[columns] = coefficients
        margins = np.asarray(self.vectors.matrix @ whole, np.float64)
        low, high = margins[self.order].min(), margins[self.order].max()
        return (margins - low) / (high - low) if high > low else np.zeros(len(margins))


def scale_scores(scores: Floats) -> Floats:
    """Scores from 0 to 1; 0 for what was not retrieved, and everywhere if all are equal."""
    known = np.isfinite(scores)
    low, high = scores[known].min(initial=np.inf), scores[known].max(initial=-np.inf)
    return np.where(known, (scores - low) / (high - low), 0.0) if high > low else np.zeros(len(scores))


def fit_logistic(rows: sparse.csr_matrix, labels: Bools, c: float) -> tuple[Floats, Ints, float]:
    """The coefficients of a logistic regression, the columns that they belong to, and the intercept.

        ½ |w|² + C Σᵢ sᵢ log(1 + exp(−yᵢ (w·xᵢ + b)))

    sᵢ gives both classes the same total weight, that of all rows together.
    """
    columns, places = np.unique(rows.indices, return_inverse=True)
    compact = sparse.csr_matrix(
        (rows.data.astype(np.float64), places, rows.indptr), shape=(rows.shape[0], len(columns))
    )
    turned = compact.T.tocsr()
    number, good = len(labels), int(labels.sum())
    weights = np.where(labels, number / (2 * max(good, 1)), number / (2 * max(number - good, 1)))
    targets = np.where(labels, 1.0, -1.0)

    def loss(at: Floats) -> tuple[float, Floats]:
        margins = targets * (compact @ at[:-1] + at[-1])
        value = 0.5 * float(at[:-1] @ at[:-1]) + c * float(weights @ np.logaddexp(0, -margins))
        pull = -c * weights * targets * expit(-margins)
        return value, np.append(at[:-1] + turned @ pull, pull.sum())

    found = minimize(
        loss, np.zeros(len(columns) + 1), jac=True, method="L-BFGS-B", options={"maxiter": 40, "ftol": 1e-6}
    )
    return found.x[:-1], columns, float(found.x[-1])
