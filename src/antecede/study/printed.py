"""Figures as two papers print them, each with the digits that stand there.

PRES: W. Magdy and G. J. F. Jones: PRES: a score metric for evaluating recall-oriented information retrieval
applications. SIGIR 2010. Its table 4 is in `clefip2009`. Robustness: the same: Examining the robustness of evaluation
metrics for patent retrieval with incomplete relevance judgements. CLEF 2010. PRES-a is the earlier paper on PRES by the
same, at AsPIRe 2010.
"""

from __future__ import annotations

from typing import NamedTuple

PRES, ROBUSTNESS = "Magdy & Jones, PRES, SIGIR 2010", "Magdy & Jones, Robustness, CLEF 2010"


class Ranking(NamedTuple):
    """One ranking: the ranks of the relevant documents, how many there are, and the scores printed for it."""

    name: str
    found: tuple[int, ...]
    relevant: int
    scores: dict[str, str]


def printed_as(measures: tuple[str, ...], texts: str) -> dict[str, str]:
    return dict(zip(measures, texts.split(), strict=True))


TABLE_1_MEASURES = ("AP@100", "R@100", "F@100", "Fprime@100", "Fprime(beta=4)@100")
SYSTEM_2 = "0.0481 1 0.0769 0.0917 0.462"

TABLE_1 = (
    Ranking("System 1", (1,), 4, printed_as(TABLE_1_MEASURES, "0.25 0.25 0.0192 0.25 0.25")),
    Ranking("System 2", (50, 51, 52, 53), 4, printed_as(TABLE_1_MEASURES, SYSTEM_2)),
    Ranking("System 2 as printed", (50, 51, 53, 54), 4, printed_as(TABLE_1_MEASURES, SYSTEM_2)),
    Ranking("System 3", (1, 2, 3, 4), 4, printed_as(TABLE_1_MEASURES, "1 1 0.0769 1 1")),
    Ranking("System 4", (1, 98, 99, 100), 4, printed_as(TABLE_1_MEASURES, "0.2727 1 0.0769 0.429 0.864")),
)

TABLE_2_MEASURES = ("AP@100", "R@100", "PRES@100")
TABLE_2 = tuple(
    Ranking(system.name, system.found, system.relevant, printed_as(TABLE_2_MEASURES, texts))
    for system, texts in zip(
        TABLE_1,
        ("0.25 0.25 0.25", "0.0481 1 0.51", "0.0481 1 0.51", "1 1 1", "0.2727 1 0.28"),
        strict=True,
    )
)

TABLE_3_MEASURES = ("R@1000", "AP@1000", "PRES@1000")
TABLE_3 = (
    Ranking("Topic 1", (98, 296), 41, printed_as(TABLE_3_MEASURES, "0.05 ~0 0.039")),
    Ranking("Topic 2", (23, 272, 345), 6, printed_as(TABLE_3_MEASURES, "0.5 0.01 0.394")),
    Ranking("Topic 3", (2, 517, 761), 6, printed_as(TABLE_3_MEASURES, "0.5 0.085 0.288")),
    Ranking("Topic 4", (660, 741), 3, printed_as(TABLE_3_MEASURES, "0.667 0.001 0.201")),
    Ranking("Topic 5", (41, 54), 3, printed_as(TABLE_3_MEASURES, "0.667 0.021 0.636")),
    Ranking("Topic 6", (1, 781), 3, printed_as(TABLE_3_MEASURES, "0.667 0.334 0.407")),
    Ranking("Topic 7", (1, 33, 354, 548, 733, 840, 841), 7, printed_as(TABLE_3_MEASURES, "1 0.157 0.525")),
    Ranking("Topic 8", (32, 35, 46), 3, printed_as(TABLE_3_MEASURES, "1 0.051 0.964")),
)

WITHIN_100 = Ranking("Topic 8, first 100 only", (32, 35, 46), 3, {"PRES@100": "0.6433"})
"""Section 6.1: the last topic of table 3 with another cut-off."""

CORRELATIONS: dict[tuple[str, str], dict[str, str]] = {
    ("MAP", "Recall"): {"kendall": "0.56", "spearman": "0.71"},
    ("Recall", "PRES"): {"kendall": "0.87", "spearman": "0.97"},
    ("MAP", "PRES"): {"kendall": "0.66", "spearman": "0.82"},
}
"""Of table 4: Kendall's τ in PRES; in PRES-a figures that are called a correlation and are Spearman's ρ."""

ROBUSTNESS_MEASURES = ("AP@100", "R@100", "PRES@100", "AP@1000", "R@1000", "PRES@1000")
ROBUSTNESS_KEEP = (0.2, 0.4, 0.6, 0.8)

ROBUSTNESS_SAMPLES: tuple[tuple[tuple[str, ...], ...], ...] = (
    (
        ("0.50", "0.94", "0.94", "0.58", "0.93", "0.93"),
        ("0.71", "0.88", "0.92", "0.70", "0.92", "0.89"),
        ("0.59", "0.90", "0.90", "0.66", "0.90", "0.90"),
    ),
    (
        ("0.93", "0.92", "0.93", "0.76", "0.96", "0.96"),
        ("0.71", "0.93", "0.93", "0.87", "0.95", "0.93"),
        ("0.75", "0.91", "0.92", "0.84", "0.94", "0.92"),
    ),
    (
        ("0.66", "0.95", "0.96", "0.82", "0.98", "0.98"),
        ("0.66", "0.95", "0.97", "0.82", "0.98", "0.97"),
        ("0.65", "0.96", "0.96", "0.90", "0.97", "0.98"),
    ),
    (
        ("0.79", "0.96", "0.97", "0.96", "0.98", "0.98"),
        ("0.94", "0.97", "0.99", "0.94", "0.97", "0.98"),
        ("0.75", "0.98", "0.98", "0.84", "0.98", "0.99"),
    ),
)
"""Table 1 of Robustness: levels × samples × measures."""

ROBUSTNESS_AVERAGES: tuple[tuple[str, ...], ...] = (
    ("0.60", "0.90", "0.92", "0.65", "0.92", "0.91"),
    ("0.79", "0.92", "0.93", "0.82", "0.95", "0.94"),
    ("0.66", "0.95", "0.97", "0.85", "0.98", "0.97"),
    ("0.83", "0.97", "0.98", "0.91", "0.98", "0.98"),
)
"""The rows of averages in the same table."""
