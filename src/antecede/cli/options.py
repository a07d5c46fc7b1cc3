"""Arguments and options that verbs share, so that they mean the same everywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import typer

from antecede.cli.completion import complete_names
from antecede.cli.outputs import Input, Output
from antecede.ranges import Range


class Declared(NamedTuple):
    """An option or argument of the command line, before the parameter that has it gives it a name."""

    make: Callable[[str], Any]
    default: Any
    path: Input | Output | None


def option(
    text: str,
    default: Any = None,
    *,
    names: str = "",
    within: Range | None = None,
    path: Input | Output | None = None,
    **more: Any,
) -> Any:
    """Declare an option: as the default of a parameter, or in an `Annotated` type that several verbs share.

    Args:
        text: The explanation in the help.
        default: The default; `...` for an option that must be given.
        names: Its names, such as `-k`; by default that of the parameter.
        within: The numbers that may be given. The parser checks them, or the verb where an end is excluded.
        path: Marks an option that names a path, so that no verb overwrites what it reads.
        more: What else `typer.Option` takes.
    """
    if within is not None and (within.open_low or within.open_high):  # the parser's own bounds are included
        text = f"{text.rstrip('.')}: {within}."
    elif within is not None:
        more |= within.bounds
    return Declared(
        lambda name: typer.Option(
            *(names.split() or [long_name(name)]), help=text, autocompletion=complete_names(name), **more
        ),
        default,
        path,
    )


def argument(metavar: str, text: str, default: Any = ..., *, path: Input | Output | None = None) -> Any:
    """Declare an argument in the same way; one without a default must be given."""
    return Declared(
        lambda name: typer.Argument(metavar=metavar, help=text, autocompletion=complete_names(name)), default, path
    )


def long_name(parameter: str) -> str:
    """The name of the option that is a parameter; one that would hide a builtin ends in an underscore."""
    return f"--{parameter.rstrip('_').replace('_', '-')}"


Qrels = Annotated[
    str,
    argument(
        "QRELS",
        "Judgements: TREC qrels, CSV, TSV or Parquet, may be compressed (.gz .bz2 .xz .zst); - for stdin.",
        path=Input(),
    ),
]
Runs = Annotated[list[str], argument("RUN...", "Runs, each in any of the same forms.", path=Input())]
Json = Annotated[bool, option("Print one JSON document.")]
Overwrite = Annotated[bool, option("Replace files that exist already.")]
Quiet = Annotated[bool, option("Show no progress, and no summary of what was written.", names="--quiet -q")]
Style = Literal["text", "md", "csv", "csv-raw", "csv-excel", "latex", "html", "xlsx", "json"]
Format = Annotated[
    Style, option("The format of the table; csv-excel is for Excel, csv-raw leaves every text unchanged.")
]
TableFile = Annotated[
    Path | None,
    option(
        "Write the table to this file; its suffix gives the format: .txt .md .csv .tex .html .xlsx .json.",
        metavar="FILE",
        path=Output(),
    ),
]
ScoreFormat = Annotated[
    Literal[Style, "trec_eval"],
    option(
        "The format of the table; csv-excel is for Excel, csv-raw leaves every text unchanged, trec_eval prints "
        "one run as trec_eval -q does."
    ),
]

Figure = Annotated[
    Path | None, option("Draw the result into this file.", metavar="FILE.svg|png|pdf", path=Output(figure=True))
]
Highlight = Annotated[
    list[str] | None,
    option(
        "A run to highlight in the figure, by its name, path or tag; may be repeated.",
        metavar="RUN",
        show_default="those that differ the most",
    ),
]
IndexFolder = Annotated[
    str,
    argument(
        "INDEX",
        "The folder of an index, made by index --out, or its address: opensearch://host:9200/name.",
        path=Input(),
    ),
]
LocalIndex = Annotated[str, argument("INDEX", "The folder of an index, made by index --out.", path=Input())]
"""An index that may not be on a cluster."""
CaseFile = Annotated[Path, argument("CASES", "The file of cases that `serve` and `review start` keep.", path=Input())]
Topics = Annotated[
    str,
    argument(
        "TOPICS",
        "Patents to search for: files of any format, - for standard input; or a list of patents of the index, one "
        "per line, such as qrels.",
        path=Input(),
    ),
]

# Searching and learning

TopicQrels = Annotated[str | None, argument("[QRELS]", "Which documents are relevant to the topics.", path=Input())]

# Patents and indexes

Paths = Annotated[
    list[str],
    argument(
        "COLLECTION...",
        "Patents: files, folders, archives (.zip .tar .gz .bz2 .xz .zst) of any format; - for standard input.",
        path=Input(),
    ),
]
Fields = Annotated[
    list[str] | None,
    option(
        "What a JSON source or a table calls a field, as in title=title_localized.text; may be repeated.",
        metavar="OURS=THEIRS",
    ),
]
PresetName = Annotated[
    str | None,
    option(
        "Which database a JSON source or a table was exported from.",
        metavar="google|lens",
        show_default="recognised by its keys",
    ),
]
Strict = Annotated[bool, option("Stop at the first document that cannot be read.")]
Rejects = Annotated[
    Path | None,
    option("Write each rejected document, with its reason, to this file.", metavar="FILE.jsonl", path=Output()),
]

# Cases

ChosenCase = Annotated[
    str | None,
    option("The name of a case, its id, or the beginning of its id.", metavar="CASE", show_default="the only one"),
]
GivenIndex = Annotated[
    str | None,
    option("The index with the documents.", metavar="INDEX", show_default="the one searched before", path=Input()),
]
User = Annotated[str | None, option("Who marks.", metavar="NAME", show_default="the login name")]
Port = Annotated[
    int | None,
    option(
        "The port of the page; 0 for any free one.", min=0, max=65535, show_default="the first free one from 8765 on"
    ),
]
Stage = Annotated[
    Literal["abstract", "full-text"], option("Of a screening, the stage: titles and abstracts, or full texts.")
]
