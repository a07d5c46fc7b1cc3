"""Folders in the form of BEIR: `corpus.jsonl`, `queries.jsonl`, and judgements in `qrels/`, plain or compressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

QUERIES = "the queries of a BEIR folder, not documents"
JUDGEMENTS = "the judgements of a BEIR folder, not documents"


def find_part(folder: Path, name: str) -> Path | None:
    """The file `name`.jsonl of a folder, compressed or not; None if there is none."""
    return next((path for path in sorted(folder.glob(f"{name}.jsonl*")) if path.is_file()), None)


def find_queries(folder: Path) -> Path | None:
    """The queries of a folder in the form of BEIR; None for any other folder."""
    return find_part(folder, "queries") if folder.is_dir() and find_part(folder, "corpus") is not None else None


def explain_no_collection(path: Path) -> str:
    """Why a file of a BEIR folder is not read as a part of the collection; empty if it is, or for any other file."""
    folder = path.parent
    if path.name.startswith("queries.jsonl") and find_part(folder, "corpus") is not None:
        return QUERIES
    if folder.name == "qrels" and path.suffix == ".tsv" and find_queries(folder.parent) is not None:
        return JUDGEMENTS
    return ""
