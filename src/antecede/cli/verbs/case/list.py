"""antecede case list"""

from __future__ import annotations

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.options import Style


@verb("antecede case list cases.sqlite", "antecede case list cases.sqlite --json")
def list_(*, cases: options.CaseFile, json: options.Json = False, format_: options.Format = Style.text) -> None:
    """List the cases of a store with their searches and marks, the one changed last first."""
    from antecede.cli.output import show_json, show_table
    from antecede.web.case_list import case_table, describe_case
    from antecede.web.store import open_store

    found = open_store(cases).cases()
    if json:
        show_json([describe_case(each) for each in found])
    else:
        show_table(case_table(found), format_)
