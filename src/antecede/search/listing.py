"""The ranking models as a table, a manual page and data, generated from their definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.registry import Listing
from antecede.search.models import MODELS, ModelDefinition, parse_model
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

MANUAL_HEAD = """# Ranking models

Generated from the code by `make docs`; each model is documented in its own file in `src/antecede/search/models/`.

The score of a document is a sum over the terms of the query: the weight of the term in the query times the impact
given here. n is the frequency of the term in the document, |d| the document's length in tokens, avg|d| the mean length,
N the number of documents, df the number of documents that contain the term, cf the term's frequency in the collection,
|C| the number of tokens in the collection; N, df, cf, |C| and avg|d| are those of the language searched. A model is
written `bm25(k1=0.9,b=0.4)`; omitted parameters have the values shown.
"""


def tabulate(entries: Sequence[ModelDefinition]) -> Table:
    """One row per model."""
    rows = tuple((each.usage, each.summary) for each in entries)
    note = "Details of a model: antecede models NAME. Values shown are the defaults."
    return Table(("model", "description"), rows, notes=(note,))


def explain(each: ModelDefinition) -> str:
    """Formula, ranges of the parameters and source of a model."""
    ranges = f"Range: {', '.join(each.ranges.values())}\n" if each.ranges else ""
    return f"{each.doc}\n\n{ranges}Source: {each.cite}"


def write_section(each: ModelDefinition) -> str:
    """A model as a section of the manual page."""
    ranges = f"Range: {', '.join(f'`{each}`' for each in each.ranges.values())}. " if each.ranges else ""
    return f"## {each.name}\n\n`{each.usage}`\n\n{each.doc}\n\n{ranges}Source: {each.cite}."


LISTING = Listing(
    registry=MODELS,
    choose=lambda name: parse_model(name).definition,
    tabulate=tabulate,
    explain=explain,
    describe=ModelDefinition.describe,
    manual_head=MANUAL_HEAD,
    write_section=write_section,
)
