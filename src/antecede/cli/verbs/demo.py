"""antecede demo"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options


@options.examples("antecede demo", "antecede demo --out somewhere")
def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where to put the files.")] = Path("antecede-demo"),
    quiet: options.Quiet = False,
) -> None:
    """Show the main job on made-up data: runs shaped like CLEF-IP 2009, read, audited and evaluated."""
    from antecede.cli.output import progress, show_table
    from antecede.study.demo import demo

    with progress("writing simulated runs", quiet=quiet) as report:
        shown = demo(out, progress=report)
    show_table(shown.scores.table(sort="PRES@1000"), "text")
    print(f"Simulated: no run or patent here is real. The files are in {out}; evaluate them yourself with")
    print(f"    antecede evaluate {out}/qrels.txt {out}/*.run -m PRES@100,R@100,AP")
