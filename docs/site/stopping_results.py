"""The results of the study of feedback, estimators and stopping rules: which there are, and where they are kept."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import antecede as ac
from antecede.review.reading import ACTIVE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DOCS = Path(__file__).resolve().parents[1]
PATENTS = ("fulltext", "abstract")
FUSED, SINGLE = "trec8-fused", "trec8-single"
FEWEST = 3
"""Relevant documents of a topic in the comparison of kinds of feedback."""
TARGET = 0.95
CONFIDENCE = 0.8
"""Of the bound of the calibrated rule that is tried on the patents."""
CALIBRATED = "calibrated"
COLLECTIONS = (*PATENTS, FUSED, SINGLE)
CALIBRATIONS = (*COLLECTIONS, *(f"{each}-{ACTIVE}" for each in PATENTS))


class AbsentError(Exception):
    """The data of a part are not there."""


@dataclass(frozen=True)
class Workplace:
    """Where the data, the indexes and the results are."""

    data: Path
    work: Path
    indexes: dict[str, Path] = field(default_factory=dict)

    def require(self, name: str) -> Path:
        """A file or folder of the data."""
        path = self.data / name
        if not path.exists():
            raise AbsentError(f"{name} is not in the data")
        return path

    def open_index(self, name: str) -> ac.Index:
        """The index of a collection, built in the work folder unless one is given."""
        folder = self.indexes.get(name, self.work / f"{name}.index")
        if not folder.exists():
            ac.index.build(ac.Collection(self.require(f"patents-{name}/patents.jsonl.gz")), folder)
        return ac.open_index(folder)

    def result(self, part: str) -> dict[str, Any]:
        """What a part has written, after it is computed if need be."""
        path = self.work / f"{part}.json"
        if not path.exists():
            raise AbsentError(f"it needs {part}, which is not computed yet")
        found: dict[str, Any] = json.loads(path.read_text())
        return found

    def computed(self, kind: str, names: Sequence[str]) -> list[str]:
        """The collections for which a kind of part is computed."""
        return [name for name in names if (self.work / f"{kind}-{name}.json").exists()]

    def lists(self, part: str) -> dict[str, Any]:
        """The results of a part by list; nothing where it is not computed."""
        return dict(self.result(part)["lists"]) if (self.work / f"{part}.json").exists() else {}


def mean(values: Iterable[float]) -> float:
    """The mean; NaN of nothing."""
    found = [*values]
    return float(np.mean(found)) if found else float("nan")
