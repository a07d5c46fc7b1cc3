"""The figure of a review: a long name of an estimator leaves room for the curve."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from antecede.report.figures.reviews import discovery
from antecede.review.session import Review, ReviewPlan
from antecede.review.status import review_status

if TYPE_CHECKING:
    from pathlib import Path


def test_a_path_in_the_name_of_an_estimator_is_not_drawn(tmp_path: Path) -> None:
    with Review.start(tmp_path / "r", ReviewPlan("T"), ["a", "b", "c"]) as review:
        review.mark("a", "relevant")
        review.mark("b", "not")
        status = review_status(review)
    (known,) = status.estimates.values()
    sheet = discovery(replace(status, estimates={f"calibrated(file={'/long' * 20}/c.json)": known, "poisson": known}))
    (axes,) = sheet.axes
    assert [each.get_text().split(" ")[0] for each in axes.texts] == ["calibrated(…)", "poisson"]
