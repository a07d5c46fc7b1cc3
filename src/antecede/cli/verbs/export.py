"""antecede export"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.options import By, OnDuplicates, OnMalformed
from antecede.cli.outputs import FOLDER, Input, Output, check_apart, check_file, check_folder_files, paths_of


@verb(
    "antecede export a.run --out upload/ --set actor.team=antecede",
    'antecede export a.run --out annotated.run.gz --set "data.test collection.name=CLEF-IP 2011"',
)
def export(
    *,
    run: Annotated[str, typer.Argument(metavar="RUN", help="The run, in any form.", show_default=False), Input()],
    out: Annotated[
        Path,
        typer.Option(
            metavar="DIR|FILE.run",
            help="A folder for run.txt and ir-metadata.yml, as TIREx expects them; or a file with a suffix, such as "
            ".run or .gz, which begins with the metadata as comments.",
            show_default=False,
        ),
        Output(FOLDER),
    ],
    tag: Annotated[
        str | None, typer.Option(metavar="NAME", help="The tag of the run.", show_default="the one it has")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="SECTION.KEY=VALUE",
            help="An entry of the metadata, such as actor.team=NAME or data.test collection.name=NAME; may be "
            "repeated. Sections: platform, research goal, implementation, method, actor, data.",
        ),
    ] = None,
    here: Annotated[
        bool,
        typer.Option(
            "--here",
            help="The run was made on this machine with this version of antecede: record both as its platform.",
        ),
    ] = False,
    gzip: Annotated[bool, typer.Option("--gzip", help="Write run.txt.gz into the folder.")] = False,
    duplicates: options.Duplicates = OnDuplicates.error,
    malformed: options.Malformed = OnMalformed.error,
    order: options.Order = By.score,
    depth: options.Depth = None,
    json: options.Json = False,
) -> None:
    """Export a run with its metadata, in the convention of ir_metadata, as TIREx expects it."""
    from antecede.cli.inputs import warn_of_run_orders
    from antecede.cli.output import show_json, show_text
    from antecede.files import cannot_write
    from antecede.trec import Policies, read_run
    from antecede.trec.metadata import METADATA_FILE, RUN_FILE, describe_run, export_run, is_file_name, parse_entries

    given = parse_entries(set_ or [])
    if tag is not None:
        given["tag"] = tag
    if is_file_name(out):
        check_apart(out, paths_of([run]))
        check_file(out, "exported run")
    else:
        name = f"{RUN_FILE}.gz" if gzip else RUN_FILE
        check_folder_files(out, {name: "exported run", METADATA_FILE: "run metadata"}, [run])
    policies = Policies(duplicates.value, malformed.value, depth=depth, order=order.value)
    read = read_run(run, policies)
    warn_of_run_orders([read])
    try:
        if not is_file_name(out):
            out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(out, error, "cannot be made") from None
    files = export_run(read, out, given, made_here=here, compress=gzip)
    if json:
        counts = {"topics": len(read.topics), "documents": len(read)}
        show_json(
            {"files": [str(each) for each in files], **counts, "metadata": describe_run(read, given, made_here=here)}
        )
    else:
        show_text(f"{', '.join(map(str, files))}: {len(read.topics)} topics, {len(read)} documents")
