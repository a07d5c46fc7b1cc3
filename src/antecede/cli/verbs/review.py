"""Read the documents of a case one by one, and know when to stop."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from antecede.address import is_address
from antecede.cli import options
from antecede.cli.bundles import DisplayOptions, SearchOptions, Settings, TableOptions, verb
from antecede.cli.calls import Call, Derived
from antecede.cli.inputs import require_folder
from antecede.cli.options import argument, option
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
from antecede.cli.verbs.screening import (
    Beginning,
    begin_screening,
    is_screening,
    progress_table,
    put_vote,
    screening_of,
    show_next,
)
from antecede.errors import UsageError
from antecede.ranges import COUNT, RELEVANCE
from antecede.tables import Table

if TYPE_CHECKING:
    from antecede.review.assessment import CalibrationReport
    from antecede.review.case import Review
    from antecede.review.marks import Mark

SOURCES = "antecede.review.sources"


def _find_source(given: str) -> str:
    """An index, a run, or, for a hit list or references, the index of their own."""
    if not Path(given).is_file():
        return given
    from antecede.corpus import Collection
    from antecede.index.workspace import is_export, open_workspace

    return str(open_workspace(Collection(given, on_note=show_note)).index) if is_export(given) else given


@verb(
    "antecede review start references.ris",
    "antecede review start embase.ris pubmed.nbib --name knee --team ann,ben --prior W2104,W3007",
    "antecede review start clefip.index EP1234567 --out case1.sqlite",
    'antecede review start clefip.index --text "mesh network of battery powered sensors" --out case2.sqlite',
    "antecede review start a.run EP1234567 --out case3.sqlite",
    "antecede review start a.run EP1234567 --index clefip.index --out case4.sqlite --random-sample 5 --json",
)
def start(
    *,
    source: Annotated[
        str,
        typer.Argument(
            metavar="REFERENCES|INDEX|RUN",
            help="Exports of references that are screened; or an index to search, or a run.",
        ),
        Input(),
    ],
    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="[TOPIC]", help="With an index, a patent by its number or file; with a run, one of its topics."
        ),
        Input(),
    ] = None,
    more: Annotated[
        list[str] | None, typer.Argument(metavar="[REFERENCES...]", help="Further exports of references."), Input()
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The file to which the case is added.",
            show_default="of references, a new file with the name of the first",
        ),
        Output(folder=True),
    ] = None,
    screened: Beginning,
    call: Annotated[Call, Derived(f"{SOURCES}:start_review", also=(f"{SOURCES}:start_review_of_run",))],
    settings: Annotated[Settings, SearchOptions(without=("k", "relevant", "irrelevant"))],
    json: options.Json = False,
) -> None:
    """Start a case: the screening of references, or the documents that a search or a run ranks.

    Exports of references (RIS, PubMed, Web of Science, EndNote, CSV, XLSX) need no index, topic or text: duplicates are
    merged and counted, decisions in the files are known from the start, and the order is learned from decisions.
    """
    from antecede.review.sources import start_review, start_review_of_run
    from antecede.review.status import review_status

    files = [source, *filter(None, [topic]), *(more or ())]
    if not {"text", "index"} & {*call.given} and is_screening(files):
        begin_screening(files, out, screened, call.given.get("topic_id"), call.value("seed"), json=json)
        return
    out = screened.refuse(out, more)
    source = _find_source(source)
    text, name = call.given.get("text"), call.given.get("topic_id")
    if is_address(source) or Path(source).is_dir():
        from antecede.engine import open_index
        from antecede.search.engine import find_topic

        if (topic is None) == (text is None):
            raise UsageError("say what is sought: either a patent, or --text")
        if name is not None and text is None:
            raise UsageError("--name is the name of a --text; a patent has one already")
        if {"index", "titles"} & {*call.given}:
            raise UsageError("--index and --titles belong to a run; the documents of an index are its own")
        opened = open_index(source)
        sought = text if text is not None else find_topic(opened, topic or "-", on_note=show_note)
        made = call.run(start_review, path=out, index=opened, topic=sought, settings=settings)
    else:
        if topic is None:
            raise UsageError("name the topic of the run that is reviewed")
        if name is not None:
            raise UsageError("--name is the name of a --text; a topic of a run has one already")
        made = call.run(start_review_of_run, path=out, run=source, topic_id=topic)
    with made as review:
        status = review_status(review)
    if json:
        show_json({**status.to_dict(), "file": str(out), "id": review.case.id})
        return
    show_tables(status.tables()[:1], "text")
    if "calibration" in call.given and "feedback" not in call.given:
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
    stage: options.Stage = "abstract",
    index: options.GivenIndex = None,
    user: options.User = None,
    json: options.Json = False,
) -> None:
    """Show the next document with its best passages, and ask: r relevant, m maybe, n not relevant.

    Answers are read from standard input, one per line; a note may follow the letter. s postpones a document, b goes
    back to the last one, q or the end of the input ends. Every answer is saved at once.

    Of a screening, title, authors, journal, year and the whole abstract are shown with learnt words marked; on a
    terminal one key decides: r include, m maybe, n exclude, or the number of a reason for exclusion.
    """
    from antecede.review.case import Review

    with Review.open(cases, case, index=index) as opened:
        if opened.plan.protocol is not None:
            show_next(screening_of(opened, user), stage, number, json=json)
            return
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


@dataclass(frozen=True)
class GivenMark:
    """A mark, as it is given in the shell."""

    doc_id: Annotated[str | None, argument("[DOC_ID]", "The document.")] = None
    relevance: Annotated[str | None, argument("[relevant|maybe|not]", "The mark; r, m and n will do.")] = None
    grade: Annotated[
        int | None, option("A grade: 1 or more if relevant or maybe, otherwise 0 or less.", within=RELEVANCE)
    ] = None
    category: Annotated[str | None, option("The category of a search report: X, or X,P.", metavar="X|Y|A|…")] = None
    claims: Annotated[str | None, option("The claims concerned.", metavar="1,3-5")] = None
    note: Annotated[str, option("A note.", metavar="WORDS")] = ""
    reason: Annotated[str, option("Of a screening, why it is excluded: a reason, or its number.", metavar="REASON")] = (
        ""
    )
    stage: options.Stage = "abstract"
    user: options.User = None

    def make(self, review: Review) -> Mark:
        """The mark of a document of a case."""
        from antecede.review.marks import Mark, current_time

        doc_id, relevance = review.find_document(self.doc_id or ""), parse_relevance(self.relevance or "")
        user = current_user(self.user)
        return Mark(
            *(doc_id, relevance, self.grade, self.category, parse_claims(self.claims), self.note),
            user=user,
            time=current_time(),
        )


@verb(
    "antecede review mark case1.sqlite EP1111111 relevant --category X --claims 1,3-5 --note 'figure 2'",
    "antecede review mark case1.sqlite EP1111111 n",
    "antecede review mark case1.sqlite --from qrels.txt",
)
def mark(
    *,
    cases: options.CaseFile,
    case: options.ChosenCase = None,
    given: GivenMark,
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
    from antecede.review.sources import read_foreign_marks

    if (from_ is None) == (given.doc_id is None):
        raise UsageError("say what to mark: a document and its relevance, or --from FILE")
    if given.doc_id is not None and given.relevance is None:
        raise UsageError("say what the document is: relevant, maybe or not")
    with Review.open(cases, case) as opened:
        if opened.plan.protocol is not None:
            if given.doc_id is None or any(own is not None for own in (given.grade, given.category, given.claims)):
                raise UsageError("a record of a screening is decided on alone: RECORD include, exclude or maybe")
            screening = screening_of(opened, given.user)
            verdict = given.relevance or ""
            put_vote(screening, given.doc_id, verdict, given.stage, given.reason, given.note, json=json)
            return
        if given.reason:
            raise UsageError("--reason is of a screening, and this case is none")
        if from_ is not None:
            user, foreign = given.user, read_foreign_marks(from_, opened.plan.topic_id)
            own = foreign if user is None else [replace(mark, user=user) for mark in foreign]
            marks = [replace(mark, doc_id=opened.find_document(mark.doc_id)) for mark in own]
        else:
            marks = [given.make(opened)]
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
    call: Annotated[Call, Derived("antecede.review.status:review_status")],
    qrels: Annotated[Path | None, typer.Option(metavar="FILE.txt", help="Write the marks as qrels."), Output()] = None,
    showing: DisplayOptions,
) -> None:
    """Show how far a case is: what is read and found, and how many relevant documents there may be."""
    from antecede.review.case import Review

    with Review.open(cases, case) as opened:
        result = call.run(review=opened)
        if qrels is not None:
            opened.marks.write_qrels(qrels, maybe=opened.plan.maybe)
        stages = [progress_table(screening_of(opened, None))] if opened.plan.protocol is not None else []
    showing.show(result, *result.tables(), *stages)


@verb(
    "antecede review stop case1.sqlite",
    "antecede review stop case1.sqlite --rule knee --rule 'misses(n=50)' --target 0.8 --json",
)
def stop(
    *,
    cases: options.CaseFile,
    case: options.ChosenCase = None,
    call: Annotated[Call, Derived("antecede.review.status:decide_stop")],
    showing: TableOptions,
) -> None:
    """Ask stopping rules whether to stop reading: exit code 0 to stop, 1 to go on; of several rules, all must agree."""
    from antecede.review.case import Review
    from antecede.review.status import shorten_paths

    target = call.value("target")
    with Review.open(cases, case) as opened:
        decisions = call.run(review=opened)
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


@dataclass(frozen=True)
class CalibrationFigures:
    """Figures of the published rules and estimators."""

    rules_figure: Annotated[
        Path | None,
        option(
            "Draw the reliability of all rules against their cost.",
            metavar="FILE.svg|png|pdf",
            path=Output(figure=True),
        ),
    ] = None
    estimates_figure: Annotated[
        Path | None,
        option(
            "Draw the estimates of all estimators against the truth.",
            metavar="FILE.svg|png|pdf",
            path=Output(figure=True),
        ),
    ] = None

    def draw(self, made: CalibrationReport) -> None:
        for path, result in ((self.rules_figure, made.rules), (self.estimates_figure, made.estimators)):
            if path is not None and result is not None:
                result.plot(path)


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
    call: Annotated[
        Call,
        Derived("antecede.review.assessment:calibrate", also=("antecede.review.judged_topics:calibration_readings",)),
    ],
    figures: CalibrationFigures,
    settings: Annotated[Settings, SearchOptions(without=("k", "relevant", "irrelevant"))],
    showing: DisplayOptions,
) -> None:
    """Learn from topics with known answers how much is left after reading so far, and when stopping is safe.

    The rule and the estimator `calibrated(file=FILE.json)` use the result. The tables report on each half of the
    topics, split by date, with a calibration on the other half. Recall is that of the documents that can be read.
    """
    from antecede.review.calibration import write_calibration
    from antecede.review.judged_topics import calibration_readings

    require_folder(source, "review calibrate")
    judged, method = call.run(calibration_readings, source=source, topics=topics, qrels=qrels, settings=settings)
    made = call.run(
        judged=judged.readings,
        method=method,
        dropped=dict(judged.dropped),
        compare=call.value("compare") or any(vars(figures).values()),
    )
    write_calibration(made.calibration, out)
    figures.draw(made)
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
    call: Annotated[
        Call,
        Derived(
            "antecede.review.simulation:simulate_reviews",
            also=("antecede.review.judged_topics:topics_from_run", "antecede.review.screening:simulate_screening"),
        ),
    ],
    settings: Annotated[Settings, SearchOptions(without=("k", "relevant", "irrelevant"))],
    showing: DisplayOptions,
) -> None:
    """Read finished screenings or judged topics as a reviewer would, and show what stopping rules would have done."""
    from antecede.review.labelled_records import is_labelled
    from antecede.review.screening import simulate_screening

    if index is not None:
        require_folder(index, "review simulate")
    if is_labelled(sources[0]):
        if index is not None or topics is not None or "feedback" in call.given:
            raise UsageError(
                "labelled records are read by active learning; --index, --topics and --feedback are of qrels"
            )
        with progress("screening", quiet=call.quiet) as report:
            result = simulate_screening(*sources, **call.of(simulate_screening), progress=report)
        showing.show(result, *result.tables())
        return
    if {"known", "seeds"} & {*call.given}:
        raise UsageError(f"--prior and --seeds are of labelled records, and {sources[0]} is no table of them")
    if len(sources) > 2:
        raise UsageError("give judgements and one run, or labelled records alone")
    qrels, run = sources[0], sources[1] if len(sources) == 2 else None
    from antecede.review.judged_topics import topics_from_index, topics_from_run
    from antecede.review.reading import ACTIVE, STATIC
    from antecede.review.stopping import parse_rule

    feedback = call.given.get("feedback") or [STATIC, *([ACTIVE] if index is not None else [])]
    rules = [parse_rule(text) for text in call.given.get("rules", ())]
    chosen, opened = call.of(topics_from_run), None
    if index is not None:
        from antecede.engine import open_index

        opened = open_index(index)
    if run is not None:
        if topics is not None:
            raise UsageError("--topics are searched for; leave them out where a run is read")
        judged = topics_from_run(run, qrels, index=opened, **chosen)
        name = run
    elif opened is not None:
        from antecede.search.topics import read_topics

        with progress("reading topics", quiet=call.quiet) as report:
            wanted = read_topics(opened, topics or qrels, progress=report)
        judged = topics_from_index(opened, wanted, qrels, settings, vectors=ACTIVE in feedback, **chosen)
        name = f"search of {opened.name} ({settings.name})"
    else:
        raise UsageError("say what is read: a run, or --index")
    result = call.run(topics=judged, ranking=name, feedback=feedback, rules=rules)
    showing.show(result, *result.tables())
