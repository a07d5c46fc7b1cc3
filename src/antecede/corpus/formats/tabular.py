"""Tables, one record per row: hit lists of patents and exports of references, as `corpus.columns` reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.corpus.formats import Format, add, field_names
from antecede.corpus.formats.jsonl import load_object, read_record

if TYPE_CHECKING:
    from antecede.corpus.document import RawDocument
    from antecede.corpus.formats import FieldNames
    from antecede.patent import Patent

CSV_ROW, TSV_ROW, PARQUET_ROW, WORKBOOK_ROW = "csv row", "tsv row", "parquet row", "xlsx row"
"""Values of `RawDocument.root`; the space tells them from names of elements."""


def csv(raw: RawDocument, names: FieldNames) -> Patent:
    """A table with a header, one record per row, separated by commas, semicolons or bars.

    Hit lists of The Lens, Google Patents, Espacenet and PATENTSCOPE are recognised, exports of Web of Science, Scopus,
    Embase, PubMed, Zotero, ASReview, Rayyan and Covidence, and any table with a column of numbers, or ids, and one of
    titles. Columns are recognised by their names in English, German, French, Portuguese and Spanish, else by what is in
    them; texts also by language (`title_en`, `Title (German)`). What was understood is shown. `--field title=COLUMN`
    names a column, `--field dates=day` or `dates=month` what comes first in `03/04/12`, where no date of a column shows
    it. A table without a header is read if a column holds numbers of patents and another their titles.

    What an export writes before the header is skipped. A cell may contain a list, separated by `;`, `|` or line ends,
    or JSON as in the [jsonl](#jsonl) format. Claims in one cell are split at their numbers. The encoding is UTF-8 or
    UTF-16; bytes that are not UTF-8 are read as Windows-1252, and counted. A row with more or fewer cells than the
    header is rejected; a date that is none is left out, and counted. All cells of a row are kept with its record.
    """
    return read_record(
        load_object(raw.data), raw.source, lambda: field_names.explain_missing({}, "doc_id", names, "column")
    )


def tsv(raw: RawDocument, names: FieldNames) -> Patent:
    """A table with a header, one record per row, separated by tabs; otherwise as [csv](#csv)."""
    return csv(raw, names)


def xlsx(raw: RawDocument, names: FieldNames) -> Patent:
    """The visible sheets of a workbook, `.xlsx` or `.xls`, with a table each as in [csv](#csv).

    The values stored in the cells are read; formulas are not computed, and counted. Hidden sheets are named and not
    read. What databases save as `.xls` may be a spreadsheet in XML, or a page with one table: these are read too.
    """
    return csv(raw, names)


def parquet(raw: RawDocument, names: FieldNames) -> Patent:
    """A Parquet file, one patent per row, with the columns of [csv](#csv) or, if nested, the fields of [jsonl](#jsonl).

    Lists, structures and dates are understood as such. It is read in batches, in bounded memory.
    """
    row = load_object(raw.data)
    shape = field_names.shape_of(row, names)
    record = field_names.select_fields(row, names, shape) if shape is not None else row
    return read_record(record, raw.source, lambda: field_names.explain_missing(row, "doc_id", names, "column"), shape)


add(Format("csv", "CSV, one record per row", csv, csv, roots=(CSV_ROW,)))
add(Format("tsv", "TSV, one record per row", tsv, tsv, roots=(TSV_ROW,)))
add(Format("xlsx", "Excel workbook, one record per row", xlsx, xlsx, roots=(WORKBOOK_ROW,)))
add(Format("parquet", "Parquet, one patent per row", parquet, parquet, roots=(PARQUET_ROW,)))
