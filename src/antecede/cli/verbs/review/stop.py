"""antecede review stop"""

from __future__ import annotations

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.options import Style
from antecede.cli.review_loop import ReviewFolder, Rules, Target


@verb(
    "antecede review stop case1",
    "antecede review stop case1 --rule knee --rule 'misses(n=50)' --target 0.8 --json",
)
def stop(
    *,
    review: ReviewFolder,
    rule: Rules = None,
    target: Target = 0.95,
    json: options.Json = False,
    format_: options.Format = Style.text,
) -> None:
    """Ask stopping rules whether to stop reading: exit code 0 to stop, 1 to go on; of several rules, all must agree."""
    from antecede.cli.output import show_json, show_table
    from antecede.review.session import Review
    from antecede.review.status import decide_stop, shorten_paths
    from antecede.tables import Table

    with Review.open(review, writing=False) as opened:
        decisions = decide_stop(opened, rule or (), target)
        read, found = opened.reading().read, opened.reading().found
    if json:
        rules = {name: {"stop": each.stop, "reason": each.reason} for name, each in decisions.items()}
        agreed = all(each.stop for each in decisions.values())
        show_json({"stop": agreed, "target": target, "read": read, "relevant": found, "rules": rules})
    else:
        answers = {True: "stop", False: "go on"}
        rows = tuple((shorten_paths(name), answers[each.stop], each.reason) for name, each in decisions.items())
        note = f"{read} read, {found} relevant; target: {100 * target:g} % recall"
        show_table(Table(("rule", "decision", "because"), rows, notes=(note,)), format_)
    if not all(each.stop for each in decisions.values()):
        raise typer.Exit(1)
