"""The searches of the demonstration on a cluster of three nodes and in a folder: their runs are the same files.

python -m tests.opensearch.demonstration [PATENTS]
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from filecmp import cmp
from pathlib import Path

from tests.opensearch.local_cluster import LocalCluster, NoClusterError

PATENTS = 500
SEARCHES = {
    "ranking": [],
    "full": ["--method", "full"],
    "tfidf": ["--method", "tfidf"],
    "lmipc": ["--method", "lmipc"],
    "qr": ["--method", "qr"],
}


def antecede(*words: object) -> None:
    """Call the program."""
    print("antecede", *words, flush=True)
    subprocess.run([sys.executable, "-m", "antecede", *map(str, words)], check=True)


def main() -> int:
    """Load, search, compare."""
    folder = Path(tempfile.mkdtemp(prefix="antecede-demo-cluster-"))
    try:
        print("starting three nodes of OpenSearch …", flush=True)
        cluster = LocalCluster.start(folder / "nodes")
    except NoClusterError as error:
        print(error, file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
        return 2
    try:
        patents = int(sys.argv[1]) if len(sys.argv) > 1 else PATENTS
        antecede("synthesize", "--out", folder / "data", "--patents", patents, "--quiet")
        collection, address = folder / "data" / "collection", cluster.address("demo")
        antecede("index", collection, "--out", folder / "demo.index", "--quiet")
        antecede("index", collection, "--out", address, "--shards", 3, "--replicas", 1, "--quiet")
        equal = True
        for name, how in SEARCHES.items():
            places = [folder / engine / f"{name}.run" for engine in ("folder", "cluster")]
            for index, place in zip((folder / "demo.index", address), places, strict=True):
                place.parent.mkdir(exist_ok=True)
                antecede("run", index, folder / "data" / "topics", "--out", place, "--quiet", *how)
            same = cmp(places[0], places[1], shallow=False)
            print(f"{name}: the run of the cluster is {'the same file' if same else 'ANOTHER FILE'}", flush=True)
            equal &= same
        return 0 if equal else 1
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
