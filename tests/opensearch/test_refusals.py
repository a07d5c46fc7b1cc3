"""Verbs and functions that need an index in a folder refuse a cluster in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import antecede as api
from antecede.engine import open_index
from antecede.errors import AntecedeError
from antecede.learning.examples import collect_topics
from antecede.review.judged_topics import topics_from_index
from tests.cli.conftest import program

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from tests.cli.conftest import Program
    from tests.opensearch.local_cluster import LocalCluster

__all__ = ["program"]
ADDRESS = "opensearch://127.0.0.1:1/patents"
"""Nobody listens there."""
CALLS = {
    "review simulate": ("qrels.txt", "--index", ADDRESS),
    "review calibrate": (ADDRESS, "--out", "OUT"),
    "learn weights": (ADDRESS, "--out", "OUT"),
    "learn space": (ADDRESS,),
    "learn translations": (ADDRESS, "--out", "OUT"),
    "learn translations into": ("patents.jsonl", "--into", ADDRESS),
    "learn translations show": (ADDRESS, "--show", "valve"),
    "study retrievability": (ADDRESS, "topics.jsonl"),
}


def functions(index: Any, out: Path) -> dict[str, Callable[[], object]]:
    return {
        "topics_from_index": lambda: topics_from_index(index, [], {"1": {"a": 1}}),
        "count_retrievals": lambda: api.study.retrievability(index),
        "collect_topics": lambda: collect_topics(index),
        "learn_space": lambda: api.learn.space(ADDRESS),
        "add_to_index": lambda: api.index.add(ADDRESS, "patents.jsonl"),
        "merge_index": lambda: api.index.merge(ADDRESS),
        "verify_index": lambda: api.index.verify(ADDRESS),
    }


@pytest.mark.parametrize("name", functions(None, None))  # type: ignore[arg-type]
def test_a_function_that_needs_a_folder_refuses_a_cluster(
    name: str, loaded: Callable[[int], str], tmp_path: Path, cluster: LocalCluster
) -> None:
    with pytest.raises(AntecedeError, match="needs an index in a folder") as raised:
        functions(open_index(loaded(3)), tmp_path / "out")[name]()
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("call", CALLS)
def test_a_verb_that_needs_a_folder_refuses_an_address(call: str, tmp_path: Path, program: Program) -> None:
    verb = " ".join(call.split()[:2])
    out = tmp_path / "out"
    found = program(*verb.split(), *(out if word == "OUT" else word for word in CALLS[call]))
    said = f"antecede {verb} needs an index in a folder"
    assert (found.code, found.out) == (2, "")
    assert said in found.err
    assert len(found.err.strip().splitlines()) == 1
    assert not out.exists()
