"""antecede show"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.collections import Fields, Patents, PresetName
from antecede.cli.options import Style
from antecede.cli.outputs import Input
from antecede.errors import InputError

if TYPE_CHECKING:
    from antecede.patent import Patent


@verb(
    "antecede show EP-1000000-B1.xml",
    "antecede show ipg050104.zip US6836899 --whole",
    "antecede show patents.jsonl.gz US-7596572 --json",
    "antecede show clefip.index EP1000000",
)
def show(
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH",
            help="A file, folder, archive or index, or the text, PDF or DOCX of an application; - for standard input.",
            show_default=False,
        ),
        Input(),
    ],
    doc_id: Annotated[
        str | None,
        typer.Argument(metavar="[DOC_ID]", help="Which patent, where there are several.", show_default=False),
    ] = None,
    whole: Annotated[bool, typer.Option("--whole", help="Show the whole description.")] = False,
    language: Annotated[
        list[str] | None, typer.Option(help="Only texts in this language; may be repeated.", show_default=False)
    ] = None,
    field: Fields = None,
    preset: PresetName = None,
    json: options.Json = False,
    format_: options.Format = Style.text,
    quiet: options.Quiet = False,
) -> None:
    """Show one patent in a readable form: title, dates, classes, abstract, numbered claims, citations.

    The documents of a patent (A1, B1 …) are shown as one. Where there are several patents and none is named, they are
    listed.
    """
    from antecede.cli.output import progress, show_json, show_page, show_table
    from antecede.corpus.collection import find_patent, read_patents, tabulate_patents
    from antecede.opensearch.address import is_address
    from antecede.report.terminal_text import render_patent

    if path != "-" and not is_address(path) and not Path(path).exists():
        raise InputError("there is no such file, folder, archive or index", source=path, remedy="check the path")
    if (indexed := from_index(path, doc_id)) is not None:
        found: Patent | list[Patent] = indexed
    else:
        with progress("reading", quiet=quiet, megabytes=True) as report:
            collection = Patents([path], field, preset, quiet=quiet).collection(report)
            if doc_id is not None:
                found = find_patent(collection, doc_id)
            else:
                found = read_patents(path, collection.names, collection.on_note, report)
    if json:
        show_json([each.to_dict() for each in found] if isinstance(found, list) else found.to_dict())
    elif isinstance(found, list) or format_ is not Style.text:
        show_table(tabulate_patents(found if isinstance(found, list) else [found]), format_)
    else:
        width = min(shutil.get_terminal_size((100, 24)).columns, 110)
        show_page(render_patent(found, width=width, whole=whole, languages=language))


def from_index(path: str, doc_id: str | None) -> Patent | None:
    """The patent in an index, if the path is one."""
    from pathlib import Path

    from antecede.opensearch.address import is_address

    on_cluster = is_address(path)
    if not on_cluster and not (Path(path) / "manifest.json").is_file():
        return None
    from antecede.index.manifest import is_index

    if not on_cluster and not is_index(Path(path)):
        return None
    from antecede.engine import open_index
    from antecede.errors import UsageError

    if doc_id is None:
        raise UsageError(f"{path}: name one of the patents in this index; `antecede info` shows how many there are")
    return open_index(path).patent(doc_id)
