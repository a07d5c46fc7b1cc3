"""The example case of the demonstration: a topic, one search, and the first documents marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.review.marks import Mark, current_time
from antecede.web.searches import store_search
from antecede.web.workbench import Workbench

if TYPE_CHECKING:
    from antecede.index import Index
    from antecede.review.store import CaseStore

NAME = "Example"


def add_example(index: Index, store: CaseStore, doc_id: str) -> None:
    """Add the example case to a store that has no case: the best documents that the topic cites are relevant."""
    if store.cases():
        return
    workbench = Workbench(index, store)
    patent = index.patent(doc_id)
    case = store.case(store.create(patent.to_dict(), name=f"{NAME}: {patent.doc_id}"))
    search = store_search(workbench, case, "")
    cited = {citation.number.key for citation in patent.citations}
    for rank, (found, _) in enumerate(search.ranking[:5], 1):
        header = workbench.header(found)
        number = index.patent(found).known_number
        relevant = number is not None and number.key in cited
        mark = Mark(
            found,
            "relevant" if relevant else "maybe" if rank == 1 else "not",
            category="A" if relevant else None,
            claims="1" if relevant else "",
            time=current_time(),
            search=search.number,
            rank=rank,
            title=header.title if header is not None else "",
        )
        store.put_marks(case.id, [mark])
