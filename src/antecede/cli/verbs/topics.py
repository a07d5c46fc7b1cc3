"""antecede topics"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from antecede.cli.bundles import DisplayOptions, verb
from antecede.cli.collections import Patents, close, rejects_file
from antecede.cli.outputs import FOLDER, Output, check_folder_files
from antecede.ranges import COUNT


class Grades(StrEnum):
    category = "category"
    one = "one"


class From(StrEnum):
    fields = "fields"
    text = "text"
    both = "both"


@verb(
    "antecede topics clefip/ --after 2001-01-01 --out topics/",
    "antecede topics patents.jsonl.gz --out topics/ --grades one --fewest 3 --figure relevant.svg",
    "antecede topics patents.jsonl.gz --out topics/ --citations both --json",
)
def topics(
    *,
    patents: Patents,
    out: Annotated[
        Path,
        typer.Option(metavar="DIR", help="Where topics.jsonl and qrels.txt are written.", show_default=False),
        Output(FOLDER),
    ],
    after: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="Only patents published on or after this day become topics."),
    ] = None,
    grades: Annotated[
        Grades, typer.Option(help="The relevance of a citation: by its category (X 3, Y 2, others 1), or 1 for all.")
    ] = Grades.category,
    citations: Annotated[
        From, typer.Option(help="Which citations: those in the fields, numbers in the description, or both.")
    ] = From.fields,
    fewest: Annotated[int, typer.Option(**COUNT.bounds, help="The fewest relevant documents of a topic.")] = 1,
    most: Annotated[int | None, typer.Option(**COUNT.bounds, help="The most relevant documents of a topic.")] = None,
    language: Annotated[
        list[str] | None, typer.Option(help="Only topics in this language; may be repeated.", show_default=False)
    ] = None,
    showing: DisplayOptions,
) -> None:
    """Make a test collection from citations: what a patent cites is relevant to it, if it is in the collection.

    The patent itself and its family are left out. Exit code 1 where more than 5 % of the documents are rejected.
    """
    from antecede.cli.output import progress
    from antecede.corpus.topics import make_topics

    showing.check()
    check_folder_files(out, {"topics.jsonl": "topics", "qrels.txt": "qrels"}, patents.collections)
    with (
        rejects_file(patents.rejects) as on_reject,
        progress("reading", quiet=patents.quiet, megabytes=True) as report,
    ):
        collection = patents.collection(report, on_reject)
        made = make_topics(
            collection,
            after=after.date() if after is not None else None,
            grading=grades.value,
            citations=citations.value,
            fewest=fewest,
            most=most,
            languages=language,
        )
        made.write(out)
    showing.show(made, made.table())
    close(collection.ledger, quiet=patents.quiet)
