"""The searcher's page: cases in a store, a JSON API, and the page that uses it. `antecede serve` starts it.

`app.py` puts the routes together; `gate.py` and `access.py` decide who gets in. Cases, searching,
passages, facets, feedback and estimates live in the packages below. Import what is needed from its module: the reader
of uploaded files and the tools for cases must not load the server.
"""
