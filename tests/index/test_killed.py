"""Killed at any instant, an index is the old one or the new; and a killed worker is told of."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from multiprocessing import active_children
from typing import TYPE_CHECKING

import pytest

from antecede.errors import UsageError
from antecede.index import build_index
from antecede.index.build import ChunkWorkers
from antecede.index.chunk import BuildSettings, ChunkMaker
from antecede.text.profiles import load_profile
from tests.conftest import ROOT
from tests.index.worlds import all_bytes, busy_collection

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.kill
KILLS = int(os.environ.get("ANTECEDE_KILLS", "1"))
"""A quarter of how often each kind of work is killed."""
CHUNKS = 800
"""Busy documents enough for two chunks, so that there is work for two processes."""


def test_killed_at_any_file_operation_it_is_the_old_index_or_the_new(tmp_path: Path) -> None:
    """One process tries them all, since it takes longer to load everything than to try one of them."""
    names = ("index", "overwrite", "add", "merge", "tiers", "space", "extend", "relearn")
    words = [sys.executable, "-m", "tests.index.killing", str(tmp_path), str(4 * KILLS), *names]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, check=False)
    found = json.loads(done.stdout)
    assert {name: each["wrong"] for name, each in found.items()} == {name: [] for name in names}
    assert all(each["kills"] >= 4 for each in found.values()), found
    assert all(each["new"] for each in found.values()), found  # the last operation is one of clearing up


def kill_first_child() -> None:
    """Kill the first process that this one starts."""
    while not (children := active_children()):
        time.sleep(0.01)
    children[0].kill()


def test_a_killed_worker_is_one_clear_line(tmp_path: Path) -> None:
    path = busy_collection(tmp_path / "a.jsonl", 1, CHUNKS, 0)
    killer = threading.Thread(target=kill_first_child)
    killer.start()
    with pytest.raises(UsageError, match=r"a worker process was terminated.*resume=True"):
        build_index(path, tmp_path / "index", workers=2)
    killer.join()
    assert not active_children()
    build_index(path, tmp_path / "index", workers=1, resume=True)
    build_index(path, tmp_path / "other", workers=1)
    assert all_bytes(tmp_path / "index") == all_bytes(tmp_path / "other")


def test_an_error_in_a_worker_is_that_of_the_build(tmp_path: Path) -> None:
    paths = (tmp_path / "first", tmp_path / "nowhere" / "chunk", tmp_path / "chunk")
    with ChunkWorkers(2, BuildSettings(load_profile("default"))) as workers:
        _, failed, made = (workers.submit(ChunkMaker.make, [], path) for path in paths)
        with pytest.raises(OSError, match="No such file"):
            failed.result()
        assert made.result()["read"] == 0


def test_a_script_without_a_guard_is_told_so_and_standard_input_needs_none(tmp_path: Path) -> None:
    busy_collection(tmp_path / "a.jsonl", 1, CHUNKS, 0)
    script = tmp_path / "script.py"
    script.write_text("from antecede.index import build_index\nbuild_index('a.jsonl', 'index', workers=2)\n")
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith('; a script must build an index below `if __name__ == "__main__":`')
    shutil.rmtree(tmp_path / "index")
    subprocess.run([sys.executable], input=script.read_bytes(), cwd=tmp_path, check=True)
