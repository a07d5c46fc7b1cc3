"""The program inside the test's own process, and the files of a folder before and after a call."""

from __future__ import annotations

import io
import json
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING
from unittest.mock import patch

from antecede.cli import main
from tests.conftest import Outcome

if TYPE_CHECKING:
    from pathlib import Path

    Files = dict[str, tuple[bytes, int]]


def call(folder: Path, *words: object) -> Outcome:
    """Run the program in a folder. A traceback is an exception here, and fails the test."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    code: object = 0
    with (
        patch.object(sys, "argv", ["antecede", *map(str, words)]),
        chdir(folder),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    printed = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return Outcome(int(str(code or 0)), *printed)


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
