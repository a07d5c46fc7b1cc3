"""Nearness in time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.index.documents import EPOCH, UNKNOWN_DAY
from antecede.ranking.features.classes import NOT_A_PATENT
from antecede.ranking.features.registry import Absent, feature
from antecede.registry import Positive

if TYPE_CHECKING:
    from antecede.ranking.evidence import Evidence
    from antecede.ranking.features.registry import Floats

NO_DATE = Absent("the topic has no date")
YEAR = 365.25


@feature("date_distance", kind="metadata", cite="the age of cited patents: Hall, Jaffe & Trajtenberg, NBER 2001")
def date_distance(at: Evidence, *, years: Positive = 10.0) -> Floats | Absent:
    """How near in time a document is to the topic: exp(−|distance in years| / years).

    Recent documents are cited more often than old ones. A document without a known date has the mean of the others, so
    that it is neither favoured nor put back. years: how slowly it falls.
    """
    if at.task.patent is None:
        return NOT_A_PATENT
    date = at.task.patent.date
    if date is None:
        return NO_DATE
    known = at.pool.days != UNKNOWN_DAY
    if not known.any():
        return Absent("no candidate has a date")
    nearness = np.exp(-np.abs((date - EPOCH).days - at.pool.days) / YEAR / years)
    return np.where(known, nearness, nearness[known].mean())
