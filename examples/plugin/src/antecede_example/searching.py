"""A query method, a ranking model and a feature of a ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.models import model
from antecede.query.methods import method
from antecede.ranking.features import Absent, feature

if TYPE_CHECKING:
    from antecede.arrays import Floats
    from antecede.models import CollectionFacts, Postings
    from antecede.query.material import Terms
    from antecede.ranking.evidence import Evidence


@method("rarest", cite="an example", cut=True)
def rarest(at: Terms, *, least: int = 2) -> Floats:
    """The rarest terms that occur a few times.

    log((N + 1) / df), for terms with n(t) ≥ `least`.
    """
    return np.where(at.counts >= least, np.log((at.documents + 1) / at.df), 0.0)


@model("coordination", cite="Cleverdon, Cranfield 1966")
def coordination(at: Postings, collection: CollectionFacts) -> Floats:
    """Coordination level: the sum of the weights of the query terms that a document contains.

    1 for each term it contains.
    """
    return np.ones_like(at.counts)


@feature("same_office", kind="metadata", cite="an example")
def same_office(at: Evidence) -> Floats | Absent:
    """1 for a document of the topic's office, else 0."""
    if at.task.patent is None:
        return Absent("the topic is not a patent")
    return np.array([float(name[:2] == at.task.patent.doc_id[:2]) for name in at.pool.doc_ids])
