"""One cluster for all tests of a run, whatever the number of processes; an index of the same collection on each engine.

The first process that needs the cluster starts it; its nodes end with the process that runs the tests. A test that
changes the cluster as a whole is marked `exclusive`: no other process has a test on the cluster meanwhile.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

from antecede.address import parse_address
from antecede.engine import open_index
from antecede.index import build_index
from antecede.opensearch.load import load_collection
from antecede.synthetic import synthesize
from tests.opensearch.local_cluster import LocalCluster, NoClusterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PATENTS, TOPICS, SEED = 150, 12, 7
LIMIT = 900.0
"""Seconds after which a test is taken for one that hangs, however busy the machine is."""


def unavailable(why: str) -> None:
    """Skip on a user's machine; fail where the tests must be complete."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(f"no OpenSearch cluster: {why}")


@pytest.fixture(scope="session")
def cluster(once: Callable[[str, Callable[[], Any]], Any], shared_folder: Path) -> Iterator[LocalCluster]:
    """Three nodes."""
    # With several processes the nodes must outlive the one that starts them: they end with the parent of all.
    alone = "PYTEST_XDIST_WORKER" not in os.environ
    owner = os.getpid() if alone else os.getppid()

    def start() -> dict[str, Any]:
        try:
            import opensearchpy  # noqa: F401

            return LocalCluster.start(shared_folder / "nodes", owner=owner).to_dict()
        except (NoClusterError, ImportError) as error:
            return {"why": str(error)}

    found = once("cluster", start)
    if "why" in found:
        unavailable(found["why"])
    made = LocalCluster.restore(found)
    yield made
    if alone:
        made.stop()


@pytest.fixture(autouse=True)
def turn(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let a test on the cluster wait for its turn, then end it where it takes too long."""
    if "cluster" not in request.fixturenames:
        yield
        return
    import fcntl

    folder: Path = request.getfixturevalue("shared_folder")
    request.getfixturevalue("cluster")  # has a limit of its own
    exclusive = request.node.get_closest_marker("exclusive") is not None

    def give_up(*_: object) -> None:
        raise TimeoutError(f"the test takes more than {LIMIT:.0f} seconds")

    with (folder / "turn").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
        before = signal.signal(signal.SIGALRM, give_up)
        signal.setitimer(signal.ITIMER_REAL, LIMIT)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="session")
def collection(once: Callable[[str, Callable[[], Any]], Any], shared_folder: Path) -> Path:
    """A small collection in three languages, with topics."""
    folder = shared_folder / "synthetic"
    once("collection", lambda: str(synthesize(folder, PATENTS, SEED, topics=TOPICS, length=300) and folder))
    return folder


@pytest.fixture(scope="session")
def embedded(once: Callable[[str, Callable[[], Any]], Any], shared_folder: Path, collection: Path) -> Any:
    """The collection in a folder."""
    folder = shared_folder / "embedded.index"
    once("embedded", lambda: build_index(collection / "collection", folder, workers=1).read)
    return open_index(folder)


@pytest.fixture(scope="session")
def loaded(
    cluster: LocalCluster, once: Callable[[str, Callable[[], Any]], Any], collection: Path
) -> Callable[[int], str]:
    """The address of the collection on the cluster with so many shards, loaded once."""

    def load(shards: int) -> str:
        address = cluster.address(f"patents-{shards}")

        def make() -> int:
            given = parse_address(address)
            replicas = int(shards == 3)  # of the index that outlives a node
            report = load_collection(
                collection / "collection", given, shards=shards, replicas=replicas, overwrite=True, workers=1
            )
            return report.read

        once(f"loaded-{shards}", make)
        return address

    return load
