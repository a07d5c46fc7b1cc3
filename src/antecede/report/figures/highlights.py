"""Which runs a figure highlights: those that the user names, or those that the figure chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.errors import UsageError, shown, suggest_names
from antecede.report.figures.style import LOOKS

if TYPE_CHECKING:
    from collections.abc import Sequence


def choose_highlights(named: Sequence[str] | None, runs: Sequence[str], otherwise: Sequence[int]) -> list[int]:
    """The positions of the runs to highlight."""
    if not named:
        return list(otherwise)
    unknown = next((name for name in named if name not in runs), None)
    if unknown is not None:
        raise UsageError(f"no run to highlight is called '{shown(unknown)}'{suggest_names(unknown, runs)}")
    chosen = list(dict.fromkeys(runs.index(name) for name in named))
    if len(chosen) > len(LOOKS):
        raise UsageError(f"at most {len(LOOKS)} runs can be told apart; highlight fewer than {len(chosen)}")
    return chosen
