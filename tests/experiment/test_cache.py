"""Steps are kept while what they depend on and what they wrote is the same, by content, and say why they are not."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from antecede.errors import InputError
from antecede.experiment.cache import Digests, StepEvent, StepResult, StepRunner, digest, files_in

if TYPE_CHECKING:
    from pathlib import Path


class Bench:
    """A step that writes one file, as often as it is made."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.made = folder, 0
        (folder / "steps").mkdir(exist_ok=True)
        self.events: list[StepEvent] = []

    def run(self, *, dry: bool = False, **depends: Any) -> StepEvent:
        steps = StepRunner(self.folder, self.events.append, dry=dry)

        def make() -> StepResult:
            self.made += 1
            (self.folder / "out.txt").write_text(json.dumps(depends))
            return StepResult([self.folder / "out.txt"], {"n": self.made})

        stamp = steps.run("a step", depends, make)
        assert stamp.pending or stamp.facts == {"n": self.made}
        return self.events[-1]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_step_is_made_once_and_again_when_something_changes(bench: Bench) -> None:
    assert (bench.run(terms=75, file="sha256:a").state, bench.made) == ("made", 1)
    assert bench.run(terms=75, file="sha256:a").state == "kept"
    assert bench.run(terms=50, file="sha256:a").why == "terms: 75 → 50"
    assert bench.run(terms=50, file="sha256:b").why == "file changed"
    assert bench.run(terms=50, file="sha256:b", plan={"k": 1}).why == 'plan: null → {"k": 1}'
    assert bench.run(terms=50, file="sha256:b", plan={"k": 2}).why == "plan.k: 1 → 2"
    assert (bench.run(terms=50, file="sha256:b", plan={"k": 2}).state, bench.made) == ("kept", 5)
    lines = [json.loads(line) for line in (bench.folder / "log.jsonl").read_text().splitlines()]
    assert [line["state"] for line in lines] == ["made", "kept", "made", "made", "made", "made", "kept"]
    assert {*lines[0]} == {"time", "step", "state", "why", "seconds"}


def test_another_version_makes_it_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.run(a=1)
    monkeypatch.setattr("antecede.experiment.cache.version", lambda _: "99")
    assert bench.run(a=1).why.startswith("antecede: ")


def test_what_it_wrote_is_looked_at(bench: Bench) -> None:
    bench.run(a=1)
    (bench.folder / "out.txt").unlink()
    assert bench.run(a=1).why == "out.txt is missing"
    (bench.folder / "out.txt").write_text("edited")
    assert bench.run(a=1).why == "out.txt was modified"
    assert bench.run(a=1).state == "kept"


def test_steps_begun_in_a_pool_leave_the_same_stamps_and_end_in_the_order_they_are_waited_for(tmp_path: Path) -> None:
    def make() -> StepResult:
        (tmp_path / "out.txt").write_text("the same")
        return StepResult([tmp_path / "out.txt"], {"n": 1})

    (tmp_path / "steps").mkdir()
    events: list[StepEvent] = []
    with ThreadPoolExecutor(2) as pool:
        runner = StepRunner(tmp_path, events.append, pool=pool)
        runner.total = 4
        ends = [runner.begin(name, {"a": 1}, make) for name in ("first", "second")]
        assert not events
        stamps = [end() for end in reversed(ends)]
    assert [event.step for event in events] == ["second", "first"]
    assert [event.share for event in events] == [0.25, 0.5]
    assert [runner.run(name, {"a": 1}, make) for name in ("second", "first")] == stamps
    assert [event.state for event in events] == ["made", "made", "kept", "kept"]


def test_a_dry_run_makes_nothing(bench: Bench) -> None:
    event = bench.run(a=1, dry=True)
    assert (event.state, event.why, bench.made) == ("to be made", "not made before", 0)
    assert [*bench.folder.iterdir()] == [bench.folder / "steps"]


def test_a_damaged_stamp_is_none(bench: Bench) -> None:
    bench.run(a=1)
    stamp = bench.folder / "steps" / "a-step.json"
    whole = stamp.read_bytes()
    other = json.loads(whole)
    other["step"] = "b"
    other["sha256"] = digest({name: each for name, each in other.items() if name != "sha256"})
    for noise in (b"{", b'{"step": 1}', b"[]", whole.replace(b'{"n": 1}', b'{"n": 2}'), json.dumps(other).encode()):
        assert noise != whole
        stamp.write_bytes(noise)
        assert bench.run(a=1).why == "not made before"


def test_files_are_told_apart_by_what_they_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a"
    digests = Digests(tmp_path / "digests.json")
    file.write_bytes(b"one")
    first = digests.of_file(file)
    stamp = file.stat().st_mtime_ns
    file.write_bytes(b"two")
    os.utime(file, ns=(stamp, stamp))  # the same size and time, within the moment that clocks cannot tell
    second = digests.of_file(file)
    assert first != second
    assert not digests.known  # changed a moment ago
    monkeypatch.setattr("antecede.experiment.cache.SETTLED", -1)
    assert digests.of_file(file) == second
    digests.save()
    assert Digests(tmp_path / "digests.json").known[str(file)][-1] == second
    for noise in ("noise", "[]", (tmp_path / "digests.json").read_text().replace(second, first)):
        (tmp_path / "digests.json").write_text(noise)
        assert Digests(tmp_path / "digests.json").known == {}
    assert Digests(tmp_path / "digests.json").of_file(file) == second
    with pytest.raises(InputError, match="cannot be read"):
        digests.of_file(tmp_path / "none")


@pytest.mark.parametrize("way", ["written", "moved there", "hard link", "link"])
def test_a_change_is_seen_whatever_the_dates_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    monkeypatch.setattr("antecede.experiment.cache.SETTLED", -1)
    file, other = tmp_path / "a", tmp_path / "b"
    file.write_bytes(b"one")
    other.write_bytes(b"two")
    shutil.copystat(file, other)
    digests = Digests(tmp_path / "digests.json")
    first = digests.of_file(file)
    assert digests.known[str(file)][-1] == first
    time.sleep(0.02)  # more than a tick of the clock that stamps files
    if way == "written":
        before = file.stat()
        file.write_bytes(b"two")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert file.stat().st_mtime_ns == before.st_mtime_ns
    elif way == "moved there":
        other.replace(file)
    else:
        file.unlink()
        file.hardlink_to(other) if way == "hard link" else file.symlink_to(other)
    assert digests.of_file(file) == f"sha256:{hashlib.sha256(b'two').hexdigest()}" != first


def test_a_folder_is_its_files_and_their_names_also_behind_links(tmp_path: Path) -> None:
    digests, folder, behind = Digests(tmp_path / "digests.json"), tmp_path / "f", tmp_path / "behind"
    folder.mkdir()
    behind.mkdir()
    (folder / "b").write_text("1")
    (behind / "a").write_text("1")
    (folder / "link").symlink_to(behind)
    (behind / "circle").symlink_to(folder)
    assert [name for name, _ in files_in(folder)] == ["b", "link/a"]
    first = digests.of_paths([folder])
    (behind / "a").write_text("2")
    assert digests.of_paths([folder]) != first
    (behind / "a").write_text("1")
    (folder / "b").rename(folder / "c")
    assert digests.of_paths([folder]) != first
    (folder / "c").rename(folder / "b")
    assert digests.of_paths([folder]) == first


def test_a_folder_that_cannot_be_read_is_an_error_and_not_an_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deep").mkdir()
    scan = os.scandir

    def refuse(path: Any) -> Any:
        if str(path).endswith("deep"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(PermissionError, match="deep"):
        files_in(tmp_path)
