"""A field of facts that is declared in one place and stored in another is a group of the filters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.new_field import Copy, granted
from tests.web.browser.conftest import Desk, run_site
from tests.web.world import TOPIC, patents

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page


def test_a_new_field_is_a_group_of_the_filters(profile: Page, tmp_path: Path) -> None:
    with Copy(tmp_path) as copy:
        copy.run("index", copy.documents, "--out", "index")
    expected = granted(patents(), "B1") - {TOPIC}
    topics = [record for record in patents() if record["doc_id"] == TOPIC]
    with run_site(tmp_path / "index", tmp_path, topics, environment=copy.environment) as site:
        desk = Desk(profile.context.new_page(), site)
        desk.sign_in()
        desk.watch()
        page = desk.new_case()
        group = page.locator("details.group").filter(has=page.locator("summary", has_text=re.compile("^Kind$")))
        assert group.locator(".facet-name").all_inner_texts() == ["A1", "B1", "B2"]
        headings = page.locator(".filters details.group > summary").all_inner_texts()
        assert [each for each in headings if each != "Kind"] == ["IPC", "CPC", "Office", "Applicant", "Language"]
        before = desk.searched()
        group.get_by_label("B1").check()
        desk.wait_for_fewer(before)
        assert desk.searched() == len(expected)
        assert set(desk.documents()) <= expected
        assert page.request.get(f"{desk.case}/searches/2/facets").json()["kinds"]
        page.fill("#date-after", "2030-01-01")
        page.locator("#date-after").dispatch_event("change")
        page.wait_for_selector("#nothing-found")
        page.close()
    profile.context.clear_cookies()
    assert desk.complaints == []
