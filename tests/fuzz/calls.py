"""The program inside the test's own process, and the files of a folder before and after a call."""

from __future__ import annotations

import json
from contextlib import chdir
from typing import TYPE_CHECKING

from tests.conftest import Outcome, call_program

if TYPE_CHECKING:
    from pathlib import Path

    Files = dict[str, tuple[bytes, int]]


def call(folder: Path, *words: object) -> Outcome:
    """Run the program in a folder."""
    with chdir(folder):
        return call_program(*words)


def files_of(folder: Path) -> Files:
    """Every file of a folder with its content and permissions; of links, where they lead."""
    found: Files = {}
    for each in sorted(folder.rglob("*")):
        name = each.relative_to(folder).as_posix()
        if each.is_symlink():
            found[name] = str(each.readlink()).encode(), 0
        elif each.is_file():
            found[name] = each.read_bytes(), each.stat().st_mode
    return found


def patent(at: int) -> str:
    """A line of JSON: a small made-up patent that cites those before it."""
    cited = [{"number": f"EP{number}"} for number in range(1, at)]
    text = " ".join(f"word{(at * step) % 7} valve" for step in range(1, 20))
    whole = {"doc_id": f"EP{at}", "language": "en", "title": {"en": f"Valve {at}"}, "description": {"en": text}}
    return json.dumps({**whole, "publication_date": f"200{at}-01-01", **({"citations": cited} if cited else {})})
