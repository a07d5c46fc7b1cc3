"""Searching an index: for one patent or text, for many topics, and by the page."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from antecede.address import is_address
from antecede.cli import options
from antecede.cli.bundles import Patents, SearchOptions, Settings, Source, TableOptions, verb
from antecede.cli.calls import Call, Derived
from antecede.cli.inputs import topics_to_search
from antecede.cli.options import argument, option
from antecede.cli.output import announced_compilation, progress, show_note, show_page, show_text
from antecede.cli.outputs import Input, Output, check_apart, check_file, make_folder, paths_of
from antecede.errors import AntecedeError, InputError, UsageError

if TYPE_CHECKING:
    from antecede.engine import Engine
    from antecede.patent import Patent
    from antecede.query import Query

PASSAGES = 3
READ_BY_A_PERSON = 100
"""The documents that `search` retrieves by default; everything else retrieves those of a run."""


@dataclass(frozen=True)
class Sought:
    """What is searched for."""

    patent: Annotated[
        str | None,
        argument(
            "[PATENT]",
            "The number of a patent of the index, a file of any format, the text, PDF or DOCX of an application, "
            "or - for standard input.",
            path=Input(),
        ),
    ] = None
    text: Annotated[str | None, option("Search with a text; - for standard input.", metavar="WORDS")] = None
    text_file: Annotated[
        str | None, option("Search with the text of a text, PDF or DOCX file.", metavar="FILE", path=Input())
    ] = None
    query: Annotated[
        str | None,
        option(
            "Search with weighted terms, as `query --json` prints them; - for standard input.",
            metavar="FILE.json",
            path=Input(),
        ),
    ] = None

    def check(self, settings: Settings) -> None:
        """Refuse several topics, and none where the settings do not say what to search for either."""
        given = sum(topic is not None for topic in vars(self).values())
        if given > 1 or (not given and settings.where is None):
            options = "either a patent, or --text, or --text-file, or --query, or --where"
            raise UsageError(f"say what to search for: {options}")

    def read(self, index: Engine, names: dict[str, str]) -> Patent | Query | str | None:
        from antecede.query import read_query
        from antecede.search.engine import find_topic

        if self.text == "-" or self.text_file is not None:
            from antecede.corpus.applications import read_text

            return read_text(self.text_file or "-", show_note)
        if self.query is not None:
            return read_query(self.query)
        return self.text if self.patent is None else find_topic(index, self.patent, names=names, on_note=show_note)


@verb(
    "antecede search clefip.index EP1234567",
    "antecede search clefip.index application.xml --ipc H04L --ipc H04W -k 20 --passages",
    "antecede search clefip.index EP1234567 --method lmipc --terms 40 --ipc-boost 0.3",
    "antecede search clefip.index EP1234567 --relevant EP1111111 --relevant US5000000 --irrelevant US5000001",
    'antecede search clefip.index --text "mesh network of battery powered sensors" --before 2005-01-01 --explain',
    "antecede search clefip.index application.pdf --fields claims",
    "antecede search clefip.index EP1234567 --claims --format xlsx > chart.xlsx",
    'antecede search clefip.index EP1234567 --after 1990-01-01 --applicant acme --must "mesh network" '
    "--must-not satellite",
    "antecede search clefip.index EP1234567 --where '(radar OR sonar) NEAR/5 antenna* NOT ti:satellite'",
    "antecede search clefip.index --where '\"live migration\" AND ipc:G06F AND pd:2005..2010' -k 20",
    "antecede search clefip.index --query edited.json --model 'lm_dirichlet(mu=1000)' --json",
)
def search(
    *,
    index: options.IndexFolder,
    sought: Sought,
    settings: Annotated[Settings, SearchOptions(defaults={"k": READ_BY_A_PERSON})],
    source: Source,
    call: Annotated[Call, Derived("antecede.search:search_index")],
    passages: bool = option("Show the best passages of each document.", False),
    showing: TableOptions,
) -> None:
    """Find prior art of a patent, or search with a text, with weighted terms, or with an expression alone.

    The patent itself and its family are never found, nor documents marked as --relevant or --irrelevant.
    """

    sought.check(settings)
    from antecede.engine import open_index
    from antecede.parallel import pause_garbage_collection
    from antecede.report.terminal_text import render_hits

    with pause_garbage_collection():  # loading numba makes many objects, and a single search frees few
        opened = open_index(index)
        topic = sought.read(opened, source.names)
        with announced_compilation(index):
            result = call.run(
                index=opened,
                topic=topic,
                settings=settings,
                passages=PASSAGES if passages else 0,
                bibliography=showing.json or showing.format_ != "text",
            )
    as_text = showing.format_ == "text" and not showing.json
    width = shutil.get_terminal_size((110, 24)).columns
    explained = as_text and (call.value("explain") or passages or call.value("claims"))
    # All is looked up before anything is said: what cannot be is one line of its own.
    page = render_hits(result, width=width, why=call.value("explain"), bold=sys.stdout.isatty()) if explained else ""
    table = None if explained else result.table(width if as_text else None)
    if showing.json or showing.format_.startswith("csv"):  # where a person would not see them
        for note in (*result.notes, *([] if showing.json else filter(None, [result.coverage.filter_note()]))):
            show_note(note)
    if table is None:
        show_page(page)
    else:
        showing.show(result, table)


@verb(
    "antecede run clefip.index topics.jsonl --method tfidf --out tfidf.run",
    "antecede run clefip.index topics.jsonl --method full,tfidf,lmipc --out runs/ --resume",
    "antecede run patents.index qrels.txt --out best.run.gz -k 100 --ipc-boost 0.3",
    "antecede run clefip.index topics/ --method tfidf --method lmipc --fusion rrf --out both.run",
)
def run(
    *,
    index: options.IndexFolder,
    topics: options.Topics,
    out: Path = option(
        "The file of the run; with several methods a folder.", ..., metavar="FILE.run|DIR", path=Output(folder=True)
    ),
    settings: Annotated[Settings, SearchOptions()],
    call: Annotated[Call, Derived("antecede.search.batch:run_topics")],
    overwrite: options.Overwrite = False,
    source: Source,
    showing: TableOptions,
) -> None:
    """Search for many topics: a run in TREC form, one for each query method.

    A topic that cannot be searched for is counted with its reason, the others continue, and the exit code is 1.
    """
    from antecede.engine import open_index
    from antecede.trec import read_run, write_run

    quiet, chosen = call.quiet, [settings]
    if settings.fusion is None:
        chosen = [replace(settings, method=(method,)) for method in settings.method]
    alone = len(chosen) == 1 and not out.is_dir()
    places = [out if alone else out / f"{search.name}.run" for search in chosen]
    if len({*places}) < len(places):
        raise UsageError("two of the methods would be written to one file; run them one by one")
    if len(places) > 1 and out.exists() and not out.is_dir():
        raise UsageError(f"{out}: is a file, and several runs need a folder; name another place")
    for place in places:
        _check_place(place, index, topics, overwrite=overwrite or call.value("resume"))
    opened = open_index(index)
    patents = topics_to_search(opened, topics, source.names, quiet=quiet)
    batches = []
    for search, place in zip(chosen, places, strict=True):
        if place.parent == out:
            make_folder(out)
        with announced_compilation(index, quiet=quiet), progress(f"searching, {search.name}", quiet=quiet) as report:
            keep = _partial_of(place)
            batch = call.run(index=opened, topics=patents, settings=search, keep=keep, progress=report)
        if not batch.rankings:
            why = next(iter(batch.failed), "there is no topic")
            raise UsageError(f"no topic found anything: {why}")
        write_run(read_run(batch.rankings, name=search.name), place)
        batches.append(batch)
    documents = [batch.to_dict() for batch in batches]
    failed = any(batch.failed for batch in batches)
    tables = [batch.table() for batch in batches]
    showing.show(documents if len(documents) > 1 else documents[0], *tables, quiet=quiet and not failed)
    if failed:
        raise typer.Exit(1)


def _partial_of(place: Path) -> Path:
    """Where the answers of a run are kept until it is complete."""
    return place.with_name(f"{place.name}.partial")


def _check_place(place: Path, *inputs: str, overwrite: bool) -> None:
    """Refuse to write a run over an input or another file; a folder that does not exist is made later."""
    for path in (place, _partial_of(place)):
        check_apart(path, paths_of([*inputs]))
    if place.parent.is_dir():
        check_file(place, overwrite=overwrite)
        remedy = "it is of an interrupted run, which --resume continues and --overwrite begins anew"
        check_file(_partial_of(place), overwrite=overwrite, remedy=remedy)


@verb(
    "antecede query clefip.index EP1234567",
    "antecede query clefip.index application.xml --method tfidf --terms 30 --fields claims",
    "antecede query clefip.index application.docx --fields claims",
)
def query(
    *,
    index: options.IndexFolder,
    patent: str = argument(
        "PATENT",
        "The number of a patent of the index, a file of any format, the text, PDF or DOCX of an application, "
        "or - for standard input.",
        path=Input(),
    ),
    settings: Annotated[
        Settings,
        SearchOptions(only=("method", "terms", "fields", "weights", "language", "translation", "dictionary", "before")),
    ],
    source: Source,
    showing: TableOptions,
) -> None:
    """Show the weighted terms that a patent is searched with, or those of their translation."""
    from antecede.engine import open_index
    from antecede.query.query import with_words
    from antecede.query.query_maker import query_table
    from antecede.query.topic import patent_text
    from antecede.search.engine import find_topic
    from antecede.search.pipeline import build_query

    if len(settings.method) > 1:
        raise UsageError("a query is made by one method; name one")
    opened = open_index(index)
    topic = find_topic(opened, patent, names=source.names, on_note=show_note)
    built = build_query(opened, topic, settings)
    query = with_words(opened, built.query, [patent_text(topic, built.query.language)])
    for note in built.notes:
        show_note(note)
    showing.show(query, query_table(replace(built, query=query)))


@verb(
    "antecede show EP-1000000-B1.xml",
    "antecede show ipg050104.zip US6836899 --whole",
    "antecede show patents.jsonl.gz US-7596572 --json",
    "antecede show clefip.index EP1000000",
)
def show(
    *,
    path: str = argument(
        "PATH",
        "A file, folder, archive or index; the text, PDF or DOCX of an application; - for standard input.",
        path=Input(),
    ),
    doc_id: str | None = argument("[DOC_ID]", "Which patent, where there are several.", None),
    whole: bool = option("Show the whole description.", False),
    language: list[str] | None = option("Only texts in this language; may be repeated."),
    source: Source,
    showing: TableOptions,
    quiet: options.Quiet = False,
) -> None:
    """Show one patent in a readable form: title, dates, classes, abstract, numbered claims, citations.

    The publications of a patent (A1, B1 …) are shown as one. If there are several patents and none is named, they are
    listed.
    """
    from antecede.corpus.collection import find_patent, read_patents, tabulate_patents
    from antecede.index.manifest import is_index
    from antecede.report.terminal_text import render_patent

    if path != "-" and not is_address(path) and not Path(path).exists():
        raise InputError("there is no such file, folder, archive or index", source=path, remedy="check the path")
    patent: Patent | list[Patent]
    if is_address(path) or is_index(Path(path)):
        if doc_id is None:
            raise UsageError(f"{path}: name one of the patents in this index; `antecede info` shows how many there are")
        from antecede.search import open_index

        patent = open_index(path).patent(doc_id)
    else:
        with progress("reading", quiet=quiet, megabytes=True) as report:
            collection = Patents(collections=[path], **vars(source), quiet=quiet).collection(report)
            if doc_id is not None:
                patent = find_patent(collection, doc_id)
            else:
                patent = read_patents(path, collection.names, collection.on_note, report)
    if isinstance(patent, list):
        showing.show([publication.to_dict() for publication in patent], tabulate_patents(patent))
    elif showing.json or showing.format_ != "text":
        showing.show(patent, tabulate_patents([patent]))
    else:
        width = min(shutil.get_terminal_size((100, 24)).columns, 110)
        show_page(render_patent(patent, width=width, whole=whole, languages=language))


@dataclass(frozen=True)
class Address:
    """Where the page is served, and what else the server may be called."""

    host: Annotated[str, option("The address to listen on.", metavar="ADDRESS")] = "127.0.0.1"
    port: options.Port = None
    open_: Annotated[bool, option("Open the page in a browser.")] = False
    allow_host: Annotated[list[str] | None, option("Another name of this server; may be repeated.", metavar="NAME")] = (
        None
    )


@verb(
    "antecede serve clefip.index",
    "antecede serve clefip.index --cases work.sqlite --open",
    "antecede serve opensearch://127.0.0.1:9200/clefip",
    "antecede serve clefip.index --host 0.0.0.0 --port 8000 --users users.json --allow-host search.example.org",
)
def serve(
    *,
    index: options.IndexFolder,
    cases: Path = option(
        "The file of the cases, created if it does not exist.",
        Path("antecede-cases.sqlite"),
        metavar="FILE",
        path=Input(),
    ),
    address: Address,
    users: Path | None = option("The users who may sign in, made by `review user`.", metavar="FILE", path=Input()),
    calibration: Path | None = option(
        "A file of review calibrate for this index, to estimate and advise by.",
        metavar="FILE",
        show_default="NAME.calibration.json beside NAME.index, if it is there",
        path=Input(),
    ),
    no_calibrate: bool = option(
        "Without a calibration, do not make one beside the index, in the background, from its own citations.", False
    ),
    log: bool = option("Report requests that fail or take a second or longer, one line each on standard error.", False),
) -> None:
    """Serve the searcher's page: open an application, edit the query, read, mark, and know how much was found."""
    from antecede.engine import open_index
    from antecede.web.access import is_loopback, keep_token, make_access
    from antecede.web.server import serve as run_server

    opened = open_index(index)
    calibration = choose_calibration(index, calibration)
    token = os.environ.get("ANTECEDE_TOKEN") or (keep_token() if users is None and is_loopback(address.host) else None)
    access = make_access(address.host, token=token, users=users, names=address.allow_host or ())
    run_server(
        opened,
        cases,
        access,
        port=address.port,
        open_browser=address.open_,
        calibration=calibration,
        calibrate=Path(index) if not no_calibrate and can_calibrate(index, calibration) else None,
        announce=lambda url: show_text(f"Open in a browser: {url}\nStop with Ctrl+C.", error=True),
        log=partial(show_text, error=True) if log else None,
    )


def can_calibrate(index: str, calibration: Path | None) -> bool:
    """Whether the page may make a calibration: there is none, not even one that does not suit, and a place for it."""
    folder = Path(index)
    is_missing = calibration is None and not folder.with_suffix(".calibration.json").exists()
    return is_missing and not is_address(index) and os.access(folder.absolute().parent, os.W_OK)


def choose_calibration(index: str, given: Path | None) -> Path | None:
    """The calibration that is given, or that beside the index; documents of the page are read without feedback.

    One that does not suit is refused if it is given, and left out with a note if it is merely there.
    """
    from antecede.review.calibration import read_suitable
    from antecede.review.reading import STATIC

    beside = None if is_address(index) else Path(index).with_suffix(".calibration.json")
    chosen = given or (beside if beside is not None and beside.is_file() else None)
    if chosen is None:
        return None
    try:
        read_suitable(chosen, STATIC)
    except AntecedeError as error:
        if given is not None:
            raise
        show_note(f"the calibration beside the index is not used: {error}")
        return None
    return chosen
