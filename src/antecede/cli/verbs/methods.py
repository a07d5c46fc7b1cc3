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
    from antecede.cli.output import show_json, show_table
    from antecede.query.listing import as_dicts, as_table, explained

    if json:
        show_json(as_dicts(names))
    elif names:
        print(explained(names))
    else:
        show_table(as_table(), format_)
