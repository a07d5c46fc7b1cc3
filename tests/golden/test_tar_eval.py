"""tar_eval's measures against worked examples, computed by hand from its definitions.

tar_eval reads a list from the top: a document is shown (cost 1), relevant ones are counted; D documents belong to the
topic, n of them relevant. loss_r = (1 − r)², loss_e = (100/D)²·(shown/(n + 100))², wss_95 uses round(0.95·n).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antecede import evaluate, rank_table, score

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = [
    # D = 1000, n = 5 at ranks 1, 2, 10, 40, 200; 300 documents are shown.
    ("last_rel", [1, 2, 10, 40, 200], 5, 300, 200),
    ("TarWSS(docs=1000)@100", [1, 2, 10, 40, 200], 5, 300, 0.8),
    ("TarWSS(docs=1000)@95", [1, 2, 10, 40, 200], 5, 300, 0.75),  # round(4.75) = 5: (1000 − 200)/1000 − .05
    ("loss_r", [1, 2, 10, 40, 200], 5, 300, 0),
    ("LossE(docs=1000)", [1, 2, 10, 40, 200], 5, 300, (0.1 * 300 / 105) ** 2),  # .081633
    ("LossER(docs=1000)", [1, 2, 10, 40, 200], 5, 300, 0.08163265306122451),
    ("TotalCost(docs=1000, penalty=none)", [1, 2, 10, 40, 200], 5, 300, 300),
    ("TotalCost(docs=1000, penalty=uniform)", [1, 2, 10, 40, 200], 5, 300, 300),
    ("TotalCost(docs=1000, penalty=weighted)", [1, 2, 10, 40, 200], 5, 300, 300),
    # Two of the five are not shown.
    ("last_rel", [1, 2, 10], 5, 100, 10),
    ("TarWSS(docs=1000)@100", [1, 2, 10], 5, 100, 0),
    ("TarWSS(docs=1000)@95", [1, 2, 10], 5, 100, 0),
    ("loss_r", [1, 2, 10], 5, 100, 0.16),
    ("LossE(docs=1000)", [1, 2, 10], 5, 100, (10 / 105) ** 2),
    ("LossER(docs=1000)", [1, 2, 10], 5, 100, 0.16 + 0.009070294784580499),
    ("TotalCost(docs=1000, penalty=uniform)", [1, 2, 10], 5, 100, 100 + 2 * 900 * 2 / 5),  # 820
    ("TotalCost(docs=1000, penalty=weighted)", [1, 2, 10], 5, 100, 100 + 2 * 900 / 2),  # one term: 1000
    # Three missed: 1/2 + 1/4 of twice what is not shown.
    ("TotalCost(docs=1000, penalty=weighted)", [1, 2], 5, 100, 100 + 2 * 900 * 0.75),
    # 95 % of 10 is 9.5, to even: 10; of 30 it is 28.5, to even: 28. WSS rounds up, to 10 and 29.
    ("TarWSS(docs=100)@95", [*range(1, 10), 50], 10, 60, 0.45),
    ("TarWSS(docs=100)@95", [*range(1, 29), 50, 60], 30, 60, 0.67),
    ("WSS(docs=100)@95", [*range(1, 29), 50, 60], 30, 60, 0.45),
    # Nothing is found.
    ("last_rel", [], 3, 20, 0),
    ("LossER(docs=100)", [], 3, 20, 1 + (20 / 103) ** 2),
]


@pytest.mark.parametrize(("measure", "found", "relevant", "shown", "expected"), EXAMPLES)
def test_by_hand(measure: str, found: list[int], relevant: int, shown: int, expected: float) -> None:
    assert score(measure, found=found, relevant=relevant, retrieved=shown) == pytest.approx(expected, abs=1e-9)


def test_a_cutoff_is_where_the_review_stops() -> None:
    """Stopping after 100 of 300 documents is the same as a list of 100."""
    whole = score("LossER(docs=1000)@100", found=[1, 2, 10, 140], relevant=5, retrieved=300)
    assert whole == score("LossER(docs=1000)", found=[1, 2, 10], relevant=5, retrieved=100)


def test_each_topic_has_its_own_size(tmp_path: Path) -> None:
    """Systematic reviews: 4 and 8 documents, given by a file and by the judgements."""
    qrels = {"1": dict.fromkeys("abcd", 0) | {"a": 1}, "2": dict.fromkeys("abcdefgh", 0) | {"a": 1, "h": 1}}
    run = {"run": {topic: {name: 9.0 - at for at, name in enumerate("abcd")} for topic in qrels}}
    sizes = tmp_path / "sizes.txt"
    sizes.write_text("1 4\n2 8\n")
    expected = [(25 * 4 / 101) ** 2, 0.25 + (12.5 * 4 / 102) ** 2]
    for docs in ("judged", sizes):
        scores = evaluate(rank_table(qrels, run), f"LossER(docs={docs})")
        assert scores.values[0, 0].tolist() == pytest.approx(expected)
