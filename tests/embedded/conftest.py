"""A shelf of small indexes, built once, and the collection of the tests of rankings."""

from __future__ import annotations

import pytest

from tests.ranking.conftest import added, index
from tests.search.worlds import Shelf

__all__ = ["added", "index"]


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    return Shelf(tmp_path_factory.mktemp("shelf"))
