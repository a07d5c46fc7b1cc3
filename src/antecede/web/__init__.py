"""The searcher's page: cases in a store, a JSON API, and the page that uses it. `antecede serve` starts it.

`app.py` puts the routes together; `gate.py` and `access.py` decide who gets in; `store.py` keeps the cases. Searching,
passages, facets, feedback and estimates live in the packages below.
"""

from antecede.web.access import Access, make_access
from antecede.web.app import create_app
from antecede.web.case_file import export_case, import_case
from antecede.web.store import CaseStore

__all__ = ["Access", "CaseStore", "create_app", "export_case", "import_case", "make_access"]
