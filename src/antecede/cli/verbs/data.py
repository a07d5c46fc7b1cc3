"""Experiments, and collections to try things on."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import DisplayOptions, Patents, TableOptions, verb
from antecede.cli.calls import Call, Derived
from antecede.cli.inputs import rejects_file
from antecede.cli.options import argument, option
from antecede.cli.output import progress, show_json, show_steps, show_tables, show_text
from antecede.cli.outputs import Input, Output, check_folder_files
from antecede.tables import Table

if TYPE_CHECKING:
    from antecede.experiment.cache import StepEvent
    from antecede.experiment.settings import Settings


@verb(
    "antecede experiment methods.toml",
    "antecede experiment methods.toml --out results --threads 4",
    "antecede experiment methods.toml --list",
    "antecede experiment results --report talk.html",
)
def experiment(
    *,
    file: Path = argument(
        "FILE.toml|FOLDER",
        "The experiment file; with --report, the output folder.",
        path=Input(writes=("report.html",)),
    ),
    out: Path | None = option(
        "The output folder.", metavar="DIR", show_default="beside the file, with its name", path=Output(folder=True)
    ),
    call: Annotated[Call, Derived("antecede.experiment:run_experiment")],
    list_: bool = option("Only show what would be done.", False),
    report: Path | None = option(
        "Only write the report again, from the results in the folder.", metavar="FILE.html", path=Output()
    ),
    showing: TableOptions,
) -> None:
    """Run an experiment from its file: collection, index, runs, tables, studies, report; only what changed is repeated.

    An interrupted experiment continues where it stopped when it is called again.
    """
    from antecede.experiment import plan_experiment

    if report is not None:
        _report_again(file, report, json=showing.json)
        return
    if list_:
        settings, events = plan_experiment(file, out=out)
        steps = [{"step": event.step, "state": event.state, "why": event.why} for event in events]
        plan = {"folder": str(settings.out), "options": settings.options(), "steps": steps}
        showing.show(plan, *_tabulate_plan(settings, events))
        return
    with show_steps(quiet=call.quiet) as (log, progress):
        outcome = call.run(file=file, out=out, log=log, progress=progress)
    showing.show(outcome, *outcome.tables())
    if not showing.json:
        for part in outcome.parts:
            for note in part.notes:
                show_text(f"{part.title}: {note}", error=True)
        if not call.quiet:
            show_text(f"report: {outcome.report}", error=True)


def _tabulate_plan(settings: Settings, events: Sequence[StepEvent]) -> list[Table]:
    """The plan of an experiment: its runs, and its steps as far as they are known."""
    runs = tuple(
        (
            run.name,
            "+".join(run.settings.method),
            run.settings.model,
            str(run.terms_by_language or run.settings.terms or "default"),
            ",".join(run.settings.fields),
        )
        for run in settings.searches
    )
    given = tuple((run.name, "given", "", "", "") for run in settings.runs)
    steps = tuple((event.step, event.state, event.why) for event in events)
    note = "The states of steps that depend on a step still to be made are not known yet."
    return [
        Table(("run", "method", "model", "terms", "fields"), runs + given, title=settings.title),
        Table(("step", "state", "why"), steps, title=f"Steps in {settings.out}", notes=(note,)),
    ]


def _report_again(folder: Path, out: Path, *, json: bool) -> None:
    from antecede.experiment import load_experiment
    from antecede.report.html import write_report

    results = load_experiment(folder)
    write_report(results, out)
    if json:
        parts = [{"name": part.name, "title": part.title, "runs": [*part.ranks.runs]} for part in results.parts]
        show_json({"report": str(out), "title": results.title, "parts": parts})
    else:
        show_text(str(out))


@verb(
    "antecede topics clefip/ --after 2001-01-01 --out topics/",
    "antecede topics patents.jsonl.gz --out topics/ --grades one --fewest 3 --figure relevant.svg",
    "antecede topics patents.jsonl.gz --out topics/ --citations both --json",
    "antecede topics patents.jsonl.gz --out topics/ --citations office_actions.json",
)
def topics(
    *,
    patents: Patents,
    out: Path = option("The folder for topics.jsonl and qrels.txt.", ..., metavar="DIR", path=Output(folder=True)),
    call: Annotated[Call, Derived("antecede.corpus.topics:make_topics")],
    overwrite: options.Overwrite = False,
    showing: DisplayOptions,
) -> None:
    """Make a test collection from citations: what a patent cites is relevant to it, if it is in the collection."""
    check_folder_files(out, ("topics.jsonl", "qrels.txt"), patents.collections, overwrite=overwrite)
    with (
        rejects_file(patents.rejects) as on_reject,
        progress("reading", quiet=patents.quiet, megabytes=True) as report,
    ):
        collection = patents.collection(report, on_reject)
        made = call.run(collection=collection)
        made.write(out)
    ledger = collection.ledger
    showing.show(made, made.table(), quiet=patents.quiet and not ledger.rejected)
    if not patents.quiet:
        counts = f"{ledger.patents} patents + {ledger.merged} merged + {ledger.rejected} rejected"
        show_text(f"{ledger.read} read = {counts}", error=True)
    if ledger.failed:
        raise typer.Exit(1)


@verb(
    "antecede synthesize --patents 2000 --seed 1",
    "antecede synthesize --patents 500 --topics 50 --out small --quiet --json",
    "antecede synthesize --patents 100000 --form jsonl --out large",
)
def synthesize(
    *,
    call: Annotated[Call, Derived("antecede.synthetic:synthesize")],
    out: Path = option(
        "A folder that is new or empty.", Path("antecede-synthetic"), metavar="DIR", path=Output(folder=True)
    ),
    json: options.Json = False,
) -> None:
    """Write a synthetic patent collection modelled on CLEF-IP: English, German and French, with topics and qrels."""
    made = call.run(out=out, **{"workers": None, **call.given})
    if json:
        show_json(made.to_dict())
    elif not call.quiet:
        show_tables([made.table()], "text")


MOST_WORKERS = 4
"""Processes that search and draw: each needs a few hundred megabytes."""


@verb("antecede demo", "antecede demo --out somewhere", "antecede demo --serve")
def demo(
    out: Path = option("The folder for the files.", Path("antecede-demo"), metavar="DIR", path=Output(folder=True)),
    serve: bool = option("Then serve the searcher's page on the collection.", False),
    quiet: options.Quiet = False,
) -> None:
    """Run the workflow on a synthetic collection: index, every query method in three languages, scores, report."""
    from antecede.experiment.steps import DEMO, run_demo

    with show_steps(quiet=quiet) as (log, report):
        outcome = run_demo(out, workers=min(os.cpu_count() or 1, MOST_WORKERS), log=log, progress=report)
    show_tables(outcome.tables()[:1], "text")
    topic = outcome.parts[0].ranks.doc_ids[0]
    index, file, folder = (shlex.quote(str(path)) for path in (outcome.folder / "index", out / DEMO, out))
    show_text("\nSynthetic: no patent here is real. To try next:")
    show_text(f"    antecede search {index} {topic} --explain -k 3    # why these three documents are found")
    show_text(f"    antecede experiment {file}    # after an edit, makes again only what depends on it")
    show_text(f"    antecede demo --out {folder} --serve    # the searcher's page on this collection")
    show_text(f"The report: {outcome.report.resolve().as_uri()}")
    if serve:
        from antecede.engine import open_index
        from antecede.web.access import keep_token, make_access
        from antecede.web.server import serve as run_server

        run_server(
            open_index(outcome.folder / "index"),
            out / "cases.sqlite",
            make_access("127.0.0.1", token=keep_token()),
            announce=lambda address: show_text(f"The searcher's page: {address}\nStop with Ctrl+C.", error=True),
            example=topic,
        )
