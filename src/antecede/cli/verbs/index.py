"""Building an index, and keeping it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.collections import Patents, rejects_file
from antecede.cli.indexing import BuildOptions, Memory, Replicas, Shards, SpaceKind, WorkersOption
from antecede.cli.options import Style
from antecede.cli.outputs import Output


@verb(
    "antecede index clefip/ --out clefip.index",
    "antecede index ipg05*.zip --out us2005.index --memory 4GB --workers 8",
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
            help="The folder of the new index, or its address: opensearch://host:9200/name.",
            show_default=False,
        ),
        Output(folder=True),
    ],
    profile: Annotated[
        str,
        typer.Option(metavar="default|published", help="How words become terms."),
    ] = "default",
    fields: Annotated[
        str, typer.Option(metavar="F,F,…", help="The text fields to index; all fields are stored.")
    ] = "title,abstract,claims,description",
    no_positions: Annotated[
        bool,
        typer.Option(
            "--no-positions",
            help="A smaller index, without phrases, NEAR, ADJ, truncation and text fields in --where.",
        ),
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing index.")] = False,
    space: SpaceKind = None,
    shards: Shards = None,
    replicas: Replicas = None,
    building: BuildOptions,
    json: options.Json = False,
    format_: options.Format = Style.text,
) -> None:
    """Build an index of a collection, to be searched.

    The exit code is 1 if more than 5 % of the documents are rejected.
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
            positions=not no_positions,
            overwrite=overwrite,
            progress=report,
            **given,
        )
    if json:
        show_json(counts_of_report(built))
    else:
        show_tables(tabulate_report(built), format_)
    finish(built, str(out), rejects=patents.rejects, quiet=patents.quiet)


@verb(
    "antecede add clefip.index new/",
    "antecede add opensearch://127.0.0.1:9200/clefip new/",
    "antecede add us2005.index ipg060103.zip --json",
)
def add(
    *,
    index: options.IndexFolder,
    patents: Patents,
    building: BuildOptions,
    json: options.Json = False,
    format_: options.Format = Style.text,
) -> None:
    """Add documents to an index; they can be found immediately. A patent that is already in the index is replaced."""
    from antecede.cli.indexing import counts_of_report, finish, show_build_progress, tabulate_report
    from antecede.cli.output import show_json, show_tables
    from antecede.index import add_to_index
    from antecede.opensearch.address import is_address, parse_address
    from antecede.opensearch.load import add_collection

    given = building.given()
    with rejects_file(patents.rejects) as on_reject, show_build_progress(quiet=patents.quiet) as report:
        collection = patents.collection(None, on_reject)
        if is_address(index):
            built = add_collection(collection, parse_address(index), progress=report, **given)
        else:
            built = add_to_index(index, collection, progress=report, **given)
    if json:
        show_json(counts_of_report(built, "replaced"))
    else:
        show_tables(tabulate_report(built), format_)
    finish(built, index, rejects=patents.rejects, quiet=patents.quiet)


@verb("antecede merge clefip.index --memory 1GB")
def merge(
    *,
    index: options.IndexFolder,
    memory: Memory = "2GB",
    workers: WorkersOption = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Merge the segments of an index into one: searches are faster, and replaced documents are removed."""
    from antecede.cli.indexing import show_build_progress
    from antecede.cli.output import show_json, show_text
    from antecede.index import merge_index
    from antecede.opensearch.address import is_address, parse_address
    from antecede.opensearch.load import merge_cluster
    from antecede.parallel import parse_size

    if is_address(index):
        merged = merge_cluster(parse_address(index))
    else:
        with show_build_progress(quiet=quiet) as report:
            merged = merge_index(index, memory=parse_size(memory), workers=workers, progress=report)
    if json:
        show_json(merged.to_dict())
    else:
        show_text(
            f"{merged.segments} segments merged into one: {merged.documents} documents, "
            f"{merged.removed} replaced documents removed, {merged.seconds:.1f} seconds"
        )


@verb("antecede verify clefip.index")
def verify(*, index: options.IndexFolder, json: options.Json = False, quiet: options.Quiet = False) -> None:
    """Check that every file of an index is as it was written and that the contents agree; name what is damaged.

    The exit code is 1 if something is wrong, with one line per problem.
    """
    from antecede.cli.output import progress, show_json, show_text
    from antecede.index import verify_index
    from antecede.opensearch.address import is_address, parse_address
    from antecede.opensearch.load import verify_cluster

    on_cluster = is_address(index)
    with progress("verifying", quiet=quiet) as report:
        found = verify_cluster(parse_address(index), report) if on_cluster else verify_index(index, report)
    if json:
        show_json({"ok": found.ok, "problems": list(found.problems)})
    elif found.ok and on_cluster:
        show_text(f"the counts are those of the load, and {found.files} documents of a sample agree with their records")
    elif found.ok:
        show_text(f"{found.files} files, all as they were written, and the contents agree")
    else:
        show_text("\n".join(map(str, found.problems)))
    if not found.ok:
        raise typer.Exit(1)


@verb("antecede info clefip.index")
def info(*, index: options.IndexFolder, json: options.Json = False, format_: options.Format = Style.text) -> None:
    """Show what an index holds: documents, terms and postings of each language, sizes, and how it was built."""
    from antecede.cli.output import show_json, show_tables
    from antecede.index import open_index
    from antecede.index.statistics import describe_index, info_tables
    from antecede.opensearch.address import is_address, parse_address
    from antecede.opensearch.engine import ClusterEngine
    from antecede.opensearch.load import describe_cluster

    on_cluster = is_address(index)
    facts = describe_cluster(ClusterEngine(parse_address(index))) if on_cluster else describe_index(open_index(index))
    if json:
        show_json(facts)
    else:
        show_tables(info_tables(facts), format_)
