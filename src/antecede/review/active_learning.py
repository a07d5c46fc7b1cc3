"""Active learning: after each batch of marks everything that is not read is ranked again.

A linear classifier separates the documents marked as relevant from those marked as not relevant. It is the support
vector machine of ASReview's `elas_u4` (squared hinge, C = 0.11), which at so small a C leaves no document outside its
margin and is therefore a ridge regression, solved in closed form:

    minimise ½ |w|² + ½ b² + C Σᵢ sᵢ (yᵢ − w·xᵢ − b)²,  yᵢ = ±1

All documents that are not relevant weigh together as much as a 9.8th of the relevant ones. There are no presumed
negatives. The first ranking decides until there are marks of both kinds, and nothing after. Only where the topic is a
whole patent, whose ranking is strong, does it decide until something relevant is found; then the topic is one of the
relevant documents, and the ranking fades with the number n of marks:

    score(d) = z(w·x_d + b) + F / (1 + n / H) · z(s(d))

z standardises over the documents that may be read, s(d) is the score of the first ranking.

    learner = ActiveLearner(vectors_of_index(index), scores, topic=row)
    learner.rank(relevant=["US1"], irrelevant=["US2"])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from antecede.errors import InputError, UsageError
from antecede.ranges import SEED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from antecede.review.reading import Bools, Floats, Ints
    from antecede.review.vectors import DocumentVectors


STRENGTH = 0.11
"""C: the weight of the marks against the penalty on large weights."""
BALANCE = 9.8
"""The weight of all relevant documents over that of all others."""
FIRST_RANKING, HALF_LIFE = 4.0, 400.0
"""F and H: the weight of a topic's first ranking before anything is marked, and the marks after which it has halved."""
ACCURACY = 1e-7
"""The residual of the normal equations, over the right side, at which the solution is taken."""
MAX_ROUNDS = 500


class ActiveLearner:
    """Re-ranks documents by what was marked.

    Args:
        vectors: The vectors of the documents that could be read.
        scores: The score of each document in the ranking that the review began with, in the order of the vectors, the
            higher the better; NaN for one that it did not retrieve. None for a review without a first ranking.
        topic: The vector of what is sought, a row; it is a relevant document.
        fading: Whether a topic and its first ranking fade, as those of a whole patent, instead of ending once there are
            marks of both kinds.
        among: The rows of the documents that may be read; by default all.
        seed: Of the random order in which documents are read while nothing is known: no topic, no ranking, no mark.
    """

    def __init__(
        self,
        vectors: DocumentVectors,
        scores: Sequence[float] | Floats | None = None,
        *,
        topic: Any = None,
        fading: bool = True,
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
        self.fading = fading and self.topic is not None
        self.own = np.zeros(len(vectors)) if vectors.own is None else vectors.own
        self.known: dict[int, float] = {}
        """Row → dual weight of the last solution, where the next one starts; the topic is row −1."""
        self.weights: NDArray[np.float32] | None = None
        """The weight of each column in the last solution; None before there are marks of both kinds."""
        readable = np.arange(len(vectors)) if among is None else np.sort(among)
        if self.ranked or self.topic is not None:
            readable = readable[np.argsort(-self.prior[readable], kind="stable")]
        else:
            readable = np.random.default_rng(seed).permutation(readable)
        self.order = readable
        """The documents that may be read, in the order of the first ranking; equal scores keep this order."""

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
        scores = self.score(relevant, irrelevant)
        rest = self.order[unread[self.order]]
        order = rest[np.argsort(-scores[rest], kind="stable")]
        return order, scores[order]

    def score(self, relevant: Ints, irrelevant: Ints) -> Floats:
        """The score of each document, given the rows that are marked."""
        marks, both = len(relevant) + len(irrelevant), bool(len(relevant) and len(irrelevant))
        if both and not self.fading:
            return self.classify(relevant, irrelevant, None)
        if not len(relevant) and (self.ranked or self.topic is None):
            return self.prior
        learned = self.classify(relevant, irrelevant, self.topic) if len(irrelevant) else self.compare(relevant)
        return self._standardise(learned) + weigh_first_ranking(marks) * self._standardise(self.prior)

    def compare(self, relevant: Ints) -> Floats:
        """The mean cosine of each document with the relevant ones and the topic."""
        rows = [self.vectors.matrix[relevant], *([] if self.topic is None else [self.topic])]
        centre = np.asarray(sparse.vstack(rows).mean(axis=0)).ravel()
        return np.asarray(self.vectors.matrix @ centre, np.float64)

    def classify(self, relevant: Ints, irrelevant: Ints, topic: Any) -> Floats:
        """The decision value of each document; a topic that is not None is one of the relevant ones."""
        first = [] if topic is None else [topic]
        marked: Any = sparse.vstack([*first, self.vectors.matrix[relevant], self.vectors.matrix[irrelevant]], "csr")
        rows = [*([-1] * len(first)), *relevant.tolist(), *irrelevant.tolist()]
        own = np.concatenate((np.zeros(len(first)), self.own[relevant], self.own[irrelevant]))
        labels = np.arange(len(rows)) < len(first) + len(relevant)
        start = np.array([self.known.get(row, 0.0) for row in rows])
        dual = fit_ridge(marked, own, labels, start)
        self.known = dict(zip(rows, dual.tolist(), strict=True))
        self.weights = np.asarray(marked.T @ dual, np.float32)
        return np.asarray(self.vectors.matrix @ self.weights + dual.sum(), np.float64)

    def _standardise(self, values: Floats) -> Floats:
        readable = values[self.order]
        return np.asarray((values - readable.mean()) / (readable.std() or 1.0))


def weigh_first_ranking(marks: int) -> float:
    """The weight of a topic's first ranking beside the learner: it halves with the first 400 marks.

    >>> weigh_first_ranking(0), weigh_first_ranking(400), weigh_first_ranking(6000)
    (4.0, 2.0, 0.25)
    """
    return FIRST_RANKING / (1 + marks / HALF_LIFE)


def scale_scores(scores: Floats) -> Floats:
    """Scores from 0 to 1; 0 for what was not retrieved, and everywhere if all are equal."""
    known = np.isfinite(scores)
    low, high = scores[known].min(initial=np.inf), scores[known].max(initial=-np.inf)
    return np.where(known, (scores - low) / (high - low), 0.0) if high > low else np.zeros(len(scores))


def balance_weights(labels: Bools) -> Floats:
    """A relevant document weighs 1, all others together a 9.8th of the relevant ones; scaled to a mean of 1."""
    good = int(labels.sum())
    weights = np.where(labels, 1.0, good / (BALANCE * max(len(labels) - good, 1)))
    return np.asarray(weights / weights.mean())


def fit_ridge(rows: sparse.csr_matrix, own: Floats, labels: Bools, start: Floats) -> Floats:
    """The dual weights of the ridge regression: w = Xᵀα and b = Σα.

        (X Xᵀ + 1 + diag(own + 1/(2 C sᵢ))) α = y

    `own` are the squared lengths of what the columns leave out. Solved by conjugate gradients from `start`, with the
    diagonal as preconditioner: some 20 products with the rows, where a factorisation would take the cube of the marks.
    """
    used = np.zeros(rows.shape[1], np.bool_)
    used[rows.indices] = True
    places = np.cumsum(used, dtype=np.int32) - 1
    shape = len(labels), int(used.sum())
    compact = sparse.csr_matrix((rows.data.astype(np.float64), places[rows.indices], rows.indptr), shape)
    turned = compact.T
    ridge = own + 1 / (2 * STRENGTH * balance_weights(labels))
    targets = np.where(labels, 1.0, -1.0)
    diagonal = 2 + ridge  # rows have length 1

    def multiply(dual: Floats) -> Floats:
        return np.asarray(compact @ (turned @ dual) + dual.sum() + ridge * dual, np.float64)

    dual = start.copy()
    residual = targets - multiply(dual)
    direction = step = residual / diagonal
    size = float(residual @ step)
    for _ in range(MAX_ROUNDS):
        if np.linalg.norm(residual) <= ACCURACY * np.sqrt(len(targets)):
            break
        image = multiply(direction)
        share = size / float(direction @ image)
        dual = dual + share * direction
        residual = residual - share * image
        step = residual / diagonal
        size, before = float(residual @ step), size
        direction = step + size / before * direction
    return dual
