"""Does a file name its columns? CSV and TSV files do, in their first line."""

from __future__ import annotations

import csv

OTHER_NAMES: dict[str, tuple[str, ...]] = {
    "topic_id": ("topic", "topicid", "query_id", "queryid", "qid", "q_id", "query", "query-id"),
    "doc_id": ("doc", "docid", "docno", "document", "document_id", "corpus-id", "patent"),
    "score": ("sim", "similarity", "value"),
    "relevance": ("rel", "label", "grade", "judgment", "judgement", "qrel", "score"),
    "rank": ("position",),
}
"""What others call our columns (PyTerrier, ir_measures, ranx, BEIR, …)."""


LONGEST_HEADER = 1 << 16


def header_of(data: bytes) -> str | None:
    """The separator of a file whose first line names its columns, or None if it does not."""
    # No header is longer, and the CSV reader refuses fields that are.
    first = data[:LONGEST_HEADER].splitlines()[0].decode("utf-8", "replace").strip()
    for separator in (",", "\t", ";"):
        names = next(csv.reader([first], delimiter=separator), [])
        if len(names) >= 3 and find(names, "topic_id") and find(names, "doc_id"):
            return separator
    return None


def find(names: list[str], wanted: str) -> str | None:
    """The name among `names` that means `wanted`."""
    lowered = {name.strip().strip('"').lower(): name for name in reversed(names)}
    return next((lowered[n] for n in (wanted, *OTHER_NAMES.get(wanted, ())) if n in lowered), None)
