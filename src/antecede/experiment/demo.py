"""The whole job on a made-up collection: the experiment that comes with the package."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from antecede.experiment.running import experiment
from antecede.files import cannot_write, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from antecede.experiment.outcome import Outcome
    from antecede.experiment.steps import Event

FILE = "demo.toml"


def demo(
    folder: str | Path,
    *,
    log: Callable[[Event], None] = lambda _: None,
    progress: Callable[[str, int, int], None] = lambda _what, _done, _total: None,
) -> Outcome:
    """Write the experiment file of the demonstration into a folder, unless one is there, and run it beside it."""
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error, "cannot be made") from None
    file = folder / FILE
    if not file.exists():
        write_whole(file, files("antecede.experiment").joinpath(FILE).read_bytes())
    return experiment(file, log=log, progress=progress)
