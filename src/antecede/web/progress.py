"""How much has been found: reading counted, the curve of finds, estimates of the total with intervals, and advice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import AntecedeError
from antecede.review.case import Review
from antecede.review.estimators import ESTIMATORS, Estimator
from antecede.review.reading import DEFAULT_TARGET
from antecede.review.status import DEFAULT_RULE, usable_estimators
from antecede.review.stopping import STOPPING_RULES, StoppingRule, parse_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from antecede.registry import Definition
    from antecede.review.reading import Reading
    from antecede.review.store import CaseRow, SearchRow
    from antecede.web.workbench import Workbench

FEW = 10
"""Relevant documents below which the curve of finds says little about its continuation."""
FEWEST_READ = 20
"""Documents that must be read before the curve of finds is continued: a few points could be continued in any way."""


TITLES = {
    "calibrated": "Calibrated on this index",
    "chapman": "Overlap of the searches (capture–recapture)",
    "poisson": "Curve of finds (Poisson process)",
    "quasi_sampling": "ranked quasi-sampling",
}
"""Names of estimators and rules for searchers; one that is not here is named by its own description."""


def view_progress(workbench: Workbench, case: CaseRow) -> dict[str, Any]:
    """Counts, curve, estimates, advice, and what the index contains."""
    review = Review(workbench.store, case)
    marks, searches = review.marks, review.searches
    counts = marks.counts
    seen = {*workbench.store.seen(case.id)} - marks.current.keys()
    notes: list[str] = []
    reading = review.reading() if marks.current else None
    found = np.cumsum(reading.relevant).tolist() if reading is not None else []
    calibration = suitable_calibration(workbench, searches)
    estimates = list(make_estimates(calibration, reading, notes)) if reading is not None else []
    if reading is not None and calibration is None:
        notes.append(describe_absence(workbench))
    return {
        "read": len(marks.current),
        **counts,
        "opened_unmarked": len(seen),
        "curve": [(0, 0), *enumerate(found, 1)],
        "estimates": estimates,
        "advice": give_advice(calibration, reading),
        "coverage": workbench.coverage.to_dict(),
        "notes": [*notes, *describe_reading(review, len(seen), workbench.state)],
    }


def suitable_calibration(workbench: Workbench, searches: Sequence[SearchRow]) -> Path | None:
    """The calibration, unless feedback has changed the order of reading: it was made without."""
    return None if any(each.kind == "feedback" for each in searches) else workbench.calibration


def describe_absence(workbench: Workbench) -> str:
    """Why no calibration is used."""
    if workbench.calibration is None:
        return "`antecede review calibrate` adds an estimate for this index that also holds where little is found"
    return (
        "the calibration is not used: it holds for reading without feedback, and this case has a search with feedback"
    )


def make_estimates(calibration: Path | None, reading: Reading, notes: list[str]) -> Iterator[dict[str, Any]]:
    """What each estimator says that needs nothing that the reading lacks; the calibrated one first, if there is one."""
    estimators = sorted(usable_estimators(reading), key=lambda each: each.definition.needs == "ranking")
    if reading.read < FEWEST_READ or reading.found < FEW:
        estimators = [each for each in estimators if each.definition.needs != "ranking"]
        notes.append(
            f"the curve of finds gives no estimate yet: it needs {FEW} relevant documents and {FEWEST_READ} read"
        )
    if calibration is not None:
        estimators.insert(0, Estimator(ESTIMATORS["calibrated"], {"file": str(calibration)}))
    for each in estimators:
        try:
            found = each.estimate(reading)
        except AntecedeError as error:
            notes.append(f"{title_of(each.definition)}: no estimate, {error}")
            continue
        if found.low == found.high and not reading.complete:
            notes.append(f"{title_of(each.definition)}: no estimate, since one search found all that the others did")
            continue
        yield {
            "name": each.definition.name,
            "title": title_of(each.definition),
            "total": found.total,
            "low": found.low,
            "high": found.high,
            "level": found.level,
            "recall": found.recall,
            "assumes": found.assumption,
            "note": f"from {reading.found} relevant documents" if reading.found < FEW else "",
        }


def give_advice(calibration: Path | None, reading: Reading | None) -> dict[str, Any]:
    """Whether to go on reading, by one rule with its reason: the calibrated one, if there is a calibration."""
    rule = parse_rule(DEFAULT_RULE)
    if calibration is not None:
        rule = StoppingRule(STOPPING_RULES["calibrated"], {"file": str(calibration)})
    name = f"rule: {title_of(rule.definition)}, {rule.definition.cite}; target: {100 * DEFAULT_TARGET:g} % recall"
    if reading is None:
        return {"stop": False, "rule": name, "reason": "nothing is marked yet"}
    decision = rule.decide(reading, DEFAULT_TARGET)
    return {"stop": decision.stop, "rule": name, "reason": decision.reason}


def title_of(definition: Definition) -> str:
    """What an estimator or a rule is called: in a searcher's words, else the beginning of its description."""
    return TITLES.get(definition.name) or definition.summary.partition(":")[0]


def count_documents(count: int, one: str, many: str) -> str:
    """A number of documents with its verb."""
    return f"1 document {one}" if count == 1 else f"{count} documents {many}"


def describe_reading(review: Review, opened: int, state: str) -> Iterator[str]:
    """What the figures do and do not count."""
    if maybe := review.marks.counts["maybe"]:
        how = (
            "counted as relevant by the estimates" if review.plan.maybe else "read, but not relevant for the estimates"
        )
        yield f"{count_documents(maybe, 'is', 'are')} marked maybe: {how}"
    if opened:
        yield f"{count_documents(opened, 'was', 'were')} opened and not marked, and not counted as read"
    if any(search.index_state not in ("", state) for search in review.searches):
        yield "some searches ran against another state of the index"
