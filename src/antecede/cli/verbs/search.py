"""antecede search"""

from __future__ import annotations

import shutil
import sys
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.options import Style
from antecede.cli.outputs import Input
from antecede.cli.querying import Before, IndexFolder, Model, QueryFields, QueryWeights, Terms
from antecede.ranges import BOOST, DOCUMENTS

PASSAGES = 3


@verb(
    "antecede search clefip.index EP1234567",
    "antecede search clefip.index application.xml --ipc H04L --ipc H04W -k 20 --passages",
    "antecede search clefip.index EP1234567 --method lmipc --terms 40 --ipc-boost 0.3",
    "antecede search clefip.index EP1234567 --relevant EP1111111 --relevant US5000000 --irrelevant US5000001",
    'antecede search clefip.index --text "mesh network of battery powered sensors" --before 2005-01-01 --explain',
    "antecede search clefip.index --query edited.json --model 'lm_dirichlet(mu=1000)' --json",
)
def search(
    *,
    index: IndexFolder,
    patent: Annotated[
        str | None,
        typer.Argument(
            metavar="[PATENT]",
            help="What to find prior art of: a patent of the index by its number, a file of any format, or - for "
            "standard input.",
            show_default=False,
        ),
        Input(),
    ] = None,
    text: Annotated[str | None, typer.Option(metavar="WORDS", help="Search with a text.", show_default=False)] = None,
    query: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.json", help="Search with weighted terms, as `query --json` gives them; - for stdin."
        ),
        Input(),
    ] = None,
    method: Annotated[
        str, typer.Option(help="How a patent becomes a query; all methods: antecede methods.")
    ] = "logtfidf",
    terms: Terms = None,
    fields: QueryFields = "description",
    weights: QueryWeights = None,
    model: Model = "bm25",
    k: Annotated[int, typer.Option("-k", "--k", **DOCUMENTS.bounds, help="How many documents.")] = 100,
    before: Before = "auto",
    ipc: Annotated[
        list[str] | None,
        typer.Option(metavar="CODE", help="Only this class: H04, H04L, H04L 12, H04L 12/56; may be repeated."),
    ] = None,
    country: Annotated[
        list[str] | None, typer.Option(metavar="CODE", help="Only from this office: EP, US; may be repeated.")
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            "--languages",
            metavar="CODE",
            help="Search texts in this language: en, de, fr; all: every language that the patent has text in (with "
            "--text every language of the index), fused. Documents of unknown language are always searched.",
            show_default="its own",
        ),
    ] = None,
    ipc_boost: Annotated[
        float,
        typer.Option(
            **BOOST.bounds, help="How much documents in the patent's IPC classes are moved up; 0.3 is a strong boost."
        ),
    ] = 0.0,
    relevant: Annotated[
        list[str] | None,
        typer.Option(metavar="DOC_ID", help="A document found before that is to the point: find more like it."),
    ] = None,
    irrelevant: Annotated[
        list[str] | None, typer.Option(metavar="DOC_ID", help="A document found before that is not to the point.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show which terms count how much.")] = False,
    passages: Annotated[bool, typer.Option("--passages", help="Show the best passages of each document.")] = False,
    claims: Annotated[
        bool, typer.Option("--claims", help="Show for each claim of the patent the passage that fits it best.")
    ] = False,
    json: options.Json = False,
    format_: options.Format = Style.text,
) -> None:
    """Find prior art of a patent, or search with a text or with weighted terms.

    The patent itself and its family are never found, nor documents that were marked as --relevant or --irrelevant.
    """
    from antecede.cli.output import show_json, show_page, show_table, show_text
    from antecede.errors import UsageError
    from antecede.index import open_index
    from antecede.query import read_query
    from antecede.report.hit_text import render_hits
    from antecede.search import search_index, topic_from

    if sum(each is not None for each in (patent, text, query)) != 1:
        raise UsageError("say what to search for: either a patent, or --text, or --query")
    opened = open_index(index)
    about = text if text is not None else read_query(query) if query is not None else topic_from(opened, patent or "-")
    found = search_index(
        opened,
        about,
        method=method,
        terms=terms,
        fields=fields,
        weights=weights.value if weights is not None else None,
        relevant=relevant or (),
        irrelevant=irrelevant or (),
        language=language,
        model=model,
        k=k,
        before=before,
        ipc=ipc or (),
        countries=country or (),
        ipc_boost=ipc_boost,
        explain=explain,
        passages=PASSAGES if passages else 0,
        claims=claims,
    )
    if json or format_ in (Style.csv, Style.csv_raw):  # where a person would not see them
        for note in found.notes:
            show_text(f"antecede: {note}", error=True)
    width = shutil.get_terminal_size((110, 24)).columns
    if json:
        show_json(found.to_dict())
    elif format_ is Style.text and (explain or passages or claims):
        show_page(render_hits(found, width=width, why=explain, bold=sys.stdout.isatty()))
    else:
        show_table(found.table(width if format_ is Style.text else None), format_)
