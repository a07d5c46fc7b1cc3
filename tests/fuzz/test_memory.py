"""Address spaces of any size: a command ends well, or in one line and exit code 2."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING

import pytest

from antecede.index import build_index
from tests.index.worlds import each_once, write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fuzz.outcomes import Fuzz

MB = 1 << 20


@pytest.mark.skipif("ANTECEDE_FUZZ_SEED" not in os.environ, reason="where memory ends differs from run to run")
def test_a_small_address_space_ends_in_one_line(tmp_path: Path, fuzz: Fuzz) -> None:
    resource = pytest.importorskip("resource", reason="no limit can be set here")
    build_index(write(tmp_path / "a.jsonl", each_once(1, 20)), tmp_path / "index", workers=1)
    for number, chance in fuzz.cases(20):
        size = chance.randint(150, 500) * MB
        done = subprocess.run(
            [sys.executable, "-m", "antecede", "verify", str(tmp_path / "index")],
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
            preexec_fn=partial(resource.setrlimit, resource.RLIMIT_AS, (size, size)),
        )
        assert done.returncode in (0, 2), (number, done.stderr)
        fuzz.count("refused" if done.returncode else "verified")
        if done.returncode:
            assert done.stderr.startswith("antecede: ")
            assert done.stderr.count("\n") == 1
        assert "damaged" not in done.stdout + done.stderr
