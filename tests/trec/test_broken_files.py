"""Broken files: each is refused with one line that says what is wrong, where, and what to do."""

from __future__ import annotations

import bz2
import gzip
import io
import zipfile
from typing import TYPE_CHECKING

import pytest

from antecede import InputError, evaluate, rank_table

if TYPE_CHECKING:
    from pathlib import Path

RUN = b"".join(b"401 Q0 FT93%d-%d %d %d.5 tag\n" % (row % 5, row, row + 1, 50 - row) for row in range(40))
QRELS = b"".join(b"401 0 FT93%d-%d %d\n" % (row % 5, row, row % 2) for row in range(40))
CORRECT = '; correct it, or pass malformed="skip": '
AGAIN = "; copy or download it again"


def zipped(data: bytes) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a.run", data)
    return archive.getvalue()


BROKEN_RUNS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", ": is empty; check how it was made"),
    "blank lines": (b"\n \n\n", ": is empty; check how it was made"),
    "truncated gzip": (gzip.compress(RUN)[:99], f": the gzip data ends early: the file is cut off{AGAIN}"),
    "damaged gzip": (gzip.compress(RUN)[:40] + b"\xff\xff\xff" + gzip.compress(RUN)[43:], ": damaged gzip data: "),
    "more behind gzip": (gzip.compress(RUN) + b"garbage", f": something else follows the gzip data{AGAIN}"),
    "truncated bzip2": (bz2.compress(RUN)[:99], f": the bzip2 data ends early: the file is cut off{AGAIN}"),
    "packed twice": (gzip.compress(gzip.compress(RUN)), ": is a binary file, not text; "),
    "packed nothing": (gzip.compress(b""), ": is empty; check how it was made"),
    "a mark alone": (b"\xef\xbb\xbf", ": is empty; check how it was made"),
    "UTF-16 without a mark": (RUN.decode().encode("utf-16-be"), ": is a binary file, not text; "),
    "Parquet without a footer": (b"PAR1\0PAR1", f": is truncated or damaged Parquet{AGAIN}"),
    "Parquet with too long a footer": (b"PAR1\xff\0\0\0PAR1", f": is truncated or damaged Parquet{AGAIN}"),
    "binary": (bytes(range(256)), ": is a binary file, not text; give a TREC, CSV or Parquet file"),
    "zero byte": (RUN[:99] + b"\0" + RUN[99:], ": is a binary file, not text; give a TREC, CSV or Parquet file"),
    "damaged Parquet": (b"PAR1" + bytes(50) + b"PAR1", f": is truncated or damaged Parquet{AGAIN}"),
    "zip": (zipped(RUN), ": is a zip archive; extract it, and name the file inside"),
    "UTF-16": (RUN.decode().encode("utf-16"), ": is UTF-16 text; save it as UTF-8"),
    "missing column": (RUN + b"401 Q0 a 41 2.5\n", ", line 41: 5 columns where a run has 6 (topic_id "),
    "two missing columns": (
        RUN + b"401 Q0 a 41\n",
        f", line 41: 4 columns where a run has 6 (topic_id Q0 doc_id rank score tag){CORRECT}«401 Q0 a 41»",
    ),
    "huge line": (RUN + b"401 Q0 " + b"x" * 3_000_000, ", line 41: 3 columns where a run has 6 (topic_id "),
    "NaN": (RUN + b"401 Q0 a 41 nan t\n", f", line 41: score 'nan' is not a finite number{CORRECT}«401 Q0 a 41 nan t»"),
    "infinite": (RUN + b"401 Q0 a 41 1e999 t\n", f", line 41: score '1e999' is not a finite number{CORRECT}"),
    "decimal comma": (RUN.replace(b".5", b",5"), f", line 1: score '50,5' is not a finite number{CORRECT}"),
    "duplicate": (
        RUN + b"401 Q0 FT930-0 41 1 t\n",
        ", line 41, topic 401, document FT930-0: appears twice (first on line 1); remove one, or pass duplicates=",
    ),
    "qrels": (
        QRELS,
        ", line 1: 4 columns where a run has 6 (topic_id Q0 doc_id rank score tag); it looks like qrels: ",
    ),
    "HTML": (b"<!DOCTYPE html>\n<html></html>\n", ", line 1: 2 columns where a run has 6 (topic_id "),
    "byte-order mark": (RUN + b"\xef\xbb\xbf402 Q0 a 1 1 t\n", ", topic \\ufeff402: begins with a byte-order mark; "),
    "other topics": (RUN.replace(b"401 ", b"951 "), ": no topic in common with the qrels (its topics: 951 …; theirs: "),
    "Latin-1": (RUN + b"401 Q0 caf\xe9 41\n", f"tag){CORRECT}«401 Q0 café 41»"),
    "CSV without scores": (b"topic_id,doc_id,note\n401,a,b\n", ": has no column score; rename one of its columns ("),
}

BROKEN_QRELS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", ": is empty; check how it was made"),
    "run": (RUN, ", line 1: 6 columns where qrels has 4 (topic_id iteration doc_id relevance); it looks like a run: "),
    "missing column": (QRELS + b"401 0 a\n", ", line 41: 3 columns where qrels has 4 (topic_id iteration "),
    "surplus columns": (QRELS + b"401 0 a 1 x y\n", ", line 41: 6 columns where qrels has 4 (topic_id iteration "),
    "fraction": (QRELS + b"401 0 a 0.5\n", ", line 41: relevance '0.5' is not a whole number of at most nine digits; "),
    "word": (QRELS + b"401 0 a yes\n", ", line 41: relevance 'yes' is not a whole number of at most nine digits; "),
    "huge": (QRELS + b"401 0 a 99999999999\n", ", line 41: relevance '99999999999' is not a whole number of at most "),
    "duplicate": (QRELS + b"401 0 FT930-0 0\n", ", line 41, topic 401, document FT930-0: appears twice (first on line"),
    "nothing relevant": (b"401 0 FT930-0 0\n", ": no topic has a relevant document; check that these are the qrels"),
}


def refusal(tmp_path: Path, qrels: bytes, run: bytes) -> str:
    (tmp_path / "a.qrels").write_bytes(qrels)
    (tmp_path / "a.run").write_bytes(run)
    with pytest.raises(InputError) as caught:
        evaluate(rank_table(tmp_path / "a.qrels", tmp_path / "a.run"), "AP")
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(tmp_path))
    return message


@pytest.mark.parametrize("kind", BROKEN_RUNS)
def test_a_broken_run_is_refused_with_place_and_remedy(tmp_path: Path, kind: str) -> None:
    data, expected = BROKEN_RUNS[kind]
    assert expected in refusal(tmp_path, QRELS, data)


@pytest.mark.parametrize("kind", BROKEN_QRELS)
def test_broken_qrels_are_refused_with_place_and_remedy(tmp_path: Path, kind: str) -> None:
    data, expected = BROKEN_QRELS[kind]
    assert expected in refusal(tmp_path, data, RUN)
