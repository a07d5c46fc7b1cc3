"""What the codes of registers mean: the EPO's list of legal event codes, and the status codes of the USPTO.

The lists belong to the offices and are not part of this program; `--field event_codes=FILE` names one.
"""

from __future__ import annotations

import csv
import json
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.corpus.columns import fold
from antecede.corpus.table_splitter import decode_mixed
from antecede.errors import InputError, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

US_STATUS = "US application status"
"""What stands for the authority in the list of the USPTO, whose codes are those of an application."""
_BRACKETS = re.compile(r"\s*\[[^\]]*\]?")
_COLUMNS = ("authority", "event code", "description eng")
_EFFECT = ("event class", "event class description")
_DECISIVE = frozenset("BCFGHI")
"""The classes of events by which a right begins, ends or lives again: their meaning is added to the words."""
STATUS_CODES = "statusCodeBag"


@lru_cache(maxsize=4)
def read_event_codes(path: str) -> Mapping[tuple[str, str], str]:
    """The meanings of a list of codes: authority and code → words. The list is a workbook, a CSV file, or JSON."""
    try:
        data = Path(path).read_bytes()
        if data.startswith(b"PK"):
            codes = _read_rows(_rows_of(path))
        elif data.lstrip().startswith(b"{"):
            codes = _read_status_codes(json.loads(data))
        else:
            lines = decode_mixed(data)[0].lstrip("\ufeff").splitlines()
            delimiter = max(",;\t", key=lines[0].count) if lines else ","
            codes = _read_rows(csv.reader(lines, delimiter=delimiter))
    except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or f"not a list of codes: {str(error)[:100]}"
        raise InputError(f"cannot be read: {printable(reason)}", source=printable(path, 200)) from None
    if not codes:
        wanted = f"a table with columns {', '.join(_COLUMNS)}, or the status codes of the USPTO as JSON"
        raise InputError("holds no codes", source=printable(path, 200), remedy=f"give {wanted}")
    return codes


def _rows_of(path: str) -> Iterator[list[Any]]:
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        yield from CalamineWorkbook.from_path(path).get_sheet_by_index(0).iter_rows()
    except CalamineError as error:
        raise ValueError(str(error)) from None


def _read_rows(rows: Iterable[Iterable[Any]]) -> dict[tuple[str, str], str]:
    codes: dict[tuple[str, str], str] = {}
    places: list[int] = []
    for row in rows:
        cells = [str(cell).strip() for cell in row]
        if places:
            authority, code, text, kind, effect = (cells[at] if 0 <= at < len(cells) else "" for at in places)
            words = _BRACKETS.sub("", text).strip().lower()
            codes[authority, code] = f"{words} ({effect.lower()})" if kind in _DECISIVE and effect else words
        elif is_list_of_codes(cells):
            names = [*map(fold, cells)]
            places = [names.index(name) if name in names else -1 for name in (*_COLUMNS, *_EFFECT)]
    return codes


def is_list_of_codes(header: Iterable[str]) -> bool:
    """Whether a table with these columns is a list of legal event codes."""
    return {*_COLUMNS} <= {*map(fold, header)}


def _read_status_codes(answer: Any) -> dict[tuple[str, str], str]:
    return {
        (US_STATUS, str(entry["applicationStatusCode"])): str(entry["applicationStatusDescriptionText"]).lower()
        for entry in answer.get(STATUS_CODES, ())
    }
