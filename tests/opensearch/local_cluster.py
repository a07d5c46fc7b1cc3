"""A real OpenSearch cluster on this machine, each node a process of its own, from the jars of Maven Central.

python -m tests.opensearch.local_cluster          three nodes at ports 9200, 9201, 9202, until Ctrl-C
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
NODE = HERE / "OpenSearchNode.java"
LIBRARY = HERE.parents[1] / ".venv" / "opensearch"
"""Where the jars are kept."""
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
PATIENCE = 600.0
"""Seconds for the nodes to come up."""
FETCH_PATIENCE = 600.0
"""Seconds for the jars to be fetched."""
CLAUSES = 65536
OPTIONS = ("-XX:+UseSerialGC", "-Xss1m")
QUICK = ("-XX:TieredStopAtLevel=1",)
"""Nodes that start fast; not how one would run a cluster."""


PROCESSES: dict[int, subprocess.Popen[bytes]] = {}
"""The nodes that this process started."""


class NoClusterError(Exception):
    """A cluster cannot be started here, and why."""


def fetch_jars() -> Path:
    """The folder of the jars, fetched with Maven once."""
    for program in ("java", "javac", "mvn"):
        if shutil.which(program) is None and not (program == "mvn" and (LIBRARY / "complete").exists()):
            raise NoClusterError(f"{program} is not installed")
    if not (LIBRARY / "complete").exists():
        shutil.rmtree(LIBRARY, ignore_errors=True)
        done = run_bounded(
            ["mvn", "-q", "-B", COPY, "-DincludeScope=runtime", f"-DoutputDirectory={LIBRARY}"],
        )  # fmt: skip
        if done.returncode:
            raise NoClusterError(f"Maven cannot fetch OpenSearch: {(done.stdout + done.stderr).strip()[:300]}")
        (LIBRARY / "complete").touch()
    compiled = LIBRARY / "OpenSearchNode.class"  # else each node would compile its source at its start
    if not compiled.exists() or compiled.stat().st_mtime < NODE.stat().st_mtime:
        done = run_bounded(["javac", "-cp", f"{LIBRARY}/*", "-d", str(LIBRARY), str(NODE)])
        if done.returncode:
            raise NoClusterError(f"the node cannot be compiled: {(done.stdout + done.stderr).strip()[:300]}")
    return LIBRARY


def run_bounded(words: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a program of the build, for a limited time."""
    try:
        return subprocess.run(words, cwd=HERE, capture_output=True, text=True, check=False, timeout=FETCH_PATIENCE)
    except subprocess.TimeoutExpired:
        raise NoClusterError(f"{words[0]} did not end in {FETCH_PATIENCE:.0f} seconds") from None


def free_ports(number: int) -> list[int]:
    """Ports that nobody listens at."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]


@dataclass
class LocalCluster:
    """Some nodes on loopback."""

    folder: Path
    http: list[int]
    transport: list[int]
    owner: int
    """The process that the nodes end with."""
    heap: str = "512m"
    options: tuple[str, ...] = QUICK
    pids: dict[int, int] = field(default_factory=dict)

    @classmethod
    def start(
        cls, folder: Path, nodes: int = 3, http: list[int] | None = None, owner: int | None = None, **more: Any
    ) -> LocalCluster:
        """Start nodes, and wait until they have found each other; `more` are `heap` and `options`."""
        fetch_jars()
        ports = free_ports(2 * nodes)
        cluster = cls(folder, http or ports[:nodes], ports[nodes:], owner or os.getpid(), **more)
        try:
            for node in range(nodes):
                cluster.start_node(node)
            cluster.wait(nodes)
        except BaseException:
            cluster.stop()
            raise
        return cluster

    @classmethod
    def restore(cls, facts: dict[str, Any]) -> LocalCluster:
        """The cluster that another process started."""
        pids = {int(node): pid for node, pid in facts["pids"].items()}
        return cls(**{**facts, "folder": Path(facts["folder"]), "pids": pids})

    def to_dict(self) -> dict[str, Any]:
        """What `restore` needs."""
        return {**self.__dict__, "folder": str(self.folder)}

    def start_node(self, node: int, *more: str) -> None:
        """Start one node."""
        home = self.folder / "home"
        home.mkdir(parents=True, exist_ok=True)
        settings = {
            "cluster.name": "antecede",
            "node.name": f"n{node}",
            "path.home": home,
            "path.data": self.folder / f"n{node}",
            "path.logs": self.folder,
            "path.repo": self.folder / "snapshots",
            "network.host": "127.0.0.1",
            "http.port": self.http[node],
            "transport.port": self.transport[node],
            "discovery.seed_hosts": ",".join(f"127.0.0.1:{port}" for port in self.transport),
            "cluster.initial_cluster_manager_nodes": ",".join(f"n{each}" for each in range(len(self.http))),
            "cluster.routing.allocation.disk.threshold_enabled": "false",
            "indices.query.bool.max_clause_count": CLAUSES,
            # A lost node is noticed soon, and its copies are given to another.
            "cluster.fault_detection.follower_check.timeout": "2s",
            "cluster.fault_detection.leader_check.timeout": "2s",
        }
        words = [f"{name}={value}" for name, value in settings.items()]
        with (self.folder / f"n{node}.out").open("ab") as out:
            process = subprocess.Popen(
                ["java", f"-Xms{self.heap}", f"-Xmx{self.heap}", *OPTIONS, *self.options,
                 f"-Dlog4j2.configurationFile={HERE}/log4j2.xml", "-cp", f"{LIBRARY}/*:{LIBRARY}",
                 "OpenSearchNode", str(self.owner), *words, *more],
                stdout=out, stderr=out, stdin=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        self.pids[node] = process.pid
        PROCESSES[process.pid] = process

    def kill_node(self, node: int) -> None:
        """End a node as a power failure would."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pids[node], signal.SIGKILL)
        if self.pids[node] in PROCESSES:
            PROCESSES.pop(self.pids[node]).wait()

    def get(self, path: str, node: int | None = None, timeout: float = 5.0) -> Any:
        """The answer of a node that answers."""
        for port in self.http if node is None else [self.http[node]]:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=timeout) as answer:
                    return json.load(answer)
            except OSError:
                continue
        return {}

    def wait(self, nodes: int, status: str = "green") -> None:
        """Wait until so many nodes are there, and all copies."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            health = self.get("/_cluster/health")
            if health.get("number_of_nodes") == nodes and health.get("status") == status:
                return
            time.sleep(0.25)
        logs = "\n".join((self.folder / f"n{node}.out").read_text(errors="replace")[-500:] for node in self.pids)
        raise NoClusterError(f"the nodes did not come up in {PATIENCE:.0f} seconds: {logs}")

    def address(self, name: str) -> str:
        """The address of an index on it."""
        return f"opensearch://{','.join(f'127.0.0.1:{port}' for port in self.http)}/{name}"

    def stop(self) -> None:
        """End all nodes."""
        for node in self.pids:
            self.kill_node(node)


def main() -> None:
    """Run a cluster until it is interrupted."""
    folder = Path(tempfile.mkdtemp(prefix="antecede-cluster-"))
    print("starting three nodes of OpenSearch …", flush=True)
    try:
        cluster = LocalCluster.start(folder, http=[9200, 9201, 9202])
    except NoClusterError as error:
        sys.exit(str(error))
    print(f"antecede index COLLECTION --out {cluster.address('NAME')} --shards 3 --replicas 1")
    print("Ctrl-C stops the nodes and removes what they stored.", flush=True)
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        pass
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
