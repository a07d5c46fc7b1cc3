"""Compiled code is loaded only from folders that nobody else can write to."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from antecede import code_cache
from antecede.code_cache import check_code_caches, check_source_cache, find_risk
from antecede.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="without users of POSIX")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that counts as one that others can enter, though the folder of all tests is not."""
    monkeypatch.setattr(code_cache, "OTHERS_ENTER", 0o777)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make(folder: Path, mode: int) -> Path:
    folder.mkdir(parents=True)
    folder.chmod(mode)
    return folder


def test_a_folder_of_the_user_is_safe(here: Path) -> None:
    own = make(here / "own", 0o755)
    (own / "text_0" / "kernel.nbc").parent.mkdir()
    (own / "text_0" / "kernel.nbc").touch()
    (here / "alias").symlink_to("own")
    for folder in (own, here / "alias", here / "alias" / "text_0", here / "none"):
        assert find_risk(folder) is None


def test_a_folder_that_others_can_write_to_is_refused(here: Path) -> None:
    inside = make(make(here / "open", 0o777) / "inside", 0o700)
    assert find_risk(here / "open") == find_risk(inside) == f"others can write to {here / 'open'}"
    sticky = make(here / "sticky", 0o1777)
    assert find_risk(sticky) == f"others can write to {sticky}"
    assert find_risk(make(sticky / "own", 0o700)) is None
    assert find_risk(make(here / "group", 0o775)) == f"others can write to {here / 'group'}"


def test_a_folder_behind_a_link_that_others_can_change_is_refused(here: Path) -> None:
    own = make(here / "own", 0o700)
    (make(here / "open", 0o755) / "link").symlink_to(own)
    (here / "open").chmod(0o777)
    assert find_risk(here / "open" / "link") == f"others can write to {here / 'open'}"
    (here / "out").symlink_to(here / "open")
    assert find_risk(here / "out") == f"others can write to {here / 'open'}"
    (here / "cycle").symlink_to("cycle")
    assert find_risk(here / "cycle") is None  # nothing can be loaded from there


def test_links_and_files_of_others_inside_are_refused(here: Path) -> None:
    own = make(here / "own", 0o755)
    (own / "antecede").symlink_to(here)
    assert find_risk(own) == f"{own / 'antecede'} is a link"
    (own / "antecede").unlink()
    file = make(own / "text_0", 0o755) / "kernel.nbc"
    file.touch()
    file.chmod(0o666)
    assert find_risk(own) == f"others can write to {file}"


def test_what_others_cannot_enter_is_safe_from_them(tmp_path: Path) -> None:
    private = make(tmp_path / "private", 0o700)
    assert find_risk(make(private / "open", 0o777)) is None


def test_a_folder_of_another_user_is_refused(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert "belongs to another user" in str(find_risk(make(here / "own", 0o700)))


def test_the_folders_that_are_used_are_checked(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(here / "new"))
    check_code_caches()
    assert (here / "new").stat().st_mode & 0o777 == 0o700  # made before somebody else can make it
    (here / "new").chmod(0o777)
    with pytest.raises(UsageError, match="others can write to") as raised:
        check_code_caches()
    assert "\n" not in str(raised.value)
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setattr(code_cache, "user_cache", lambda: str(here / "cache"))
    check_code_caches()
    make(here / "cache/numba", 0o777)
    with pytest.raises(UsageError, match="cache/numba: compiled code is not loaded from there"):
        check_code_caches()
    (here / ".numba_config.yaml").touch()
    with pytest.raises(UsageError, match="numba would take settings from the current folder"):
        check_code_caches()


def test_a_cache_beside_the_source_is_as_safe_as_the_source(here: Path) -> None:
    source, cache = here / "kernels.py", here / "__pycache__"
    check_source_cache(str(source))
    make(cache, 0o755)
    check_source_cache(str(source))
    cache.chmod(0o775)
    with pytest.raises(UsageError, match="others can change it"):
        check_source_cache(str(source))
    here.chmod(0o775)  # whoever can write to the source need not write to its cache
    check_source_cache(str(source))


def test_a_folder_is_refused_before_numba_is_imported(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    script = """
import sys
from antecede.errors import UsageError
try:
    import antecede.kernels
except UsageError as error:
    print("numba" in sys.modules, "is a link" in str(error))
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    words = [sys.executable, "-c", script]
    done = subprocess.run(words, env=environment, capture_output=True, check=True, text=True)
    assert done.stdout == "False True\n"
