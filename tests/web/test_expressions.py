"""The Boolean expression of a case: its parts are counted, it filters, and what met it is marked."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from antecede.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web.world import Client


def test_an_expression_is_counted_part_by_part_filters_and_is_marked_in_documents(client: Client) -> None:
    case = client.case()
    asked = {"where": "S1 AND valve", "sets": ["spring OR sensors"]}
    view = client.ask("POST", f"{case}/query/expression", json=asked)
    assert [(each["text"], each["depth"]) for each in view["parts"]] == [
        ("spring OR sensors", 0), ("spring", 1), ("sensors", 1), ("valve", 0)
    ]  # fmt: skip
    assert view["parts"][-1]["left"] == view["documents"] > 0
    assert view["sets"] == [view["parts"][0]["documents"]]
    wrong = client.ask("POST", f"{case}/query/expression", json={"where": "valve NEAR"})
    assert (wrong["problem"]["what"], wrong["problem"]["place"]) == ("something is missing at the end", 10)
    dated = client.ask("POST", f"{case}/query/expression", json={"where": "pd:1980..2030"})
    assert (dated["documents"] + 1, dated["unpublished"], view["unpublished"]) == (client.index.documents, 1, 0)
    state = client.ask("GET", f"{case}/query")["state"]
    state["filters"] |= asked
    client.ask("PUT", f"{case}/query", json=state | {"set_names": ["springs"]})
    found = client.ask("POST", f"{case}/search", json={"limit": 100, "family": False})
    assert 0 < len(found["hits"]) <= view["documents"]
    for hit in found["hits"]:
        text = json.dumps(client.index.patent(hit["doc_id"]).to_dict())
        assert "valve" in text
        assert "spring" in text or "sensor" in text
    document = client.ask(
        "GET", f"{case}/document", params={"id": found["hits"][0]["doc_id"], "search": found["search"]["number"]}
    )
    matched = next(each for each in document["terms"] if each["word"] == "the expression")
    assert matched["count"] > 0
    refused = client.ask("PUT", f"{case}/query", 422, json=state | {"filters": {"where": "(valve"}})
    assert "is not closed (at character 1)" in refused["detail"]
    phrase = {"words": "802.11 network", "exclude": False, "off": False}
    state = client.ask("GET", f"{client.case()}/query")["state"] | {"phrases": [phrase]}
    assert "digits are not indexed" in client.ask("PUT", f"{case}/query", 422, json=state)["detail"]


def test_what_is_longer_than_words_is_refused_wherever_it_is_given(client: Client, tmp_path: Path) -> None:
    where = f"valve NEAR/3 ff*{'f' * 64}"
    reason = (
        f"'ff*{'f' * 64}' matches words of 66 letters and more, but the index has the first 64 of a word; "
        "write at most so many"
    )
    with pytest.raises(UsageError, match=re.escape(reason)):
        client.index.search(where=where)
    case, asked = client.case(), {"where": where, "sets": []}
    assert client.ask("POST", f"{case}/query/expression", 422, json=asked)["detail"] == reason
    state = client.ask("GET", f"{case}/query")["state"] | {"filters": asked}
    assert client.ask("PUT", f"{case}/query", 422, json=state)["detail"] == reason
    shell = ["search", str(client.index.folder), "--where", where]
    experiment = tmp_path / "experiment.toml"
    experiment.write_text(
        f"languages = ['en']\n[collection.synthetic]\npatents = 100\ntopics = 10\nseed = 1\nlength = 300\n"
        f"[search]\nmethods = ['tf']\nwhere = '{where}'\n[evaluation]\nmeasures = ['AP']\n"
    )
    for words in (shell, ["experiment", str(experiment), "--out", str(tmp_path / "out"), "--quiet"]):
        done = subprocess.run([sys.executable, "-m", "antecede", *words], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr.splitlines()[-1:]) == (2, [f"antecede: {reason}"])
