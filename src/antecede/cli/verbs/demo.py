"""antecede demo"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.outputs import FOLDER, Output

MOST_WORKERS = 4
"""Processes that search and draw: each needs a few hundred megabytes."""


@verb("antecede demo", "antecede demo --out somewhere", "antecede demo --serve")
def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder for the files."), Output(FOLDER)] = Path(
        "antecede-demo"
    ),
    serve: Annotated[
        bool, typer.Option("--serve", help="Then serve the searcher's page on the collection, with one example case.")
    ] = False,
    quiet: options.Quiet = False,
) -> None:
    """Run the workflow on a synthetic collection: index, every query method in three languages, scores, report."""
    import os
    import shlex

    from antecede.cli.experiments import show_steps
    from antecede.cli.output import show_table, show_text
    from antecede.experiment.steps import DEMO, run_demo

    with show_steps(quiet=quiet) as (log, report):
        outcome = run_demo(out, workers=min(os.cpu_count() or 1, MOST_WORKERS), log=log, progress=report)
    show_table(outcome.tables()[0], "text")
    found = outcome.parts[0].ranks.doc_ids[0]
    index, file, folder = (shlex.quote(str(path)) for path in (outcome.folder / "index", out / DEMO, out))
    show_text("\nSynthetic: no patent here is real. To try next:")
    show_text(f"    antecede search {index} {found} --explain -k 3    # why these three documents are found")
    show_text(f"    antecede experiment {file}    # after an edit, makes again only what depends on it")
    show_text(f"    antecede demo --out {folder} --serve    # the searcher's page on this collection")
    show_text(f"The report: {outcome.report.resolve().as_uri()}")
    if serve:
        serve_demo(outcome.folder / "index", out / "cases.sqlite", found)


def serve_demo(index: Path, cases: Path, topic: str) -> None:
    """Serve the page on the index of the demonstration."""
    from antecede.cli.output import show_text
    from antecede.engine import open_index
    from antecede.web.access import make_access
    from antecede.web.example_case import add_example
    from antecede.web.server import serve

    opened = open_index(index)
    serve(
        opened,
        cases,
        make_access("127.0.0.1"),
        announce=lambda address: show_text(f"The searcher's page: {address}\nStop with Ctrl+C.", error=True),
        on_start=lambda store: add_example(opened, store, topic),
    )
