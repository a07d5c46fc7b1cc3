"""One small collection in each form, generated once for all tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from antecede.synthetic import Synthesis, synthesize

if TYPE_CHECKING:
    from pathlib import Path

PATENTS, TOPICS, SEED = 300, 80, 3


class SampleCollection(NamedTuple):
    """A collection and its counts."""

    folder: Path
    counts: Synthesis


@pytest.fixture(scope="session")
def marec(tmp_path_factory: pytest.TempPathFactory) -> SampleCollection:
    folder = tmp_path_factory.mktemp("synthetic") / "marec"
    return SampleCollection(folder, synthesize(folder, PATENTS, SEED, topics=TOPICS))


@pytest.fixture(scope="session")
def jsonl(tmp_path_factory: pytest.TempPathFactory) -> SampleCollection:
    folder = tmp_path_factory.mktemp("synthetic") / "jsonl"
    return SampleCollection(folder, synthesize(folder, PATENTS, SEED, topics=TOPICS, form="jsonl"))
