"""antecede add"""

from __future__ import annotations

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.collections import Patents, rejects_file
from antecede.cli.indexing import BuildOptions
from antecede.cli.options import Style


@verb(
    "antecede add clefip.index new/",
    "antecede add clefip.index new/ --resume",
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
    """Add documents to an index; they can be found immediately. A patent that is already in the index is replaced.

    Exit code 1 where more than 5 % of the documents are rejected.
    """
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
