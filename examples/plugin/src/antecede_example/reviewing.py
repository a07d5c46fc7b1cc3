"""An estimator of how much there is to find, and a rule of when to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.registry import Count
from antecede.review.estimators import Bounds, estimator
from antecede.review.stopping import Decision, stopping_rule

if TYPE_CHECKING:
    from antecede.review.reading import Reading


@estimator("doubled", cite="an example", assumption="half of the relevant documents are found")
def doubled(reading: Reading) -> Bounds:
    """Twice the relevant documents that are found.

    N = 2 f
    """
    count = float(reading.relevant.sum())
    return Bounds(2 * count, count, float(reading.documents))


@stopping_rule("two_pages", cite="an example")
def two_pages(reading: Reading, target: float, *, page: Count = 10) -> Decision:
    """Two pages: stop after two pages of documents, whatever they were."""
    return Decision(reading.read >= 2 * page, f"{reading.read} documents are read, {2 * page} were planned")
