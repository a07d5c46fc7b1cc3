"""From the words of the command line to a rank table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.cli.options import OnDuplicates, OnMalformed, OnTies
from antecede.cli.output import progress
from antecede.errors import UsageError, shown

if TYPE_CHECKING:
    from pathlib import Path

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

    if is_rank_table(qrels) or (not runs and qrels.endswith(".npz")):
        if runs:
            raise UsageError(f"{qrels}: is a rank table, which holds its runs already; give it alone")
        if (duplicates, malformed, ties, depth) != (OnDuplicates.error, OnMalformed.error, OnTies.docid, None):
            raise UsageError(
                f"{qrels}: is a rank table, made already; give --duplicates, --malformed, --ties and --depth "
                "where it is saved"
            )
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


def is_score_table(path: str, runs: list[str] | None) -> bool:
    """Whether a file given alone must be a table of scores, since it is no saved rank table."""
    from antecede.evaluation.saved import is_rank_table

    return not runs and not is_rank_table(path) and not path.endswith(".npz")


def numbers(text: str, option: str) -> list[float]:
    """The numbers of an option that takes several, separated by commas."""
    found = []
    for part in text.split(","):
        try:
            found.append(float(part))
        except ValueError:
            raise UsageError(f"{option}: {shown(part.strip())!r} is not a number; write them as in 10,20,50") from None
    return found


def check_figure(path: Path | None) -> None:
    """Refuse a figure of a kind that cannot be drawn, before any work is done."""
    if path is not None:
        from antecede.report.figures import kind_of

        kind_of(path)
