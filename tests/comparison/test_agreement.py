"""Agreement of measures: cases made to fall into known categories, and discriminative power."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from antecede.comparison import discriminative_power
from antecede.comparison.agreement import categorise
from antecede.errors import UsageError
from tests.comparison.values import agreement_of_values

NOISE = np.random.default_rng(12).normal(0, 0.02, (3, 30))
RUNS = ["one", "two", "three"]
VERDICT = st.sampled_from([-1, 0, 1])


def measure(*levels: float) -> np.ndarray:
    """Scores of three runs over 30 topics: far apart where the levels differ, else told apart by nothing."""
    return np.clip(0.5 + np.array(levels)[:, None] + NOISE, 0, 1)


def test_all_agree_one_stands_apart_and_none_agree() -> None:
    found = agreement_of_values(
        {"A": measure(0.2, 0.0, 0.0), "B": measure(0.2, 0.0, 0.2), "C": measure(0.2, 0.0, -0.2)}, RUNS
    )
    # one–two: all say one. one–three: B says nothing. two–three: A nothing, B three, C two.
    assert found.verdicts.tolist() == [[1, 1, 0], [1, 0, -1], [1, 1, 1]]
    assert (found.all_agree, dict(found.stands_apart), found.other) == (1, {"A": 0, "B": 1, "C": 0}, 1)
    assert found.other_name == "none agree"
    [clash] = found.contradictions
    assert (clash.first, clash.second, clash.first_better, clash.second_better) == ("two", "three", ("C",), ("B",))
    assert found.count_told_apart() == {"A": 2, "B": 2, "C": 3}


def test_less_is_better_turns_the_verdict() -> None:
    plain = agreement_of_values({"A": measure(0.2, 0.0, -0.2), "Effort": 1 - measure(0.2, 0.0, -0.2)}, RUNS)
    turned = agreement_of_values(
        {"A": measure(0.2, 0.0, -0.2), "Effort": 1 - measure(0.2, 0.0, -0.2)}, RUNS, better={"Effort": "lower"}
    )
    assert (plain.all_agree, plain.other, len(plain.contradictions)) == (0, 3, 3)
    assert (turned.all_agree, turned.other, len(turned.contradictions)) == (3, 0, 0)
    assert plain.other_name == "they differ"
    assert dict(plain.stands_apart) == {}


def category(row: list[int]) -> str:
    """The plain rule for one pair, written out."""
    if len({*row}) == 1:
        return "agree"
    for m in range(len(row)):
        rest = row[:m] + row[m + 1 :]
        if len(rest) > 1 and len({*rest}) == 1:
            return f"apart {m}"
    return "other"


@given(st.integers(2, 5).flatmap(lambda n: st.lists(st.lists(VERDICT, min_size=n, max_size=n), min_size=1, max_size=8)))
def test_every_pair_falls_into_one_category(rows: list[list[int]]) -> None:
    expected = Counter(category(row) for row in rows)
    agree, apart, other = categorise(np.array(rows).T)
    assert (agree, other) == (expected["agree"], expected["other"])
    assert apart == [expected[f"apart {m}"] for m in range(len(rows[0]))]


def test_shares_add_up_in_table_and_json() -> None:
    values = np.random.default_rng(6).beta(1, 2, (9, 30)) + np.linspace(0, 0.3, 9)[:, None]
    found = agreement_of_values({"A": values, "B": values**3, "C": np.sqrt(values)}, [f"r{i}" for i in range(9)])
    assert sum(found.categories().values()) == found.pairs == 36
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    apart = sum(entry["share"] for entry in data["stands_apart"].values())
    assert data["all_agree"]["share"] + apart + data["other"]["share"] == pytest.approx(1)
    assert sum(float(str(row[2])) for row in found.table().rows) == pytest.approx(100)
    assert len(found.contradictions_table().rows) == len(found.contradictions)


def test_power_is_the_share_of_small_p_values() -> None:
    values = np.random.default_rng(7).normal(0, 0.2, (10, 40)) + np.linspace(0, 0.2, 10)[:, None]
    found = discriminative_power(values, (0.01, 0.05, 0.5))
    p = [stats.ttest_rel(values[i], values[j]).pvalue for i, j in zip(*np.triu_indices(10, 1), strict=True)]
    assert found.p == pytest.approx(sorted(p), abs=1e-12)
    assert found.share == pytest.approx([np.mean(np.array(p) <= alpha) for alpha in (0.01, 0.05, 0.5)])
    assert found.to_dict()["share"]["0.05"] == pytest.approx(found.share[1])
    assert found.pairs == 45


def test_wrong_calls() -> None:
    values = measure(0.2, 0.0, 0.0)
    with pytest.raises(UsageError, match="at least two measures"):
        agreement_of_values({"A": values}, RUNS)
    with pytest.raises(UsageError, match="at least two runs"):
        agreement_of_values({"A": values[:1], "B": values[:1]}, RUNS[:1])
    with pytest.raises(UsageError, match="unknown direction 'down'; available: higher, lower"):
        agreement_of_values({"A": values, "B": values}, RUNS, better={"A": "down"})
    with pytest.raises(UsageError, match="alpha must lie between 0 and 1, both excluded, not 5"):
        discriminative_power(values, (0.05, 5))
    with pytest.raises(UsageError, match="infinite score"):
        discriminative_power(np.array([[1.0, np.inf], [1.0, 2.0]]))
