"""Uploaded files, read in a process of its own that is bounded in memory and time; the gate bounds their size.

python -m antecede.web.uploads patent FILE NAME [DOC_ID]
python -m antecede.web.uploads case FILE NAME
"""

from __future__ import annotations

import atexit
import gc
import json
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path, PurePosixPath, PureWindowsPath
from subprocess import DEVNULL, PIPE
from typing import TYPE_CHECKING, Any

from antecede.corpus.applications import is_application, read_application
from antecede.corpus.collection import Collection, find_patent, only_patent
from antecede.errors import AntecedeError, InputError, UsageError, printable
from antecede.parallel import check_wanted

if TYPE_CHECKING:
    from antecede.patent import Patent
    from antecede.review.case_file import Rows
    from antecede.web.workbench import Site

SECONDS, POLL_SECONDS = 90.0, 0.25
MEMORY, PROCESSOR_SECONDS = 2 << 30, 60
"""Bytes of address space and processor time of the process that reads a file."""
MOST_CHOICES = 500
LONGEST_NAME = 120


class ChoiceError(UsageError):
    """A file holds several patents."""

    def __init__(self, message: str, choices: list[dict[str, Any]]) -> None:
        super().__init__(message)
        self.choices = choices


def clean_name(name: str) -> str:
    """The last part of a file name, printable and not too long."""
    last = PureWindowsPath(PurePosixPath(name).name).name
    return printable("".join(last.split("\x00")) or "upload", LONGEST_NAME)


async def read_upload(site: Site, name: str, doc_id: str | None) -> tuple[dict[str, Any], list[str]]:
    """The record of the patent in the body of a request, and notes on how it was read."""
    shown_name = clean_name(name)
    found = await _read_body(site, safe_suffix(shown_name), "patent", shown_name, *([doc_id] if doc_id else []))
    if "choices" in found:
        what = f"{shown_name}: holds {found['count']} patents; choose one"
        raise ChoiceError(what, found["choices"])
    return found["patent"], found["notes"]


async def read_case(site: Site) -> Rows:
    """The rows of the case in the body of a request."""
    rows: Rows = (await _read_body(site, ".json", "case", "the file"))["case"]
    return rows


async def _read_body(site: Site, suffix: str, kind: str, name: str, *more: str) -> dict[str, Any]:
    """What another process reads in the body of a request; there are few such processes at a time."""
    with tempfile.TemporaryDirectory(prefix="antecede-upload-") as folder:
        path = Path(folder) / f"file{suffix}"
        with path.open("wb") as file:
            async for part in site.request.stream():
                file.write(part)
        if not path.stat().st_size and kind == "patent":
            raise InputError("is empty", source=name)
        return await site.workers.run("file", site.request, lambda: run_reader([kind, str(path), name, *more], name))


def run_reader(words: list[str], name: str) -> dict[str, Any]:
    """Read a file in another process; one that takes too long, or that nobody waits for any more, is stopped."""
    command = (sys.executable, "-m", "antecede.web.uploads", *words)
    end, out = time.monotonic() + SECONDS, None
    with subprocess.Popen(command, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL) as process:  # noqa: S603 - this program
        try:
            while out is None:
                with suppress(subprocess.TimeoutExpired):
                    out, _ = process.communicate(timeout=POLL_SECONDS)
                check_wanted()
                if out is None and time.monotonic() > end:
                    raise InputError(f"takes longer than {SECONDS:.0f} s to read", source=name)
        finally:
            process.kill()
    try:
        answer: dict[str, Any] = json.loads(out)
    except ValueError:
        what = "cannot be read within the limits of memory and time"
        raise InputError(what, source=name, remedy="save it as plain text") from None
    if "error" in answer:
        raise UsageError(answer["error"])
    return answer


def safe_suffix(name: str) -> str:
    """The extensions of a file name, as far as they are plain: `.xml.gz`."""
    found = "".join(Path(name).suffixes[-2:])
    return found if found.isascii() and found.replace(".", "").isalnum() and len(found) <= 20 else ""


# The process that reads: it loads what it needs, as everything would take twice as long as reading a patent


def read_file(path: Path, name: str, doc_id: str | None) -> dict[str, Any]:
    notes: list[str] = []
    if is_application(path):
        found: Patent | list[Patent] = read_application(path, notes.append)
    else:
        collection = Collection(str(path), on_note=notes.append)
        found = find_patent(collection, doc_id) if doc_id else only_patent(collection)
    kept = [note.replace(str(path), name) for note in notes]
    if isinstance(found, list):
        from antecede.review.records import title_of

        choices = []
        for patent in found[:MOST_CHOICES]:
            date = str(patent.publication_date) if patent.publication_date else None
            about = {"doc_id": patent.doc_id, "title": title_of(patent), "date": date}
            choices.append({**about, "kinds": patent.kinds, "ipc": patent.ipc})
        return {"choices": choices, "count": len(found), "notes": kept}
    record = {**found.to_dict(), "source": name}
    if is_application(path):
        record["doc_id"] = Path(name).name.replace(" ", "_") or "upload"
    return {"patent": record, "notes": kept}


def limit_resources() -> None:
    """Bound memory and processor time, where the system can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main(kind: str, file: str, name: str, more: str | None = None) -> int:
    """Read a patent, perhaps the one with a number, or a case."""
    limit_resources()
    path = Path(file)
    found: dict[str, Any] = {}
    try:
        if kind == "patent":
            found = read_file(path, name, more)
        else:
            from antecede.review.case_file import read_case_file

            found = {"case": read_case_file(path.read_bytes(), name)}
    except InputError as error:
        where = f", {error.doc_id}" if error.doc_id else ""
        remedy = f"; {error.remedy}" if kind == "case" and error.remedy else ""
        found = {"error": f"{name}{where}: {error.what}{remedy}".replace(file, name)}
    except AntecedeError as error:
        found = {"error": f"{name}: {error}".replace(file, name)}
    except MemoryError:
        found = {"error": f"{name}: needs more memory than the limit of {MEMORY >> 20} MB"}
    if "error" in found:
        found["error"] = printable(found["error"], 1000)
    sys.stdout.buffer.write(json.dumps(found).encode())
    return 0


if __name__ == "__main__":
    gc.disable()  # what is loaded and read makes many objects, and the process ends soon
    atexit.register(gc.freeze)
    sys.exit(main(*sys.argv[1:]))
