"""Active learning: batches, the classifier against its optimum, determinism, and what it is given."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

from antecede.errors import InputError, UsageError
from antecede.review.active_learning import ActiveLearner
from antecede.review.reading import find_batch
from antecede.review.vectors import DocumentVectors, keep_heaviest, normalize_rows, vectors_of_texts


def test_a_batch_is_a_fiftieth_of_what_is_read() -> None:
    ends = [0]
    while ends[-1] < 1000:
        ends.append(find_batch(ends[-1])[1])
    assert all(after - before == max(1, before // 50) for before, after in pairwise(ends))
    for read in range(300):
        start, end = find_batch(read)
        assert start <= read < end
        assert find_batch(start) == (start, end)


WORDS = ["valve", "spring", "seat", "mesh", "network", "node", "lithium", "battery", "anode", "salt"]


def make_texts(number: int) -> dict[str, str]:
    rng = np.random.default_rng(3)
    return {f"d{at}": " ".join(rng.choice(WORDS[at % 4 :], 9)) + f" own{at} x" for at in range(number)}


def test_texts_are_weighed_as_scikit_learn_does() -> None:
    """Words and pairs, sublinear; what only one document has is in `own` and not in the matrix."""
    texts = make_texts(40) | {"empty": ""}
    usual = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, max_df=0.95)
    expected = usual.fit_transform(texts.values())
    vectors = vectors_of_texts(texts)
    assert vectors.own is not None
    likeness = (vectors.matrix @ vectors.matrix.T).toarray() + np.diag(vectors.own)
    np.testing.assert_allclose(likeness, (expected @ expected.T).toarray(), atol=1e-6)
    assert np.bincount(vectors.matrix.indices).min() > 1
    sought = "Seat, spring network: unheard-of words"
    row = vectors.of_texts({"": sought})
    assert row is not None
    kept = [at for at, name in enumerate(usual.get_feature_names_out()) if (expected[:, [at]] > 0).sum() > 1]
    other = usual.transform([sought]).toarray()[0, kept]
    values = vectors.matrix @ row.toarray()[0]
    np.testing.assert_allclose(values, expected[:, kept] @ other / np.linalg.norm(other), atol=1e-6)


@pytest.mark.parametrize(("good", "bad"), [(1, 1), (1, 25), (12, 3)])
def test_the_classifier_is_the_support_vector_machine(good: int, bad: int) -> None:
    """Against liblinear, on all columns; the weights of the classes are those of ASReview's `balanced`."""
    texts = make_texts(40)
    vectors = vectors_of_texts(texts)
    relevant, irrelevant = np.arange(0, 4 * good, 4) % 40, np.setdiff1d(np.arange(40), np.arange(0, 40, 4))[:bad]
    relevant = np.unique(relevant)
    rows = np.concatenate([relevant, irrelevant])
    complete = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, max_df=0.95).fit_transform(texts.values())
    weights = np.where(np.arange(len(rows)) < len(relevant), 1.0, len(relevant) / (9.8 * len(irrelevant)))
    machine = LinearSVC(loss="squared_hinge", C=0.11, tol=1e-10, max_iter=100_000)
    machine.fit(complete[rows], np.arange(len(rows)) < len(relevant), sample_weight=weights / weights.mean())
    learner = ActiveLearner(vectors)
    unread = np.setdiff1d(np.arange(40), rows)
    for _ in range(2):  # the second time from the solution of the first
        scores = learner.classify(relevant, irrelevant, None)
        np.testing.assert_allclose(scores[unread], machine.decision_function(complete[unread]), atol=1e-5)


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


def test_the_first_ranking_is_not_mixed_in_once_there_are_marks_of_both_kinds(vectors: DocumentVectors) -> None:
    scores = np.random.default_rng(1).permutation(50).astype(float)
    ranked, unranked = ActiveLearner(vectors, scores), ActiveLearner(vectors)
    assert ranked.rank([], ["d1"]) == [name for name in ranked.rank() if name != "d1"]
    marked = np.array([5, 10]), np.array([1, 2])
    np.testing.assert_array_equal(ranked.score(*marked), unranked.score(*marked))


def test_the_first_ranking_of_a_patent_fades(vectors: DocumentVectors) -> None:
    row = vectors.of_texts({"": "valve seat"})
    scores = np.where(np.arange(50) % 7 == 0, 1.0, 0.0)
    learner, unranked = ActiveLearner(vectors, scores, topic=row), ActiveLearner(vectors, topic=row)
    assert learner.rank()[0] == "d0"
    standard = (scores - scores.mean()) / scores.std()
    assert learner.rank([], ["d1", "d2"])[:2] == ["d0", "d7"]  # nothing relevant is found yet
    for good, bad in ((1, 1), (2, 30), (3, 0)):
        relevant, irrelevant = np.arange(0, 5 * good, 5), np.setdiff1d(np.arange(50), np.arange(0, 50, 5))[:bad]
        weight = 4 / (1 + (good + bad) / 400)
        expected = unranked.score(relevant, irrelevant) + weight * standard
        np.testing.assert_allclose(learner.score(relevant, irrelevant), expected, atol=1e-6)
    words = ActiveLearner(vectors, scores, topic=row, fading=False)
    marked = np.array([5]), np.array([1, 2])
    np.testing.assert_array_equal(words.score(*marked), ActiveLearner(vectors).score(*marked))


def test_nothing_known_is_read_at_random(vectors: DocumentVectors) -> None:
    orders = [ActiveLearner(vectors, seed=seed).rank() for seed in (0, 1)]
    assert orders[0] != orders[1] != [*vectors.doc_ids]
    assert ActiveLearner(vectors, seed=0).rank([], ["d3"]) == [name for name in orders[0] if name != "d3"]


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
