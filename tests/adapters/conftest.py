"""The folder of the docs, laid out once for the tests of the adapters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.desk import shared

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared(tmp_path_factory)
