"""The topics that a calibration is made from: of an index, by its own citations or by judgements; or of a run."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError, shown
from antecede.review.batches import LearningSettings
from antecede.review.feedback import ACTIVE, FEEDBACK, STATIC
from antecede.review.judged_readings import JudgedReadings, read_judged, read_to_the_end
from antecede.review.judged_topics import IndexTopics, JudgedTopics

if TYPE_CHECKING:
    from collections.abc import Callable

    from antecede.corpus.topics import Origin
    from antecede.review.feedback import ReviewTopic
    from antecede.search import SearchSettings


def calibration_readings(
    source: str,
    topics: str | None,
    qrels: str | None,
    settings: SearchSettings | None = None,
    *,
    feedback: str = STATIC,
    citations: Origin = "fields",
    most: int = 300,
    rel: int = 1,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[JudgedReadings, str]:
    """The readings to calibrate on, the earliest topic first, and the ranking in words.

    Args:
        source: The folder of an index, or a file of judgements.
        topics: With an index, the topics (by default, patents of the index that cite others of it); with judgements,
            the run.
        qrels: With topics of an index, their judgements.
        settings: The search settings of the ranking.
        feedback: How the order of reading changes with what is found.
        citations: Where the citations of an index are taken from.
        most: Of more topics, so many are drawn at random.
        rel: The lowest grade that counts as relevant.
        seed: The random seed of that draw and of active learning.
        progress: Called with the number of topics done and of all.
    """
    if feedback not in FEEDBACK:
        raise UsageError(f"{shown(feedback)!r} is not a kind of feedback; choose {', '.join(FEEDBACK)}")
    if Path(source).is_dir():
        return readings_of_index(
            source, topics, qrels, settings, feedback=feedback, citations=citations, most=most, seed=seed,
            progress=progress,
        )  # fmt: skip
    if topics is None:
        raise UsageError("judgements need a run: give RUN after QRELS, or the folder of an index alone")
    if qrels is not None:
        raise UsageError("give either INDEX TOPICS QRELS or QRELS RUN")
    if feedback != STATIC:
        raise UsageError(f"a run is read in its own order; feedback {feedback} needs an index")
    judged = read_judged(source, topics, rel=rel)
    return draw_readings(judged, most, seed), f"run {Path(topics).name}"


def draw_readings(judged: JudgedReadings, most: int, seed: int) -> JudgedReadings:
    """So many of the readings at random, in their order; all where there are no more."""
    if len(judged) <= most:
        return judged
    chosen = np.sort(np.random.default_rng(seed).choice(len(judged), most, replace=False))
    left = len(judged) - most
    return JudgedReadings(tuple(judged.readings[at] for at in chosen.tolist()), {**judged.dropped, "not drawn": left})


def readings_of_index(
    folder: str,
    topics: str | None,
    qrels: str | None,
    settings: SearchSettings | None,
    *,
    feedback: str,
    citations: Origin,
    most: int,
    seed: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[JudgedReadings, str]:
    """The readings of topics that are searched for in an index."""
    from antecede.engine import open_index
    from antecede.learning import collect_topics

    index = open_index(folder)
    found = collect_topics(index, topics, qrels, citations=citations, most=most, seed=seed)
    patents = {
        each.doc_id: each for each in sorted(found.patents, key=lambda each: (each.date or date.min, each.doc_id))
    }
    maker = IndexTopics(index, settings, learning=LearningSettings(seed=seed), vectors=feedback == ACTIVE)

    def make(topic_id: str) -> ReviewTopic:
        return maker.topic(patents[topic_id], found.relevant[topic_id])

    name = getattr(maker.settings, "name", "")
    judged = read_to_the_end(JudgedTopics([*patents], make), feedback, progress)
    return judged, f"{name or 'search'}, {feedback}"
