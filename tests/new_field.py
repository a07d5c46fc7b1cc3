"""A copy of the program with a new filter, the kind code of a publication, and a new field of patents, examiners.

The filter takes two files, its declaration and the column of the field that it filters by; the field takes one line.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

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
PROCESS = """
import dataclasses, json, sys
from tests.conftest import call_program
out = sys.stdout
for line in sys.stdin:
    print(json.dumps(dataclasses.astuple(call_program(*json.loads(line)))), file=out, flush=True)
"""
"""Runs the program with the words of each line, and says how it ended."""
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
        pipe = self.process.stdin, self.process.stdout
        assert pipe[0] is not None
        assert pipe[1] is not None
        pipe[0].write(json.dumps([*map(str, words)]) + "\n")
        pipe[0].flush()
        ended, out, err = json.loads(pipe[1].readline())
        assert ended == code, out + err
        return str(err if code else out)

    @cached_property
    def process(self) -> subprocess.Popen[str]:
        """One process that runs every command: starting one takes longer than what it does."""
        return subprocess.Popen(
            [sys.executable, "-c", PROCESS],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self.process:
            assert self.process.stdin is not None
            self.process.stdin.close()

    def python(self, *words: object) -> str:
        """What Python prints."""
        words = (sys.executable, *words)
        return subprocess.run(
            [*map(str, words)], cwd=self.folder, env=self.environment, capture_output=True, text=True, check=True
        ).stdout

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
