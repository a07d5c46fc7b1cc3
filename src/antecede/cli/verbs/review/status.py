"""antecede review status"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antecede.cli.bundles import DisplayOptions, verb
from antecede.cli.outputs import Output
from antecede.cli.review_loop import ReviewFolder


@verb(
    "antecede review status case1",
    "antecede review status case1 --qrels case1.qrels --figure case1.svg",
    "antecede review status case1 --estimator poisson --json",
)
def status(
    *,
    review: ReviewFolder,
    estimator: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ESTIMATOR",
            help="An estimator of the number of relevant documents; may be repeated.",
            show_default="all that the reading allows",
        ),
    ] = None,
    qrels: Annotated[
        Path | None,
        typer.Option(metavar="FILE.txt", help="Write the marks as qrels, which can be read back without loss."),
        Output("marks"),
    ] = None,
    showing: DisplayOptions,
) -> None:
    """Show how far a review is: what is read and found, and how many relevant documents there may be.

    It may be called while another process marks documents.
    """
    from antecede.review.estimators import parse_estimator
    from antecede.review.session import Review
    from antecede.review.status import review_status

    showing.check()
    chosen = [parse_estimator(each) for each in estimator or ()] or None
    with Review.open(review, writing=False) as opened:
        found = review_status(opened, chosen)
        if qrels is not None:
            opened.marks.write_qrels(qrels)
    showing.show(found, *found.tables())
