"""The measures as a list to read, made from their definitions."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any

from antecede.measures.parse import by_name
from antecede.measures.registry import Definition, definitions
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence


def chosen(names: Sequence[str] | None) -> list[Definition]:
    return [by_name(name, name) for name in names] if names else list(definitions().values())


def other_names(definition: Definition) -> list[str]:
    """The names of trec_eval that are understood, with N and the like in place of parameters."""
    return [re.sub(r"\{\w+\}", "N", name) for name in definition.trec_eval]


def as_table() -> Table:
    """How each measure is written, what it is, and what trec_eval calls it."""
    rows = tuple(
        (d.usage, d.summary.partition(": ")[2] or d.summary, ", ".join(other_names(d)) or None) for d in chosen(None)
    )
    note = "A measure in full: antecede measures NAME. [@N]: with or without a cut-off. Values shown are the defaults."
    return Table(("measure", "what it says", "trec_eval"), rows, notes=(note,))


def explained(names: Sequence[str] | None = None) -> str:
    """Each measure in full: formula, caveat, worked example and source."""
    parts = []
    for d in chosen(names):
        others = f"\ntrec_eval: {', '.join(other_names(d))}" if d.trec_eval else ""
        text = f"{d.doc}{others}\nSource: {d.cite}"
        parts.append(f"{d.usage}\n{textwrap.indent(text, '    ')}")
    return "\n\n".join(parts)


def as_dicts(names: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Each measure as data."""
    return [
        {
            "name": d.name,
            "usage": d.usage,
            "summary": d.summary,
            "doc": d.doc,
            "cite": d.cite,
            "trec_eval": other_names(d),
            "better": d.better,
            "parameters": {p.name: None if p.required else p.default for p in d.parameters},
        }
        for d in chosen(names)
    ]
