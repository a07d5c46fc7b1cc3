"""Read the documents of a case one by one, and know when to stop."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from antecede.address import is_address
from antecede.cli import options
from antecede.cli.bundles import DisplayOptions, SearchOptions, Settings, TableOptions, verb
from antecede.cli.inputs import require_folder
from antecede.cli.output import progress, show_json, show_note, show_tables, show_text
from antecede.cli.outputs import Input, Output
from antecede.cli.review_loop import (
    DocumentTexts,
    ask_marks,
    current_user,
    describe_counts,
    parse_claims,
    parse_relevance,
)
from antecede.errors import UsageError, shown
from antecede.ranges import COUNT, DOCUMENTS, RELEVANCE
from antecede.registry import split_list
from antecede.tables import Table

if TYPE_CHECKING:
    from antecede.review.reading import Feedback


def _find_source(given: str) -> str:
    """An index, a run, or, for a hit list or references, the index of their own."""
    if not Path(given).is_file():
        return given
    from antecede.corpus import Collection
    from antecede.index.workspace import is_export, open_workspace

    return str(open_workspace(Collection(given, on_note=show_note)).index) if is_export(given) else given


@verb(
    "antecede review start clefip.index EP1234567 --out case1.sqlite",
    'antecede review start clefip.index --text "mesh network of battery powered sensors" --out case2.sqlite',
    "antecede review start a.run EP1234567 --out case3.sqlite",
    "antecede review start a.run EP1234567 --index clefip.index --out case4.sqlite --random-sample 5 --json",
)
def start(
    *,
    source: Annotated[
        str,
        typer.Argument(metavar="INDEX|RUN", help="An index to search, a hit list or references, or a run."),
        Input(),
    ],
    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="[TOPIC]", help="With an index, a patent by its number or file; with a run, one of its topics."
        ),
        Input(),
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="The file to which the case is added."), Output(folder=True)
    ],
    text: Annotated[
        str | None,
        typer.Option(metavar="WORDS", help="The subject in words: in place of TOPIC, or besides the topic of a run."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="With --text: the name of the topic.", show_default="the first words of the text"
        ),
    ] = None,
    index: Annotated[
        str | None,
        typer.Option(metavar="INDEX", help="With a run: an index of its documents, for texts and active learning."),
        Input(),
    ] = None,
    titles: Annotated[
        str | None,
        typer.Option(metavar="FILE.csv", help="With a run: a table of ids and titles, if there is no index."),
        Input(),
    ] = None,
    feedback: Annotated[
        Literal["active", "static"] | None,
        typer.Option(
            help="Rank unread documents again by active learning, or keep the first ranking.",
            show_default="that of the calibration, or active with an index",
        ),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(
            **DOCUMENTS.bounds, help="The maximum number of documents.", show_default="10,000 of an index, all of a run"
        ),
    ] = None,
    random_sample: Annotated[int, typer.Option(min=0, help="The size of a random sample that is read first.")] = 0,
    maybe: Annotated[
        Literal["relevant", "irrelevant"], typer.Option(help="What a mark of maybe counts as.")
    ] = "irrelevant",
    calibration: Annotated[
        str | None,
        typer.Option(metavar="FILE.json", help="A file of review calibrate, to estimate and stop by."),
        Input(),
    ] = None,
    seed: options.Seed = 0,
    settings: Annotated[Settings, SearchOptions(without=("k", "relevant", "irrelevant"))],
    json: options.Json = False,
) -> None:
    """Start a case: rank the documents that can be read, and make the file that everything about it is saved in."""
    from antecede.review.search_history import DEPTH
    from antecede.review.sources import start_review, start_review_of_run
    from antecede.review.status import review_status

    how: dict[str, Any] = {
        "audit": random_sample,
        "maybe": maybe == "relevant",
        "seed": seed,
        "calibration": calibration,
        "feedback": feedback,
    }
    source = _find_source(source)
    if is_address(source) or Path(source).is_dir():
        from antecede.engine import open_index
        from antecede.search.engine import find_topic

        if (topic is None) == (text is None):
            raise UsageError("say what is sought: either a patent, or --text")
        if name is not None and text is None:
            raise UsageError("--name is the name of a --text; a patent has one already")
        if index is not None or titles is not None:
            raise UsageError("--index and --titles belong to a run; the documents of an index are its own")
        opened = open_index(source)
        sought = text if text is not None else find_topic(opened, topic or "-", on_note=show_note)
        made = start_review(out, opened, sought, settings, topic_id=name, depth=depth or DEPTH, **how)
    else:
        if topic is None:
            raise UsageError("name the topic of the run that is reviewed")
        if name is not None:
            raise UsageError("--name is the name of a --text; a topic of a run has one already")
        made = start_review_of_run(
            out,
            source,
            topic,
            index=index,
            titles=titles,
            text=text or "",
            depth=depth,
            **how,
        )
    with made as review:
        status = review_status(review)
    if json:
        show_json({**status.to_dict(), "file": str(out), "id": review.case.id})
        return
    show_tables(status.tables()[:1], "text")
    if calibration is not None and feedback is None:
        show_note(f"read with feedback {review.plan.feedback}, as the calibration was made; --feedback chooses another")
    chosen = f" --case {review.case.id}" if len(review.store.cases()) > 1 else ""
    show_text(f"next: antecede review next {out}{chosen}")


@verb(
    "antecede review next case1.sqlite",
    "antecede review next case1.sqlite -n 10",
)
def next_(
    *,
    cases: options.CaseFile,
    case: options.ChosenCase = None,
    number: Annotated[
        int | None, typer.Option("-n", "--number", **COUNT.bounds, help="Show the next N documents and ask nothing.")
    ] = None,
    passages: Annotated[int, typer.Option(min=0, max=100, help="The number of passages shown.")] = 3,
    index: options.GivenIndex = None,
    user: options.User = None,
    json: options.Json = False,
) -> None:
    """Show the next document with its best passages, and ask: r relevant, m maybe, n not relevant.

    Answers are read from standard input, one per line; a note may follow the letter. s postpones a document, b goes
    back to the last one, q or the end of the input ends. Every answer is saved at once.
    """
    from antecede.review.case import Review

    with Review.open(cases, case, index=index) as opened:
        if number is None and not json:
            ask_marks(opened, passages, user)
            return
        texts, documents = DocumentTexts(opened, passages), opened.next(number or 1)
        if json:
            described = [texts.describe(document) for document in documents]
            show_json({"topic_id": opened.plan.topic_id, "unread": opened.unread, "documents": described})
            return
        for document in documents:
            texts.show(document)
        if not documents:
            show_text(f"all {len(opened.doc_ids)} documents are read")


@verb(
    "antecede review mark case1.sqlite EP1111111 relevant --category X --claims 1,3-5 --note 'figure 2'",
    "antecede review mark case1.sqlite EP1111111 n",
    "antecede review mark case1.sqlite --from qrels.txt",
)
def mark(
    *,
    cases: options.CaseFile,
    case: options.ChosenCase = None,
    doc_id: Annotated[str | None, typer.Argument(metavar="[DOC_ID]", help="The document.")] = None,
    relevance: Annotated[
        str | None, typer.Argument(metavar="[relevant|maybe|not]", help="The mark; r, m and n will do.")
    ] = None,
    grade: Annotated[
        int | None,
        typer.Option(**RELEVANCE.bounds, help="A grade: 1 or more if relevant or maybe, otherwise 0 or less."),
    ] = None,
    category: Annotated[
        str | None, typer.Option(metavar="X|Y|A|…", help="The category of a search report: X, or X,P.")
    ] = None,
    claims: Annotated[str | None, typer.Option(metavar="1,3-5", help="The claims concerned.")] = None,
    note: Annotated[str, typer.Option(metavar="WORDS", help="A note.")] = "",
    user: options.User = None,
    from_: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="FILE", help="Take the marks from a file: JSON lines or qrels; - for standard input."
        ),
        Input(),
    ] = None,
    json: options.Json = False,
) -> None:
    """Mark a document of a case, or all documents of a file. A later mark replaces an earlier one; both are kept."""
    from antecede.review.case import Review
    from antecede.review.marks import Mark, current_time
    from antecede.review.sources import read_foreign_marks

    if (from_ is None) == (doc_id is None):
        raise UsageError("say what to mark: a document and its relevance, or --from FILE")
    if doc_id is not None and relevance is None:
        raise UsageError("say what the document is: relevant, maybe or not")
    with Review.open(cases, case) as opened:
        if from_ is not None:
            marks = [
                replace(mark, doc_id=opened.find_document(mark.doc_id), user=mark.user if user is None else user)
                for mark in read_foreign_marks(from_, opened.plan.topic_id)
            ]
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
        replaced = opened.add(marks)
        counts, words = opened.marks.counts, describe_counts(opened)
    changed = [
        (before, after)
        for before, after in zip(replaced, marks, strict=True)
        if before is not None and before.relevance != after.relevance
    ]
    if json:
        contradicted = [before.to_dict() for before, _ in changed]
        saved = [mark.to_dict() for mark in marks]
        show_json({"saved": saved, "contradicts": contradicted, "read": sum(counts.values()), **counts})
        return
    for before, after in changed:
        show_note(f"{after.doc_id} was marked {before.relevance} before; the later mark holds")
    what = str(marks[0]) if len(marks) == 1 else f"{len(marks)} marks"
    show_text(f"saved: {what}; {words}")


@verb(
    "antecede review status case1.sqlite",
    "antecede review status case1.sqlite --qrels case1.qrels --figure case1.svg",
    "antecede review status case1.sqlite --estimator poisson --json",
)
def status(
    *,
    cases: options.CaseFile,
    case: options.ChosenCase = None,
    estimator: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ESTIMATOR", help="An estimator; may be repeated.", show_default="the best that can be trusted here"
        ),
    ] = None,
    qrels: Annotated[Path | None, typer.Option(metavar="FILE.txt", help="Write the marks as qrels."), Output()] = None,
    showing: DisplayOptions,
) -> None:
    """Show how far a case is: what is read and found, and how many relevant documents there may be."""
    from antecede.review.case import Review
    from antecede.review.estimators import parse_estimator
    from antecede.review.status import review_status

    chosen = [parse_estimator(name) for name in estimator or ()] or None
    with Review.open(cases, case) as opened:
        result = review_status(opened, chosen)
        if qrels is not None:
            opened.marks.write_qrels(qrels, maybe=opened.plan.maybe)
    showing.show(result, *result.tables())


@verb(
    "antecede review stop case1.sqlite",
    "antecede review stop case1.sqlite --rule knee --rule 'misses(n=50)' --target 0.8 --json",
)
def stop(
    *,
    cases: options.CaseFile,
    case: options.ChosenCase = None,
    rule: options.Rules = None,
    target: options.Target = 0.95,
    showing: TableOptions,
) -> None:
    """Ask stopping rules whether to stop reading: exit code 0 to stop, 1 to go on; of several rules, all must agree."""
    from antecede.review.case import Review
    from antecede.review.status import decide_stop, shorten_paths

    with Review.open(cases, case) as opened:
        decisions = decide_stop(opened, rule or (), target)
        counts, words = opened.marks.counts, describe_counts(opened)
    agreed = all(decision.stop for decision in decisions.values())
    rules = {name: decision._asdict() for name, decision in decisions.items()}
    answers = {True: "stop", False: "go on"}
    rows = tuple(
        (shorten_paths(name), answers[decision.stop], decision.more, decision.reason)
        for name, decision in decisions.items()
    )
    note = f"{words}; target: {100 * target:g} % recall"
    more = "more: about how many documents are to be read before the rule stops; empty where nobody can say"
    records = [f"{shorten_paths(name)} {decision.record}" for name, decision in decisions.items() if decision.record]
    showing.show(
        {"stop": agreed, "target": target, "read": sum(counts.values()), **counts, "rules": rules},
        Table(("rule", "decision", "more", "because"), rows, notes=(note, more, *records)),
    )
    if showing.format_ == "text" and not showing.json:
        chosen = f" --case {case}" if case is not None else ""
        then = f"status {cases}{chosen} --qrels FILE.txt" if agreed else f"next {cases}{chosen}"
        show_text(f"next: antecede review {then}")
    if not agreed:
        raise typer.Exit(1)


@verb(
    "antecede review calibrate clefip.index --out clefip.calibration.json",
    "antecede review calibrate qrels.txt a.run --out a.calibration.json --figure reliability.svg",
    "antecede review calibrate qrels.txt a.run --out a.calibration.json --rules-figure rules.svg",
    "antecede review calibrate qrels.txt a.run --out a.calibration.json --estimates-figure estimates.svg",
)
def calibrate(
    *,
    source: Annotated[str, typer.Argument(metavar="INDEX|QRELS", help="An index; or judgements, for a run."), Input()],
    topics: Annotated[
        str | None,
        typer.Argument(
            metavar="[TOPICS|RUN]",
            help="With an index: patents with known answers, as for run. Default: patents of the index that cite "
            "others of it. With judgements: the run.",
        ),
        Input(),
    ] = None,
    qrels: Annotated[
        str | None, typer.Argument(metavar="[QRELS]", help="Which documents are relevant to the topics."), Input()
    ] = None,
    out: Annotated[Path, typer.Option(metavar="FILE.json", help="The file of the calibration."), Output()],
    target: options.Target = 0.95,
    feedback: Annotated[str, typer.Option(metavar="static|one-shot|active", help="The kind of feedback.")] = "static",
    citations: options.Citations = "fields",
    most: options.MostTopics = 300,
    rel: options.LowestRel = 1,
    compare: Annotated[
        bool, typer.Option("--compare", help="Also show every published rule and estimator (slow).")
    ] = False,
    rules_figure: Annotated[
        Path | None,
        typer.Option(metavar="FILE.svg|png|pdf", help="Draw the reliability of all rules against their cost."),
        Output(figure=True),
    ] = None,
    estimates_figure: Annotated[
        Path | None,
        typer.Option(metavar="FILE.svg|png|pdf", help="Draw the estimates of all estimators against the truth."),
        Output(figure=True),
    ] = None,
    seed: options.Seed = 0,
    settings: Annotated[Settings, SearchOptions(without=("k", "relevant", "irrelevant"))],
    showing: DisplayOptions,
    quiet: options.Quiet = False,
) -> None:
    """Learn from topics with known answers how much is left after reading so far, and when stopping is safe.

    The rule and the estimator `calibrated(file=FILE.json)` use the result. The tables report on each half of the
    topics, split by date, with a calibration on the other half. Recall is that of the documents that can be read.
    """
    from antecede.review.assessment import calibrate as make_calibration
    from antecede.review.calibration import write_calibration
    from antecede.review.judged_topics import calibration_readings

    require_folder(source, "review calibrate")
    with progress("reading topics", quiet=quiet) as report:
        judged, method = calibration_readings(
            source, topics, qrels, settings, feedback=feedback, citations=citations, most=most, rel=rel,
            seed=seed, progress=report,
        )  # fmt: skip
    with progress("simulating rules", quiet=quiet) as report:
        made = make_calibration(
            judged.readings,
            method=method,
            target=target,
            dropped=dict(judged.dropped),
            compare=compare or rules_figure is not None or estimates_figure is not None,
            progress=report,
        )
    write_calibration(made.calibration, out)
    if rules_figure is not None and made.rules is not None:
        made.rules.plot(rules_figure)
    if estimates_figure is not None and made.estimators is not None:
        made.estimators.plot(estimates_figure)
    showing.show(made, *made.tables())


@verb(
    "antecede review simulate labelled.csv --seeds 3",
    "antecede review simulate labelled.csv other.csv --prior 1,1 --figure screening.svg",
    "antecede review simulate qrels.txt a.run --rule knee --rule 'misses(n=50)' --figure recall.svg",
    "antecede review simulate qrels.txt --index clefip.index --feedback static,one-shot,active --fewest 3",
)
def simulate(
    *,
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="LABELLED.csv…|QRELS [RUN]",
            help="Finished screenings, with titles, abstracts and decisions; or judgements and the ranking to read, "
            "without which the index is searched.",
        ),
        Input(),
    ],
    prior: Annotated[
        str | None,
        typer.Option(
            metavar="R,N",
            help="Of a screening, how many relevant and other records are known at the start.",
            show_default="1,1",
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=10_000,
            help="Of a screening, how often it is repeated with other known records.",
            show_default="5",
        ),
    ] = None,
    index: Annotated[
        str | None,
        typer.Option(metavar="INDEX", help="An index of the documents, to search and for feedback."),
        Input(),
    ] = None,
    topics: Annotated[
        str | None,
        typer.Option(
            metavar="TOPICS", help="What to search the index for, as for run.", show_default="the topics of the qrels"
        ),
        Input(),
    ] = None,
    feedback: Annotated[
        list[str] | None,
        typer.Option(
            metavar="static|one-shot|active",
            help="The kinds of feedback; all are compared with the first.",
            show_default="static, and active with an index",
        ),
    ] = None,
    rule: options.Rules = None,
    target: options.Target = 0.95,
    rel: options.LowestRel = 1,
    fewest: options.Fewest = 1,
    seed: options.Seed = 0,
    settings: Annotated[Settings, SearchOptions(without=("k", "relevant", "irrelevant"))],
    showing: DisplayOptions,
    quiet: options.Quiet = False,
) -> None:
    """Read finished screenings or judged topics as a reviewer would, and show what stopping rules would have done."""
    from antecede.review.labelled_records import is_labelled

    if index is not None:
        require_folder(index, "review simulate")
    if is_labelled(sources[0]):
        if index is not None or topics is not None or feedback:
            raise UsageError(
                "labelled records are read by active learning; --index, --topics and --feedback are of qrels"
            )
        _simulate_screening(sources, parse_known(prior or "1,1"), seeds or 5, rule, target, showing, quiet=quiet)
        return
    if prior is not None or seeds is not None:
        raise UsageError(f"--prior and --seeds are of labelled records, and {sources[0]} is no table of them")
    if len(sources) > 2:
        raise UsageError("give judgements and one run, or labelled records alone")
    qrels, run = sources[0], sources[1] if len(sources) == 2 else None
    from antecede.review.judged_topics import topics_from_index, topics_from_run
    from antecede.review.reading import ACTIVE, STATIC
    from antecede.review.simulation import simulate_reviews
    from antecede.review.stopping import parse_rule

    chosen = [name for words in feedback or () for name in split_list(words)]
    chosen = chosen or [STATIC, *([ACTIVE] if index is not None else [])]
    rules = [parse_rule(text) for text in rule or ()]
    opened = None
    if index is not None:
        from antecede.engine import open_index

        opened = open_index(index)
    if run is not None:
        if topics is not None:
            raise UsageError("--topics are searched for; leave them out where a run is read")
        judged = topics_from_run(run, qrels, rel=rel, fewest=fewest, index=opened, seed=seed)
        name = run
    elif opened is not None:
        from antecede.search.topics import read_topics

        with progress("reading topics", quiet=quiet) as report:
            wanted = read_topics(opened, topics or qrels, progress=report)
        judged = topics_from_index(
            opened, wanted, qrels, settings, rel=rel, fewest=fewest, seed=seed, vectors=ACTIVE in chosen
        )
        name = f"search of {opened.name} ({settings.name})"
    else:
        raise UsageError("say what is read: a run, or --index")
    with progress("reading", quiet=quiet) as report:
        result = simulate_reviews(
            judged,
            ranking=name,
            feedback=cast("list[Feedback]", chosen),
            rules=rules,
            target=target,
            seed=seed,
            progress=report,
        )
    showing.show(result, *result.tables())


def parse_known(text: str) -> tuple[int, int]:
    """The numbers of known records that `1,1` denotes."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) < 8 for part in parts):
        raise UsageError(f"--prior {shown(text)!r} is not two numbers, relevant and other records, as in 1,1")
    return int(parts[0]), int(parts[1])


def _simulate_screening(
    sources: list[str],
    known: tuple[int, int],
    seeds: int,
    rules: list[str] | None,
    target: float,
    showing: DisplayOptions,
    *,
    quiet: bool,
) -> None:
    """Screen labelled records again, and show the figures."""
    from antecede.review.screening import SCREENING_RULES, simulate_screening

    with progress("screening", quiet=quiet) as report:
        result = simulate_screening(
            *sources, known=known, seeds=seeds, rules=rules or SCREENING_RULES, target=target, progress=report
        )
    showing.show(result, *result.tables())
