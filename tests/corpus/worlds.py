"""Small collections to read in tests, written as files of several formats."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def write_jsonl(path: Path, *patents: dict[str, Any]) -> Path:
    """Patents as our JSON lines."""
    path.write_text("".join(json.dumps(patent) + "\n" for patent in patents), encoding="utf-8")
    return path


def marec(number: str, kind: str, *, date: str = "20010101", lang: str = "EN", extra: str = "") -> str:
    """A small MAREC document of our own."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<patent-document ucid="EP-{number}-{kind}" country="EP" doc-number="{number}" kind="{kind}" lang="{lang}" date="{date}">
<bibliographic-data><publication-reference><document-id><country>EP</country><doc-number>{number}</doc-number>
<kind>{kind}</kind><date>{date}</date></document-id></publication-reference>
<technical-data><invention-title lang="EN">Press {number}</invention-title></technical-data></bibliographic-data>
{extra}</patent-document>
"""


CITING = {
    "doc_id": "EP1000003",
    "title": "A press with a valve",
    "publication_date": "2005-03-01",
    "language": "en",
    "family_id": "7",
    "description": "As shown in US 5,123,456 the valve is of steel and in EP 1 000 001 it is not.",
    "citations": [
        {"number": "EP-1000001-A1", "category": "X", "phase": "search"},
        {"number": "EP-1000001-A1", "category": "A", "phase": "examination"},
        {"number": "EP1000002", "category": "Y"},
        {"number": "EP1000003", "category": "X"},
        {"number": "EP1000004"},
        {"number": "US9999999"},
    ],
}
COLLECTION = (
    {"doc_id": "EP1000001", "title": "Old press", "publication_date": "1999-01-01", "language": "en"},
    {"doc_id": "EP1000002", "title": "Alte Presse", "publication_date": "1999-06-01", "language": "de"},
    CITING,
    {"doc_id": "EP1000004", "title": "Its sister", "publication_date": "2004-06-01", "family_id": "7"},
    {"doc_id": "US5123456", "title": "A valve", "publication_date": "1992-06-01", "language": "en"},
)
