"""A shelf of small indexes, built once."""

from __future__ import annotations

import pytest

from tests.search.worlds import Shelf


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    return Shelf(tmp_path_factory.mktemp("shelf"))
