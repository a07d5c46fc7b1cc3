"""Options that say how a patent becomes a query, and how topics are searched for, as bundles that verbs share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from antecede.cli.outputs import Input
from antecede.ranges import TERMS

if TYPE_CHECKING:
    from antecede.search.plan import Plan


class Weights(StrEnum):
    method = "method"
    tf = "tf"
    root = "root"
    none = "none"


IndexFolder = Annotated[
    str, typer.Argument(metavar="INDEX", help="The folder of an index.", show_default=False), Input()
]
Topics = Annotated[
    str,
    typer.Argument(
        metavar="TOPICS",
        help="Patents to search for: a file, folder or archive of any format, - for standard input; or a text that "
        "names patents of the index, a line each, such as qrels.",
        show_default=False,
    ),
    Input(),
]
Before = Annotated[
    str,
    typer.Option(
        metavar="auto|off|DATE", help="Only what was published before this day; auto: before the topic's priority."
    ),
]
Terms = Annotated[
    int | None,
    typer.Option(
        **TERMS.bounds,
        help="How many terms, the heaviest.",
        show_default="75, in French 45; all where a method keeps all",
    ),
]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        metavar="METHOD",
        help="The query method; may be repeated, or comma-separated. All of them: antecede methods.",
        show_default="logtfidf",
    ),
]
Model = Annotated[str, typer.Option(help="The ranking model; all of them: antecede models.")]
QueryFields = Annotated[
    str, typer.Option(metavar="FIELD,…", help="The text of a patent: title, abstract, claims, description.")
]
QueryWeights = Annotated[
    Weights | None,
    typer.Option(
        help="What terms weigh in the search: as the method says, n(t), its root, or all the same.",
        show_default="what suits the method",
    ),
]


@dataclass(frozen=True)
class Making:
    """Which text of a patent becomes the query, and what its terms weigh."""

    fields: QueryFields = "description"
    weights: QueryWeights = None
    language: Annotated[
        str | None, typer.Option(metavar="CODE", help="The language of the text: en, de, fr.", show_default="its own")
    ] = None
    before: Before = "auto"


def plan_for(methods: list[str], making: Making, **more: object) -> Plan:
    """The plan that the options make, checked before any work is done."""
    from antecede.search.plan import Plan

    weights = making.weights.value if making.weights is not None else None
    settings = {"fields": making.fields, "language": making.language, "before": making.before, **more}
    plan = Plan(tuple(methods), weights=weights, **settings)  # type: ignore[arg-type]
    return plan.checked()


def listed(written: list[str]) -> list[str]:
    """The methods that an option names, repeated or comma-separated; commas within brackets part nothing."""
    found: list[str] = []
    for text in written:
        depth, start = 0, 0
        for at, sign in enumerate(text):
            depth += (sign == "(") - (sign == ")")
            if sign == "," and depth == 0:
                found.append(text[start:at])
                start = at + 1
        found.append(text[start:])
    return [name.strip() for name in dict.fromkeys(found) if name.strip()]
