"""antecede review simulate"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import DisplayOptions, SearchOptions, Settings, verb
from antecede.cli.outputs import Input
from antecede.cli.review_loop import Rules, Target
from antecede.ranges import COUNT, RELEVANCE


@verb(
    "antecede review simulate qrels.txt a.run --rule knee --rule 'misses(n=50)' --figure recall.svg",
    "antecede review simulate qrels.txt --index clefip.index --feedback static,one-shot,active --fewest 3",
)
def simulate(
    *,
    qrels: options.Qrels,
    run: Annotated[
        str | None,
        typer.Argument(
            metavar="[RUN]",
            help="The ranking that is read; without one, the topics are searched for in the index.",
            show_default=False,
        ),
        Input(),
    ] = None,
    index: Annotated[
        str | None,
        typer.Option(metavar="INDEX", help="An index with the documents, to search in and for feedback."),
        Input(),
    ] = None,
    topics: Annotated[
        str | None,
        typer.Option(
            metavar="TOPICS",
            help="What is searched for in the index, in the forms of antecede run.",
            show_default="the topics of the qrels, by number",
        ),
        Input(),
    ] = None,
    feedback: Annotated[
        list[str] | None,
        typer.Option(
            metavar="static|one-shot|active",
            help="How the order changes with what is found; may be repeated, or comma-separated. The others are "
            "compared with the first.",
            show_default="static, and active with an index",
        ),
    ] = None,
    rule: Rules = None,
    target: Target = 0.95,
    rel: Annotated[int, typer.Option(**RELEVANCE.bounds, help="The lowest relevance that counts as relevant.")] = 1,
    fewest: Annotated[int, typer.Option(**COUNT.bounds, help="Leave topics with fewer relevant documents out.")] = 1,
    seed: options.Seed = 0,
    settings: Annotated[Settings, SearchOptions(without=("k", "relevant", "irrelevant"))],
    showing: DisplayOptions,
    quiet: options.Quiet = False,
) -> None:
    """Read judged topics as a reviewer would, and show how much is read with each feedback and stopping rule.

    Documents read until 80, 95 and 100 % recall, with paired tests; and for each rule what is read and found where it
    stops, its reliability and its cost.
    """
    from antecede.cli.output import progress
    from antecede.errors import UsageError
    from antecede.registry import split_list
    from antecede.review.batches import LearningSettings
    from antecede.review.feedback import ACTIVE, STATIC
    from antecede.review.judged_topics import topics_from_index, topics_from_run
    from antecede.review.simulation import simulate_reviews
    from antecede.review.stopping import parse_rule

    showing.check()
    chosen = [name for each in feedback or () for name in split_list(each)]
    chosen = chosen or [STATIC, *([ACTIVE] if index is not None else [])]
    rules = [parse_rule(each) for each in rule or ()]
    learning = LearningSettings(seed=seed)
    opened = None
    if index is not None:
        from antecede.cli.indexing import require_folder
        from antecede.engine import open_index

        require_folder(str(index), "review simulate")
        opened = open_index(index)
    if run is not None:
        if topics is not None:
            raise UsageError("--topics are searched for; leave them out where a run is read")
        judged = topics_from_run(run, qrels, rel=rel, fewest=fewest, index=opened, learning=learning)
        name = run
    elif opened is not None:
        from antecede.search.topics import read_topics

        with progress("reading topics", quiet=quiet) as report:
            wanted = read_topics(opened, topics or qrels, progress=report)
        judged = topics_from_index(
            opened, wanted, qrels, settings, rel=rel, fewest=fewest, learning=learning, vectors=ACTIVE in chosen
        )
        name = f"search of {opened.folder.name} ({settings.name})"
    else:
        raise UsageError("say what is read: a run, or --index")
    with progress("reading", quiet=quiet) as report:
        found = simulate_reviews(
            judged,
            ranking=name,
            feedback=chosen,
            rules=rules,
            target=target,
            seed=seed,
            progress=report,
        )
    showing.show(found, *found.tables())
