"""What the tests of the index share: no waiting for the disk, chunks of a few documents, the program."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import program
from tests.index.worlds import chunks_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["program"]


@pytest.fixture(autouse=True, scope="session")
def no_waiting_for_the_disk() -> Iterator[None]:
    """Whether bytes are on disk for good matters only when the machine itself breaks down."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture
def small_chunks() -> Iterator[None]:
    """Chunks of three documents, so that a small collection has many."""
    with chunks_of(3):
        yield
