"""A topic → a ranking."""

from antecede.conditions.filters import Filters, prior_art
from antecede.engine import Hits
from antecede.models import MODELS, Model, parse_model
from antecede.search.engine import find_topic, search_index
from antecede.search.explain import Hit, Share, explain
from antecede.search.passages import Passage, Passages
from antecede.search.pipeline import Ranker, make_query, rank
from antecede.search.results import SearchResult
from antecede.search.settings import SearchSettings

__all__ = [
    "MODELS",
    "Filters",
    "Hit",
    "Hits",
    "Model",
    "Passage",
    "Passages",
    "Ranker",
    "SearchResult",
    "SearchSettings",
    "Share",
    "explain",
    "find_topic",
    "make_query",
    "parse_model",
    "prior_art",
    "rank",
    "search_index",
]
