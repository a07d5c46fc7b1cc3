"""Runs of a cluster of three nodes and of an index in a folder, compared byte by byte: every query method and model.

python -m tests.opensearch.equal_runs [COLLECTION --topics QRELS] [--first 100] [--shards 1,3,6] [--only NAME …]

The topics are patents of the collection, such as those that qrels name; without a collection a small one is made. A
table is printed: for each search the lines of the run, whether those of the clusters are equal, the seconds, and the
certificates. Exit code 1 where one is not.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from filecmp import cmp
from pathlib import Path

from antecede.models import MODELS
from antecede.query.methods import METHODS
from tests.opensearch.local_cluster import LocalCluster, NoClusterError

OTHER_PARAMETERS = ("bm25(k1=0.4,b=0.9)", "bm25(k1=3,b=0.1)", "bm25(b=0)", "bm25(k1=0)")
SEARCHES: dict[str, list[str]] = {
    "default": [],
    "classic": ["--ranking", "classic"],
    **{f"method {name}": ["--method", name] for name in sorted(METHODS)},
    **{f"model {name}": ["--model", name] for name in (*sorted(MODELS), *OTHER_PARAMETERS)},
}
"""The options of each search that is compared, by name."""


def antecede(*words: object) -> tuple[float, str]:
    """Call the program; the seconds that it took, and what it printed."""
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "antecede", *map(str, words)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(f"antecede {' '.join(map(str, words))}\n{done.stdout}{done.stderr}", flush=True)
        raise SystemExit(1)
    return time.monotonic() - begun, done.stdout


def compare(folder: Path, places: dict[str, object], topics: Path, chosen: list[str]) -> int:
    """Make the runs of every index, and compare each with that of the first; how many differ."""
    wrong = 0
    print(f"| search | lines | {' | '.join(places)} | candidates at most | widened |", flush=True)
    print(f"|---|---:|{'---:|' * (len(places) + 2)}", flush=True)
    for name in chosen:
        outs = {place: folder / f"{name}-{place}".replace(" ", "-") for place in places}
        cells, certificates, expected = [], list[dict[str, int]](), list[Path]()
        for place, index in places.items():
            spent, said = antecede("run", index, topics, "--out", outs[place], "--quiet", "--json", *SEARCHES[name])
            certificates += find_certificates(json.loads(said))
            runs = sorted(outs[place].iterdir()) if outs[place].is_dir() else [outs[place]]  # one for each language
            expected = expected or runs
            different = sum(not cmp(*pair, shallow=False) for pair in zip(expected, runs, strict=True))
            cells.append(f"{f'{different} DIFFERENT, ' if different else ''}{spent:.0f} s")
            wrong += different
        lines = sum(run.read_bytes().count(b"\n") for run in expected)
        most = max((each["candidates"] for each in certificates), default=0)
        widened = sum(each["widened"] for each in certificates)
        title = f"{name} ({len(expected)} runs)" if len(expected) > 1 else name
        print(f"| {title} | {lines:,} | {' | '.join(cells)} | {most:,} | {widened} |", flush=True)
    return wrong


def find_certificates(said: object) -> list[dict[str, int]]:
    """The certificates anywhere in what the program printed; an approximate ranking is an error."""
    if isinstance(said, list):
        return [each for part in said for each in find_certificates(part)]
    if not isinstance(said, dict):
        return []
    found = [said["certificate"]] if said.get("certificate") else []
    if not all(each["exact"] for each in found):
        raise SystemExit("a ranking is not exact")
    return found + find_certificates([each for name, each in said.items() if name != "certificate"])


def main() -> int:
    """Load, search, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collection", type=Path, nargs="?")
    parser.add_argument("--topics", type=Path)
    parser.add_argument("--first", type=int, default=100)
    parser.add_argument("--shards", default="1,3,6")
    parser.add_argument("--only", nargs="+", choices=[*SEARCHES], default=[*SEARCHES])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="antecede-equal-runs-") as name:
        folder = Path(name)
        try:
            cluster = LocalCluster.start(folder / "nodes")
        except NoClusterError as error:
            print(error, file=sys.stderr)
            return 2
        try:
            if given.collection is None:
                antecede("synthesize", "--out", folder / "data", "--patents", 500, "--quiet")
                given.collection, topics = folder / "data" / "collection", folder / "data" / "topics"
            else:
                rows = [line.split()[0] for line in given.topics.read_text().splitlines() if line.strip()]
                topics = folder / "topics.txt"
                topics.write_text("".join(f"{name}\n" for name in [*dict.fromkeys(rows)][: given.first]))
            places: dict[str, object] = {"folder": folder / "index"}
            spent, _ = antecede("index", given.collection, "--out", folder / "index", "--quiet")
            print(f"index in a folder: {spent:.0f} s", flush=True)
            for shards in given.shards.split(","):
                address = places[f"{shards} shards"] = cluster.address(f"equal-{shards}")
                more = ("--shards", shards, "--replicas", 1, "--quiet")
                spent, _ = antecede("index", given.collection, "--out", address, *more)
                print(f"{shards} shards, 1 replica: {spent:.0f} s", flush=True)
            wrong = compare(folder, places, topics, given.only)
            print(f"{len(given.only)} searches, {wrong} different", flush=True)
            return 1 if wrong else 0
        finally:
            cluster.stop()


if __name__ == "__main__":
    os.environ.setdefault("PYTHONPATH", os.pathsep.join(sys.path))
    sys.exit(main())
