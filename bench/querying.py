"""From a patent to a query: what each method costs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bench.evaluation import program
from bench.indexing import OURS, provided, texts
from bench.measuring import ChildFailedError, measure
from bench.section import Section, Table, tell

if TYPE_CHECKING:
    from bench.section import Options

TOPICS, ROUNDS = 40, 3
PAPERS = ("full", "uft", "tf", "tfidf", "bm25", "lm", "lmipc", "qr")
GOAL = 100
TITLE = "Query making: from a patent to weighted terms"


def run(options: Options) -> Section:
    """The query part of the bench."""
    index = provided(OURS, options.documents, options.seed)
    tell(f"making queries for {options.documents:,} documents")
    topics = texts(options.documents, options.seed).topics
    work = (
        f"{options.documents:,} documents with IPC, {TOPICS} topics of 1,500 words that are not among them, one "
        f"thread; the best of {ROUNDS} rounds for each topic, the mean over topics."
    )
    try:
        told = json.loads(measure(program("query_making.py", str(index), topics, str(TOPICS), str(ROUNDS))).output)
    except ChildFailedError as error:
        return Section(TITLE, work, (), wrong=(f"query making failed: {error}",))
    text = told.pop("text")["make"]
    rows = tuple((name, f"{of['terms']:.0f}", f"{of['make']:.2f}", f"{of['search']:.2f}") for name, of in told.items())
    total = text + sum(told[name]["make"] for name in PAPERS)
    goal = (
        "all eight methods of the papers less than 100 ms a topic",
        f"{total:.1f} ms",
        "yes" if total < GOAL else "no",
    )
    return Section(
        TITLE,
        work,
        (
            Table(("method", "terms", "make, ms", "search, ms"), rows),
            Table(("goal", "measured", "met"), (goal,), "Goal, set for 100,000 documents"),
        ),
        (f"To read and count the text of a topic takes {text:.2f} ms, once for all methods; it is in the sum.",),
    )
