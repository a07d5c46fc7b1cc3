"""The table of translations that is stored with an index: one file, named by the manifest.

What is in it is the concern of `antecede.query.translation`; here it is bytes with a checksum.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antecede.index.files import File, FolderWriter, read_file
from antecede.index.layout import SEGMENTS
from antecede.index.schema import record

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.index.schema import Rule

NAME = re.compile(r"translation-[0-9]{6,15}\.zst")


@dataclass(frozen=True)
class TranslationEntry:
    """What the manifest says of the table."""

    generation: int
    """Which generation stored it."""
    file: File

    @property
    def name(self) -> str:
        """Its file, below the folder of the segments."""
        return f"translation-{self.generation:06d}.zst"

    def to_dict(self) -> dict[str, Any]:
        """The entry in a JSON-compatible form."""
        return {"generation": self.generation, "file": dict(self.file.__dict__)}


def restore_translation(plain: dict[str, Any] | None) -> TranslationEntry | None:
    """The entry from its plain form."""
    return None if plain is None else TranslationEntry(plain["generation"], File(**plain["file"]))


def translation_rule(file: Rule, generation: Rule) -> Rule:
    """What an entry must be, key by key."""
    return record({"generation": generation, "file": file})


def write_translation(folder: Path, generation: int, data: bytes) -> TranslationEntry:
    """Write a table beside the segments; it is part of the index once a manifest names it."""
    entry = TranslationEntry(generation, File(0, "", 0))
    writer = FolderWriter(folder / SEGMENTS)
    with writer.stream(entry.name) as out:
        out.write(data)
    writer.sync()
    return TranslationEntry(generation, writer.files[entry.name])


def read_translation(folder: Path, entry: TranslationEntry) -> bytes:
    """The bytes of the table, refused by name where they are not what was written."""
    return bytes(read_file(folder / SEGMENTS / entry.name, entry.file))
