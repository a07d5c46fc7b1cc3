"""1. The start box: a number in any spelling, a pasted text, a dropped file; what was understood can be corrected."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.corpus.application_files import pdf

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web.browser.conftest import Desk

DRAFT = """Valve that closes under pressure
Description
The valve of this made-up application has a seat, a spring and a housing in which the spring is held.
Claims
1. A valve with a seat and a spring.
2. The valve of claim 1, wherein the spring is held in a housing.
"""


def test_number_is_understood_in_another_spelling(desk: Desk) -> None:
    topic = desk.site.topics[0]
    digits = topic["doc_id"][2:]
    page = desk.understand(f"EP {digits[0]} {digits[1:4]} {digits[4:]} A1")
    assert page.input_value("form.topic input[name=title]") == topic["title"]["en"]
    assert page.input_value("form.topic input[name=date]") == topic["priority_date"]
    assert page.input_value("form.topic select[name=language]") == "en"
    assert topic["ipc"][0] in page.input_value("form.topic input[name=ipc]")
    assert page.input_value("form.topic textarea[name=claims]").count("\n\n") == len(topic["claims"]["en"]) - 1


def test_unknown_number_is_refused_in_one_line_and_may_be_taken_as_text(desk: Desk) -> None:
    page = desk.understand("EP 9 999 999")
    assert "9999999" in page.inner_text(".start-answer .notice").replace(" ", "")
    page.click("text=Treat it as text")
    page.wait_for_selector("form.topic, .start-answer .notice")


def test_pasted_claim_without_a_date_is_doubted_loudly_and_corrected(desk: Desk) -> None:
    topic = desk.site.topics[0]
    page = desk.understand(topic["claims"]["en"][0] + "\n\n" + topic["abstract"]["en"])
    assert "date" in page.inner_text(".doubts").lower()
    page.fill("form.topic input[name=title]", "My own switch")
    page.fill("form.topic input[name=date]", "1995-06-30")
    page.click("text=Start the search")
    desk.settle()
    dates = page.locator(".hit-date").all_inner_texts()
    assert dates
    assert all(date == "undated" or date.split()[-1] < "1995-06-30" for date in dates)
    assert "My own switch" in page.inner_text("#bar-case")
    desk.view("Report")
    with page.expect_popup() as opened:
        page.click("text=Open the report")
    assert "pasted-text" not in opened.value.inner_text("body")
    desk.home()
    page.wait_for_selector("tr:has-text('My own switch')")
    assert "pasted-text" not in page.inner_text("table.cases")


def test_file_is_understood(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "application.pdf").write_bytes(pdf(DRAFT.splitlines()))
    page = desk.home()
    page.set_input_files("#start-file", tmp_path / "application.pdf")
    page.wait_for_selector("form.topic")
    assert "Valve that closes" in page.input_value("form.topic input[name=title]")
    assert page.input_value("form.topic textarea[name=claims]").count("\n\n") == 1


def test_dropped_file_with_several_patents_asks_which_one(desk: Desk) -> None:
    page = desk.home()
    lines = "".join(json.dumps(each) + "\n" for each in desk.site.topics[1:3])
    page.evaluate(
        """text => {
            const data = new DataTransfer();
            data.items.add(new File([text], "two.jsonl"));
            const drop = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
            document.querySelector(".start-box").dispatchEvent(drop);
        }""",
        lines,
    )
    wanted = desk.site.topics[2]["doc_id"]
    page.click(f".start-answer button:has-text('{wanted}')")
    page.wait_for_selector("form.topic")
    assert wanted in page.inner_text("form.topic h2")
