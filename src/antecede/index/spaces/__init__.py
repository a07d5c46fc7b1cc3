"""Latent spaces: documents and queries as short dense vectors, learned from the collection and stored with the index.

`entry.py` is what the manifest says of a space, `space.py` how terms become a vector, and how it is searched.
`lsa.py` and `words.py` learn one, `dense.py` embeds with a model; `learning.py` stores, extends and rebuilds spaces.
"""
