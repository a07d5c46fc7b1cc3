"""9. Report and exports: what the page writes is taken by other programs, the own `evaluate` among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.conftest import antecede

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web.browser.conftest import Desk


def save(desk: Desk, name: str, folder: Path) -> Path:
    with desk.page.expect_download() as caught:
        desk.page.click(f"a[data-file='{name}']")
    path = folder / name
    caught.value.save_as(path)
    return path


def test_every_export_is_saved_and_qrels_and_run_are_evaluated(desk: Desk, tmp_path: Path) -> None:
    page = desk.new_case()
    documents = desk.mark_first("rmn")
    desk.view("Report")
    assert page.locator("table.marks tbody tr").count() == 3
    qrels, run = (save(desk, name, tmp_path) for name in ("qrels.txt", "run.txt"))
    assert {line.split()[2] for line in qrels.read_text().splitlines()} == set(documents)
    scored = antecede("evaluate", qrels, run, "-m", "P@3,R@100", "--json")
    assert scored.code == 0, scored.err
    for name in ("marks.csv", "results.csv", "marks.ris", "marks.bib", "case.xlsx", "trec.zip"):
        assert save(desk, name, tmp_path).stat().st_size > 100


def test_report_opens_and_prints(desk: Desk) -> None:
    page = desk.new_case(name="Membrane relays")
    documents = desk.mark_first("rm")
    desk.view("Report")
    with page.expect_popup() as opened:
        page.click("text=Open the report")
    report = opened.value
    report.wait_for_load_state()
    text = report.inner_text("body")
    assert documents[0] in text
    assert desk.site.topics[0]["title"]["en"] in text
    assert len(report.pdf()) > 5000


def test_case_is_exported_deleted_and_imported_unchanged(desk: Desk, tmp_path: Path) -> None:
    page = desk.new_case(name="A case that travels")
    desk.mark_first("rn")
    desk.view("Report")
    first = save(desk, "case.json", tmp_path)
    exported = first.read_bytes()
    page.click("a.brand")
    row = page.locator("tr:has-text('A case that travels')")
    row.locator("text=Delete").click()
    page.click("dialog[open] >> text=Delete >> nth=-1")
    row.wait_for(state="detached")
    page.set_input_files("#import-file", first)
    page.click("a:has-text('A case that travels')")
    desk.settle()
    desk.view("Report")
    assert save(desk, "case.json", tmp_path).read_bytes() == exported
