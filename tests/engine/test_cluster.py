"""The engine over a cluster of three nodes keeps the contract, as it was loaded and after patents were replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from antecede.engine import open_index
from antecede.opensearch.address import parse_address
from antecede.opensearch.load import add_collection, load_collection
from tests.engine.contract import CHECKS, World, write_collection
from tests.opensearch.conftest import cluster, turn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from tests.opensearch.local_cluster import LocalCluster

__all__ = ["cluster", "turn"]
PARTS = {"whole": (range(60),), "added": (range(40), range(30, 50))}


@pytest.fixture(scope="module", params=PARTS)
def world(
    request: pytest.FixtureRequest,
    cluster: LocalCluster,
    once: Callable[[str, Callable[[], Any]], Any],
    shared_folder: Path,
) -> World:
    """Patents in three shards."""
    parts: str = request.param
    address = cluster.address(f"contract-{parts}")
    files = [shared_folder / f"contract-{parts}-{at}.jsonl" for at in range(len(PARTS[parts]))]

    def make() -> str:
        for at, (file, numbers) in enumerate(zip(files, PARTS[parts], strict=True)):
            write_collection(file, 20 + at, numbers)
        load_collection(files[0], parse_address(address), shards=3, replicas=1, workers=1)
        for file in files[1:]:
            add_collection(file, parse_address(address), workers=1)
        return address

    return World.of(open_index(once(f"contract-{parts}", make)), *files)


@pytest.mark.parametrize("name", CHECKS)
@settings(
    max_examples=5,
    phases=[Phase.generate],  # a request is too slow for the search of the smallest example
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_the_contract(world: World, cluster: LocalCluster, name: str, data: st.DataObject) -> None:
    CHECKS[name](world, data.draw)
