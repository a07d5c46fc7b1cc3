"""antecede add"""

from __future__ import annotations

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.collections import Patents, rejects_file
from antecede.cli.indexing import Building, IndexPath
from antecede.cli.options import Style


@verb(
    "antecede add clefip.index new/",
    "antecede add clefip.index new/ --resume",
    "antecede add us2005.index ipg060103.zip --json",
)
def add(
    *,
    index: IndexPath,
    patents: Patents,
    building: Building,
    json: options.Json = False,
    format_: options.Format = Style.text,
) -> None:
    """Add documents to an index; they can be found at once. A patent that is there already is replaced.

    Exit code 1 where more than 5 % of the documents are rejected.
    """
    from antecede.cli.indexing import as_json, built_tables, finish
    from antecede.cli.indexing import building as showing_progress
    from antecede.cli.output import show_json, show_tables
    from antecede.index import add_to_index

    given = building.given()
    with rejects_file(patents.rejects) as on_reject, showing_progress(quiet=patents.quiet) as report:
        built = add_to_index(index, patents.collection(None, on_reject), progress=report, **given)
    if json:
        show_json(as_json(built, "replaced"))
    else:
        show_tables(built_tables(built), format_)
    finish(built, index, quiet=patents.quiet)
