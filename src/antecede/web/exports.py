"""What leaves a case through the page: files to save, and reports to look at."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from typing import Annotated

from pydantic import Field
from starlette.responses import Response

from antecede.review.case import Review
from antecede.review.exports import HTML, KINDS, export, page_style
from antecede.web.requests import SearchNumber
from antecede.web.workbench import route

NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


@route("GET", "/export/{kind}", "export", long=True)
def get_export(
    kind: Annotated[str, Field(max_length=40)], case: Review, search: SearchNumber = None, view: bool = False
) -> Response:
    """A file of the case: report.html, report.docx, marks.csv, marks.ris, marks.bib, results.csv, searches.csv,
    case.xlsx, qrels.txt, run.txt, trec.zip, chart.xlsx, chart.html, case.json. With `view` a page is shown instead of
    saved.
    """
    data = export(case, kind, search)
    media_type, _ = KINDS[kind]
    page = media_type == HTML
    stem = NOT_IN_NAMES.sub("-", case.case.name).strip("-.")[:60] or case.id
    headers = {"Content-Disposition": f'{"inline" if view and page else "attachment"}; filename="{stem}-{kind}"'}
    if page:  # which has a style of its own
        digest = b64encode(sha256(page_style().encode()).digest()).decode()
        sources = f"default-src 'none'; style-src 'sha256-{digest}'"
        headers["Content-Security-Policy"] = f"{sources}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    return Response(data, media_type=media_type, headers=headers)
