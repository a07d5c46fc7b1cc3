"""Saved rank tables with any array changed: refused in one line, or scored as a plain reader of the table would."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from antecede import AntecedeError, InputError, RankTable, evaluate, rank_table
from tests.fuzz.plain_evaluation import MEASURES, Row, plain_scores
from tests.measures.worlds import every_measure

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from numpy.typing import NDArray

    from tests.fuzz.outcomes import Fuzz

Arrays = dict[str, "NDArray[Any]"]


def draw_table(draw: random.Random) -> RankTable:
    """A rank table as it is built from runs and qrels."""
    topics = draw.sample(["1", "2", "10", "é"], draw.randint(1, 3))
    docs = ["a", "b", "c", "d", "é", "f"]
    qrels = {topic: {doc: draw.choice([-1, 0, 1, 1, 2, 3]) for doc in draw.sample(docs, 4)} for topic in topics}
    qrels[topics[0]]["a"] = 3
    runs = {
        name: {topic: {doc: draw.random() for doc in draw.sample(docs, draw.randint(1, 6))} for topic in topics}
        for name in ("r", "s")[: draw.randint(1, 2)]
    }
    return rank_table(qrels, runs)


def with_copies(draw: random.Random, path: Path) -> RankTable:
    """A table of a run that returned a document more than once."""
    path.write_text("".join(f"1 Q0 {draw.choice('abc')} 0 {draw.random()} t\n" for _ in range(8)), "utf-8")
    return rank_table({"1": {"a": 1, "b": 2, "c": 0, "z": 1}}, path, duplicates="keep")


def read_arrays(path: Path) -> Arrays:
    with np.load(path) as stored:
        return dict(stored)


SIGNIFICANT = (0, 1, 2, 3, -1, 5, 255, 2**15, 2**16 - 1, 2**31 - 1, -(2**31), 2**62, 10**9)


def change_array(draw: random.Random, array: NDArray[Any]) -> NDArray[Any]:
    """The array with other values, of another type, or of another shape."""
    changed = array.copy()
    match draw.randrange(8):
        case 0 | 1 | 2 if changed.size:
            with np.errstate(over="ignore"):
                changed.reshape(-1)[draw.randrange(changed.size)] = np.array(draw.choice(SIGNIFICANT)).astype(
                    array.dtype
                )
        case 3 if changed.size > 1:
            flat = changed.reshape(-1)
            one, other = draw.sample(range(changed.size), 2)
            flat[[one, other]] = flat[[other, one]]
        case 4:
            kind = draw.choice(["<i8", "<i4", ">i4", "<u2", "|u1", "<f8", "|b1", "<U3"])
            changed = changed.astype(kind)
        case 5 if changed.size:
            changed = draw.choice([changed[1:], changed[:-1], np.concatenate((changed, changed[-1:])), changed[::-1]])
        case 6:
            changed = draw.choice([changed.T, changed.reshape(-1), changed[None], np.asfortranarray(changed)])
        case _ if changed.size:
            changed.reshape(-1)[:] = draw.choice([0, 1, 2])
    return changed


def change_head(draw: random.Random, head: NDArray[Any]) -> NDArray[Any]:
    described = json.loads(head.tobytes())
    value = draw.choice([None, -1, 1.5, "x", [], {}, 2**70, [1, "a"], True, {"lines": [0, 0]}, {"ties": [-1]}])
    described[draw.choice([*described])] = value
    return np.frombuffer(json.dumps(described).encode(), np.uint8)


def change(draw: random.Random, arrays: Arrays) -> None:
    for _ in range(draw.randint(1, 2)):
        name = draw.choice([*arrays, "ranks", "offsets", "retrieved", "relevance"])
        if draw.random() < 0.04:
            arrays.pop(name, None)
        elif name in arrays:
            arrays[name] = change_head(draw, arrays[name]) if name == "head" else change_array(draw, arrays[name])


def plain_ranking(table: RankTable, run: int, topic: int) -> tuple[dict[str, int], list[Row]]:
    """What the table says of a run and a topic, as judgements and a ranking."""
    begin, end = table.ranks.offsets[topic : topic + 2]
    docs, grades = table.doc_ids.to_list()[begin:end], table.ranks.relevance[begin:end].tolist()
    ranks = table.ranks.ranks[run, begin:end].tolist()
    at = {rank: doc for doc, rank in zip(docs, ranks, strict=True) if rank}
    length = int(table.ranks.retrieved[run, topic])
    ranking = [Row("", at.get(rank, f"other {rank}"), 0.0) for rank in range(1, min(length, 1000) + 1)]
    return dict(zip(docs, grades, strict=True)), ranking


def check_scores(table: RankTable, case: str) -> None:
    """Every measure is within its bounds, and those of the plain reader are as it says."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for measure in every_measure():
            try:
                values = evaluate(table, measure).values[0]
            except AntecedeError:  # such as a collection smaller than the list
                continue
            low, high = measure.definition.bounds
            known = values[~np.isnan(values)]
            if table.ranks.copies is None:  # a copy counts as found, so that more may be found than there are
                assert ((known >= low - 1e-9) & (known <= high + 1e-9)).all(), f"{case}: {measure}"
    scores = evaluate(table, [name for name in MEASURES if name != "NumRet"])
    for run in range(len(table.runs)):
        for topic in np.flatnonzero(~table.without_relevant).tolist():
            judged, ranking = plain_ranking(table, run, topic)
            if table.ranks.retrieved[run, topic] > len(ranking):
                continue  # too long to be written out
            plain = plain_scores(judged, ranking)
            for measure, value in zip(scores.measures, scores.values[:, run, topic], strict=True):
                message = f"{case}: {measure} of topic {topic}"
                np.testing.assert_allclose(value, plain[str(measure)], rtol=1e-9, err_msg=message)


def test_changed_arrays(fuzz: Fuzz, tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    for number, draw in fuzz.cases(700):
        table = with_copies(draw, tmp_path / "run") if draw.random() < 0.2 else draw_table(draw)
        table.save(path)
        arrays = read_arrays(path)
        change(draw, arrays)
        np.savez(path, **cast("Any", arrays))
        try:
            found = RankTable.load(path)
        except InputError:
            fuzz.count("refused")
            continue
        check_scores(found, f"case {number}")
        fuzz.count("exact")


def change_file(draw: random.Random, data: bytes) -> bytes:
    """Headers that claim too much, members compressed or stored twice, and plain damage to bytes."""
    match draw.randrange(5):
        case 0:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                stored = {name: archive.read(name) for name in archive.namelist()}
            name = draw.choice([*stored])
            claim = draw.choice([b"(1000000000000000,)", b"(0,)", b"(-1,)", b"(4,1000000000)", b"()", b"(2,3,4)"])
            head, _, rest = stored[name].partition(b"(")
            shape, _, rest = rest.partition(b")")
            stored[name] = head + claim + rest[max(0, len(claim) - len(shape) - 2) :]
            return zipped(stored, zipfile.ZIP_STORED)
        case 1:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                stored = {name: archive.read(name) for name in archive.namelist()}
            return zipped(stored, draw.choice([zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]))
        case 2:
            return data[: draw.randrange(len(data))]
        case _:
            at = draw.randrange(len(data))
            return data[:at] + draw.randbytes(draw.randint(1, 3)) + data[at + draw.randint(0, 3) :]


def zipped(members: dict[str, bytes], method: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def test_changed_bytes(fuzz: Fuzz, tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    for number, draw in fuzz.cases(500):
        table = draw_table(draw)
        table.save(path)
        path.write_bytes(change_file(draw, path.read_bytes()))
        try:
            found = RankTable.load(path)
        except InputError:
            fuzz.count("refused")
            continue
        # What is not covered by a checksum, such as the times of the members, may change.
        assert found.to_polars().equals(table.to_polars()), f"case {number}"
        fuzz.count("exact")
