"""Decisions of an earlier screening, which came with the records, as marks of a case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.corpus.labels import IRRELEVANT, RELEVANT, Decision, read_decision
from antecede.engine import read_record
from antecede.review.marks import NOT, Mark, current_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.engine import Engine
    from antecede.patent import Patent
    from antecede.review.case import Review

_TITLES = 20
"""Relevant records whose titles describe what is sought, where nobody says it."""


def _decided(index: Engine) -> Iterator[tuple[Patent, Decision]]:
    """The records of an index with a decision, what was known before the screening first."""
    decided = []
    for number in range(index.documents):
        patent = read_record(index, number)
        if (decision := read_decision(patent.original)) is not None:
            decided.append((patent, decision))
    yield from sorted(decided, key=lambda pair: not pair[1].prior)


def topic_of_decisions(index: Engine) -> str | None:
    """What is sought in words, from the titles of the records that are relevant; None if there is none."""
    titles = [next(iter(patent.title.values()), "") for patent, decision in _decided(index)
              if decision.relevance == RELEVANT]  # fmt: skip
    return "\n".join(filter(None, titles[:_TITLES])) or None


def import_decisions(index: Engine, review: Review) -> int:
    """Mark the documents of a case as their records say; returns how many."""
    known = {*review.doc_ids}
    marks = [
        Mark(
            patent.doc_id,
            NOT if decision.relevance == IRRELEVANT else decision.relevance,
            note="prior knowledge" if decision.prior else "",
            time=current_time(),
        )
        for patent, decision in _decided(index)
        if patent.doc_id in known
    ]
    review.add(marks)
    return len(marks)
