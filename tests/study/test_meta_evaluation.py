"""Meta-evaluation: the figures of its two parts, every registered measure, and what is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import antecede as ac
from antecede.errors import UsageError
from antecede.measures.definition import MEASURES
from tests.study.worlds import graded_world, table_from

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def table() -> ac.RankTable:
    return ac.rank_table(*graded_world(8, 15, 1))


def test_both_parts_are_those_of_the_separate_studies(table: ac.RankTable) -> None:
    found = ac.study.measures(table, "AP,P@10,nDCG@10", samples=30, seed=4)
    study = ac.study.robustness(table, "AP,P@10,nDCG@10", keep=[0.2], samples=30, seed=4)
    assert np.array_equal(found.robustness.tau, study.tau)
    for measure, power in zip(found.measures, found.power, strict=True):
        values = ac.evaluate(table, measure).of(measure)
        assert power == ac.discriminative_power(values, [0.05]).share[0]


def test_every_registered_measure_is_studied_or_named(table: ac.RankTable) -> None:
    found = ac.study.measures(table, samples=3, at=[5, 20], docs=100)
    mentioned = {ac.parse_measure(name).definition.name for name in found.measures}
    mentioned |= {
        ac.parse_measure(name).definition.name if "@" in name or "(" in name else name for name in found.left_out
    }
    assert mentioned == {*MEASURES}
    assert {"RR(rel=2)", "RR(rel=3)", "PRES@5", "PRES@20", "GMAP@20", "Effort(docs=100)@80"} <= {*found.measures}
    assert "docs=" in ac.study.measures(table, samples=2, at=[5]).left_out["Rnorm"]


def test_a_geometric_mean_is_tested_by_logarithms(table: ac.RankTable) -> None:
    found = ac.study.measures(table, "GMAP,AP", samples=2)
    logs = np.log(np.maximum(ac.evaluate(table, "AP").of("AP"), 1e-5))
    assert found.power[0] == ac.discriminative_power(logs, [0.05]).share[0]


def test_the_marked_measures_are_the_pareto_front(table: ac.RankTable) -> None:
    found = ac.study.measures(table, samples=10, at=[10])
    points = list(zip(found.tau, found.power, strict=True))
    for at, (tau, power) in enumerate(points):
        better = any((t >= tau and p >= power) and (t > tau or p > power) for t, p in points)
        assert found.best[at] == (not better)
    shown = [float(str(row[1])) for row in found.table().rows]
    assert shown == sorted(shown, reverse=True)


def test_what_cannot_be_studied_is_refused_if_it_is_asked_for(table: ac.RankTable) -> None:
    with pytest.raises(UsageError, match="NumRel: all runs have the same total; leave it out"):
        ac.study.measures(table, "AP,NumRel", samples=2)
    with pytest.raises(UsageError, match="at least two"):
        ac.study.measures(table.select(["r0"]), "AP")


def test_a_measure_that_is_infinite_in_a_sample_is_left_out_with_a_note() -> None:
    """All runs find four of five relevant documents: Effort@80 is finite until a sample keeps the fifth."""
    table = table_from([[*((1, (at, 2 * at, 3 * at)) for at in range(1, 5)), (1, (0, 0, 0))] for _ in range(6)])
    assert np.isfinite(ac.evaluate(table, "Effort@80").totals).all()
    found = ac.study.measures(table, samples=5, at=[5])
    assert found.left_out["Effort@80"] == "since some run never reaches this recall in some sample (set docs=)"
    assert "Effort@80" not in found.measures
    assert len(found.measures) == len(found.power) == len(found.robustness.tau) == len(found.table().rows)
    kept = ac.study.measures(table, ",".join(found.measures), samples=5)
    assert np.array_equal(kept.robustness.tau, found.robustness.tau, equal_nan=True)
    assert np.array_equal(kept.power, found.power, equal_nan=True)
    assert any("in some sample (set docs=): Effort@80" in note for note in found.notes())
    with pytest.raises(UsageError, match="Effort@80: run a does not reach this recall on every topic"):
        ac.study.measures(table, "AP,Effort@80", samples=5)


@pytest.mark.slow
def test_trec_8_beside_the_paper(data: Path) -> None:
    """Mean τ at 20 % for 48 of the 129 runs; the paper has .783, .919 and .921 for all of them."""
    runs = sorted((data / "trec8/runs").glob("*.gz"))
    table = ac.rank_table(data / "trec8/qrels.txt", runs)
    found = ac.study.measures(table, "AP@1000,R@1000,PRES@1000", samples=40)
    assert found.tau == pytest.approx([0.75, 0.91, 0.92], abs=0.03)
    assert found.power == pytest.approx([0.68972, 0.62411, 0.64894], abs=1e-4)
