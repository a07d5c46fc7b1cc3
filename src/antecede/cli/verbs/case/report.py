"""antecede case report"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.outputs import Output


@verb("antecede case report clefip.index cases.sqlite valve --out valve.html")
def report(
    *,
    index: options.IndexFolder,
    cases: options.CaseFile,
    case: options.CaseName,
    out: Annotated[
        Path, typer.Option(metavar="FILE.html", help="The file to write.", show_default=False), Output("report")
    ],
) -> None:
    """Write the search report of a case: topic, documents found, claim chart, how much was found, searches, index."""
    from antecede.cli.output import show_text
    from antecede.engine import open_index
    from antecede.files import write_whole
    from antecede.web.case_list import find_case
    from antecede.web.exports import export
    from antecede.web.store import open_store
    from antecede.web.workbench import Workbench

    store = open_store(cases)
    found = find_case(store, case)
    write_whole(out, export(Workbench(open_index(index), store), found, "report.html").data)
    show_text(str(out))
