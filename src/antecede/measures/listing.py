"""The measures as a table, a manual page and data, generated from their definitions."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from antecede.errors import MeasureError
from antecede.measures.parse import find_measure, find_trec_eval_name, parse_measure
from antecede.measures.registry import MEASURES
from antecede.registry import Listing, parse_call
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.measures.registry import MeasureDefinition

MANUAL_HEAD = """# Measures

Generated from the code by `make docs`; each measure is documented in its own file in `src/antecede/measures/`.

n is the number of relevant documents of a topic (relevance `rel` or higher, 1 by default), k the number of them among
the first N documents, r_1 < r_2 < … their ranks. A sum over i is over the relevant documents. A measure is written
`PRES(rel=2)@100`, with parameters in parentheses and the cut-off after the `@`; `[@N]` is optional. trec_eval's names
are recognised as well. `score` in the examples is `antecede.score`, which scores a single ranking.
"""


def other_names(each: MeasureDefinition) -> list[str]:
    """The trec_eval names that are understood, with N in place of a number."""
    return [re.sub(r"\{\w+\}", "N", name) for name in each.trec_eval]


def tabulate(entries: Sequence[MeasureDefinition]) -> Table:
    """One row per measure: how it is written, what it is, and its name in trec_eval."""
    rows = tuple(
        (each.usage, each.summary.partition(": ")[2] or each.summary, ", ".join(other_names(each)) or None)
        for each in entries
    )
    note = "Details of a measure: antecede measures NAME. [@N]: the cut-off is optional. Values shown are the defaults."
    return Table(("measure", "description", "trec_eval"), rows, notes=(note,))


def explain(each: MeasureDefinition) -> str:
    """Formula, caveat, worked example and source of a measure."""
    others = f"\ntrec_eval: {', '.join(other_names(each))}" if each.trec_eval else ""
    return f"{each.doc}\n\nSource: {each.cite}{others}"


def describe(each: MeasureDefinition) -> dict[str, Any]:
    """A measure in a JSON-compatible form."""
    return {
        **each.describe(),
        "trec_eval": other_names(each),
        "better": each.better,
    }


def write_section(each: MeasureDefinition) -> str:
    """A measure as a section of the manual page."""
    text, _, example = each.doc.partition("\n\n>>> ")
    lines = [f"## {each.name}", f"`{each.usage}`", text, f"```python\n>>> {example}\n```", f"Source: {each.cite}."]
    if each.trec_eval:
        lines[-1] += f" In trec_eval: {', '.join(f'`{name}`' for name in other_names(each))}."
    return "\n\n".join(lines)


def choose_measure(name: str) -> MeasureDefinition:
    """The measure of a name, however it is written: PRES, PRES@1000, AP(rel=2) or map_cut_100."""
    call = parse_call(name, MeasureError)
    if find_trec_eval_name(name) is None and (call is None or (not call.arguments and call.at is None)):
        return find_measure(name if call is None else call.name, name)
    measure = parse_measure(name)
    return replace(measure.definition, written=str(measure))


LISTING = Listing(
    registry=MEASURES,
    choose=choose_measure,
    tabulate=tabulate,
    explain=explain,
    describe=describe,
    manual_head=MANUAL_HEAD,
    write_section=write_section,
)
