"""Kernels are compiled once per machine, release the interpreter lock, and work where nothing can be kept on disk."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import antecede
from antecede.kernels import count_trailing_zeros, kernel, load_eight, read_only

PACKAGE = Path(antecede.__file__).parent
SCRIPT = """
import numpy as np
from antecede.index.codec import numbers_into
from antecede.kernels import announced
with announced(lambda: print("compiles")):
    numbers_into(np.zeros(1, np.uint8), np.zeros(1, np.uint64))
print(sum(numbers_into.stats.cache_hits.values()))
"""


@pytest.mark.slow
def test_nothing_is_compiled_twice(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for printed in (["compiles", "0"], ["1"]):
        words = [sys.executable, "-c", SCRIPT]
        done = subprocess.run(words, env=environment, capture_output=True, check=True, text=True)
        assert done.stdout.split() == printed


def test_a_kernel_that_cannot_be_kept_is_still_compiled() -> None:
    names: dict[str, Any] = {}
    exec("def add_one(numbers):\n    numbers[0] += 1", names)  # noqa: S102 - without a file there is no folder for it
    numbers = np.array([41])
    kernel(names["add_one"])(numbers)
    assert numbers.tolist() == [42]


def test_the_interpreter_lock_is_released() -> None:
    @kernel
    def wait(flag: Any) -> int:
        rounds = 0
        while flag[0] == 0 and rounds < 1 << 40:
            rounds += 1
            flag[1] = rounds
        return rounds

    flag = np.zeros(2, np.int64)
    wait(np.ones(2, np.int64))  # compiled
    thread = threading.Thread(target=wait, args=(flag,))
    thread.start()
    flag[0] = 1  # this line is reached only if the kernel does not hold the lock
    thread.join(600)
    assert not thread.is_alive()


def test_bytes_and_bits() -> None:
    data = read_only(np.arange(1, 30, dtype=np.uint8))
    assert load_eight(data, np.uint64(3)) == int.from_bytes(bytes(range(4, 12)), "little")
    assert count_trailing_zeros(np.uint64(0)) == 64
    for place in range(64):
        assert count_trailing_zeros(np.uint64(1 << place | 1 << 63)) == place


def test_kernels_call_functions_of_their_own_module_only() -> None:
    """numba would not compile them anew when a function in another file has changed."""
    for path in PACKAGE.rglob("*.py"):
        if "\n@kernel\n" not in path.read_text():
            continue
        module = importlib.import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))
        kernels = [each for each in vars(module).values() if hasattr(each, "py_func")]
        own = {each.__name__ for each in kernels if each.__module__ in (module.__name__, "antecede.kernels")}
        for each in kernels:
            if each.__module__ == module.__name__:
                used = {*each.py_func.__code__.co_names} & {other.__name__ for other in kernels}
                assert used <= own, (module.__name__, each.__name__)
