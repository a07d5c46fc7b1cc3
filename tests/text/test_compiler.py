"""Kernels are compiled once per machine, and work without a writable cache."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from antecede.text.compiler import compile_kernel

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """
from antecede.text import BulkAnalyzer
from antecede.text.scanner import scan_words
from antecede.text.term_tables import count_terms
from antecede.text.vocabulary import look_up
BulkAnalyzer("fr").add(["Un clapet à ressort".encode()])
print(*(len(kernel.signatures) for kernel in (scan_words, look_up, count_terms)))
print(*(sum(kernel.stats.cache_hits.values()) for kernel in (scan_words, look_up, count_terms)))
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


def test_a_kernel_that_cannot_be_cached_is_still_compiled() -> None:
    names: dict[str, Any] = {}
    exec("def add_one(numbers):\n    numbers[0] += 1", names)  # noqa: S102  # a function without a file
    numbers = np.array([41], np.int64)
    compile_kernel(types.void(types.int64[::1]))(names["add_one"])(numbers)
    assert numbers.tolist() == [42]


def test_kernels_can_be_loaded_ahead_of_the_first_analyser() -> None:
    script = (
        "import sys; from antecede.text import load_kernels; tables = 'antecede.text.term_tables'; "
        "before = tables in sys.modules; load_kernels(); print(before, tables in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    assert done.stdout.split() == ["False", "True"]
