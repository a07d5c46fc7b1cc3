"""An index, opened to be read: nothing is loaded until it is asked for."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import InputError
from antecede.index.arrays import read_array
from antecede.index.manifest import Manifest, read_manifest
from antecede.index.segment import Segment
from antecede.index.statistics import Statistics
from antecede.text.analyzer import Analyzer
from antecede.text.profiles import Profile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.index.matrix import Matrix
    from antecede.patent import Patent

SEGMENTS = "segments"


class Index:
    """One state of an index. Others may add to it meanwhile: this one stays as it was opened."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder, self.manifest, self.settings = folder, manifest, manifest.settings

    def __repr__(self) -> str:
        return f"<Index {self.folder}: {self.documents} documents in {', '.join(self.languages) or 'no language'}>"

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """The segments, in the order they were added."""
        return tuple(self.opened())

    def opened(self) -> Iterator[Segment]:
        for entry in self.manifest.segments:
            deleted = np.zeros(0, np.uint32)
            if entry.deleted is not None:
                deleted = read_array(self.folder / SEGMENTS / entry.deleted)
            yield Segment(self.folder / SEGMENTS / entry.name, entry, deleted)

    @property
    def documents(self) -> int:
        """Patents that can be found."""
        return sum(segment.documents - len(segment.deleted) for segment in self.segments)

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """Languages there is text in, the one with most documents first."""
        rows: dict[str, int] = {}
        for entry in self.manifest.segments:
            for language, counts in entry.languages.items():
                rows[language] = rows.get(language, 0) + counts["rows"]
        return tuple(sorted(rows, key=lambda language: (-rows[language], language)))

    def matrices(self, language: str) -> list[tuple[Segment, Matrix]]:
        """The matrix of a language in each segment that has one."""
        return [(each, each.matrices[language]) for each in self.segments if language in each.matrices]

    def statistics(self, language: str) -> Statistics:
        """The statistics of a language over all segments."""
        if language not in self._statistics:
            self._statistics[language] = Statistics(language, [matrix for _, matrix in self.matrices(language)])
        return self._statistics[language]

    @cached_property
    def _statistics(self) -> dict[str, Statistics]:
        return {}

    def analyzer(self, language: str) -> Analyzer:
        """The analyser that the texts of a language went through: queries go through the same."""
        kept = Profile.from_json(json.dumps(self.settings["profile"]), source=str(self.folder))
        return Analyzer(language, kept)

    def find(self, name: str) -> tuple[Segment, int] | None:
        """The segment and number of a patent, by its name or by its number in any form."""
        for segment in reversed(self.segments):
            number = segment.store.number_of(name)
            if number is not None and segment.live[number]:
                return segment, number
        return None

    def patent(self, name: str) -> Patent:
        """A patent whole."""
        found = self.find(name)
        if found is None:
            raise InputError("is not in the index", source=str(self.folder), doc_id=name, remedy="check the number")
        segment, number = found
        return segment.store.record(number)


def open_index(folder: str | Path) -> Index:
    """Open an index to be read. It is instant, and any number of processes may do so while another adds."""
    folder = Path(folder)
    return Index(folder, read_manifest(folder))
