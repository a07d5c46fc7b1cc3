"""The simulated evaluation: its shape, its scores, the study it is made for, and its files."""

from __future__ import annotations

import os
import re
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

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


def scores(simulation: Simulation, kept: NDArray[np.bool_] | None = None, cutoff: int = 1000) -> Floats:
    """Runs × (MAP, recall, PRES) on the judgements kept, by the definitions, with no shortcut of the simulator."""
    topic = np.repeat(np.arange(len(simulation.topic_ids)), sizes(simulation))
    kept = np.ones(len(topic), dtype=np.bool_) if kept is None else kept
    total = np.zeros((len(simulation.runs), 3))
    for number in range(len(simulation.topic_ids)):
        ranks = simulation.ranks[:, (topic == number) & kept]
        n = ranks.shape[1]
        ranks = np.sort(np.where((ranks == 0) | (ranks > cutoff), 10**9, ranks), axis=1)
        hit = ranks < 10**9
        found = hit.sum(axis=1)
        missing = n - found
        precision = np.where(hit, np.arange(1, n + 1) / ranks, 0.0).sum(axis=1) / n
        summed = np.where(hit, ranks, 0).sum(axis=1) + missing * (cutoff + n) - missing * (missing - 1) / 2
        total += np.stack((precision, found / n, 1 - (summed / n - (n + 1) / 2) / cutoff), axis=1)
    return total / len(simulation.topic_ids)


def tau(one: Floats, other: Floats) -> float:
    return float(kendalltau(one, other).statistic)


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


def test_oddities_of_the_table(clef: Simulation) -> None:
    found = scores(clef)
    assert found.argmax(axis=0).tolist() == [20, 20, 20]
    assert set(np.argsort(found[:, 0])[:4]) == {4, 5, 6, 7}
    assert (found[17, 1] > found[:, 1]).sum() == 45
    assert (found[17, 0] < found[:, 0]).sum() > 35
    short = clef.retrieved[3]
    assert 50 <= short.min() <= short.max() <= 200
    assert (np.delete(clef.retrieved, 3, axis=0) == 1000).all()


def test_measures_agree_as_published(clef: Simulation) -> None:
    found = scores(clef)
    assert tau(found[:, 0], found[:, 1]) == pytest.approx(0.561, abs=0.03)
    assert tau(found[:, 2], found[:, 1]) == pytest.approx(0.878, abs=0.03)
    assert tau(found[:, 2], found[:, 0]) == pytest.approx(0.665, abs=0.03)


@pytest.mark.parametrize("cutoff", [100, 1000])
def test_map_is_the_least_robust(clef: Simulation, cutoff: int) -> None:
    """Robustness, table 1: with a fifth of the judgements, recall and PRES hold near 0.9 and MAP does not."""
    rng = np.random.default_rng(5)
    counts = sizes(clef)
    topic = np.repeat(np.arange(len(counts)), counts)
    full = scores(clef, cutoff=cutoff)
    for fraction, least, margin in ((0.2, 0.85, 0.08), (0.6, 0.92, 0.04)):
        taus = []
        for _ in range(3):
            order = np.lexsort((rng.random(len(topic)), topic))
            keep = np.maximum(1, np.round(fraction * counts))
            kept = np.zeros(len(topic), dtype=np.bool_)
            kept[order[np.arange(len(topic)) - clef.offsets[topic] < keep[topic]]] = True
            left = scores(clef, kept, cutoff)
            taus.append([tau(full[:, measure], left[:, measure]) for measure in range(3)])
        of_map, of_recall, of_pres = np.mean(taus, axis=0)
        assert min(of_recall, of_pres) > least
        assert of_map < min(of_recall, of_pres) - margin


def test_documents_differ_in_how_findable_they_are(clef: Simulation) -> None:
    """Losing what few systems found, or what one group alone found, must have something to lose."""
    names = sorted(set(clef.groups))
    by_group = np.array([(clef.ranks[np.array(clef.groups) == name] > 0).any(axis=0) for name in names])
    groups_per_document = by_group.sum(axis=0)
    assert 0.02 < (groups_per_document == 1).mean() < 0.15
    assert 0.03 < (groups_per_document == 0).mean() < 0.2
    assert (groups_per_document >= 10).mean() > 0.15


def test_topics_differ_in_difficulty(clef: Simulation) -> None:
    """The spread of recall over topics is wider than documents found independently of each other would give."""
    counts = sizes(clef)
    ordinary = PUBLISHED[:, 1] > 0.4
    found = np.add.reduceat((clef.ranks[ordinary] > 0).mean(axis=0), clef.offsets[:-1]) / counts
    per_document = (clef.ranks[ordinary] > 0).mean(axis=0)
    by_chance = (per_document.var() / counts).mean()
    assert found.var() > 1.5 * by_chance


def test_runs_of_one_group_share_their_finds(clef: Simulation) -> None:
    ordinary = np.flatnonzero(PUBLISHED[:, 1] > 0.4)
    alike: Floats = np.asarray(np.corrcoef(clef.ranks[ordinary] > 0))
    group = np.array(clef.groups)[ordinary]
    same = group[:, None] == group
    other_run = ~np.eye(len(group), dtype=np.bool_)
    assert alike[same & other_run].mean() > alike[~same].mean() + 0.15
    assert alike[~same].mean() > 0.3


def test_the_seed_decides_everything() -> None:
    first, again, other = (simulate(runs=12, topics=50, seed=seed) for seed in (4, 4, 5))
    assert first.ranks.tobytes() == again.ranks.tobytes()
    assert first.retrieved.tobytes() == again.retrieved.tobytes()
    assert (first.topic_ids, first.doc_ids, first.groups) == (again.topic_ids, again.doc_ids, again.groups)
    assert first.doc_ids != other.doc_ids
    assert first.ranks.tobytes() != other.ranks.tobytes()


def test_fewer_runs_span_the_table() -> None:
    few = simulate(runs=12, topics=100)
    assert len(set(few.groups)) == 4
    assert few.targets[:, 2].max() == PUBLISHED[:, 2].max()
    assert few.targets[:, 2].min() == PUBLISHED[:, 2].min()
    assert np.abs(scores(few) - few.targets).mean() < 0.002


def test_more_runs_lie_between_rows() -> None:
    many = simulate(runs=120, groups=15, topics=60)
    assert many.runs[-1] == "R120"
    assert len(set(many.groups)) == 15
    assert (many.targets >= PUBLISHED.min(axis=0)).all()
    assert (many.targets <= PUBLISHED.max(axis=0)).all()
    assert np.abs(scores(many) - many.targets).mean() < 0.005


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


LINE = re.compile(r"(EP-\d{7}-A1) Q0 (EP-\d{7}) ([1-9]\d*) (\d+\.\d{6}) (R\d{2,})")


def read_run(path: Path) -> dict[str, list[str]]:
    """The documents of each topic in order, once every line was seen to be in form."""
    lists: dict[str, list[str]] = {}
    scored: dict[str, list[float]] = {}
    text = path.read_bytes().decode("ascii")
    assert text.endswith("\n")
    for line in text[:-1].split("\n"):
        match = LINE.fullmatch(line)
        assert match is not None, line
        topic, doc, rank, score, run = match.groups()
        lists.setdefault(topic, []).append(doc)
        scored.setdefault(topic, []).append(float(score))
        assert int(rank) == len(lists[topic])
        assert run == path.stem
    assert all(a > b for values in scored.values() for a, b in pairwise(values))
    return lists


def assert_files_hold(simulation: Simulation, folder: Path) -> None:
    topics = np.repeat(simulation.topic_ids, sizes(simulation)).tolist()
    qrels = [f"{topic} 0 {doc} 1\n" for topic, doc in zip(topics, simulation.doc_ids, strict=True)]
    assert (folder / "qrels.txt").read_bytes().decode() == "".join(qrels)
    for number, run in enumerate(simulation.runs):
        lists = read_run(folder / f"{run}.run")
        assert [len(lists[topic]) for topic in simulation.topic_ids] == simulation.retrieved[number].tolist()
        assert list(lists) == list(simulation.topic_ids)
        assert all(len(set(docs)) == len(docs) for docs in lists.values())
        place = {(topic, doc): rank for topic, docs in lists.items() for rank, doc in enumerate(docs, start=1)}
        ranks = [place.get(pair, 0) for pair in zip(topics, simulation.doc_ids, strict=True)]
        assert ranks == simulation.ranks[number].tolist()


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(small)
def test_files_say_what_the_arrays_say(arguments: dict[str, int]) -> None:
    arguments = arguments | {"runs": min(arguments["runs"], 6), "topics": min(arguments["topics"], 4)}
    simulation = simulate(**arguments)
    with TemporaryDirectory() as folder:
        simulation.write(Path(folder))
        assert_files_hold(simulation, Path(folder))


def test_files_of_many_topics_and_short_lists(tmp_path: Path) -> None:
    """More topics than are written at a time, and row R04 of the table, whose lists end early."""
    simulation = simulate(topics=150)
    simulation.write(tmp_path, only=["R04"])
    lists = read_run(tmp_path / "R04.run")
    assert [len(lists[topic]) for topic in simulation.topic_ids] == simulation.retrieved[3].tolist()
    assert len(set(simulation.retrieved[3].tolist())) > 10
    found = {(topic, rank): doc for topic, docs in lists.items() for rank, doc in enumerate(docs, start=1)}
    topics = np.repeat(simulation.topic_ids, sizes(simulation)).tolist()
    for topic, doc, rank in zip(topics, simulation.doc_ids, simulation.ranks[3].tolist(), strict=True):
        assert rank == 0 or found[topic, rank] == doc
    assert not any(doc.endswith("-A1") for docs in lists.values() for doc in docs)


def test_the_same_bytes_are_written(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        simulate(runs=4, topics=20, seed=3).write(tmp_path / folder)
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == ["R01.run", "R02.run", "R03.run", "R04.run", "groups.txt", "qrels.txt"]
    assert all((tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes() for name in names)


def test_runs_share_documents_that_are_not_relevant(tmp_path: Path) -> None:
    simulation = simulate(runs=2, topics=3)
    simulation.write(tmp_path)
    one, two = (read_run(tmp_path / f"{run}.run") for run in simulation.runs)
    assert all(500 < len(set(one[topic]) & set(two[topic])) < 1000 for topic in simulation.topic_ids)


def test_some_runs_only(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    simulation = simulate(runs=5, groups=2, topics=3)
    simulation.write(tmp_path, only=["R04", "R02"], progress=lambda done, total: told.append((done, total)))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["R02.run", "R04.run", "groups.txt", "qrels.txt"]
    groups = (tmp_path / "groups.txt").read_text()
    assert groups == f"R02 {simulation.groups[1]}\nR04 {simulation.groups[3]}\n"
    assert told == [(1, 2), (2, 2)]


def test_nothing_half_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = []

    def full(_: int) -> None:
        synced.append(1)
        if len(synced) == 3:
            raise OSError(28, "No space left on device")

    simulation = simulate(runs=2, topics=3)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match=r"R01\.run: cannot be written \(No space left on device\)"):
        simulation.write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["groups.txt", "qrels.txt"]


def test_a_file_in_the_way_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(UsageError, match="taken: cannot be created"):
        simulate(runs=1, topics=1).write(tmp_path / "taken")


def test_a_run_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no simulated run is named 'R99'; the runs are R01 to R03"):
        simulate(runs=3, topics=1).write(tmp_path / "new", only=["R99"])
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"runs": 0}, "runs must be between 1 and 1000, not 0"),
        ({"groups": 49}, "groups must be between 1 and 48, not 49"),
        ({"runs": 12, "groups": 15}, "groups must be between 1 and 12, not 15"),
        ({"groups": 0}, "groups must be between 1 and 48, not 0"),
        ({"topics": -1}, "topics must be between 1 and 100000, not -1"),
        ({"depth": 1001}, "depth must be between 1 and 1000, not 1001"),
        ({"seed": -1}, "the seed must be 0 or more, not -1"),
        ({"topics": 2.5}, "topics must be a whole number, between 1 and 100000, not 2.5"),
    ],
)
def test_bad_arguments(arguments: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        simulate(**arguments)
    assert str(raised.value) == message
