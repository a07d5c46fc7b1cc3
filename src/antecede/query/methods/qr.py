"""QR."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import numpy as np

from antecede.query.methods.registry import method
from antecede.query.query import Query
from antecede.ranges import Range
from antecede.registry import Count, Share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.query.material import Floats, Material


MixtureShare = Annotated[float, Range(0, 1, open_high=True)]


@method("qr", cite="Ganguly et al., CIKM 2011; in Zhou et al., NLPCC 2013", cut=False)
def qr(at: Material, *, r: Count = 20, tau: Share = 0.9, lambda_: MixtureShare = 0.5, segments: int = 0) -> Floats:
    """Query reduction: the sentences of the topic that are most similar to the best documents of a first search.

        score(s) = Σ_d Σ_t n(t, s)·log(1 + λ·P(t|d) / ((1 − λ)·P(t)))

    The first search uses the whole text; a sentence s is scored by its similarity to the r best documents d. The share
    τ of the sentences with the highest scores is kept, and n(t) over these sentences is the weight. (The paper prints
    P(t) outside the fraction.)

    r: the number of documents of the first search; tau: the share of the sentences that is kept; lambda: the share of
    the document in the mixture, below 1; segments: the number of segments of adjacent sentences into which the text is
    divided, 0 for single sentences. The first search never retrieves the topic, its family or later documents.
    """
    every = np.zeros(len(at.topic.terms))
    every[at.known] = compute_gains(at, r, lambda_)
    pieces = at.topic.sentences
    number = len(pieces.ptr) - 1
    sentence = np.repeat(np.arange(number), np.diff(pieces.ptr))
    if segments:
        number = min(segments, number)
        sentence = sentence * number // (len(pieces.ptr) - 1)
    scores = np.bincount(sentence, weights=pieces.counts * every[pieces.terms], minlength=number)
    kept = np.zeros(number, np.bool_)
    kept[np.argsort(-scores, kind="stable")[: math.ceil(min(tau, 1.0) * number)]] = True
    weights = np.bincount(pieces.terms, weights=pieces.counts * kept[sentence], minlength=len(every))
    return weights[at.known].astype(np.float64, copy=False)


def compute_gains(at: Material, r: int, lambda_: float) -> Floats:
    """The gain of each occurrence of a term: Σ_d log(1 + λ·P(t|d) / ((1 − λ)·P(t))) over the best documents."""
    found = np.zeros(len(at.names))
    rarity = lambda_ / (1 - lambda_) * at.tokens / at.cf
    for matrix, numbers, rows in zip(at.others.matrices, at.numbers, search_first(at, r), strict=True):
        here = np.flatnonzero(numbers >= 0)
        here = here[np.argsort(numbers[here], kind="stable")]
        vectors = matrix.vectors_of(rows)
        places = np.searchsorted(numbers[here], vectors.items)
        shared = np.flatnonzero(places < len(here))
        shared = shared[numbers[here[places[shared]]] == vectors.items[shared]]
        terms = here[places[shared]]
        lengths = np.repeat(matrix.lengths[rows].astype(np.float64), np.diff(vectors.ptr))
        worth = np.log1p(rarity[terms] * vectors.counts[shared] / lengths[shared])
        found += np.bincount(terms, weights=worth, minlength=len(found))
    return found


def search_first(at: Material, r: int) -> list[NDArray[np.int64]]:
    """For each matrix, the rows of the r best documents for the whole text."""
    order = np.lexsort((np.arange(len(at.names)), -at.counts))
    whole = Query(tuple(at.names[place] for place in order.tolist()), at.counts[order], at.topic.language, "full")
    places = at.search(whole, r).places
    return [places[places[:, 0] == segment, 1] for segment in range(len(at.others.matrices))]
