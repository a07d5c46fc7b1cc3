"""TREC-8 ad hoc: the official MAP of 48 real runs, and every value of trec_eval."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import numpy as np
import pytest

from antecede import evaluate, rank_table
from antecede.measures import parse_measure
from tests.conftest import call_program

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_map_equals_the_official_scores_in_all_digits(data: Path) -> None:
    folder = data / "trec8"
    official = dict(line.split() for line in (folder / "official-scores.map").read_text().splitlines())
    runs = sorted((folder / "runs").glob("*.gz"))
    outcome = call_program("evaluate", folder / "qrels.txt", *runs, "-m", "AP", "--json")
    assert outcome.code == 0, outcome.err
    ours = {run["name"].removeprefix("input."): run["scores"]["AP"] for run in outcome.json["runs"]}
    assert len(ours) == 48
    assert {name: f"{value:.4f}" for name, value in ours.items()} == {name: official[name] for name in ours}


DIFFERENT = ("runid", "relstring", "iprec_at_recall_", "11pt_avg", "gm_")
"""What pytrec_eval has as text, as trec_eval 9 rounded it, or as a logarithm that only a mean is made of."""
EQUAL_WITH_32_BITS = ("input.Dm8Nbn", "446")
"""A run and a topic with two scores that are equal to trec_eval, which keeps 32 bits of them, and to us are not."""


@pytest.mark.slow
def test_every_value_of_every_topic_is_that_of_trec_eval(data: Path) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    folder = data / "trec8"
    qrels: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.txt").read_text().splitlines():
        topic, _, doc_id, relevance = line.split()
        qrels.setdefault(topic, {})[doc_id] = int(relevance)
    paths = sorted((folder / "runs").glob("*.gz"))
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, pytrec_eval.supported_measures)
    expected = [evaluator.evaluate(_read_scores(path)) for path in paths]
    names = [name for name in expected[0]["401"] if not name.startswith(DIFFERENT)]
    scores = evaluate(rank_table(folder / "qrels.txt", paths), names, no_relevant="zero")
    rows = [scores.measures.index(parse_measure(name)) for name in names]
    topics = scores.rank_table.topics
    theirs = np.array([[[of_run[topic][name] for topic in topics] for of_run in expected] for name in names])
    assert theirs.size > 129_000
    differs = ~np.isclose(scores.values[rows], theirs, rtol=0, atol=1e-9)
    assert {(scores.runs[run], topics[topic]) for _, run, topic in np.argwhere(differs)} == {EQUAL_WITH_32_BITS}


def _read_scores(path: Path) -> dict[str, dict[str, float]]:
    """A run as pytrec_eval takes it, read without our readers."""
    run: dict[str, dict[str, float]] = {}
    with gzip.open(path, "rt") as file:
        for line in file:
            topic, _, doc_id, _, score, _ = line.split()
            run.setdefault(topic, {})[doc_id] = float(score)
    return run
