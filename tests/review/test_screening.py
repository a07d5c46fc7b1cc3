"""Simulated screenings: the protocol, the figures against a plain computation, and four real reviews."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from antecede.errors import UsageError
from antecede.review.labelled_records import LabelledRecords
from antecede.review.screening import (
    Known,
    draw_known,
    read_screening,
    recall_after,
    simulate_screening,
    work_saved,
)
from antecede.review.vectors import vectors_of_texts

if TYPE_CHECKING:
    from pathlib import Path


def make_records(number: int = 60, every: int = 6) -> LabelledRecords:
    rng = np.random.default_rng(2)
    words = np.array(["valve", "spring", "seat", "mesh", "network", "node", "lithium", "battery", "anode", "salt"])
    relevant = np.arange(number) % every == 0
    texts = tuple(" ".join(rng.choice(words[:6] if flag else words[2:], 8)) for flag in relevant)
    return LabelledRecords("made", texts, relevant, unlabelled=3)


def save_plainly(relevant: list[bool]) -> float:
    """WSS@95 in words: the lead over an even pace at the last relevant record within 95 %, over all records."""
    total, size = sum(relevant), len(relevant)
    last = max(count for count in range(1, total + 1) if count / total <= 0.95)
    even = next(at for at in range(size) if round(at / (size - 1) * total) >= last)
    here = next(at for at in range(size) if sum(relevant[: at + 1]) == last)
    return (even - here) / size


def test_work_saved_is_that_of_asreview() -> None:
    rng = np.random.default_rng(0)
    for size in (21, 40, 97):
        relevant = rng.random(size) < 0.3
        assert work_saved(relevant) == pytest.approx(save_plainly(relevant.tolist()))
    assert recall_after(np.array([1, 0, 1, 1, 0, 0, 0, 0, 0, 1], np.bool_), 20) == 0.25


def test_every_unknown_record_is_read_once() -> None:
    records = make_records()
    known = draw_known(records.relevant, Known(2, 3), 7)
    assert records.relevant[known].tolist() == [True, True, False, False, False]
    vectors = vectors_of_texts({str(at): text for at, text in enumerate(records.texts)})
    batches = [*read_screening(vectors, records.relevant, known)]
    order = np.concatenate([known, *batches])
    assert sorted(order.tolist()) == [*range(60)]
    assert [len(batch) for batch in batches[:-1]] == [1] * (len(batches) - 1)


def test_what_is_reported(tmp_path: Path) -> None:
    result = simulate_screening(make_records(), seeds=3, rules=["misses(n=5)", "depth(n=58)"])
    told = result.to_dict()
    assert (told["records"], told["relevant"], told["seeds"], told["unlabelled"]) == (60, 10, 3, 3)
    assert [run["seed"] for run in told["runs"]] == [0, 1, 2]
    for name in ("wss@95", "recall@10%", "recall@20%", "recall@50%", "documents_to_95"):
        assert told[name] == pytest.approx(np.mean([run[name] for run in told["runs"]]))
    assert told["rules"]["depth(n=58)"] == {"recall": 1.0, "read": 58.0, "reached": 1.0}
    assert told["wss@95"] > 0.2  # random reading saves nothing
    json.dumps(told)
    assert simulate_screening(make_records(), seeds=3, rules=["misses(n=5)", "depth(n=58)"]).to_dict() == told
    both = simulate_screening(make_records(), make_records(90, 9), seeds=2)
    assert both.means()["wss@95"] == pytest.approx(np.mean([each["wss@95"] for each in both.to_dict()["reviews"]]))
    assert "3 records without a decision are left out" in str(both)
    both.plot(tmp_path / "f.svg")
    assert "mean of 2 reviews" in (tmp_path / "f.svg").read_text()


def test_more_known_records_than_there_are_is_refused() -> None:
    with pytest.raises(UsageError, match="10 records are relevant; fewer than that can be known"):
        simulate_screening(make_records(), known=(10, 1))
    with pytest.raises(UsageError, match="50 records are not relevant"):
        simulate_screening(make_records(), known=(1, 51))
    with pytest.raises(UsageError, match="one finished review"):
        simulate_screening()


@pytest.mark.slow
def test_real_reviews(data: Path) -> None:
    """WSS@95 of two small reviews of SYNERGY, from the same known records as the study."""
    folder = data / "screening"
    result = simulate_screening(folder / "Donners_2021.csv.gz", folder / "Nelson_2002.csv.gz", seeds=2, rules=())
    assert [review.means()["wss@95"] for review in result.reviews] == pytest.approx([0.7383, 0.3764], abs=0.005)
