"""The demonstration: the experiment that comes with the package, on a synthetic collection."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from antecede.experiment.steps import run_experiment
from antecede.files import cannot_write, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from antecede.experiment.outcome import Outcome
    from antecede.experiment.step_runner import StepEvent

FILE = "demo.toml"


def run_demo(
    folder: str | Path,
    *,
    workers: int = 1,
    log: Callable[[StepEvent], None] = lambda _: None,
    progress: Callable[[str, int, int], None] = lambda _what, _done, _total: None,
) -> Outcome:
    """Write the experiment file of the demonstration to a folder, unless it is there, and run it."""
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error, "cannot be created") from None
    file = folder / FILE
    if not file.exists():
        write_whole(file, files("antecede.experiment").joinpath(FILE).read_bytes())
    return run_experiment(file, workers=workers, log=log, progress=progress)
