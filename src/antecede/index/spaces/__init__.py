"""Latent spaces: documents and queries as short dense vectors, learned from the collection and stored with the index.

`space.py` is how terms or texts become a vector, and how a space is searched; `learning.py` learns, stores, extends and
rebuilds spaces.
"""
