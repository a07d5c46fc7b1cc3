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
    """The names of trec_eval that are understood, with N in place of a number."""
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
    return "\n\n".join(f"{d.usage}\n{textwrap.indent(in_full(d), '    ')}" for d in chosen(names))


def in_full(definition: Definition) -> str:
    others = f"\ntrec_eval: {', '.join(other_names(definition))}" if definition.trec_eval else ""
    return f"{definition.doc}\n\nSource: {definition.cite}{others}"


MANUAL_HEAD = """# Measures

Made from the code by `make docs`; a measure's documentation stands in its own file in `src/antecede/measures/`.

n is the number of relevant documents of a topic (relevance `rel` or more, 1 if not said), k how many of them are among
the first N, r_1 < r_2 < … their ranks. A measure is written `PRES(rel=2)@100`: parameters in brackets, the cut-off
behind the `@`; `[@N]` may be left out. Where trec_eval has a measure, its name is understood too. `score` in the
examples is `antecede.score`: one ranking, by hand.
"""


def manual() -> str:
    """All measures as a page of the documentation."""
    parts = [MANUAL_HEAD]
    for d in chosen(None):
        text, _, example = d.doc.partition("\n\n>>> ")
        lines = [f"## {d.name}", f"`{d.usage}`", text, f"```python\n>>> {example}\n```", f"Source: {d.cite}."]
        if d.trec_eval:
            lines[-1] += f" In trec_eval: {', '.join(f'`{name}`' for name in other_names(d))}."
        parts.append("\n\n".join(lines))
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


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
