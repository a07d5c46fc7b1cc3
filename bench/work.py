"""The runs and qrels every tool is given: simulated, CLEF-IP-shaped, made once and used again.

    python -P bench/work.py FOLDER RUNS TOPICS SEED

makes them unless FOLDER holds the same already, and prints its manifest as JSON. It is a program of its own
because the bench itself must stay small (see `measuring.measure`).
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from pathlib import Path

DEPTH = 1000
MANIFEST = "manifest.json"


def provide(folder: Path, runs: int, topics: int, seed: int) -> dict[str, object]:
    """Fill the folder, whole or not at all. It is made anew when the parameters or the simulation have changed."""
    from antecede.study import simulation

    wanted = {
        "runs": runs,
        "topics": topics,
        "depth": DEPTH,
        "seed": seed,
        "simulation": _fingerprint(Path(simulation.__file__).parent),
    }
    present = _present(folder)
    if present is not None and all(present.get(key) == value for key, value in wanted.items()):
        return present
    fresh = folder.with_name(folder.name + ".unfinished")
    for old in (fresh, folder):
        shutil.rmtree(old, ignore_errors=True)
    fresh.mkdir(parents=True)
    simulation.simulate(runs=runs, topics=topics, depth=DEPTH, seed=seed).write(fresh)
    files = sorted(fresh.glob("*.run"))
    made = wanted | {
        "files": [file.name for file in files],
        "bytes": sum(file.stat().st_size for file in files),
        "lines": sum(_lines(file) for file in files),
        "judged": _lines(fresh / "qrels.txt"),
    }
    (fresh / MANIFEST).write_text(json.dumps(made, indent=1) + "\n")
    fresh.replace(folder)
    return made


def _fingerprint(room: Path) -> str:
    """Changes with the code that draws the runs."""
    sources = [room / "simulation.py"]
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()


def _present(folder: Path) -> dict[str, object] | None:
    try:
        found: dict[str, object] = json.loads((folder / MANIFEST).read_text())
    except (FileNotFoundError, ValueError):
        return None
    return found


def _lines(file: Path) -> int:
    with file.open("rb") as stream:
        return sum(block.count(b"\n") for block in iter(lambda: stream.read(1 << 24), b""))


if __name__ == "__main__":
    json.dump(provide(Path(sys.argv[1]), *(int(value) for value in sys.argv[2:5])), sys.stdout)
