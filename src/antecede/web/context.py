"""What routes take from a request: the index and the store, the user, a case that the user may open, worker threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import Depends, Path, Request
from pydantic import BaseModel

from antecede.review.store import CaseRow
from antecede.web.workbench import Workbench
from antecede.web.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable

View = TypeVar("View", bound=BaseModel)


def get_workbench(request: Request) -> Workbench:
    """The index and the case store."""
    workbench: Workbench = request.app.state.workbench
    return workbench


def get_workers(request: Request) -> Workers:
    """The threads for searches."""
    workers: Workers = request.app.state.workers
    return workers


def get_user(request: Request) -> str:
    """The user; empty where there are no named users."""
    return request.state.user or ""


def get_owner(request: Request) -> str | None:
    """The user whose cases may be opened; None where there are no named users, and everybody may open all."""
    return get_user(request) if request.app.state.access.users is not None else None


InWorkbench = Annotated[Workbench, Depends(get_workbench)]
OnWorkers = Annotated[Workers, Depends(get_workers)]
User = Annotated[str, Depends(get_user)]
Owner = Annotated[str | None, Depends(get_owner)]


def get_case(
    workbench: InWorkbench,
    owner: Owner,
    case_id: Annotated[str, Path(max_length=64, description="The id of the case.")],
) -> CaseRow:
    """The case that an address names, if the user may open it."""
    return workbench.store.case(case_id, owner)


InCase = Annotated[CaseRow, Depends(get_case)]


@dataclass(frozen=True)
class CaseContext:
    """A request about a case, with everything that it takes to answer it."""

    request: Request
    case: InCase
    workbench: InWorkbench
    workers: OnWorkers
    user: User

    async def read(self, answer: type[View], view: Callable[..., dict[str, Any]], *given: Any) -> View:
        """The answer that a function of the workbench and the case gives, made by a thread for short work."""
        return await self.workers.read(self.request, lambda: answer(**view(self.workbench, self.case, *given)))

    async def search(self, answer: type[View], view: Callable[..., dict[str, Any]], *given: Any) -> View:
        """The same of work that may take as long as a search."""
        return await self.workers.search(self.request, lambda: answer(**view(self.workbench, self.case, *given)))


Here = Annotated[CaseContext, Depends()]
