"""List, export and import cases, and name the users of the page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from antecede.cli import options
from antecede.cli.bundles import TableOptions, verb
from antecede.cli.output import show_note, show_text
from antecede.cli.outputs import Input, Output
from antecede.cli.verbs.screening import screening_of
from antecede.errors import InputError, UsageError
from antecede.tables import Table


@verb("antecede review list cases.sqlite")
def list_(*, cases: options.CaseFile, showing: TableOptions) -> None:
    """List the cases of a store with their searches and marks, the one changed last first."""
    from antecede.review.store import open_store

    columns = ("id", "name", "topic", "user", "created", "changed", "searches", "relevant", "maybe", "not")
    rows: list[tuple[Any, ...]] = [
        (row.id, row.name, row.topic.record.get("doc_id"), row.user, row.created, row.changed, *row.counts.values())
        for row in open_store(cases).cases()
    ]
    short = tuple((*row[:3], row[5][:16].replace("T", " "), *row[6:]) for row in rows)
    document = [dict(zip(columns, row, strict=True)) for row in rows]
    showing.show(document, Table((*columns[:3], *columns[5:]), short))


@verb(
    "antecede review export cases.sqlite --case valve --out valve.case.json",
    "antecede review export cases.sqlite --case valve --out valve.html --index clefip.index",
)
def export(
    *,
    cases: options.CaseFile,
    name: Annotated[str | None, typer.Argument(metavar="[CASE]", help="The same as --case CASE.")] = None,
    case: options.ChosenCase = None,
    out: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            help="The file to write: .json the case, .html or .docx the search report, .ris or .bib the relevant "
            "documents, .csv the marks, .xlsx a workbook, .zip qrels and runs. Of a screening, .ris, .csv and .xlsx "
            "have all records with their decisions.",
        ),
        Output(),
    ],
    index: options.GivenIndex = None,
) -> None:
    """Write a case to one file that another store can import; or its search report, or its documents."""
    from antecede.files import write_whole
    from antecede.review.case import Review
    from antecede.review.case_file import export_case
    from antecede.review.exports import BY_ENDING
    from antecede.review.exports import export as export_file
    from antecede.review.screened_records import FORMS, write_records
    from antecede.review.store import find_case, open_store

    if name is not None and case is not None:
        raise UsageError("the case is named twice; leave out CASE or --case")
    store = open_store(cases)
    row = find_case(store, name if case is None else case)
    kind = BY_ENDING.get(out.suffix.lower(), "case.json")
    review = Review(store, row, index=index)
    form = out.suffix.lower().removeprefix(".")
    if review.plan.protocol is not None and form in FORMS:
        write_whole(out, write_records(screening_of(review, None), form))
    elif kind == "case.json":
        write_whole(out, export_case(store, row.id))
    else:
        write_whole(out, export_file(review, kind))
    show_text(str(out))


@verb("antecede review import other.sqlite valve.case.json")
def import_(
    *,
    cases: Annotated[
        Path, typer.Argument(metavar="CASES", help="The store; it is created if it does not exist."), Input()
    ],
    file: Annotated[list[Path], typer.Argument(metavar="FILE", help="Exported cases."), Input()],
) -> None:
    """Add exported cases to a store, unchanged.

    A case that is already there is not added twice; a different state of it is refused.
    """
    from antecede.review.case import describe_unused
    from antecede.review.case_file import import_case
    from antecede.review.store import CaseStore

    store = CaseStore(cases)
    for path in file:
        try:
            data = path.read_bytes()
        except OSError as error:
            remedy = "name files of antecede review export"
            raise InputError(f"cannot be read ({error.strerror})", source=str(path), remedy=remedy) from None
        row = store.case(import_case(store, data, source=str(path)))
        show_text(f"{path}: case {row.id}, {row.name}")
        if unused := describe_unused(row.plan):
            show_note(f"{path}: {unused}")


@verb(
    "antecede review user users.json ann < password.txt",
    "antecede review user users.json ann --remove",
)
def user(
    *,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The users file, created if it does not exist."), Input()
    ],
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the user.")],
    remove: Annotated[bool, typer.Option("--remove", help="Remove the user.")] = False,
) -> None:
    """Add a user of the page, change the password, or remove the user.

    The password is asked for on a terminal, otherwise read from standard input. Only a hash of it (argon2) is stored.
    """
    import getpass
    import sys

    from antecede.web.access import put_user

    password = None
    if not remove:
        asked = sys.stdin is not None and sys.stdin.isatty()
        password = getpass.getpass("Password: ") if asked else sys.stdin.readline().rstrip("\r\n")
    put_user(file, name, password)
    show_text(f"{file}: {name} {'removed' if remove else 'may sign in'}")
