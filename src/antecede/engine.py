"""The two engines behind one interface: an index in a folder, or on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.opensearch.address import is_address, parse_address
from antecede.search.engine import EmbeddedEngine

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.opensearch.engine import ClusterEngine


def open_index(where: str | Path) -> EmbeddedEngine | ClusterEngine:
    """Open an index for searching. This takes milliseconds; any number of processes may read while one writes.

    Args:
        where: The folder of the index, or its address on a cluster: `opensearch://host:9200/name`.
    """
    if is_address(where):
        from antecede.opensearch.engine import ClusterEngine

        return ClusterEngine(parse_address(where))
    return EmbeddedEngine.open(where)
