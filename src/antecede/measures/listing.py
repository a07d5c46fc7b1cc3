"""The measures as a list to read, made from their definitions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from antecede.listing import Listing, described
from antecede.measures.parse import by_name
from antecede.measures.registry import Definition, definitions
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

MANUAL_HEAD = """# Measures

Made from the code by `make docs`; a measure's documentation stands in its own file in `src/antecede/measures/`.

n is the number of relevant documents of a topic (relevance `rel` or more, 1 if not said), k how many of them are among
the first N, r_1 < r_2 < … their ranks. A measure is written `PRES(rel=2)@100`: parameters in brackets, the cut-off
behind the `@`; `[@N]` may be left out. Where trec_eval has a measure, its name is understood too. `score` in the
examples is `antecede.score`: one ranking, by hand.
"""


def other_names(each: Definition) -> list[str]:
    """The names of trec_eval that are understood, with N in place of a number."""
    return [re.sub(r"\{\w+\}", "N", name) for name in each.trec_eval]


def table(entries: Sequence[Definition]) -> Table:
    """How each measure is written, what it is, and what trec_eval calls it."""
    rows = tuple(
        (each.usage, each.summary.partition(": ")[2] or each.summary, ", ".join(other_names(each)) or None)
        for each in entries
    )
    note = "A measure in full: antecede measures NAME. [@N]: with or without a cut-off. Values shown are the defaults."
    return Table(("measure", "what it says", "trec_eval"), rows, notes=(note,))


def in_full(each: Definition) -> str:
    """Formula, caveat, worked example and source of a measure."""
    others = f"\ntrec_eval: {', '.join(other_names(each))}" if each.trec_eval else ""
    return f"{each.doc}\n\nSource: {each.cite}{others}"


def data(each: Definition) -> dict[str, Any]:
    """A measure as JSON knows it."""
    return {
        **described(each),
        "trec_eval": other_names(each),
        "better": each.better,
        "parameters": {p.name: None if p.required else p.default for p in each.parameters},
    }


def section(each: Definition) -> str:
    """A measure on the page of the documentation."""
    text, _, example = each.doc.partition("\n\n>>> ")
    lines = [f"## {each.name}", f"`{each.usage}`", text, f"```python\n>>> {example}\n```", f"Source: {each.cite}."]
    if each.trec_eval:
        lines[-1] += f" In trec_eval: {', '.join(f'`{name}`' for name in other_names(each))}."
    return "\n\n".join(lines)


LISTING = Listing(
    registered=definitions,
    called=lambda name: by_name(name, name),
    table=table,
    in_full=in_full,
    data=data,
    manual_head=MANUAL_HEAD,
    manual_section=section,
)
