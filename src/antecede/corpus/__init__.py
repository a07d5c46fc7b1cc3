"""Patents in: formats, archives, citations into test collections, and a synthetic collection."""

from antecede.corpus.collection import Collection
from antecede.corpus.ledger import Ledger
from antecede.corpus.merge import merge

__all__ = ["Collection", "Ledger", "merge"]
