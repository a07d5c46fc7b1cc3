"""Runs of a cluster of three nodes and of an index in a folder, compared byte by byte: every query method and model.

python -m tests.opensearch.equal_runs COLLECTION --topics QRELS [--first 100] [--shards 1,3,6] [--only NAME,…]

The topics are patents of the collection, such as those that qrels name. Exit code 1 where a run differs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from filecmp import cmp
from pathlib import Path

from antecede.query.methods import METHODS
from antecede.search.models import MODELS
from tests.opensearch.local_cluster import LocalCluster, NoClusterError

OTHER_PARAMETERS = ("bm25(k1=0.4,b=0.9)", "bm25(k1=3,b=0.1)", "bm25(b=0)", "bm25(k1=0)")


def searches() -> dict[str, list[str]]:
    """The options of each search that is compared, by name."""
    found: dict[str, list[str]] = {"default": [], "classic": ["--ranking", "classic"]}
    found["methods"] = ["--method", ",".join(sorted(METHODS))]  # a folder with one run each
    return found | {f"model {name}": ["--model", name] for name in (*sorted(MODELS), *OTHER_PARAMETERS)}


def antecede(*words: object) -> float:
    """Call the program; the seconds that it took."""
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "antecede", *map(str, words)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(f"antecede {' '.join(map(str, words))}\n{done.stdout}{done.stderr}", flush=True)
        raise SystemExit(1)
    return time.monotonic() - begun


def name_topics(qrels: Path, first: int, out: Path) -> int:
    """Write the names of the first topics of qrels, one per line."""
    names = [*dict.fromkeys(line.split()[0] for line in qrels.read_text().splitlines() if line.strip())][:first]
    out.write_text("".join(f"{name}\n" for name in names))
    return len(names)


def compare(folder: Path, places: dict[str, object], topics: Path, chosen: dict[str, list[str]]) -> int:
    """Make the runs of every index, and compare each with that of the first; how many differ."""
    wrong = 0
    for name, how in chosen.items():
        outs = {place: folder / f"{name}-{place}".replace(" ", "-") for place in places}
        seconds = [
            antecede("run", index, topics, "--out", outs[place], "--quiet", *how) for place, index in places.items()
        ]
        times = ", ".join(f"{place} {each:.0f} s" for place, each in zip(places, seconds, strict=True))
        print(f"{name}: {times}", flush=True)
        wrong += sum(compare_files(name, *files) for files in zip(*map(list_runs, outs.values()), strict=True))
    return wrong


def list_runs(out: Path) -> list[Path]:
    """The runs that a search wrote: one file, or a folder of them."""
    return sorted(out.iterdir()) if out.is_dir() else [out]


def compare_files(name: str, first: Path, *others: Path) -> bool:
    """Whether one of some runs is not the same file as the first."""
    differing = [each.parent.name if each.parent.name.startswith(name) else each.name for each in others
                 if not cmp(first, each, shallow=False)]  # fmt: skip
    said = f"DIFFERENT: {', '.join(differing)}" if differing else f"the same {1 + len(others)} times"
    with first.open("rb") as lines:
        print(f"  {first.name}: {said}, {sum(1 for _ in lines)} lines", flush=True)
    return bool(differing)


def main() -> int:
    """Load, search, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--topics", type=Path, required=True)
    parser.add_argument("--first", type=int, default=100)
    parser.add_argument("--shards", default="1,3,6")
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    chosen = {name: how for name, how in searches().items() if not given.only or name in given.only.split(",")}
    with tempfile.TemporaryDirectory(prefix="antecede-equal-runs-") as name:
        folder = Path(name)
        try:
            cluster = LocalCluster.start(folder / "nodes")
        except NoClusterError as error:
            print(error, file=sys.stderr)
            return 2
        try:
            number = name_topics(given.topics, given.first, folder / "topics.txt")
            places: dict[str, object] = {"folder": folder / "index"}
            spent = antecede("index", given.collection, "--out", folder / "index", "--quiet")
            print(f"{number} topics; index in a folder: {spent:.0f} s", flush=True)
            for shards in map(int, given.shards.split(",")):
                address = places[f"{shards} shards"] = cluster.address(f"equal-{shards}")
                spent = antecede(
                    "index", given.collection, "--out", address, "--shards", shards, "--replicas", 1, "--quiet"
                )
                print(f"{shards} shards, 1 replica: {spent:.0f} s", flush=True)
            wrong = compare(folder, places, folder / "topics.txt", chosen)
            print(f"{len(chosen)} searches, {wrong} different", flush=True)
            return 1 if wrong else 0
        finally:
            cluster.stop()


if __name__ == "__main__":
    os.environ.setdefault("PYTHONPATH", os.pathsep.join(sys.path))
    sys.exit(main())
