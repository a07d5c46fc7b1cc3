"""What an experiment is made of, once its file has been read and found right."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import date

    from antecede.experiment.values import Place
    from antecede.search.settings import SearchSettings

MEASURES = (
    "AP@1000", "nDCG", "P@10", "P@50", "P@100", "R@10", "R@50", "R@100", "R@1000", "PRES@100", "PRES@1000",
)  # fmt: skip
"""The columns of the papers' tables, and PRES, which theirs have not."""
TOGETHER = "together"


@dataclass(frozen=True)
class Synthetic:
    """A made-up collection."""

    patents: int = 2000
    seed: int = 1
    topics: int | None = None
    length: int | None = None


@dataclass(frozen=True)
class CollectionFrom:
    """Where the patents come from."""

    paths: tuple[Path, ...] = ()
    synthetic: Synthetic | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    """What a JSON source calls our fields."""


@dataclass(frozen=True)
class IndexFrom:
    """An index that is there, or how one is to be built."""

    path: Path | None = None
    profile: str = "default"
    fields: tuple[str, ...] = ("title", "abstract", "claims", "description")
    memory: str = "2GB"
    workers: int | None = None


@dataclass(frozen=True)
class TopicsFrom:
    """Patents in files, names of patents in the index, or patents made topics by their citations."""

    paths: tuple[Path, ...] = ()
    citations: str | None = None
    """Which citations make topics: fields, text or both; None where topics are not made so."""
    after: date | None = None
    grades: str = "category"
    fewest: int = 1
    most: int | None = None
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Search:
    """A run to be made: the settings of a search, under a name."""

    name: str
    settings: SearchSettings
    terms_by_language: Mapping[str, int] | None = None
    """How many terms a query has in each language, where the file gives a number for each."""

    def settings_for(self, language: str | None) -> SearchSettings:
        """The settings for topics of a language; None for topics of several."""
        if self.terms_by_language is None:
            return self.settings
        return replace(self.settings, terms=self.terms_by_language.get(language or ""))


@dataclass(frozen=True)
class GivenRun:
    """Somebody's own run."""

    name: str
    path: Path


@dataclass(frozen=True)
class Evaluation:
    """How runs are read, scored and compared."""

    measures: tuple[str, ...] = MEASURES
    baseline: str | None = None
    test: str = "t"
    correction: str = "holm"
    alpha: float = 0.05
    samples: int = 10_000
    seed: int = 0
    missing: str = "zero"
    no_relevant: str = "skip"
    duplicates: str = "error"
    malformed: str = "error"
    ties: str = "docid"
    order: str = "score"
    depth: int | None = None

    @property
    def reading(self) -> dict[str, Any]:
        """What `rank_table` takes."""
        return {name: getattr(self, name) for name in ("duplicates", "malformed", "ties", "order", "depth")}

    @property
    def testing(self) -> dict[str, Any]:
        """What `compare` takes, besides the baseline."""
        return {name: getattr(self, name) for name in ("test", "correction", "alpha", "samples", "seed")}


@dataclass(frozen=True)
class Settings:
    """The whole experiment."""

    file: Path
    text: str
    """The file as it was read."""
    title: str
    out: Path
    top: Place
    collection: CollectionFrom | None = None
    index: IndexFrom = IndexFrom()
    topics: TopicsFrom = TopicsFrom()
    qrels: Path | None = None
    languages: tuple[str, ...] | None = None
    """The parts, a language each; None for every language that the topics have."""
    together: bool = False
    """Whether all topics make one part, whatever their language."""
    searches: tuple[Search, ...] = ()
    runs: tuple[GivenRun, ...] = ()
    evaluation: Evaluation = Evaluation()
    studies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By name, with their options."""

    @property
    def searching(self) -> bool:
        """Whether anything is to be searched for; else there are only runs of others."""
        return bool(self.searches)

    @property
    def names(self) -> tuple[str, ...]:
        """What the runs are called, in the order of the tables."""
        return (*(each.name for each in self.searches), *(each.name for each in self.runs))

    def options(self) -> dict[str, Any]:
        """The settings as JSON knows them, every default in its place, paths as seen from the file."""
        left_out = ("file", "text", "top", "out")
        chosen = (each.name for each in fields(self) if each.name not in left_out)
        return {name: plain(getattr(self, name), self.file.parent) for name in chosen}


def plain(value: Any, folder: Path | None = None) -> Any:
    """A setting in JSON's own types; paths as seen from a folder."""
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name), folder) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain(each, folder) for name, each in value.items()}
    if isinstance(value, tuple | list):
        return [plain(each, folder) for each in value]
    if isinstance(value, Path) and folder is not None:
        return Path(os.path.relpath(value, folder)).as_posix()
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
