"""The forms in which a synthetic collection is written: MAREC's XML folders, or JSON lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import zstandard

from antecede.synthetic import json_lines, marec_xml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from antecede.synthetic.document import SyntheticPatent

FOLDERS = 10_000
"""MAREC's folders are the last four digits of a number, two by two."""
LEVEL = 3
"""How hard zstd tries."""


class Written(NamedTuple):
    """What became of a few patents."""

    documents: int
    size: int
    """In bytes."""
    stream: bytes = b""
    """What is to be put at the end of the form's one file, if it has one."""


class Form(NamedTuple):
    """A way to write patents."""

    write: Callable[[Path, Iterable[SyntheticPatent]], Written]
    """Write patents into a folder, or give them back as a stream."""
    prepare: Callable[[Path, int, int], None]
    """Make a folder ready for the patents from one number up to, not including, another."""
    path: Callable[[SyntheticPatent], str]
    """Where in the folder a patent is found."""
    file: str = ""
    """The name of the one file that streams go to."""
    told: str = ""
    """What the README says of it."""


def folder_of(number: int) -> str:
    """MAREC's folder of a European patent: EP/34/56 for 1123456."""
    return f"EP/{number // 100 % 100:02d}/{number % 100:02d}"


def make_folders(folder: Path, first: int, last: int) -> None:
    for number in range(first, min(first + FOLDERS, last)):
        (folder / folder_of(number)).mkdir(parents=True, exist_ok=True)


def write_documents(folder: Path, patents: Iterable[SyntheticPatent]) -> Written:
    """A file a document."""
    documents = size = 0
    for patent in patents:
        place = f"{folder}/{folder_of(patent.number)}/EP-{patent.number}-"
        for kind, text in marec_xml.documents(patent):
            data = text.encode()
            with open(f"{place}{kind}.xml", "wb", buffering=0) as file:  # noqa: PTH123 (a Path a file costs a tenth)
                file.write(data)
            documents += 1
            size += len(data)
    return Written(documents, size)


def first_document(patent: SyntheticPatent) -> str:
    return f"{folder_of(patent.number)}/EP-{patent.number}-{patent.kind}.xml"


def one_file(folder: Path, _first: int, _last: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)


def write_lines(_folder: Path, patents: Iterable[SyntheticPatent]) -> Written:
    """A frame of zstd with a line a patent: frames one behind the other are a file."""
    lines = [json_lines.line(patent) for patent in patents]
    data = "".join(lines).encode()
    packed = zstandard.ZstdCompressor(LEVEL).compress(data)
    return Written(len(lines), len(packed), packed)


LINES = "patents.jsonl.zst"
FORMS: dict[str, Form] = {
    "marec": Form(
        write_documents,
        make_folders,
        first_document,
        told="MAREC `patent-document` XML, a file a document, in folders by the last four digits of the number",
    ),
    "jsonl": Form(
        write_lines,
        one_file,
        lambda _patent: LINES,
        LINES,
        told=f"JSON lines, a patent a line, its documents merged (`{LINES}`)",
    ),
}
