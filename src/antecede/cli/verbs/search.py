"""antecede search"""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import SearchOptions, Settings, verb
from antecede.cli.collections import Fields, PresetName, field_names, show_note
from antecede.cli.options import Style
from antecede.cli.outputs import Input

if TYPE_CHECKING:
    from antecede.patent import Patent
    from antecede.query import Query

PASSAGES = 3


@verb(
    "antecede search clefip.index EP1234567",
    "antecede search clefip.index application.xml --ipc H04L --ipc H04W -k 20 --passages",
    "antecede search clefip.index EP1234567 --method lmipc --terms 40 --ipc-boost 0.3",
    "antecede search clefip.index EP1234567 --relevant EP1111111 --relevant US5000000 --irrelevant US5000001",
    'antecede search clefip.index --text "mesh network of battery powered sensors" --before 2005-01-01 --explain',
    "antecede search clefip.index application.pdf --fields claims",
    "antecede search clefip.index --text-file invention.txt",
    "antecede search clefip.index EP1234567 --claims --format xlsx > chart.xlsx",
    'antecede search clefip.index EP1234567 --after 1990-01-01 --applicant acme --must "mesh network" '
    "--must-not satellite",
    "antecede search clefip.index --query edited.json --model 'lm_dirichlet(mu=1000)' --json",
)
def search(
    *,
    index: options.IndexFolder,
    patent: Annotated[
        str | None,
        typer.Argument(
            metavar="[PATENT]",
            help="What to find prior art of: a patent of the index by its number, a file of any format, the text, PDF "
            "or DOCX of an application, or - for standard input.",
            show_default=False,
        ),
        Input(),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(metavar="WORDS", help="Search with a text; - reads it from standard input.", show_default=False),
    ] = None,
    text_file: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Search with the whole text of a text, PDF or DOCX file.", show_default=False
        ),
        Input(),
    ] = None,
    query: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.json", help="Search with weighted terms, as `query --json` gives them; - for stdin."
        ),
        Input(),
    ] = None,
    settings: Annotated[Settings, SearchOptions()],
    field: Fields = None,
    preset: PresetName = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the contribution of each term.")] = False,
    passages: Annotated[bool, typer.Option("--passages", help="Show the best passages of each document.")] = False,
    claims: Annotated[
        bool, typer.Option("--claims", help="Show the best passage for each claim of the patent.")
    ] = False,
    json: options.Json = False,
    format_: options.Format = Style.text,
) -> None:
    """Find prior art of a patent, or search with a text or with weighted terms.

    The patent itself and its family are never found, nor documents that were marked as --relevant or --irrelevant.
    """
    from antecede.errors import UsageError

    if sum(each is not None for each in (patent, text, text_file, query)) != 1:
        raise UsageError("say what to search for: either a patent, or --text, or --text-file, or --query")
    from antecede.cli.output import announce_compilation, show_json, show_page, show_table, show_text
    from antecede.engine import open_index
    from antecede.garbage import pause_garbage_collection
    from antecede.query import read_query
    from antecede.report.terminal_text import render_hits
    from antecede.search.engine import find_topic, search_index

    names = field_names(field, preset)
    with pause_garbage_collection():  # loading numba makes many objects, and a single search frees few
        opened = open_index(index)
        topic: Patent | Query | str
        if text == "-" or text_file is not None:
            from antecede.corpus.applications import read_text

            topic = read_text(text_file or "-", show_note)
        elif text is not None:
            topic = text
        elif query is not None:
            topic = read_query(query)
        else:
            topic = find_topic(opened, patent or "-", names=names, on_note=show_note)
        announce_compilation(index)
        found = search_index(
            opened,
            topic,
            settings=settings,
            explain=explain,
            passages=PASSAGES if passages else 0,
            claims=claims,
            bibliography=json or format_ is not Style.text,
        )
    if json or format_ in (Style.csv, Style.csv_raw, Style.csv_excel):  # where a person would not see them
        for note in (*found.notes, *([] if json else filter(None, [found.coverage.filter_note()]))):
            show_text(f"antecede: {note}", error=True)
    width = shutil.get_terminal_size((110, 24)).columns
    if json:
        show_json(found.to_dict())
    elif format_ is Style.text and (explain or passages or claims):
        show_page(render_hits(found, width=width, why=explain, bold=sys.stdout.isatty()))
    else:
        show_table(found.table(width if format_ is Style.text else None), format_)
