"""Files of marks and calibrations of a stranger, with the right checksums: used without harm, or refused in one line.

Beside the folder is a file of the user, to which links and paths may lead: it must be the same afterwards.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from antecede.index import build_index
from antecede.review.calibration import fit_calibration, write_calibration
from antecede.review.case import Review, ReviewPlan
from tests.fuzz.calls import call, patent
from tests.fuzz.json_changes import change_json
from tests.review.drawn_topics import draw_topics

if TYPE_CHECKING:
    import random

    from tests.fuzz.outcomes import Fuzz

NAMES = [f"EP{number}" for number in range(1, 6)]
CALLS = (
    ("status",),
    ("status", "--json"),
    ("next", "-n", "2"),
    ("next", "-n", "2", "--json"),
    ("stop", "--rule", "knee"),
    ("stop", "--json"),
    ("mark", "EP5", "relevant"),
)
CALIBRATED = (("stop",), ("stop", "--target", "0.8"), ("status", "--estimator", "calibrated(file=c.json)"))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A review with an index and a calibration, some of it read."""
    folder = tmp_path_factory.mktemp("reviews") / "base"
    folder.mkdir()
    (folder / "p.jsonl").write_text("".join(patent(at) + "\n" for at in range(1, 6)))
    build_index(folder / "p.jsonl", folder / "index", workers=1)
    write_calibration(fit_calibration(draw_topics(20, 1), method="drawn"), folder / "c.json")
    (folder / "mine").write_text("keep me")
    plan = ReviewPlan("T1", "active", title="A valve", texts={"en": "valve word1", "": "word2"}, audit=("EP4",))
    scores = [5.0, 4.0, 3.0, 2.0, 1.0]
    with Review.start(folder / "r", plan, NAMES, scores, index="index", calibration="c.json") as review:
        review.mark("EP4", "not", note="a note", rank=1)
        review.mark("EP1", "relevant", category="X", claims="1", grade=2)
    return folder


def damage(data: bytes, draw: random.Random) -> bytes:
    """Bytes of a file after an accident."""
    at = draw.randrange(len(data) + 1)
    return draw.choice((data[:at], data[:at] + draw.randbytes(3) + data[at + 3 :], b"", data + draw.randbytes(5)))


def finish(fuzz: Fuzz, done: Any, where: str) -> None:
    """Count what became of a case; anything but an answer or one line of refusal fails."""
    assert "\x1b" not in done.out + done.err, where
    if done.code == 2:
        assert done.err.count("\n") == 1, where
        fuzz.count("refused")
    else:
        assert done.code in (0, 1), where
        assert "nan" not in done.out, where
        fuzz.count("used")


def test_changed_marks_are_taken_or_refused(fuzz: Fuzz, base: Path, tmp_path: Path) -> None:
    with Review.open(base / "r") as review:
        marks = [{"topic_id": "T1", **mark.to_dict()} for mark in review.marks]
    for number, draw in fuzz.cases(60):
        folder = Path(shutil.copytree(base, tmp_path / str(number)))
        data = "".join(json.dumps(change_json(mark, draw)) + "\n" for mark in marks).encode()
        (folder / "marks.jsonl").write_bytes(damage(data, draw) if draw.random() < 0.25 else data)
        done = call(folder, "review", "mark", "r", "--from", "marks.jsonl")
        verb, *words = draw.choice(CALLS)
        if done.code == 0:
            done = call(folder, "review", verb, "r", *words)
        finish(fuzz, done, f"case {number}: {verb} {words}: {done}")
        assert (folder / "mine").read_text() == "keep me", f"case {number}"
        shutil.rmtree(folder)


def test_changed_calibrations_are_used_or_refused(fuzz: Fuzz, base: Path, tmp_path: Path) -> None:
    right = json.loads((base / "c.json").read_bytes())
    del right["checksum"]
    folder = Path(shutil.copytree(base, tmp_path / "here"))
    for number, draw in fuzz.cases(60):
        whole = change_json(right, draw)
        if isinstance(whole, dict) and draw.random() < 0.95:
            text = json.dumps(whole, sort_keys=True, ensure_ascii=False)
            whole["checksum"] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        data = json.dumps(whole).encode()
        (folder / "c.json").write_bytes(damage(data, draw) if draw.random() < 0.1 else data)
        verb, *words = draw.choice(CALIBRATED)
        done = call(folder, "review", verb, "r", *words)
        finish(fuzz, done, f"case {number}: {verb} {words}: {done}")
