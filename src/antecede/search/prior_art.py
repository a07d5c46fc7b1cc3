"""What counts as prior art of a patent: published before its priority, not itself, not of its family."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.corpus.merge import names_of
from antecede.errors import UsageError, shown
from antecede.patent import parse_date
from antecede.search.filters import Filters

if TYPE_CHECKING:
    from datetime import date

    from antecede.patent import Patent

AUTO, OFF = "auto", "off"


def prior_art(patent: Patent, before: str | date | None = AUTO) -> Filters:
    """The filter for a search with a patent.

    `before` is a day; `auto` for the patent's own (priority, else filing, else publication; none if it has none);
    `off` or None for no bound. The patent and its family are never found.
    """
    return Filters(
        before=patent.date if before == AUTO else day_of(before),
        without=names_of(patent),
        without_family=patent.family_id,
    )


def day_of(before: str | date | None) -> date | None:
    """The day that a user names, None for `off`."""
    if before is None or before == OFF:
        return None
    if not isinstance(before, str):
        return before
    day = parse_date(before)
    if day is None:
        raise UsageError(f"--before {shown(before)!r} is no day; write it as 2001-12-31, or auto, or off")
    return day
