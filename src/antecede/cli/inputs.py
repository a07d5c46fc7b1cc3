"""From the words of the command line to a rank table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.cli.output import progress
from antecede.errors import UsageError

if TYPE_CHECKING:
    from antecede.cli.options import OnDuplicates, OnMalformed, OnTies
    from antecede.evaluation import RankTable


def table_from(
    qrels: str,
    runs: list[str] | None,
    *,
    duplicates: OnDuplicates,
    malformed: OnMalformed,
    ties: OnTies,
    depth: int | None,
    quiet: bool,
) -> RankTable:
    """Read qrels and runs, or a saved rank table given in place of both."""
    from antecede.evaluation import RankTable, rank_table
    from antecede.evaluation.saved import is_rank_table

    if is_rank_table(qrels):
        if runs:
            raise UsageError(f"{qrels}: is a rank table, which holds its runs already; give it alone")
        return RankTable.load(qrels)
    if not runs:
        raise UsageError("no run is given; name one or more behind the qrels")
    if [qrels, *runs].count("-") > 1:
        raise UsageError("standard input can only be read once; give - for one file")
    with progress("reading runs", quiet=quiet) as report:
        return rank_table(
            qrels,
            runs,
            duplicates=duplicates.value,
            malformed=malformed.value,
            ties=ties.value,
            depth=depth,
            progress=report,
        )
