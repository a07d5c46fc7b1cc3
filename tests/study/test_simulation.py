"""The simulated evaluation: its shape, its scores, the study it is made for, and its files."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede import audit, rank_table
from antecede.errors import UsageError
from antecede.study.simulation import TABLE_4 as PUBLISHED
from antecede.study.simulation import Simulation, simulate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@pytest.fixture(scope="module")
def clef() -> Simulation:
    return simulate()


def sizes(simulation: Simulation) -> NDArray[np.int64]:
    return np.diff(simulation.offsets)


def scores(simulation: Simulation) -> Floats:
    """Runs × (MAP, recall, PRES), by the definitions, with no shortcut of the simulator."""
    cutoff = 1000
    total = np.zeros((len(simulation.runs), 3))
    for begin, end in pairwise(simulation.offsets):
        ranks, n = simulation.ranks[:, begin:end], end - begin
        ranks = np.sort(np.where(ranks == 0, 10**9, ranks), axis=1)
        hit = ranks < 10**9
        found = hit.sum(axis=1)
        missing = n - found
        precision = np.where(hit, np.arange(1, n + 1) / ranks, 0.0).sum(axis=1) / n
        summed = np.where(hit, ranks, 0).sum(axis=1) + missing * (cutoff + n) - missing * (missing - 1) / 2
        total += np.stack((precision, found / n, 1 - (summed / n - (n + 1) / 2) / cutoff), axis=1)
    return total / len(simulation.topic_ids)


def test_shape(clef: Simulation) -> None:
    assert clef.runs == tuple(f"R{number:02d}" for number in range(1, 49))
    assert len(clef.groups) == 48
    assert sorted(set(clef.groups)) == [f"G{number:02d}" for number in range(1, 16)]
    assert len(clef.topic_ids) == len(set(clef.topic_ids)) == 400
    assert all(re.fullmatch(r"EP-\d{7}-A1", topic) for topic in clef.topic_ids)
    assert all(re.fullmatch(r"EP-\d{7}", doc) for doc in clef.doc_ids)
    assert clef.offsets.dtype == np.int64
    assert clef.ranks.dtype == clef.retrieved.dtype == np.int32
    assert clef.ranks.shape == (48, len(clef.doc_ids)) == (48, clef.offsets[-1])
    assert clef.retrieved.shape == (48, 400)
    assert not clef.ranks.flags.writeable
    assert repr(clef) == f"<Simulation (simulated data): 48 runs, 400 topics, {len(clef.doc_ids)} relevant documents>"


@pytest.mark.parametrize(("topics", "seed"), [(400, 0), (400, 9), (500, 0), (100, 3)])
def test_relevant_documents_per_topic(topics: int, seed: int) -> None:
    counts = sizes(simulate(runs=2, topics=topics, seed=seed))
    assert counts.min() == 3
    assert 5.5 <= counts.mean() <= 6.5
    assert 0.25 < (counts == 3).mean() <= 0.33
    assert counts.max() > 30


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_runs_score_like_the_table(seed: int) -> None:
    """No run is further than 0.001 from any printed score, nor all runs together further than 0.0003 on average."""
    apart = np.abs(scores(simulate(seed=seed)) - PUBLISHED)
    assert apart.max() < 0.001
    assert apart.mean(axis=0).max() < 0.0003


def test_documents_differ_in_how_findable_they_are(clef: Simulation) -> None:
    """Losing what few systems found, or what one group alone found, must have something to lose."""
    names = sorted(set(clef.groups))
    by_group = np.array([(clef.ranks[np.array(clef.groups) == name] > 0).any(axis=0) for name in names])
    groups_per_document = by_group.sum(axis=0)
    assert 0.02 < (groups_per_document == 1).mean() < 0.15
    assert 0.03 < (groups_per_document == 0).mean() < 0.2
    assert (groups_per_document >= 10).mean() > 0.15


def test_runs_of_one_group_share_their_finds(clef: Simulation) -> None:
    ordinary = np.flatnonzero(PUBLISHED[:, 1] > 0.4)
    alike: Floats = np.asarray(np.corrcoef(clef.ranks[ordinary] > 0))
    group = np.array(clef.groups)[ordinary]
    same = group[:, None] == group
    other_run = ~np.eye(len(group), dtype=np.bool_)
    assert alike[same & other_run].mean() > alike[~same].mean() + 0.15
    assert alike[~same].mean() > 0.3


@pytest.mark.parametrize(("runs", "groups", "slack"), [(12, 4, 0.002), (120, 15, 0.005)])
def test_fewer_runs_span_the_table_and_more_lie_between_its_rows(runs: int, groups: int, slack: float) -> None:
    found = simulate(runs=runs, groups=None if runs == 12 else groups, topics=100)
    assert (found.runs[-1], len(set(found.groups))) == (f"R{runs}", groups)
    assert found.targets.min(axis=0) == pytest.approx(PUBLISHED.min(axis=0), abs=0.01)
    assert (found.targets <= PUBLISHED.max(axis=0)).all()
    assert found.targets.max() > 0.65
    assert np.abs(scores(found) - found.targets).mean() < slack


def test_the_seed_decides_everything() -> None:
    first, again, other = (simulate(runs=12, topics=50, seed=seed) for seed in (4, 4, 5))
    assert first.ranks.tobytes() == again.ranks.tobytes()
    assert first.retrieved.tobytes() == again.retrieved.tobytes()
    assert (first.topic_ids, first.doc_ids, first.groups) == (again.topic_ids, again.doc_ids, again.groups)
    assert first.doc_ids != other.doc_ids
    assert first.ranks.tobytes() != other.ranks.tobytes()


small = st.fixed_dictionaries(
    {
        "runs": st.integers(1, 60),
        "topics": st.integers(1, 12),
        "depth": st.sampled_from([1, 2, 7, 60, 300, 1000]),
        "seed": st.integers(0, 2**63 - 1),
    }
)


@given(small)
def test_ranks_are_those_of_lists(arguments: dict[str, int]) -> None:
    simulation = simulate(**arguments)
    for number in range(len(simulation.topic_ids)):
        pairs = slice(*simulation.offsets[number : number + 2])
        docs = simulation.doc_ids[pairs]
        assert list(docs) == sorted(set(docs))
        ranks = simulation.ranks[:, pairs]
        assert (ranks >= 0).all()
        assert (ranks <= simulation.retrieved[:, [number]]).all()
        for of_run in ranks:
            found = of_run[of_run > 0]
            assert len(set(found.tolist())) == len(found)
    assert simulation.retrieved.min() >= 1
    assert simulation.retrieved.max() <= arguments["depth"]


CLEAN = ("duplicates", "ties", "unsorted_topics", "rank_conflicts", "odd_ranks", "malformed", "wide", "self_retrieved")


def assert_files_hold(simulation: Simulation, folder: Path, chosen: list[int]) -> None:
    """The files of some runs, as they are read like those of anyone, say what the arrays say."""
    table = rank_table(folder / "qrels.txt", {f"R{run + 1:02d}": folder / f"R{run + 1:02d}.run" for run in chosen})
    pairs = zip(np.array(table.topics)[table.ranks.topic].tolist(), table.doc_ids, strict=True)
    expected = zip(np.repeat(simulation.topic_ids, sizes(simulation)).tolist(), simulation.doc_ids, strict=True)
    found = dict(zip(pairs, table.ranks.ranks.T.tolist(), strict=True))
    assert found == dict(zip(expected, simulation.ranks[chosen].T.tolist(), strict=True))
    lengths = dict(zip(table.topics, table.ranks.retrieved.T.tolist(), strict=True))
    assert lengths == dict(zip(simulation.topic_ids, simulation.retrieved[chosen].T.tolist(), strict=True))
    assert not any(counts[key] for counts in audit(table).counts for key in CLEAN)
    first = (folder / f"R{chosen[0] + 1:02d}.run").read_text("ascii").partition("\n")[0]
    assert re.fullmatch(r"EP-\d{7}-A1 Q0 EP-\d{7} 1 \d+\.\d{6} R\d\d", first)


@pytest.mark.slow
@given(small)
def test_files_say_what_the_arrays_say(arguments: dict[str, int]) -> None:
    simulation = simulate(**arguments | {"runs": min(arguments["runs"], 6), "topics": min(arguments["topics"], 4)})
    with TemporaryDirectory() as folder:
        simulation.write(Path(folder))
        assert_files_hold(simulation, Path(folder), [*range(len(simulation.runs))])


def test_files_of_many_topics_and_short_lists(tmp_path: Path) -> None:
    """More topics than are written at a time, and row R04 of the table, whose lists end early."""
    simulation = simulate(topics=150)
    assert len(set(simulation.retrieved[3].tolist())) > 10
    simulation.write(tmp_path, only=["R03", "R04"])
    assert_files_hold(simulation, tmp_path, [2, 3])


def test_some_runs_only(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    simulation = simulate(runs=5, groups=2, topics=3)
    simulation.write(tmp_path, only=["R04", "R02"], progress=lambda done, total: told.append((done, total)))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["R02.run", "R04.run", "groups.txt", "qrels.txt"]
    groups = (tmp_path / "groups.txt").read_text()
    assert groups == f"R02 {simulation.groups[1]}\nR04 {simulation.groups[3]}\n"
    assert told == [(1, 2), (2, 2)]


def test_a_run_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no simulated run is named 'R99'; the runs are R01 to R03"):
        simulate(runs=3, topics=1).write(tmp_path / "new", only=["R99"])
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"runs": 0}, "runs must be between 1 and 1000, not 0"),
        ({"groups": 0}, "groups must be between 1 and 48, not 0"),
        ({"seed": -1}, "the seed must be 0 or more, not -1"),
        ({"topics": 2.5}, "topics must be a whole number, between 1 and 100000, not 2.5"),
    ],
)
def test_bad_arguments(arguments: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        simulate(**arguments)
    assert str(raised.value) == message
