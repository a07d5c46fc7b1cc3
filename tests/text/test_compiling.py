"""Kernels are compiled once a machine, and work where nothing can be kept."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from antecede.text.compiling import compiled

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """
from antecede.text import BulkAnalyzer
from antecede.text.cutting import cut
from antecede.text.kernels import count, look_up
BulkAnalyzer("fr").add(["Un clapet à ressort".encode()])
print(*(len(kernel.signatures) for kernel in (cut, look_up, count)))
print(*(sum(kernel.stats.cache_hits.values()) for kernel in (cut, look_up, count)))
"""


def test_nothing_is_compiled_twice(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    call = [sys.executable, "-c", SCRIPT]
    first, second = (
        subprocess.run(call, env=environment, capture_output=True, check=True, text=True).stdout.splitlines()
        for _ in range(2)
    )
    assert first == ["1 1 1", "0 0 0"]
    assert second == ["1 1 1", "1 1 1"]


def test_a_kernel_that_cannot_be_kept_is_compiled_all_the_same() -> None:
    names: dict[str, Any] = {}
    exec("def add_one(numbers):\n    numbers[0] += 1", names)  # noqa: S102  # a function without a file
    numbers = np.array([41], np.int64)
    compiled(types.void(types.int64[::1]))(names["add_one"])(numbers)
    assert numbers.tolist() == [42]
