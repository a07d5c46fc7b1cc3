"""Screenings as ASReview simulates them: a program of its own, run in the environment of ASReview.

    .venv/asreview/bin/python -P bench/screening_peer.py MODEL FILE.csv < KNOWN.json

KNOWN.json has for each run the numbers of the records that are known, from 0. Prints one JSON document: the version,
and for each run the numbers of the records in the order in which they are read, up to the last relevant one.
"""

from __future__ import annotations

import json
import sys
import warnings
from importlib.metadata import version

import pandas as pd
from asreview.learner import ActiveLearningCycle
from asreview.models.models import get_ai_config
from asreview.simulation.simulate import Simulate


def main() -> None:
    """Simulate every run, one record after the other, as `asreview simulate --ai MODEL --prior-idx …` does."""
    warnings.simplefilter("ignore")
    model, path = sys.argv[1:]
    records = pd.read_csv(path)
    labels = records["label_included"].to_numpy()
    texts = records[["title", "abstract"]].fillna("").astype(str)
    orders = []
    for known in json.load(sys.stdin):
        cycle = ActiveLearningCycle.from_meta(get_ai_config(model)["value"])
        simulation = Simulate(texts, labels, [cycle], print_progress=False)
        simulation.label(known)
        simulation.review()
        orders.append([int(number) for number in simulation._results["record_id"]])
    json.dump({"version": version("asreview"), "orders": orders}, sys.stdout)


if __name__ == "__main__":
    main()
