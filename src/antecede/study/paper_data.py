"""Values printed in the papers on PRES and on robustness, with the digits printed there.

PRES: W. Magdy and G. J. F. Jones: PRES: a score metric for evaluating recall-oriented information retrieval
applications. SIGIR 2010. Its table 4 lists the 48 runs of CLEF-IP 2009: 15 groups, 400 topics, lists of up to 1,000
documents. The runs themselves are not public, and the paper does not state which group submitted which run.

Robustness: W. Magdy and G. J. F. Jones: Examining the robustness of evaluation metrics for patent retrieval with
incomplete relevance judgements. CLEF 2010. PRES-a is their earlier paper on PRES, at AsPIRe 2010.
"""

from __future__ import annotations

import numpy as np

PRES, ROBUSTNESS = "Magdy & Jones, PRES, SIGIR 2010", "Magdy & Jones, Robustness, CLEF 2010"

TABLE_1_MEASURES = ("AP@100", "R@100", "F@100", "Fprime@100", "Fprime(beta=4)@100")
TABLE_2_MEASURES = ("AP@100", "R@100", "PRES@100")
TABLES_1_AND_2 = (
    ("System 1", (1,), "0.25 0.25 0.0192 0.25 0.25", "0.25 0.25 0.25"),
    ("System 2", (50, 51, 52, 53), "0.0481 1 0.0769 0.0917 0.462", "0.0481 1 0.51"),
    ("System 2 as printed", (50, 51, 53, 54), "0.0481 1 0.0769 0.0917 0.462", "0.0481 1 0.51"),
    ("System 3", (1, 2, 3, 4), "1 1 0.0769 1 1", "1 1 1"),
    ("System 4", (1, 98, 99, 100), "0.2727 1 0.0769 0.429 0.864", "0.2727 1 0.28"),
)
"""System, ranks of its relevant documents, of which there are 4, and the scores in table 1 and in table 2."""

TABLE_3_MEASURES = ("R@1000", "AP@1000", "PRES@1000")
TABLE_3 = (
    ("Topic 1", (98, 296), 41, "0.05 ~0 0.039"),
    ("Topic 2", (23, 272, 345), 6, "0.5 0.01 0.394"),
    ("Topic 3", (2, 517, 761), 6, "0.5 0.085 0.288"),
    ("Topic 4", (660, 741), 3, "0.667 0.001 0.201"),
    ("Topic 5", (41, 54), 3, "0.667 0.021 0.636"),
    ("Topic 6", (1, 781), 3, "0.667 0.334 0.407"),
    ("Topic 7", (1, 33, 354, 548, 733, 840, 841), 7, "1 0.157 0.525"),
    ("Topic 8", (32, 35, 46), 3, "1 0.051 0.964"),
)
"""Topic, ranks of the relevant documents, their number, and the scores."""
WITHIN_100 = (("Topic 8, first 100 only", (32, 35, 46), 3, "0.6433"),)
"""Section 6.1: PRES@100 of the last topic of table 3."""

DEPTH = 1000
"""Documents per list, and the cut-off of all three measures in table 4."""
TABLE_4_MEASURES = ("MAP", "Recall", "PRES")
TABLE_4 = np.fromstring(
    """
    .077 .530 .434   .087 .617 .499   .084 .609 .497   .053 .219 .213   .000 .020 .011   .000 .016 .009
    .000 .012 .007   .000 .016 .009   .071 .454 .369   .088 .533 .430   .087 .489 .404   .088 .534 .430
    .065 .508 .406   .068 .467 .363   .064 .434 .348   .020 .197 .148   .067 .584 .463   .033 .656 .490
    .105 .600 .529   .003 .051 .040   .266 .760 .691   .028 .256 .200   .087 .728 .603   .011 .069 .054
    .064 .492 .392   .084 .511 .431   .097 .514 .447   .091 .514 .442   .082 .436 .373   .092 .559 .469
    .081 .568 .460   .078 .476 .391   .085 .457 .379   .082 .427 .354   .114 .572 .496   .108 .553 .480
    .114 .572 .494   .107 .553 .479   .113 .575 .498   .107 .560 .483   .079 .547 .447   .103 .555 .466
    .091 .575 .475   .091 .574 .474   .106 .616 .507   .102 .611 .504   .104 .589 .484   .102 .587 .484
    """,
    sep=" ",
).reshape(-1, 3)
"""float64[48, 3]: MAP, recall and PRES of the runs R01 to R48, six to a line."""

TABLE_4_CORRELATIONS: dict[tuple[str, str], dict[str, str]] = {
    ("MAP", "Recall"): {"kendall": "0.56", "spearman": "0.71"},
    ("Recall", "PRES"): {"kendall": "0.87", "spearman": "0.97"},
    ("MAP", "PRES"): {"kendall": "0.66", "spearman": "0.82"},
}
"""Of table 4: Kendall's τ in PRES; in PRES-a values described as a correlation, which are Spearman's ρ."""

ROBUSTNESS_MEASURES = ("AP@100", "R@100", "PRES@100", "AP@1000", "R@1000", "PRES@1000")
ROBUSTNESS_KEEP = (0.2, 0.4, 0.6, 0.8)
ROBUSTNESS_SAMPLES = np.fromstring(
    """
    .50 .94 .94 .58 .93 .93   .71 .88 .92 .70 .92 .89   .59 .90 .90 .66 .90 .90
    .93 .92 .93 .76 .96 .96   .71 .93 .93 .87 .95 .93   .75 .91 .92 .84 .94 .92
    .66 .95 .96 .82 .98 .98   .66 .95 .97 .82 .98 .97   .65 .96 .96 .90 .97 .98
    .79 .96 .97 .96 .98 .98   .94 .97 .99 .94 .97 .98   .75 .98 .98 .84 .98 .99
    """,
    sep=" ",
).reshape(4, 3, 6)
"""Table 1 of Robustness: levels × samples × measures, a level to a line."""
ROBUSTNESS_AVERAGES = (
    ("0.60", "0.90", "0.92", "0.65", "0.92", "0.91"),
    ("0.79", "0.92", "0.93", "0.82", "0.95", "0.94"),
    ("0.66", "0.95", "0.97", "0.85", "0.98", "0.97"),
    ("0.83", "0.97", "0.98", "0.91", "0.98", "0.98"),
)
"""The rows of averages in that table."""
