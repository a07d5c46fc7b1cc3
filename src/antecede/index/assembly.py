"""Assembles a segment from parts: the documents, and the matrix of each language."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from antecede.index.arrays import pointers
from antecede.index.class_order import MainClasses
from antecede.index.documents import day_number
from antecede.index.files import sync
from antecede.index.layout import CLASS_ORDER, DAYS, METADATA, NAMES, NAMES_PTR, ORDER, RECORDS, RECORDS_PTR, REJECTS
from antecede.index.matrix_writer import WorkLimits, write_matrix
from antecede.index.metadata import DAY, DOC_ID, write_metadata
from antecede.index.parts import keep_live_records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.index.files import FolderWriter
    from antecede.index.layout import LanguageCounts
    from antecede.index.metadata import Row
    from antecede.index.parts import Part
    from antecede.index.resources import Resources


def assemble(
    out: FolderWriter, parts: Sequence[Part], resources: Resources, progress: Callable[[str, int, int], None]
) -> dict[str, LanguageCounts]:
    """Write a segment, and return the number of rows, terms and postings of each language.

    `progress` is called with the name of each step, how much of it is done, and its total.
    """
    numbers = number_documents(parts)
    languages = sorted({language for part in parts for language in part.languages})
    found: dict[str, LanguageCounts] = {}
    with ThreadPoolExecutor(resources.workers) as threads, ThreadPoolExecutor(2) as others:
        storing = [others.submit(write, out, parts) for write in (write_records, write_names)]
        room = WorkLimits(resources.memory, threads, resources.workers)
        for at, language in enumerate(languages):
            progress(f"terms, {language or 'unknown language'}", at, len(languages))
            found[language] = write_matrix(out, language, parts, numbers, room)
        progress("documents", 0, 1)
        for each in storing:
            each.result()
    return {language: counts for language, counts in found.items() if counts["rows"]}


def number_documents(parts: Sequence[Part]) -> list[NDArray[np.int64]]:
    """For each part, the number of each document in the segment; −1 where the document was dropped."""
    numbers, first = [], 0
    for part in parts:
        numbers.append(np.where(part.live, np.cumsum(part.live) - 1 + first, -1))
        first += int(part.live.sum())
    return numbers


def write_records(out: FolderWriter, parts: Sequence[Part]) -> None:
    """Write the records, which are most of a segment and are therefore synced right away, and the rejects."""
    with out.stream(RECORDS) as records, out.stream(RECORDS_PTR) as ptr:
        ptr.write(np.zeros(1, np.int64).data)
        for part in parts:
            for first, some in part.records():
                data, sizes = keep_live_records(some, part.live[first : first + len(some[1]) - 1])
                ptr.write((np.cumsum(sizes) + records.size).data)
                records.write(data.data)
    sync(out.folder / RECORDS)
    with out.stream(REJECTS) as rejects:
        for part in parts:
            for line in part.rejects():
                rejects.write(line)


def write_names(out: FolderWriter, parts: Sequence[Part]) -> None:
    """Write the table of the documents, and as separate arrays what searches need: names, days, the order by class."""
    days: list[int] = []
    names: list[bytes] = []
    classes = MainClasses()

    def rows() -> Iterator[Row]:
        for part in parts:
            for live, row in zip(part.live.tolist(), part.rows(), strict=True):
                if live:
                    days.append(day_number(row[DAY]))
                    names.append(row[DOC_ID].encode())
                    classes.add(row)
                    yield tuple(row)

    write_metadata(out.folder / METADATA, rows())
    out.adopt(METADATA)
    order = np.empty(len(names), np.uint32)
    order[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names), dtype=np.uint32)
    out.array(ORDER, order)
    out.array(DAYS, np.array(days, np.int32))
    out.array(CLASS_ORDER, classes.order(days))
    out.array(NAMES, np.frombuffer(b"".join(names), np.uint8))
    out.array(NAMES_PTR, pointers(map(len, names)))
