"""The small index of the page's tests, built once, and a client with an empty store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from antecede.review.store import CaseStore
from tests.web.world import Client, build_world, open_world

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from antecede.embedded.engine import EmbeddedEngine


@pytest.fixture(scope="session")
def world(once: Callable[[str, Callable[[], Any]], Any], shared_folder: Path) -> Path:
    folder = shared_folder / "web"

    def make() -> str:
        folder.mkdir()
        return str(build_world(folder))

    return Path(once("web", make))


@pytest.fixture(scope="session")
def index(world: Path) -> EmbeddedEngine:
    return open_world(world)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CaseStore]:
    opened = CaseStore(tmp_path / "cases.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def client(index: EmbeddedEngine, store: CaseStore) -> Iterator[Client]:
    with Client(index, store) as opened:
        yield opened.sign_in()
