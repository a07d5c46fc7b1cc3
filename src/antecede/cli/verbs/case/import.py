"""antecede case import"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antecede.cli.bundles import verb
from antecede.cli.outputs import Input


@verb("antecede case import other.sqlite valve.case.json")
def import_(
    *,
    cases: Annotated[
        Path,
        typer.Argument(metavar="CASES", help="The store; it is created if it does not exist.", show_default=False),
        Input(),
    ],
    file: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Files that `case export` or the page wrote.", show_default=False),
        Input(),
    ],
) -> None:
    """Add exported cases to a store, unchanged. A case that is there already in another state is refused."""
    from antecede.cli.output import show_text
    from antecede.errors import InputError
    from antecede.web.case_file import import_case
    from antecede.web.store import CaseStore

    store = CaseStore(cases)
    for each in file:
        try:
            data = each.read_bytes()
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror})", source=str(each)) from None
        case_id = import_case(store, data, source=str(each))
        show_text(f"{each}: case {case_id}, {store.case(case_id).name}")
