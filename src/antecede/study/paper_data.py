"""Values printed in the papers on PRES and on robustness, with the digits printed there.

PRES: W. Magdy and G. J. F. Jones: PRES: a score metric for evaluating recall-oriented information retrieval
applications. SIGIR 2010. Its table 4 lists the 48 runs of CLEF-IP 2009: 15 groups, 400 topics, lists of up to 1,000
documents. The runs themselves are not public, and the paper does not state which group submitted which run.

Robustness: W. Magdy and G. J. F. Jones: Examining the robustness of evaluation metrics for patent retrieval with
incomplete relevance judgements. CLEF 2010. PRES-a is their earlier paper on PRES, at AsPIRe 2010.
"""

from __future__ import annotations

from typing import NamedTuple

PRES, ROBUSTNESS = "Magdy & Jones, PRES, SIGIR 2010", "Magdy & Jones, Robustness, CLEF 2010"


class PaperRanking(NamedTuple):
    """One ranking: the ranks of the relevant documents, their number, and the scores printed for it."""

    name: str
    found: tuple[int, ...]
    relevant: int
    scores: dict[str, str]


def read_row(measures: tuple[str, ...], texts: str) -> dict[str, str]:
    """The printed scores of one row by measure."""
    return dict(zip(measures, texts.split(), strict=True))


TABLE_1_MEASURES = ("AP@100", "R@100", "F@100", "Fprime@100", "Fprime(beta=4)@100")
SYSTEM_2 = "0.0481 1 0.0769 0.0917 0.462"

TABLE_1 = (
    PaperRanking("System 1", (1,), 4, read_row(TABLE_1_MEASURES, "0.25 0.25 0.0192 0.25 0.25")),
    PaperRanking("System 2", (50, 51, 52, 53), 4, read_row(TABLE_1_MEASURES, SYSTEM_2)),
    PaperRanking("System 2 as printed", (50, 51, 53, 54), 4, read_row(TABLE_1_MEASURES, SYSTEM_2)),
    PaperRanking("System 3", (1, 2, 3, 4), 4, read_row(TABLE_1_MEASURES, "1 1 0.0769 1 1")),
    PaperRanking("System 4", (1, 98, 99, 100), 4, read_row(TABLE_1_MEASURES, "0.2727 1 0.0769 0.429 0.864")),
)

TABLE_2_MEASURES = ("AP@100", "R@100", "PRES@100")
TABLE_2 = tuple(
    PaperRanking(system.name, system.found, system.relevant, read_row(TABLE_2_MEASURES, texts))
    for system, texts in zip(
        TABLE_1,
        ("0.25 0.25 0.25", "0.0481 1 0.51", "0.0481 1 0.51", "1 1 1", "0.2727 1 0.28"),
        strict=True,
    )
)

TABLE_3_MEASURES = ("R@1000", "AP@1000", "PRES@1000")
TABLE_3 = (
    PaperRanking("Topic 1", (98, 296), 41, read_row(TABLE_3_MEASURES, "0.05 ~0 0.039")),
    PaperRanking("Topic 2", (23, 272, 345), 6, read_row(TABLE_3_MEASURES, "0.5 0.01 0.394")),
    PaperRanking("Topic 3", (2, 517, 761), 6, read_row(TABLE_3_MEASURES, "0.5 0.085 0.288")),
    PaperRanking("Topic 4", (660, 741), 3, read_row(TABLE_3_MEASURES, "0.667 0.001 0.201")),
    PaperRanking("Topic 5", (41, 54), 3, read_row(TABLE_3_MEASURES, "0.667 0.021 0.636")),
    PaperRanking("Topic 6", (1, 781), 3, read_row(TABLE_3_MEASURES, "0.667 0.334 0.407")),
    PaperRanking("Topic 7", (1, 33, 354, 548, 733, 840, 841), 7, read_row(TABLE_3_MEASURES, "1 0.157 0.525")),
    PaperRanking("Topic 8", (32, 35, 46), 3, read_row(TABLE_3_MEASURES, "1 0.051 0.964")),
)

WITHIN_100 = PaperRanking("Topic 8, first 100 only", (32, 35, 46), 3, {"PRES@100": "0.6433"})
"""Section 6.1: the last topic of table 3 with a different cut-off."""

DEPTH = 1000
"""Documents per list, and the cut-off of all three measures in table 4."""


class PaperRun(NamedTuple):
    """One run of table 4: mean average precision, mean recall and mean PRES, to three digits."""

    run: str
    map: float
    recall: float
    pres: float


TABLE_4: tuple[PaperRun, ...] = (
    PaperRun("R01", 0.077, 0.530, 0.434),
    PaperRun("R02", 0.087, 0.617, 0.499),
    PaperRun("R03", 0.084, 0.609, 0.497),
    PaperRun("R04", 0.053, 0.219, 0.213),
    PaperRun("R05", 0.000, 0.020, 0.011),
    PaperRun("R06", 0.000, 0.016, 0.009),
    PaperRun("R07", 0.000, 0.012, 0.007),
    PaperRun("R08", 0.000, 0.016, 0.009),
    PaperRun("R09", 0.071, 0.454, 0.369),
    PaperRun("R10", 0.088, 0.533, 0.430),
    PaperRun("R11", 0.087, 0.489, 0.404),
    PaperRun("R12", 0.088, 0.534, 0.430),
    PaperRun("R13", 0.065, 0.508, 0.406),
    PaperRun("R14", 0.068, 0.467, 0.363),
    PaperRun("R15", 0.064, 0.434, 0.348),
    PaperRun("R16", 0.020, 0.197, 0.148),
    PaperRun("R17", 0.067, 0.584, 0.463),
    PaperRun("R18", 0.033, 0.656, 0.490),
    PaperRun("R19", 0.105, 0.600, 0.529),
    PaperRun("R20", 0.003, 0.051, 0.040),
    PaperRun("R21", 0.266, 0.760, 0.691),
    PaperRun("R22", 0.028, 0.256, 0.200),
    PaperRun("R23", 0.087, 0.728, 0.603),
    PaperRun("R24", 0.011, 0.069, 0.054),
    PaperRun("R25", 0.064, 0.492, 0.392),
    PaperRun("R26", 0.084, 0.511, 0.431),
    PaperRun("R27", 0.097, 0.514, 0.447),
    PaperRun("R28", 0.091, 0.514, 0.442),
    PaperRun("R29", 0.082, 0.436, 0.373),
    PaperRun("R30", 0.092, 0.559, 0.469),
    PaperRun("R31", 0.081, 0.568, 0.460),
    PaperRun("R32", 0.078, 0.476, 0.391),
    PaperRun("R33", 0.085, 0.457, 0.379),
    PaperRun("R34", 0.082, 0.427, 0.354),
    PaperRun("R35", 0.114, 0.572, 0.496),
    PaperRun("R36", 0.108, 0.553, 0.480),
    PaperRun("R37", 0.114, 0.572, 0.494),
    PaperRun("R38", 0.107, 0.553, 0.479),
    PaperRun("R39", 0.113, 0.575, 0.498),
    PaperRun("R40", 0.107, 0.560, 0.483),
    PaperRun("R41", 0.079, 0.547, 0.447),
    PaperRun("R42", 0.103, 0.555, 0.466),
    PaperRun("R43", 0.091, 0.575, 0.475),
    PaperRun("R44", 0.091, 0.574, 0.474),
    PaperRun("R45", 0.106, 0.616, 0.507),
    PaperRun("R46", 0.102, 0.611, 0.504),
    PaperRun("R47", 0.104, 0.589, 0.484),
    PaperRun("R48", 0.102, 0.587, 0.484),
)

TABLE_4_CORRELATIONS: dict[tuple[str, str], dict[str, str]] = {
    ("MAP", "Recall"): {"kendall": "0.56", "spearman": "0.71"},
    ("Recall", "PRES"): {"kendall": "0.87", "spearman": "0.97"},
    ("MAP", "PRES"): {"kendall": "0.66", "spearman": "0.82"},
}
"""Of table 4: Kendall's τ in PRES; in PRES-a values described as a correlation, which are Spearman's ρ."""

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
"""The rows of averages in that table."""
