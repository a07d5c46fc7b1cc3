"""antecede index"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.collections import Patents, rejects_file
from antecede.cli.indexing import BuildOptions, Replicas, Shards, SpaceKind
from antecede.cli.options import Style
from antecede.cli.outputs import FOLDER, Output


@verb(
    "antecede index clefip/ --out clefip.index",
    "antecede index ipg05*.zip --out us2005.index --memory 4GB --workers 8",
    "antecede index clefip/ --out clefip.index --resume",
    "antecede index clefip/ --out clefip.index --space lsa",
    "antecede index clefip/ --out opensearch://127.0.0.1:9200/clefip --shards 6 --replicas 1",
    "antecede index patents.jsonl.gz --out titles.index --fields title,abstract --profile published --json",
)
def index(
    *,
    patents: Patents,
    out: Annotated[
        Path,
        typer.Option(
            metavar="INDEX",
            help="The folder of the new index, or its address on a cluster: opensearch://host:9200/name.",
            show_default=False,
        ),
        Output(FOLDER),
    ],
    profile: Annotated[
        str, typer.Option(metavar="default|published", help="How words become terms: see the page on text.")
    ] = "default",
    fields: Annotated[
        str, typer.Option(metavar="F,F,…", help="The text fields to index; all fields are stored.")
    ] = "title,abstract,claims,description",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing index.")] = False,
    space: SpaceKind = None,
    shards: Shards = None,
    replicas: Replicas = None,
    building: BuildOptions,
    json: options.Json = False,
    format_: options.Format = Style.text,
) -> None:
    """Build an index of a collection, to be searched.

    If it is interrupted, the old index (or none) remains, and --resume continues. Exit code 1 where more than 5 % of
    the documents are rejected.
    """
    from antecede.cli.indexing import builder_of, counts_of_report, finish, show_build_progress, tabulate_report
    from antecede.cli.output import show_json, show_tables

    given, build = building.given(), builder_of(out, space, shards, replicas)
    names = tuple(filter(None, map(str.strip, fields.split(","))))
    with rejects_file(patents.rejects) as on_reject, show_build_progress(quiet=patents.quiet) as report:
        built = build(
            patents.collection(None, on_reject),
            profile=profile,
            fields=names,
            overwrite=overwrite,
            progress=report,
            **given,
        )
    if json:
        show_json(counts_of_report(built))
    else:
        show_tables(tabulate_report(built), format_)
    finish(built, str(out), rejects=patents.rejects, quiet=patents.quiet)
