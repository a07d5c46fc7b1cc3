"""Arguments and options that verbs share, so that they mean the same everywhere."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from antecede.cli.outputs import Input, Output
from antecede.ranges import ALPHA, COUNT, DOCUMENTS, RELEVANCE, SAMPLES, SEED, THREADS

Qrels = Annotated[
    str,
    typer.Argument(
        metavar="QRELS",
        help="Judgements: TREC qrels, CSV, TSV or Parquet, may be compressed (.gz .bz2 .xz .zst); - for stdin.",
    ),
    Input(),
]
Runs = Annotated[list[str], typer.Argument(metavar="RUN...", help="Runs, each in any of the same forms."), Input()]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        "-m",
        metavar="MEASURE",
        help="A measure, such as PRES@1000, AP(rel=2), P@5,10,20 or map; may be repeated. trec_eval's groups: "
        "official, set, all_trec. All measures: antecede list measures.",
        show_default="PRES@1000 AP@1000 R@1000 R@100 nDCG P@10",
    ),
]
Rel = Annotated[
    int | None,
    typer.Option(
        **RELEVANCE.bounds, help="The lowest relevance that counts as relevant, unless a measure sets it (1)."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace files that exist already.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Style = Literal["text", "md", "csv", "csv-raw", "csv-excel", "latex", "html", "xlsx", "json"]
Format = Annotated[
    Style,
    typer.Option(
        "--format", help="The format of the table; csv-excel is for Excel, csv-raw leaves every text unchanged."
    ),
]
TableFile = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FILE",
        help="Write the table to this file; its suffix gives the format: .txt .md .csv .tex .html .xlsx .json.",
    ),
    Output(),
]
ScoreFormat = Annotated[
    Literal[Style, "trec_eval"],
    typer.Option(
        "--format",
        help="The format of the table; csv-excel is for Excel, csv-raw leaves every text unchanged, trec_eval prints "
        "one run as trec_eval -q does.",
    ),
]
_reading = partial(typer.Option, rich_help_panel="Reading runs")
"""An option that governs how runs and qrels are read; the help has a heading for these."""
Duplicates = Annotated[
    Literal["error", "first", "last", "keep"],
    _reading(
        help="A document that occurs twice in a topic: refuse the file, use its first or last line, or count each copy."
    ),
]
Malformed = Annotated[
    Literal["error", "skip"],
    _reading(help="A line that cannot be read: refuse the file, or leave the line out and count it."),
]
Ties = Annotated[
    Literal["docid", "input", "rank"],
    _reading(help="Equal scores: by document id descending (as trec_eval), as in the file, or by the rank column."),
]
Order = Annotated[
    Literal["score", "rank", "input"],
    _reading(
        help="What a ranking is ordered by: its scores (as trec_eval), its rank column, or the order of the file."
    ),
]
RunNames = Annotated[
    Literal["file", "tag"],
    _reading(help="Name runs after their files, or after the tags in them; NAME=PATH names one run."),
]
OnlyTopics = Annotated[
    str | None,
    _reading("--topics", metavar="T,T,…|FILE", help="Evaluate only these topics: a list, or a file with one per line."),
    Input(),
]
WithoutTopics = Annotated[
    str | None,
    _reading("--without-topics", metavar="T,T,…|FILE", help="Leave these topics out, given in the same way."),
    Input(),
]
Missing = Annotated[
    Literal["zero", "skip"],
    _reading(help="A topic of the qrels that a run lacks: scores 0, or is left out of that run's mean."),
]
NoRelevant = Annotated[
    Literal["skip", "zero"],
    _reading(help="A topic without a relevant document: is left out of the mean, or scores 0 (as trec_eval)."),
]
Depth = Annotated[
    int | None, _reading(**DOCUMENTS.bounds, help="Read only the first N documents of each topic (trec_eval's -M).")
]

QrelsOrTable = Annotated[
    str,
    typer.Argument(
        metavar="QRELS", help="Judgements, in any form, or a rank table saved by evaluate --save; - for standard input."
    ),
    Input(),
]
RunsIfAny = Annotated[
    list[str] | None, typer.Argument(metavar="RUN...", help="Runs, in any form; NAME=PATH gives one a name."), Input()
]
Figure = Annotated[
    Path | None, typer.Option(metavar="FILE.svg|png|pdf", help="Draw the result into this file."), Output(figure=True)
]
Highlight = Annotated[
    list[str] | None,
    typer.Option(
        metavar="RUN",
        help="A run to highlight in the figure, by its name, path or tag; may be repeated.",
        show_default="those that differ the most",
    ),
]
Test = Annotated[str, typer.Option(metavar="t|wilcoxon|randomization", help="The paired test.")]
Correction = Annotated[
    str, typer.Option(metavar="holm|bh|bonferroni|none", help="The correction of p-values for many pairs.")
]
Patterns = Annotated[
    int, typer.Option(**SAMPLES.bounds, help="Samples of the randomization test, where it is not exact.")
]
Alpha = Annotated[float, typer.Option(**ALPHA.bounds, help="The level of significance.")]
Seed = Annotated[int, typer.Option(**SEED.bounds, help="Random seed; the same seed gives the same results.")]
IndexFolder = Annotated[
    str,
    typer.Argument(
        metavar="INDEX",
        help="The folder of an index, made by index --out, or its address: opensearch://host:9200/name.",
    ),
    Input(),
]
LocalIndex = Annotated[
    str, typer.Argument(metavar="INDEX", help="The folder of an index, made by index --out."), Input()
]
"""An index that may not be on a cluster."""
CaseFile = Annotated[
    Path, typer.Argument(metavar="CASES", help="The file of cases that `serve` and `review start` keep."), Input()
]
CaseName = Annotated[
    str, typer.Argument(metavar="CASE", help="The name of a case, its id, or the beginning of its id.")
]
Topics = Annotated[
    str,
    typer.Argument(
        metavar="TOPICS",
        help="Patents to search for: files of any format, - for standard input; or a list of patents of the index, one "
        "per line, such as qrels.",
    ),
    Input(),
]

# Searching and learning

Threads = Annotated[
    int | None, typer.Option(**THREADS.bounds, help="Topics searched in parallel.", show_default="one per core")
]
Citations = Annotated[
    Literal["fields", "text", "both"],
    typer.Option(help="Citations from the fields, numbers in the description, or both."),
]
TopicQrels = Annotated[
    str | None, typer.Argument(metavar="[QRELS]", help="Which documents are relevant to the topics."), Input()
]
MostTopics = Annotated[int, typer.Option(**COUNT.bounds, help="The maximum number of topics, drawn at random.")]
LowestRel = Annotated[int, typer.Option(**RELEVANCE.bounds, help="The lowest relevance that counts as relevant.")]
Fewest = Annotated[int, typer.Option(**COUNT.bounds, help="The fewest relevant documents of a topic.")]
Groups = Annotated[
    str | None, typer.Option(metavar="FILE", help="The group of each run, in lines of `run group`."), Input()
]

# Patents and indexes

Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="COLLECTION...",
        help="Patents: files, folders, archives (.zip .tar .gz .bz2 .xz .zst) of any format; - for standard input.",
    ),
    Input(),
]
Fields = Annotated[
    list[str] | None,
    typer.Option(
        "--field",
        metavar="OURS=THEIRS",
        help="What a JSON source or a table calls a field, as in title=title_localized.text; may be repeated.",
    ),
]
PresetName = Annotated[
    str | None,
    typer.Option(
        "--preset",
        metavar="google|lens",
        help="Which database a JSON source or a table was exported from.",
        show_default="recognised by its keys",
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first document that cannot be read.")]
Rejects = Annotated[
    Path | None,
    typer.Option(metavar="FILE.jsonl", help="Write each rejected document, with its reason, to this file."),
    Output(),
]
Memory = Annotated[str, typer.Option(metavar="SIZE", help="The memory limit of all processes together.")]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        **THREADS.bounds,
        help="The number of processes; fewer if memory is short.",
        show_default="all cores",
    ),
]
Resume = Annotated[bool, typer.Option("--resume", help="Continue a build that was interrupted.")]

# Cases

ChosenCase = Annotated[
    str | None,
    typer.Option(
        "--case",
        metavar="CASE",
        help="The name of a case, its id, or the beginning of its id.",
        show_default="the only one",
    ),
]
GivenIndex = Annotated[
    str | None,
    typer.Option(metavar="INDEX", help="The index with the documents.", show_default="the one searched before"),
    Input(),
]
User = Annotated[str | None, typer.Option(metavar="NAME", help="Who marks.", show_default="the login name")]
Rules = Annotated[
    list[str] | None,
    typer.Option(metavar="RULE", help="A stopping rule, such as knee or 'misses(n=50)'; may be repeated."),
]
Target = Annotated[float, typer.Option(min=0.01, max=1.0, help="The recall to be reached.")]
