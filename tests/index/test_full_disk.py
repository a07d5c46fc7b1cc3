"""Out of room, a build ends in one clear line, and the index is as it was."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from antecede.index import add_to_index, build_index, verify_index
from tests.conftest import call_program
from tests.index.worlds import all_bytes, busy_collection, each_once, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.kill


@contextmanager
def limited(size: int) -> Iterator[None]:
    """No file may grow beyond a size, here and in processes begun here: what a full disk does, but for its errno."""
    resource = pytest.importorskip("resource", reason="no limit can be set here")
    kept = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, kept[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, kept)


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection of two chunks."""
    return busy_collection(tmp_path_factory.mktemp("busy") / "b.jsonl", 2, 800, 1200)


@pytest.mark.parametrize(("size", "workers"), [(100, 1), (100_000, 2), (700_000, 1), (2_000_000, 1)])
def test_files_that_cannot_grow_end_in_one_clear_line(tmp_path: Path, busy: Path, size: int, workers: int) -> None:
    index = tmp_path / "index"
    build_index(write(tmp_path / "a.jsonl", each_once(1, 20)), index, workers=1)
    before = all_bytes(index)
    with limited(size):
        done = call_program("add", index, busy, "--quiet", "--workers", workers)
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert str(index) in done.err
    assert "written" in done.err
    assert before.items() <= all_bytes(index).items()
    assert verify_index(index).ok
    add_to_index(index, busy, workers=1, resume=True)
    assert verify_index(index).ok


def test_sqlite_says_when_the_disk_is_full(tmp_path: Path) -> None:
    code = (
        "import resource, sys; from pathlib import Path; from antecede.index.documents import write_metadata\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))\n"
        "rows = ((f'd{n}', f'd{n}', None, 'title' * 20, 'en', *[None] * 4, *[''] * 5) for n in range(5000))\n"
        "try: write_metadata(Path(sys.argv[1]) / 'x.sqlite', rows)\n"
        "except OSError as error: print(error.errno)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, check=False)
    assert (done.stdout.decode().strip(), done.stderr) == ("28", b"")
