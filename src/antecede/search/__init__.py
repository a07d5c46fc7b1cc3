"""A topic → a ranking."""

from antecede.index.filters import Filters, prior_art
from antecede.ranking.models import MODELS, Model, parse_model
from antecede.search.engine import EmbeddedEngine, find_topic, open_index
from antecede.search.explain import Share, explain
from antecede.search.hits import Hits
from antecede.search.index_search import search_index
from antecede.search.passages import Passage, Passages
from antecede.search.pipeline import Ranker, Ranking, make_query, rank
from antecede.search.results import Hit, SearchResult
from antecede.search.searcher import Searcher
from antecede.search.settings import SearchSettings

__all__ = [
    "MODELS",
    "EmbeddedEngine",
    "Filters",
    "Hit",
    "Hits",
    "Model",
    "Passage",
    "Passages",
    "Ranker",
    "Ranking",
    "SearchResult",
    "SearchSettings",
    "Searcher",
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
