"""antecede measures"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.options import Style


@verb("antecede measures", "antecede measures PRES Bpref", "antecede measures --json")
def measures(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME...]", help="Measures to explain in full.", show_default=False)
    ] = None,
    json: options.Json = False,
    format_: options.Format = Style.text,
) -> None:
    """List every measure: how it is written, what it means, its formula, source and caveats."""
    from antecede.cli.output import show_listing
    from antecede.measures.names import LISTING

    show_listing(LISTING, names, format_, json=json)
