"""Active learning: batches, the classifier against its optimum, determinism, and what it is given."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit

from antecede.errors import InputError, UsageError
from antecede.review.active_learning import ActiveLearner, fit_logistic
from antecede.review.reading import find_batch
from antecede.review.vectors import DocumentVectors, keep_heaviest, normalize_rows, vectors_of_texts


def test_batches_grow_by_a_tenth() -> None:
    ends = [1]
    while ends[-1] < 1000:
        ends.append(find_batch(ends[-1])[1])
    sizes = np.diff([0, *ends]).tolist()
    assert sizes[:13] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15]
    assert all(after == before + -(-before // 10) for before, after in pairwise(sizes))
    for read in range(300):
        start, end = find_batch(read)
        assert start <= read < end
        assert find_batch(start) == (start, end)


def test_the_classifier_is_at_the_optimum() -> None:
    """The gradient of the penalised, balanced loss vanishes."""
    rng = np.random.default_rng(0)
    dense = rng.random((30, 12)) * (rng.random((30, 12)) < 0.4)
    labels = np.arange(30) < 6
    weights, columns, intercept = fit_logistic(sparse.csr_matrix(dense), labels, 5.0)
    assert columns.tolist() == sorted({*np.flatnonzero(dense.any(axis=0)).tolist()})
    used = dense[:, columns]
    signs = np.where(labels, 1.0, -1.0)
    balance = np.where(labels, 30 / 12, 30 / 48)
    pull = -5.0 * balance * signs * expit(-signs * (used @ weights + intercept))
    assert np.abs(weights + used.T @ pull).max() < 0.05 * np.abs(weights).max()
    assert abs(pull.sum()) < 0.05 * np.abs(pull).sum()


@pytest.fixture(scope="module")
def vectors() -> DocumentVectors:
    texts = {f"d{at}": ("valve spring seat" if at % 5 == 0 else "mesh network node") + f" w{at}" for at in range(50)}
    return vectors_of_texts(texts)


def test_similar_documents_come_first_and_read_ones_do_not_come_back(vectors: DocumentVectors) -> None:
    learner = ActiveLearner(vectors, np.linspace(1, 0, 50))
    order = learner.rank(["d10"], ["d1", "d2"])
    assert {*order[:9]} == {f"d{at}" for at in range(0, 50, 5)} - {"d10"}
    assert {*order} == {*vectors.doc_ids} - {"d10", "d1", "d2"}
    assert learner.rank(["d10"], ["d1", "d2"], k=3) == order[:3]


def test_the_first_ranking_decides_while_nothing_is_known(vectors: DocumentVectors) -> None:
    scores = np.random.default_rng(1).permutation(50).astype(float)
    order = ActiveLearner(vectors, scores).rank()
    assert order == [f"d{at}" for at in np.argsort(-scores)]
    some = np.where(np.arange(50) < 10, scores, np.nan)
    first = ActiveLearner(vectors, some).rank()[:9]
    assert {*first} < {f"d{at}" for at in range(10)}


def test_only_what_may_be_read_is_ranked(vectors: DocumentVectors) -> None:
    among = np.array([40, 3, 10, 7])
    learner = ActiveLearner(vectors, among=among)
    order, scores = learner.rank_rows(np.array([10]), np.array([3]))
    assert order.tolist() == [40, 7]
    assert scores[0] > scores[1]


def test_the_same_seed_gives_the_same_order(vectors: DocumentVectors) -> None:
    ranked = [ActiveLearner(vectors, seed=seed).rank(["d5"], ["d6"]) for seed in (1, 1)]
    assert ranked[0] == ranked[1]


def test_nothing_but_relevant_or_irrelevant_documents(vectors: DocumentVectors) -> None:
    everything = [*vectors.doc_ids]
    learner = ActiveLearner(vectors)
    assert learner.rank(everything) == []
    assert learner.rank([], everything) == []
    assert learner.rank(everything[:-1]) == everything[-1:]
    assert learner.rank([], everything[:-1]) == everything[-1:]


def test_contradictions_and_unknown_documents_are_refused(vectors: DocumentVectors) -> None:
    learner = ActiveLearner(vectors)
    with pytest.raises(InputError, match="d1: is marked as relevant and as not relevant"):
        learner.rank(["d1"], ["d1"])
    with pytest.raises(InputError, match="EP1: has no vector"):
        learner.rank(["EP1"])
    with pytest.raises(UsageError):
        ActiveLearner(vectors, [1.0])
    with pytest.raises(UsageError, match="seed"):
        ActiveLearner(vectors, seed=-1)


def test_vectors_have_length_one_and_their_heaviest_terms() -> None:
    matrix = sparse.csr_matrix([[3.0, 1.0, 2.0, 2.0], [0, 0, 0, 0], [0, 5.0, 0, 0]])
    assert keep_heaviest(matrix, 2).toarray().tolist() == [[3, 0, 2, 0], [0, 0, 0, 0], [0, 5, 0, 0]]
    found = normalize_rows(matrix)
    assert np.linalg.norm(found.toarray(), axis=1).tolist() == pytest.approx([1, 0, 1])
    with pytest.raises(UsageError, match="3 rows of vectors"):
        DocumentVectors(("a",), found)
