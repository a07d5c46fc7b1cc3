"""Compiled code is loaded only from folders that nobody else can write to."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from antecede import kernels
from antecede.errors import UsageError
from antecede.kernels import check_code_cache, find_risk

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="without users of POSIX")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that counts as one that others can enter, though the folder of all tests is not."""
    monkeypatch.setattr(kernels, "OTHERS_ENTER", 0o777)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make(folder: Path, mode: int) -> Path:
    folder.mkdir(parents=True)
    folder.chmod(mode)
    return folder


def test_only_a_folder_that_others_can_change_is_refused(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, sticky, open_to_all = (make(here / name, mode) for name, mode in (("own", 0o755), ("s", 0o1777), ("o", 0o777)))
    (here / "alias").symlink_to("own")
    (open_to_all / "link").symlink_to(own)
    (here / "out").symlink_to(open_to_all)
    (here / "cycle").symlink_to("cycle")
    for folder in (own, here / "alias", here / "none", make(sticky / "own", 0o700), here / "cycle"):
        assert find_risk(folder) is None
    for folder in (open_to_all, make(open_to_all / "inside", 0o700), open_to_all / "link", here / "out"):
        assert "others can write to" in str(find_risk(folder))
    assert find_risk(sticky) == f"others can write to {sticky}"
    assert find_risk(make(here / "group", 0o775)) == f"others can write to {here / 'group'}"
    user = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert "belongs to another user" in str(find_risk(own))


def test_what_others_cannot_enter_is_safe_from_them(tmp_path: Path) -> None:
    assert find_risk(make(make(tmp_path / "private", 0o700) / "open", 0o777)) is None


def test_the_folder_that_is_used_is_checked(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(here / "new"))
    check_code_cache()
    assert (here / "new").stat().st_mode & 0o777 == 0o700  # made before somebody else can make it
    (here / "new").chmod(0o777)
    with pytest.raises(UsageError, match="others can write to"):
        check_code_cache()
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setattr(kernels, "user_cache", lambda: here / "cache")
    check_code_cache()
    make(here / "cache/numba", 0o777)
    with pytest.raises(UsageError, match="cache/numba: compiled code is not loaded from there"):
        check_code_cache()
    (here / ".numba_config.yaml").touch()
    with pytest.raises(UsageError, match="numba would take settings from the current folder"):
        check_code_cache()


def test_a_folder_is_refused_before_numba_is_imported(here: Path) -> None:
    script = """
import sys
from antecede.errors import UsageError
try:
    import antecede.kernels
except UsageError as error:
    print("numba" in sys.modules, str(error).count("\\n"))
"""
    (here / ".numba_config.yaml").touch()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    assert done.stdout == "False 0\n"
