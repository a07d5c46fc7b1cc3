"""A copy of the program with a new filter, the kind code of a publication, and a new field of patents, examiners.

The filter takes two files, its declaration and the column of the field that it filters by; the field takes one line.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from tests.conftest import ROOT
from tests.web.world import patents

if TYPE_CHECKING:
    from pathlib import Path

DECLARATION = """    Field(
        "kind",
        "kinds",
        PREFIX,
        letters=("kind",),
        key=str.upper,
        reason="another kind of publication",
        setting="kind",
        help="Only documents of this kind: A, B1; may be repeated.",
        spell=str.upper,
        said="of kind",
        facet="kinds",
        title="Kind",
    ),
"""
COLUMN = """column=True, """
PATENT_FIELD = """    examiners: tuple[str, ...] = declare(PEOPLE, "examiners", column=True, sources=("examiner",))

"""
ADDED = {
    "conditions/fields.py": [('    Field("number",', DECLARATION)],
    "patent/record.py": [
        ('merge=distinct, hits=ALWAYS, sources=("kind",)', COLUMN),
        ("    @property\n    def languages", PATENT_FIELD),
    ],
}
"""File → texts before which something is added, and what."""
EXAMINER = "Ada Fellner"
GRANTED = 5
"""Documents of kind B1; one more is of kind B2, the others are applications."""


class Copy:
    """The program with the new field, to be run in processes of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        package = shutil.copytree(ROOT / "src/antecede", folder / "src/antecede")  # compiled code as well
        for name, additions in ADDED.items():
            for before, added in additions:
                text = (package / name).read_text()
                assert text.count(before) == 1, f"{name}: {before}"
                (package / name).write_text(text.replace(before, added + before))
        self.environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder / "src"), str(ROOT)])}
        self.documents = folder / "patents.jsonl"
        self.documents.write_text("".join(json.dumps(each) + "\n" for each in with_kinds(patents())))

    def run(self, *words: object, code: int = 0) -> str:
        """What `antecede` prints."""
        return self.python("-m", "antecede", *words, code=code)

    def python(self, *words: object, code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, *map(str, words)],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout if code == 0 else done.stderr

    def search(self, index: object, *words: object) -> tuple[set[str], dict[str, int]]:
        """The documents that a search for a text finds, and what its filters leave out."""
        found = json.loads(self.run("search", index, "--text", "valve router lamp pump", *words, "--json"))
        return {hit["doc_id"] for hit in found["hits"]}, found["documents"]["excluded"]


def with_kinds(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Patents of which some were granted, and one has no kind; the granted ones name their examiner."""
    kinds = [["B1"]] * GRANTED + [["A1", "B2"], []]
    described = [{**record, "kinds": own} for record, own in zip(records, kinds, strict=False)]
    described[:GRANTED] = [{**record, "examiner": EXAMINER} for record in described[:GRANTED]]
    return [*described, *records[len(kinds) :]]


def granted(records: list[dict[str, Any]], kind: str) -> set[str]:
    """The documents with a kind that begins so."""
    return {
        each["doc_id"] for each in with_kinds(records) if any(own.startswith(kind) for own in each.get("kinds", ()))
    }
