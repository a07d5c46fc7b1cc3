"""A topic → a ranking."""

from antecede.conditions.filters import Filters, prior_art
from antecede.engine import Hits
from antecede.models import MODELS, Model, parse_model
from antecede.search.engine import Index, find_topic, open_index, search_index
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
    "Index",
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
    "open_index",
    "parse_model",
    "prior_art",
    "rank",
    "search_index",
]
