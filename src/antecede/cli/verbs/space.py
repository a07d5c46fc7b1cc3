"""antecede space"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.indexing import Memory, WorkersOption
from antecede.cli.options import Style


@verb(
    "antecede space clefip.index",
    "antecede space clefip.index --kind words --dimensions 200",
    "antecede space clefip.index --kind both --memory 1GB --json",
)
def space(
    *,
    index: options.IndexFolder,
    kind: Annotated[
        str, typer.Option(metavar="lsa|words|both", help="What to learn: latent semantic analysis, word vectors.")
    ] = "lsa",
    dimensions: Annotated[int, typer.Option(metavar="D", help="The length of a vector.")] = 300,
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
    from antecede.cli.indexing import show_build_progress, space_plans
    from antecede.cli.output import show_json, show_tables
    from antecede.index import learn_space
    from antecede.index.info import space_table
    from antecede.index.resources import parse_size

    plans = space_plans(kind, dimensions)
    with show_build_progress(quiet=quiet) as report:
        learned = learn_space(index, *plans, memory=parse_size(memory), workers=workers, progress=report)
    if json:
        show_json(learned.to_dict())
    else:
        show_tables([space_table(learned.to_dict()["spaces"])], format_)
