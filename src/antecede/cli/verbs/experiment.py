"""antecede experiment"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.options import Style
from antecede.cli.outputs import FOLDER, Input, Output
from antecede.ranges import THREADS


@verb(
    "antecede experiment methods.toml",
    "antecede experiment methods.toml --out results --threads 4",
    "antecede experiment methods.toml --list",
)
def experiment(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.toml", help="The experiment file: see the page on experiments.", show_default=False
        ),
        Input(),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The output folder.", show_default="beside the file, with its name"),
        Output(FOLDER),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(**THREADS.bounds, help="The number of topics searched in parallel.", show_default="one per core"),
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="Only show the runs and steps, and what would be done.")
    ] = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
    format_: options.Format = Style.text,
) -> None:
    """Run an experiment from its file: collection, index, runs, tables, studies, report; only what changed is redone.

    If it is interrupted, calling it again continues where it stopped.
    """
    from antecede.cli.experiments import plan_tables, show_steps
    from antecede.cli.output import show_json, show_tables, show_text
    from antecede.experiment import plan_experiment, run_experiment

    if list_:
        settings, events = plan_experiment(file, out=out)
        if json:
            steps = [{"step": each.step, "state": each.state, "why": each.why} for each in events]
            show_json({"folder": str(settings.out), "options": settings.options(), "steps": steps})
        else:
            show_tables(plan_tables(settings, events), format_)
        return
    with show_steps(quiet=quiet) as (log, report):
        outcome = run_experiment(file, out=out, threads=threads, log=log, progress=report)
    if json:
        show_json(outcome.to_dict())
    else:
        show_tables(outcome.tables(), format_)
        for part in outcome.parts:
            for note in part.notes:
                show_text(f"{part.title}: {note}", error=True)
        if not quiet:
            show_text(f"report: {outcome.report}", error=True)
