"""Runs and qrels in every form, damaged in every way: the numbers of a plain reader, or one line of refusal."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl
import zstandard

from antecede import InputError, evaluate, rank_table
from tests.fuzz.plain_evaluation import (
    MEASURES,
    Reading,
    RefusedError,
    Row,
    Rows,
    checked,
    evaluate_plainly,
    read_trec,
)

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

    from antecede import RankTable
    from tests.fuzz.outcomes import Fuzz

TOPICS = ["1", "2", "10", "t", "é", "EP-1004897-A1", "x" * 17]
DOCS = ["a", "b", "aa", "B", "é", "EP-1", "EP-10", "y" * 16, "y" * 17, "y" * 60, "#d", "\ufeffd", "1", "\u00a0"]
SCORES = ["0", "-0.0", "1", "1.0", "2.5", "1e99", "-1e-5", "+3", ".5", "0.30000000000000004", "0.3", "9007199254740993"]
BAD_SCORES = ["abc", "nan", "inf", "1e999", "0x10", "1_0", "--1", ".", "1,5", "-"]
GRADES = ["0", "1", "2", "-1", "+1", "007"]
BAD_GRADES = ["1.5", "x", "1e3", "9999999999", "+"]
COMPRESSORS: list[Callable[[bytes], bytes]] = [
    gzip.compress,
    bz2.compress,
    lzma.compress,
    lambda data: lzma.compress(data, format=lzma.FORMAT_ALONE),
    lambda data: zstandard.ZstdCompressor().compress(data),
    lambda data: gzip.compress(data[: len(data) // 2]) + gzip.compress(data[len(data) // 2 :]) + bytes(512),
]


def draw_reading(draw: random.Random) -> Reading:
    return Reading(
        draw.choice(["error", "first", "last", "keep", "last"]),
        draw.choice(["error", "skip", "skip"]),
        draw.choice(["docid", "input", "rank"]),
        draw.choice([None, None, 1, 2, 3, 2**31 - 1]),
    )


def draw_pairs(draw: random.Random, count: int, copies: float) -> list[tuple[str, str]]:
    """Topics and documents: mostly without duplicates, in stretches or interleaved."""
    others = TOPICS[1:] if draw.random() < 0.5 else [topic for topic in TOPICS[1:] if topic.isascii()]
    topics = draw.sample([TOPICS[0], *draw.sample(others, chosen := draw.randint(0, 3))], chosen + 1)
    docs = DOCS if draw.random() < 0.4 else [doc for doc in DOCS if doc.isascii() and len(doc) < 50]
    pairs = [(topic, doc) for topic in topics for doc in docs]
    drawn = draw.sample(pairs, min(count, len(pairs)))
    if draw.random() < 0.6:
        drawn.sort(key=lambda pair: topics.index(pair[0]))
    if draw.random() < copies:
        for _ in range(draw.randint(1, 3)):
            drawn.insert(draw.choice([0, draw.randint(0, len(drawn))]), draw.choice(drawn))
    return drawn


def columns_of(draw: random.Random, kind: str, *, may_fail: bool) -> list[list[str]]:
    lines = []
    scores = draw.sample(SCORES, draw.randint(1, len(SCORES)))
    for topic, doc in draw_pairs(draw, draw.randint(1, 20), 0.5 if kind == "run" else 0.15):
        bad = may_fail and draw.random() < 0.15
        if kind == "run":
            number = draw.choice(BAD_SCORES) if bad else draw.choice(scores)
            rank = "x" if draw.random() < 0.01 else str(draw.randint(-1, 9))
            line = [topic, "Q0", doc, rank, number, "tag"]
        else:
            line = [topic, "0", doc, draw.choice(BAD_GRADES if bad else GRADES)]
        lines.append(line[: draw.randint(1, len(line))] if may_fail and draw.random() < 0.05 else line)
    return lines


def trec_file(draw: random.Random, kind: str, reading: Reading) -> tuple[bytes, Rows | RefusedError]:
    """A TREC file, as tidy or as messy as files come, and how it must be read."""
    lines = columns_of(draw, kind, may_fail=draw.random() < 0.3)
    messy = draw.random()
    blanks = [" "] if messy < 0.4 else ["\t"] if messy < 0.5 else [" ", " ", "  ", "\t", " \t ", "\v", "\f"]
    ends = draw.choice(
        [["\n"], ["\n"], ["\r\n"], ["\r"], [" \n"], ["\n", "\r\n", " \n", "\n\n", "\n # c\n", "\n#1 Q0 d\n"]]
    )
    surplus: Callable[[], list[str]] = draw.choice(
        [list, list, lambda: ["x"], lambda: ["x"] * draw.randint(0, 3), lambda: ["x"] * 12]
    )
    parts = ["# a comment\n" * draw.choice([0, 0, 0, 1, 2])]
    for line in lines:
        wide = [*line, *(surplus() if kind == "run" or draw.random() < 0.05 else [])]
        parts += [draw.choice(blanks).join(wide), draw.choice(ends)]
    data = "\ufeff".encode() * draw.choice([0, 0, 0, 1, 2]) + "".join(parts).encode()
    if draw.random() < 0.05:
        data = data.replace("é".encode(), b"\xe9")
    if draw.random() < 0.2:
        data = data.rstrip()
    try:
        expected: Rows | RefusedError = read_trec(data, kind, reading)
    except RefusedError as refusal:
        expected = refusal
    return (draw.choice(COMPRESSORS)(data) if draw.random() < 0.3 else data), expected


def named_file(draw: random.Random, kind: str, reading: Reading) -> tuple[Any, Rows | RefusedError]:
    """A CSV or TSV file, or a frame, and how it must be read."""
    value = "score" if kind == "run" else "relevance"
    found, lines = Rows(), []
    refusal: RefusedError | None = None
    for line in columns_of(draw, kind, may_fail=False):
        number = line[4 if kind == "run" else 3]
        row = {"topic_id": line[0], "doc_id": line[2], "rank": line[3], value: number}
        bad = draw.choice(["", "abc", "nan", "inf"]) if draw.random() < 0.05 else None
        if bad is not None:
            row[value] = bad
            found.count("malformed")
            found.count("bad_scores")
            refusal = RefusedError("a number") if reading.malformed == "error" else None
        else:
            found.rows.append(Row(line[0], line[2], float(number), line[3]))
        lines.append(row)
    names = draw.sample(["topic_id", "doc_id", value, *(["rank"] if kind == "run" else [])], 4 if kind == "run" else 3)
    try:
        expected = refusal or checked(found)
    except RefusedError as nothing:
        expected = nothing
    if draw.random() < 0.3:
        return pl.DataFrame([{name: row[name] for name in names} for row in lines]), expected
    out = io.StringIO()
    writer = csv.DictWriter(
        out,
        names,
        extrasaction="ignore",
        delimiter=draw.choice([",", "\t", ";"]),
        lineterminator=draw.choice(["\n", "\r\n"]),
    )
    writer.writeheader()
    writer.writerows(lines)
    return "\ufeff".encode() * draw.choice([0, 0, 1, 2]) + out.getvalue().encode(), expected


def given(made: Any, path: Path) -> Any:
    """The input itself, or the path of a file of these bytes."""
    if isinstance(made, bytes):
        path.write_bytes(made)
        return path
    return made


def found_in(table: RankTable) -> dict[str, Any]:
    """What a rank table of one run says, in the form of `evaluate_plainly`."""
    scores = evaluate(table, MEASURES)
    ranks: dict[str, dict[str, list[int]]] = {topic: {} for topic in table.topics}
    for topic, doc, rank in zip(table.ranks.topic, table.doc_ids, table.ranks.ranks[0].tolist(), strict=True):
        places = ranks[table.topics[topic]].setdefault(doc, [])
        places += [rank] if rank else []
    values = {
        topic: dict(zip(MEASURES, scores.values[:, 0, at].tolist(), strict=True))
        for at, topic in enumerate(table.topics)
        if not table.without_relevant[at]
    }
    counted = {name: int(count[0]) for name, count in table.counts.items() if count[0] and name != "checksum"}
    odd = {
        name: table.qrels_counts.get(name, 0) for name in ("duplicates", "malformed") if table.qrels_counts.get(name)
    }
    in_order = {topic: {doc: sorted(found) for doc, found in own.items()} for topic, own in ranks.items()}
    return {"ranks": in_order, "scores": values, "counts": counted, "qrels_counts": odd}


def check(fuzz: Fuzz, number: int, reading: Reading, expected: dict[str, Any] | RefusedError, *inputs: Any) -> None:
    """Compare the verdict and every number with the plain reader's."""
    table: RankTable | None
    message = ""
    try:
        table = rank_table(
            inputs[0],
            inputs[1],
            duplicates=cast("Any", reading.duplicates),
            malformed=cast("Any", reading.malformed),
            ties=cast("Any", reading.ties),
            depth=reading.depth,
        )
    except InputError as error:
        table, message = None, str(error)
    if table is None:
        assert isinstance(expected, RefusedError), f"case {number}: refused ({message}), though it can be read"
        assert "\n" not in message, f"case {number}"
        fuzz.count("refused")
        return
    assert not isinstance(expected, RefusedError), f"case {number}: read, though {expected}"
    found = found_in(table)
    for part in ("ranks", "counts", "qrels_counts"):
        assert found[part] == expected[part], f"case {number}: {part}"
    assert {*found["scores"]} == {*expected["scores"]}, f"case {number}: topics"
    for topic, scores in expected["scores"].items():
        for measure, score in scores.items():
            message = f"case {number}: {measure} of topic {topic}"
            np.testing.assert_allclose(found["scores"][topic][measure], score, rtol=1e-12, err_msg=message)
    fuzz.count("exact")


def expect(qrels: Rows | RefusedError, run: Rows | RefusedError, reading: Reading) -> dict[str, Any] | RefusedError:
    for each in (qrels, run):
        if isinstance(each, RefusedError):
            return each
    try:
        return evaluate_plainly(cast("Rows", qrels), cast("Rows", run), reading)
    except RefusedError as refusal:
        return refusal


def test_every_form_under_every_policy(fuzz: Fuzz, tmp_path: Path) -> None:
    for number, draw in fuzz.cases(1500):
        reading = draw_reading(draw)
        made = [(trec_file if draw.random() < 0.75 else named_file)(draw, kind, reading) for kind in ("qrels", "run")]
        inputs = [given(data, tmp_path / f"{at}.file") for at, (data, _) in enumerate(made)]
        check(fuzz, number, reading, expect(made[0][1], made[1][1], reading), *inputs)


PIECES = [b"\n#", b"\xef\xbb\xbf", *(bytes([code]) for code in b"\n\r \t\v#\xe9\x01\x1ce.-1\x85")]


def damage(draw: random.Random, data: bytes) -> bytes:
    """Flip, insert, delete, truncate, repeat and splice bytes."""
    for _ in range(draw.randint(1, 4)):
        at, to = sorted(draw.randrange(len(data) + 1) for _ in range(2))
        match draw.randrange(6):
            case 0 if at < len(data):
                data = data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]
            case 1:
                data = data[:at] + (draw.choice(PIECES) if draw.random() < 0.9 else draw.randbytes(2)) + data[at:]
            case 2:
                data = data[:at] + data[min(to, at + 8) :]
            case 3 if draw.random() < 0.3:
                data = data[:to]
            case 4:
                data = data[:to] + data[at:]
            case _:
                data = data[to:] + data[at:to] if draw.random() < 0.3 else data
    return data


def test_damaged_bytes(fuzz: Fuzz, tmp_path: Path) -> None:
    for number, draw in fuzz.cases(2000):
        reading = Reading(
            draw.choice(["error", "first", "last"]),
            draw.choice(["error", "skip"]),
            draw.choice(["docid", "input"]),
            draw.choice([None, 2]),
        )
        files: list[Path] = []
        rows: list[Rows | RefusedError] = []
        which = draw.randrange(2)
        for at, kind in enumerate(("qrels", "run")):
            lines = columns_of(draw, kind, may_fail=False)
            data = "".join(" ".join(line) + "\n" for line in lines).encode()
            data = damage(draw, data) if at == which else data
            files.append(tmp_path / f"{at}.file")
            files[at].write_bytes(data)
            try:
                rows.append(read_trec(data, kind, reading))
            except RefusedError as refusal:
                rows.append(refusal)
        check(fuzz, number, reading, expect(rows[0], rows[1], reading), *files)


def test_damaged_tables_and_compressed_files(fuzz: Fuzz, tmp_path: Path) -> None:
    """Where no plain reader can say what damage means: numbers within bounds, or one line."""
    for number, draw in fuzz.cases(800):
        reading = draw_reading(draw)
        run, path = None, tmp_path / "run"
        while not isinstance(run, bytes):
            run, _ = named_file(draw, "run", reading)
        if draw.random() < 0.5:
            run = draw.choice(COMPRESSORS)(run)
        path.write_bytes(damage(draw, run))
        try:
            table = rank_table({"1": {"a": 1, "b": 2}, "t": {"EP-1": 1}}, path, duplicates="first", malformed="skip")
        except InputError:
            fuzz.count("refused")
            continue
        values = evaluate(table, ["AP", "R@2", "nDCG", "RR"]).values
        assert ((values >= 0) & (values <= 1)).all(), f"case {number}"
        fuzz.count("bounded")
