"""The plain engine keeps the contract, too: what it refuses, and that its parts agree with each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.corpus import Collection
from tests.engine.contract import CHECKS, World, write_collection
from tests.engine.plain import PlainEngine

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module", params=["known", "unknown"])
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> World:
    folder: Path = tmp_path_factory.mktemp("plain")
    file = write_collection(folder / "a.jsonl", 5, range(40), unknown=request.param == "unknown")
    return World.of(PlainEngine(Collection(file).patents()), file)


@pytest.mark.parametrize("name", CHECKS)
@given(data=st.data())
def test_the_contract(world: World, name: str, data: st.DataObject) -> None:
    CHECKS[name](world, data.draw)
