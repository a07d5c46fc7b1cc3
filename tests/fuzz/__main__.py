"""The random search: fuzzing tests and properties, round after round with another seed, until time is up.

    python -m tests.fuzz --minutes 20 [--seed 7] [PYTEST OPTIONS]

Each round draws a few test files and prints its seed and what failed; `--seed` with that number runs the same round
again. A find becomes an example test. The exit code is 1 if anything was found.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import secrets
import subprocess
import sys
import time
from pathlib import Path

CASES = re.compile(r"^\S+\.py\S*: (\d+) cases: ", re.MULTILINE)
FILES = 10
"""Test files of a round: it takes a minute or two, so that the time is kept."""
COUNTS = re.compile(r"^(?:\d+ \w+, )*(?:\d+ \w+)(?:, \d+ \w+)* in [\d.]+s.*$", re.MULTILINE)


NO_TESTS = 5
"""The exit code of pytest where a round has drawn files without such tests."""


def draw_files(seed: int) -> list[str]:
    """The test files of a round, of all that have properties or fuzzing tests."""
    tests = Path(__file__).parents[1]
    every = [path for path in sorted(tests.rglob("test_*.py")) if re.search("hypothesis|fuzz", path.read_text())]
    return [str(path) for path in random.Random(seed).sample(every, FILES)]  # noqa: S311 - not for cryptography


def run_round(seed: int, scale: float, more: list[str]) -> tuple[int, int, str]:
    """Run tests with a seed: the exit code, the number of generated files and calls, and what was printed."""
    words = [sys.executable, "-m", "pytest", "-m", "fuzz or hypothesis", "--numprocesses", "auto", *draw_files(seed)]
    words += ["--hypothesis-profile", "fuzz", "--hypothesis-seed", str(seed), "--tb", "short", *more]
    environment = {**os.environ, "ANTECEDE_FUZZ": str(scale), "ANTECEDE_FUZZ_SEED": str(seed)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    printed = done.stdout + done.stderr
    return done.returncode, sum(map(int, CASES.findall(printed))), printed


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=20, help="start no further round after so many minutes")
    parser.add_argument("--seed", type=int, help="run one round with this seed")
    parser.add_argument("--scale", type=float, default=1, help="times the cases of the fuzzing tests")
    given, more = parser.parse_known_args()
    begin, rounds, cases, failed = time.monotonic(), 0, 0, list[int]()
    while not rounds or (given.seed is None and time.monotonic() - begin < 60 * given.minutes):
        seed = secrets.randbelow(2**31) if given.seed is None else given.seed
        code, counted, printed = run_round(seed, given.scale, more)
        rounds, cases = rounds + 1, cases + counted
        print(f"seed {seed}: {counted} cases, {(COUNTS.findall(printed) or ['no summary'])[-1]}", flush=True)
        if code not in (0, NO_TESTS):
            failed.append(seed)
            print(printed, flush=True)
    print(f"{rounds} rounds, {cases} cases beside the properties, {time.monotonic() - begin:.0f} s; failed: {failed}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
