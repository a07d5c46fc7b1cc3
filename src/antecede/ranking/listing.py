"""The features of rankings as a table, a manual page and data, generated from their definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.ranking.features import FEATURES, FeatureDefinition, parse_feature
from antecede.registry import Listing
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

MANUAL_HEAD = """# Features

Generated from the code by `make docs`; each feature is documented in its own file in `src/antecede/ranking/features/`.

A [ranking by evidence](ranking.md) adds up features: the score of a document is Σ w(f) · s(f, d) / max s(f, ·), the
weight of each feature times its score, divided by the largest score among the candidates. Documents with scores below 0
are first moved up to 0. n is the frequency of a term in the document, n(t) in the topic, |d| the document's length in
tokens, N the number of documents, df the number of documents that contain the term, cf the term's frequency in the
collection, |C| the number of tokens in the collection. Weights are written `bm25=1,jelinek_mercer(lambda=0.5)=1`;
omitted parameters have the values shown.
"""


def tabulate(entries: Sequence[FeatureDefinition]) -> Table:
    """One row per feature."""
    rows = tuple((each.usage, each.kind, each.summary) for each in entries)
    note = "Details of a feature: antecede features NAME. Values shown are the defaults."
    return Table(("feature", "looks at", "description"), rows, notes=(note,))


def explain(each: FeatureDefinition) -> str:
    """Formula, parameters and source of a feature."""
    return f"{each.doc}\n\nSource: {each.cite}"


def write_section(each: FeatureDefinition) -> str:
    """A feature as a section of the manual page."""
    brings = "; brings documents into the pool" if each.retrieve is not None else ""
    return f"## {each.name}\n\n`{each.usage}`: looks at {each.kind}{brings}\n\n{explain(each)}."


LISTING = Listing(
    registry=FEATURES,
    choose=lambda name: parse_feature(name).definition,
    tabulate=tabulate,
    explain=explain,
    describe=FeatureDefinition.describe,
    manual_head=MANUAL_HEAD,
    write_section=write_section,
)
