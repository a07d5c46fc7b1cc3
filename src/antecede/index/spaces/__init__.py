"""Latent spaces: documents and queries as short dense vectors, learned from the collection and stored with the index.

`entry.py` is what the manifest says of a space, `basis.py` how terms become a vector, `space.py` a space opened to be
searched; `lsa.py` and `words.py` learn one, `maintenance.py` stores, extends and rebuilds it.
"""
