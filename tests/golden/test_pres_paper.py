"""Tables 1 to 3 of the PRES paper (Magdy & Jones, SIGIR 2010), with the misprints that its own figures show."""

from __future__ import annotations

import pytest

from antecede import score

# System 2 is printed as {50, 51, 53, 54}; every printed score belongs to {50, 51, 52, 53}.
SYSTEMS = {1: [1], 2: [50, 51, 52, 53], 3: [1, 2, 3, 4], 4: [1, 98, 99, 100]}

TABLE_1 = {
    "AP@100": ["0.25", "0.0481", "1", "0.2727"],
    "R@100": ["0.25", "1", "1", "1"],
    "F@100": ["0.0192", "0.0769", "0.0769", "0.0769"],
    "Fprime@100": ["0.25", "0.0918", "1", "0.429"],  # 0.09178: printed 0.0917, cut off rather than rounded
    "Fprime(beta=4)@100": ["0.25", "0.462", "1", "0.864"],
    "PRES@100": ["0.25", "0.51", "1", "0.28"],  # table 2
}

TABLE_3 = [
    ([98, 296], 41, "0.05", "0.000", "0.039"),
    ([23, 272, 345], 6, "0.5", "0.01", "0.394"),
    ([2, 517, 761], 6, "0.5", "0.085", "0.288"),
    ([660, 741], 3, "0.667", "0.001", "0.201"),
    ([41, 54], 3, "0.667", "0.020", "0.636"),  # AP is 0.0205: printed 0.021
    ([1, 781], 3, "0.667", "0.334", "0.407"),
    ([1, 33, 354, 548, 733, 840, 841], 7, "1", "0.157", "0.525"),
    ([32, 35, 46], 3, "1", "0.051", "0.964"),
]


def rounded(value: float, printed: str) -> str:
    return f"{value:.{len(printed.partition('.')[2])}f}"


@pytest.mark.parametrize("measure", TABLE_1)
def test_tables_1_and_2(measure: str) -> None:
    ours = [score(measure, found, 4, retrieved=100) for found in SYSTEMS.values()]
    assert [rounded(value, printed) for value, printed in zip(ours, TABLE_1[measure], strict=True)] == TABLE_1[measure]


def test_the_ranks_printed_for_system_2_give_other_scores() -> None:
    assert score("AP@100", [50, 51, 53, 54], 4) == pytest.approx(0.0475, abs=5e-5)
    assert score("PRES@100", [50, 51, 53, 54], 4) == pytest.approx(0.505)


@pytest.mark.parametrize(("found", "n", "recall", "ap", "pres"), TABLE_3)
def test_table_3(found: list[int], n: int, recall: str, ap: str, pres: str) -> None:
    printed = {"R@1000": recall, "AP@1000": ap, "PRES@1000": pres}
    ours = {measure: rounded(score(measure, found, n), text) for measure, text in printed.items()}
    assert ours == printed


def test_the_last_topic_of_table_3_within_100() -> None:
    assert score("PRES@100", [32, 35, 46], 3) == pytest.approx(0.6433, abs=5e-5)
