"""A search engine in a process of its own that answers commands, in Python or in Java; and how its index is built."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from bench.evaluation import HERE, program
from bench.measuring import ChildFailedError, measure
from bench.peers import installed
from bench.section import tell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

JAVA = HERE / "java"
LIBRARY = HERE.parent / ".venv"
"""Where the jars and the compiled programs are kept."""
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
PATIENCE = 600.0
"""Seconds for the jars to be fetched."""
HEAP = "-Xmx4g"


class MissingEngineError(Exception):
    """An engine cannot be had here, and why."""


@dataclass(frozen=True)
class EngineKind:
    """An engine of the contest."""

    name: str
    version: Callable[[], str]
    """The version, or `MissingEngineError`."""
    command: Callable[..., tuple[str, ...]]
    """The command line for a step: "serve", and "build" if the engine reads terms, with what it is given."""
    reads: str = "impacts"
    """What its index is built of: the impacts of an index of ours, that "index" itself, the "terms" of texts on
    standard input, or "files" that `index_building.py` reads."""
    weights: bool = True
    threads: bool = True
    warm_up: float = 0.0
    """Seconds to search before the first time that counts."""


def python_version(package: str) -> Callable[[], str]:
    """The version of an installed Python package."""

    def find() -> str:
        found = installed(package)()
        if found is None:
            raise MissingEngineError(f"the package {package} is not installed")
        return found

    return find


def pisa_version() -> str:
    """The version of PISA's wheel in its own environment."""
    for found in (LIBRARY / "pisa").glob("lib/python3*/site-packages/pyterrier_pisa-*.dist-info"):
        if (LIBRARY / "pisa" / "lib" / "libtbb.so.2").exists():
            return found.name.removesuffix(".dist-info").rpartition("-")[2]
    raise MissingEngineError("its wheel (pyterrier-pisa) is not installed")


def python_command(name: str) -> Callable[..., tuple[str, ...]]:
    """Steps of an engine in `search_engines.py`."""
    return lambda step, *given: program("search_engines.py", step, name, *given)


def java_command(name: str) -> Callable[..., tuple[str, ...]]:
    """Steps of an engine in `java`."""
    folder = LIBRARY / name
    found = f"{folder / 'classes'}:{folder / 'jars'}/*"
    return lambda *given: ("java", HEAP, "-cp", found, f"{name.title()}Engine", *given)


def java_version(name: str) -> Callable[[], str]:
    """The version of an engine in Java, fetched with Maven and compiled if it is not there yet."""

    def find() -> str:
        folder, source = LIBRARY / name, JAVA / name
        for each in ("java", "javac"):
            if shutil.which(each) is None:
                raise MissingEngineError(f"{each} is not installed")
        pom = (source / "pom.xml").read_text()
        stamp = folder / "complete"
        if not stamp.exists() or stamp.read_text() != pom:
            fetch(name, folder, source)
            stamp.write_text(pom)
        programs = (str(JAVA / "EngineServer.java"), *map(str, sorted(source.glob("*.java"))))
        run_bounded(("javac", "-nowarn", "-d", str(folder / "classes"), "-cp", f"{folder / 'jars'}/*", *programs))
        return pom.partition(f"<{name}>")[2].partition("<")[0]

    return find


def fetch(name: str, folder: Path, source: Path) -> None:
    """Fetch the jars of an engine from Maven Central."""
    if shutil.which("mvn") is None:
        raise MissingEngineError("Maven is not installed")
    tell(f"fetching the jars of {name}")
    shutil.rmtree(folder, ignore_errors=True)
    run_bounded(("mvn", "-q", "-B", COPY, "-DincludeScope=runtime", f"-DoutputDirectory={folder / 'jars'}"), source)


def run_bounded(words: tuple[str, ...], where: Path = HERE) -> None:
    """Run a program of the build, for a limited time."""
    try:
        done = subprocess.run(words, cwd=where, capture_output=True, text=True, check=False, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise MissingEngineError(f"{words[0]} did not end in {PATIENCE:.0f} seconds") from None
    if done.returncode:
        tell((done.stdout + done.stderr).strip()[:500])
        raise MissingEngineError(f"{'Maven cannot fetch its jars' if words[0] == 'mvn' else 'it does not compile'}")


ENGINES = (
    EngineKind("antecede", python_version("antecede"), python_command("antecede"), reads="files"),
    EngineKind("index.search", python_version("antecede"), python_command("index.search"), reads="index"),
    EngineKind("tantivy", python_version("tantivy"), python_command("tantivy"), reads="files"),
    EngineKind("Lucene", java_version("lucene"), java_command("lucene"), reads="terms", warm_up=3),
    EngineKind("bm25s", python_version("bm25s"), python_command("bm25s"), weights=False),
    EngineKind("BMP", python_version("bmp"), python_command("bmp"), threads=False),
    EngineKind("PISA", pisa_version, python_command("pisa"), threads=False),
    EngineKind("Terrier", java_version("terrier"), java_command("terrier"), reads="terms", threads=False, warm_up=3),
)
"""In the order of the tables, ours first."""


def build(kind: EngineKind, out: Path, files: Iterable[str], ours: Path, queries: Path, memory_mb: int) -> None:
    """Build the index of an engine; `ChildFailedError` if that fails."""
    if out.is_symlink():
        out.unlink()
    shutil.rmtree(out, ignore_errors=True)
    if kind.reads == "index":
        out.symlink_to(ours.resolve(), target_is_directory=True)
        return
    if kind.reads == "files":
        measure(program("index_building.py", kind.name, str(out), "1", str(memory_mb), *files))
        return
    out.mkdir(parents=True)
    if kind.reads == "impacts":
        measure(program("impact_indexes.py", kind.name.lower(), str(out), str(ours), str(queries)))
        return
    with subprocess.Popen(
        kind.command("build", str(out)), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as child:
        assert child.stdin is not None
        try:
            for line in lines_of(files):
                child.stdin.write(line)
            child.stdin.close()
        except BrokenPipeError:
            pass
    if child.returncode:
        raise ChildFailedError(f"exit code {child.returncode}")


def lines_of(files: Iterable[str]) -> Iterator[bytes]:
    """Each text as a line of its name and its terms."""
    for file in files:
        with Path(file).open(encoding="utf-8") as lines:
            for line in lines:
                patent = json.loads(line)
                yield f"{patent['doc_id']} {patent['description']}\n".encode()


class EngineProcess:
    """An engine that runs, with its index open."""

    def __init__(self, kind: EngineKind, folder: Path, queries: Path) -> None:
        self.name = kind.name
        self.child = subprocess.Popen(
            kind.command("serve", str(folder), str(queries)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        # Programs may write to standard output before they are ready, as PISA does.
        while (line := self._line()) != "ready":
            if not line and (code := self.child.poll()) is not None:
                self.stop()
                raise ChildFailedError(f"{kind.name} ended with exit code {code}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def warm_up(self, kind: str, k: int, seconds: float) -> None:
        """Have it search for so long, for its code to be compiled."""
        self._ask(f"warm {kind} {k} {seconds}")

    def times(self, kind: str, k: int) -> list[float]:
        """The seconds of each query."""
        return [float(each) for each in self._ask(f"time {kind} {k}").split()]

    def rate(self, kind: str, k: int, threads: int) -> float:
        """Queries a second."""
        return float(self._ask(f"rate {kind} {k} {threads}"))

    def answers(self, kind: str, k: int, number: int) -> list[list[tuple[str, float]]]:
        """The names and scores of the best documents of each query."""
        lines = [self._ask(f"answer {kind} {k}"), *(self._line() for _ in range(number - 1))]
        split: Any = [[pair.rpartition(":") for pair in line.split()] for line in lines]
        return [[(name, float(score)) for name, _, score in each] for each in split]

    def stop(self) -> None:
        """End the process."""
        if self.child.stdin is not None and not self.child.stdin.closed:
            self.child.stdin.close()
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        if self.child.stdout is not None:
            self.child.stdout.close()

    def _ask(self, command: str) -> str:
        assert self.child.stdin is not None
        try:
            self.child.stdin.write(command + "\n")
            self.child.stdin.flush()
        except BrokenPipeError:
            raise ChildFailedError(f"{self.name} ended with exit code {self.child.wait()}") from None
        answer = self._line()
        if not answer and self.child.poll() is not None:
            raise ChildFailedError(f"{self.name} ended with exit code {self.child.returncode}")
        return answer

    def _line(self) -> str:
        assert self.child.stdout is not None
        return self.child.stdout.readline().rstrip("\n")
