"""antecede merge"""

from __future__ import annotations

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.indexing import Memory, WorkersOption


@verb("antecede merge clefip.index", "antecede merge clefip.index --memory 1GB --json")
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
    from antecede.index.resources import parse_size
    from antecede.opensearch.address import is_address, parse_address
    from antecede.opensearch.maintenance import merge_cluster

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
