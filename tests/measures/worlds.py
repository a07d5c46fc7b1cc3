"""Small made-up evaluations for property tests: rankings of judged and unjudged documents, and the table they give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from antecede.measures import MEASURES, Measure, MeasureDefinition, Ranks, parse_measure

UNPOOLED = None
"""The relevance of a document that is not in the qrels."""

Ranking = list[int | None]
"""The relevance of each retrieved document, best first."""


@dataclass(frozen=True)
class Topic:
    """One topic: what was retrieved, and the relevance of judged documents that were not."""

    ranking: Ranking
    unfound: list[int]

    @property
    def relevance(self) -> list[int]:
        return [*(grade for grade in self.ranking if grade is not None), *self.unfound]


def table_of(*topics: Topic) -> Ranks:
    """The ranks of one run."""
    ranks: list[int] = []
    relevance: list[int] = []
    offsets = [0]
    for topic in topics:
        found = [(at, grade) for at, grade in enumerate(topic.ranking, 1) if grade is not None]
        ranks += [at for at, _ in found] + [0] * len(topic.unfound)
        relevance += [grade for _, grade in found] + topic.unfound
        offsets.append(len(ranks))
    return Ranks(
        np.array([ranks], np.int32).reshape(1, -1),
        np.array(relevance, np.int32),
        np.array(offsets),
        np.array([[len(topic.ranking) for topic in topics]], np.int32),
    )


grades = st.sampled_from([1, 1, 2, 3])
judgements = st.sampled_from([-1, 0, 0, 1, 1, 2, 3])


@st.composite
def topics(draw: st.DrawFn, longest: int = 25) -> Topic:
    """A topic with at least one document of the highest relevance, so that no measure leaves it out."""
    ranking = draw(st.lists(st.one_of(st.none(), judgements), max_size=longest))
    unfound = draw(st.lists(judgements, max_size=6))
    if draw(st.booleans()):
        ranking = [*ranking, 3]
    else:
        unfound = [*unfound, 3]
    return Topic(ranking, unfound)


VALUES: dict[str, list[str]] = {"cutoff": ["1", "5", "20"], "percent": ["50", "95", "100"], "recall": ["0", "0.5", "1"]}


def written(definition: MeasureDefinition) -> list[str]:
    """A measure with several values of what stands behind the @, and at two levels of relevance."""
    takes = {parameter.name: parameter for parameter in definition.parameters}
    inner = ["docs=5000"] if "docs" in takes else []
    behind = [f"@{value}" for value in VALUES[definition.at]] if definition.at else [""]
    if definition.at and not takes[definition.at].required:
        behind.append("")
    levels = [inner, [*inner, "rel=2"]] if "rel" in takes else [inner]
    brackets = [f"({','.join(level)})" if level else "" for level in levels]
    return [f"{definition.name}{inside}{at}" for inside in brackets for at in behind]


def every_measure() -> list[Measure]:
    return [parse_measure(text) for definition in MEASURES.values() for text in written(definition)]


def scores_of(measure: Measure, table: Ranks) -> list[float]:
    """The measure for each topic of the one run of a table."""
    return [float(value) for value in measure.score(table)[0]]
