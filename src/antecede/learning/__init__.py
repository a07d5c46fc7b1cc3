"""Ranking weights learned from the citations of a collection: examples, linear weights, trees, validation by date."""

from antecede.learning.examples import Example, Examples, JudgedTopics, collect_topics, gather_examples
from antecede.learning.learned_ranking import Learned, learn_ranking

__all__ = ["Example", "Examples", "JudgedTopics", "Learned", "collect_topics", "gather_examples", "learn_ranking"]
