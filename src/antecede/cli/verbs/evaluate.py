"""Scoring runs, and what is done with run files."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from antecede.cli import options
from antecede.cli.bundles import DisplayOptions, TableOptions, verb
from antecede.cli.calls import Call, Derived
from antecede.cli.inputs import find_highlights, refuse_repeated_input, warn_of_run_orders
from antecede.cli.options import argument, option
from antecede.cli.output import progress, show_json, show_note, show_text
from antecede.cli.outputs import Input, Output, check_apart, check_file, check_folder_files, make_folder, paths_of
from antecede.errors import UsageError


@dataclass(frozen=True)
class ScoreDisplay(DisplayOptions):
    """How scores are shown: as tables, or as trec_eval prints them."""

    format_: options.ScoreFormat = "text"  # type: ignore[assignment]


WITHOUT_NOTES = ("csv", "csv-raw", "csv-excel", "trec_eval")


@verb(
    "antecede evaluate qrels.txt runs/*.gz",
    "antecede evaluate qrels.txt a.run b.run -m PRES@1000,R@100 -m map --format latex",
    "antecede evaluate qrels.txt runs/*.gz --save saved.npz; antecede evaluate saved.npz -m nDCG@10",
    "antecede evaluate qrels.txt a.run -m official --format trec_eval",
    "antecede evaluate ranks.npz --sort PRES@1000 --figure systems.svg",
    "antecede evaluate ranks.npz -m PRES@1000,AP@1000,R@1000 --figure ranks.svg --draw rank-changes",
    "antecede evaluate qrels.txt a.run b.run --figure curves.svg --draw precision-recall",
)
def evaluate(
    *,
    call: Annotated[Call, Derived("antecede.evaluation:evaluate")],
    per_topic: bool = option("Show scores per topic: instead of means in tables, in addition in JSON.", False),
    sort: str | None = option("Sort runs by this measure, best first.", metavar="MEASURE"),
    save: Path | None = option(
        "Save the rank table, to be evaluated again without the runs.", metavar="FILE.npz", path=Output()
    ),
    draw: Literal["systems", "rank-changes", "precision-recall"] = option(
        "The figure: the runs sorted by a measure, how their ranks change, or precision against recall.", "systems"
    ),
    highlight: options.Highlight = None,
    showing: ScoreDisplay,
) -> None:
    """Score runs against qrels: PRES, recall, average precision and every other common measure."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # no matrix products here, and threads for them take 40 ms

    from antecede.evaluation.scores import find_measure
    from antecede.measures import DEFAULT_MEASURES, parse_measures
    from antecede.measures.names import GROUPS

    measures = call.given.get("measures", DEFAULT_MEASURES)
    if sort is not None:
        find_measure(sort, parse_measures(measures, rel=call.given.get("rel")))
    with_notes = not showing.json and showing.format_ not in WITHOUT_NOTES
    scores = call.scores(warn=not with_notes)
    if not with_notes and not showing.json:  # JSON has the counts
        for line in scores.caveats():
            show_note(line)
    if save is not None:
        scores.rank_table.save(save)
    if sort is not None:
        scores = scores.sorted_by(sort)

    def draw_figure(path: Path) -> None:
        from antecede.report.figures import FIGURES

        highlighted = find_highlights(highlight, scores.rank_table)
        FIGURES[draw.replace("-", "_")].write(path, scores, highlight=highlighted)

    if showing.format_ == "trec_eval" and not showing.json:
        if showing.figure is not None:
            draw_figure(showing.figure)
        groups = [name for words in measures for name in words.split(",") if name.strip() in GROUPS]
        show_text(scores.to_trec_eval(run_id=bool(groups)), end="")
    else:
        table = scores.per_topic() if per_topic else scores.table()
        showing.show(scores.to_dict(per_topic=per_topic), table, draw=draw_figure)


@verb(
    "antecede compare qrels.txt a.run b.run c.run --baseline a.run --figure baseline.svg",
    "antecede compare qrels.txt a.run b.run c.run -m PRES@1000 --test wilcoxon --correction bh --format latex",
    "antecede compare ranks.npz -m AP@1000 --details --figure differences.svg",
    "antecede compare qrels.txt a.run b.run --baseline a.run -m AP --figure topics.svg --draw topics",
    "antecede compare qrels.txt a.run b.run c.run -m AP --anova",
)
def compare(
    *,
    call: Annotated[Call, Derived("antecede.comparison:compare")],
    details: bool = option("One row per pair: difference, interval, effect size and p.", False),
    anova: bool = option("Add an analysis of variance with Tukey's test of all pairs.", False),
    draw: Literal["compare", "topics"] = option(
        "The figure: mean differences with their intervals, or the difference of each topic from the baseline "
        "under the first measure.",
        "compare",
    ),
    highlight: options.Highlight = None,
    showing: DisplayOptions,
) -> None:
    """Compare runs: which differences are significant, how large they are, and how certain."""
    from antecede.comparison import anova as analyse

    scores = call.scores()
    result = call.run(scores=scores)
    baseline = call.given.get("baseline")

    def draw_topics(path: Path) -> None:
        from antecede.report.figures import FIGURES

        named = find_highlights(highlight, scores.rank_table)
        FIGURES["topic_differences"].write(path, scores, baseline=baseline, highlight=named)

    # What the runs lack is said once, below the comparison.
    variance = replace(analyse(scores, alpha=result.plan.alpha, baseline=baseline), advice=()) if anova else None
    tables = [result.details() if details else result.table()]
    if variance is not None:
        tables += [variance.table(), variance.pairs_table(every=details)]
    document = result.to_dict() | ({} if variance is None else {"anova": variance.to_dict()})
    showing.show(document, *tables, draw=draw_topics if draw == "topics" else result.plot)


@verb(
    "antecede audit qrels.txt runs/*.gz",
    "antecede audit qrels.txt a.run -k 100 --json",
    "antecede audit qrels.txt a.run --figure relevant.svg",
)
def audit(
    *,
    call: Annotated[Call, Derived("antecede.evaluation:audit")],
    figure: Path | None = option(
        "Draw how many relevant documents each topic has.", metavar="FILE.svg|png|pdf", path=Output(figure=True)
    ),
    showing: TableOptions,
) -> None:
    """Show irregularities in runs and qrels: duplicates, ties, missing topics, broken lines, unjudged documents.

    It reads what evaluate refuses, and lists a run that cannot be read at all with the reason. The exit code is 1 if
    a run or a line cannot be read or a document appears twice, and 2 if no run can be read.
    """
    result = call.run()
    if figure is not None and result.rank_table is not None:
        result.rank_table.plot(figure)
    showing.show(result, result.table())
    if result.refused:
        raise typer.Exit(1)


LIKE_A_CONSTANT = 100
"""Up to here, -k with rrf may be meant for its constant, which papers call k as well."""


@verb(
    "antecede fuse a.run b.run --by rrf --out fused.run",
    "antecede fuse a.run b.run --by rrf --rrf-k 10 -k 100 --out fused-100.run",
    "antecede fuse a.run b.run --by combsum --weights 2,1 --out weighted.run",
    "antecede fuse runs/*.gz --by combmnz -k 100 --out fused.run.gz --json",
)
def fuse(
    *,
    call: Annotated[Call, Derived("antecede.trec:fuse")],
    out: Path = option("The fused run.", ..., metavar="FILE.run", path=Output()),
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Fuse runs into one: reciprocal rank fusion, CombSUM, CombMNZ, Borda count and others."""
    from antecede.fusion import RANK_CONSTANT
    from antecede.trec import read_run, write_run
    from antecede.trec.reader import Policies
    from antecede.trec.runs import check_rrf_k, check_weights

    by, k, rrf_k = (call.value(name) for name in ("by", "k", "rrf_k"))
    runs = call.given["runs"]
    check_rrf_k(rrf_k, by)
    refuse_repeated_input(*runs)
    if len(runs) < 2:
        raise UsageError("a fusion needs at least two runs, but got 1; add another run")
    if "weights" in call.given:
        check_weights(call.given["weights"], len(runs))
    read = []
    with progress("reading runs", quiet=quiet) as report:
        for number, path in enumerate(runs, 1):
            read.append(read_run(path, Policies(**call.of(Policies))))
            if report is not None:
                report(number, len(runs))
    warn_of_run_orders(read)
    constant = (RANK_CONSTANT if rrf_k is None else rrf_k) if by == "rrf" else None
    if constant is not None and rrf_k is None and k <= LIKE_A_CONSTANT:
        show_note(f"-k {k} is the number of documents per topic; the constant of rrf is --rrf-k ({constant})")
    fused = call.run(runs=read)
    write_run(fused, out)
    if json:
        counts = {"fusion": by, "runs": [run.name for run in read], "topics": len(fused.topics)}
        constants = {} if constant is None else {"rrf_k": constant}
        show_json({**counts, "documents": len(fused), "out": str(out), **constants})
    elif not quiet:
        how = by if constant is None else f"{by} (constant {constant})"
        show_text(f"{out}: {how} of {len(read)} runs, {len(fused.topics)} topics, {len(fused)} documents")


@verb(
    "antecede gate qrels.txt old.run --save baseline.json",
    "antecede gate qrels.txt new.run --baseline baseline.json",
    "antecede gate qrels.txt new.run --baseline baseline.json --margin 0.005",
    "antecede gate qrels.txt new.run --baseline old.run -m PRES@1000,R@100 --test wilcoxon --drop 0.005 --json",
)
def gate(
    *,
    call: Annotated[Call, Derived("antecede.comparison.gate:gate", without=("baseline",))],
    baseline: str | None = option(
        "The previous run, or its scores saved by --save.", metavar="FILE", path=Input(renewed_by="save")
    ),
    save: Path | None = option(
        "Save the scores of this run, unless the gate fails.", metavar="FILE.json", path=Output()
    ),
    showing: TableOptions,
) -> None:
    """Check a run against a baseline: the exit code is 1 if a measure fell significantly or an answer is missing.

    A topic without results scores 0, and fails the gate if the baseline has some. A topic that only one of the two was
    scored on, because the qrels of a saved baseline differ, is left out. Both are counted.
    """
    from antecede.comparison.gate import describe_unanswered, scores_of
    from antecede.trec.reader import Policies

    qrels, run = call.given["qrels"], call.given["run"]
    if baseline is None and save is None:
        raise UsageError("there is nothing to compare with; give --baseline FILE, or make one with --save FILE")
    refuse_repeated_input(qrels, run, baseline)
    if baseline is None and save is not None:
        scores = scores_of(qrels, run, call.given.get("measures"), **call.of(Policies))
        scores.save(save)
        if showing.json:
            show_json({"saved": str(save), **scores.to_dict()})
        else:
            notes = "".join(f"; {note.removesuffix('.')}" for note in describe_unanswered(scores, "this run"))
            show_text(f"{save}: {len(scores.topics)} topics, {', '.join(scores.measures)}{notes}")
        return
    if baseline is not None and qrels == "-":
        raise UsageError("the qrels are needed twice; give a file")
    result = call.run(baseline=baseline)
    showing.show(result, result.table())
    if not result.passed:
        raise typer.Exit(1)
    if save is not None:
        result.run.save(save)


@dataclass(frozen=True)
class Metadata:
    """What is said of a run that is exported."""

    tag: Annotated[str | None, option("The tag of the run.", metavar="NAME", show_default="the one it has")] = None
    set_: Annotated[
        list[str] | None,
        option("An entry of the metadata, such as actor.team=NAME; may be repeated.", metavar="SECTION.KEY=VALUE"),
    ] = None
    here: Annotated[bool, option("Record this machine and this version of antecede as the platform of the run.")] = (
        False
    )


@verb(
    "antecede export a.run --out upload/ --set actor.team=antecede",
    'antecede export a.run --out annotated.run.gz --set "data.test collection.name=CLEF-IP 2011"',
)
def export(
    *,
    run: str = argument("RUN", "The run, in any form.", path=Input()),
    out: Path = option(
        "A folder for run.txt and ir-metadata.yml; or a file with a suffix (.run, .gz), which begins with the "
        "metadata as comments.",
        ...,
        metavar="DIR|FILE.run",
        path=Output(folder=True),
    ),
    metadata: Metadata,
    gzip: bool = option("Write run.txt.gz.", False),
    overwrite: options.Overwrite = False,
    reading: Annotated[Call, Derived("antecede.trec.reader:Policies", without=("ties",))],
    json: options.Json = False,
) -> None:
    """Export a run with its metadata, in the convention of ir_metadata, as TIREx expects it."""
    from antecede.trec import read_run
    from antecede.trec.output import METADATA_FILE, RUN_FILE, describe_run, export_run, is_file_name, parse_entries

    given, here = parse_entries(metadata.set_ or []), metadata.here
    if metadata.tag is not None:
        given["tag"] = metadata.tag
    if is_file_name(out):
        check_apart(out, paths_of([run]))
        check_file(out, overwrite=overwrite)
    else:
        name = f"{RUN_FILE}.gz" if gzip else RUN_FILE
        check_folder_files(out, (name, METADATA_FILE), [run], overwrite=overwrite)
    read = read_run(run, reading.run())
    warn_of_run_orders([read])
    if not is_file_name(out):
        make_folder(out)
    files = export_run(read, out, given, made_here=here, compress=gzip)
    if json:
        counts = {"topics": len(read.topics), "documents": len(read)}
        described = describe_run(read, given, made_here=here)
        show_json({"files": [str(file) for file in files], **counts, "metadata": described})
    else:
        show_text(f"{', '.join(map(str, files))}: {len(read.topics)} topics, {len(read)} documents")
