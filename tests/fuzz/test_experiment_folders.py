"""Experiments and unfinished runs whose files were damaged or whose inputs changed: the right results, or a refusal."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import chdir, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from antecede.engine import open_index
from antecede.errors import AntecedeError
from antecede.experiment import load_experiment
from antecede.search.batch import run_topics
from antecede.search.settings import SearchSettings
from antecede.search.topics import read_topics
from tests.experiment.conftest import without_drawing
from tests.fuzz.calls import call, files_of, patent

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    from tests.fuzz.calls import Files
    from tests.fuzz.outcomes import Fuzz

TOML = """collection = "c"
topics = "t.jsonl"
qrels = "qrels"
languages = "together"
runs = [{ path = "given.run", name = "given" }, { name = "tf", method = "tf" }]
[evaluation]
measures = ["AP", "R@2"]
[study]
robustness = false
agreement = false
correlation = false
cutoffs = false
"""
FOREIGN = (
    "x/.notes.markdown",
    "x/.x.abcdefgh",
    "x/parts/all/.notes.markdown",
    "x/mine/.antecede-notes.tmp",
    "x/my.txt",
)
INPUTS = ("c/p.jsonl", "t.jsonl", "qrels", "given.run")


@pytest.fixture(scope="module")
def undrawn() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        without_drawing(patch)
        patch.setattr("antecede.experiment.cache.SETTLED", -1)  # so that every stamp is believed at once
        yield


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, undrawn: None) -> Path:
    """An experiment that is done, with its inputs and with files of somebody else."""
    folder = tmp_path_factory.mktemp("experiments") / "base"
    (folder / "c").mkdir(parents=True)
    (folder / "c" / "p.jsonl").write_text("".join(patent(at) + "\n" for at in range(1, 6)))
    (folder / "t.jsonl").write_text("".join(patent(at) + "\n" for at in range(6, 9)))
    (folder / "qrels").write_text("EP6 0 EP1 1\nEP6 0 EP3 2\nEP7 0 EP2 1\nEP8 0 EP5 1\n")
    lines = [f"EP{topic} Q0 EP{rank} {rank} {9 - rank} g\n" for topic in (6, 7, 8) for rank in (1, 2, 3, 4, 5)]
    (folder / "given.run").write_text("".join(lines))
    (folder / "e.toml").write_text(TOML)
    assert call(folder, "experiment", "e.toml", "--out", "x", "--quiet").code == 0
    for name in FOREIGN:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("mine")
    return folder


def results(folder: Path) -> Files:
    """What an experiment found out; neither times nor the index, which counts how often it was built."""
    found = files_of(folder / "x")
    kept = ("parts/", "tables/", "topics/")
    return {name: each for name, each in found.items() if name.startswith(kept) and "cost." not in name}


def damage(data: bytes, other: bytes, draw: random.Random) -> bytes:
    """Bytes of a file after an accident."""
    at = draw.randrange(len(data)) if data else 0
    ways: list[Callable[[], bytes]] = [
        lambda: data[:at] + bytes([data[at] ^ (1 << draw.randrange(8))]) + data[at + 1 :] if data else b"x",
        lambda: data[:at] + bytes([draw.choice(b"0123456789")]) + data[at + 1 :],
        lambda: data[:at],
        lambda: data[:at] + bytes(min(50, len(data) - at)) + data[at + 50 :],
        lambda: b"",
        lambda: data + draw.randbytes(9),
        lambda: other,
        lambda: b"{}",
        lambda: b"[]",
    ]
    return draw.choice(ways)()


def replaced(path: Path, data: bytes, draw: random.Random) -> None:
    """Another content, in place or by a new file, often with the old dates."""
    before = path.stat()
    if draw.random() < 0.5:
        path.write_bytes(data)
    else:
        aside = path.with_name("aside")
        aside.write_bytes(data)
        aside.replace(path)
    if draw.random() < 0.7:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_damaged_folder_gives_the_same_results_or_a_refusal(fuzz: Fuzz, base: Path, tmp_path: Path) -> None:
    clean, own = results(base), files_of(base)
    for number, draw in fuzz.cases(40):
        folder = Path(shutil.copytree(base, tmp_path / str(number)))
        assert call(folder, "experiment", "e.toml", "--out", "x", "--quiet").code == 0  # stamps are written
        files = [name for name in files_of(folder / "x") if f"x/{name}" not in FOREIGN]
        other = (folder / "x" / draw.choice(files)).read_bytes()
        for name in draw.sample(files, draw.choice((1, 1, 2, 5))):
            path = folder / "x" / name
            if draw.random() < 0.15:
                path.unlink()
            else:
                replaced(path, damage(path.read_bytes(), other, draw), draw)
        numbers = loaded(folder / "x")
        assert numbers in (None, loaded(base / "x")), f"case {number}"
        done = call(folder, "experiment", "e.toml", "--out", "x", "--quiet")
        where = f"case {number}: {done}"
        after = files_of(folder)
        assert all(after[name] == own[name] for name in (*FOREIGN, *INPUTS, "e.toml")), where
        if done.code == 2:
            assert done.err.count("\n") == 1, where
            fuzz.count("refused")
        else:
            assert done.code == 0, where
            assert results(folder) == clean, where
            fuzz.count("exact")
        shutil.rmtree(folder)


def loaded(folder: Path) -> str | None:
    """The numbers of saved results; None where they are refused."""
    try:
        return json.dumps([part.scores.to_dict(per_topic=True) for part in load_experiment(folder).parts])
    except AntecedeError:
        return None


CHANGES: dict[str, list[tuple[str, str]]] = {
    "qrels": [("EP6 0 EP1 1", "EP6 0 EP2 1"), ("EP7 0 EP2 1", "EP7 0 EP2 0"), ("EP8 0 EP5", "EP8 0 EP1")],
    "given.run": [("EP6 Q0 EP1 1 8", "EP6 Q0 EP1 1 0"), ("EP7 Q0 EP2 2 7", "EP7 Q0 EP2 2 9")],
    "t.jsonl": [("word1", "word5"), ("word2", "word3")],
    "c/p.jsonl": [("word1", "word5"), ("word2", "word3"), ("Valve 3", "Hinge 3")],
}


def test_inputs_that_changed_behind_their_dates_are_seen(fuzz: Fuzz, base: Path, tmp_path: Path) -> None:
    names = sorted(CHANGES)
    for number, draw in fuzz.cases(10):
        folder = Path(shutil.copytree(base, tmp_path / str(number)))
        assert call(folder, "experiment", "e.toml", "--out", "x", "--quiet").code == 0
        path = folder / names[number % len(names)]
        before = path.stat()
        old, new = draw.choice(CHANGES[names[number % len(names)]])
        assert len(old) == len(new)
        assert old in path.read_text()
        replaced(path, path.read_text().replace(old, new).encode(), draw)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        done = call(folder, "experiment", "e.toml", "--out", "x", "--quiet")
        assert done.code == 0, f"case {number}: {done}"
        found = results(folder)
        shutil.rmtree(folder / "x")
        assert call(folder, "experiment", "e.toml", "--out", "x", "--quiet").code == 0
        fresh = results(folder)
        differing = [name for name in fresh if found.get(name) != fresh[name]]
        assert differing == [], f"case {number}: {path.name}: {old} → {new}"
        fuzz.count("exact")
        shutil.rmtree(folder)


def stopped(done: int, total: int) -> None:
    if done == total:
        raise KeyboardInterrupt


def partial(folder: Path, index: str, plan: SearchSettings) -> bytes:
    """What a run of all topics that was stopped at the last moment leaves."""
    keep = folder / "kept"
    with chdir(folder), suppress(KeyboardInterrupt):
        opened = open_index(index)
        run_topics(opened, read_topics(opened, "t.jsonl"), plan, threads=1, keep=keep, progress=stopped)
    data = keep.read_bytes()
    keep.unlink()
    return data


def test_a_damaged_unfinished_run_is_never_believed(fuzz: Fuzz, base: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(base, tmp_path / "here"))
    whole, other = (partial(folder, "x/index", SearchSettings(("tf",), k=k)) for k in (5, 3))
    words = ("run", "x/index", "t.jsonl", "--method", "tf", "-k", "5", "--threads", "1", "--quiet")
    assert call(folder, *words, "--out", "clean.run").code == 0
    clean = (folder / "clean.run").read_bytes()
    (folder / "r.run.partial").write_bytes(whole)
    assert call(folder, *words, "--out", "r.run", "--resume", "--json").json["resumed"] == 3
    others = [b"", *other.splitlines(keepends=True)]
    for number, draw in fuzz.cases(120):
        lines = whole.splitlines(keepends=True)
        way = number % 4
        if way == 0:
            data = damage(whole, other, draw)
        elif way == 1:
            data = b"".join([lines[0], *draw.sample(lines, draw.randrange(len(lines) + 1)), draw.choice(others)])
        elif way == 2:
            at = draw.randrange(1, len(lines))
            damaged = damage(lines[at], draw.choice(others), draw)
            data = b"".join([*lines[:at], damaged, *lines[at + 1 :]])
        else:
            scores = [line.replace(b'"EP1"', b'"EP2"', 1).replace(b"1.", b"2.", 1) for line in lines[1:]]
            data = b"".join([lines[0], *scores])
        (folder / "r.run.partial").write_bytes(data)
        done = call(folder, *words, "--out", "r.run", "--resume")
        where = f"case {number}: {done}"
        if done.code == 2:
            assert done.err.count("\n") == 1, where
            assert (folder / "r.run.partial").read_bytes() == data, where
            (folder / "r.run.partial").unlink()
            fuzz.count("refused")
            continue
        assert done.code == 0, where
        assert (folder / "r.run").read_bytes() == clean, where
        assert not (folder / "r.run.partial").exists(), where
        (folder / "r.run").unlink()
        fuzz.count("exact")


@pytest.mark.parametrize("changed", ["t.jsonl", "c/p.jsonl"])
def test_topics_and_index_that_changed_before_a_run_goes_on_are_seen(base: Path, tmp_path: Path, changed: str) -> None:
    folder = Path(shutil.copytree(base, tmp_path / "here"))
    build = ("index", "c", "--out", "i", "--quiet", "--workers", "1")
    words = ("run", "i", "t.jsonl", "--method", "tf", "--quiet")
    assert call(folder, *build).code == 0
    (folder / "r.run.partial").write_bytes(partial(folder, "i", SearchSettings(("tf",))))
    path = folder / changed
    path.write_text(path.read_text().replace("word1", "word5"))
    shutil.rmtree(folder / "i")  # built anew, it is again the first state, of the same names
    assert call(folder, *build).code == 0
    done = call(folder, *words, "--out", "r.run", "--resume", "--json")
    assert done.json["resumed"] < 3
    assert call(folder, *words, "--out", "clean.run").code == done.code
    assert (folder / "r.run").read_bytes() == (folder / "clean.run").read_bytes()
