"""What a ranking costs per topic, one thread.

    python -P bench/ranking_costs.py INDEX TOPICS TOPICS_NUMBER ROUNDS RANKING

prints as JSON the milliseconds of processor time per topic, the median over topics: `make` for building the query,
`search` for ranking, and those of each feature. `first` has the figures of the first round, in which term vectors,
classes and titles of the candidates are looked up; `again` the best of the other rounds.
"""

from __future__ import annotations

import json
import sys
from statistics import median
from typing import Any

from antecede.engine import open_index
from antecede.patent import Patent
from antecede.search import Ranker, SearchSettings
from antecede.search.topics import read_topics

K = 1000


def measured(index: str, file: str, topics: int, rounds: int, ranking: str) -> dict[str, Any]:
    """The figures of the first round, and the best of the others."""
    opened = open_index(index)
    patents = [each for each in read_topics(opened, file) if isinstance(each, Patent)][:topics]
    ranker = Ranker(opened, SearchSettings(ranking=ranking, k=K))
    ranker.rank(patents[-1])  # the impacts of the model are computed once per index
    each = [[costs(ranker, patent) for patent in patents[:-1]] for _ in range(rounds)]
    names = dict.fromkeys(name for part in each[0] for name in part)  # those of one language may have further features
    first = {name: median(of.get(name, 0.0) for of in each[0]) for name in names}
    best = {
        name: median(min(part.get(name, 0.0) for part in of) for of in zip(*each[1:], strict=True)) for name in names
    }
    return {"first": first, "again": best, "documents": opened.documents}


def costs(ranker: Ranker, patent: Patent) -> dict[str, float]:
    """The milliseconds that each step takes for a topic."""
    found = ranker.rank(patent)
    make, search = found.milliseconds
    pools = [each.evidence.pool for each in found.languages if each.evidence is not None]
    return {
        "make": make,
        "search": search,
        "candidates": float(sum(len(pool.candidates) for pool in pools)),
        **found.feature_milliseconds,
    }


if __name__ == "__main__":
    where, given, number, times, weights = sys.argv[1:]
    json.dump(measured(where, given, int(number), int(times), weights), sys.stdout)
