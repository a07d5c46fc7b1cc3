"""Files are written whole or not at all, and what a killed writer leaves is recognised; inputs are never outputs."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from antecede.errors import UsageError
from antecede.experiment.cache import lock_folder
from antecede.files import TEMPORARY, WholeFile, cannot_write, clear_temporary, input_at, write_whole

if TYPE_CHECKING:
    from pathlib import Path

KILLED = """
import os, signal, sys
from antecede.files import write_whole
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
    assert TEMPORARY.fullmatch(stray.name)


def test_an_experiment_clears_what_killed_ones_left_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "experiment"
    with lock_folder(folder):
        pass
    runs = folder / "parts" / "en" / "runs"
    runs.mkdir(parents=True)
    strays = [killed_while_writing(at / "x.json") for at in (folder, folder / "steps", runs)]
    names = (".gitignore", ".keep.txt", "a.abcdefgh", ".notes.markdown", ".x.abcdefgh", ".antecede-notes.markdown")
    own = [at / name for at in (folder, folder / "steps", runs) for name in names]
    mine = folder / "mine"
    mine.mkdir()
    own.append(mine / strays[0].name)  # not in a folder that the experiment made
    for path in own:
        path.write_text("mine")
    with lock_folder(folder):
        assert not any(path.exists() for path in strays)
    assert all(path.read_text() == "mine" for path in own)


def test_links_and_folders_with_temporary_names_stay(tmp_path: Path) -> None:
    elsewhere, inside = tmp_path / "elsewhere", tmp_path / "inside"
    name = ".antecede-0123456789abcdef.tmp"
    for folder in (elsewhere, inside, inside / name.replace("0", "f")):
        folder.mkdir()
    (elsewhere / name).touch()
    (inside / "link").symlink_to(elsewhere)
    (inside / name).symlink_to(elsewhere / name)
    clear_temporary(inside, inside / "not there")
    assert (elsewhere / name).exists()
    assert len([*inside.iterdir()]) == 3


def test_a_new_file_has_the_rights_of_any_other_and_a_replaced_one_keeps_its_own(tmp_path: Path) -> None:
    longest = tmp_path / ("特" * 85)
    write_whole(longest, b"x")
    assert longest.read_bytes() == b"x"
    write_whole(tmp_path / "a", b"")
    (tmp_path / "b").touch()
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode
    (tmp_path / "a").chmod(0o600)
    write_whole(tmp_path / "a", b"new")
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "a"
    path.write_bytes(b"old")
    with suppress(ZeroDivisionError), WholeFile(path) as file:
        file.write(b"new")
        raise ZeroDivisionError
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match=r"a: cannot be written .No space left"):
        write_whole(path, b"new")
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("a", b"old")]


def test_a_link_or_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    # Renaming a file over it would break /dev/stdout or /dev/null for everybody.
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(tmp_path / "file")
    write_whole(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "file").read_bytes() == b"new"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(pipe.read_bytes)
        write_whole(pipe, b"new")
        assert reader.result(600) == b"new"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_place_that_cannot_be_written_to_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot be written \(No such file or directory\); create the folder first"):
        write_whole(tmp_path / "nowhere" / "a", b"")
    with pytest.raises(UsageError, match=r"\(No space left on device\); free some space"):
        write_whole("/dev/full", b"data")
    with pytest.raises(UsageError, match="is a folder"):
        write_whole(tmp_path, b"")


def test_the_remedy_fits_the_error() -> None:
    for number, remedy in (
        (errno.ENOSPC, "free some space"),
        (errno.EACCES, "check the permissions"),
        (errno.EROFS, "choose another place"),
        (errno.EFBIG, "ulimit -f"),
        (errno.EIO, "check the disk"),
        (errno.ENAMETOOLONG, "shorter name"),
    ):
        message = str(cannot_write("x", OSError(number, os.strerror(number))))
        assert remedy in message
        assert ("space" in message) == (number == errno.ENOSPC)


def test_an_input_is_found_behind_every_name(tmp_path: Path) -> None:
    folder = tmp_path / "collection"
    (folder / "deep").mkdir(parents=True)
    read = folder / "deep" / "a.xml"
    read.write_text("x")
    other = tmp_path / "other"
    other.write_text("y")
    (tmp_path / "hard").hardlink_to(read)
    (tmp_path / "soft").symlink_to(read)
    (tmp_path / "way").symlink_to(folder)
    (folder / "out").symlink_to(other)
    for path in (read, tmp_path / "hard", tmp_path / "soft", tmp_path / "way" / "deep" / "a.xml"):
        assert input_at(path, [read]) == read
        assert input_at(path, [folder]) == folder
    for path in (folder, folder / "new", tmp_path / "way" / "new" / "er", other, folder / ".." / "collection" / "x"):
        assert input_at(path, [tmp_path / "not there", folder]) == folder
    for path in (tmp_path / "new", tmp_path / "collection2", tmp_path):
        assert input_at(path, [folder, read]) is None


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "again").symlink_to(tmp_path / "in")
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    (tmp_path / "out").touch()
    assert input_at(tmp_path / "out", [tmp_path / "in", tmp_path / "a"]) is None
    assert input_at(tmp_path / "a", [tmp_path / "in"]) is None
    with pytest.raises(UsageError, match="cannot be written"):
        write_whole(tmp_path / "a", b"")
