"""antecede correlate"""

from __future__ import annotations

from antecede.cli.bundles import DisplayOptions, ReadOptions, ScoreOptions, verb


@verb(
    "antecede correlate qrels.txt runs/*.gz -m AP@1000,R@1000,PRES@1000",
    "antecede correlate scores.csv",
    "antecede evaluate qrels.txt runs/*.gz --format csv | antecede correlate -",
)
def correlate(*, scoring: ScoreOptions, reading: ReadOptions, showing: DisplayOptions) -> None:
    """Show how similarly measures order the same runs: Kendall's τ-b, τ_AP, Spearman's ρ and Pearson's r.

    In place of qrels and runs it takes a table of scores: one line per run, its name first, and the names of the
    measures in the first line.
    """
    from antecede.cli.inputs import check_score_table, is_score_table
    from antecede.comparison import correlate, read_score_table

    showing.check()
    if is_score_table(reading):
        check_score_table(reading, scoring)
        result = correlate(read_score_table(reading.qrels).select(scoring.measures))
    else:
        result = correlate(scoring.scores(reading))
    showing.show(result, result.table())
