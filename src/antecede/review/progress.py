"""How much of a case was found, in a searcher's words: the counts, the estimate that holds, and whether to go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.review import views
from antecede.review.estimators import ESTIMATORS
from antecede.review.reading import DEFAULT_TARGET
from antecede.review.status import MAKE_CALIBRATION, OTHER_ESTIMATES, decide_stop, review_status
from antecede.review.stopping import STOPPING_RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from antecede.registry import Definition
    from antecede.review.case import Review
    from antecede.review.estimators import Estimate

NAMES = {
    "calibrated": "Calibrated on this index",
    "general": "Calibrated on other collections",
    "audit": "Random sample",
    "quasi_sampling": "ranked quasi-sampling",
}
"""Names of estimators and rules for searchers; one that is not here is named by its own description."""


def make_progress(review: Review) -> views.Progress:
    """How much has been found."""
    given = str(review.workbench.calibration) if review.workbench.calibration is not None else None
    status = review_status(review, calibration=given)
    opened = len({*review.seen} - review.marks.current.keys())
    notes = [note for note in status.notes if not note.startswith(OTHER_ESTIMATES)]
    if review.workbench.calibration_note:  # instead of how to make one
        notes = [review.workbench.calibration_note if MAKE_CALIBRATION in note else note for note in notes]
    return views.Progress(
        read=sum(status.counts.values()),
        **status.counts,
        opened_unmarked=opened,
        documents=status.documents,
        unread=status.reading.unread,
        curve=[*enumerate(status.discovery().tolist())],
        estimates=list(view_estimates(status.estimates)),
        others=list(view_estimates(status.evidence.others)),
        advice=give_advice(review, given),
        notes=[*notes, *describe_reading(review, opened, review.index.state)],
    )


def view_estimates(estimates: Mapping[str, Estimate]) -> Iterator[views.EstimateView]:
    for name, estimate in estimates.items():
        definition = ESTIMATORS[name.partition("(")[0]]
        yield views.EstimateView(**{**estimate.as_dict(), "name": definition.name, "title": name_of(definition)})


def give_advice(review: Review, calibration: str | None) -> views.Advice:
    """Whether to go on reading, by one rule with its reason, and about how much further."""
    ((name, decision),) = decide_stop(review, calibration=calibration).items()
    definition = STOPPING_RULES[name.partition("(")[0]]
    rule = f"rule: {name_of(definition)}, {definition.cite}; target: {100 * DEFAULT_TARGET:g} % recall"
    rule += f"; it {decision.record}" if decision.record else ""
    reason = decision.reason if review.marks.current else "nothing is marked yet"
    return views.Advice(stop=decision.stop, rule=rule, reason=reason, more=decision.more)


def name_of(definition: Definition) -> str:
    """What an estimator or a rule is called: in a searcher's words, else the beginning of its description."""
    return NAMES.get(definition.name) or definition.summary.partition(":")[0]


def count_documents(count: int, one: str, many: str) -> str:
    return f"1 document {one}" if count == 1 else f"{count} documents {many}"


def describe_reading(review: Review, opened: int, state: str) -> Iterator[str]:
    if maybe := review.marks.counts["maybe"]:
        how = "relevant for the estimates" if review.plan.maybe else "read, but not relevant for the estimates"
        yield f"{count_documents(maybe, 'is', 'are')} marked maybe: {how}"
    if opened:
        yield f"{count_documents(opened, 'was', 'were')} opened and not marked, and not counted as read"
    if any(search.index_state not in ("", state) for search in review.searches):
        yield "some searches ran against another state of the index"
