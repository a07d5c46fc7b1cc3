"""Notes on how the records of a collection are understood: presets that were recognised, keys that no record has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.corpus.document import DocumentError
from antecede.corpus.formats.field_names import explain_missing, select_fields, shape_of
from antecede.corpus.formats.jsonl import ROOT, load_object
from antecede.corpus.formats.presets import PRESET, find_shape
from antecede.corpus.formats.tabular import CSV_ROW, PARQUET_ROW, TSV_ROW
from antecede.errors import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from antecede.corpus.document import RawDocument

SAMPLE = 100
"""The records at the beginning of a collection in which a key named by the user is looked for."""
RECORDS = (ROOT, CSV_ROW, TSV_ROW, PARQUET_ROW)


class FieldCheck:
    """Looks at the first record of every file, and at the first records of the collection."""

    def __init__(self, names: Mapping[str, str], note: Callable[[str], None] | None) -> None:
        self.names, self.note = names, note
        self.active = note is not None
        self.presets: set[str] = set()
        self.missing = {ours: "" for ours in names if ours not in (PRESET, "doc_id")}
        """Fields whose key no record has had so far, each with the reason given for the first; a record without a
        doc_id is rejected, and needs no note."""
        self.records = 0
        self.file = ""

    def add(self, raw: RawDocument) -> None:
        """Look at a document."""
        sampled = bool(self.missing) and self.records < SAMPLE
        if raw.root not in RECORDS or (raw.number > 1 and not sampled):
            return
        try:
            line = load_object(raw.data)
        except DocumentError:
            return
        if PRESET not in self.names:
            self.report_preset(raw.file, line)
        if raw.root == ROOT and sampled:
            self.sample(raw, line)

    def report_preset(self, file: str, line: Mapping[str, object]) -> None:
        """Report a preset that is recognised for the first time."""
        found = find_shape(line)
        if found is not None and found[0].name not in self.presets and self.note is not None:
            self.presets.add(found[0].name)
            self.note(f"{shown(file, 200)}: read as an export of {found[0].title} (--preset {found[0].name})")

    def sample(self, raw: RawDocument, line: Mapping[str, object]) -> None:
        """Look for the keys that the user named."""
        self.records += 1
        self.file = self.file or raw.file
        try:
            got = select_fields(line, self.names, shape_of(line, self.names))
        except DocumentError:
            return
        for ours in [*self.missing]:
            if ours in got:
                del self.missing[ours]
            elif not self.missing[ours]:
                self.missing[ours] = explain_missing(line, ours, self.names)
        if self.records == SAMPLE:
            self.finish()

    def finish(self) -> None:
        """Report the keys that no record had."""
        if self.note is not None and self.records:
            many = f"the first {self.records} records have" if self.records > 1 else "the record has"
            for reason in filter(None, self.missing.values()):
                self.note(f"{shown(self.file, 200)}: {many} {reason}")
        self.missing = {}
