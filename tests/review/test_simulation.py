"""Simulated reviews: what is read until which recall, by hand; and topics from runs and from an index."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast, get_args

import numpy as np
import pytest

from antecede.corpus import Collection
from antecede.embedded.engine import EmbeddedEngine
from antecede.errors import AntecedeError, UsageError
from antecede.index import build_index
from antecede.review import vectors as vectors_module
from antecede.review.active_learning import ActiveLearner
from antecede.review.judged_topics import READERS, ReviewTopic, read_whole, topics_from_index, topics_from_run
from antecede.review.reading import Feedback
from antecede.review.simulation import simulate_reviews
from antecede.review.vectors import vectors_of_index, vectors_of_texts
from antecede.search.topics import read_topics


def topic(positions: list[int], size: int = 100, missing: int = 0) -> ReviewTopic:
    relevant = np.zeros(size, np.bool_)
    relevant[np.array(positions) - 1] = True
    return ReviewTopic(f"T{positions[0]}", np.arange(size), relevant, missing)


def test_effort_by_hand() -> None:
    found = simulate_reviews([topic([1, 5, 9, 30]), topic([2, 4], missing=1)])
    assert found.effort("static", 80).tolist() == [30, 100]  # ⌈3.2⌉ = 4 of 4; ⌈2.4⌉ = 3 of 3, one of which is missing
    assert found.effort("static", 95).tolist() == [30, 100]
    assert found.reached("static", 95).tolist() == [True, False]
    assert found.recall_curve("static", np.array([0.01, 0.05, 0.3, 1.0])).tolist() == pytest.approx(
        [(1 / 4 + 0) / 2, (2 / 4 + 2 / 3) / 2, (1 + 2 / 3) / 2, (1 + 2 / 3) / 2]
    )
    row = found.effort_rows()[0]
    assert (row["mean"], row["median"], row["never"]) == (65.0, 65.0, 1)


def test_a_rule_stops_where_it_says_so() -> None:
    found = simulate_reviews([topic([1, 2, 3, 50])], rules=["misses(n=10)", "knee"], target=0.75)
    outcome = found.stops["static"]["misses(n=10)"][0]
    assert (outcome.read, outcome.found, outcome.reached) == (13, 3, True)
    row = next(each for each in found.rule_rows() if each["rule"] == "misses(n=10)")
    assert (row["recall"], row["effort"], row["reliability"]) == (0.75, 0.13, 1.0)
    assert row["wss"] == pytest.approx(0.87 - 0.25)
    assert row["loss_er"] == pytest.approx(0.25**2 + (100 / 100 * 13 / 104) ** 2)
    assert row["ideal"] == 0.03


def test_every_kind_of_feedback_reads_no_document_twice_and_finds_all() -> None:
    texts = {f"d{at:02}": ("valve seat" if at % 4 == 0 else "mesh node") + f" w{at}" for at in range(40)}
    vectors = vectors_of_texts(texts)
    whole = replace(
        topic([1, 5, 9, 37], 40),
        learner=lambda: ActiveLearner(vectors, np.linspace(1, 0, 40)),
        rerank=lambda good, bad: np.setdiff1d(np.arange(39, -1, -1), np.concatenate((good, bad))),
    )
    for name, read in READERS.items():
        order = read(whole)
        assert len(np.unique(order)) == len(order)
        assert whole.relevant[order].sum() == 4
        assert (len(order) == 40) == (name != "active")
    found = simulate_reviews([whole], feedback=get_args(Feedback))
    assert found.effort("active", 100)[0] < found.effort("static", 100)[0]
    assert np.all(np.array([found.readings[name][0].reading.found for name in READERS]) == 4)


def test_feedback_that_needs_an_index_says_so() -> None:
    for name in ("active", "one-shot"):
        with pytest.raises(UsageError, match="give an index"):
            simulate_reviews([topic([1])], feedback=[name])
    with pytest.raises(UsageError, match="unknown feedback"):
        simulate_reviews([topic([1])], feedback=[cast("Any", "passive")])
    with pytest.raises(UsageError, match="no topic"):
        simulate_reviews([])


def test_everything_is_relevant_or_one_document() -> None:
    found = simulate_reviews(
        [topic(list(range(1, 21)), 20), topic([1], 1)], rules=["knee", "quasi_sampling", "target(n=2)", "autostop"]
    )
    assert found.effort("static", 100).tolist() == [20, 1]
    assert [row["reliability"] for row in found.rule_rows()] == [1.0] * 4
    assert str(found)
    assert found.to_dict()["rules"][0]["recall"] == 1.0


def test_topics_of_a_run() -> None:
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 1.0}, "9": {"a": 1.0}}
    qrels = {"1": {"c": 1, "x": 2, "a": 0}, "2": {"a": 0}, "3": {"a": 1}}
    judged = topics_from_run(run, qrels)
    (only,) = judged
    assert (only.topic_id, only.relevant.tolist(), only.missing, only.total) == ("1", [False, False, True], 1, 2)
    assert judged.skipped == {"no document is relevant": ["2"], "the run does not have them": ["3"]}
    assert read_whole(only, "static").reading.finds.tolist() == [3]
    assert next(iter(topics_from_run(run, qrels, rel=2))).total == 1


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> EmbeddedEngine:
    import json

    folder = tmp_path_factory.mktemp("reviews")
    words = ("valve seat spring", "mesh network node", "lithium battery anode")
    lines = [
        {
            "doc_id": f"EP10000{at:02}",
            "publication_date": f"20{at:02}-01-01",
            "language": "en",
            "title": f"{words[at % 3]} {at}",
            "description": {"en": f"{words[at % 3]} {words[at % 2]} part{at}"},
        }
        for at in range(30)
    ]
    (folder / "p.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    build_index(Collection(folder / "p.jsonl"), folder / "index", workers=1)
    return EmbeddedEngine.open(folder / "index")


def test_topics_of_an_index(index: EmbeddedEngine, tmp_path: Path) -> None:
    qrels: dict[str, Any] = {
        "EP1000020": {"EP1000002": 1, "EP1000005": 1, "EP1000008": 1, "EP1000026": 1, "EP9": 1},
        "EP1000003": {"EP1000026": 1},
        "EP1000010": {"EP1000001": 0},
    }
    (tmp_path / "topics.txt").write_text("EP1000020\nEP1000003\nEP1000010\nEP1000011\nEP7\n")
    judged = topics_from_index(index, read_topics(index, str(tmp_path / "topics.txt")), qrels)
    (only,) = judged
    assert len(only.order) == 20  # what was published before it
    assert (int(only.relevant.sum()), only.missing, only.excluded, only.total) == (3, 1, 1, 4)
    assert {reason: len(topics) for reason, topics in judged.skipped.items()} == {
        "the filters of the search exclude every relevant document": 1,
        "no document is relevant": 1,
        "they are not judged": 1,
        "is not in the index": 1,
    }
    found = simulate_reviews(judged, feedback=["static", "one-shot", "active"], rules=["knee"])
    assert [each[0].reading.found for each in found.readings.values()] == [3, 3, 3]
    assert "1 relevant documents do not count" in str(found)
    assert "never reached" in str(found)


def test_vectors_of_an_index(index: EmbeddedEngine) -> None:
    names = ["EP1000005", "EP1000003", "EP1000000"]
    vectors = vectors_of_index(index, names)
    dense = vectors.matrix.toarray()
    assert np.linalg.norm(dense, axis=1).tolist() == pytest.approx([1, 1, 1])
    row = vectors.of_texts({"en": "valve seat spring"})
    assert row is not None
    similar = (vectors.matrix @ row.toarray()[0]).tolist()
    assert similar[1] > similar[0]
    assert similar[2] > similar[0]
    whole = vectors_of_index(index)
    again = whole.matrix[whole.rows_of(names)].toarray()
    assert (again @ again.T).tolist() == [pytest.approx(row, abs=1e-5) for row in (dense @ dense.T).tolist()]
    with pytest.raises(AntecedeError, match="EP5"):
        vectors_of_index(index, ["EP5"])


def test_vectors_of_an_index_are_kept_beside_it(index: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Path(index.where).with_suffix(".vectors")
    kept.unlink(missing_ok=True)
    first = vectors_of_index(index)
    assert kept.exists()
    row = first.of_texts({"en": "valve seat spring", "de": "Feder"})
    with monkeypatch.context() as patch:
        patch.setattr(vectors_module, "_decode", lambda *_: pytest.fail("the vectors are decoded again"))
        again = vectors_of_index(index)
        some = vectors_of_index(index, again.doc_ids[3:5])
    assert again.doc_ids == first.doc_ids
    np.testing.assert_array_equal(again.matrix.toarray(), first.matrix.toarray())
    np.testing.assert_array_equal(some.matrix.toarray(), first.matrix.toarray()[3:5])
    repeated = again.of_texts({"en": "valve seat spring"})
    assert row is not None
    assert repeated is not None
    np.testing.assert_array_equal(repeated.toarray(), row.toarray())


@pytest.mark.parametrize("damage", ["cut", "other", "text", "index"])
def test_vectors_that_are_damaged_or_stale_are_made_anew(damage: str, index: EmbeddedEngine) -> None:
    kept = Path(index.where).with_suffix(".vectors")
    expected = vectors_of_index(index).matrix.toarray()
    whole = kept.read_bytes()
    with np.load(kept) as file:
        arrays = dict(file)
    if damage == "cut":
        kept.write_bytes(whole[:-200])
    elif damage == "text":
        kept.write_text("no vectors")
    else:
        arrays |= {"key": arrays["key"][::-1]} if damage == "other" else {"indices": arrays["indices"] + 10**6}
        np.savez(kept.with_suffix(".npz"), **arrays)
        kept.with_suffix(".npz").rename(kept)
    np.testing.assert_array_equal(vectors_of_index(index).matrix.toarray(), expected)
    assert kept.read_bytes() == whole
