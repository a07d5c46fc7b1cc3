"""List what a name on the command line can stand for."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from antecede.cli import options
from antecede.cli.bundles import Patents, TableOptions, Verb, verb
from antecede.cli.inputs import rejects_file
from antecede.cli.output import progress, show_text
from antecede.cli.outputs import Input

Names = Annotated[list[str] | None, typer.Argument(metavar="[NAME...]", help="Names to explain in full.")]


def _show_listing(listing: Any, names: list[str] | None, showing: TableOptions) -> None:
    """Print the entries of a registry: those with these names in full, or all as a table."""
    if names and showing.format_ == "text" and not showing.json:
        show_text(listing.as_text(names))
    else:
        showing.show(listing.as_dicts(names), listing.as_table(names))


def _lister(name: str, module: str, summary: str, example: str) -> Verb:
    """The verb that lists the registry of a module."""

    def list_entries(*, names: Names = None, showing: TableOptions) -> None:
        _show_listing(import_module(module).LISTING, names, showing)

    list_entries.__name__, list_entries.__doc__ = name, summary
    return verb(f"antecede list {name}", f"antecede list {name} {example}")(list_entries)


measures = _lister(
    "measures", "antecede.measures.names", "List the measures, with formula, caveats and source.", "PRES Bpref"
)
methods = _lister(
    "methods", "antecede.query.methods", "List the query methods, which turn a patent into weighted terms.", "lmipc qr"
)
models = _lister(
    "models", "antecede.ranking.models", "List the ranking models, with formula, parameters and source.", "bm25 pl2"
)
features = _lister(
    "features", "antecede.ranking.features", "List the features that a ranking can add up.", "cosine classes"
)
rules = _lister(
    "rules", "antecede.review.stopping", "List the stopping rules of reviews, with parameters and source.", "knee qbcb"
)
estimators = _lister(
    "estimators",
    "antecede.review.estimators",
    "List the estimators of how much there is to find, and what each assumes.",
    "chapman audit",
)


@verb(
    "antecede list formats",
    "antecede list formats marec jsonl",
    "antecede list formats clefip/ ipg050104.zip --rejects rejects.jsonl",
)
def formats(
    *,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FORMAT|PATH...]", help="Formats to explain in full, or files, folders and archives to examine."
        ),
        Input(),
    ] = None,
    field: options.Fields = None,
    preset: options.PresetName = None,
    rejects: options.Rejects = None,
    showing: TableOptions,
    quiet: options.Quiet = False,
) -> None:
    """List the formats that are read, or show what files contain."""
    from antecede.corpus.formats import FORMATS, LISTING
    from antecede.corpus.ledger import reasons_table, survey, survey_table

    paths = [name for name in names or () if name not in FORMATS or Path(name).exists()]
    if not paths:
        _show_listing(LISTING, names, showing)
        return
    surveys = []
    with rejects_file(rejects) as on_reject:
        for path in paths:
            with progress(path, quiet=quiet, megabytes=True) as report:
                surveys.append(survey(Patents([path], field, preset, quiet=quiet).collection(report, on_reject)))
    rejected = [reasons_table(surveys)] if any(part.ledger.rejected for part in surveys) else []
    showing.show([part.to_dict() for part in surveys], survey_table(surveys), *rejected)
    if any(part.ledger.failed for part in surveys):
        raise typer.Exit(1)
