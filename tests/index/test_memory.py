"""Where memory is short, a command ends in one line and exit code 2; it neither hangs nor blames the index."""

from __future__ import annotations

import resource
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from antecede.index import build_index
from tests.index.worlds import each_once, write

if TYPE_CHECKING:
    from pathlib import Path

MB = 1 << 20


@pytest.mark.parametrize("size", [150, 250, 350, 400, 425, 500])
def test_a_small_address_space_ends_in_one_line(tmp_path: Path, size: int) -> None:
    build_index(write(tmp_path / "a.jsonl", each_once(1, 20)), tmp_path / "index", workers=1)
    done = subprocess.run(
        [sys.executable, "-m", "antecede", "verify", str(tmp_path / "index")],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size * MB, size * MB)),
    )
    assert done.returncode in (0, 2), done.stderr
    if done.returncode:
        assert done.stderr.startswith("antecede: ")
        assert done.stderr.count("\n") == 1
    assert "damaged" not in done.stdout + done.stderr


def test_numba_is_loaded_without_scipy() -> None:
    code = "import sys, antecede.index.index, antecede.search, antecede.text.bulk; print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
