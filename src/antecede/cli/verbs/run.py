"""antecede run"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import SearchOptions, Settings, verb
from antecede.cli.collections import Fields, PresetName, field_names, show_note
from antecede.cli.options import Style
from antecede.cli.outputs import FOLDER, Output, check_apart, check_file, paths_of
from antecede.ranges import THREADS


@verb(
    "antecede run clefip.index topics.jsonl --method tfidf --out tfidf.run",
    "antecede run clefip.index topics.jsonl --method full,tfidf,lmipc --out runs/ --resume",
    "antecede run patents.index qrels.txt --out best.run.gz -k 100 --ipc-boost 0.3",
    "antecede run clefip.index topics/ --method tfidf --method lmipc --fusion rrf --out both.run",
)
def run(
    *,
    index: options.IndexFolder,
    topics: options.Topics,
    out: Annotated[
        Path,
        typer.Option(
            metavar="FILE.run|DIR",
            help="The file of the run; with several methods a folder, with one run each.",
            show_default=False,
        ),
        Output(FOLDER),
    ],
    settings: Annotated[Settings, SearchOptions(defaults={"k": 1000})],
    threads: Annotated[
        int | None,
        typer.Option(**THREADS.bounds, help="The number of topics searched in parallel.", show_default="one per core"),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue a run that was interrupted.")] = False,
    field: Fields = None,
    preset: PresetName = None,
    json: options.Json = False,
    format_: options.Format = Style.text,
    quiet: options.Quiet = False,
) -> None:
    """Search for many topics: a run in TREC form, one for each query method.

    A topic that cannot be searched for is counted with its reason, and the others continue; the exit code is then 1.
    """
    from dataclasses import replace

    from antecede.cli.output import announce_compilation, progress, show_json, show_tables
    from antecede.engine import open_index
    from antecede.errors import UsageError
    from antecede.search.batch import run_topics
    from antecede.search.topics import read_topics
    from antecede.trec import read_run, write_run

    chosen = [settings]
    if settings.fusion is None:
        chosen = [replace(settings, method=(method,)) for method in settings.method]
    places = [place_of(out, each, alone=len(chosen) == 1) for each in chosen]
    if len({*places}) < len(places):
        raise UsageError("two of the methods would be written to one file; run them one by one")
    if len(places) > 1 and out.exists() and not out.is_dir():
        raise UsageError(f"{out}: is a file, and several runs need a folder; name another place")
    for place in places:
        check_place(place, index, topics)
    opened = open_index(index)
    with progress("reading topics", quiet=quiet) as report:
        wanted = read_topics(
            opened, topics, names=field_names(field, preset), on_note=None if quiet else show_note, progress=report
        )
    if not quiet:
        announce_compilation(index)
    batches = []
    for each, place in zip(chosen, places, strict=True):
        make_folder(place.parent, out)
        with progress(f"searching, {each.name}", quiet=quiet) as report:
            keep = partial_of(place)
            batch = run_topics(opened, wanted, each, threads=threads, keep=keep, resume=resume, progress=report)
        if not batch.rankings:
            why = next(iter(batch.failed), "there is no topic")
            raise UsageError(f"no topic found anything: {why}")
        write_run(read_run(batch.rankings, name=each.name), place)
        batches.append(batch)
    if json:
        show_json([each.to_dict() for each in batches] if len(batches) > 1 else batches[0].to_dict())
    else:
        show_tables([each.table() for each in batches], format_)
    if any(each.failed for each in batches):
        raise typer.Exit(1)


def place_of(out: Path, settings: Settings, *, alone: bool) -> Path:
    """Where a run is written: the file itself, or a file in a folder where there are several."""
    return out if alone and not out.is_dir() else out / f"{settings.name}.run"


def partial_of(place: Path) -> Path:
    """Where the answers of a run are kept until it is complete."""
    return place.with_name(f"{place.name}.partial")


def check_place(place: Path, *inputs: str) -> None:
    """Refuse to write a run over an input or a foreign file; a folder that does not exist is made later."""
    for each in (place, partial_of(place)):
        check_apart(each, paths_of([*inputs]))
    if place.parent.is_dir():
        check_file(place, "run")
        check_file(partial_of(place), "unfinished run")


def make_folder(folder: Path, out: Path) -> None:
    """Make the folder for several runs."""
    from antecede.files import cannot_write

    try:
        if folder == out:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error, "cannot be made") from None
