"""The distributed engine: an index on an OpenSearch cluster that gives the same results as one on this machine.

The cluster stores term counts that our own analyser made, finds candidates by its BM25, and this side scores them
exactly (`searcher.py`). `cluster.py` talks to it, `layout.py` says what is stored, `load.py` and `sender.py` fill it,
`engine.py` opens it.
"""

from antecede.address import Address, is_address, parse_address

__all__ = ["Address", "is_address", "parse_address"]
