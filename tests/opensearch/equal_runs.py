"""Runs of a cluster of three nodes and of an index in a folder, compared byte by byte: every query method and model.

python -m tests.opensearch.equal_runs COLLECTION --topics QRELS [--first 100] [--shards 1,3,6] [--only NAME …]

The topics are patents of the collection, such as those that qrels name. A table is printed: for each search the lines
of the run, whether those of the clusters are equal, the seconds, and the certificates. Exit code 1 where one is not.
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

from antecede.query.methods import METHODS
from antecede.ranking.models import MODELS
from tests.opensearch.local_cluster import LocalCluster, NoClusterError

OTHER_PARAMETERS = ("bm25(k1=0.4,b=0.9)", "bm25(k1=3,b=0.1)", "bm25(b=0)", "bm25(k1=0)")


def searches() -> dict[str, list[str]]:
    """The options of each search that is compared, by name."""
    found: dict[str, list[str]] = {"default": [], "classic": ["--ranking", "classic"]}
    found |= {f"method {name}": ["--method", name] for name in sorted(METHODS)}
    return found | {f"model {name}": ["--model", name] for name in (*sorted(MODELS), *OTHER_PARAMETERS)}


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


def name_topics(qrels: Path, first: int, out: Path) -> int:
    """Write the names of the first topics of qrels, one per line."""
    names = [*dict.fromkeys(line.split()[0] for line in qrels.read_text().splitlines() if line.strip())][:first]
    out.write_text("".join(f"{name}\n" for name in names))
    return len(names)


def compare(folder: Path, places: dict[str, object], topics: Path, chosen: dict[str, list[str]]) -> int:
    """Make the runs of every index, and compare each with that of the first; how many differ."""
    wrong = 0
    print(f"| search | lines | {' | '.join(places)} | candidates at most | widened |", flush=True)
    print(f"|---|---:|{'---:|' * (len(places) + 2)}", flush=True)
    for name, how in chosen.items():
        outs = {place: folder / f"{name}-{place}".replace(" ", "-") for place in places}
        seconds, certificates = [], list[dict[str, int]]()
        for place, index in places.items():
            spent, said = antecede("run", index, topics, "--out", outs[place], "--quiet", "--json", *how)
            seconds.append(spent)
            certificates += find_certificates(json.loads(said))
        files = [*zip(*map(list_runs, outs.values()), strict=True)]
        same = [[cmp(first, each, shallow=False) for first, *others in files for each in others[at : at + 1]]
                for at in range(len(places) - 1)]  # fmt: skip
        wrong += sum(each.count(False) for each in same)
        cells = [f"{seconds[0]:.0f} s"]
        cells += [f"{f'{each.count(False)} DIFFERENT' if False in each else 'equal'}, {spent:.0f} s"
                 for each, spent in zip(same, seconds[1:], strict=True)]  # fmt: skip
        lines = sum(first.read_bytes().count(b"\n") for first, *_ in files)
        most = max((each["candidates"] for each in certificates), default=0)
        widened = sum(each["widened"] for each in certificates)
        title = f"{name} ({len(files)} runs)" if len(files) > 1 else name
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


def list_runs(out: Path) -> list[Path]:
    """The runs that a search wrote: one file, or a folder of them."""
    return sorted(out.iterdir()) if out.is_dir() else [out]


def main() -> int:
    """Load, search, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--topics", type=Path, required=True)
    parser.add_argument("--first", type=int, default=100)
    parser.add_argument("--shards", default="1,3,6")
    parser.add_argument("--only", nargs="+", choices=[*searches()], default=[*searches()])
    given = parser.parse_args()
    chosen = {name: how for name, how in searches().items() if name in given.only}
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
            spent, _ = antecede("index", given.collection, "--out", folder / "index", "--quiet")
            print(f"{number} topics; index in a folder: {spent:.0f} s", flush=True)
            for shards in map(int, given.shards.split(",")):
                address = places[f"{shards} shards"] = cluster.address(f"equal-{shards}")
                spent, _ = antecede(
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
