"""Topics whose answers are drawn at random, to calibrate with."""

from __future__ import annotations

import numpy as np

from antecede.review.judged_topics import JudgedReading
from antecede.review.reading import Reading


def draw_topics(number: int, seed: int, documents: int = 400) -> list[JudgedReading]:
    """Topics whose relevant documents become rarer along the ranking, each at its own pace."""
    random = np.random.default_rng(seed)
    found = []
    for at in range(number):
        pace, size = random.uniform(5, 60), int(random.integers(1, 40))
        places = np.unique(np.minimum(random.exponential(pace, size).astype(int), documents - 1))
        relevant = np.zeros(documents, bool)
        relevant[places] = True
        found.append(JudgedReading(f"{seed}-{at}", Reading(relevant, documents), int(relevant.sum())))
    return found
