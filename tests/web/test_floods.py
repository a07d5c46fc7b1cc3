"""A real server while others try passwords: who knows theirs gets in, and who is in is answered."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from statistics import median
from typing import TYPE_CHECKING

import httpx2
import pytest

from antecede.web.access import put_user
from tests.web.test_access import PASSWORDS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.kill

FLOOD = """
import http.client, sys, threading, time, urllib.parse
host, port, name, patience = sys.argv[1], int(sys.argv[2]), sys.argv[3], float(sys.argv[4])
head = {"Content-Type": "application/x-www-form-urlencoded"}

def guess(number):
    connection = http.client.HTTPConnection(host, port, timeout=60)
    for guessed in range(10**6):
        form = {"user": name or f"user{number}-{guessed}", "password": f"guess {number} {guessed}"}
        try:
            connection.request("POST", "/login", urllib.parse.urlencode(form), head)
            if patience:
                time.sleep(patience)
                connection.close()
            else:
                connection.getresponse().read()
        except OSError:
            connection.close()

for number in range(40):
    threading.Thread(target=guess, args=(number,)).start()
print("begun", flush=True)
"""


@contextmanager
def served(world: Path, folder: Path) -> Iterator[str]:
    """The address of a server with users."""
    for name, password in PASSWORDS.items():
        put_user(folder / "users.json", name, password)
    words = [sys.executable, "-m", "antecede", "serve", str(world), "--cases", str(folder / "cases.sqlite")]
    words += ["--port", "0", "--no-calibrate", "--users", str(folder / "users.json")]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            found = re.search(r"http://127\.0\.0\.1:\d+", process.stderr.readline())
            assert found is not None
            yield found[0]
        finally:
            process.kill()


def sign_in(address: str) -> tuple[httpx2.Client, float]:
    """A client that has signed in, and how long it took."""
    client = httpx2.Client(base_url=address, timeout=600)
    begun = time.monotonic()
    try:
        answer = client.post("/login", data={"user": "ann", "password": PASSWORDS["ann"]})
        assert (answer.status_code, answer.headers.get("location")) == (303, "/"), answer.text
    except BaseException:
        client.close()
        raise
    return client, time.monotonic() - begun


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "patience"),
    [("ann", 0.0), ("", 0.0), ("ann", 0.5), ("ann", 2.0)],
    ids=["her name", "other names", "few answers", "some answers"],
)
def test_a_flood_of_guesses_keeps_nobody_out(name: str, patience: float, world: Path, tmp_path: Path) -> None:
    """All attempts come from one address, and each guess waits for its answer, or goes after its patience."""
    with served(world, tmp_path) as address:
        ann, _ = sign_in(address)
        host, port = ann.base_url.host, ann.base_url.port
        words = [sys.executable, "-c", FLOOD, host, str(port), name, str(patience)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as flood:
            try:
                assert flood.stdout is not None
                assert flood.stdout.readline() == "begun\n"
                times: dict[str, list[float]] = {"others": [], "sign in": []}
                for _ in range(8):
                    for _ in range(5):
                        begun = time.monotonic()
                        assert ann.get("/api/cases").status_code == 200
                        times["others"].append(time.monotonic() - begun)
                        time.sleep(0.1)
                    client, seconds = sign_in(address)
                    with closing(client):
                        assert client.get("/api/session").json()["user"] == "ann"
                    times["sign in"].append(seconds)
                assert flood.poll() is None
            finally:
                flood.kill()
                ann.close()
    assert max(times["others"]) < 1, times
    assert median(times["sign in"]) < 3, times  # of several, since a check alone takes a second on a busy machine
