"""Uploaded files: bounded in size, then read in a process of its own that is bounded in memory and time."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from contextlib import suppress
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError, UsageError, shown
from antecede.web.case_file import SOURCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

LARGEST = 64 << 20
"""Bytes of an uploaded file."""
LARGEST_CASE = 64 << 20
"""Bytes of an imported case."""
SECONDS = 90.0
LONGEST_NAME = 120
AT_ONCE = 2
"""Files that are read at the same time."""
_READERS: asyncio.Semaphore | None = None


class TooLargeError(UsageError):
    """A request is larger than the limit."""


class ChoiceError(UsageError):
    """A file holds several patents."""

    def __init__(self, message: str, choices: list[dict[str, Any]]) -> None:
        super().__init__(message)
        self.choices = choices


def clean_name(name: str) -> str:
    """The last part of a file name, printable and not too long."""
    last = PureWindowsPath(PurePosixPath(name).name).name
    return shown("".join(last.split("\x00")) or "upload", LONGEST_NAME)


async def receive_file(stream: AsyncIterator[bytes], declared: str | None, largest: int, to: Path) -> int:
    """Write the body of a request to a file; one that is too large is refused as soon as that is known."""
    too_large = TooLargeError(f"the file is larger than the limit of {largest >> 20} MB")
    if declared is not None and declared.isdigit() and int(declared) > largest:
        raise too_large
    size = 0
    with to.open("wb") as file:
        async for part in stream:
            size += len(part)
            if size > largest:
                raise too_large
            file.write(part)
    return size


async def read_upload(
    stream: AsyncIterator[bytes], declared: str | None, name: str, doc_id: str | None
) -> tuple[dict[str, Any], list[str]]:
    """The record of the patent in the body of a request, and notes on how it was read."""
    shown_name = clean_name(name)
    with tempfile.TemporaryDirectory(prefix="antecede-upload-") as folder:
        path = Path(folder) / f"file{safe_suffix(shown_name)}"
        if not await receive_file(stream, declared, LARGEST, path):
            raise InputError("is empty", source=shown_name)
        words = ["patent", str(path), shown_name, *([doc_id] if doc_id else [])]
        found = await run_reader(words, shown_name)
    if "choices" in found:
        what = f"{shown_name}: holds {found['count']} patents; choose one"
        raise ChoiceError(what, found["choices"])
    return found["patent"], found["notes"]


async def unpack_upload(stream: AsyncIterator[bytes], declared: str | None, folder: Path) -> Path:
    """A store with the one case in the body of a request, which is checked in another process."""
    path, unpacked = folder / "case.json", folder / "case.sqlite"
    await receive_file(stream, declared, LARGEST_CASE, path)
    await run_reader(["case", str(path), str(unpacked)], SOURCE)
    return unpacked


async def run_reader(words: list[str], name: str) -> dict[str, Any]:
    """Read a file in another process, of which there are few at a time; one that takes too long is stopped."""
    global _READERS
    if _READERS is None:
        _READERS = asyncio.Semaphore(AT_ONCE)
    async with _READERS:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "antecede.web.upload_reader", *words),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        found = await read_output(process, name)
    if "error" in found:
        raise UsageError(found["error"])
    return found


async def read_output(process: asyncio.subprocess.Process, name: str) -> dict[str, Any]:
    """What a process that reads a file prints."""
    try:
        out, _ = await asyncio.wait_for(process.communicate(), SECONDS)
    except (TimeoutError, asyncio.CancelledError) as error:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        if isinstance(error, asyncio.CancelledError):
            raise
        raise InputError(f"takes longer than {SECONDS:.0f} s to read", source=name) from None
    try:
        found: dict[str, Any] = json.loads(out)
    except ValueError:
        what = "cannot be read within the limits of memory and time"
        raise InputError(what, source=name, remedy="save it as plain text") from None
    return found


def safe_suffix(name: str) -> str:
    """The extensions of a file name, as far as they are plain: `.xml.gz`."""
    found = "".join(Path(name).suffixes[-2:])
    return found if found.isascii() and found.replace(".", "").isalnum() and len(found) <= 20 else ""
