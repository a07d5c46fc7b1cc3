"""antecede models"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.options import Style


@verb("antecede models", "antecede models bm25 pl2", "antecede models --json")
def models(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME...]", help="Models to explain in full.", show_default=False)
    ] = None,
    json: options.Json = False,
    format_: options.Format = Style.text,
) -> None:
    """List every ranking model: how it is written, what it means, its formula, parameters and source."""
    from antecede.cli.output import show_listing
    from antecede.ranking.models import LISTING

    show_listing(LISTING, names, format_, json=json)
