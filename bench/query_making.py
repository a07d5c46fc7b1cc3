"""Every query method on the same topics, one thread.

    python -P bench/query_making.py INDEX TOPICS.jsonl TOPICS ROUNDS

prints as JSON, for each method, the milliseconds a topic takes: its query made, and then searched with. The best of the
rounds counts; in the first round terms are decoded, so there are two at least. `text` is the time to count a topic's
text, which all methods share.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import islice
from statistics import fmean
from typing import TYPE_CHECKING, Any

from antecede.corpus import Collection
from antecede.engine import open_index
from antecede.query import QueryMaker
from antecede.query.methods import METHODS
from antecede.search import prior_art

if TYPE_CHECKING:
    from collections.abc import Callable

    from antecede.conditions.filters import Filters
    from antecede.engine import Hits
    from antecede.query import Query

K = 1000


class Times:
    """The best time of each method, step and topic, and how many terms queries had."""

    def __init__(self) -> None:
        self.best: dict[tuple[str, str, int], float] = {}
        self.terms: dict[str, list[int]] = {}

    def take(self, method: str, step: str, topic: int, work: Callable[..., Any], *given: Any, **how: Any) -> Any:
        """Do some work; what it gave."""
        begin = time.thread_time()
        found = work(*given, **how)
        taken = 1000 * (time.thread_time() - begin)
        self.best[method, step, topic] = min(taken, self.best.get((method, step, topic), taken))
        return found

    def means(self, method: str) -> dict[str, float]:
        """The mean over topics of each step."""
        steps = dict.fromkeys(step for name, step, _ in self.best if name == method)
        means = {
            step: fmean(taken for (name, done, _), taken in self.best.items() if (name, done) == (method, step))
            for step in steps
        }
        return {**means, "terms": fmean(self.terms.get(method, [0]))}


def measured(index: str, file: str, topics: int, rounds: int) -> dict[str, dict[str, float]]:
    """The mean over topics of the best round."""
    opened = open_index(index)

    def search(query: Query, k: int, filters: Filters) -> Hits:
        return opened.retrieve(query, k, opened.select(filters))

    maker, times = QueryMaker(opened, search), Times()
    patents = list(islice(Collection(file).patents(), topics))
    for _ in range(rounds):
        for at, patent in enumerate(patents):
            topic, seen = times.take("text", "make", at, maker.topic, patent), prior_art(patent)
            for method in METHODS:
                query = times.take(method, "make", at, maker.make, topic, method, filters=seen).query
                times.take(method, "search", at, search, query, K, seen)
                times.terms.setdefault(method, []).append(len(query))
    return {method: times.means(method) for method in ("text", *METHODS)}


if __name__ == "__main__":
    where, given, number, rounds = sys.argv[1:]
    json.dump(measured(where, given, int(number), int(rounds)), sys.stdout)
