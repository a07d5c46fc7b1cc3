"""Files are written whole or not at all, and what a killed writer leaves is cleared away."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from antecede.errors import UsageError
from antecede.experiment.folder import claimed
from antecede.whole_files import PASSING, clear_strays, write_whole

if TYPE_CHECKING:
    from pathlib import Path

KILLED = """
import os, signal, sys
from antecede.whole_files import write_whole
os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
write_whole(sys.argv[1], b"half")
"""


def killed_while_writing(path: Path) -> Path:
    """What is left by a process that was killed while it wrote a file."""
    before = {*path.parent.iterdir()}
    assert subprocess.run([sys.executable, "-c", KILLED, path], check=False).returncode == -signal.SIGKILL
    (left,) = {*path.parent.iterdir()} - before
    return left


def test_a_killed_writer_leaves_the_old_file_and_a_stray_one(tmp_path: Path) -> None:
    path = tmp_path / "scores.json"
    write_whole(path, b"old")
    stray = killed_while_writing(path)
    assert path.read_bytes() == b"old"
    assert PASSING.fullmatch(stray.name)


def test_an_experiment_clears_what_killed_ones_left(tmp_path: Path) -> None:
    folder = tmp_path / "experiment"
    with claimed(folder):
        pass
    strays = [killed_while_writing(folder / "steps" / "run.json"), killed_while_writing(folder / "record.json")]
    own = [folder / name for name in (".gitignore", ".keep.txt", "a.abcdefgh")]
    for path in own:
        path.touch()
    with claimed(folder):
        assert not any(path.exists() for path in strays)
    assert all(path.exists() for path in own)


def test_nothing_outside_is_cleared(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".run.abcdefgh").touch()
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link").symlink_to(elsewhere)
    (inside / ".link.abcdefgh").symlink_to(elsewhere / ".run.abcdefgh")
    clear_strays(inside)
    assert (elsewhere / ".run.abcdefgh").exists()
    assert (inside / ".link.abcdefgh").is_symlink()


def test_a_new_file_has_the_rights_of_any_other(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", b"")
    (tmp_path / "b").touch()
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_a_place_that_cannot_be_written_to_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot be written \(No such file or directory\)"):
        write_whole(tmp_path / "nowhere" / "a", b"")
