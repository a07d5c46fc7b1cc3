"""List what a name on the command line can stand for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.collections import Fields, Patents, PresetName, Rejects, rejects_file
from antecede.cli.options import Style
from antecede.cli.outputs import Input

Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME...]", help="Names to explain in full.", show_default=False),
]


@verb("antecede list measures", "antecede list measures PRES Bpref")
def measures(names: Names = None, json: options.Json = False, format_: options.Format = Style.text) -> None:
    """List the measures, with formula, caveats and source."""
    from antecede.cli.output import show_listing
    from antecede.measures.names import LISTING

    show_listing(LISTING, names, format_, json=json)


@verb("antecede list methods", "antecede list methods lmipc qr")
def methods(names: Names = None, json: options.Json = False, format_: options.Format = Style.text) -> None:
    """List the query methods, which turn a patent into weighted terms."""
    from antecede.cli.output import show_listing
    from antecede.query.methods import LISTING

    show_listing(LISTING, names, format_, json=json)


@verb("antecede list models", "antecede list models bm25 pl2")
def models(names: Names = None, json: options.Json = False, format_: options.Format = Style.text) -> None:
    """List the ranking models, with formula, parameters and source."""
    from antecede.cli.output import show_listing
    from antecede.ranking.models import LISTING

    show_listing(LISTING, names, format_, json=json)


@verb("antecede list features", "antecede list features cosine classes")
def features(names: Names = None, json: options.Json = False, format_: options.Format = Style.text) -> None:
    """List the features that a ranking can add up."""
    from antecede.cli.output import show_listing
    from antecede.ranking.features import LISTING

    show_listing(LISTING, names, format_, json=json)


@verb(
    "antecede list formats",
    "antecede list formats marec jsonl",
    "antecede list formats clefip/ ipg050104.zip --rejects rejects.jsonl",
)
def formats(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FORMAT|PATH...]",
            help="Formats to explain in full, or files, folders and archives to examine.",
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
    """List the formats that are read, or show what files contain."""
    from antecede.cli.output import progress, show_json, show_listing, show_tables
    from antecede.corpus.collection import reasons_table, survey, survey_table
    from antecede.corpus.formats import FORMATS, LISTING

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


@verb("antecede list rules", "antecede list rules knee qbcb")
def rules(names: Names = None, json: options.Json = False, format_: options.Format = Style.text) -> None:
    """List the stopping rules of reviews, with parameters and source."""
    from antecede.cli.output import show_listing
    from antecede.review.stopping import LISTING

    show_listing(LISTING, names, format_, json=json)


@verb("antecede list estimators", "antecede list estimators chapman audit")
def estimators(names: Names = None, json: options.Json = False, format_: options.Format = Style.text) -> None:
    """List the estimators of how much there is to find, and what each assumes."""
    from antecede.cli.output import show_listing
    from antecede.review.estimators import LISTING

    show_listing(LISTING, names, format_, json=json)
