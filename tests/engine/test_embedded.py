"""The engine over a folder keeps the contract, in one segment and in several of which a later one replaces patents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.engine import open_index
from antecede.index import add_to_index, build_index
from tests.engine.contract import CHECKS, World, write_collection

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SEEDS = 3
PARTS = {"whole": (range(60),), "added": (range(40), range(30, 50), range(45, 70))}


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int, str, bool], World]:
    """Gives the world of a seed, of parts, with or without documents of unknown language."""
    known: dict[tuple[int, str, bool], World] = {}
    folder: Path = tmp_path_factory.mktemp("embedded")

    def make(seed: int, parts: str, unknown: bool) -> World:
        key = seed, parts, unknown
        if key not in known:
            name = f"{seed}-{parts}-{unknown}"
            files = [
                write_collection(folder / f"{name}-{at}.jsonl", 10 * seed + at, numbers, unknown=unknown)
                for at, numbers in enumerate(PARTS[parts])
            ]
            build_index(files[0], folder / name, workers=1)
            for file in files[1:]:
                add_to_index(folder / name, file, workers=1)
            known[key] = World.of(open_index(folder / name), *files)
        return known[key]

    return make


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("unknown", [False, True], ids=["known", "unknown"])
@pytest.mark.parametrize("parts", PARTS)
@given(seed=st.integers(0, SEEDS - 1), data=st.data())
def test_the_contract(
    worlds: Callable[[int, str, bool], World], parts: str, unknown: bool, name: str, seed: int, data: st.DataObject
) -> None:
    CHECKS[name](worlds(seed, parts, unknown), data.draw)
