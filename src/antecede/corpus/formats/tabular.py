"""Tables of patents, one per row: CSV, TSV and Parquet. A row reaches the reader as a JSON object of its cells."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from antecede.corpus.document import DocumentError
from antecede.corpus.formats import Format, add, field_names
from antecede.corpus.formats.jsonl import load_object, read_record
from antecede.errors import shown
from antecede.patent import PatentNumber
from antecede.patent.fields import CLASSES, CODES, PEOPLE
from antecede.patent.texts import FIELDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antecede.corpus.document import RawDocument
    from antecede.corpus.formats import FieldNames
    from antecede.patent import Patent

CSV_ROW, TSV_ROW, PARQUET_ROW = "csv row", "tsv row", "parquet row"
"""Values of `RawDocument.root`; the space tells them from names of elements."""
_DELIMITERS = ("\t", ";", ",")
_LISTS = {declared.name for declared in field_names.READ_FIELDS if declared.codec in (CODES, CLASSES, PEOPLE)}
_LISTS |= {"family_id"}
_USUAL_NAMES = {
    **dict.fromkeys(("display_key", "publication_no", "document_number", "patent"), "publication_number"),
    "title_of_invention": "title",
    "description_full": "description",
    "ipcr_classifications": "ipcr",
    **dict.fromkeys(("ipc_classifications", "ipc_classification", "ipc_code", "int_cl"), "ipc"),
    **dict.fromkeys(("cpc_classifications", "cpc_classification", "cpc_code"), "cpc"),
    "earliest_priority_date": "priority_date",
    **dict.fromkeys(("date_filed", "filing_creation_date"), "filing_date"),
    "date_published": "publication_date",
    **dict.fromkeys(("original_assignee", "current_assignee"), "assignee"),
    "inventor_author": "inventor",
    "simple_family_id": "family_id",
    **dict.fromkeys(("cited_patents", "cites_patents", "backward_citations", "patent_citations"), "citations"),
}
"""Further names of columns, in lower case with underscores, and a name under which the record knows them."""
_NOT_LETTERS = re.compile(r"[^0-9a-z]+")
_WITH_LANGUAGE = re.compile(r"(title|abstract|claims|description)_([a-z]{2})")
_JSON_CELL = re.compile(r'\s*(?:\{\s*"|\[\s*["{])')
_SEPARATORS = re.compile(r"[;|\n]")
SEARCH_LINE = "search url:"
"""How the line begins that the CSV download of Google Patents has before its header."""
_FEWEST_COLUMNS, _MOST_COLUMNS, _LONGEST_NAME = 2, 4096, 200


class Header(NamedTuple):
    """The header of a table."""

    delimiter: str
    columns: tuple[str, ...]
    reason: str = ""
    """Why the table cannot be read; empty if it can."""


def csv(raw: RawDocument, names: FieldNames) -> Patent:
    """A table with a header, one patent per row, separated by commas or semicolons.

    Columns are recognised by the usual names, in any case: `doc_id`, `id`, `publication_number`, `Display Key`;
    `title`, `abstract`, `claims`, `description`, also by language (`title_en`, `title_de`); `ipc`, `cpc`, `citations`
    (`Cited Patents`), `family_id`, `priority_date`, `filing_date`, `publication_date`, `applicants` (`assignee`),
    `inventors`, `language`. `--field title=COLUMN` maps others. One column must be the number of the patent, another a
    text.
    A cell may contain a list, separated by `;` or `|`, or JSON as in the [jsonl](#jsonl) format. Claims in one cell are
    split at their numbers. The encoding is UTF-8 or UTF-16. A row with more or fewer cells than the header is rejected.
    CSV exports of Google Patents and of The Lens are recognised.
    """
    row = load_object(raw.data)
    shape = field_names.shape_of(row, names)
    columns = _known_columns(row)
    got = field_names.select_fields(columns, names, shape)
    values = {ours: _read_cell(ours, value) if isinstance(value, str) else value for ours, value in got.items()}
    try:
        return read_record(
            values, raw.source, lambda: field_names.explain_missing(row, "doc_id", names, "column"), shape
        )
    except DocumentError as error:
        ours = error.reason.split(" ", 1)[0]
        column = next((name for name, value in row.items() if ours in got and value is got[ours]), None)
        reason = f"column {shown(column)!r}: {error.reason}" if column is not None else error.reason
        raise DocumentError(reason, error.doc_id) from None


def tsv(raw: RawDocument, names: FieldNames) -> Patent:
    """A table with a header, one patent per row, separated by tabs; otherwise as [csv](#csv)."""
    return csv(raw, names)


def parquet(raw: RawDocument, names: FieldNames) -> Patent:
    """A Parquet file, one patent per row, with the columns of [csv](#csv) or, if nested, the fields of [jsonl](#jsonl).

    Lists, structures and dates are understood as such. It is read in batches, in bounded memory.
    """
    return csv(raw, names)


def _known_columns(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with further keys: the usual names of its columns, and texts of several columns by language."""
    given = {column: value for column, value in row.items() if value not in field_names.EMPTY}
    found: dict[str, Any] = {}
    texts: dict[str, dict[str, Any]] = {}
    for column, value in given.items():
        name = _usual_name(column)
        if (localized := _WITH_LANGUAGE.fullmatch(name)) is not None:
            texts.setdefault(localized[1], {})[localized[2]] = value
        found.setdefault(name, value)
    for name, each in texts.items():
        found[name] = {**({"": found[name]} if isinstance(found.get(name), str) else {}), **each}
    return {**given, **found}


@lru_cache(maxsize=_MOST_COLUMNS)
def _usual_name(column: str) -> str:
    """The name of a column in the form in which names are compared: `Publication Number` is `publication_number`."""
    name = _NOT_LETTERS.sub("_", column.casefold()).strip("_")
    return _USUAL_NAMES.get(name, name)


def _read_cell(ours: str, cell: str) -> Any:
    """The value of a cell: JSON where it is, a list for a field that has several values, else the text."""
    if _JSON_CELL.match(cell) is not None and ours != "doc_id":
        try:
            return json.loads(cell)
        except (ValueError, RecursionError):
            return cell
    if ours in _LISTS:
        return _split_cell(cell)
    return [number for part in _split_cell(cell) for number in _split_numbers(part)] if ours == "citations" else cell


def _split_cell(cell: str) -> list[str]:
    return [*filter(None, map(str.strip, _SEPARATORS.split(cell)))]


def _split_numbers(part: str) -> list[str]:
    """Numbers separated by commas, which in `US 5,123,456` are a part of the number."""
    if "," not in part or PatentNumber.parse(part) is not None:
        return [part]
    parts = [each.strip() for each in part.split(",")]
    return parts if all(PatentNumber.parse(each) is not None for each in parts) else [part]


# Headers


def find_header(line: str, names: FieldNames) -> Header | None:
    """The header of a table, if a line is one: a column for the number, and one for a text or what the user named."""
    candidates = [header for each in _DELIMITERS if (header := _judge_header(line, each, names)) is not None]
    return max(candidates, key=lambda header: (not header.reason, len(header.columns)), default=None)


def _judge_header(line: str, delimiter: str, names: FieldNames) -> Header | None:
    columns = tuple(cell.strip() for cell in split_row(line, delimiter) or ())
    if not _FEWEST_COLUMNS <= len(columns) <= _MOST_COLUMNS or max(map(len, columns)) > _LONGEST_NAME:
        return None
    fields = _fields_of(columns, names)
    texts = fields.intersection(FIELDS)
    named = any(_has_path(columns, path) for ours, path in names.items() if ours in field_names.FIELD_NAMES)
    if ("doc_id" in fields and texts) or len(texts) > 1 or named:
        return Header(delimiter, columns, check_columns(columns, names))
    return None


def _fields_of(columns: Sequence[str], names: FieldNames) -> frozenset[str]:
    row = dict.fromkeys(filter(None, columns), "1")
    return frozenset(field_names.select_fields(_known_columns(row), names, field_names.shape_of(row, names)))


def check_columns(columns: Sequence[str], names: FieldNames) -> str:
    """Why a table with these columns cannot be read; empty if it can."""
    named = [column for column in columns if column]
    if len({*named}) < len(named):
        twice = next(column for column in named if named.count(column) > 1)
        return f"a table in which two columns are called {shown(twice)!r}; rename one"
    missing = next(
        (ours for ours in field_names.FIELD_NAMES if ours in names and not _has_path(columns, names[ours])), None
    )
    if missing is None and "doc_id" not in _fields_of(columns, names) and "doc_id" not in names:
        missing = "doc_id"
    return (
        f"a table that has {field_names.explain_missing(dict.fromkeys(named), missing, names, 'column')}"
        if missing
        else ""
    )


def _has_path(columns: Sequence[str], path: str) -> bool:
    return path in columns or all(part.split(field_names.STEP)[0] in columns for part in path.split(field_names.JOIN))


@lru_cache(maxsize=len(_DELIMITERS))
def _cell_pattern(delimiter: str) -> re.Pattern[str]:
    """A cell, in quotes or without, and the delimiter after it."""
    return re.compile(rf'(?:"((?:[^"]++|"")*+)"|((?!")[^{delimiter}]*+))({delimiter}|\Z)')


def split_row(row: str, delimiter: str) -> list[str] | None:
    """The cells of a row; None if a quote is not closed, or text follows one that is."""
    pattern, cells, at = _cell_pattern(delimiter), [], 0
    while True:
        found = pattern.match(row, at)
        if found is None:
            return None
        cells.append(found[2] if found[1] is None else found[1].replace('""', '"'))
        if not found[3]:
            return cells
        at = found.end()


add(Format("csv", "CSV, one patent per row", csv, csv, roots=(CSV_ROW,)))
add(Format("tsv", "TSV, one patent per row", tsv, tsv, roots=(TSV_ROW,)))
add(Format("parquet", "Parquet, one patent per row", parquet, parquet, roots=(PARQUET_ROW,)))
