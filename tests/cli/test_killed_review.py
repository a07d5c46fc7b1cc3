"""The terminal loop of a review, killed at a random moment: what it has confirmed is on disk."""

from __future__ import annotations

import os
import random
import re
import select
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from antecede.review.case import Review
from tests.conftest import call_program

if TYPE_CHECKING:
    from pathlib import Path

KILLS = int(os.environ.get("ANTECEDE_KILLS", "3"))
DOCUMENTS = 2000
SAVED = re.compile(rb"saved: (\S+) (relevant|maybe|not); ")
PROMPT = b"q> "


def answer_until_killed(folder: Path, chance: random.Random) -> dict[str, tuple[str, str]]:
    """Start the program in a terminal, answer, and kill it; document → the relevance and the note it has confirmed."""
    import pty

    screen, terminal = pty.openpty()
    words = [sys.executable, "-m", "antecede", "review", "next", str(folder), "--user", "U"]
    process = subprocess.Popen(words, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    shown, asked = b"", 0
    given: list[str] = []
    until: float | None = None
    try:
        while until is None or time.monotonic() < until:
            ready, _, _ = select.select([screen], [], [], 0.005)
            if ready:
                shown += os.read(screen, 65536)
            if until is None and PROMPT in shown:
                until = time.monotonic() + chance.random() * 0.3
            while asked < shown.count(PROMPT):
                asked += 1
                given.append(f"note {chance.randrange(10**9)}")
                os.write(screen, f"{chance.choice('rmn')} {given[-1]}\n".encode())
            assert process.poll() is None, shown[-2000:]
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    while select.select([screen], [], [], 0.05)[0]:
        try:
            shown += os.read(screen, 65536)
        except OSError:  # the terminal is closed at its other end
            break
    os.close(screen)
    confirmed = [(name.decode(), relevance.decode()) for name, relevance in SAVED.findall(shown)]
    return {name: (relevance, note) for (name, relevance), note in zip(confirmed, given, strict=False)}


@pytest.mark.kill
def test_no_confirmed_answer_of_the_terminal_loop_is_lost(tmp_path: Path) -> None:
    """Programs of their own, each killed while it asks; ANTECEDE_KILLS is how many."""
    names = [f"d{number}" for number in range(DOCUMENTS)]
    run, folder = tmp_path / "a.run", tmp_path / "r"
    run.write_text("".join(f"1 Q0 {name} {at} {DOCUMENTS - at} a\n" for at, name in enumerate(names, 1)))
    assert call_program("review", "start", run, "1", "--out", folder).code == 0
    chance = random.Random(0)  # noqa: S311 - no secret
    confirmed: dict[str, tuple[str, str]] = {}
    for kill in range(1, KILLS + 1):
        fresh = answer_until_killed(folder, chance)
        assert not fresh.keys() & confirmed.keys()  # what is marked is not asked for again
        confirmed |= fresh
        with Review.open(folder) as review:
            marks = {each.doc_id: (each.relevance, each.note) for each in review.marks}
        assert {name: marks.get(name) for name in confirmed} == confirmed
        assert [*marks] == names[: len(marks)]
        assert len(marks) - len(confirmed) <= kill  # one that was saved and not yet confirmed, at most
    assert len(confirmed) > KILLS
    print(f"{KILLS} kills, {len(confirmed)} confirmed answers, {len(marks)} marks")
    assert call_program("review", "status", folder, "--json").json["read"] == len(marks)
