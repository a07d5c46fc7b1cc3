"""antecede formats"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.collections import Fields, Patents, PresetName, Rejects, rejects_file
from antecede.cli.options import Style
from antecede.cli.outputs import Input


@verb(
    "antecede formats",
    "antecede formats marec jsonl",
    "antecede formats clefip/ ipg050104.zip --rejects rejects.jsonl",
)
def formats(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FORMAT|PATH...]",
            help="Formats to explain in full, or files, folders and archives to examine: one row each.",
            show_default=False,
        ),
        Input(),
    ] = None,
    field: Fields = None,
    preset: PresetName = None,
    rejects: Rejects = None,
    json: options.Json = False,
    format_: options.Format = Style.text,
    quiet: options.Quiet = False,
) -> None:
    """List the formats that are read, or show what files hold: documents, languages, and the parts they have.

    Exit code 1 where more than 5 % of the documents are rejected.
    """
    from antecede.cli.output import progress, show_json, show_listing, show_tables
    from antecede.corpus.formats import FORMATS, LISTING
    from antecede.corpus.ledger import reasons_table, survey, survey_table

    paths = [name for name in names or () if name not in FORMATS or Path(name).exists()]
    if not paths:
        show_listing(LISTING, names, format_, json=json)
        return
    found = []
    with rejects_file(rejects) as on_reject:
        for path in paths:
            with progress(path, quiet=quiet, megabytes=True) as report:
                found.append(survey(Patents([path], field, preset, quiet=quiet).collection(report, on_reject)))
    if json:
        show_json([each.to_dict() for each in found])
    else:
        rejected = [reasons_table(found)] if any(each.ledger.rejected for each in found) else []
        show_tables([survey_table(found), *rejected], format_)
    if any(each.ledger.failed for each in found):
        raise typer.Exit(1)
