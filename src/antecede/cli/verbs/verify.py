"""antecede verify"""

from __future__ import annotations

import typer

from antecede.cli import options
from antecede.cli.bundles import verb


@verb("antecede verify clefip.index", "antecede verify clefip.index --json")
def verify(*, index: options.IndexFolder, json: options.Json = False, quiet: options.Quiet = False) -> None:
    """Check that every file of an index is as it was written and that the contents agree; name what is damaged.

    Exit code 1 where something is wrong.
    """
    from antecede.cli.output import progress, show_json, show_text
    from antecede.index import verify_index
    from antecede.opensearch.address import is_address, parse_address
    from antecede.opensearch.maintenance import verify_cluster

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
