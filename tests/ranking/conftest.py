"""The collection of these tests as indexes: in one go, bit by bit, with spaces."""

from __future__ import annotations

import pytest

from antecede.embedded.engine import EmbeddedEngine
from antecede.index import SpacePlan, learn_space
from tests.ranking.worlds import documents
from tests.search.worlds import Shelf


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    return Shelf(tmp_path_factory.mktemp("rankings"))


@pytest.fixture(scope="session")
def index(shelf: Shelf) -> EmbeddedEngine:
    return shelf.index("whole", documents())


@pytest.fixture(scope="session")
def added(shelf: Shelf) -> EmbeddedEngine:
    """The same documents in three segments, some of them replaced by themselves."""
    lines = documents()
    return shelf.index("added", lines[:25], lines[20:45], lines[40:])


@pytest.fixture(scope="session")
def with_space(shelf: Shelf) -> EmbeddedEngine:
    """The same documents with a latent space."""
    shelf.index("spaced", documents())
    learn_space(shelf.built["spaced"], SpacePlan("lsa", 8), workers=1)
    return EmbeddedEngine.open(shelf.built["spaced"])
