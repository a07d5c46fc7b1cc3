"""antecede report"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.outputs import Input, Output, check_file


@verb("antecede report results", "antecede report results --out talk.html")
def report(
    folder: Annotated[
        Path,
        typer.Argument(metavar="FOLDER", help="The folder of an experiment.", show_default=False),
        Input(writes=("report.html",)),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="Where to write it.", show_default="report.html in the folder"),
        Output("report"),
    ] = None,
    json: options.Json = False,
) -> None:
    """Make the report of an experiment again, from its saved results: nothing is searched or read again."""
    from antecede.cli.output import show_json, show_text
    from antecede.experiment import load_experiment
    from antecede.report.html import write_report

    results = load_experiment(folder)
    place = out if out is not None else folder / "report.html"
    check_file(place, "report")
    write_report(results, place)
    if json:
        parts = [{"name": part.name, "title": part.title, "runs": [*part.ranks.runs]} for part in results.parts]
        show_json({"report": str(place), "title": results.title, "parts": parts})
    else:
        show_text(str(place))
