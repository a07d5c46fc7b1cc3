"""A query → a ranking."""

from antecede.search.explain import Share, explain
from antecede.search.filters import Filters
from antecede.search.models import Model, models, parse_model
from antecede.search.passages import Passage, best_passages, passages_for_claims
from antecede.search.searcher import Hits, Searcher

__all__ = [
    "Filters",
    "Hits",
    "Model",
    "Passage",
    "Searcher",
    "Share",
    "best_passages",
    "explain",
    "models",
    "parse_model",
    "passages_for_claims",
]
