"""The same applicant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.index.metadata import name_key
from antecede.ranking.attributes import attributes_of
from antecede.ranking.features.classes import NOT_A_PATENT
from antecede.ranking.features.registry import Absent, feature

if TYPE_CHECKING:
    from antecede.ranking.evidence import Evidence
    from antecede.ranking.features.registry import Floats

NO_APPLICANTS = Absent("no document of the index has an applicant", for_every_topic=True)
NO_APPLICANT = Absent("the topic has no applicant")


@feature("same_applicant", kind="metadata", cite="Lopez & Romary, CLEF 2009")
def same_applicant(at: Evidence) -> Floats | Absent:
    """1 for a document with an applicant of the topic, else 0; names are compared without case, accents, punctuation.

    Applicants build on, and cite, their own earlier patents. It favours these over equally near documents of others, so
    an invalidity search may do without it.
    """
    if at.task.patent is None:
        return NOT_A_PATENT
    attributes = attributes_of(at.index)
    if not attributes.has("applicants"):
        return NO_APPLICANTS
    own = {*map(name_key, at.task.patent.applicants)} - {""}
    if not own:
        return NO_APPLICANT
    return attributes.with_applicant(at.pool, own).astype(np.float64)
