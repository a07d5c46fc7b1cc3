"""antecede synthesize"""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.outputs import FOLDER, Output
from antecede.ranges import THREADS

WORTH_SHARING = 5000
"""The number of patents from which more than one process is faster."""


class Form(StrEnum):
    marec = "marec"
    jsonl = "jsonl"


@verb(
    "antecede synthesize --patents 2000 --seed 1",
    "antecede synthesize --patents 500 --topics 50 --out small --quiet --json",
    "antecede synthesize --patents 100000 --form jsonl --out large",
)
def synthesize(
    patents: Annotated[int, typer.Option(help="The number of patents.")] = 2000,
    seed: Annotated[int, typer.Option(help="Random seed; the same seed gives the same bytes.")] = 1,
    out: Annotated[Path, typer.Option(metavar="DIR", help="A folder that is new or empty."), Output(FOLDER)] = Path(
        "antecede-synthetic"
    ),
    topics: Annotated[
        int | None, typer.Option(help="The number of topics.", show_default="one to 20 patents, 25 to 500")
    ] = None,
    form: Annotated[Form, typer.Option(help="MAREC's XML folders, or one file of JSON lines.")] = Form.marec,
    length: Annotated[int, typer.Option(help="Tokens of a description, on average.")] = 1300,
    workers: Annotated[
        int | None,
        typer.Option(
            **THREADS.bounds,
            help="How many processes write. The bytes do not depend on it.",
            show_default="one per core",
        ),
    ] = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a synthetic patent collection modelled on CLEF-IP: English, German and French, with topics and qrels."""
    from antecede.cli.output import progress, show_json, show_table
    from antecede.synthetic import synthesize

    if workers is None:
        workers = (os.cpu_count() or 1) if patents >= WORTH_SHARING else 1
    with progress("writing patents", quiet=quiet) as report:
        made = synthesize(
            *(out, patents, seed), topics=topics, form=form.value, length=length, workers=workers, progress=report
        )
    if json:
        show_json(made.to_dict())
    else:
        show_table(made.table(), "text")
