"""Several programs doing the same work, each in its own process, turn by turn."""

from __future__ import annotations

from dataclasses import dataclass

from bench.measuring import ChildFailedError, Measured, Repeated, measure
from bench.section import tell


@dataclass(frozen=True)
class Contender:
    """A program to measure. Without a version it is not installed, and is listed as such."""

    name: str
    version: str | None
    command: tuple[str, ...]
    rehearsal: tuple[str, ...]
    """The same on a small part of the work, not timed: compiled code and byte code are then on disk for everybody."""
    repeats: int = 1
    one_core: bool = False


Outcome = Repeated | str
"""The figures, or in words why there are none."""


def compete(contenders: tuple[Contender, ...]) -> dict[str, Outcome]:
    """Measure all of them, in rounds, so that a busy minute of the machine does not fall on one alone."""
    each: dict[str, list[Measured]] = {contender.name: [] for contender in contenders}
    failed: dict[str, str] = {}
    for contender in contenders:
        if contender.version is None:
            failed[contender.name] = "not installed"
            tell(f"{contender.name} is not installed")
        else:
            _attempt(contender, failed, rehearse=True)
    for turn in range(max((contender.repeats for contender in contenders), default=0)):
        for contender in contenders:
            if turn >= contender.repeats or contender.name in failed:
                continue
            measured = _attempt(contender, failed)
            if measured is not None:
                each[contender.name].append(measured)
                figures = f"{measured.wall:.2f} s, {measured.peak_mb:.0f} MB"
                tell(f"{contender.name} ({turn + 1} of {contender.repeats}): {figures}")
    return {name: failed.get(name) or Repeated(tuple(found)) for name, found in each.items()}


def _attempt(contender: Contender, failed: dict[str, str], *, rehearse: bool = False) -> Measured | None:
    """One execution; an error is told and noted, and the others go on."""
    try:
        return measure(contender.rehearsal if rehearse else contender.command, one_core=contender.one_core)
    except ChildFailedError as error:
        failed[contender.name] = "failed"
        tell(f"{contender.name} failed: {error}")
        return None


def seconds(value: float) -> str:
    """A time with three digits or so."""
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"
