"""Reading patents: formats, archives, and test collections made from citations."""

from antecede.corpus.collection import Collection
from antecede.corpus.ledger import Ledger
from antecede.corpus.merge import merge
from antecede.corpus.topics import Topics, make_topics

__all__ = ["Collection", "Ledger", "Topics", "make_topics", "merge"]
