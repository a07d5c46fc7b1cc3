"""antecede space"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.indexing import Memory, WorkersOption
from antecede.cli.options import Style
from antecede.cli.outputs import Input


@verb(
    "antecede space clefip.index",
    "antecede space clefip.index --kind words --dimensions 200",
    "antecede space clefip.index --kind both --memory 1GB --json",
    "antecede space clefip.index --kind dense --model all-MiniLM-L6-v2/",
    "antecede space clefip.index --remove words",
)
def space(
    *,
    index: options.LocalIndex,
    kind: Annotated[
        str,
        typer.Option(
            metavar="lsa|words|both|dense",
            help="What to learn: latent semantic analysis, word vectors, both; or the vectors of a sentence model.",
        ),
    ] = "lsa",
    dimensions: Annotated[
        int | None, typer.Option(metavar="D", help="The length of a vector.", show_default="300")
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="The folder of the sentence model of a dense space.", show_default=False),
        Input(),
    ] = None,
    remove: Annotated[
        str | None, typer.Option(metavar="KIND", help="Remove the spaces of this kind instead.", show_default=False)
    ] = None,
    memory: Memory = "2GB",
    workers: WorkersOption = None,
    json: options.Json = False,
    format_: options.Format = Style.text,
    quiet: options.Quiet = False,
) -> None:
    """Learn a latent space from the documents of an index and store it with the index.

    In a latent space a query finds documents that say the same in other words. Documents that `add` adds later are
    folded in; `merge` learns it anew. Killed at any moment it leaves the index as it was.
    """
    from antecede.cli.indexing import require_folder, show_build_progress, space_plans
    from antecede.cli.output import show_json, show_tables
    from antecede.index import learn_space
    from antecede.index.maintain import remove_space
    from antecede.index.resources import parse_size
    from antecede.index.statistics import space_table

    require_folder(index, "space")
    if remove is not None:
        remove_space(index, remove)
        return
    plans = space_plans(kind, dimensions, model)
    with show_build_progress(quiet=quiet) as report:
        learned = learn_space(index, *plans, memory=parse_size(memory), workers=workers, progress=report)
    if json:
        show_json(learned.to_dict())
    else:
        show_tables([space_table(learned.to_dict()["spaces"])], format_)
