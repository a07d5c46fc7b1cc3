"""antecede review mark"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.outputs import Input
from antecede.cli.review_loop import ReviewFolder, User
from antecede.ranges import RELEVANCE


@verb(
    "antecede review mark case1 EP1111111 relevant --category X --claims 1,3-5 --note 'figure 2'",
    "antecede review mark case1 EP1111111 n",
    "antecede review mark case1 --from qrels.txt",
)
def mark(
    *,
    review: ReviewFolder,
    doc_id: Annotated[str | None, typer.Argument(metavar="[DOC_ID]", help="The document.", show_default=False)] = None,
    relevance: Annotated[
        str | None,
        typer.Argument(metavar="[relevant|maybe|not]", help="What it is; r, m and n will do.", show_default=False),
    ] = None,
    grade: Annotated[
        int | None,
        typer.Option(
            **RELEVANCE.bounds, help="A graded relevance: 1 or more if relevant or maybe, otherwise 0 or less."
        ),
    ] = None,
    category: Annotated[
        str | None, typer.Option(metavar="X|Y|A|…", help="The category of a search report, as in X or X,P.")
    ] = None,
    claims: Annotated[
        str | None, typer.Option(metavar="1,3-5", help="The claims of the topic that the document concerns.")
    ] = None,
    note: Annotated[str, typer.Option(metavar="WORDS", help="A note.", show_default=False)] = "",
    user: User = None,
    from_: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="Take over the marks of a file instead: lines of JSON, or qrels; - for standard input.",
            show_default=False,
        ),
        Input(),
    ] = None,
    json: options.Json = False,
) -> None:
    """Mark a document of a review, or all documents of a file. A later mark replaces an earlier one; both are kept."""
    from dataclasses import replace

    from antecede.cli.output import show_json, show_text
    from antecede.cli.review_loop import current_user, parse_claims, parse_relevance
    from antecede.errors import UsageError
    from antecede.review.marks import Mark, current_time
    from antecede.review.session import Review
    from antecede.review.sources import read_foreign_marks

    if (from_ is None) == (doc_id is None):
        raise UsageError("say what to mark: a document and its relevance, or --from FILE")
    if doc_id is not None and relevance is None:
        raise UsageError("say what the document is: relevant, maybe or not")
    with Review.open(review) as opened:
        if from_ is not None:
            given = read_foreign_marks(from_, opened.plan.topic_id)
            marks = [replace(each, doc_id=opened.find_document(each.doc_id)) for each in given]
        else:
            made = Mark(
                opened.find_document(doc_id or ""),
                parse_relevance(relevance or ""),
                grade,
                category,
                parse_claims(claims),
                note,
                user=current_user(user),
                time=current_time(),
            )
            marks = [made]
        replaced = [opened.add(each) for each in marks]
        read, relevant = len(opened.marks.current), opened.reading().found
    changed = [
        (before, after)
        for before, after in zip(replaced, marks, strict=True)
        if before is not None and before.relevance != after.relevance
    ]
    if json:
        contradicted = [before.to_dict() for before, _ in changed]
        saved = [each.to_dict() for each in marks]
        show_json({"saved": saved, "contradicts": contradicted, "read": read, "relevant": relevant})
        return
    for before, after in changed:
        show_text(f"antecede: {after.doc_id} was marked {before.relevance} before; the later mark holds", error=True)
    what = str(marks[0]) if len(marks) == 1 else f"{len(marks)} marks"
    show_text(f"saved: {what}; {read} read, {relevant} relevant")
