"""The classic search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.ranking.features.registry import feature

if TYPE_CHECKING:
    from antecede.ranking.candidates import Candidates
    from antecede.ranking.evidence import Evidence, Found
    from antecede.ranking.features.registry import Floats


def find(at: Evidence) -> Found:
    """The search that the settings describe, made once."""
    found: Found = at.once("classic", at.task.classic)
    return found


def retrieve(at: Evidence) -> Candidates:
    """The best documents of the classic search."""
    return at.retrieve(find(at))


@feature("classic", kind="text", cite="the query methods and ranking models chosen", retrieve=retrieve)
def classic(at: Evidence) -> Floats:
    """The score of the search that the settings describe: query methods, model, terms, weights and fusion.

    With the default settings it is `bm25`. With others it lets a ranking include them: `--method lmipc --ranking
    classic=1,cosine=0.5`. A document that a fusion of several methods does not find has score 0.
    """
    return find(at).scores_at(at.pool.places)
