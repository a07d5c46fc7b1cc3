"""antecede case export"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.outputs import Output


@verb("antecede case export cases.sqlite valve --out valve.case.json")
def export(
    *,
    cases: options.CaseFile,
    case: options.CaseName,
    out: Annotated[
        Path, typer.Option(metavar="FILE.json", help="The file to write.", show_default=False), Output("case")
    ],
) -> None:
    """Write a case, with its topic, searches, marks and notes, to one file that another store can import."""
    from antecede.cli.output import show_text
    from antecede.files import write_whole
    from antecede.web.case_file import export_case
    from antecede.web.case_list import find_case
    from antecede.web.store import open_store

    store = open_store(cases)
    write_whole(out, export_case(store, find_case(store, case).id))
    show_text(str(out))
