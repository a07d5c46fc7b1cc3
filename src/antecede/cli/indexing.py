"""The options for building an index, and its progress: documents per second, and the time left."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from antecede.cli.output import EVERY_SECONDS, show_text
from antecede.ranges import THREADS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from antecede.index import BuildReport, Progress, SpacePlan
    from antecede.tables import Table

Memory = Annotated[str, typer.Option(metavar="SIZE", help="The memory limit of all processes together.")]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        **THREADS.bounds,
        help="The number of processes; fewer if memory is short.",
        show_default="all cores",
    ),
]


Shards = Annotated[
    int | None,
    typer.Option(min=1, max=1024, help="On a cluster: the number of shards.", show_default="1"),
]
Replicas = Annotated[
    int | None,
    typer.Option(min=0, max=100, help="On a cluster: the number of copies of each shard.", show_default="1"),
]
SpaceKind = Annotated[
    str | None,
    typer.Option(
        "--space",
        metavar="lsa|words|both",
        help="Also learn a latent space: see antecede learn space.",
        show_default="none",
    ),
]


def space_plans(kind: str | None, dimensions: int | None = None, model: Path | None = None) -> list[SpacePlan]:
    """The spaces that a word on the command line denotes."""
    from antecede.errors import UsageError
    from antecede.index import SpacePlan
    from antecede.index.manifest import DENSE, LEARNED

    if kind is None:
        return []
    if kind == DENSE and dimensions is not None:
        raise UsageError("--dimensions: the vectors of a dense space have the length that its model gives them")
    length = {} if dimensions is None else {"dimensions": dimensions}
    return [SpacePlan(each, model=model, **length) for each in (LEARNED if kind == "both" else (kind,))]


def require_folder(index: str | Path, verb: str) -> None:
    """Refuse the address of a cluster where a verb needs an index in a folder."""
    from antecede.errors import UsageError
    from antecede.opensearch.address import is_address

    if is_address(index):
        raise UsageError(f"antecede {verb} needs an index in a folder, not on a cluster")


def builder_of(out: Path, space: str | None, shards: int | None, replicas: int | None) -> Callable[..., BuildReport]:
    """The function that builds an index in a folder, or on a cluster."""
    from functools import partial

    from antecede.errors import UsageError
    from antecede.opensearch.address import is_address, parse_address

    if not is_address(out):
        from antecede.index import build_index

        if shards is not None or replicas is not None:
            raise UsageError("--shards and --replicas are those of an index on a cluster (opensearch://host:9200/name)")
        return lambda collection, **given: build_index(collection, out, spaces=space_plans(space), **given)
    from antecede.opensearch.load import load_collection

    if space is not None:
        raise UsageError("--space: latent spaces are stored with an index in a folder only, not on a cluster")
    copies = 1 if replicas is None else replicas
    return partial(load_collection, address=parse_address(out), shards=shards or 1, replicas=copies)


@dataclass(frozen=True)
class BuildOptions:
    """The resources of a build, and whether it resumes an interrupted one."""

    memory: Memory = "2GB"
    workers: WorkersOption = None
    resume: Annotated[bool, typer.Option("--resume", help="Continue a build that was interrupted.")] = False

    def given(self) -> dict[str, Any]:
        """The options as keyword arguments of `build_index` and `add_to_index`."""
        from antecede.parallel import parse_size

        return {"memory": parse_size(self.memory), "workers": self.workers, "resume": self.resume}


class Speed:
    """The speed of a build, and the time left."""

    def __init__(self) -> None:
        self.started = time.monotonic()

    def describe(self, progress: Progress) -> str:
        """The progress in one line."""
        if progress.step != "reading":
            share = f" ({100 * progress.done // progress.total} %)" if progress.done and progress.total else ""
            return f"assembling: {progress.step}{share}"
        seconds = max(time.monotonic() - self.started, 0.001)
        line = f"reading: {progress.documents} documents, {progress.documents / seconds:.0f}/s"
        if not (progress.done and progress.total):
            return line
        left = int(seconds * (progress.total - progress.done) / progress.done)
        return f"{line}, {100 * progress.done // progress.total} %, {left // 60}:{left % 60:02d} left"


@contextmanager
def show_build_progress(*, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Show the progress of a build: a bar on a terminal, a line every few seconds elsewhere, nothing if quiet."""
    speed = Speed()
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar

        columns = (BarColumn(), TextColumn("{task.description}"))
        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=None)
            yield lambda at: bar.update(task, completed=at.done, total=at.total or None, description=speed.describe(at))
    else:
        last = time.monotonic()

        def report(progress: Progress) -> None:
            nonlocal last
            if time.monotonic() - last >= EVERY_SECONDS:
                show_text(speed.describe(progress), error=True)
                last = time.monotonic()

        yield report


def tabulate_report(built: BuildReport) -> list[Table]:
    """The counts of a build as tables."""
    from antecede.tables import Table

    counts = tuple((name, getattr(built, name)) for name in ("read", "indexed", "merged", "rejected", "replaced"))
    languages = tuple((language or "unknown", number) for language, number in built.languages.items())
    note = f"{built.seconds:.1f} seconds"
    tables = [Table(("", "documents"), counts, notes=(note,)), Table(("language", "documents"), languages)]
    if built.reasons:
        tables.append(Table(("rejected because", "documents"), tuple(built.reasons.items())))
    return tables


def finish(built: BuildReport, index: str, *, rejects: Path | None, quiet: bool) -> None:
    """Print where the rejected documents are listed; exit code 1 where there are too many."""
    from antecede.corpus.collection import loses_too_many
    from antecede.index import open_index
    from antecede.index.files import REJECTS
    from antecede.opensearch.address import is_address

    if built.rejected and not quiet:
        if rejects is None and is_address(index):
            show_text("rejected documents are counted by reason; --rejects FILE lists them", error=True)
        else:
            listed = rejects if rejects is not None else open_index(index).segments[-1].folder / REJECTS
            show_text(f"rejected documents and reasons: {listed}", error=True)
    if loses_too_many(built.read, built.rejected, built.reasons):
        raise typer.Exit(1)


def counts_of_report(built: BuildReport, *also: str) -> dict[str, Any]:
    """The counts of a build in a JSON-compatible form."""
    names = ("read", "indexed", "merged", "rejected", *also)
    languages = {language or "unknown": number for language, number in built.languages.items()}
    return {**{name: getattr(built, name) for name in names}, "languages": languages, "seconds": built.seconds}
