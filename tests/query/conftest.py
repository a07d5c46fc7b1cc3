"""Worlds on disk, built once."""

from __future__ import annotations

import pytest

from tests.query.worlds import Worlds


@pytest.fixture(scope="session")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Worlds:
    return Worlds(tmp_path_factory.mktemp("worlds"))
