"""antecede info"""

from __future__ import annotations

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.options import Style


@verb("antecede info clefip.index", "antecede info clefip.index --json")
def info(*, index: options.IndexFolder, json: options.Json = False, format_: options.Format = Style.text) -> None:
    """Show what an index holds: documents, terms and postings of each language, sizes, and how it was built."""
    from antecede.cli.output import show_json, show_tables
    from antecede.index import open_index
    from antecede.index.statistics import describe_index, info_tables
    from antecede.opensearch.address import is_address, parse_address
    from antecede.opensearch.engine import ClusterEngine
    from antecede.opensearch.maintenance import cluster_tables, describe_cluster

    on_cluster = is_address(index)
    facts = describe_cluster(ClusterEngine(parse_address(index))) if on_cluster else describe_index(open_index(index))
    if json:
        show_json(facts)
    else:
        show_tables(cluster_tables(facts) if on_cluster else info_tables(facts), format_)
