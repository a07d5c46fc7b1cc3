"""The searcher's page: cases in a store, a JSON API, and the page that uses it. `antecede serve` starts it.

`app.py` makes requests call the views, which are in the module of their topic (`cases.py`, `queries.py`, `searches.py`,
`documents.py`, `charts.py`, `exports.py`); `access.py` decides who gets in. Searching, passages, facets, feedback and
estimates live in the packages below. Import what is needed from its module: the reader of uploaded files and the tools
for cases must not load the server.
"""
