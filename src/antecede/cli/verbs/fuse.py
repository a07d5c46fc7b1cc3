"""antecede fuse"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.options import By, OnDuplicates, OnMalformed
from antecede.cli.outputs import Output
from antecede.ranges import DOCUMENTS


@verb(
    "antecede fuse a.run b.run --by rrf --out fused.run",
    "antecede fuse runs/*.gz --by combmnz -k 100 --out fused.run.gz --json",
)
def fuse(
    *,
    runs: options.Runs,
    out: Annotated[
        Path,
        typer.Option(metavar="FILE.run", help="The file of the fused run, in TREC form.", show_default=False),
        Output("run"),
    ],
    by: Annotated[
        str,
        typer.Option(
            metavar="rrf|combsum|combmnz|combanz|combmax|combmin|combmed|isr|borda",
            help="The fusion: of ranks (rrf, isr, borda), or of scores scaled to 0 … 1 within each ranking.",
        ),
    ] = "rrf",
    k: Annotated[int, typer.Option("-k", **DOCUMENTS.bounds, help="The number of documents per topic.")] = 1000,
    duplicates: options.Duplicates = OnDuplicates.error,
    malformed: options.Malformed = OnMalformed.error,
    order: options.Order = By.score,
    depth: options.Depth = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Fuse runs into one: reciprocal rank fusion, CombSUM, CombMNZ, Borda count and others.

    A topic that only some of the runs have is fused from those.
    """
    from antecede.cli.inputs import warn_of_run_order
    from antecede.cli.output import progress, show_json, show_text
    from antecede.errors import UsageError
    from antecede.fusion import find_fusion
    from antecede.trec import Policies, fuse_runs, read_run, write_run

    find_fusion(by)
    if runs.count("-") > 1:
        raise UsageError("standard input can only be read once; give - for one file")
    if len(runs) < 2:
        raise UsageError("a fusion needs at least two runs, but got 1; add another run")
    policies = Policies(duplicates.value, malformed.value, depth=depth, order=order.value)
    read = []
    with progress("reading runs", quiet=quiet) as report:
        for number, path in enumerate(runs, 1):
            read.append(read_run(path, policies))
            if report is not None:
                report(number, len(runs))
    for each in read:
        warn_of_run_order(each)
    fused = fuse_runs(read, by, k=k)
    write_run(fused, out)
    if json:
        counts = {"fusion": by, "runs": [each.name for each in read], "topics": len(fused.topics)}
        show_json({**counts, "documents": len(fused), "out": str(out)})
    else:
        show_text(f"{out}: {by} of {len(read)} runs, {len(fused.topics)} topics, {len(fused)} documents")
