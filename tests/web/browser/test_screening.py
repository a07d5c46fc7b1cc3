"""A screening by two people in two browsers: from an export of references to the flow diagram of PRISMA."""

from __future__ import annotations

import csv
import io
import os
import re
import signal
from typing import TYPE_CHECKING

import pytest
import rispy  # type: ignore[import-untyped]

from antecede.web.access import put_user
from tests.conftest import call_program
from tests.review.references import REASON, write_references
from tests.web.browser.conftest import Desk, free_port, run_site
from tests.web.browser.test_users import PASSWORDS, sign_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

RECORDS = int(os.environ.get("SCREENED_RECORDS", "24"))
SECOND_OPINION = 7
"""Every so many records the second screener decides otherwise."""
KEYS = {"include": "r", "exclude": "n", "maybe": "m"}


@pytest.fixture
def pages(browser: Browser) -> Iterator[dict[str, Page]]:
    contexts = {name: browser.new_context(viewport={"width": 1400, "height": 900}) for name in PASSWORDS}
    yield {name: context.new_page() for name, context in contexts.items()}
    for context in contexts.values():
        context.close()


def screen(page: Page, verdicts: dict[str, str], most: int) -> int:
    """Decide on one record after the other, by its key; returns how many."""
    for done in range(most):
        page.wait_for_selector(".record, #done")
        if page.query_selector("#done"):
            return done
        document = page.get_attribute(".record", "data-doc") or ""
        page.keyboard.press(verdicts[document])
        page.wait_for_selector(f".record:not([data-doc='{document}']), #done")
    return most


def facts(page: Page) -> dict[str, str]:
    page.wait_for_selector(".facts")
    return {each.get_attribute("data-fact") or "": each.inner_text() for each in page.query_selector_all(".facts dd")}


def counts(page: Page) -> dict[str, int]:
    """The counts of the report by what they count."""
    page.click("#bar-views >> text=Report")
    page.wait_for_selector("#prisma")
    rows = page.locator("#prisma tr").all()
    return {row.locator("th").inner_text(): int(row.locator("td.n").inner_text().replace(",", "")) for row in rows}


def test_two_people_screen_from_ris_to_the_flow_diagram(tmp_path: Path, pages: dict[str, Page]) -> None:
    relevant = write_references(tmp_path / "references.ris", RECORDS, duplicates=3)
    cases = tmp_path / "cases.sqlite"
    call_program(
        "review", "start", tmp_path / "references.ris", "--name", "pain", "--team", ",".join(PASSWORDS), "--out", cases
    )
    for name, password in PASSWORDS.items():
        put_user(tmp_path / "users.json", name, password)
    index = tmp_path / "cases.records" / "documents.index"
    verdicts = {name: "r" if name in relevant else "2" for name in (f"W{at}" for at in range(RECORDS))}
    other = {name: "n" if key == "r" and int(name[1:]) % SECOND_OPINION == 0 else key for name, key in verdicts.items()}
    chosen = {"ann": verdicts, "bob": other}
    port, desks = free_port(), []
    for half in (RECORDS // 2, RECORDS):  # the server is killed in between
        with run_site(index, tmp_path, [], "--users", tmp_path / "users.json", "--port", port) as site:
            for name, page in pages.items():
                if not page.url.startswith("http"):
                    desks.append(Desk(page, site))
                    desks[-1].watch()
                sign_in(Desk(page, site), name, PASSWORDS[name])
                page.wait_for_selector("table.cases")
                page.goto(site.root)  # the only case is a screening
                screen(page, chosen[name], half)
            if half < RECORDS:
                assert facts(pages["ann"])["Your votes"] == facts(pages["bob"])["Your votes"] == str(half)
                os.kill(site.process.pid, signal.SIGKILL)
                continue
            assert all(screen(page, chosen[name], RECORDS) == 0 for name, page in pages.items())
            conflicts = sorted(name for name in relevant if int(name[1:]) % SECOND_OPINION == 0)
            resolve(pages["ann"], conflicts)
            full_texts(pages, sorted(relevant))
            shown = counts(pages["bob"])
            assert pages["bob"].request.get(f"{site.root}/api{case_path(pages['bob'])}/files/prisma.svg").ok
            ris = pages["ann"].request.get(f"{site.root}/api{case_path(pages['ann'])}/files/records.ris").text()
    refused = "ERR_CONNECTION_REFUSED"  # the browser's own word on a page that asks a server that was killed
    assert [each for desk in desks for each in desk.complaints if refused not in each] == []
    assert shown["records identified"] == RECORDS + 3
    assert shown["duplicate records removed"] == 3
    assert shown["records screened"] == RECORDS
    assert shown["records excluded"] == RECORDS - len(relevant)
    assert shown["reports sought for retrieval"] == len(relevant)
    assert shown["reports not retrieved"] == 1
    assert shown[REASON] == 1
    assert shown["reports included in the review"] == len(relevant) - 2
    check_exports(ris, tmp_path, cases, relevant)


def case_path(page: Page) -> str:
    return f"/cases/{page.url.split('/cases/')[1].split('/')[0]}/screening"


def resolve(page: Page, conflicts: list[str]) -> None:
    """Include each record that the two disagree on."""
    page.click("#bar-views >> text=Conflicts")
    for left in range(len(conflicts), 0, -1):
        page.wait_for_selector(f".conflict >> nth={left - 1}")
        page.click(".conflict >> nth=0 >> button.include")
        page.wait_for_selector(f".conflict >> nth={left - 1}", state="detached")
    page.wait_for_selector("text=There is no conflict")


def full_texts(pages: dict[str, Page], relevant: list[str]) -> None:
    """The first full text is not to be had, the second is excluded, all others are included."""
    verdicts = {**dict.fromkeys(relevant, "r"), relevant[0]: "u", relevant[1]: "1"}
    for page in pages.values():
        page.click("#bar-views >> text=Full texts")
        assert screen(page, verdicts, len(relevant) + 1) == len(relevant)


def check_exports(ris: str, folder: Path, cases: Path, relevant: set[str]) -> None:
    """All records are in the exports, with their labels, votes and times."""
    records = rispy.loads(ris)
    assert len(records) == RECORDS
    labels = {record["id"]: next(note for note in record["notes"] if note.startswith("ASReview")) for record in records}
    included = relevant - {*sorted(relevant)[:2]}
    assert {name for name, label in labels.items() if label == "ASReview_relevant"} == included
    call_program("review", "export", cases, "--out", folder / "records.csv")
    rows = [*csv.DictReader(io.StringIO((folder / "records.csv").read_text("utf-8-sig")))]
    assert {row["record_id"] for row in rows if row["included"] == "1"} == included
    assert sum(row["included"] == "0" for row in rows) == RECORDS - len(included)
    resolved = [row for row in rows if "resolution" in row["title_abstract_by"]]
    assert {row["record_id"] for row in resolved} == {name for name in relevant if int(name[1:]) % SECOND_OPINION == 0}
    assert all(
        row["title_abstract_by"] == "ann (resolution)" and "bob: exclude" in row["title_abstract_votes"]
        for row in resolved
    )
    call_program("review", "export", cases, "--out", folder / "records.xlsx")
    shown = call_program("review", "prisma", cases, "--figure", folder / "prisma.svg").out
    assert re.search(rf"records screened +{RECORDS}\n", shown)
    assert "Cohen's κ" in shown
    assert f"{RECORDS:,}" in (folder / "prisma.svg").read_text()
