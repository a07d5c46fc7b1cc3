"""A query → a ranking."""

from antecede.search.explain import Share, explain
from antecede.search.filters import Filters
from antecede.search.found import Found, Hit
from antecede.search.hits import Hits
from antecede.search.models import MODELS, Model, parse_model
from antecede.search.passages import Passage, Passages, best_passages, passages_for_claims
from antecede.search.prior_art import prior_art
from antecede.search.searcher import Searcher
from antecede.search.searching import search_index, topic_from

__all__ = [
    "MODELS",
    "Filters",
    "Found",
    "Hit",
    "Hits",
    "Model",
    "Passage",
    "Passages",
    "Searcher",
    "Share",
    "best_passages",
    "explain",
    "parse_model",
    "passages_for_claims",
    "prior_art",
    "search_index",
    "topic_from",
]
