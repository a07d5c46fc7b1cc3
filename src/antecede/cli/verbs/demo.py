"""antecede demo"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb


@verb("antecede demo", "antecede demo --out somewhere")
def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where to put the files.")] = Path("antecede-demo"),
    quiet: options.Quiet = False,
) -> None:
    """Show the main job on made-up data: runs shaped like CLEF-IP 2009, read, evaluated and studied."""
    from antecede.cli.output import progress, show_table
    from antecede.study.demo import demo

    with progress("writing simulated runs", quiet=quiet) as report:
        found = demo(out, progress=report)
    scores = found.scores.sorted_by("PRES@1000")
    show_table(scores.table(), "text")
    print()
    show_table(found.robustness.table(), "text")
    scores.plot(out / "systems.svg")
    found.robustness.plot(out / "robustness.svg")
    print(f"\nSimulated: no run or patent here is real. Runs, qrels and two figures are in {out}; go on with")
    print(f"    antecede compare {out}/qrels.txt {out}/*.run -m PRES@100,AP --baseline R09.run")
