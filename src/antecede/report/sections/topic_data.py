"""Topics of a part as data for the page: small, cut into blocks, and unpacked by the reader's browser when needed.

A block is JSON, deflated, in base64. Runs, documents and terms are told by their places in lists, ranks are whole
numbers (0 = not retrieved), scores whole numbers of millionths.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.report.drawing.names import labels
from antecede.report.sections.standings import NEVER, NONE, STEPS, direction, standing, steps, topic_measures
from antecede.report.sections.texts import LONGEST_NAME, clean, id_of, title_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antecede.report.results import Part

TOPICS_A_BLOCK = 50
MOST_TERMS, FEWEST_TERMS = 40, 5
"""Terms of a query that are shown, the heaviest first."""
TERMS_IN_ALL = 1_000_000
"""Terms of all queries of a part that the page has room for: with many runs and topics, each shows fewer."""


@dataclass(frozen=True)
class Block:
    """Data under an id of the page."""

    anchor: str
    data: str


def blocks(part: Part, anchor: str) -> tuple[Block, ...]:
    """The list of topics, the scores under each measure, and topics by fifties with their documents and queries."""
    found: dict[str, Any] = {"list": topic_list(part)}
    found |= {f"scores-{place}": score_rows(part, measure) for place, measure in enumerate(topic_measures(part))}
    queries = Queries.of(part)
    for number, first in enumerate(range(0, len(part.ranks.topics), TOPICS_A_BLOCK)):
        chosen = range(first, min(first + TOPICS_A_BLOCK, len(part.ranks.topics)))
        found[f"topics-{number}"] = topic_block(part, queries, chosen)
    return tuple(Block(f"{anchor}-{name}", packed(data)) for name, data in found.items())


def packed(data: Any) -> str:
    """Data as base64 of deflated JSON."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    deflater = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return b64encode(deflater.compress(text.encode()) + deflater.flush()).decode()


def topic_list(part: Part) -> dict[str, Any]:
    """What the list of topics needs before any of them is opened."""
    here, measures = standing(part), topic_measures(part)
    _, relevant = part.ranks.relevant_per_topic()
    scores = part.scores
    totals = scores.totals[0] * -direction(part, 0)
    return {
        "runs": labels(scores.runs, LONGEST_NAME),
        "order": np.argsort(totals, kind="stable").tolist(),
        "best": here.best,
        "baseline": here.baseline,
        "measures": [str(scores.measures[at]) for at in measures],
        "lower": [direction(part, at) < 0 for at in measures],
        "open": [bool(np.isinf(scores.measures[at].definition.bounds).any()) for at in measures],
        "steps": STEPS,
        "block": TOPICS_A_BLOCK,
        "topics": [id_of(topic) for topic in part.ranks.topics],
        "titles": [title_of(part.titles.get(topic, "")) for topic in part.ranks.topics],
        "relevant": relevant.tolist(),
    }


def score_rows(part: Part, measure: int) -> list[list[int | str | None]]:
    """A row a run: its score for each topic in steps; None where the topic is left out, `never` where it is ∞."""
    special: Mapping[int, str | None] = {NONE: None, NEVER: "never"}
    rows = steps(part, measure)
    return [
        row if known.all() else [special.get(value, value) for value in row]
        for row, known in zip(rows.tolist(), np.abs(rows) < NEVER, strict=True)
    ]


def topic_block(part: Part, queries: Queries, chosen: range) -> dict[str, Any]:
    """Some topics in full; the words of their queries once for all of them."""
    words: dict[str, int] = {}
    topics = [documents(part, topic) | queries.of_topic(part.ranks.topics[topic], words) for topic in chosen]
    return {"words": [clean(word) for word in words], "topics": topics}


def documents(part: Part, topic: int) -> dict[str, Any]:
    """The relevant documents of a topic, the most relevant first, and where each run has them."""
    ranks = part.ranks.ranks
    places = np.arange(ranks.offsets[topic], ranks.offsets[topic + 1])
    kept = ranks.relevance[places] >= 1
    if ranks.copies is not None:
        kept &= ~ranks.copies[places]
    places = places[kept]
    grades = ranks.relevance[places]
    places = places[np.argsort(-grades, kind="stable")]
    names = part.ranks.doc_ids.gather(places).to_list()
    found = {
        "docs": [id_of(name) for name in names],
        "grades": ranks.relevance[places].tolist(),
        "ranks": ranks.ranks[:, places].tolist(),
        "silent": np.flatnonzero(ranks.retrieved[:, topic] == 0).tolist(),
    }
    titles = [title_of(part.titles.get(name, "")) for name in names]
    return found | ({"titles": titles} if any(titles) else {})


@dataclass(frozen=True)
class Queries:
    """The heaviest terms of every query, by run and topic."""

    kept: tuple[Mapping[str, tuple[tuple[tuple[str, float], ...], int]], ...]
    """A mapping a run: topic → terms with weights, and how many there are in all."""

    @classmethod
    def of(cls, part: Part) -> Queries:
        """Read the queries run by run, and keep of each only what is shown."""
        most = most_terms(len(part.ranks.runs), len(part.ranks.topics))
        return cls(
            tuple(
                {topic: (tuple(islice(terms.items(), most)), len(terms)) for topic, terms in part.queries(run).items()}
                for run in part.ranks.runs
            )
        )

    def of_topic(self, topic: str, words: dict[str, int]) -> dict[str, Any]:
        """The queries of a topic, each different one once, and which of them each run has; −1 for none."""
        different: dict[Any, int] = {}
        which = [
            different.setdefault(queries[topic], len(different)) if topic in queries else -1 for queries in self.kept
        ]
        if not different:
            return {}
        shown = [
            [[words.setdefault(term, len(words)) for term, _ in terms], [short(weight) for _, weight in terms], count]
            for terms, count in different
        ]
        return {"queries": shown, "query": which}


def most_terms(runs: int, topics: int) -> int:
    """How many terms of each query are shown."""
    return max(FEWEST_TERMS, min(MOST_TERMS, TERMS_IN_ALL // max(runs * topics, 1)))


def short(weight: float) -> float:
    """A weight to three digits."""
    return float(f"{weight:.3g}")
