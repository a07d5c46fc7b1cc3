"""The folder that README and docs speak of: every file name in them is there, small and made up.

One collection of a hundred synthetic patents (`clefip/`, with its topics among them), its index, a few runs, and the
odd file that a page names. Built once for all processes; a test that writes into it takes a copy.
"""

from __future__ import annotations

import gzip
import json
import shutil
import zipfile
from contextlib import closing
from typing import TYPE_CHECKING

import antecede as ac
from antecede.index.workspace import open_workspace
from antecede.review.case import Review
from antecede.review.marks import Mark, current_time
from antecede.review.screening_case import ScreeningCase, start_screening
from antecede.review.searches import store_search
from antecede.review.store import CaseStore
from antecede.review.votes import EXCLUDE, FULL_TEXT, INCLUDE, Protocol
from antecede.review.workbench import Workbench
from antecede.search.batch import run_topics
from antecede.search.pipeline import make_query
from antecede.search.settings import SearchSettings
from antecede.synthetic import synthesize
from tests.corpus.application_files import docx, pdf

if TYPE_CHECKING:
    from pathlib import Path

RENAMED = {"1000101": "1234567", "1000009": "1111111"}
"""A topic of the synthetic collection and a patent that is searched for, and the numbers that the docs know them by."""
EXPERIMENT = """title = "Query methods"
collection = "clefip/"
topics = "topics/"
qrels = "qrels.txt"
languages = "together"

[search]
methods = ["full", "tfidf"]

[evaluation]
measures = ["PRES@100", "AP@100"]
"""
GROUPS = "full.run words\nlmipc.run classes\ntf.run words\ntfidf.run words\n"
GRANT = """<?xml version="1.0" encoding="UTF-8"?>
<us-patent-grant lang="EN" dtd-version="v4.0 2004-12-02" file="US{number}-20050104.XML" date-publ="{day}">
<us-bibliographic-data-grant>
<publication-reference><document-id><country>US</country><doc-number>{number}</doc-number><kind>B2</kind>
<date>{day}</date></document-id></publication-reference>
<application-reference appl-type="utility"><document-id><country>US</country><doc-number>10999999</doc-number>
<date>20030102</date></document-id></application-reference>
<invention-title id="t">Valve that closes under pressure</invention-title></us-bibliographic-data-grant>
<abstract id="a"><p id="p1" num="1">A made-up valve closes a line under pressure.</p></abstract>
<description id="d"><p id="p2" num="2">The valve of this made-up patent has a seat and a spring.</p></description>
<claims id="c"><claim id="c1" num="1"><claim-text>1. A valve with a seat.</claim-text></claim></claims>
</us-patent-grant>
"""


DRAFT = """Valve that closes under pressure
Description
The valve of this made-up application has a seat, a spring and a housing in which the spring is held.
Claims
1. A valve with a seat and a spring.
2. The valve of claim 1, wherein the spring is held in a housing.
"""


def lay(folder: Path) -> Path:
    """Lay everything out in a new folder."""
    patents(folder)
    exports(folder)
    indexes(folder)
    rankings(folder)
    odds_and_ends(folder)
    return folder


def patents(folder: Path) -> None:
    """`clefip/`, `topics/`, `qrels.txt`, and the same patents as JSON lines."""
    synthesize(folder / "made", patents=100, seed=1)
    shutil.move(folder / "made/collection", folder / "clefip")
    shutil.move(folder / "made/topics", folder / "topics")
    for path in [*folder.rglob("*.xml")]:
        path.write_text(renamed(path.read_text()))
        path.rename(path.with_name(renamed(path.name)))
    (folder / "qrels.txt").write_text(renamed((folder / "made/qrels.txt").read_text()))
    for number in ("05000000", "05000001"):
        (folder / f"clefip/US{number}.xml").write_text(GRANT.format(number=number, day="19910319"))
    shutil.rmtree(folder / "made")
    shutil.copytree(folder / "topics", folder / "clefip", dirs_exist_ok=True)
    every = [patent.to_dict() for patent in ac.Collection(folder / "clefip").patents()]
    wanted = [patent.to_dict() for patent in ac.Collection(folder / "topics").patents()]
    lines(folder / "topics.jsonl", wanted)
    lines(folder / "theirs.jsonl", [{"key": each["doc_id"], "full": "a text"} for each in every[:5]])
    lines(
        folder / "nested.jsonl",
        [{"country": "EP", "number": 1000000 + at, "names": [{"text": "a valve", "lang": "en"}]} for at in range(5)],
    )
    (folder / "theirs.csv").write_text("Publication Number,Title,Summary\nEP1000000,Valve,A valve closes a line.\n")
    with gzip.open(folder / "patents.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(each) + "\n" for each in [*every, {**every[0], "doc_id": "US-7596572"}])


def exports(folder: Path) -> None:
    """What databases export: a hit list of Espacenet, references, an office action."""
    header = "Espacenet;;\n;;\nTitle;Abstract;Publication number\n"
    rows = "".join(f"Fuel assembly {at};An assembly with {at} rods and a head.;EP20316{at:02}A1\n" for at in range(9))
    (folder / "espacenet.csv").write_text(header + rows, "utf-8")
    titles = ("Moisture of bricks", "Moisture of bricks.", "Sensors in walls", "Ovens")
    records = (
        f"TY  - JOUR\nTI  - {title}\nAB  - A sensor of moisture.\nDO  - 10.1000/{at // 2 + at}\nER  - \n\n"
        for at, title in zip((1, 1, 2, 3), titles, strict=True)
    )
    (folder / "references.ris").write_text("".join(records), "utf-8")
    for name, numbers in (("embase.ris", (2104, 3007, *range(12))), ("pubmed.nbib", (0, 1, *range(12, 22)))):
        (folder / name).write_text("".join(_reference(number) for number in numbers), "utf-8")
    cited = {
        "legalSectionCode": "102",
        "citedDocumentIdentifier": "EP 1234567 A1",
        "patentApplicationNumber": "16123456",
    }
    (folder / "office_actions.json").write_text(json.dumps({"response": {"docs": [cited]}}), "utf-8")


def _reference(number: int) -> str:
    """A record in RIS; every third one is of back pain."""
    subject = "back pain and exercise" if number % 3 == 1 else "moisture of bricks"
    return (
        f"TY  - JOUR\nID  - W{number}\nTI  - A trial of {subject} {number}\nAU  - Meyer, A.\nJO  - Trials\n"
        f"PY  - 2019\nDO  - 10.1000/{number}\nAB  - We studied {subject} in {number} places.\nER  - \n\n"
    )


def renamed(text: str) -> str:
    """A text with the numbers that the docs know."""
    for number, known_as in RENAMED.items():
        text = text.replace(number, known_as)
    return text


def lines(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def indexes(folder: Path) -> None:
    """The indexes that the docs search and add to."""
    for name, number, day in (("ipg050104", "06836899", "20050104"), ("ipg060103", "06981282", "20060103")):
        with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
            archive.writestr(f"{name}.xml", GRANT.format(number=number, day=day))
    for source, out in (("clefip", "clefip"), ("patents.jsonl.gz", "patents"), ("ipg050104.zip", "us2005")):
        ac.index.build(ac.Collection(folder / source), folder / f"{out}.index", workers=1)


def rankings(folder: Path) -> None:
    """`runs/`, one a query method; `a.run`, `b.run`, `c.run`; and a saved rank table."""
    (folder / "runs").mkdir()
    index = ac.open_index(folder / "clefip.index")
    topics = list(ac.Collection(folder / "topics").patents())
    for method in ("full", "lmipc", "tf", "tfidf"):
        batch = run_topics(index, topics, SearchSettings((method,)), threads=1)
        for ending in ("run", "run.gz"):
            ac.write_run(ac.read_run(batch.rankings, name=method), folder / f"runs/{method}.{ending}")
    (folder / "out").mkdir()
    for name, method in (
        ("out/today", "lmipc"),
        ("a", "full"),
        ("b", "tfidf"),
        ("c", "lmipc"),
        ("old", "full"),
        ("new", "lmipc"),
    ):
        ac.write_run(ac.read_run(folder / f"runs/{method}.run.gz"), folder / f"{name}.run", tag=name)
    ac.write_run(ac.read_run(folder / "b.run"), folder / "b.run.gz")
    ac.write_run(ac.read_run(folder / "b.run"), folder / "b.run.zst")
    ac.read_qrels(folder / "qrels.txt").to_polars().write_parquet(folder / "qrels.parquet")
    ranks = ac.rank_table(folder / "qrels.txt", sorted((folder / "runs").glob("*.gz")))
    ranks.save(folder / "ranks.npz")
    (folder / "groups.txt").write_text(GROUPS)
    judged = enumerate(ac.read_qrels(folder / "qrels.txt").topics)
    (folder / "collections.txt").write_text("".join(f"{topic} {'AB'[at % 2]}\n" for at, topic in judged))
    judges(folder)
    (folder / "scores.csv").write_text(ac.evaluate(ranks).table().render("csv"))


def judges(folder: Path) -> None:
    """`other-qrels.txt`, in which every sixth judgement differs; and citations of two categories."""
    rows = ac.read_qrels(folder / "qrels.txt").to_polars().rows()
    other = [(topic, doc, 0 if at % 6 == 5 else grade) for at, (topic, doc, grade) in enumerate(rows)]
    for name, chosen in (
        ("other-qrels.txt", other),
        ("x-citations.txt", [row for at, row in enumerate(rows) if at % 2 == 0]),
        ("a-citations.txt", [row for at, row in enumerate(rows) if at % 2 or at % 4 == 0]),
    ):
        (folder / name).write_text("".join(f"{topic} 0 {doc} {grade}\n" for topic, doc, grade in chosen))


def odds_and_ends(folder: Path) -> None:
    """Single patents, a query to be edited, patents to be added."""
    topic = next((folder / "topics").rglob("EP-1000100-A*.xml"))
    shutil.copy(topic, folder / "application.xml")
    (folder / "new").mkdir()
    shutil.copy(topic, folder / "new")
    shutil.copy(next((folder / "clefip").rglob("EP-1000000-A*.xml")), folder / "EP-1000000-B1.xml")
    draft = DRAFT.split("\n")
    (folder / "invention.txt").write_text("A valve closes a line under pressure, with a seat and a spring.\n")
    (folder / "application.pdf").write_bytes(pdf(draft))
    (folder / "application.docx").write_bytes(docx(draft))
    index = ac.open_index(folder / "clefip.index")
    query = make_query(index.patent("EP1234567"), index)
    (folder / "edited.json").write_text(json.dumps(query.to_dict()))
    cases(folder)
    screenings(folder)
    reviews(folder)
    for name in ("experiment", "methods"):
        (folder / f"{name}.toml").write_text(EXPERIMENT)


def screenings(folder: Path) -> None:
    """`labelled.csv` and `other.csv`: finished screenings of 40 records."""
    for name, every in (("labelled.csv", 4), ("other.csv", 5)):
        rows = [
            f"{'valve' if at % every == 0 else 'network'} {at % 7},of a line {at},{int(at % every == 0)}"
            for at in range(40)
        ]
        (folder / name).write_text("\n".join(["title,abstract,label_included", *rows, ""]))


def reviews(folder: Path) -> None:
    """`review.sqlite`: a screening with a conflict at each stage."""
    files = (folder / "embase.ris", folder / "pubmed.nbib")
    workspace = open_workspace(ac.Collection(*files), folder / "review.records")
    protocol = Protocol(("ann", "ben"), sources={"embase.ris": 14, "pubmed.nbib": 12}, duplicates=2)
    with start_screening(folder / "review.sqlite", ac.open_index(workspace.index), "review", protocol) as review:
        for user, verdict in (("ann", EXCLUDE), ("ben", INCLUDE)):
            screening = ScreeningCase(review, user)
            screening.vote("W2104", verdict)
            screening.vote("W3007", INCLUDE)
        for user, verdict in (("ann", EXCLUDE), ("ben", INCLUDE)):
            ScreeningCase(review, user).vote("W3007", verdict, FULL_TEXT)


def cases(folder: Path) -> None:
    """`cases.sqlite` with one case, and the password of a user."""
    with closing(CaseStore(folder / "cases.sqlite")) as store:
        workbench = Workbench(ac.open_index(folder / "clefip.index"), store)
        topic = workbench.patent("EP1234567")
        case = Review(store, store.case(store.create(topic.to_dict(), name="valve")), workbench=workbench)
        found = store_search(case)
        for rank, (doc_id, _) in enumerate(found.ranking[:3], 1):
            mark = Mark(doc_id, "relevant", category="X", claims="1", time=current_time(), search=1, rank=rank)
            store.put_marks(case.id, [mark])
    (folder / "password.txt").write_text("correct horse\n")
