"""What the tests of the index share: chunks of a few documents, the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import program
from tests.index.worlds import chunks_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["program"]


@pytest.fixture
def small_chunks() -> Iterator[None]:
    """Chunks of three documents, so that a small collection has many."""
    with chunks_of(3):
        yield
