"""Uploaded files, read in a process of its own that is bounded in memory and time; the gate bounds their size.

python -m antecede.web.uploads patent FILE NAME [DOC_ID]
python -m antecede.web.uploads case FILE NAME
"""

from __future__ import annotations

import asyncio
import atexit
import gc
import json
import sys
import tempfile
from contextlib import suppress
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any

from antecede.corpus.applications import is_application, read_application
from antecede.corpus.collection import Collection, find_patent, only_patent
from antecede.errors import AntecedeError, InputError, UsageError, shown

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from antecede.patent import Patent
    from antecede.web.case_file import Rows

SECONDS = 90.0
MEMORY, PROCESSOR_SECONDS = 2 << 30, 60
"""Bytes of address space and processor time of the process that reads a file."""
MOST_CHOICES = 500
LONGEST_NAME = 120
AT_ONCE = 2
"""Files that are read at the same time."""
_READERS: asyncio.Semaphore | None = None


class ChoiceError(UsageError):
    """A file holds several patents."""

    def __init__(self, message: str, choices: list[dict[str, Any]]) -> None:
        super().__init__(message)
        self.choices = choices


def clean_name(name: str) -> str:
    """The last part of a file name, printable and not too long."""
    last = PureWindowsPath(PurePosixPath(name).name).name
    return shown("".join(last.split("\x00")) or "upload", LONGEST_NAME)


async def _receive_file(stream: AsyncIterator[bytes], to: Path) -> int:
    with to.open("wb") as file:
        async for part in stream:
            file.write(part)
        return file.tell()


async def read_upload(stream: AsyncIterator[bytes], name: str, doc_id: str | None) -> tuple[dict[str, Any], list[str]]:
    """The record of the patent in the body of a request, and notes on how it was read."""
    shown_name = clean_name(name)
    with tempfile.TemporaryDirectory(prefix="antecede-upload-") as folder:
        path = Path(folder) / f"file{safe_suffix(shown_name)}"
        if not await _receive_file(stream, path):
            raise InputError("is empty", source=shown_name)
        words = ["patent", str(path), shown_name, *([doc_id] if doc_id else [])]
        found = await run_reader(words, shown_name)
    if "choices" in found:
        what = f"{shown_name}: holds {found['count']} patents; choose one"
        raise ChoiceError(what, found["choices"])
    return found["patent"], found["notes"]


async def read_case(stream: AsyncIterator[bytes]) -> Rows:
    """The rows of the case in the body of a request."""
    with tempfile.TemporaryDirectory(prefix="antecede-import-") as folder:
        path = Path(folder) / "case.json"
        await _receive_file(stream, path)
        rows: Rows = (await run_reader(["case", str(path), "the file"], "the file"))["case"]
    return rows


async def run_reader(words: list[str], name: str) -> dict[str, Any]:
    """Read a file in another process, of which there are few at a time; one that takes too long is stopped."""
    global _READERS
    if _READERS is None:
        _READERS = asyncio.Semaphore(AT_ONCE)
    async with _READERS:
        command = (sys.executable, "-m", "antecede.web.uploads", *words)
        nothing, pipe = asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command, stdin=nothing, stdout=pipe, stderr=nothing)
        try:
            out, _ = await asyncio.wait_for(process.communicate(), SECONDS)
        except TimeoutError:
            raise InputError(f"takes longer than {SECONDS:.0f} s to read", source=name) from None
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
    try:
        answer: dict[str, Any] = await asyncio.to_thread(json.loads, out)
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
        from antecede.web.workbench import title_of

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
            from antecede.web.case_file import read_case_file

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
        found["error"] = shown(found["error"], 1000)
    sys.stdout.buffer.write(json.dumps(found).encode())
    return 0


if __name__ == "__main__":
    gc.disable()  # what is loaded and read makes many objects, and the process ends soon
    atexit.register(gc.freeze)
    sys.exit(main(*sys.argv[1:]))
