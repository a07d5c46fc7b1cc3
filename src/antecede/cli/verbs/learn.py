"""Learn from a collection what makes searches better."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.indexing import Memory, WorkersOption
from antecede.cli.options import LocalIndex, Style
from antecede.cli.outputs import Input, Output
from antecede.ranges import COUNT, THREADS


class From(StrEnum):
    fields = "fields"
    text = "text"
    both = "both"


class Kind(StrEnum):
    linear = "linear"
    trees = "trees"


@verb(
    "antecede learn weights patents.index --out weights.json",
    "antecede learn weights patents.index --before 2004-01-01 --out weights.json",
    "antecede learn weights patents.index topics.jsonl qrels.txt --out weights.json --curve",
    "antecede run patents.index topics.jsonl --ranking weights.json --out learned.run",
)
def weights(
    *,
    index: LocalIndex,
    topics: Annotated[
        str | None,
        typer.Argument(
            metavar="[TOPICS]",
            help="Patents to learn from, as for run. Default: patents of the index that cite others of it.",
            show_default=False,
        ),
        Input(),
    ] = None,
    qrels: Annotated[
        str | None,
        typer.Argument(metavar="[QRELS]", help="Which documents are relevant to the topics.", show_default=False),
        Input(),
    ] = None,
    out: Annotated[
        Path,
        typer.Option(metavar="FILE.json", help="The file of the weights.", show_default=False),
        Output(),
    ],
    kind: Annotated[
        Kind, typer.Option(help="Linear weights, or gradient-boosted trees (needs antecede[learn]).")
    ] = Kind.linear,
    features: Annotated[
        list[str] | None,
        typer.Option(
            "--feature",
            metavar="FEATURE",
            help="A feature to weigh; may be repeated. All features: antecede list features.",
            show_default="all that the index has",
        ),
    ] = None,
    citations: Annotated[
        From, typer.Option(help="Citations from the fields, numbers in the description, or both.")
    ] = From.fields,
    before: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="Learn only from topics before this day."),
    ] = None,
    most: Annotated[int, typer.Option(**COUNT.bounds, help="The maximum number of topics, drawn at random.")] = 500,
    seed: Annotated[int, typer.Option(help="Random seed; the same seed gives the same results.")] = 0,
    curve: Annotated[bool, typer.Option("--curve", help="Also show weights learned from fewer topics.")] = False,
    threads: Annotated[
        int | None, typer.Option(**THREADS.bounds, help="Topics searched in parallel.", show_default="one per core")
    ] = None,
    json: options.Json = False,
    format_: options.Format = Style.text,
    quiet: options.Quiet = False,
) -> None:
    """Learn the weights of a ranking from citations, and show what each feature is worth.

    Every verb that searches uses the weights with --ranking FILE.json.
    """
    from antecede.cli.indexing import require_folder
    from antecede.cli.output import progress, show_json, show_tables
    from antecede.engine import open_index
    from antecede.learning import collect_topics, gather_examples, learn_ranking
    from antecede.learning.learned_ranking import learning_curve
    from antecede.registry import split_list

    chosen = [name for each in features or () for name in split_list(each)] or None
    require_folder(index, "learn weights")
    opened = open_index(index)
    with progress("reading topics", quiet=quiet) as report:
        wanted = collect_topics(
            opened,
            topics,
            qrels,
            citations=citations.value,
            before=before.date() if before is not None else None,
            most=most,
            seed=seed,
            progress=report,
        )
    with progress("computing features", quiet=quiet) as report:
        examples = gather_examples(
            opened, wanted.patents, wanted.relevant, features=chosen, threads=threads, progress=report
        )
    with progress("learning", quiet=quiet) as report:
        learned = learn_ranking(examples, kind=kind.value, progress=report)
    learned.write(out)
    tables = [*learned.tables(), *([learning_curve(examples)] if curve else [])]
    if json:
        rows = [dict(zip(tables[-1].columns, row, strict=True)) for row in tables[-1].rows] if curve else None
        show_json({**learned.to_dict(), "curve": rows})
    else:
        show_tables(tables, format_)


@verb(
    "antecede learn space clefip.index",
    "antecede learn space clefip.index --kind words --dimensions 200",
    "antecede learn space clefip.index --kind both --memory 1GB --json",
    "antecede learn space clefip.index --kind dense --model all-MiniLM-L6-v2/",
    "antecede learn space clefip.index --remove words",
)
def space(
    *,
    index: options.LocalIndex,
    kind: Annotated[
        str,
        typer.Option(
            metavar="lsa|words|both|dense",
            help="Latent semantic analysis, word vectors, both, or the vectors of a sentence model.",
        ),
    ] = "lsa",
    dimensions: Annotated[
        int | None, typer.Option(metavar="D", help="The length of a vector.", show_default="300")
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="The folder of the sentence model of a dense space.", show_default=False),
        Input(),
    ] = None,
    remove: Annotated[
        str | None, typer.Option(metavar="KIND", help="Remove the spaces of this kind instead.", show_default=False)
    ] = None,
    memory: Memory = "2GB",
    workers: WorkersOption = None,
    json: options.Json = False,
    format_: options.Format = Style.text,
    quiet: options.Quiet = False,
) -> None:
    """Learn a latent space from the documents of an index and store it with the index.

    In a latent space a query finds documents that say the same in other words.
    """
    from antecede.cli.indexing import require_folder, show_build_progress, space_plans
    from antecede.cli.output import show_json, show_tables
    from antecede.index import learn_space
    from antecede.index.maintain import remove_space
    from antecede.index.statistics import space_table
    from antecede.parallel import parse_size

    require_folder(index, "learn space")
    if remove is not None:
        remove_space(index, remove)
        return
    plans = space_plans(kind, dimensions, model)
    with show_build_progress(quiet=quiet) as report:
        learned = learn_space(index, *plans, memory=parse_size(memory), workers=workers, progress=report)
    if json:
        show_json(learned.to_dict())
    else:
        show_tables([space_table(learned.to_dict()["spaces"])], format_)


@verb(
    "antecede learn translations clefip/ --out claims.table",
    "antecede learn translations clefip.index --into clefip.index",
    "antecede learn translations claims.table --show connected,Anspruch",
)
def translations(
    *,
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="COLLECTION...",
            help="Patents, or the folder of an index; with --show, a table, or an index with one.",
            show_default=False,
        ),
        Input(),
    ],
    show: Annotated[
        str | None,
        typer.Option(metavar="WORD,…", help="Only show how a table translates these words."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="TABLE", help="The file to write.", show_default=False), Output()
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(metavar="INDEX", help="Store the table with this index.", show_default=False),
        Input(),
    ] = None,
    claims: Annotated[
        int | None,
        typer.Option(**COUNT.bounds, help="The maximum number of parallel claims per pair of languages."),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="default|published", help="How words become terms.", show_default="that of the index, or default"
        ),
    ] = None,
    json: options.Json = False,
    format_: options.Format = Style.text,
    quiet: options.Quiet = False,
) -> None:
    """Learn term translations from claims in several languages, or show those of a table."""
    from antecede.cli.output import progress, show_json, show_tables
    from antecede.cli.translations import learn_from, learned_table, open_table, shown_words, words_table
    from antecede.errors import UsageError
    from antecede.registry import split_list

    if show is not None:
        if out is not None or into is not None or claims is not None or profile is not None:
            raise UsageError("--out, --into, --claims and --profile do not go with --show, which learns nothing")
        if len(names) > 1:
            raise UsageError("--show takes one table, or one index")
        words = shown_words(open_table(names[0]), split_list(show))
        if json:
            show_json(words)
        else:
            show_tables([words_table(words)], format_)
        return
    if out is None and into is None:
        raise UsageError("say where the table goes: --out FILE, --into INDEX, or both")
    with progress("reading", quiet=quiet, megabytes=True) as report:
        facts = learn_from(names, out, into, claims=claims, profile=profile, progress=report)
    if json:
        show_json(facts)
    else:
        show_tables([learned_table(facts)], format_)
