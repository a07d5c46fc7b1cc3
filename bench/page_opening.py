"""How soon an application that is opened shows its first result.

    python -m bench.page_opening INDEX TOPICS [--json]

Starts `antecede serve`, opens one application so that everything is loaded, then opens TOPICS others: in the system's
chromium where there is one and playwright is installed, else with the requests that the page sends. The time runs from
the click that reads the number to the form that shows what was understood, and from the click that starts the search to
the first result on screen; what the user takes to read the form is not in it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.page_server import PageServer, recent_topics, serving

if TYPE_CHECKING:
    from collections.abc import Sequence

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def open_by_requests(server: PageServer, topics: Sequence[str]) -> list[float]:
    """The seconds of each opening, without a browser."""
    found = []
    with server.client() as client:
        for number in topics:
            began = time.perf_counter()
            topic = client.post("/api/topics", json={"number": number}).json()
            case = client.post("/api/cases", json={"patent": topic["patent"]}).json()["id"]
            for path in ("", "/query"):
                client.get(f"/api/cases/{case}{path}").raise_for_status()
            assert client.post(f"/api/cases/{case}/search", json={}).json()["hits"]
            found.append(time.perf_counter() - began)
    return found


def open_in_browser(server: PageServer, topics: Sequence[str], program: str) -> list[float]:
    """The seconds of each opening in a browser."""
    from playwright.sync_api import sync_playwright

    alone = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    found = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=[*alone, "--disable-dev-shm-usage"])
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(f"{server.root}/?token={server.token}")
        for number in topics:
            page.goto(f"{server.root}/cases")
            page.fill("#start-box", number)
            began = time.perf_counter()
            page.click("#start-read")
            page.wait_for_selector("form.topic")
            understood = time.perf_counter() - began
            began = time.perf_counter()
            page.click("form.topic button[type=submit]")
            page.wait_for_selector(".hit")
            found.append(understood + time.perf_counter() - began)
        browser.close()
    return found


def measure_opening(index: str, number: int) -> dict[str, Any]:
    """The seconds of each opening, and how they were measured."""
    from importlib.util import find_spec

    documents, topics = recent_topics(index, number + 1)
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    in_browser = program is not None and find_spec("playwright") is not None
    with serving(index) as server:
        if program is not None and in_browser:
            seconds = open_in_browser(server, topics, program)
        else:
            seconds = open_by_requests(server, topics)
    return {"documents": documents, "browser": in_browser, "first": seconds[0], "seconds": seconds[1:]}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("index")
    parser.add_argument("topics", type=int)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures = measure_opening(given.index, given.topics)
    if given.json:
        json.dump(figures, sys.stdout)
    else:
        how = "in a browser" if figures["browser"] else "by requests"
        print(f"{figures['documents']} documents, {how}: first {figures['first']:.2f} s, then "
              + " ".join(f"{each:.2f}" for each in figures["seconds"]))  # fmt: skip
