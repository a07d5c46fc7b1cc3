"""antecede fuse"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.options import By, OnDuplicates, OnMalformed
from antecede.cli.outputs import Output
from antecede.ranges import DOCUMENTS, RRF_K

LIKE_A_CONSTANT = 100
"""Up to here, -k with rrf may be meant for its constant, which papers call k as well."""


@verb(
    "antecede fuse a.run b.run --by rrf --out fused.run",
    "antecede fuse a.run b.run --by rrf --rrf-k 10 -k 100 --out fused.run",
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
    rrf_k: Annotated[
        int | None,
        typer.Option(
            **RRF_K.bounds, help="The constant of rrf, which adds up 1 / (constant + rank).", show_default="60"
        ),
    ] = None,
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
    from antecede.cli.inputs import warn_of_run_orders
    from antecede.cli.output import progress, show_json, show_text
    from antecede.errors import UsageError
    from antecede.fusion import RANK_CONSTANT, find_fusion
    from antecede.trec import Policies, fuse_runs, read_run, write_run
    from antecede.trec.fusion import check_rrf_k

    find_fusion(by)
    check_rrf_k(rrf_k, by)
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
    warn_of_run_orders(read)
    constant = (RANK_CONSTANT if rrf_k is None else rrf_k) if by == "rrf" else None
    if constant is not None and rrf_k is None and k <= LIKE_A_CONSTANT:
        show_text(
            f"antecede: -k {k} is the number of documents per topic; the constant of rrf is --rrf-k ({constant})",
            error=True,
        )
    fused = fuse_runs(read, by, k=k, rrf_k=rrf_k)
    write_run(fused, out)
    if json:
        counts = {"fusion": by, "runs": [each.name for each in read], "topics": len(fused.topics)}
        constants = {} if constant is None else {"rrf_k": constant}
        show_json({**counts, "documents": len(fused), "out": str(out), **constants})
    else:
        how = by if constant is None else f"{by} (constant {constant})"
        show_text(f"{out}: {how} of {len(read)} runs, {len(fused.topics)} topics, {len(fused)} documents")
