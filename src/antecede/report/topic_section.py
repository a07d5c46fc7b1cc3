"""The topics of a part: topics won and lost, a table for readers without JavaScript, and data for all others.

The data is cut into blocks that the reader's browser unpacks on demand. A block is deflated JSON in base64. Runs,
documents and terms are indices into lists, ranks are integers (0 = not retrieved), scores are integers in millionths.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.patent import PatentNumber
from antecede.patent.links import espacenet_link, google_link
from antecede.report.display_text import NAME_LENGTH, clean, clean_id, clean_name, clean_title, make_labels
from antecede.report.figures import FIGURES
from antecede.report.page import PageTable, embed_figure, make_table
from antecede.tables import Table, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from antecede.report.results import ReportPart

    Ints = NDArray[np.int64]
    HeaviestTerms = Mapping[str, tuple[tuple[tuple[str, float], ...], int]]
    """Topic → the heaviest terms of its query with their weights, and the number of all its terms."""

STEPS = 10**6
"""Scores of topics are rounded to so many steps between 0 and 1; scores that are then equal count as equal."""
NEVER, NONE = 2**62, -(2**62)
"""Stand-ins among the steps for ∞ and for a topic that is not evaluated."""
TOPICS_PER_BLOCK = 50
MAX_TERMS, MIN_TERMS = 40, 5
"""Terms shown per query, in descending order of weight."""
TERM_BUDGET = 1_000_000
"""Terms in all queries of a part: with many runs and topics, fewer are shown per query."""


def make_topics(part: ReportPart, anchor: str) -> dict[str, Any]:
    """The section on the topics of a part; `measure` is that of the static tables."""
    measures, baseline = part.topic_measures, part.baseline_run
    caption = "Number of relevant documents per topic"
    figure = part.figures.get("relevant_per_topic") or FIGURES["relevant_per_topic"](part.ranks)
    return {
        "measure": str(part.scores.measures[measures[0]]) if measures else "",
        "baseline": clean_name(part.scores.runs[baseline]) if baseline is not None else "",
        "tallies": sorted(_tally_topics(part), key=lambda tally: tally["lost"] - tally["won"]),
        "table": _make_topics_table(part),
        "figure": embed_figure(figure, f"{anchor}-relevant", caption),
        "blocks": _make_blocks(part, anchor),
    }


def _tally_topics(part: ReportPart) -> list[dict[str, Any]]:
    """For each run but the baseline: topics won, equal and lost, by the first per-topic measure."""
    at, measures = part.baseline_run, part.topic_measures
    if at is None or not measures:
        return []
    scores = _round_scores(part, measures[0])
    tallies = []
    for run, name in enumerate(part.scores.runs):
        if run != at:
            known = (scores[run] != NONE) & (scores[at] != NONE)
            ahead = part.direction(measures[0]) * np.sign(scores[run] - scores[at])[known]
            won, lost, topics = int((ahead > 0).sum()), int((ahead < 0).sum()), len(ahead)
            counts = {"won": won, "equal": topics - won - lost, "lost": lost, "topics": max(topics, 1)}
            tallies.append({"run": clean_name(name), **counts})
    return tallies


def _make_topics_table(part: ReportPart) -> PageTable:
    """One row per topic: relevant documents, the best run's score, the baseline's, and the difference."""
    best_run, baseline, measures = part.best_run, part.baseline_run, part.topic_measures
    names, relevant = part.ranks.relevant_per_topic()
    values = part.scores.values[measures[0]] if measures else np.full((len(part.scores.runs), len(names)), np.nan)
    best = values[best_run]
    columns: list[str] = ["topic", "title", "relevant", clean_name(part.scores.runs[best_run])]
    rows: list[tuple[Value, ...]] = []
    for t, name in enumerate(names):
        row: list[Value] = [name, clean_title(part.titles.get(name, "")), int(relevant[t]), float(best[t])]
        if baseline is not None and baseline != best_run:
            base = float(values[baseline, t])
            row += [base, float(best[t]) - base if np.isfinite(best[t] - base) else None]
        rows.append(tuple(row))
    if baseline is not None and baseline != best_run:
        columns += [clean_name(part.scores.runs[baseline]), "difference"]
    measure = part.scores.measures[measures[0]] if measures else ""
    caption = f"Topics{f', scores by {measure}' if measure else ''}"
    return make_table(Table(tuple(columns), tuple(rows)), caption=caption, max_rows=10**9, sortable=False)


def _make_blocks(part: ReportPart, anchor: str) -> dict[str, str]:
    blocks: dict[str, Any] = {"list": _list_topics(part)}
    blocks |= {f"scores-{place}": _list_scores(part, measure) for place, measure in enumerate(part.topic_measures)}
    queries = _find_heaviest_terms(part)
    topics = range(len(part.ranks.topics))
    for number, first in enumerate(topics[::TOPICS_PER_BLOCK]):
        blocks[f"topics-{number}"] = _list_details(part, queries, topics[first : first + TOPICS_PER_BLOCK])
    return {f"{anchor}-{name}": pack(data) for name, data in blocks.items()}


def pack(data: Any) -> str:
    """The data as deflated JSON in base64."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    deflater = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return b64encode(deflater.compress(text.encode()) + deflater.flush()).decode()


def _list_topics(part: ReportPart) -> dict[str, Any]:
    measures, scores = part.topic_measures, part.scores
    _, relevant = part.ranks.relevant_per_topic()
    totals = scores.totals[0] * -part.direction(0)
    return {
        "runs": make_labels(scores.runs, NAME_LENGTH),
        "order": np.argsort(totals, kind="stable").tolist(),
        "best": part.best_run,
        "baseline": part.baseline_run,
        "measures": [str(scores.measures[at]) for at in measures],
        "lower": [part.direction(at) < 0 for at in measures],
        "open": [bool(np.isinf(scores.measures[at].definition.bounds).any()) for at in measures],
        "steps": STEPS,
        "block": TOPICS_PER_BLOCK,
        "topics": [clean_id(topic) for topic in part.ranks.topics],
        "titles": [clean_title(part.titles.get(topic, "")) for topic in part.ranks.topics],
        "relevant": relevant.tolist(),
    }


def _round_scores(part: ReportPart, measure: int) -> Ints:
    """int64[runs, topics]: scores as numbers of steps, `NONE` where not evaluated, `NEVER` for ∞."""
    values = part.scores.values[measure]
    known = np.where(np.isfinite(values), values, 0.0)
    steps: Ints = np.rint(known * STEPS).astype(np.int64)
    steps[np.isnan(values)] = NONE
    steps[np.isinf(values)] = NEVER
    return steps


def _list_scores(part: ReportPart, measure: int) -> list[list[int | str | None]]:
    """One row per run: its score for each topic in steps; None where not evaluated, `never` for ∞."""
    special: Mapping[int, str | None] = {NONE: None, NEVER: "never"}
    rows = _round_scores(part, measure)
    return [
        row if known.all() else [special.get(value, value) for value in row]
        for row, known in zip(rows.tolist(), np.abs(rows) < NEVER, strict=True)
    ]


def _list_details(part: ReportPart, queries: list[HeaviestTerms], chosen: range) -> dict[str, Any]:
    """The documents and queries of some topics; the terms of all their queries are listed once."""
    words: dict[str, int] = {}
    topics = [list_documents(part, topic) | _list_queries(queries, part.ranks.topics[topic], words) for topic in chosen]
    return {"words": [clean(word) for word in words], "topics": topics}


def list_documents(part: ReportPart, topic: int) -> dict[str, Any]:
    """The relevant documents of a topic, the highest grades first, and their ranks in each run."""
    ranks = part.ranks.ranks
    places = np.arange(ranks.offsets[topic], ranks.offsets[topic + 1])
    kept = ranks.relevance[places] >= 1
    if ranks.copies is not None:
        kept &= ~ranks.copies[places]
    places = places[kept]
    grades = ranks.relevance[places]
    places = places[np.argsort(-grades, kind="stable")]
    names = part.ranks.doc_ids.gather(places).to_list()
    documents = {
        "docs": [clean_id(name) for name in names],
        "grades": ranks.relevance[places].tolist(),
        "ranks": ranks.ranks[:, places].tolist(),
        "silent": np.flatnonzero(ranks.retrieved[:, topic] == 0).tolist(),
    }
    titles = [clean_title(part.titles.get(name, "")) for name in names]
    links = [link_document(name) if name in part.titles else None for name in names]
    return documents | ({"titles": titles} if any(titles) else {}) | ({"links": links} if any(links) else {})


def link_document(doc_id: str) -> list[str] | None:
    """The pages of Espacenet and Google Patents about a patent; None for any other name."""
    number = PatentNumber.parse_name(doc_id)
    if number is None:
        return None
    kinds = (number.kind,) if number.kind else ()
    return [espacenet_link(number, kinds), google_link(number, kinds)]


def _find_heaviest_terms(part: ReportPart) -> list[HeaviestTerms]:
    most = limit_terms(len(part.ranks.runs), len(part.ranks.topics))
    return [
        {topic: (tuple(islice(terms.items(), most)), len(terms)) for topic, terms in part.queries(run).items()}
        for run in part.ranks.runs
    ]


def _list_queries(by_run: list[HeaviestTerms], topic: str, words: dict[str, int]) -> dict[str, Any]:
    """The distinct queries of a topic, and the index of each run's query; −1 where it has none."""
    distinct: dict[Any, int] = {}
    which = [distinct.setdefault(queries[topic], len(distinct)) if topic in queries else -1 for queries in by_run]
    if not distinct:
        return {}
    listed = [
        [
            [words.setdefault(term, len(words)) for term, _ in terms],
            [float(f"{weight:.3g}") for _, weight in terms],
            count,
        ]
        for terms, count in distinct
    ]
    return {"queries": listed, "query": which}


def limit_terms(runs: int, topics: int) -> int:
    """The number of terms shown per query."""
    return max(MIN_TERMS, min(MAX_TERMS, TERM_BUDGET // max(runs * topics, 1)))
