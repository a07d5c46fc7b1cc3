"""Building an index, and keeping it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from antecede.address import is_address, parse_address
from antecede.cli import options
from antecede.cli.bundles import Patents, TableOptions, verb
from antecede.cli.calls import Call, Derived
from antecede.cli.inputs import rejects_file
from antecede.cli.options import option
from antecede.cli.output import progress, show_build_progress, show_json, show_text
from antecede.cli.outputs import Output
from antecede.errors import UsageError

if TYPE_CHECKING:
    from antecede.index import BuildReport


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
    out: Path = option(
        "The folder of the new index, or its address: opensearch://host:9200/name.",
        ...,
        metavar="INDEX",
        path=Output(folder=True),
    ),
    call: Annotated[Call, Derived("antecede.index:build_index")],
    shards: int | None = option("On a cluster: the number of shards.", min=1, max=1024, show_default="1"),
    replicas: int | None = option(
        "On a cluster: the number of copies of each shard.", min=0, max=100, show_default="1"
    ),
    showing: TableOptions,
) -> None:
    """Build an index of a collection, to be searched.

    The exit code is 1 if more than 5 % of the documents are rejected.
    """
    distributed = is_address(out)
    if distributed and "spaces" in call.given:
        raise UsageError("--space: latent spaces are stored with an index in a folder only, not on a cluster")
    if not distributed and (shards, replicas) != (None, None):
        raise UsageError("--shards and --replicas are those of an index on a cluster (opensearch://host:9200/name)")
    with rejects_file(patents.rejects) as on_reject, show_build_progress(quiet=patents.quiet) as report:
        collection = patents.collection(None, on_reject)
        if distributed:
            from antecede.opensearch.load import load_collection

            parts, copies = shards or 1, 1 if replicas is None else replicas
            built = load_collection(
                collection, parse_address(out), shards=parts, replicas=copies, progress=report, **call.given
            )
        else:
            built = call.run(collection=collection, out=out, progress=report)
    _show_build(built, str(out), patents, showing)


def _show_build(built: BuildReport, index: str, patents: Patents, showing: TableOptions, *also: str) -> None:
    """Print the counts of a build and where rejected documents are listed; exit code 1 where there are too many."""
    from antecede.corpus.collection import loses_too_many
    from antecede.index.index import StoredIndex
    from antecede.tables import Table

    names = ("read", "indexed", "merged", "rejected")
    languages = {language or "unknown": number for language, number in built.languages.items()}
    counts: dict[str, Any] = {name: getattr(built, name) for name in (*names, *also)}
    rows = tuple((name, getattr(built, name)) for name in (*names, "replaced"))
    tables = [
        Table(("", "documents"), rows, notes=(f"{built.seconds:.1f} seconds",)),
        Table(("language", "documents"), tuple(languages.items())),
    ]
    if built.reasons:
        tables.append(Table(("rejected because", "documents"), tuple(built.reasons.items())))
    quiet = patents.quiet and not built.rejected
    showing.show({**counts, "languages": languages, "seconds": built.seconds}, *tables, quiet=quiet)
    if built.rejected and not patents.quiet:
        if patents.rejects is None and is_address(index):
            show_text("rejected documents are counted by reason; --rejects FILE lists them", error=True)
        else:
            listed = patents.rejects or StoredIndex.open(index).rejects
            show_text(f"rejected documents and reasons: {listed}", error=True)
    if loses_too_many(built.read, built.rejected, built.reasons):
        raise typer.Exit(1)


@verb(
    "antecede add clefip.index new/",
    "antecede add opensearch://127.0.0.1:9200/clefip new/",
    "antecede add us2005.index ipg060103.zip --json",
)
def add(
    *,
    index: options.IndexFolder,
    patents: Patents,
    call: Annotated[Call, Derived("antecede.index:add_to_index")],
    showing: TableOptions,
) -> None:
    """Add documents to an index; they can be found immediately. A patent that is already in the index is replaced."""
    from antecede.opensearch.load import add_collection

    with rejects_file(patents.rejects) as on_reject, show_build_progress(quiet=patents.quiet) as report:
        collection = patents.collection(None, on_reject)
        if is_address(index):
            built = add_collection(collection, parse_address(index), progress=report, **call.given)
        else:
            built = call.run(index=index, collection=collection, progress=report)
    _show_build(built, index, patents, showing, "replaced")


@verb("antecede merge clefip.index --memory 1GB")
def merge(
    *,
    index: options.IndexFolder,
    call: Annotated[Call, Derived("antecede.index:merge_index")],
    json: options.Json = False,
) -> None:
    """Merge the segments of an index into one: searches are faster, and replaced documents are removed."""
    from antecede.opensearch.load import merge_cluster

    if is_address(index):
        merged = merge_cluster(parse_address(index))
    else:
        with show_build_progress(quiet=call.quiet) as report:
            merged = call.run(index=index, progress=report)
    if json:
        show_json(merged.to_dict())
    elif not call.quiet:
        show_text(str(merged))


@verb("antecede verify clefip.index")
def verify(*, index: options.IndexFolder, json: options.Json = False, quiet: options.Quiet = False) -> None:
    """Check that every file of an index is as it was written and that the contents agree; name what is damaged.

    The exit code is 1 if something is wrong, with one line per problem.
    """
    from antecede.index import verify_index
    from antecede.opensearch.load import verify_cluster

    distributed = is_address(index)
    with progress("verifying", quiet=quiet) as report:
        check = verify_cluster(parse_address(index), report) if distributed else verify_index(index, report)
    if json:
        show_json({"ok": check.ok, "problems": list(check.problems)})
    elif check.ok and distributed:
        show_text(f"the counts are those of the load, and {check.files} documents of a sample agree with their records")
    elif check.ok:
        show_text(f"{check.files} files, all as they were written, and the contents agree")
    else:
        show_text("\n".join(map(str, check.problems)))
    if not check.ok:
        raise typer.Exit(1)


@verb("antecede info clefip.index")
def info(*, index: options.IndexFolder, showing: TableOptions) -> None:
    """Show what an index holds: documents, terms and postings of each language, sizes, and how it was built."""
    from antecede.index.index import StoredIndex
    from antecede.index.statistics import describe_index, info_tables
    from antecede.opensearch.engine import ClusterEngine
    from antecede.opensearch.load import describe_cluster

    if is_address(index):
        facts = describe_cluster(ClusterEngine(parse_address(index)))
    else:
        facts = describe_index(StoredIndex.open(index))
    showing.show(facts, *info_tables(facts))
