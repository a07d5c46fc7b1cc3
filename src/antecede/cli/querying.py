"""Arguments of the verbs that search."""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli.outputs import Input

IndexFolder = Annotated[
    str, typer.Argument(metavar="INDEX", help="The folder of an index.", show_default=False), Input()
]
Topics = Annotated[
    str,
    typer.Argument(
        metavar="TOPICS",
        help="Patents to search for: a file, folder or archive of any format, - for standard input; or a text that "
        "names patents of the index, one per line, such as qrels.",
        show_default=False,
    ),
    Input(),
]
