"""A field of facts that is declared in one place and stored in another, on a cluster as in a folder."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.new_field import Copy, granted
from tests.web.world import patents

if TYPE_CHECKING:
    from pathlib import Path

    from tests.opensearch.local_cluster import LocalCluster

FACETS = """
import json, sys
from antecede.conditions.filters import Filters, limit_field
from antecede.engine import open_index
from antecede.search.facets import count_facets
filters = Filters(others=(limit_field("kind", ["b"]), limit_field("country", ["EP"])))
counts = [count_facets(open_index(where), filters, retrieved=["EP1000002"]) for where in sys.argv[1:]]
print(json.dumps([each.to_dict() for each in counts]))
"""


def test_a_new_field_is_found_limited_and_counted_on_a_cluster(cluster: LocalCluster, tmp_path: Path) -> None:
    address = cluster.address("new-field")
    with Copy(tmp_path) as copy:
        for place in ("index", address):
            copy.run("index", copy.documents, "--out", place)
        for words in (("--where", "kind:B1"), ("--where", "kind:b NOT kind:B2"), ("--kind", "b"), ("--kind", "A1")):
            found = copy.search(address, *words)
            assert found == copy.search("index", *words)
            assert found[0]
        assert copy.search(address, "--kind", "B1")[0] == granted(patents(), "B1")
        folder, remote = json.loads(copy.python("-c", FACETS, "index", address))
        assert remote == folder
        assert {each["value"] for each in remote["kinds"]} == {"A1", "B1"}  # none of its own filter, and no B2 is of EP
