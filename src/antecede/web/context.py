"""What routes take from a request: the workbench, the user, a case that the user may open, the worker threads."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path, Request

from antecede.review.store import CaseRow
from antecede.web.workbench import Workbench
from antecede.web.workers import Workers


def get_workbench(request: Request) -> Workbench:
    """The index and the case store."""
    found: Workbench = request.app.state.workbench
    return found


def get_workers(request: Request) -> Workers:
    """The threads for searches."""
    found: Workers = request.app.state.workers
    return found


def get_user(request: Request) -> str:
    """The user; empty where there are no named users."""
    return request.state.user or ""


def get_case(
    request: Request,
    case_id: Annotated[str, Path(max_length=64, description="The id of the case.")],
) -> CaseRow:
    """The case that an address names, if the user may open it."""
    workbench = get_workbench(request)
    return workbench.store.case(case_id, get_user(request) if request.app.state.access.users is not None else None)


InCase = Annotated[CaseRow, Depends(get_case)]


def get_ownership(request: Request, case: InCase) -> bool:
    """Whether the case belongs to the user; where there are no named users, every case does."""
    return request.app.state.access.users is None or case.user == get_user(request)


InWorkbench = Annotated[Workbench, Depends(get_workbench)]
OnWorkers = Annotated[Workers, Depends(get_workers)]
User = Annotated[str, Depends(get_user)]
IsOwner = Annotated[bool, Depends(get_ownership)]
