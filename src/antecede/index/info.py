"""Figures about an index: documents, terms, postings, sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antecede.index.spaces.entry import describe_space
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.index.index import Index


def describe_index(index: Index) -> dict[str, Any]:
    """Documents, terms and postings per language, sizes and settings."""
    manifest = index.manifest
    sizes = {f"{each.name}/{name}": file.size for each in manifest.segments for name, file in each.files.items()}
    spaces = sum(file.size for each in manifest.spaces for file in each.all_files().values())
    languages = {language or "unknown": language_facts(index, language) for language in index.languages}
    return {
        "documents": index.documents,
        **manifest.counts,
        "segments": len(manifest.segments),
        "generation": manifest.generation,
        "languages": languages,
        "bytes": {
            "total": sum(sizes.values()) + spaces,
            "documents": sum(size for name, size in sizes.items() if "/documents.sqlite" in name),
            "records": sum(size for name, size in sizes.items() if "/records" in name),
            "by_term": sum(size for name, size in sizes.items() if "/by_term" in name),
            "by_row": sum(size for name, size in sizes.items() if "/by_row" in name),
            **({"spaces": spaces} if spaces else {}),
        },
        **({"spaces": [describe_space(each) for each in manifest.spaces]} if spaces else {}),
        "settings": {
            "profile": index.settings["profile"]["name"],
            "fields": index.settings["fields"],
            "versions": index.settings["versions"],
        },
    }


def language_facts(index: Index, language: str) -> dict[str, Any]:
    """The figures of one language over all segments."""
    statistics = index.filed_statistics(language)
    matrices = statistics.matrices
    return {
        "documents": statistics.documents,
        "tokens": statistics.tokens,
        "average_length": round(statistics.average_length, 1),
        "terms": matrices[0].terms if len(matrices) == 1 else count_terms(index, language),
        "postings": sum(matrix.postings for matrix in matrices),
    }


def count_terms(index: Index, language: str) -> int:
    """The number of distinct terms over several segments."""
    return len({term for _, matrix in index.filed_matrices(language) for term in matrix.all_terms()})


def info_tables(facts: dict[str, Any]) -> list[Table]:
    """The figures as tables."""
    sizes = facts["bytes"]
    rows = (
        ("documents", facts["documents"]),
        *((name, facts[name]) for name in ("read", "merged", "rejected", "replaced", "segments") if name in facts),
        ("profile", facts["settings"]["profile"]),
        ("fields", ", ".join(facts["settings"]["fields"])),
        *((f"MB, {name}", f"{size / 1e6:.1f}") for name, size in sizes.items()),
    )
    columns = ("language", "documents", "tokens", "average_length", "terms", "postings")
    languages = tuple(
        (language, *(each[name] for name in columns[1:])) for language, each in facts["languages"].items()
    )
    tables = [Table(("index", ""), rows), Table(columns, languages, digits=1)]
    return [*tables, space_table(facts["spaces"])] if "spaces" in facts else tables


def space_table(spaces: Sequence[dict[str, Any]]) -> Table:
    """Latent spaces, one per line."""
    columns = ("kind", "language", "dimensions", "terms", "learned_from")
    rows = tuple((*(each[name] for name in columns), f"{each['bytes'] / 1e6:.1f}") for each in spaces)
    return Table(("space", *columns[1:], "MB"), rows)
