"""List what a name on the command line can stand for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from antecede.cli import options
from antecede.cli.bundles import Patents, Source, TableOptions, verb
from antecede.cli.inputs import rejects_file
from antecede.cli.options import argument
from antecede.cli.output import progress, show_text
from antecede.cli.outputs import Input

Names = Annotated[list[str] | None, argument("[NAME...]", "Names to explain in full.")]


def _show_listing(listing: Any, names: list[str] | None, showing: TableOptions) -> None:
    """Print the entries of a registry: those with these names in full, or all as a table."""
    if names and showing.format_ == "text" and not showing.json:
        show_text(listing.as_text(names))
    else:
        showing.show(listing.as_dicts(names), listing.as_table(names))


@verb("antecede list measures", "antecede list measures PRES Bpref")
def measures(*, names: Names = None, showing: TableOptions) -> None:
    """List the measures, with formula, caveats and source."""
    from antecede.measures.names import LISTING

    _show_listing(LISTING, names, showing)


@verb("antecede list methods", "antecede list methods lmipc qr")
def methods(*, names: Names = None, showing: TableOptions) -> None:
    """List the query methods, which turn a patent into weighted terms."""
    from antecede.query.methods import LISTING

    _show_listing(LISTING, names, showing)


@verb("antecede list models", "antecede list models bm25 pl2")
def models(*, names: Names = None, showing: TableOptions) -> None:
    """List the ranking models, with formula, parameters and source."""
    from antecede.models import LISTING

    _show_listing(LISTING, names, showing)


@verb("antecede list features", "antecede list features cosine classes")
def features(*, names: Names = None, showing: TableOptions) -> None:
    """List the features that a ranking can add up."""
    from antecede.ranking.features import LISTING

    _show_listing(LISTING, names, showing)


@verb("antecede list rules", "antecede list rules knee qbcb")
def rules(*, names: Names = None, showing: TableOptions) -> None:
    """List the stopping rules of reviews, with parameters and source."""
    from antecede.review.stopping import LISTING

    _show_listing(LISTING, names, showing)


@verb("antecede list estimators", "antecede list estimators chapman audit")
def estimators(*, names: Names = None, showing: TableOptions) -> None:
    """List the estimators of how much there is to find, and what each assumes."""
    from antecede.review.estimators import LISTING

    _show_listing(LISTING, names, showing)


@verb(
    "antecede list formats",
    "antecede list formats marec jsonl",
    "antecede list formats clefip/ ipg050104.zip --rejects rejects.jsonl",
)
def formats(
    *,
    names: list[str] | None = argument(
        "[FORMAT|PATH...]", "Formats to explain in full, or files, folders and archives to examine.", None, path=Input()
    ),
    source: Source,
    rejects: options.Rejects = None,
    showing: TableOptions,
    quiet: options.Quiet = False,
) -> None:
    """List the formats that are read, or show what files contain."""
    from antecede.corpus.collection import reasons_table, survey, survey_table
    from antecede.corpus.formats import FORMATS, LISTING

    paths = [name for name in names or () if name not in FORMATS or Path(name).exists()]
    if not paths:
        _show_listing(LISTING, names, showing)
        return
    surveys = []
    with rejects_file(rejects) as on_reject:
        for path in paths:
            with progress(path, quiet=quiet, megabytes=True) as report:
                surveys.append(
                    survey(Patents(collections=[path], **vars(source), quiet=quiet).collection(report, on_reject))
                )
    rejected = [reasons_table(surveys)] if any(part.ledger.rejected for part in surveys) else []
    showing.show([part.to_dict() for part in surveys], survey_table(surveys), *rejected)
    if any(part.ledger.failed for part in surveys):
        raise typer.Exit(1)
