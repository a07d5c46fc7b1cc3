"""antecede serve"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.outputs import Input


@verb(
    "antecede serve clefip.index",
    "antecede serve clefip.index --cases work.sqlite --open",
    "antecede serve opensearch://127.0.0.1:9200/clefip",
    "antecede serve clefip.index --host 0.0.0.0 --port 8000 --users users.json --allow-host search.example.org",
)
def serve(
    *,
    index: options.IndexFolder,
    cases: Annotated[
        Path,
        typer.Option(metavar="FILE", help="The file of the cases; it is created if it does not exist."),
        Input(),
    ] = Path("antecede-cases.sqlite"),
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="The port to listen on; 0: any free one.",
            show_default="the first free one from 8765 on",
        ),
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    users: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Named users, from `antecede case user`; they sign in.", show_default=False),
        Input(),
    ] = None,
    calibration: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What `antecede review calibrate` wrote for this index, for estimates and advice.",
            show_default="NAME.calibration.json beside NAME.index, if it is there",
        ),
        Input(),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A further name of this server; may be repeated.", show_default=False),
    ] = None,
) -> None:
    """Serve the searcher's page: open an application, edit the query, read, mark, and know how much was found.

    Whoever opens the printed address gets in. Another machine can reach the page only with --host, and only where the
    environment variable ANTECEDE_TOKEN or --users is set.
    """
    import os

    from antecede.cli.output import show_text
    from antecede.engine import open_index
    from antecede.web.access import make_access
    from antecede.web.server import serve as run_server

    opened = open_index(index)
    calibration = choose_calibration(index, calibration)
    access = make_access(host, token=os.environ.get("ANTECEDE_TOKEN") or None, users=users, names=allow_host or ())
    run_server(
        opened,
        cases,
        access,
        port=port,
        open_browser=open_,
        calibration=calibration,
        announce=lambda address: show_text(f"Open in a browser: {address}\nStop with Ctrl+C.", error=True),
    )


def choose_calibration(index: str, given: Path | None) -> Path | None:
    """The calibration that is given, or that beside the index; documents of the page are read without feedback.

    One that does not suit is refused if it is given, and left out with a note if it is merely there.
    """
    from antecede.cli.collections import show_note
    from antecede.errors import AntecedeError
    from antecede.opensearch.address import is_address
    from antecede.review.calibration import read_suitable
    from antecede.review.feedback import STATIC

    beside = None if is_address(index) else Path(index).with_suffix(".calibration.json")
    chosen = given or (beside if beside is not None and beside.is_file() else None)
    if chosen is None:
        return None
    try:
        read_suitable(chosen, STATIC)
    except AntecedeError as error:
        if given is not None:
            raise
        show_note(f"the calibration beside the index is not used: {error}")
        return None
    return chosen
