"""The real program in a process of its own, and a collection that keeps it busy for a while."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.index.worlds import WORDS, write

if TYPE_CHECKING:
    from pathlib import Path


def busy_collection(path: Path, seed: int, size: int, first: int) -> Path:
    """Patents with texts long enough that a few thousand of them are several chunks."""
    chance = random.Random(seed)  # noqa: S311
    words = [f"{chance.choice(WORDS)}{chance.choice('abcdefgh')}{chance.choice('klmnop')}" for _ in range(3000)]
    numbers = [number for number in range(first, first + size) for _ in range(1 + (number % 9 == 0))]
    chance.shuffle(numbers)
    return write(
        path,
        (
            {"doc_id": f"EP{1000000 + number}", "language": "en", "description": " ".join(chance.choices(words, k=900))}
            for number in numbers
        ),
    )


def program(*words: object) -> subprocess.Popen[bytes]:
    """The real program, begun."""
    line = [sys.executable, "-m", "antecede", *map(str, words), "--quiet"]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finish(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    """Its exit code and what it said on standard error."""
    _, said = process.communicate(timeout=600)
    return process.returncode, said.decode()
