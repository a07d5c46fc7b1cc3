"""The claim chart of a case."""

from __future__ import annotations

from antecede.review import claim_chart, views
from antecede.review.case import Review
from antecede.web.requests import CellRequest, ChartRequest, ClaimsRequest
from antecede.web.workbench import route


@route("GET", "/chart", "chart")
def get_chart(case: Review) -> views.Chart:
    """The claim chart."""
    return claim_chart.make_chart(case)


@route("PUT", "/chart", "chart", long=True)
def put_chart(asked: ChartRequest, case: Review) -> views.Chart:
    """Set the features and documents of the chart."""
    return claim_chart.put_chart(case, asked.features, asked.documents, asked.version)


@route("POST", "/chart/features", "chart", long=True)
def post_features(asked: ClaimsRequest, case: Review) -> views.Chart:
    """Set the claims of the chart; features that it had of them stay as they are, and so do the searcher's own."""
    return claim_chart.put_claims(case, asked.claims, asked.version)


@route("PUT", "/chart/cell", "chart", long=True)
def put_cell(asked: CellRequest, case: Review) -> views.Chart:
    """Set the text of a cell of the chart."""
    return claim_chart.put_cell(case, asked.feature, asked.doc_id, asked.text, asked.version)
