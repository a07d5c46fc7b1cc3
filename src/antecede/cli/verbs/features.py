"""antecede features"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.options import Style


@verb("antecede features", "antecede features cosine classes", "antecede features --json")
def features(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME...]", help="Features to explain in full.", show_default=False)
    ] = None,
    json: options.Json = False,
    format_: options.Format = Style.text,
) -> None:
    """List every feature that a ranking can add up: what it looks at, its formula, parameters and source."""
    from antecede.cli.output import show_listing
    from antecede.ranking.features import LISTING

    show_listing(LISTING, names, format_, json=json)
