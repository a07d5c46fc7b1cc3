"""The distributed engine: an index on an OpenSearch cluster that gives the same results as one on this machine.

The cluster needs nothing of ours: it stores term counts that our own analyser made, finds candidates by its BM25, and
this side scores them exactly (`search.cluster_searcher`). `cluster.py` talks to it, `layout.py` says what is stored,
`bulk_load.py` fills it by `document_sender.py` and `new_generation.py`, `cluster_index.py` opens it.
"""

from antecede.opensearch.address import Address, is_address, parse_address

__all__ = ["Address", "is_address", "parse_address"]
