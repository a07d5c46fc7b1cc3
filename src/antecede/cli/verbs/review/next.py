"""antecede review next"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.review_loop import ReviewFolder, User
from antecede.ranges import COUNT


@verb(
    "antecede review next case1",
    "antecede review next case1 -n 10",
    "antecede review next case1 --json",
)
def next_(
    *,
    review: ReviewFolder,
    number: Annotated[
        int | None,
        typer.Option("-n", "--number", **COUNT.bounds, help="Only show the next N documents; ask nothing."),
    ] = None,
    passages: Annotated[
        int, typer.Option(min=0, max=100, help="How many of the best passages are shown of each document.")
    ] = 3,
    user: User = None,
    json: options.Json = False,
) -> None:
    """Show the next document with its best passages, and ask: r relevant, m maybe, n not relevant.

    Every answer is saved before the next document is shown. Answers are read from standard input, one per line; a note
    may follow the letter. s postpones a document, b goes back to the last one, q or the end of the input ends.
    """
    from antecede.cli.output import show_json
    from antecede.cli.review_loop import ask_marks, describe_next, list_next
    from antecede.review.session import Review

    if json:
        with Review.open(review, writing=False) as opened:
            show_json(describe_next(opened, number or 1, passages))
    elif number is not None:
        with Review.open(review, writing=False) as opened:
            list_next(opened, number, passages)
    else:
        with Review.open(review) as opened:
            ask_marks(opened, passages, user)
