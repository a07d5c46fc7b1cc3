"""antecede methods"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.options import Style


@verb("antecede methods", "antecede methods lmipc qr", "antecede methods --json")
def methods(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME...]", help="Query methods to explain in full.", show_default=False),
    ] = None,
    json: options.Json = False,
    format_: options.Format = Style.text,
) -> None:
    """List the query methods: how a patent becomes weighted terms, with formula, parameters and source."""
    from antecede.cli.output import show_listing
    from antecede.query.methods import LISTING

    show_listing(LISTING, names, format_, json=json)
