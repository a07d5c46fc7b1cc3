"""The distributed engine: an index on a cluster that can be searched as one on this machine."""

from __future__ import annotations

from antecede.opensearch.cluster_index import ClusterIndex
from antecede.search.index_search import SearchableIndex


class ClusterEngine(SearchableIndex, ClusterIndex):
    """One state of an index on a cluster, opened for searching. `open_index` creates one.

    Args:
        address: Where it is.
    """
