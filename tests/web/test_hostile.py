"""Uploads and requests made to do harm: one clear line each, bounded memory, and the server goes on."""

from __future__ import annotations

import io
import json
import threading
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from antecede.parallel import AbandonedError, abandonable
from antecede.web import uploads
from antecede.web.access import LARGEST_BODY, LIMITS
from antecede.web.uploads import clean_name
from tests.corpus.application_files import docx, pdf
from tests.web.world import MARKUP, TOPIC

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.web.world import Client


def zipped(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


LONG = b"a" * (80 << 20)
XML_BOMB = b"""<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
<!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;">
<!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;"><!ENTITY g "&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;">]>
<patent-document ucid="EP-1-A1" country="EP" doc-number="1" kind="A1">
<abstract lang="EN">&g;</abstract></patent-document>"""
ENTITY = b"""<?xml version="1.0"?><!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<patent-document ucid="EP-1-A1" country="EP" doc-number="1" kind="A1">
<abstract lang="EN">&x;</abstract></patent-document>"""
HOSTILE: dict[str, Callable[[], bytes]] = {
    "zip bomb.zip": lambda: zipped(**{"a.jsonl": b'{"doc_id": "' + LONG}),
    "bomb.docx": lambda: zipped(**{"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w>" + LONG + b"</w>"}),
    "bomb.xml": lambda: XML_BOMB,
    "entity.xml": lambda: ENTITY,
    "broken.pdf": lambda: pdf(["A valve."])[:200],
    "encrypted.docx": lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 5000,
    "cut.docx": lambda: docx(["A valve with a seat."])[:-200],
    "nothing.txt": lambda: b"",
    "binary.txt": lambda: bytes(range(256)) * 100,
    "deep.json": lambda: b"[" * 200_000,
    "deep.xml": lambda: b"<a>" * 100_000,
    "sheet.xlsx": lambda: zipped(**{"xl/workbook.xml": b"<w/>"}),
    "path.zip": lambda: zipped(**{"../../../tmp/evil.jsonl": b'{"doc_id": 5'}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_gets_one_clear_line_and_the_server_goes_on(client: Client, name: str) -> None:
    answer = client.post("/api/topics/file", params={"name": name}, content=HOSTILE[name]())
    assert answer.status_code in (300, 409, 413, 422), answer.text[:300]
    detail = answer.json()["detail"]
    assert detail
    assert "\n" not in detail
    assert "antecede-upload" not in detail
    assert "root:" not in answer.text
    assert "Traceback" not in answer.text
    assert client.get("/api/session").status_code == 200


def test_a_file_that_is_too_large_is_refused_before_it_is_read(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    declared = {"Content-Length": str(1 << 30)}
    answer = client.post("/api/topics/file", params={"name": "big.txt"}, content=b"x", headers=declared)
    assert (answer.status_code, "limit of 64 MB" in answer.json()["detail"]) == (413, True)
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        while sent < 1 << 22:
            sent += 1 << 16
            yield b"a" * (1 << 16)

    monkeypatch.setitem(LIMITS, "/api/topics/file", 1 << 20)
    answer = client.post("/api/topics/file", params={"name": "big.txt"}, content=endless())
    assert answer.status_code == 413
    answer = client.post("/api/cases", content=b"{" + b" " * LARGEST_BODY + b"}")
    assert (answer.status_code, "limit of 16 MB" in answer.json()["detail"]) == (413, True)


def test_a_file_that_takes_too_long_is_stopped(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "SECONDS", 0.01)
    answer = client.post("/api/topics/file", params={"name": "a.txt"}, content=b"A valve with a seat.")
    assert (answer.status_code, "longer than" in answer.json()["detail"]) == (422, True)


def test_the_reader_of_a_file_that_nobody_waits_for_any_more_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A valve.")
    abandoned = threading.Event()
    abandoned.set()
    with abandonable(abandoned), pytest.raises(AbandonedError):
        uploads.run_reader(["patent", str(tmp_path / "a.txt"), "a.txt"], "a.txt")


def test_file_names_are_data() -> None:
    assert clean_name("../../etc/passwd") == "passwd"
    assert clean_name("C:\\temp\\a.pdf") == "a.pdf"
    assert clean_name("") == "upload"
    assert "\n" not in clean_name("a\nb.txt")
    assert len(clean_name("x" * 1000)) <= 120


def test_a_file_name_with_markup_is_kept_as_text(client: Client) -> None:
    found = client.ask("POST", "/api/topics/file", params={"name": f"{MARKUP}.txt"}, content=b"A valve with a spring.")
    case = client.ask("POST", "/api/cases", 201, json={"patent": found["patent"]})
    client.ask("POST", f"/api/cases/{case['id']}/search", json={})
    page = client.ask("GET", f"/api/cases/{case['id']}/export/report.html")
    assert "<script" not in page.text
    assert "<img" not in page.text


@pytest.mark.parametrize(
    "path", ["/static/", "/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd"]
)
def test_nothing_but_the_files_of_the_page_is_served(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code in (401, 404), path
    assert "import" not in answer.text


def test_odd_requests_are_refused_and_never_fail(client: Client) -> None:
    case = client.case()
    queries: list[Any] = [
        b"\xff\xfe",
        b"[" * 10_000,
        b'{"terms": [{"term": "a", "weight": NaN}]}',
        b'{"terms": [{"term": "a", "weight": 1e400}]}',
        {"terms": [{"term": "\ud800", "language": "en", "weight": 2}]},
        {"terms": [{"term": "a", "language": "xx", "exclude": True}]},
        {"filters": {"applicant": ["\x00"]}},
        {"settings": {"language": "all"}},
        {"settings": {"language": "zz"}},
    ]
    odd: list[tuple[str, str, Any]] = [
        *(("PUT", f"{case}/query", query) for query in queries),
        ("PATCH", f"{case}/marks", {"doc_id": "\ud800", "relevance": "not"}),
        ("POST", "/api/topics", {"number": "\x00"}),
        ("POST", "/api/topics", {"text": "\ud800 valve"}),
        ("PATCH", case, {"notes": "\ud800"}),
        ("POST", "/api/cases", {"patent": {"doc_id": "\ud800", "title": {"en": "a valve"}}}),
        ("POST", "/api/cases", {"patent": {"doc_id": "x", "citations": [{"number": "?"}], "title": {"en": "a"}}}),
    ]
    for method, path, sent in odd:
        content = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
        answer = client.request(method, path, content=content, headers={"content-type": "application/json"})
        assert answer.status_code < 500, (method, path, content[:80], answer.text)
    assert client.ask("POST", f"{client.case(TOPIC)}/search", json={})["hits"]


def test_values_that_no_store_or_view_can_have_are_refused(client: Client) -> None:
    case = client.case()
    mark, topic = {"doc_id": "EP1000004", "relevance": "not"}, {"doc_id": "x", "title": {"en": "a valve"}}
    documents = [f"EP{number}" for number in range(21)]
    refused: list[tuple[str, str, Any]] = [
        *(
            ("PATCH", f"{case}/marks", mark | more)
            for more in ({"rank": 2**63}, {"search": 2**63}, {"doc_id": "\x00"}, {"doc_id": "EP1000004\x00"})
        ),
        *(
            ("POST", "/api/cases", {"patent": topic | more})
            for more in (
                {"title": {"en": "valve \ud800"}},
                {"title": {"\ud800": "valve"}},
                {"claims": {"en": ["\ud800"]}},
                {"citations": [{"number": "\ud800"}]},
                {"title": {"en": "valve " * 10_000}},
            )
        ),
        ("PUT", f"{case}/chart", {"features": [{"id": 2**63, "text": "a"}], "documents": []}),
        ("PUT", f"{case}/chart", {"features": [{"text": "a" * 5001}], "documents": []}),
        ("PUT", f"{case}/chart", {"features": [{"text": "a"}] * 50, "documents": documents}),
        ("POST", f"{case}/chart/features", {"claims": [2**70]}),
        ("GET", f"{case}/document?id=%00", None),
        ("POST", "/api/topics/file?name=a.txt&doc_id=%00", "A valve."),
        ("DELETE", f"{case}/marks?id=EP1000004%00", None),
    ]
    for method, path, body in refused:
        content = json.dumps(body).encode() if body is not None else None
        answer = client.request(method, path, content=content, headers={"content-type": "application/json"})
        assert answer.status_code == 422, (method, path, body, answer.text)
        assert "\n" not in answer.json()["detail"]
